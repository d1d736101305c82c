package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/bot/sandbox/faults"
)

// requestFaults returns every way in which a request can fail: transient
// faults, and every error of docs/build/discord-errors.md.
func requestFaults() map[string]faults.Fault {
	all := transientFaults()
	for _, after := range []bool{false, true} {
		when := map[bool]string{false: " before", true: " after"}[after]
		all["held"+when] = faults.Fault{Kind: faults.Hold, After: after}
	}
	for code, status := range map[int]int{
		10003: 404, 10008: 404, 10015: 404, 10062: 404, 30046: 429, 40060: 400, 50001: 403, 50013: 403, 50027: 401, 50083: 400,
	} {
		all[fmt.Sprintf("error %d", code)] = faults.Fault{Kind: faults.Error, Status: status, Code: code, Message: "as planned"}
	}
	return all
}

// fits reports whether Discord can answer with a fault's code on a route. Faults
// without a code can happen on every route.
func fits(f faults.Fault, method, route string) bool {
	channel := strings.HasPrefix(route, "/channels/")
	edits := method == "PATCH" && strings.Contains(route, "/messages/")
	webhook := strings.HasPrefix(route, "/webhooks/")
	switch f.Code {
	case 10003:
		return channel || route == callbackRoute
	case 10008:
		return edits || webhook && method == "DELETE" || route == callbackRoute
	case 10015, 50027:
		return webhook
	case 10062, 40060:
		return route == callbackRoute
	case 30046:
		return edits
	case 50001, 50013:
		return channel
	case 50083:
		return channel && method != "GET"
	}
	return true
}

// routesOf plays every activity without faults and returns the activities that use
// each route. The bot is started before each, because it makes some requests only
// once after a start.
func routesOf(t *testing.T) map[string][]activity {
	s := newScenario(t, clean)
	users := map[string][]activity{}
	for _, a := range activities() {
		s.stopBot()
		s.restart()
		s.prepare()
		s.mu.Lock()
		before := maps.Clone(s.routes)
		s.mu.Unlock()
		a.run(s)
		if f := s.audit(a.name); f.defects() != 0 || f[refused] != 0 || f[undelivered] != 0 {
			t.Fatalf("with nothing at fault, %s: %v", a.name, f)
		}
		s.mu.Lock()
		for route, n := range s.routes {
			if n > before[route] {
				users[route] = append(users[route], a)
			}
		}
		s.mu.Unlock()
	}
	return users
}

