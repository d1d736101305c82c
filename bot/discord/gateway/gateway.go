package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord"
)

// openWithin bounds the time from dialling until a session is ready.
const openWithin = 20 * time.Second

const (
	// maxAstray is after how many failures in a row the address at which
	// Discord wanted the session resumed is given up.
	maxAstray = 2
	// maxUnheard is after how many resumes in a row to which Discord said
	// nothing the session is given up. Dials that fail do not count: the
	// session may well be there when the network is.
	maxUnheard = 3

	notReady time.Duration = -1
)

// Config is what a Gateway is made of. Token, Find, Handle and Logger are
// needed.
type Config struct {
	Token   string // without the word Bot
	Intents discordgo.Intent

	// Find asks Discord where its gateway is and how many sessions may be
	// started (discord.Client.Gateway).
	GetGateway func(context.Context) (discord.GatewayInfo, error)
	// Handle is given every event of the current session, as a pointer to
	// discordgo's type for it, in order and never two at a time. It must not
	// wait: no event comes until it returns, and no heartbeat is read. A panic
	// of it is logged and loses that event alone.
	Handle func(event any)
	Logger *slog.Logger

	// Now is the clock; time.Now where nil.
	Now func() time.Time
	// Timer gives a channel that receives after a time, and a function that
	// releases it; time.NewTimer where nil.
	Timer func(time.Duration) (c <-chan time.Time, stop func())
	// Seed is that of the random part of waits, so that bots which lost their
	// connections together do not come back together.
	Seed uint64
}

// Gateway keeps one shard connected. Use New.
type Gateway struct {
	config Config
	log    *slog.Logger
	random *rand.Rand // of Run alone

	identified time.Time // when the last identify was sent; of Run alone

	mu      sync.Mutex
	current *life // whose events count
	at      point // where a session can be taken up
	astray  int   // attempts in a row to do so that failed
	unheard int   // those of them to which Discord said nothing in time
	acked   time.Time
	lasted  time.Duration // for how long this attempt was connected; notReady if it was not
	state   State
}

// New is a Gateway that is not connected yet.
func New(c Config) *Gateway {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timer == nil {
		c.Timer = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	return &Gateway{config: c, log: c.Logger, random: rand.New(rand.NewPCG(c.Seed, 0))}
}

// Run connects, and connects again whenever the connection is lost, until the
// context is done; it then ends the session in order and returns nil. It
// returns a *FatalError where Discord will not have the bot, and no other
// error. It is called once.
func (g *Gateway) Run(ctx context.Context) error {
	for failures := 0; ; failures++ {
		wait, err := g.attempt(ctx)
		if ctx.Err() != nil {
			return nil
		}
		var final *FatalError
		if errors.As(err, &final) {
			g.log.Error("gateway: given up", "code", final.Code, "error", final.Err, "advice", final.Advice)
			return err
		}
		if g.steady() {
			failures = 0
		}
		wait = max(wait, delay(failures, g.random))
		g.log.Warn("gateway: not connected", "reason", err, "resume", g.resumes(), "failures", failures, "again_in", wait)
		if !g.pause(ctx, wait) {
			return nil
		}
	}
}

// steady reports whether the attempt that has ended was connected for long.
func (g *Gateway) steady() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lasted >= steadyAfter
}

// resumes reports whether there is a session to take up.
func (g *Gateway) resumes() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at.session != ""
}

// pause waits, and reports false when the context is done.
func (g *Gateway) pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	after, release := g.config.Timer(d)
	defer release()
	select {
	case <-after:
		return true
	case <-ctx.Done():
		return false
	}
}

// attempt serves one session from dialling to its end, and says why it ended
// and how long to wait at least before the next.
func (g *Gateway) attempt(ctx context.Context) (wait time.Duration, why error) {
	g.mu.Lock()
	at, astray := g.at, g.astray
	g.lasted = notReady
	g.mu.Unlock()
	address := at.address
	// The common address is good for a resume too.
	if at.session == "" || address == "" || astray >= maxAstray {
		found, err := g.find(ctx)
		if err != nil {
			return g.failed(0, err)
		}
		address = found.URL
		if at.session == "" && found.SessionStartLimit.Remaining <= 0 {
			return g.failed(found.SessionStartLimit.ResetAfter, errNoMoreStarts)
		}
	}
	if at.session == "" {
		if !g.identified.IsZero() && !g.pause(ctx, identifyEvery-g.config.Now().Sub(g.identified)) {
			return 0, errStopped
		}
		g.identified = g.config.Now()
	}
	why = g.live(ctx, address, at)
	if why := fatal(why); why != nil {
		return g.failed(0, why)
	}
	if errors.Is(why, errInvalid) || errors.Is(why, errInvalidNow) {
		wait = invalidDelay(g.random)
	}
	return g.failed(wait, why)
}

// failed notes why there is no connection.
func (g *Gateway) failed(wait time.Duration, why error) (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state.Reason = why
	g.state.Failures++
	if g.at.session != "" && g.lasted == notReady {
		g.astray++
		if errors.Is(why, errNotOpened) {
			g.unheard++
		}
	}
	if !resumable(why) || g.unheard >= maxUnheard {
		g.at, g.astray, g.unheard = point{}, 0, 0
	}
	return wait, why
}

// find asks where the gateway is, for at most openWithin.
func (g *Gateway) find(ctx context.Context) (discord.GatewayInfo, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	overdue, release := g.config.Timer(openWithin)
	defer release()
	type answer struct {
		found discord.GatewayInfo
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		found, err := g.config.GetGateway(ctx)
		answered <- answer{found, err}
	}()
	select {
	case a := <-answered:
		var refused *discord.Error
		if errors.As(a.err, &refused) && refused.Status == http.StatusUnauthorized {
			return a.found, &FatalError{Advice: advice[closeBadToken], Err: a.err}
		}
		if a.err != nil {
			return a.found, fmt.Errorf("asking where the gateway is: %w", a.err)
		}
		return a.found, nil
	case <-overdue:
		return discord.GatewayInfo{}, fmt.Errorf("asking where the gateway is: no answer within %v", openWithin)
	case <-ctx.Done():
		return discord.GatewayInfo{}, errStopped
	}
}
