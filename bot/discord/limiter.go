package discord

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// initialLimit is how many requests may be in flight in a bucket before the
	// first answer tells its limit.
	initialLimit = 3

	// DefaultGlobalLimit is the number of requests per second that Discord allows
	// a bot. Discord can raise it for large bots, and reports the limit only when
	// it is exceeded (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit).
	DefaultGlobalLimit = 50
	// globalWindow is the second of the global limit with a margin, because
	// requests can arrive closer together than they were sent.
	globalWindow = 1100 * time.Millisecond

	// maxIdleBuckets is how many buckets are kept before idle ones are dropped.
	maxIdleBuckets = 1000

	// maxRetryAfter bounds the waits that Discord asks for.
	maxRetryAfter = 24 * time.Hour
)

// limiter keeps requests within Discord's rate limits
// (https://docs.discord.com/developers/topics/rate-limits). Only the global limit
// is known beforehand; the headers of the answers tell the others. If the global
// limit makes requests wait, those in the background go last.
//
// A route has a bucket for each of its major parameters (channel or guild), and
// routes whose answers name the same bucket share it. The requests of a bucket
// are sent in the order in which they came; several may be in flight.
type limiter struct {
	mu          sync.Mutex
	globalReset time.Time          // until when the whole bot has to wait
	sent        []time.Time        // when the last requests were sent, as many as the global limit
	oldest      int                // index in sent
	urgent      int                // requests that wait for the global limit and are not in the background
	calm        chan struct{}      // closed when urgent becomes 0
	share       *share             // nil if no other process uses the token
	heard       func(invalid int)  // told how many requests of others were invalid
	names       map[string]string  // Discord's name of a route's bucket
	buckets     map[string]*bucket // by name (or route) and major parameter
}

// bucket is the known state of one rate limit. The limiter's mu guards its fields.
type bucket struct {
	limit     int // requests per window
	remaining int // requests left in this window, less those in flight
	inFlight  int
	waiting   int
	reset     time.Time     // when the window ends
	queue     chan struct{} // holds one token, which the first in the queue takes
	changed   chan struct{} // closed when a request has been released
}

// permit allows one request.
type permit struct {
	route, major string
	bucket       *bucket
	background   bool
	urgent       bool // counted in limiter.urgent
}

func newLimiter() *limiter {
	return &limiter{sent: make([]time.Time, DefaultGlobalLimit), names: map[string]string{}, buckets: map[string]*bucket{}, calm: make(chan struct{})}
}

