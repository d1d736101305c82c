package rest

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

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/fault"
)

// response is the response to a request.
type response struct {
	status     int
	body       any    // sent as JSON unless nil
	page       string // sent as HTML instead of body
	scope      string // of a 429
	retryAfter time.Duration
	cut        bool // close the connection without a response
}

// errorResponse returns the response to a request that failed.
func (s *API) errorResponse(ex *fault.Exchange, err error) response {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		s.Log.Error("request failed", "method", ex.Method, "route", ex.Route, "err", err)
		refusal = &api.Error{Status: 500, Message: "500: Internal Server Error"}
	}
	s.Log.Info("request refused", "method", ex.Method, "route", ex.Route, "status", refusal.Status, "code", refusal.Code)
	return response{status: refusal.Status, body: refusal}
}

// claimFault returns the fault that a request meets, nil if there is none.
func (s *API) claimFault(ex *fault.Exchange) *fault.Planned {
	s.Lock()
	defer s.Unlock()
	return s.Plan.Claim(fault.ClassRequest, func(f *fault.Fault) bool {
		return (f.Method == "" || f.Method == ex.Method) && (f.Route == "" || f.Route == ex.Route) && (f.Match == nil || f.Match(*ex))
	})
}

// applyFault applies a fault to a request. If done is false, the request is
// handled as usual.
func (s *API) applyFault(ctx context.Context, p *fault.Planned, ex *fault.Exchange) (a response, done bool) {
	f := p.Fault()
	ex.Fault = f.Kind
	if f.Kind == fault.Hold {
		if !s.Plan.Wait(ctx, p) && !f.After {
			return response{cut: true}, true
		}
		return response{}, false
	}
	s.Lock()
	s.Plan.Hit(p)
	s.Unlock()
	switch f.Kind {
	case fault.Cut:
		return response{cut: true}, true
	case fault.Proxy:
		title := html.EscapeString(f.Message)
		a.page = "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"
	default: // fault.Error, fault.RateLimit
		a.body = &api.Error{
			Status: f.Status, Code: f.Code, Message: f.Message, RetryAfter: f.RetryAfter.Seconds(), Global: f.Scope == fault.ScopeGlobal,
		}
	}
	a.status, a.scope, a.retryAfter = f.Status, f.Scope, f.RetryAfter
	return a, true
}

// setRateLimit sets the headers of the page "Rate Limits". Each route has one
// generous bucket that only a fault exhausts. Responses of a proxy have no bucket.
func (s *API) setRateLimit(h http.Header, route string, a response) {
	if a.scope == "" {
		a.scope = fault.ScopeUser
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
		if a.scope == fault.ScopeGlobal {
			h.Set("X-RateLimit-Global", "true")
			return
		}
	}
	const limit = 50
	remaining := limit - 1
	if limited && a.scope == fault.ScopeUser {
		remaining = 0
	}
	bucket := fnv.New64a()
	io.WriteString(bucket, route) //nolint:errcheck // a hash does not fail
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(s.Now().Add(a.retryAfter).UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", a.retryAfter.Seconds()))
	h.Set("X-RateLimit-Bucket", strconv.FormatUint(bucket.Sum64(), 16))
}
