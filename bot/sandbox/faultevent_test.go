package sandbox_test

import (
	"castellan/bot/sandbox"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const interactionCreate = "INTERACTION_CREATE"

// ask has Anna use the command and returns the interaction's id.
func (r *rig) ask() string {
	r.t.Helper()
	i := must(r.box.As(anna).Command(yard, "play"))
	return i.ID
}

// quiet fails if any frame precedes the acknowledgement of a heartbeat.
func (g *gateway) quiet() {
	g.t.Helper()
	g.send(1, nil)
	if f := g.frame(); f["op"] != 11.0 {
		g.t.Fatalf("got op %v %v, want nothing but the acknowledgement", f["op"], f["t"])
	}
}

// gets checks the ids of the next interactions, and that nothing follows.
func (g *gateway) gets(ids ...string) {
	g.t.Helper()
	for i, want := range ids {
		if got := text(g.t, g.event(interactionCreate), "id"); got != want {
			g.t.Fatalf("interaction %d of %v is %s", i+1, ids, got)
		}
	}
	g.quiet()
}

func TestFaultTwice(t *testing.T) {
	r := newRig(t)
	r.register()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultTwice, Event: interactionCreate})
	one, two := r.ask(), r.ask()
	r.gw.gets(one, one, two)
	if p.Hits() != 1 {
		t.Errorf("%d hits", p.Hits())
	}
	if want := []float64{1, 2, 3, 4, 5}; !slices.Equal(r.gw.seqs, want) {
		t.Errorf("sequence %v, want %v", r.gw.seqs, want)
	}
}

func TestFaultLate(t *testing.T) {
	r := newRig(t)
	r.register()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultLate, Event: interactionCreate, Count: 2})
	one := r.ask()
	r.reached(p)
	two, three := r.ask(), r.ask()
	r.gw.gets(three)
	if p.Held() != 2 {
		t.Errorf("%d are held", p.Held())
	}
	p.Release()
	r.gw.gets(one, two)
}

func TestFaultSwap(t *testing.T) {
	r := newRig(t)
	r.register()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultSwap, Event: interactionCreate, Count: 2})
	one := r.ask()
	r.gw.quiet()
	two, three := r.ask(), r.ask()
	r.gw.gets(two, one) // the third waits for a fourth
	p.Release()
	r.gw.gets(three)
	if p.Hits() != 2 {
		t.Errorf("%d hits", p.Hits())
	}
}

func TestFaultSwapAndTwice(t *testing.T) {
	r := newRig(t)
	r.register()
	r.plan(sandbox.Fault{Kind: sandbox.FaultSwap, Event: interactionCreate, Count: -1})
	r.plan(sandbox.Fault{Kind: sandbox.FaultTwice, Event: interactionCreate, Count: -1})
	one, two, three, four := r.ask(), r.ask(), r.ask(), r.ask()
	r.gw.gets(two, two, one, four, four, three)
}

func TestFaultAgain(t *testing.T) {
	for _, resumed := range []bool{true, false} {
		r := newRig(t)
		r.register()
		p := r.plan(sandbox.Fault{Kind: sandbox.FaultAgain, Event: interactionCreate})
		id := r.ask()
		r.gw.gets(id)
		if p.Hits() != 0 {
			t.Errorf("%d hits before the reconnect", p.Hits())
		}
		old := r.gw
		r.box.DropGateway()
		old.closed(4000)
		if resumed {
			r.gw = r.resume(old)
			r.gw.event("RESUMED")
		} else {
			r.gw = r.identify(1)
		}
		r.gw.gets(id)
		r.reached(p)
		r.box.DropGateway()
		next := r.resume(&gateway{session: r.gw.session, seq: r.gw.seq})
		next.event("RESUMED")
		next.quiet() // only once
	}
}

// resume opens a connection and resumes the session of another.
func (r *rig) resume(g *gateway) *gateway {
	r.t.Helper()
	next := r.hello()
	next.session = g.session
	next.send(6, body{"token": r.box.Token(), "session_id": g.session, "seq": g.seq})
	return next
}

func TestFaultLateNextSession(t *testing.T) {
	for name, lose := range map[string]func(*rig){
		"the session is invalid": func(r *rig) { r.box.InvalidateSessions(false) },
		"the bot died":           func(r *rig) { r.box.DropGateway() }, // its session is never resumed
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.register()
			p := r.plan(sandbox.Fault{Kind: sandbox.FaultLate, Event: interactionCreate})
			id := r.ask()
			lose(r)
			r.gw = r.identify(1)
			p.Release()
			r.gw.gets(id)
		})
	}
}

func TestFaultEventType(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	r.gw = r.identify(1 | 1<<9)
	r.register()
	late := r.plan(sandbox.Fault{Kind: sandbox.FaultLate, Event: "MESSAGE_CREATE"})
	r.say(body{"content": "x"})
	r.gw.gets(r.ask())
	late.Remove() // releases it
	if got := text(t, r.gw.event("MESSAGE_CREATE"), "content"); got != "x" {
		t.Errorf("got %q", got)
	}
	r.gw.quiet()
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
					m.count-- // a negative count never ends
					m.hits++
					return 400 + i
				}
			}
			return http.StatusOK
		}
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				if len(faults) == 15 { // the plan drops finished faults beyond a limit
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

// TestFaultsLoseNoEventProperty: after all faults each interaction was delivered
// once, or twice if a fault says so, and the sequence has no gap.
func TestFaultsLoseNoEventProperty(t *testing.T) {
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
		r.again() // delivers the repeated events
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

// again breaks the connection and resumes. It keeps what was received so far for
// drain.
func (r *rig) again() {
	r.t.Helper()
	old := r.gw
	got := old.drain()
	r.box.DropGateway()
	old.closed(4000)
	r.gw = r.resume(old)
	r.gw.seqs, r.gw.kept = old.seqs, got
}

// drain reads all pending frames and returns the interactions, after those of
// the earlier connection.
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
