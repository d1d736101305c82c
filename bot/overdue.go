package bot

import "context"

// announce records what a time that has come has changed, so that what is
// behind shows it: challenges that have expired, matches that can be claimed.
// What is so does not hang on it; it is idempotent.
func (b *Bot) announce(ctx context.Context) {
	overdue, err := b.host.Overdue(ctx, batch)
	if err != nil {
		if ctx.Err() == nil {
			b.log.Error("looking for what is overdue", "error", err)
		}
		return
	}
	for _, id := range overdue.Challenges {
		if err := b.host.Expire(ctx, id); err != nil && ctx.Err() == nil {
			b.log.Error("recording that a challenge has expired", "challenge", id, "error", err)
		}
	}
	for _, id := range overdue.Matches {
		if err := b.host.Remind(ctx, id); err != nil && ctx.Err() == nil {
			b.log.Error("reminding of a match", "match", id, "error", err)
		}
	}
}
