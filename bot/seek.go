package bot

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/storage"
)

// A post whose answer never came may stand in the channel. Tried again with
// the same nonce soon, Discord gives back the message that is there. It
// remembers a nonce for "the past few minutes" only
// (https://docs.discord.com/developers/resources/message#create-message), so
// that later the channel itself is looked at: the file name of the picture
// tells which board of which match a message is.

// nonceFor is how long Discord is trusted to remember a nonce.
const nonceFor = time.Minute

// forgotten reports whether Discord may have forgotten the nonce of a post
// that an earlier try may have made: it has been due for long, or has failed
// more than once. One failure alone was a few seconds before it was due.
func forgotten(now time.Time, tries int, due time.Time) bool {
	return tries > 1 || now.Sub(due) > nonceFor
}

// askedSince is when a challenge was to be posted.
func askedSince(ch storage.Challenge) time.Time {
	if ch.Next.IsZero() {
		return ch.CreatedAt
	}
	return ch.Next
}

// find is the newest message of the bot in a channel that shows a picture of
// that name, apart from those that are known; empty where there is none among
// the newest hundred.
func (p *poster) find(ctx context.Context, channel, picture string, known []string) (string, error) {
	self, err := p.self.is(ctx, p.client.GetCurrentUser)
	if err != nil {
		return "", err
	}
	all, err := p.client.GetMessages(ctx, channel)
	if err != nil {
		return "", err
	}
	for _, m := range all {
		if m.AuthorID == self && slices.Contains(m.Images, picture) && !slices.Contains(known, m.ID) {
			return m.ID, nil
		}
	}
	return "", nil
}

// messagesOf is the messages of boards that are known.
func messagesOf(boards []storage.Board) (known []string) {
	for _, b := range boards {
		if b.Message != "" {
			known = append(known, b.Message)
		}
	}
	return known
}

// seekSkipped looks for the boards of a match that were given up before it was
// known whether they had been posted, and collapses those that it finds. Only
// the reconciler does it: no person waits for it. While the current board is
// not on record it could be taken for one of them, so they wait.
func (p *poster) seekSkipped(ctx context.Context, v *host.View, boards []storage.Board, pace pace) {
	known := append(messagesOf(boards), v.Board.Message)
	for _, b := range boards {
		if b.State != storage.BoardSkipped || pace.now.IsZero() || !pace.wants(b.Next) {
			continue
		}
		if v.Board.State != storage.BoardPosted {
			if _, err := p.host.BoardFailed(record(ctx), b, host.Failure{Blocked: true}); err != nil {
				p.log.Error("putting off the search for a board", "match", b.Match, "error", err)
			}
			continue
		}
		message, err := p.find(ctx, b.Place.Channel, pictureName(b.Match, b.Seq, ""), known)
		switch {
		case err == nil && message != "":
			known = append(known, message)
			err = p.adopt(ctx, v, b, message)
		case err == nil || discord.HasCode(err, discord.CodeUnknownChannel):
			err = p.host.BoardCollapsed(record(ctx), b.ID) // it is not there
		}
		if err != nil {
			p.boardFailed(ctx, "looking for a board", b, err)
		}
	}
}

// adopt records the message of a skipped board, which makes it stale, and
// collapses it.
func (p *poster) adopt(ctx context.Context, v *host.View, b storage.Board, message string) error {
	if err := p.host.BoardPosted(record(ctx), b.ID, message); err != nil {
		return fmt.Errorf("recording a board that was found: %w", err)
	}
	p.log.Info("found a board that had been given up", "match", b.Match, "message", message)
	b.State, b.Message, b.Tries = storage.BoardStale, message, 0
	p.collapse(ctx, v, b)
	return nil
}

// identity is who the bot is, asked for once. The zero value is ready.
type identity struct {
	mu sync.Mutex
	id string
}

func (i *identity) is(ctx context.Context, ask func(context.Context) (string, error)) (string, error) {
	i.mu.Lock()
	id := i.id
	i.mu.Unlock()
	if id != "" {
		return id, nil
	}
	id, err := ask(ctx)
	if err != nil {
		return "", fmt.Errorf("asking who I am: %w", err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.id = id
	return id, nil
}
