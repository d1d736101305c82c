package sandbox_test

import (
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/faults"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// quiet fails if any frame precedes the acknowledgement of a heartbeat.
func (g *gateway) quiet() {
	g.t.Helper()
	g.send(1, nil)
	if f := g.frame(); f["op"] != 11.0 {
		g.t.Fatalf("got op %v %v, want nothing but the acknowledgement", f["op"], f["t"])
	}
}

// TestFaultOrderProperty: each request meets the first fault that matches and is
// not skipped, and each fault applies to Count requests.
func TestFaultOrderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box := must(sandbox.New(sandbox.Options{Base: "http://127.0.0.1:1"}))
		paths := map[string]string{"/users/@me": "/users/@me", "/gateway/bot": "/gateway/bot", "/channels/{channel_id}": "/channels/" + yard}
		routes := []string{"/users/@me", "/gateway/bot", "/channels/{channel_id}"}
		type model struct {
			route             string
			skip, count, hits int
			planned           *faults.Planned
		}
		var plan []*model
		want := func(route string) int {
			for i, m := range plan {
				switch {
				case m.count == 0 || m.route != "" && m.route != route:
				case m.skip > 0:
					m.skip--
				default:
					m.count-- // a negative count never ends
					m.hits++
					return 400 + i
				}
			}
			return http.StatusOK
		}
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				if len(plan) == 15 { // the plan drops finished faults beyond a limit
					t.Skip("enough are planned")
				}
				m := &model{
					route: rapid.SampledFrom(append([]string{""}, routes...)).Draw(t, "route"),
					skip:  rapid.IntRange(0, 2).Draw(t, "skip"), count: rapid.SampledFrom([]int{-1, 1, 2, 3}).Draw(t, "count"),
				}
				m.planned = box.MustPlan(faults.Fault{Kind: faults.Error, Route: m.route, Skip: m.skip, Count: m.count, Status: 400 + len(plan)})
				plan = append(plan, m)
			},
			"remove": func(t *rapid.T) {
				if len(plan) == 0 {
					t.Skip("nothing is planned")
				}
				m := rapid.SampledFrom(plan).Draw(t, "fault")
				m.planned.Remove()
				m.count = 0
			},
			"request": func(t *rapid.T) {
				route := rapid.SampledFrom(routes).Draw(t, "asked")
				req := httptest.NewRequest(http.MethodGet, "/api/v10"+paths[route], nil)
				req.Header.Set("Authorization", "Bot "+box.Token())
				res := httptest.NewRecorder()
				box.ServeHTTP(res, req)
				if want := want(route); res.Code != want {
					t.Fatalf("GET %s: %d, want %d", route, res.Code, want)
				}
			},
			"": func(t *rapid.T) {
				for i, m := range plan {
					if got := m.planned.Hits(); got != m.hits {
						t.Fatalf("fault %d was met %d times, want %d", i, got, m.hits)
					}
				}
			},
		})
	})
}

// posting is the route that most of these tests plan faults for.
const posting = "/channels/{channel_id}/messages"

func TestInvalidFaults(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	for _, tt := range []struct {
		fault faults.Fault
		says  string
	}{
		{faults.Fault{}, `there is no fault ""`},
		{faults.Fault{Kind: "flood"}, `there is no fault "flood"`},
		{faults.Fault{Kind: faults.Cut, Route: "/nowhere"}, "there is no route"},
		{faults.Fault{Kind: faults.Cut, Method: "PUT", Route: posting}, "there is no route PUT " + posting},
		{faults.Fault{Kind: faults.Cut, Skip: -1}, "cannot skip -1"},
		{faults.Fault{Kind: faults.Cut, Event: "READY"}, "takes no event"},
		{faults.Fault{Kind: faults.Twice, Route: posting}, "takes no method, route"},
		{faults.Fault{Kind: faults.Refuse, After: true}, "takes no method, route"},
		{faults.Fault{Kind: faults.Refuse, Status: 200}, "status 200 is not an error"},
		{faults.Fault{Kind: faults.Error, Status: 302}, "status 302 is not an error"},
		{faults.Fault{Kind: faults.RateLimit, Scope: "all"}, `scope "all"`},
		{faults.Fault{Kind: faults.RateLimit, After: true}, "never after"},
		{faults.Fault{Kind: faults.RateLimit, RetryAfter: -time.Second}, "cannot end 1s ago"},
		{faults.Fault{Kind: faults.Handshake, Op: 10}, "op 10 is not one"},
		{faults.Fault{Kind: faults.Handshake, Op: 7, Code: 4000}, "not both"},
		{faults.Fault{Kind: faults.Handshake, Code: 1006}, "not a close code"},
	} {
		if _, err := r.box.Plan(tt.fault); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v, want %q", tt.fault, err, tt.says)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustPlan does not panic")
		}
	}()
	r.box.MustPlan(faults.Fault{})
}
