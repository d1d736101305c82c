package bot

// Quiet is closed when no interaction is under way: every one that the gateway
// has handed on has been answered, or given up.
func (b *Bot) Quiet() <-chan struct{} { return b.intake.quiet() }

// Roused reports whether the reconciler is to look without waiting for its tick.
func (b *Bot) Roused() bool { return len(b.wake) > 0 }
