package sandbox

import (
	"context"
	"errors"
	"html"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

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

func proxyPage(title string) string {
	title = html.EscapeString(title)
	return "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1></body></html>\n"
}

func (s *Sandbox) errorResponse(ex *api.Exchange, err error) response {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		s.o.Logger.Error("request failed", "method", ex.Method, "route", ex.Route, "err", err)
		refusal = &api.Error{Status: 500, Message: "500: Internal Server Error"}
	}
	if refusal.Lacks != 0 {
		s.o.Logger.Warn("the bot lacks permissions", "method", ex.Method, "route", ex.Route, "missing", strings.Join(api.PermissionNames(refusal.Lacks), " "))
	}
	s.o.Logger.Info("request refused", "method", ex.Method, "route", ex.Route, "status", refusal.Status, "code", refusal.Code)
	return response{status: refusal.Status, body: refusal}
}

func (s *Sandbox) claimFault(ex *api.Exchange) *faults.Planned {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plan.Claim(faults.ClassRequest, func(f *faults.Fault) bool {
		return (f.Method == "" || f.Method == ex.Method) && (f.Route == "" || f.Route == ex.Route) && (f.Match == nil || f.Match(*ex))
	})
}

// applyFault applies a fault to a request. If done is false, the request is
// handled as usual.
func (s *Sandbox) applyFault(ctx context.Context, p *faults.Planned, ex *api.Exchange) (a response, done bool) {
	f := p.Fault()
	ex.Fault = f.Kind
	if f.Kind == faults.Hold {
		if !s.plan.Wait(ctx, p) && !f.After {
			return response{cut: true}, true
		}
		return response{}, false
	}
	s.mu.Lock()
	s.plan.Hit(p)
	s.mu.Unlock()
	switch f.Kind {
	case faults.Cut:
		return response{cut: true}, true
	case faults.Proxy:
		a.page = proxyPage(f.Message)
	default: // faults.Error, faults.RateLimit
		a.body = &api.Error{
			Status: f.Status, Code: f.Code, Message: f.Message, RetryAfter: f.RetryAfter.Seconds(), Global: f.Scope == faults.ScopeGlobal,
		}
	}
	a.status, a.scope, a.retryAfter = f.Status, f.Scope, f.RetryAfter
	return a, true
}