// acquire waits until a request may be sent. If the limits do not allow it before
// the context's deadline, it fails at once with an *Error that says how long to
// wait.
func (l *limiter) acquire(ctx context.Context, method, path string) (*permit, error) {
	p := &permit{route: routeTemplate(method, path), major: majorParameter(path), background: isBackground(ctx)}
	l.mu.Lock()
	b := l.bucket(p.route, p.major)
	b.waiting++
	l.mu.Unlock()
	p.bucket = b
	defer func() {
		l.mu.Lock()
		b.waiting--
		l.setUrgent(p, false)
		l.mu.Unlock()
	}()
	select {
	case <-b.queue:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { b.queue <- struct{}{} }()
	for {
		until, changed, ok := l.tryAcquire(p)
		if ok {
			return p, nil
		}
		if err := waitUntil(ctx, until, changed); err != nil {
			return nil, err
		}
	}
}

// waitUntil waits until a time or until changed is closed, whichever is earlier.
// With the zero time, only changed ends the wait. It fails at once if the time
// is after the context's deadline.
func waitUntil(ctx context.Context, until time.Time, changed <-chan struct{}) error {
	var expired <-chan time.Time
	if !until.IsZero() {
		left := time.Until(until)
		if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
			return &Error{Status: http.StatusTooManyRequests, Message: "a rate limit", RetryAfter: left, unsent: true}
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-expired:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// tryAcquire counts a request as in flight if the limits allow it. Otherwise it
// returns the arguments for waitUntil.
func (l *limiter) tryAcquire(p *permit) (until time.Time, changed <-chan struct{}, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, b := time.Now(), p.bucket
	if now.Before(l.globalReset) {
		return l.globalReset, b.changed, false
	}
	if !now.Before(b.reset) { // a new window
		b.remaining = b.limit - b.inFlight
		b.reset = time.Time{}
	}
	if b.remaining <= 0 {
		l.setUrgent(p, false)
		return b.reset, b.changed, false
	}
	free, changed := l.globalFree(now)
	held := changed != nil || now.Before(free)
	l.setUrgent(p, held && !p.background)
	switch {
	case p.background && l.urgent > 0:
		return time.Time{}, l.calm, false
	case held:
		return free, changed, false
	}
	b.remaining--
	b.inFlight++
	l.sent[l.oldest] = now
	l.oldest = (l.oldest + 1) % len(l.sent)
	return time.Time{}, nil, true
}

// setUrgent records whether a request that is not in the background waits for
// the global limit alone.
func (l *limiter) setUrgent(p *permit, urgent bool) {
	switch {
	case urgent && !p.urgent:
		l.urgent++
	case !urgent && p.urgent:
		if l.urgent--; l.urgent == 0 {
			close(l.calm)
			l.calm = make(chan struct{})
		}
	}
	p.urgent = urgent
}

// pause sends no request that counts towards the global limit for a while.
func (l *limiter) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.globalReset = latest(l.globalReset, time.Now().Add(min(d, maxRetryAfter)))
}

// release counts a request as answered and records what the answer says about
// limits. The header is nil if there was no answer, and the permit if the
// request needed none.
func (l *limiter) release(p *permit, h http.Header, refused *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	limited := refused != nil && refused.Status == http.StatusTooManyRequests && refused.Code != CodeTooManyOldEdits
	if limited && refused.Global {
		l.globalReset = latest(l.globalReset, now.Add(refused.RetryAfter))
		l.reportPause()
	}
	if p == nil {
		return
	}
	b := p.bucket
	b.inFlight--
	l.rename(p, h.Get("X-RateLimit-Bucket"))
	if limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit")); err == nil && limit > 0 {
		b.limit = limit
	}
	remaining, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if after, ok := parseSeconds(h.Get("X-RateLimit-Reset-After")); ok && err == nil {
		remaining -= b.inFlight // Discord may have counted those already or not
		if reset := now.Add(after); b.reset.IsZero() || now.After(b.reset) {
			b.remaining, b.reset = remaining, reset
		} else { // within a window, the answer with the lower count is the later one
			b.remaining, b.reset = min(b.remaining, remaining), latest(b.reset, reset)
		}
	}
	if limited && !refused.Global {
		b.remaining, b.reset = 0, latest(b.reset, now.Add(refused.RetryAfter))
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

func (l *limiter) rename(p *permit, name string) {
	if name == "" || l.names[p.route] == name {
		return
	}
	l.names[p.route] = name
	if key := name + " " + p.major; l.buckets[key] == nil {
		l.buckets[key] = p.bucket
	}
	delete(l.buckets, p.route+" "+p.major)
}

func (l *limiter) bucket(route, major string) *bucket {
	name := route
	if known, ok := l.names[route]; ok {
		name = known
	}
	key := name + " " + major
	b := l.buckets[key]
	if b == nil {
		l.evictIdle()
		b = &bucket{limit: initialLimit, remaining: initialLimit, queue: make(chan struct{}, 1), changed: make(chan struct{})}
		b.queue <- struct{}{}
		l.buckets[key] = b
	}
	return b
}

// evictIdle drops the buckets without requests whose window has ended, if there
// are many buckets.
func (l *limiter) evictIdle() {
	if len(l.buckets) < maxIdleBuckets {
		return
	}
	now := time.Now()
	for key, b := range l.buckets {
		if b.waiting == 0 && b.inFlight == 0 && !now.Before(b.reset) {
			delete(l.buckets, key)
		}
	}
}

// majorParameter returns the channel or guild in a path, by which Discord
// counts requests apart, or "".
func majorParameter(path string) string {
	parts := segments(path)
	if len(parts) > 2 && (parts[1] == "channels" || parts[1] == "guilds") {
		return parts[2]
	}
	return ""
}

// parseRateLimit returns how long a 429 asks to wait, and whether it applies to
// the whole bot. An answer without JSON comes from a proxy before Discord and
// applies to the address, and so to everything
// (https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit).
func parseRateLimit(h http.Header, body []byte) (after time.Duration, global bool) {
	var answer struct {
		Message    *string  `json:"message"`
		RetryAfter *float64 `json:"retry_after"`
		Global     bool     `json:"global"`
	}
	proxy := json.Unmarshal(body, &answer) != nil || answer.Message == nil
	global = proxy || answer.Global || h.Get("X-RateLimit-Global") == "true" || h.Get("X-RateLimit-Scope") == "global"
	if answer.RetryAfter != nil {
		return seconds(*answer.RetryAfter), global
	}
	after, _ = parseSeconds(h.Get("Retry-After"))
	return after, global
}

func parseSeconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return seconds(n), true
}

// seconds converts a number of seconds, between 0 and maxRetryAfter.
func seconds(n float64) time.Duration {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return time.Duration(min(n, maxRetryAfter.Seconds()) * float64(time.Second))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// background marks a context; see InBackground.
type background struct{}

// InBackground returns a context for requests that nobody waits for. They let
// other requests go first, and are the first to be given up.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

func isBackground(ctx context.Context) bool { return ctx.Value(background{}) != nil }
