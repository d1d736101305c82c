package rest

import (
	"context"
	"errors"
	"html"
	"strings"
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
	banned     bool // the address is banned
	bucket     *bucket
}

// page returns a page of a proxy.
func page(title string) string {
	title = html.EscapeString(title)
	return "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"
}

// errorResponse returns the response to a request that failed.
func (s *API) errorResponse(ex *fault.Exchange, err error) response {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		s.Log.Error("request failed", "method", ex.Method, "route", ex.Route, "err", err)
		refusal = &api.Error{Status: 500, Message: "500: Internal Server Error"}
	}
	if refusal.Lacks != 0 {
		s.Log.Warn("the bot lacks permissions", "method", ex.Method, "route", ex.Route, "missing", strings.Join(api.PermissionNames(refusal.Lacks), " "))
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
		a.page = page(f.Message)
	default: // fault.Error, fault.RateLimit
		a.body = &api.Error{
			Status: f.Status, Code: f.Code, Message: f.Message, RetryAfter: f.RetryAfter.Seconds(), Global: f.Scope == fault.ScopeGlobal,
		}
	}
	a.status, a.scope, a.retryAfter = f.Status, f.Scope, f.RetryAfter
	return a, true
}
