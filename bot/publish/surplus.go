package publish

import (
	"context"
	"sync"
	"time"

	"castellan/bot/discord"
)

// A process that was stopped in the middle of a request can post a message after
// another one has done so, when Discord has forgotten the nonce. A board of that kind
// is recorded and collapsed. A challenge or a daily message is deleted.

// discardTime limits the deletion of a message.
const discardTime = 10 * time.Second

// surplus lists messages that are to be deleted. The zero value is ready.
type surplus struct {
	mu       sync.Mutex
	messages []discord.CreatedMessage
}

// discard deletes a message that is surplus.
func (p *Publisher) discard(ctx context.Context, channel, id string) {
	p.surplus.mu.Lock()
	p.surplus.messages = append(p.surplus.messages, discord.CreatedMessage{ID: id, ChannelID: channel})
	p.surplus.mu.Unlock()
	p.deleteSurplus(uncancelled(ctx))
}

// deleteSurplus deletes the messages that are surplus. The reconciler repeats what
// fails.
func (p *Publisher) deleteSurplus(ctx context.Context) {
	p.surplus.mu.Lock()
	messages := p.surplus.messages
	p.surplus.messages = nil
	p.surplus.mu.Unlock()
	for _, m := range messages {
		deleting, cancel := context.WithTimeout(ctx, discardTime)
		err := p.client.DeleteMessage(deleting, m.ChannelID, m.ID)
		cancel()
		switch {
		case err == nil:
			p.log.Info("deleted a message that came too late", "message", m.ID)
		case discord.HasCode(err, discord.CodeUnknownMessage) || discord.Blocked(err) && !discord.Paused(err):
			p.log.Warn("a message that came too late is not deleted", "message", m.ID, "error", err)
		default:
			p.surplus.mu.Lock()
			p.surplus.messages = append(p.surplus.messages, m)
			p.surplus.mu.Unlock()
		}
	}
}
