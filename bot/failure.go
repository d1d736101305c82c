package bot

import (
	"context"
	"errors"
	"sync"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/storage"
)

// failure is what an error says of when to try again.
func failure(err error) host.Failure {
	return host.Failure{
		Blocked:    discord.Blocked(err) || discord.HasCode(err, discord.CodeTooManyOldEdits),
		RetryAfter: discord.RetryAfter(err),
	}
}

// boardFailed counts a failure and logs it.
func (p *poster) boardFailed(ctx context.Context, doing string, b storage.Board, err error) {
	next, countErr := p.host.BoardFailed(record(ctx), b, failure(err))
	p.failed(doing, "match", int64(b.Match), b.Place, err, next, countErr)
}

// challengeFailed counts a failure and logs it.
func (p *poster) challengeFailed(ctx context.Context, ch storage.Challenge, err error) {
	next, countErr := p.host.ChallengeFailed(record(ctx), ch, failure(err))
	p.failed("showing a challenge", "challenge", int64(ch.ID), ch.Place, err, next, countErr)
}

// failed logs a failure with the time of the next try. What is missing in a
// channel it says once, until the channel takes a post again.
func (p *poster) failed(doing, what string, id int64, place storage.Place, err error, next time.Time, countErr error) {
	missing := missingOf(err)
	switch {
	case missing == "":
		p.log.Warn(doing, what, id, "error", err, "next", next)
	case p.blocked.first(place.Channel):
		p.log.Warn(doing, what, id, "error", err, "next", next,
			"server", place.Guild, "channel", place.Channel, "missing", missing)
	default:
		p.log.Debug(doing, what, id, "error", err, "next", next)
	}
	if countErr != nil {
		p.log.Error("counting a failure", what, id, "error", countErr)
		p.disk.note(countErr, p.host.Now())
	}
}

// missingOf is what the bot lacks in a channel, for the log; empty where the
// error says nothing of that.
func missingOf(err error) string {
	switch {
	case discord.HasCode(err, discord.CodeUnknownChannel):
		return "the channel"
	case discord.HasCode(err, discord.CodeMissingAccess):
		return "the permission View Channel, or the bot's membership"
	case discord.HasCode(err, discord.CodeMissingPermissions):
		return "a permission: View Channel, Send Messages, Send Messages in Threads or Attach Files"
	case discord.HasCode(err, discord.CodeArchivedThread, discord.CodeLockedThread):
		return "an open thread: it is archived and locked"
	}
	return ""
}

// said is the channels of which something has been said. The zero value is
// ready.
type said struct {
	mu       sync.Mutex
	channels map[string]bool
}

// first reports whether nothing had been said of a channel yet.
func (s *said) first(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels == nil {
		s.channels = map[string]bool{}
	}
	was := s.channels[channel]
	s.channels[channel] = true
	return !was
}

func (s *said) clear(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.channels, channel)
}

// rest is a pause after the store could not record what Discord had done:
// every try would post once more what cannot be recorded. The zero value is
// ready.
type rest struct {
	mu    sync.Mutex
	until time.Time
}

// restFor is how long the reconciler rests when the store cannot write.
const restFor = time.Minute

// note looks at an error of the store.
func (r *rest) note(err error, now time.Time) {
	if unwritable(err) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.until = now.Add(restFor)
	}
}

// over reports whether there is no pause.
func (r *rest) over(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !now.Before(r.until)
}

// unwritable reports whether the store cannot write for now.
func unwritable(err error) bool {
	return errors.Is(err, storage.ErrDiskFull) || errors.Is(err, storage.ErrReadOnly)
}
