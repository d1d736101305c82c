package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"pgregory.net/rapid"

	"castellan/bot/sandbox"
)

// Whatever is planned, each request meets the first fault that matches it and
// does not let it through, and each fault as many as it says.
func TestEachRequestMeetsTheFirstFaultThatWantsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box, err := sandbox.New(sandbox.Options{Base: "http://127.0.0.1:1"})
		if err != nil {
			t.Fatal(err)
		}
		paths := map[string]string{"/users/@me": "/users/@me", "/gateway/bot": "/gateway/bot", "/channels/{channel_id}": "/channels/" + yard}
		routes := []string{"/users/@me", "/gateway/bot", "/channels/{channel_id}"}
		type model struct {
			route             string
			skip, count, hits int
			planned           *sandbox.Planned
		}
		var faults []*model
		want := func(route string) int {
			for i, m := range faults {
				switch {
				case m.count == 0 || m.route != "" && m.route != route:
				case m.skip > 0:
					m.skip--
				default:
					m.count-- // below zero it never comes to an end
					m.hits++
					return 400 + i
				}
			}
			return http.StatusOK
		}
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				if len(faults) == 15 { // the sandbox keeps some that are over, not all
					t.Skip("enough are planned")
				}
				m := &model{
					route: rapid.SampledFrom(append([]string{""}, routes...)).Draw(t, "route"),
					skip:  rapid.IntRange(0, 2).Draw(t, "skip"), count: rapid.SampledFrom([]int{-1, 1, 2, 3}).Draw(t, "count"),
				}
				m.planned = box.MustPlan(sandbox.Fault{Kind: sandbox.FaultError, Route: m.route, Skip: m.skip, Count: m.count, Status: 400 + len(faults)})
				faults = append(faults, m)
			},
			"remove": func(t *rapid.T) {
				if len(faults) == 0 {
					t.Skip("nothing is planned")
				}
				m := rapid.SampledFrom(faults).Draw(t, "fault")
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
				for i, m := range faults {
					if got := m.planned.Hits(); got != m.hits {
						t.Fatalf("fault %d was met %d times, want %d", i, got, m.hits)
					}
				}
			},
		})
	})
}

// Whatever happens to events, none is lost: when all faults are over, each
// interaction has come once, or twice if a fault wanted that; and the numbers
// of the dispatches have no gap.
func TestFaultsLoseNoEvent(t *testing.T) {
	r := newRig(t)
	r.register()
	kinds := []sandbox.FaultKind{sandbox.FaultTwice, sandbox.FaultLate, sandbox.FaultSwap, sandbox.FaultAgain}
	rapid.Check(t, func(t *rapid.T) {
		var planned []*sandbox.Planned
		asked := map[string]bool{}
		twice := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"ask", "ask", "ask", "plan", "release", "reconnect"}).Draw(t, "step") {
			case "ask":
				asked[r.ask()] = true
			case "plan":
				f := sandbox.Fault{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Event: interactionCreate,
					Skip: rapid.IntRange(0, 2).Draw(t, "skip"), Count: rapid.SampledFrom([]int{1, 2, -1}).Draw(t, "count")}
				planned = append(planned, r.plan(f))
			case "release":
				for _, p := range planned {
					p.Release()
				}
			case "reconnect":
				r.again()
			}
		}
		r.again() // what is to come again comes
		for _, p := range planned {
			if k := p.Fault().Kind; k == sandbox.FaultTwice || k == sandbox.FaultAgain {
				twice += p.Hits()
			}
			p.Remove()
		}
		got := r.gw.drain()
		times := map[string]int{}
		for _, id := range got {
			times[id]++
		}
		total := 0
		for id, n := range times {
			if total += n; !asked[id] || n > 2 {
				t.Fatalf("interaction %s came %d times", id, n)
			}
		}
		if len(times) != len(asked) || total != len(asked)+twice {
			t.Fatalf("%d interactions came %d times: want %d, and %d more", len(times), total, len(asked), twice)
		}
		for i, seq := range r.gw.seqs[1:] {
			if seq != r.gw.seqs[i]+1 {
				t.Fatalf("dispatch %v comes after %v", seq, r.gw.seqs[i])
			}
		}
	})
}

// again breaks the connection and resumes with what had come until then; what
// comes stays to be read by drain.
func (r *rig) again() {
	r.t.Helper()
	old := r.gw
	got := old.drain()
	r.box.DropGateway()
	old.closed(4000)
	r.gw = r.resume(old)
	r.gw.seqs, r.gw.kept = old.seqs, got
}

// drain reads all that waits and returns the interactions of it, after those
// of the connection before.
func (g *gateway) drain() []string {
	g.t.Helper()
	got := g.kept
	g.kept = nil
	g.send(1, nil)
	for {
		f := g.frame()
		switch {
		case f["op"] == 11.0:
			return got
		case f["t"] == interactionCreate:
			got = append(got, text(g.t, f, "d", "id"))
		}
	}
}
