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

// restAnswer is the response to a request.
type restAnswer struct {
	status     int
	body       any    // sent as JSON unless nil
	page       string // sent as HTML instead of body
	scope      string // of a 429
	retryAfter time.Duration
	cut        bool // close the connection without a response
}

// errorAnswer returns the response to a request that failed.
func (s *restAPI) errorAnswer(ex *Exchange, err error) restAnswer {
	var refusal *apiError
	if !errors.As(err, &refusal) {
		s.log.Error("request failed", "method", ex.Method, "route", ex.Route, "err", err)
		refusal = &apiError{status: 500, message: "500: Internal Server Error"}
	}
	s.log.Info("request refused", "method", ex.Method, "route", ex.Route, "status", refusal.status, "code", refusal.code)
	return restAnswer{status: refusal.status, body: refusal}
}

// claimFault returns the fault that a request meets, nil if there is none.
func (s *restAPI) claimFault(ex *Exchange) *Planned {
	s.Lock()
	defer s.Unlock()
	return s.plan.claim(classRequest, func(f *Fault) bool {
		return (f.Method == "" || f.Method == ex.Method) && (f.Route == "" || f.Route == ex.Route) && (f.Match == nil || f.Match(*ex))
	})
}

// applyFault does to a request what the fault says. If done is false, the
// request goes on as usual.
func (s *restAPI) applyFault(ctx context.Context, p *Planned, ex *Exchange) (a restAnswer, done bool) {
	f := p.Fault()
	ex.Fault = f.Kind
	if f.Kind == FaultHold {
		if !p.waitForRelease(ctx) && !f.After {
			return restAnswer{cut: true}, true
		}
		return restAnswer{}, false
	}
	s.Lock()
	p.hit()
	s.Unlock()
	switch f.Kind {
	case FaultCut:
		return restAnswer{cut: true}, true
	case FaultProxy:
		title := html.EscapeString(f.Message)
		a.page = "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"
	default: // FaultError, FaultRateLimit
		a.body = &apiError{
			status: f.Status, code: f.Code, message: f.Message, retryAfter: f.RetryAfter.Seconds(), global: f.Scope == ScopeGlobal,
		}
	}
	a.status, a.scope, a.retryAfter = f.Status, f.Scope, f.RetryAfter
	return a, true
}

// setRateLimit sets the headers of the page "Rate Limits". Each route has one
// generous bucket that only a fault exhausts. A proxy's answer has no bucket.
func (s *restAPI) setRateLimit(h http.Header, route string, a restAnswer) {
	if a.scope == "" {
		a.scope = ScopeUser
	}
	if a.retryAfter == 0 {
		a.retryAfter = time.Second
	}
	limited := a.status == http.StatusTooManyRequests
	if limited { // whole seconds, rounded up
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(a.retryAfter.Seconds()))))
	}
	if a.page != "" {
		return
	}
	if limited {
		h.Set("X-RateLimit-Scope", a.scope)
		if a.scope == ScopeGlobal {
			h.Set("X-RateLimit-Global", "true")
			return
		}
	}
	const limit = 50
	remaining := limit - 1
	if limited && a.scope == ScopeUser {
		remaining = 0
	}
	bucket := fnv.New64a()
	io.WriteString(bucket, route) //nolint:errcheck // a hash does not fail
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(s.now().Add(a.retryAfter).UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", a.retryAfter.Seconds()))
	h.Set("X-RateLimit-Bucket", strconv.FormatUint(bucket.Sum64(), 16))
}
