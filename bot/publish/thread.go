package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// postWithThread posts the board that is due. Before the first board of a match
// it creates the match's thread, if one is wanted and possible. It returns the
// match as it is afterwards.
func (p *Publisher) postWithThread(ctx context.Context, v *host.View, collapsed string) (*host.View, error) {
	first, err := v.Record.ShownSeq < 0 && v.Record.Challenge != 0, error(nil)
	if first {
		if v, err = p.createThread(ctx, v); err != nil {
			return v, fmt.Errorf("creating a thread: %w", err)
		}
	}
	after, failed := p.post(ctx, v, collapsed)
	var state storage.ThreadState
	switch {
	case discord.HasCode(failed, discord.CodeLockedThread):
		state = storage.ThreadLocked
	case discord.HasCode(failed, discord.CodeUnknownChannel):
		state = storage.ThreadDeleted
	case discord.HasCode(failed, discord.CodeTooManyThreads): // the thread cannot be unarchived
		state = storage.ThreadFull
	case first && discord.HasCode(failed, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		state = storage.ThreadRefused // the bot may create threads but not write in them
	default:
		return after, failed
	}
	moved, err := p.host.ThreadFailed(context.WithoutCancel(ctx), v, state)
	if err != nil || moved.Record.Place == v.Record.Place { // the match is not in a thread of its own
		return moved, errors.Join(failed, err)
	}
	p.log.Warn("the match goes on in the channel", "match", v.Record.ID, "guild", moved.Record.Place.Guild,
		"channel", moved.Record.Place.Channel, "thread", v.Record.Place.Channel, "error", failed)
	if moved, err = p.host.BeginShow(ctx, moved, moved.Lease); err != nil {
		return moved, errors.Join(failed, err)
	}
	return p.post(ctx, moved, collapsed)
}

// leaveThread moves the matches that are played in a thread to the channel, because
// nobody can click in it any more. state says why.
func (p *Publisher) leaveThread(ctx context.Context, thread storage.Place, state storage.ThreadState) {
	running, err := p.host.RunningIn(ctx, thread.Channel)
	if err != nil {
		p.log.Error("looking for the matches of a thread", "thread", thread.Channel, "error", err)
		return
	}
	for _, rec := range running {
		if rec.Place.Channel != thread.Channel {
			continue // it is in a thread of this channel
		}
		v, err := p.host.Match(ctx, rec.ID)
		if err == nil {
			v, err = p.host.ThreadFailed(context.WithoutCancel(ctx), v, state)
		}
		if err != nil {
			p.log.Error("leaving a thread", "match", rec.ID, "error", err)
			continue
		}
		if state == storage.ThreadDeleted && v.Record.Place == thread {
			continue // it is no thread of its own, see loseContact
		}
		p.log.Warn("the thread of a match cannot be used any more", "match", rec.ID, "thread", thread.Channel, "channel", v.Record.Place.Channel, "why", string(state),
			"remedy", "the match goes on in the channel; if that is the thread itself, have a player use /board elsewhere")
	}
}

// loseContact has the clocks of a channel or guild in which the bot can reach nobody
// stand still. If notify, players are notified when they can be reached again.
func (p *Publisher) loseContact(ctx context.Context, place storage.Place, notify bool) {
	n, err := p.host.UnreachableIn(context.WithoutCancel(ctx), place, notify)
	if err != nil {
		p.log.Error("stopping clocks", "guild", place.Guild, "channel", place.Channel, "error", err)
	}
	if n > 0 {
		p.log.Warn("players cannot be reached; their clocks stand still", "matches", n, "guild", place.Guild, "channel", place.Channel)
	}
}

// checkReachable reports whether the player to move in an overdue match could have
// played, or the match cannot be read. Before somebody loses on time, the bot looks
// whether their channel is still there, in case it has missed that it is not. If it is
// not, the match leaves its thread, and its clock stands still. It also looks whether a
// player who has not moved for a day has left the guild.
func (p *Publisher) checkReachable(ctx context.Context, id storage.MatchID) bool {
	v, err := p.host.Match(ctx, id)
	if err != nil {
		return true
	}
	if v.MayHaveLeft() {
		player, _ := v.ToMove()
		p.CheckMember(ctx, v.Record.Place.Guild, player.ID)
	}
	if !v.TimeUp() {
		return true
	}
	_, err = p.client.GetChannel(ctx, v.Record.Place.Channel)
	switch {
	case err == nil:
		return true
	case discord.HasCode(err, discord.CodeUnknownChannel):
		p.leaveThread(ctx, v.Record.Place, storage.ThreadDeleted)
		fallthrough
	case discord.Blocked(err):
		err = p.host.Unreachable(context.WithoutCancel(ctx), id, true)
	}
	if err != nil && ctx.Err() == nil {
		p.log.Warn("looking for the channel of a match whose time is up", "match", id, "error", err)
	}
	return false
}

// archiveThreads archives the threads of matches that have ended. Discord limits
// the active threads of a guild.
func (p *Publisher) archiveThreads(ctx context.Context) {
	ended, err := p.host.EndedThreads(ctx, batchSize)
	if err != nil {
		if ctx.Err() == nil {
			p.log.Error("looking for threads to archive", "error", err)
		}
		return
	}
	for _, ch := range ended {
		err := p.client.SetArchived(ctx, ch.Message, true)
		if discord.OutcomeUnknown(err) || discord.RateLimited(err) {
			p.log.Debug("archiving a thread", "challenge", ch.ID, "error", err)
			return // the next run continues
		}
		if err != nil { // Discord archives it after a week without messages
			p.log.Info("a thread is not archived", "challenge", ch.ID, "thread", ch.Message, "error", err)
		}
		if err := p.host.SetThread(context.WithoutCancel(ctx), ch.ID, storage.ThreadArchived); err != nil {
			p.log.Error("recording an archived thread", "challenge", ch.ID, "error", err)
			p.PauseOnStoreError(err)
		}
	}
}

// createThread creates the thread of a match on the message of its challenge, if
// one is wanted. An error means that the caller should try again later.
func (p *Publisher) createThread(ctx context.Context, v *host.View) (*host.View, error) {
	ch, state, err := p.host.ChallengeThread(ctx, v.Record.Challenge)
	if err != nil || state != storage.ThreadWanted {
		return v, err
	}
	if ch.Message == "" {
		return v, errors.New("its challenge has not been posted yet")
	}
	err = p.client.StartThread(ctx, ch.Place.Channel, ch.Message, message.ThreadName(p.config.Say(ctx, ch.Place.Guild, ch.Challenger.ID), v))
	var refused *discord.Error
	switch {
	case err == nil, discord.HasCode(err, discord.CodeThreadExists): // created by an earlier attempt
		return p.host.ThreadCreated(context.WithoutCancel(ctx), v)
	case discord.Paused(err):
		return v, err
	case discord.HasCode(err, discord.CodeMissingPermissions, discord.CodeMissingAccess):
		state = storage.ThreadRefused
	case discord.HasCode(err, discord.CodeTooManyThreads):
		state = storage.ThreadFull
	case errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 && refused.Status != 429:
		state = storage.ThreadNone // for example, the challenge's message was deleted
	default:
		return v, err
	}
	p.log.Info("a match has no thread", "match", v.Record.ID, "guild", ch.Place.Guild, "channel", ch.Place.Channel, "error", err)
	return p.host.ThreadFailed(context.WithoutCancel(ctx), v, state)
}

// renameThread renames the thread of a challenge if a former player is in its match,
// since its name would still be there. An error means that the caller should try
// again later.
func (p *Publisher) renameThread(ctx context.Context, ch storage.Challenge) error {
	if !slices.ContainsFunc(ch.Joined, storage.Person.IsFormer) || ch.State != storage.ChallengeAccepted {
		return nil
	}
	_, state, err := p.host.ChallengeThread(ctx, ch.ID)
	if err != nil || state != storage.ThreadCreated && state != storage.ThreadArchived {
		return err
	}
	v, err := p.host.Match(ctx, ch.Match)
	if err != nil {
		return err
	}
	name := message.ThreadName(p.config.Say(ctx, ch.Place.Guild, ""), v)
	err = p.unarchiving(ctx, ch.Message, func() error { return p.client.RenameThread(ctx, ch.Message, name) })
	switch {
	case discord.OutcomeUnknown(err) || discord.RateLimited(err) || discord.Paused(err):
		return err
	case err != nil:
		p.log.Info("a thread keeps its name", "match", ch.Match, "thread", ch.Message, "error", err)
	}
	return p.archiveAgain(ctx, ch.ID)
}

// archiveAgain has the thread of a challenge archived in this run if it was before:
// to edit something in it, it had to be unarchived.
func (p *Publisher) archiveAgain(ctx context.Context, id storage.ChallengeID) error {
	_, state, err := p.host.ChallengeThread(ctx, id)
	if err != nil || state != storage.ThreadArchived {
		return err
	}
	return p.host.SetThread(context.WithoutCancel(ctx), id, storage.ThreadCreated)
}

// unarchiving does something in a channel. If the channel is an archived
// thread, it unarchives it and tries again. A locked thread stays as it is.
func (p *Publisher) unarchiving(ctx context.Context, channel string, do func() error) error {
	err := do()
	if !discord.HasCode(err, discord.CodeArchivedThread) {
		return err
	}
	if opening := p.client.SetArchived(ctx, channel, false); opening != nil {
		p.log.Debug("unarchiving a thread", "thread", channel, "error", opening)
		switch {
		case discord.HasCode(opening, discord.CodeMissingPermissions): // the bot may not manage threads
			return &discord.Error{Status: http.StatusForbidden, Code: discord.CodeLockedThread, Message: "the thread is locked", RetryAfter: discord.RetryAfter(opening)}
		case discord.HasCode(opening, discord.CodeLockedThread, discord.CodeTooManyThreads):
			return opening
		}
		return err
	}
	return do()
}
