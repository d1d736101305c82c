package sandbox

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"
)

// restAnswer is what is sent back to a request.
type restAnswer struct {
	status int
	body   any       // sent as JSON; nil: nothing is
	page   string    // sent as HTML in its place
	limit  rateLimit // of a 429
	cut    bool      // nothing is sent, and the connection closed
}

// rateLimit is what a 429 says.
type rateLimit struct {
	scope string
	after time.Duration
}

// refused is the answer to a request that failed.
func (s *Sandbox) errorAnswer(ex *Exchange, err error) restAnswer {
	var refusal *apiError
	if !errors.As(err, &refusal) {
		s.log.Error("request failed", "method", ex.Method, "route", ex.Route, "err", err)
		refusal = &apiError{status: 500, message: "500: Internal Server Error"}
	}
	s.log.Info("request refused", "method", ex.Method, "route", ex.Route, "status", refusal.status, "code", refusal.code)
	return restAnswer{status: refusal.status, body: refusal}
}

// claimRequest finds the fault that a request meets.
func (s *Sandbox) claimRequest(ex *Exchange) *Planned {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.claim(classRequest, func(f *Fault) bool {
		return (f.Method == "" || f.Method == ex.Method) && (f.Route == "" || f.Route == ex.Route) && (f.Match == nil || f.Match(*ex))
	})
}

// meet does to a request what the fault says. Not done: it goes on as if
// nothing had been.
func (p *Planned) apply(ctx context.Context, ex *Exchange) (a restAnswer, done bool) {
	ex.Fault = p.fault.Kind
	f := p.fault
	if f.Kind == FaultHold {
		if !p.waitForRelease(ctx) && !f.After {
			return restAnswer{cut: true}, true
		}
		return restAnswer{}, false
	}
	p.s.mu.Lock()
	p.hit()
	p.s.mu.Unlock()
	switch f.Kind {
	case FaultCut:
		a = restAnswer{cut: true}
	case FaultProxy:
		title := html.EscapeString(f.Message)
		a = restAnswer{status: f.Status, page: "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"}
	default: // FaultError, FaultRateLimit
		a = restAnswer{status: f.Status, body: &apiError{
			status: f.Status, code: f.Code, message: f.Message, retryAfter: f.RetryAfter.Seconds(), global: f.Scope == ScopeGlobal,
		}}
	}
	a.limit = rateLimit{f.Scope, f.RetryAfter}
	return a, true
}

// await holds a request until it is released. False: the client went away.
func (p *Planned) waitForRelease(ctx context.Context) bool {
	free := make(chan struct{})
	p.s.mu.Lock()
	h := p.hold(func() { close(free) })
	p.hit()
	p.s.mu.Unlock()
	select {
	case <-free:
		return true
	case <-ctx.Done():
		p.s.mu.Lock()
		p.drop(h)
		p.s.mu.Unlock()
		return false
	}
}

// rateHeaders writes the headers of "Rate Limits": one generous bucket for
// each route, never exhausted but by a fault. What stands in front of Discord
// knows no buckets.
func (s *Sandbox) rateHeaders(h http.Header, route string, a restAnswer) {
	limit := a.limit
	if limit.scope == "" {
		limit.scope = ScopeUser
	}
	if limit.after == 0 {
		limit.after = time.Second
	}
	limited := a.status == http.StatusTooManyRequests
	if limited { // whole seconds, rounded up
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(limit.after.Seconds()))))
	}
	if a.page != "" {
		return
	}
	if limited {
		h.Set("X-RateLimit-Scope", limit.scope)
		if limit.scope == ScopeGlobal {
			h.Set("X-RateLimit-Global", "true")
			return
		}
	}
	const most = 50
	remaining := most - 1
	if limited && limit.scope == ScopeUser {
		remaining = 0
	}
	sum := fnv.New64a()
	io.WriteString(sum, route) //nolint:errcheck // a hash does not fail
	h.Set("X-RateLimit-Limit", strconv.Itoa(most))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(s.now().Add(limit.after).UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", limit.after.Seconds()))
	h.Set("X-RateLimit-Bucket", strconv.FormatUint(sum.Sum64(), 16))
}
