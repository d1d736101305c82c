package gateway

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"castellan/bot/discord"
)

const (
	// openTimeout bounds the request for the gateway's address, and then the
	// time from dialling until the session is ready.
	openTimeout = 20 * time.Second

	// maxResumeFailures is the number of failed resumes in a row after which the
	// address for resuming is given up. The session is kept, because it can be
	// resumed through the common address too.
	maxResumeFailures = 2

	// maxResumeTimeouts is the number of unanswered resumes in a row after which
	// the session is given up. Failed dials do not count: the session may still
	// exist when the network is back.
	maxResumeTimeouts = 3

	// minBackoff and maxBackoff bound the wait before a new attempt.
	minBackoff = time.Second
	maxBackoff = time.Minute

	// steadyAfter resets the backoff: the loss of a connection that lasted at
	// least as long counts as the first.
	steadyAfter = 30 * time.Second
)

// shard keeps one shard connected.
type shard struct {
	g   *Gateway
	id  int
	of  int // number of shards
	log *slog.Logger

	onReady func()      // called when a session has become ready
	valid   func() bool // see Assignment

	mu             sync.Mutex
	current        *session // the session whose events are handed on
	resume         Handover
	resumeFailures int // failed resumes in a row
	resumeTimeouts int // those of them that Discord did not answer
	acked          time.Time
	state          State
	drained        chan struct{} // see drain; nil before
}

func (g *Gateway) newShard(id, of int, a Assignment, onReady func()) *shard {
	log := g.log
	if of > 1 {
		log = log.With("shard", id, "shards", of)
	}
	valid := a.Valid
	if valid == nil {
		valid = func() bool { return true }
	}
	return &shard{g: g, id: id, of: of, log: log, onReady: onReady, valid: valid, resume: a.From}
}

// session returns what is needed to resume the session.
func (h *shard) session() Handover {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.resume
}

// snapshot returns the present state of the connection.
func (h *shard) snapshot() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.state
	if s.Connected {
		s.AckAge = h.g.config.Now().Sub(h.acked)
	}
	return s
}

// run connects, and reconnects whenever the connection is lost, until the
// context is done. It then ends the session and returns nil, unless the cause is
// ErrHandOver: the session can then be resumed from what it returns. It returns a
// *FatalError if Discord refuses the bot for good, and no other error.
func (h *shard) run(ctx context.Context) (Handover, error) {
	for failures := 0; ; failures++ {
		err := h.connect(ctx)
		lasted, resume := h.disconnected(err)
		if ctx.Err() != nil {
			break
		}
		var fatal *FatalError
		if errors.As(err, &fatal) {
			h.log.Error("gateway: given up", "code", fatal.Code, "error", fatal.Err, "advice", fatal.Advice)
			return Handover{}, err
		}
		if lasted >= steadyAfter {
			failures = 0
		}
		wait := retryDelay(failures, err)
		h.log.Warn("gateway: not connected", "reason", err, "resume", resume, "failures", failures, "again_in", wait)
		if h.g.config.Sleep(ctx, wait) != nil {
			break
		}
	}
	if !errors.Is(context.Cause(ctx), ErrHandOver) {
		return Handover{}, nil
	}
	return h.session(), nil
}

// connect serves one session from dialling to its end and returns why it ended.
func (h *shard) connect(ctx context.Context) error {
	h.mu.Lock()
	resume, failures := h.resume, h.resumeFailures
	h.mu.Unlock()
	address := resume.Address
	if resume.SessionID == "" || address == "" || failures >= maxResumeFailures {
		info, err := h.g.identifies.ask(ctx)
		if err != nil {
			return err
		}
		address = info.URL
	}
	var identify *permit
	if resume.SessionID == "" {
		var err error
		if identify, err = h.g.identifies.acquire(ctx, h.id); err != nil {
			return err
		}
		defer identify.release()
	}
	err := h.runSession(ctx, address, resume, identify)
	if fatal := fatalError(err); fatal != nil {
		return fatal
	}
	return err
}

// disconnected records the end of an attempt. It returns how long the attempt
// was connected, and whether there is a session to resume. No event of the
// attempt's session is handed on any more.
func (h *shard) disconnected(why error) (lasted time.Duration, resume bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.current = nil
	s := &h.state
	s.Reason = why
	s.Failures++
	switch {
	case s.Connected:
		now := h.g.config.Now()
		lasted = now.Sub(s.Since)
		s.Connected, s.Since = false, now
	case h.resume.SessionID != "":
		h.resumeFailures++
		if errors.Is(why, errNotReady) {
			h.resumeTimeouts++
		}
	}
	if !resumable(why) || h.resumeTimeouts >= maxResumeTimeouts {
		h.resume, h.resumeFailures, h.resumeTimeouts = Handover{}, 0, 0
	}
	return lasted, h.resume.SessionID != ""
}

// drain returns when every event that Discord had sent to the session is handed
// on. Discord sends events and acknowledgements in order, so that is so when a
// heartbeat is acknowledged that is sent now. A session that is not connected has
// to be resumed first, which sends the events that it missed.
func (h *shard) drain(ctx context.Context) {
	h.mu.Lock()
	h.drained = make(chan struct{})
	drained, current, connected := h.drained, h.current, h.state.Connected
	h.mu.Unlock()
	if connected {
		_ = current.sendHeartbeat(true) // if it fails, the session is resumed
	}
	select {
	case <-drained:
	case <-ctx.Done():
	}
}

// setDrained ends drain. The caller holds the lock.
func (h *shard) setDrained() {
	if h.drained != nil && !isClosed(h.drained) {
		close(h.drained)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// retryDelay returns the wait after a failure that follows others. The first loss
// after a steady connection is followed by an attempt at once; then the wait doubles.
// It is a random time between half of a delay and the whole, so that bots that lost
// their connections together do not reconnect together.
func retryDelay(failures int, err error) (wait time.Duration) {
	if failures > 0 {
		d := min(minBackoff<<min(failures-1, 6), maxBackoff)
		wait = between(d/2, d)
	}
	var limit *startLimitError
	switch {
	case errors.Is(err, errInvalidSession), errors.Is(err, errInvalidResumable):
		// Discord demands one to five seconds after opcode 9 ("Gateway", Resuming).
		wait = max(wait, between(time.Second, 5*time.Second))
	case errors.As(err, &limit):
		wait = max(wait, limit.resetAfter)
	}
	return wait
}

func between(least, most time.Duration) time.Duration { return least + rand.N(most-least+1) }

// shardOf returns the shard that gets a guild's events ("Sharding", Sharding
// Formula).
func shardOf(guild uint64, shards int) int { return int((guild >> 22) % uint64(shards)) }

// recommended returns the number of shards that Discord recommends.
func recommended(info discord.GatewayInfo) int { return max(info.Shards, 1) }
