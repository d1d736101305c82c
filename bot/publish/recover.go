package publish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// A post whose confirmation never came may be in the channel. Discord remembers a
// nonce for "the past few minutes"
// (https://docs.discord.com/developers/resources/message#create-message): until
// then, a repeated post returns the message that is there. Later, the channel is
// searched. The file name of a message's picture tells which board it shows.

// nonceLifetime is how long Discord is trusted to remember a nonce.
const nonceLifetime = time.Minute

// nonceExpired reports whether Discord may have forgotten the nonce of an
// earlier attempt. That is so if the post has failed more than once or has been
// due for long; after a single failure it is due again within seconds. If it is
// due far in the future, the clock has gone back, and the attempt may be long ago.
func nonceExpired(now time.Time, attempts int, due time.Time) bool {
	return attempts > 1 || now.Sub(due).Abs() > nonceLifetime
}

func firstAttempt(ch storage.Challenge) time.Time {
	if ch.NextAttempt.IsZero() {
		return ch.CreatedAt
	}
	return ch.NextAttempt
}

// maxUnread is how often in a row Discord may refuse to list the messages of a
// channel before the bot posts without looking.
const maxUnread = 3

// findEarlier does the same as find, for a post that an earlier attempt may have
// made.
func (p *Publisher) findEarlier(ctx context.Context, channel, picture string, known []string) (string, error) {
	all, err := p.earlierPosts(ctx, channel)
	return withPicture(all, picture, known), err
}

// earlierPosts does the same as ownMessages, for a post that an earlier attempt may have
// made. If the bot may not read the channel, such as the chat of a voice channel
// without the permission to connect, earlierPosts fails maxUnread times and then
// returns no message: a second board is better than none.
func (p *Publisher) earlierPosts(ctx context.Context, channel string) ([]discord.ChannelMessage, error) {
	if p.unread.count(channel) >= maxUnread {
		return nil, nil
	}
	own, err := p.ownMessages(ctx, channel)
	switch {
	case err == nil:
		p.unread.remove(channel)
	case discord.HasCode(err, discord.CodeMissingAccess, discord.CodeMissingPermissions) && !discord.Paused(err):
		p.unread.add(channel)
	}
	if err != nil {
		err = fmt.Errorf("searching for an earlier post: %w", err)
	}
	return own, err
}

// ownMessages returns the messages of the bot among the last hundred of a channel, the
// newest first.
func (p *Publisher) ownMessages(ctx context.Context, channel string) (own []discord.ChannelMessage, err error) {
	if p.self.Load() == nil {
		self, err := p.client.GetCurrentUser(ctx)
		if err != nil {
			return nil, fmt.Errorf("requesting the bot's own user: %w", err)
		}
		p.self.Store(&self)
	}
	all, err := p.client.GetMessages(ctx, channel)
	for _, m := range all {
		if m.AuthorID == *p.self.Load() {
			own = append(own, m)
		}
	}
	return own, err
}

// withPicture returns the first of some messages that shows the picture of a name and
// is not among the known ones, "" if there is none.
func withPicture(all []discord.ChannelMessage, picture string, known []string) string {
	for _, m := range all {
		if slices.Contains(m.Images, picture) && !slices.Contains(known, m.ID) {
			return m.ID
		}
	}
	return ""
}

// find returns the newest message of the bot, among the last hundred of a channel, that
// shows the picture of a name and is not among the known ones. It returns "" if there is
// none.
func (p *Publisher) find(ctx context.Context, channel, picture string, known []string) (string, error) {
	all, err := p.ownMessages(ctx, channel)
	return withPicture(all, picture, known), err
}

func messageIDs(boards []storage.Board) (ids []string) {
	for _, b := range boards {
		if b.Message != "" {
			ids = append(ids, b.Message)
		}
	}
	return ids
}

// findSkipped searches for boards that were superseded before their posts were
// confirmed, and marks those it finds as superseded. Only the reconciler does this, so
// that nobody waits for it. It does nothing until the current board is recorded,
// which could be mistaken for one of them.
func (p *Publisher) findSkipped(ctx context.Context, v *host.View, o showOptions) *host.View {
	if o.now.IsZero() {
		return v
	}
	known := messageIDs(v.Boards)
	for _, b := range v.Boards {
		if b.State != storage.BoardSkipped || !o.selects(b) {
			continue
		}
		if v.Board.State != storage.BoardPosted {
			if _, err := p.host.BoardFailed(context.WithoutCancel(ctx), v.Lease, b, host.Failure{Blocked: true}); err != nil {
				p.log.Error("postponing the search for a board", "match", b.Match, "error", err)
			}
			continue
		}
		after, err := v, error(nil)
		found, err := p.find(ctx, b.Place.Channel, message.PostedFileName(b), known)
		switch {
		case err == nil && found != "":
			known = append(known, found)
			p.log.Info("found a skipped board", "match", b.Match, "message", found)
			after, err = p.host.BoardPosted(context.WithoutCancel(ctx), v, b.ID, found) // marks it as superseded
		case err == nil || discord.HasCode(err, discord.CodeUnknownChannel):
			after, err = p.host.BoardsCollapsed(context.WithoutCancel(ctx), v, b.ID) // nothing to collapse
		}
		if err != nil {
			p.boardFailed(ctx, "searching for a board", v, b, err)
			continue
		}
		v = after
	}
	return v
}
