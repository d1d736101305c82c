package publish

import (
	"context"
	"errors"
	"fmt"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// postWithThread posts the board that is due. The first board of a match goes
// to the thread in which the match is to be played, if there can be one. It
// returns the match as it is afterwards.
func (p *Publisher) postWithThread(ctx context.Context, v *host.View, collapsed string) (*host.View, error) {
	if v.Record.ShownSeq >= 0 || v.Record.Challenge == 0 {
		return p.post(ctx, v, collapsed)
	}
	v, state, err := p.createThread(ctx, v)
	if err != nil {
		return v, fmt.Errorf("creating a thread: %w", err)
	}
	after, err := p.post(ctx, v, collapsed)
	if state != storage.ThreadCreated || !discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess) {
		return after, err
	}
	// The bot may create threads but not write in them.
	p.log.Warn("the match is played in the channel", "match", v.Record.ID, "error", err)
	if v, err = p.host.ThreadFailed(uncancelled(ctx), v, storage.ThreadRefused); err != nil {
		return v, err
	}
	return p.post(ctx, v, collapsed)
}

// createThread creates the thread of a match on the message of its challenge,
// if one is wanted. It fails if that is to be tried again.
func (p *Publisher) createThread(ctx context.Context, v *host.View) (*host.View, storage.ThreadState, error) {
	ch, state, err := p.host.ChallengeThread(ctx, v.Record.Challenge)
	if err != nil || state != storage.ThreadWanted {
		return v, state, err
	}
	if ch.Message == "" {
		return v, state, errors.New("its challenge has not been posted yet")
	}
	_, err = p.client.StartThread(ctx, ch.Place.Channel, ch.Message, message.ThreadName(p.texts.Printer(), v))
	var refused *discord.Error
	switch {
	case err == nil, discord.HasCode(err, discord.CodeThreadExists): // created by an earlier attempt
		after, err := p.host.ThreadCreated(uncancelled(ctx), v)
		if err != nil {
			return v, state, err
		}
		return after, storage.ThreadCreated, nil
	case discord.Paused(err):
		return v, state, err
	case discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		state = storage.ThreadRefused
	case errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 && refused.Status != 429:
		state = storage.ThreadNone // the challenge is in a thread already, say, or was deleted
	default:
		return v, state, err
	}
	p.log.Info("a match has no thread", "match", v.Record.ID, "error", err)
	after, err := p.host.ThreadFailed(uncancelled(ctx), v, state)
	if err != nil {
		return v, state, err
	}
	return after, state, nil
}

// unarchiving does something in a channel. If the channel is an archived
// thread, it unarchives it and tries again. A locked thread stays as it is.
func (p *Publisher) unarchiving(ctx context.Context, channel string, do func() error) error {
	err := do()
	if !discord.HasCode(err, discord.CodeArchivedThread) {
		return err
	}
	if opening := p.client.UnarchiveThread(ctx, channel); opening != nil {
		p.log.Debug("unarchiving a thread", "thread", channel, "error", opening)
		if discord.HasCode(opening, discord.CodeLockedThread) {
			return opening
		}
		return err
	}
	return do()
}
