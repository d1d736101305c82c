package publish

import (
	"context"
	"time"

	"castellan/bot/discord"
)

// A process that was stopped in the middle of a request can post a message after
// another one has done so, when Discord has forgotten the nonce. A board of that kind
// is recorded and collapsed. A challenge or a daily message is deleted.

// deleteTime limits the deletion of a message.
const deleteTime = 10 * time.Second

func (p *Publisher) deleteDuplicate(ctx context.Context, channel, id string) {
	p.duplicates.add(discord.CreatedMessage{ID: id, ChannelID: channel})
	p.deleteDuplicates(context.WithoutCancel(ctx))
}

// deleteDuplicates deletes the messages that are one too many. The reconciler repeats what
// fails.
func (p *Publisher) deleteDuplicates(ctx context.Context) {
	for _, m := range p.duplicates.take() {
		deleting, cancel := context.WithTimeout(ctx, deleteTime)
		err := p.client.DeleteMessage(deleting, m.ChannelID, m.ID)
		cancel()
		switch {
		case err == nil:
			p.log.Info("deleted a message that came too late", "message", m.ID)
		case discord.HasCode(err, discord.CodeUnknownMessage) || discord.Blocked(err) && !discord.Paused(err):
			p.log.Warn("a message that came too late is not deleted", "message", m.ID, "error", err)
		default:
			p.duplicates.add(m)
		}
	}
}
