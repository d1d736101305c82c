package bot

import "context"

// Quiet is closed when no interaction is under way: every one that the gateway
// has handed on has been answered, or given up.
func (b *Bot) Quiet() <-chan struct{} { return b.intake.quiet() }

// AtRest reports whether no computer is to play that could now: none thinks, and
// no turn of one is on its way.
func (b *Bot) AtRest(ctx context.Context) (bool, error) {
	t := b.thinking
	t.mu.Lock()
	under, failed := len(t.matches), len(t.failed)
	t.mu.Unlock()
	waiting, err := b.host.ComputerTurns(ctx, failed+1)
	return under == 0 && len(waiting) <= failed, err
}

// Roused reports whether the reconciler is to look without waiting for its tick.
func (b *Bot) Roused() bool { return len(b.wake) > 0 }
