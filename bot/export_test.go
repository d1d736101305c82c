package bot

// Quiet is closed when no interaction is under way: every one that the gateway
// has handed on has been answered, or given up.
func (b *Bot) Quiet() <-chan struct{} { return b.intake.quiet() }
