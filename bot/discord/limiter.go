package discord

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limiter keeps requests within the rate limits that Discord tells
// (https://docs.discord.com/developers/topics/rate-limits). Nothing is known
// of a limit beforehand: what the headers of the answers say is what holds.
//
// A route has its bucket for each of its top-level resources, the channel.
// Routes whose answers name the same bucket share it. Requests of one bucket
// go in the order in which they came; several may be under way.
type limiter struct {
	mu      sync.Mutex
	all     time.Time          // until when the whole bot has to wait
	names   map[string]string  // by route: Discord's name of its bucket
	buckets map[string]*bucket // by name, or route, and resource
}

// bucket is what is known of one limit. Its fields belong to the limiter's mu.
type bucket struct {
	limit     int // requests in a window
	remaining int // of them, in this window, without those that are under way
	underWay  int
	waiting   int
	reset     time.Time     // when the window ends
	turn      chan struct{} // holds one token, which the first in the queue takes
	changed   chan struct{} // closed when something has been released
}

// ticket is the permission for one request. The zero value is that of a
// request which waits for no limit.
type ticket struct {
	route, resource string
	bucket          *bucket
}

// atFirst is how many requests may be under way in a bucket of which nothing
// is known yet.
const atFirst = 3

// manyBuckets is how many buckets are kept before those are dropped that hold
// nothing any more.
const manyBuckets = 1000

func newLimiter() *limiter {
	return &limiter{names: map[string]string{}, buckets: map[string]*bucket{}}
}

// acquire waits until a request may be sent. Where it could not be within the
// context's deadline it fails at once with an *Error that says how long to
// wait.
func (l *limiter) acquire(ctx context.Context, method, path string) (*ticket, error) {
	t := &ticket{}
	t.route, t.resource = limitedBy(method, path)
	l.mu.Lock()
	b := l.bucket(t.route, t.resource)
	b.waiting++
	l.mu.Unlock()
	t.bucket = b
	defer func() {
		l.mu.Lock()
		b.waiting--
		l.mu.Unlock()
	}()
	select {
	case <-b.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { b.turn <- struct{}{} }()
	for {
		until, changed, free := l.take(b)
		if free {
			return t, nil
		}
		if err := l.pause(ctx, until, changed); err != nil {
			return nil, err
		}
	}
}

// pause waits until a time, or without end where that is zero, or for a change
// before. It fails at once where the time is beyond the context's deadline.
func (l *limiter) pause(ctx context.Context, until time.Time, changed <-chan struct{}) error {
	var alarm <-chan time.Time
	if !until.IsZero() {
		left := time.Until(until)
		if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
			return &Error{Status: http.StatusTooManyRequests, RetryAfter: left, unsent: true}
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case <-alarm:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// take counts a request as under way where the limits let it pass; otherwise
// it says until when to wait, the zero time where only another request's
// answer can help, and what tells of a change before.
func (l *limiter) take(b *bucket) (until time.Time, changed <-chan struct{}, free bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.all) {
		return l.all, b.changed, false
	}
	if !now.Before(b.reset) { // a new window
		b.remaining = b.limit - b.underWay
		b.reset = time.Time{}
	}
	if b.remaining > 0 {
		b.remaining--
		b.underWay++
		return time.Time{}, nil, true
	}
	return b.reset, b.changed, false
}

// release counts a request as answered, and notes what the answer says of the
// limits; the header is nil where no answer came.
func (l *limiter) release(t *ticket, h http.Header, refused *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	limited := refused != nil && refused.Status == http.StatusTooManyRequests && refused.Code != CodeTooManyOldEdits
	if limited && refused.Global {
		l.all = latest(l.all, now.Add(refused.RetryAfter))
	}
	b := t.bucket
	if b == nil {
		return
	}
	b.underWay--
	l.rename(t, h.Get("X-RateLimit-Bucket"))
	limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	if err == nil && limit > 0 {
		b.limit = limit
	}
	left, errLeft := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	after, ok := seconds(h.Get("X-RateLimit-Reset-After"))
	if errLeft == nil && ok {
		// Those under way may be counted there already or not yet.
		left -= b.underWay
		if ends := now.Add(after); b.reset.IsZero() || now.After(b.reset) {
			b.remaining, b.reset = left, ends
		} else { // of two answers of one window the lower count is the later
			b.remaining, b.reset = min(b.remaining, left), latest(b.reset, ends)
		}
	}
	if limited && !refused.Global {
		b.remaining, b.reset = 0, latest(b.reset, now.Add(refused.RetryAfter))
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// rename notes Discord's name of the bucket of a route.
func (l *limiter) rename(t *ticket, name string) {
	if name == "" || l.names[t.route] == name {
		return
	}
	l.names[t.route] = name
	if key := name + " " + t.resource; l.buckets[key] == nil {
		l.buckets[key] = t.bucket
	}
	delete(l.buckets, t.route+" "+t.resource)
}

// bucket is the bucket of a route and resource.
func (l *limiter) bucket(route, resource string) *bucket {
	name := route
	if known, ok := l.names[route]; ok {
		name = known
	}
	key := name + " " + resource
	b := l.buckets[key]
	if b == nil {
		l.tidy()
		b = &bucket{limit: atFirst, remaining: atFirst, turn: make(chan struct{}, 1), changed: make(chan struct{})}
		b.turn <- struct{}{}
		l.buckets[key] = b
	}
	return b
}

// tidy drops the buckets that hold nothing: nobody waits, nothing is under
// way, and the window has ended.
func (l *limiter) tidy() {
	if len(l.buckets) < manyBuckets {
		return
	}
	now := time.Now()
	for key, b := range l.buckets {
		if b.waiting == 0 && b.underWay == 0 && !now.Before(b.reset) {
			delete(l.buckets, key)
		}
	}
}

// limitedBy is the route of a request, with its identifiers left out, and the
// top-level resource that Discord counts it by.
func limitedBy(method, path string) (route, resource string) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if i > 1 && p != "" && p[0] >= '0' && p[0] <= '9' {
			if i == 2 && (parts[1] == "channels" || parts[1] == "guilds" || parts[1] == "webhooks") {
				resource = p
			}
			parts[i] = "{}"
		}
	}
	return method + " " + strings.Join(parts, "/"), resource
}

// limitOf is what a 429 asks for. One without JSON comes from a proxy before
// Discord and holds for the address: for everything.
// https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit
func limitOf(h http.Header, body []byte) (after time.Duration, global bool) {
	var answer struct {
		Message    *string  `json:"message"`
		RetryAfter *float64 `json:"retry_after"`
		Global     bool     `json:"global"`
	}
	proxy := json.Unmarshal(body, &answer) != nil || answer.Message == nil
	global = proxy || answer.Global || h.Get("X-RateLimit-Global") == "true" || h.Get("X-RateLimit-Scope") == "global"
	if answer.RetryAfter != nil {
		return inSeconds(*answer.RetryAfter), global
	}
	after, _ = seconds(h.Get("Retry-After"))
	return after, global
}

// longest is the longest wait that is believed.
const longest = 24 * time.Hour

func seconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return inSeconds(n), true
}

func inSeconds(n float64) time.Duration {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return time.Duration(min(n, longest.Seconds()) * float64(time.Second))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
