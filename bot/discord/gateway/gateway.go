package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

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
)

// Config configures a Gateway. Token, GetGateway, Handle and Logger are
// required.
type Config struct {
	Token   string // without the prefix "Bot"
	Intents discordgo.Intent

	// GetGateway asks Discord for the gateway's address and how many sessions
	// may be started (discord.Client.GetGateway).
	GetGateway func(context.Context) (discord.GatewayInfo, error)

	// Handle receives every event of the current session, as a pointer to
	// discordgo's type for it, in order and one at a time. In interactions in
	// threads, AppPermissions has discord.InThread, and
	// discord.PermissionSendMessages if the bot may send messages there; where no
	// thread can be started it has discord.NoThreads. It must not block:
	// until it returns, no event and no heartbeat is read. A panic in it is
	// logged and loses that event only.
	Handle func(event any)

	Logger *slog.Logger

	// NetDial connects to Discord; nil means net.Dialer.
	NetDial func(ctx context.Context, network, address string) (net.Conn, error)

	// Timer returns a channel that receives after a duration, and a function
	// that stops the timer; nil means time.NewTimer. It lets tests over a real
	// network skip waits.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
}

// Gateway keeps one shard connected. Use New.
type Gateway struct {
	config     Config
	log        *slog.Logger
	identified time.Time // when the last identify was sent; used by Run only

	mu             sync.Mutex
	current        *session // the session whose events are handed on
	resume         resumeState
	resumeFailures int // failed resumes in a row
	resumeTimeouts int // those of them that Discord did not answer
	acked          time.Time
	state          State
}

// resumeState is what is needed to resume a session.
type resumeState struct {
	sessionID string // empty if there is no session to resume
	address   string
	sequence  int64 // of the last event that was handed on
}

// Kind says how a session began.
type Kind string

// The kinds of sessions.
const (
	Identified Kind = "identified" // a new session
	Resumed    Kind = "resumed"    // the continuation of an earlier one
)

// State describes the connection.
type State struct {
	// Connected reports whether events arrive.
	Connected bool
	// Since is when the connection began or was lost; zero before the first.
	Since time.Time
	// Kind is how the current or last session began.
	Kind Kind
	// Connections counts the sessions that became ready; all but the first
	// are reconnects.
	Connections int
	// Failures counts lost connections and failed attempts since a session was
	// last ready.
	Failures int
	// AckAge is the time since a heartbeat was last acknowledged, or the
	// session became ready; zero while not connected.
	AckAge time.Duration
	// Reason is why the last connection ended or attempt failed; nil if none
	// has.
	Reason error
}

// New returns a Gateway that is not connected yet.
func New(c Config) *Gateway {
	if c.Timer == nil {
		c.Timer = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	return &Gateway{config: c, log: c.Logger}
}

// State returns the present state of the connection. It can be called at any
// time.
func (g *Gateway) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.state
	if s.Connected {
		s.AckAge = time.Since(g.acked)
	}
	return s
}

// Run connects, and reconnects whenever the connection is lost, until the
// context is done; it then ends the session in order and returns nil. It
// returns a *FatalError if Discord refuses the bot for good, and no other error.
// It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	for failures := 0; ; failures++ {
		err := g.connect(ctx)
		lasted, resume := g.disconnected(err)
		if ctx.Err() != nil {
			return nil
		}
		var fatal *FatalError
		if errors.As(err, &fatal) {
			g.log.Error("gateway: given up", "code", fatal.Code, "error", fatal.Err, "advice", fatal.Advice)
			return err
		}
		if lasted >= steadyAfter {
			failures = 0
		}
		wait := backoff(failures)
		var limit *startLimitError
		switch {
		case errors.Is(err, errInvalidSession), errors.Is(err, errInvalidResumable):
			wait = max(wait, invalidSessionDelay())
		case errors.As(err, &limit):
			wait = max(wait, limit.resetAfter)
		}
		g.log.Warn("gateway: not connected", "reason", err, "resume", resume, "failures", failures, "again_in", wait)
		if g.sleep(ctx, wait) != nil {
			return nil
		}
	}
}

// connect serves one session from dialling to its end and returns why it ended.
func (g *Gateway) connect(ctx context.Context) error {
	g.mu.Lock()
	resume, failures := g.resume, g.resumeFailures
	g.mu.Unlock()
	address := resume.address
	if resume.sessionID == "" || address == "" || failures >= maxResumeFailures {
		info, err := g.getGateway(ctx)
		if err != nil {
			return err
		}
		address = info.URL
		if resume.sessionID == "" && info.SessionStartLimit.Remaining <= 0 {
			return &startLimitError{info.SessionStartLimit.ResetAfter}
		}
	}
	if resume.sessionID == "" {
		if err := g.sleep(ctx, time.Until(g.identified.Add(identifyInterval))); err != nil {
			return err
		}
		g.identified = time.Now()
	}
	err := g.runSession(ctx, address, resume)
	if fatal := fatalError(err); fatal != nil {
		return fatal
	}
	return err
}

func (g *Gateway) getGateway(ctx context.Context) (discord.GatewayInfo, error) {
	ctx, cancel := g.withTimeout(ctx, openTimeout)
	defer cancel()
	info, err := g.config.GetGateway(ctx)
	var refused *discord.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		return info, &FatalError{Advice: advice[closeAuthenticationFailed], Err: err}
	case err != nil:
		return info, fmt.Errorf("asking for the gateway's address: %w", timeoutCause(ctx, err))
	}
	return info, nil
}

// disconnected records the end of an attempt. It returns how long the attempt
// was connected, and whether there is a session to resume. No event of the
// attempt's session is handed on any more.
func (g *Gateway) disconnected(why error) (lasted time.Duration, resume bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = nil
	s := &g.state
	s.Reason = why
	s.Failures++
	switch {
	case s.Connected:
		now := time.Now()
		lasted = now.Sub(s.Since)
		s.Connected, s.Since = false, now
	case g.resume.sessionID != "":
		g.resumeFailures++
		if errors.Is(why, errNotReady) {
			g.resumeTimeouts++
		}
	}
	if !resumable(why) || g.resumeTimeouts >= maxResumeTimeouts {
		g.resume, g.resumeFailures, g.resumeTimeouts = resumeState{}, 0, 0
	}
	return lasted, g.resume.sessionID != ""
}

func (g *Gateway) sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		expired, stop := g.config.Timer(d)
		defer stop()
		select {
		case <-expired:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// withTimeout derives a context that is cancelled with the cause errTimeout
// after a duration.
func (g *Gateway) withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	expired, stop := g.config.Timer(d)
	go func() {
		defer stop()
		select {
		case <-expired:
			cancel(errTimeout)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// timeoutCause replaces the error of an operation by errTimeout if that is why
// its context ended.
func timeoutCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errTimeout) {
		return cause
	}
	return err
}
