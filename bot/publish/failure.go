package publish

import (
	"context"
	"errors"
	"sync"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// Failure converts an error of Discord for the host, which decides when to try
// again.
func Failure(err error) host.Failure {
	return host.Failure{
		Blocked:    discord.Blocked(err) || discord.HasCode(err, discord.CodeTooManyOldEdits),
		RetryAfter: discord.RetryAfter(err),
	}
}

// boardFailed counts and logs a failure to post or collapse a board. It only logs
// a failed attempt before its planned time, made because a person uses the board:
// the next attempt stays as planned.
func (p *Publisher) boardFailed(ctx context.Context, doing string, v *host.View, b storage.Board, err error) {
	if errors.Is(err, storage.ErrFenced) {
		return // another process goes on
	}
	if p.isEarly(b.NextAttempt, b.Attempts) {
		p.logFailure(doing, "match", int64(b.Match), b.Place, err, b.NextAttempt, nil)
		return
	}
	if gone := discord.HasCode(err, discord.CodeUnknownChannel, discord.CodeMissingAccess); gone && b.State == storage.BoardDue && b.Attempts == 0 {
		p.tellUnreachable(ctx, v, b)
	}
	next, countErr := p.host.BoardFailed(context.WithoutCancel(ctx), v.Lease, b, Failure(err))
	if discord.Unreachable(err) && b.State == storage.BoardDue && b.Attempts+1 >= maxUnreachable {
		_, err := p.host.BoardPosted(context.WithoutCancel(ctx), v, b.ID, "") // given up
		countErr = errors.Join(countErr, err)
	}
	p.logFailure(doing, "match", int64(b.Match), b.Place, err, next, countErr)
}

// tellUnreachable tells the player to move, directly, that the bot cannot post the board
// that would notify them, and how the match can go on.
func (p *Publisher) tellUnreachable(ctx context.Context, v *host.View, b storage.Board) {
	player, ok := v.ToMove()
	if !ok || !b.Notify || host.IsComputer(player) || b.Place.Guild == "" {
		return
	}
	if prefs, _ := v.Preferences(v.Match.Seat()); prefs.Reminders == storage.RemindNever {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reminderTimeout)
	defer cancel()
	channel, err := p.client.OpenDirect(ctx, player.ID)
	if err == nil {
		_, err = p.client.CreateMessage(ctx, channel, nonce("g", int64(b.ID), v.Record.CreatedAt), message.Unreachable(p.config.Say(ctx, "", player.ID), v))
	}
	if err != nil {
		p.log.Info("a player could not be told directly that their match waits", "match", v.Record.ID, "error", err)
	}
}

// isEarly reports whether the planned time of the next attempt is in the future.
func (p *Publisher) isEarly(next time.Time, attempts int) bool {
	return !storage.IsDue(next, attempts, p.host.Now())
}

// challengeFailed does the same as boardFailed for a challenge.
func (p *Publisher) challengeFailed(ctx context.Context, l storage.DeliveryLease, ch storage.Challenge, err error) {
	if p.isEarly(ch.NextAttempt, ch.Attempts) {
		p.logFailure("showing a challenge", "challenge", int64(ch.ID), ch.Place, err, ch.NextAttempt, nil)
		return
	}
	next, countErr := p.host.ChallengeFailed(context.WithoutCancel(ctx), l, ch, Failure(err))
	if discord.Unreachable(err) && ch.Attempts+1 >= maxUnreachable {
		countErr = errors.Join(countErr, p.host.ChallengeShown(context.WithoutCancel(ctx), l, ch.ID, ch.Message, ch.Revision))
	}
	p.logFailure("showing a challenge", "challenge", int64(ch.ID), ch.Place, err, next, countErr)
}

// maxUnreachable is how often a post to a person who cannot be messaged is
// tried, in about two days. Then it is given up; /board posts it when they come
// back.
const maxUnreachable = 20

// direct begins the names of direct messages among the channels, with which their
// failures are remembered.
const direct = "of "

// LoggedChannel returns the channel of a place for the log. The log does not have
// the channels of direct messages: each leads to a person.
func LoggedChannel(place storage.Place) string {
	if place.Guild == "" {
		return "direct messages"
	}
	return place.Channel
}

// logFailure logs a failure with the time of the next attempt. Missing access to
// a channel is logged as a warning once, until the channel accepts a post again.
func (p *Publisher) logFailure(doing, what string, id int64, place storage.Place, err error, next time.Time, countErr error) {
	missing := missingAccess(err)
	switch {
	case missing == "":
		p.log.Warn(doing, what, id, "error", err, "next", next, "guild", place.Guild, "channel", LoggedChannel(place))
	case p.reported.add(place.Channel):
		p.log.Warn(doing, what, id, "error", err, "next", next,
			"guild", place.Guild, "channel", LoggedChannel(place), "missing", missing,
			"remedy", remedy(err))
	default:
		p.log.Debug(doing, what, id, "error", err, "next", next)
	}
	if countErr != nil && !errors.Is(countErr, storage.ErrFenced) {
		p.log.Error("counting a failure", what, id, "error", countErr)
		p.PauseOnStoreError(countErr)
	}
}

// missingAccess returns, for the log, what keeps the bot from posting in a
// channel. It is empty if the error has another cause.
func missingAccess(err error) string {
	switch {
	case discord.HasCode(err, discord.CodeUnknownChannel):
		return "the channel"
	case discord.Unreachable(err):
		return "the person: they take no direct messages from the bot"
	case discord.HasCode(err, discord.CodeMissingAccess):
		return "the permission View Channel, or the bot's membership"
	case discord.HasCode(err, discord.CodeMissingPermissions):
		return "a permission: View Channel, Send Messages, Send Messages in Threads or Attach Files"
	case discord.HasCode(err, discord.CodeArchivedThread, discord.CodeLockedThread):
		return "an open thread: it is archived and locked"
	}
	return ""
}

func remedy(err error) string {
	if discord.Unreachable(err) {
		return "the person has to allow direct messages from the bot; the match goes on when they use /board"
	}
	return "give the bot what is missing there, or have a player use /board with the match in another channel"
}

// maxChannelSet is the size at which a channelSet is emptied: it saves only lines in
// the log and attempts that fail.
const maxChannelSet = 10_000

// channelSet counts how often channels were added. The zero value is ready.
type channelSet struct {
	mu       sync.Mutex
	channels map[string]int
}

func (s *channelSet) add(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.channels[channel]; s.channels == nil || !known && len(s.channels) >= maxChannelSet {
		s.channels = map[string]int{}
	}
	s.channels[channel]++
	return s.channels[channel] == 1
}

func (s *channelSet) count(channel string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.channels[channel]
}

func (s *channelSet) remove(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.channels, channel)
}

// Unsaved reports whether an error means that the store cannot write for now.
func Unsaved(err error) bool {
	return errors.Is(err, storage.ErrDiskFull) || errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrReplaced) ||
		errors.Is(err, storage.ErrUnreachable) || errors.Is(err, storage.ErrNoTables)
}

// storePause is how long nothing is published when the store cannot write.
const storePause = time.Minute

// StoreWritable reports whether no recent write of the store has failed. Computers do
// not think while their turns cannot be recorded.
func (p *Publisher) StoreWritable() bool {
	until := p.pausedUntil.Load()
	if until == nil {
		return true
	}
	left := until.Sub(p.host.Now())
	return left <= 0 || left > storePause // then the clock has gone back
}

// PauseOnStoreError stops publishing for a while if an error means that the store
// cannot write. A further attempt could not be recorded either and would post again.
func (p *Publisher) PauseOnStoreError(err error) {
	if Unsaved(err) {
		until := p.host.Now().Add(storePause)
		p.pausedUntil.Store(&until)
	}
}