// TestRequestFaults provokes every fault on every route that the bot uses, on
// the first request, the second and a later one. Afterwards every action counts
// once, every interaction that could be answered is, and channels show the current
// state.
func TestRequestFaults(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	users := routesOf(t)
	table := newFaultTable()
	var mu sync.Mutex
	used := map[string]bool{}
	all := map[string]func(*testing.T){}
	n := uint64(0)
	plans := requestFaults()
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		n++
		seed := n
		all[name] = func(t *testing.T) {
			s := newScenario(t, seed)
			// 50013: the bot opens a channel that a fault calls an archived thread.
			s.mayRefuse(40060, 10062, 50013)
			if plans[name].Code == 40060 {
				// The bot is told that it has answered, and edits an answer that does
				// not exist.
				s.mayRefuse(10015)
			}
			for _, route := range slices.Sorted(maps.Keys(users)) {
				method, path, _ := strings.Cut(route, " ")
				f := plans[name]
				if !fits(f, method, path) {
					continue
				}
				f.Method, f.Route = method, path
				for _, skip := range []int{0, 1, 2 + s.r.IntN(3)} {
					f.Skip = skip
					if !sampled(s.r) {
						continue
					}
					hits := s.provoke(name, f, users[route])
					n := s.audit(name + " on " + route)
					// An answer may be refused by the fault's own error, or because it was
					// held for more than the three seconds of a first answer.
					if n[undelivered] != 0 || n[refused] > 1 || n[refused] == 1 && f.Code == 0 && f.Kind != faults.Hold {
						t.Errorf("%s on %s: not to be refused or lost: %v", name, route, n)
					}
					table.tried(name, route, hits, n)
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			mu.Lock()
			defer mu.Unlock()
			for route := range s.routes {
				used[route] = true
			}
		}
	}
	began := time.Now()
	runParallel(t, 6, all)
	t.Logf("seed %d, %d routes, %.1f s", faultSeed(t), len(users), time.Since(began).Seconds())
	table.report(t, "routes")
	for route := range used {
		if users[route] == nil {
			t.Errorf("the bot uses %s only when something goes wrong: no act tries the faults of it", route)
		}
	}
}

// full reports whether the environment variable CASTELLAN_FULL is set, so that the
// whole matrices of faults are tried and not a sample.
func full() bool { return os.Getenv("CASTELLAN_FULL") != "" }

// sampled reports whether a fault is tried: always if full, else one in sixteen.
func sampled(r *rand.Rand) bool { return full() || r.IntN(16) == 0 }

// provoke plays activities that use a route until a fault has happened there, and
// returns how often it did.
func (s *scenario) provoke(name string, f faults.Fault, users []activity) (hits int) {
	s.t.Helper()
	s.prepare()
	s.audit("before " + name)
	planned, done := s.plan(f)
	defer done()
	for tries := range 40 { // the request may be rare
		if tries%4 == 3 { // or it is made only once after a start
			s.stopBot()
			s.restart()
		}
		s.prepare()
		users[s.r.IntN(len(users))].run(s)
		s.catchUp()
		if hits = planned.Hits(); hits > 0 {
			return hits
		}
	}
	s.t.Errorf("%s %s: not met on request %d", name, f.Route, f.Skip+1)
	return 0
}

// transientFaults returns the ways in which a request can fail for a moment,
// before and after its work.
func transientFaults() map[string]faults.Fault {
	all := map[string]faults.Fault{
		"limited":               {Kind: faults.RateLimit, RetryAfter: 10 * time.Millisecond},
		"limited altogether":    {Kind: faults.RateLimit, Scope: faults.ScopeGlobal, RetryAfter: 10 * time.Millisecond},
		"limited for a channel": {Kind: faults.RateLimit, Scope: faults.ScopeShared, RetryAfter: 10 * time.Millisecond},
	}
	for _, after := range []bool{false, true} {
		when := map[bool]string{false: " before", true: " after"}[after]
		all["cut"+when] = faults.Fault{Kind: faults.Cut, After: after}
		all["500"+when] = faults.Fault{Kind: faults.Error, Status: 500, After: after}
		all["502"+when] = faults.Fault{Kind: faults.Proxy, Status: 502, After: after}
	}
	return all
}

// TestBotAddedBack removes the bot and adds it back: it posts the pending board
// at once.
func TestBotAddedBack(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	w := newWorld(t)
	w.mayRefuse(50001)
	w.challenge()
	m := w.board()
	right := w.press(m, "trails.step.right")
	before := w.ben.Mentions(w.channel)
	open := w.gate("POST", postRoute) // the turn is stored, and the bot removed before the post
	w.chat.MustPlan(faults.Fault{Kind: faults.Error, Method: "POST", Route: postRoute, Status: 500, Message: internal})
	id := w.begin(w.anna.Click(w.channel, m.ID, right))
	w.deferReply()
	w.wait("the deferral", func() bool { return len(w.callbacks(id)) == 1 })
	must(t, w.chat.RemoveBotFrom(""))
	open()
	w.wait("the move", func() bool { v, err := w.host.Match(t.Context(), 1); return err == nil && v.Match.Seq() == 1 })
	for tries := range 10 {
		w.pass(host.Failure{Blocked: true}.Backoff(tries))
	}
	w.wantMentions(w.ben, before, 0)
	w.advanceClock(time.Minute) // after a 403 the channel is left alone
	must(t, w.chat.AddBotTo(""))
	w.wait("the board", func() bool { return w.ben.Mentions(w.channel)-before == 1 && len(w.boards(w.anna)) == 1 })
}
