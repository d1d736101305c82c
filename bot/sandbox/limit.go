package sandbox

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

// invalidPeriod is the period of the limit of invalid requests ("Invalid
// Request Limit"). Discord does not say how long a ban lasts.
const (
	invalidPeriod = 10 * time.Minute
	banPeriod     = time.Hour
)

type rate struct {
	limit  int
	period time.Duration
}

var defaultRate = rate{50, time.Second}

// rates are the limits of some routes for one channel, guild or webhook.
// Discord changes its own and does not document them; these are of their size.
var rates = map[string]rate{
	"POST " + channelPath + "/messages": {5, 5 * time.Second},
	"PATCH " + messagePath:              {5, 5 * time.Second},
	"GET " + channelPath + "/messages":  {5, 5 * time.Second},
	"DELETE " + messagePath:             {5, time.Second},
	"PATCH " + channelPath:              {5, 5 * time.Second},
	"POST " + messagePath + "/threads":  {10, 10 * time.Second},
	"POST " + channelPath + "/threads":  {10, 10 * time.Second},
	"POST " + webhookPath:               {5, 2 * time.Second},
	"PATCH " + originalPath:             {5, 2 * time.Second},
	"PATCH " + responsePath:             {5, 2 * time.Second},
}

// topLevel are the parameters of a path that have limits of their own ("Rate
// Limits").
var topLevel = []string{"channel_id", "guild_id", "webhook_id", "webhook_token", "interaction_token"}

// limiter counts requests as Discord does: for each route and top-level
// resource, in total, and those that were invalid.
type limiter struct {
	now    func() time.Time
	limits Limits

	mu      sync.Mutex
	quotas  map[string]*quota
	invalid quota
	banned  time.Time // end of the ban
}

type quota struct {
	rate
	end  time.Time
	used int
}

// bucket is the state of a quota for the headers of a response.
type bucket struct {
	limit, remaining int
	reset            time.Time
	after            time.Duration
}

// take counts a request, and reports false if the rate is exhausted.
func (w *quota) take(now time.Time) (bucket, bool) {
	if !now.Before(w.end) {
		w.end, w.used = now.Add(w.period), 0
	}
	w.used++
	return bucket{w.limit, max(w.limit-w.used, 0), w.end, w.end.Sub(now)}, w.used <= w.limit
}

// admitAddress returns the response of Cloudflare, which stands before Discord,
// while the address is banned.
func (l *limiter) admitAddress() (refusal *response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := l.banned.Sub(l.now()); wait > 0 {
		return &response{status: http.StatusTooManyRequests, retryAfter: wait, banned: true, page: proxyPage("Error 1015: you are being rate limited")}
	}
	return nil
}

// admit counts a request. It returns the state of its bucket and, if a limit is
// exceeded, the response. The routes of interactions have no global limit
// ("Global Rate Limit").
func (l *limiter) admit(c *call) (b *bucket, refusal *response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, rt := l.now(), c.route
	if !rt.public {
		if b, ok := l.quota("", rate{l.limits.PerSecond, time.Second}).take(now); !ok {
			return nil, limited(b.after, faults.ScopeGlobal)
		}
	}
	key := rt.method + " " + rt.template
	per, known := rates[key]
	if !known {
		per = defaultRate
	}
	if l.limits.PerRoute > 0 {
		per = rate{l.limits.PerRoute, time.Second}
	}
	for _, name := range topLevel {
		key += " " + c.param(name)
	}
	state, ok := l.quota(key, per).take(now)
	if !ok {
		return &state, limited(state.after, faults.ScopeUser)
	}
	return &state, nil
}

func limited(after time.Duration, scope string) *response {
	return &response{status: http.StatusTooManyRequests, scope: scope, retryAfter: after, body: &api.Error{
		Status: http.StatusTooManyRequests, Message: "You are being rate limited.", RetryAfter: after.Seconds(), Global: scope == faults.ScopeGlobal,
	}}
}

func (l *limiter) quota(key string, per rate) *quota {
	if len(l.quotas) > 10000 {
		for k, w := range l.quotas {
			if !l.now().Before(w.end) {
				delete(l.quotas, k)
			}
		}
	}
	if l.quotas[key] == nil {
		l.quotas[key] = &quota{rate: per}
	}
	return l.quotas[key]
}

// isInvalid reports whether a response counts towards the limit of invalid
// requests. Those of a ban do not.
func isInvalid(a response) bool {
	return slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}, a.status) && a.scope != faults.ScopeShared && !a.banned
}

func (l *limiter) countInvalid() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, _ := l.invalid.take(l.now()); b.remaining == 0 {
		l.banned = l.now().Add(banPeriod)
	}
}

// setRateLimit sets the headers of the page "Rate Limits". Without limits each
// route has one generous bucket that only a fault exhausts.
func (s *Sandbox) setRateLimit(h http.Header, ex *api.Exchange, a response) {
	if a.scope == "" {
		a.scope = faults.ScopeUser
	}
	if a.retryAfter == 0 {
		a.retryAfter = time.Second
	}
	limited := a.status == http.StatusTooManyRequests
	if limited { // whole seconds, rounded up
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.retryAfter.Seconds()))))
	}
	if a.page != "" || strings.HasSuffix(ex.Route, "/callback") && !limited {
		return // a proxy and callbacks have no buckets
	}
	if limited {
		h.Set("X-RateLimit-Scope", a.scope)
		if a.scope == faults.ScopeGlobal {
			h.Set("X-RateLimit-Global", "true")
			return
		}
	}
	b := a.bucket
	if b == nil {
		b = &bucket{limit: 50, remaining: 49, reset: s.rates().Add(a.retryAfter), after: a.retryAfter}
		if limited && a.scope == faults.ScopeUser {
			b.remaining = 0
		}
	}
	// The hash leaves out the top-level resource.
	hash := fnv.New64a()
	io.WriteString(hash, strings.TrimSpace(ex.Method+" "+ex.Route)) //nolint:errcheck // a hash does not fail
	h.Set("X-RateLimit-Limit", strconv.Itoa(b.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(b.remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(b.reset.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", b.after.Seconds()))
	h.Set("X-RateLimit-Bucket", strconv.FormatUint(hash.Sum64(), 16))
}
