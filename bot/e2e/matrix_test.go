package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"castellan/bot/host"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/faults"
)

// faultRow holds the counts of one fault.
type faultRow struct {
	name        string
	routes      map[string]bool
	tries, hits int
}

// faultTable counts the faults that were tried. It is safe for concurrent use.
type faultTable struct {
	mu   sync.Mutex
	rows map[string]*faultRow
	sum  counts
}

func newFaultTable() *faultTable { return &faultTable{rows: map[string]*faultRow{}, sum: counts{}} }

// tried records that a fault was tried in a place, how often it was met, and
// the counts of the audit that followed.
func (f *faultTable) tried(fault, place string, hits int, n counts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	row := f.rows[fault]
	if row == nil {
		row = &faultRow{name: fault, routes: map[string]bool{}}
		f.rows[fault] = row
	}
	row.routes[place] = true
	row.tries++
	row.hits += hits
	f.sum.add(n)
}

// report logs the table. It fails if a fault was not met, or if a count that
// must be 0 is not.
func (f *faultTable) report(t *testing.T, places string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-34s %8s %8s %8s\n", "fault", places, "tried", "met")
	tries, hits := 0, 0
	for _, name := range slices.Sorted(maps.Keys(f.rows)) {
		r := f.rows[name]
		fmt.Fprintf(&b, "%-34s %8d %8d %8d\n", r.name, len(r.routes), r.tries, r.hits)
		if r.hits < r.tries {
			t.Errorf("%s: tried %d times, met %d times", r.name, r.tries, r.hits)
		}
		tries, hits = tries+r.tries, hits+r.hits
	}
	fmt.Fprintf(&b, "%-34s %8s %8d %8d\n%v", "together", "", tries, hits, f.sum)
	t.Log(b.String())
	if f.sum.defects() != 0 {
		t.Errorf("figures that are to be 0 are not")
	}
}

// runParallel runs a number of subtests at a time, because they mostly wait. Unless
// full, it runs one in four.
func runParallel(t *testing.T, workers int, all map[string]func(*testing.T)) {
	t.Helper()
	var wg sync.WaitGroup
	work := make(chan string)
	for range workers {
		wg.Go(func() {
			for name := range work {
				t.Run(name, all[name])
			}
		})
	}
	names := slices.Sorted(maps.Keys(all))
	slices.Reverse(names) // the subtests that wait longest, for a rate limit, come first
	step, first := 1, 0
	if !full() {
		step = 4
		first = int(faultSeed(t) % uint64(min(step, len(names))))
	}
	for i := first; i < len(names); i += step {
		work <- names[i]
	}
	close(work)
	wg.Wait()
}

// plan plans a fault. If the fault holds a request, the request is released after
// another person has been served. done waits for that.
func (s *scenario) plan(f faults.Fault) (planned *faults.Planned, done func()) {
	planned = s.chat.MustPlan(f)
	if f.Kind != faults.Hold {
		return planned, planned.Remove
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-planned.Reached():
		case <-over:
			return
		}
		s.serveOthers(f)
		planned.Release()
	}()
	return planned, func() {
		close(over)
		<-ended
		planned.Remove()
	}
}

// serveOthers has another person use the bot while a request is held. If the held
// request is a first response, its three seconds may pass.
func (s *scenario) serveOthers(f faults.Fault) {
	if s.chat.Gateway.Online() && !strings.HasPrefix(f.Route, "/gateway") {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		i, err := s.chloe.Command(s.channel, "preferences")
		if err == nil {
			err = s.chat.Wait(ctx, func() bool {
				now, _ := s.chat.Interaction(i.ID)
				return now.State == sandbox.StateAnswered
			})
		}
		if err != nil {
			s.t.Errorf("Chloé is not answered while a request is held: %v", err)
		}
	}
	if f.Route == callbackRoute && f.Skip%2 == 1 {
		s.expireInteractions()
	}
}

// TestRedelivery delivers every interaction at least twice, also after a later
// one. Each counts once and is answered.
func TestRedelivery(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	table := newFaultTable()
	all := map[string]func(*testing.T){}
	for n := range 3 {
		all[fmt.Sprintf("round %d", n+1)] = func(t *testing.T) {
			s := newScenario(t, 1000+uint64(n))
			// 10008: a newer private message has replaced the answer to the first delivery.
			// 50027: later than Discord delivers anything, its token is no longer valid.
			s.mayRefuse(40060, 10008, 50027)
			swapped := s.chat.MustPlan(faults.Fault{Kind: faults.Swap, Event: "INTERACTION_CREATE", Count: -1})
			twice := s.chat.MustPlan(faults.Fault{Kind: faults.Twice, Event: "INTERACTION_CREATE", Count: -1})
			s.deliver = deliverShuffled
			everything := activities()
			s.r.Shuffle(len(everything), func(i, j int) { everything[i], everything[j] = everything[j], everything[i] })
			for _, a := range everything {
				if !sampled(s.r) {
					continue
				}
				before := swapped.Hits() + twice.Hits()
				s.prepare()
				a.run(s)
				hits := swapped.Hits() + twice.Hits() - before
				if !a.simple { // the activity may send no interaction
					hits = max(hits, 1)
				}
				f := s.audit(a.name)
				if f[refused]+f[undelivered] != 0 {
					t.Errorf("%s: nothing was refused or lost, but: %v", a.name, f)
				}
				table.tried("twice and out of order", a.name, hits, f)
			}
		}
	}
	runParallel(t, 3, all)
	table.report(t, "acts")
}

// deliverShuffled delivers an interaction after a later one, then both again.
func deliverShuffled(s *scenario, begin func() string, during func(string)) (string, bool) {
	s.t.Helper()
	older := ""
	if n := len(s.history); n > 0 && s.r.IntN(2) == 0 {
		// An old interaction is delivered again within host.InteractionRetention,
		// during which the bot remembers it. Discord gives up after fifteen minutes.
		if old := s.history[s.r.IntN(n)]; s.now().Sub(old.at) < host.InteractionRetention {
			older = old.id
		}
	}
	id := begin()
	was := 0
	if older != "" {
		was = s.attempts(older)
		must(s.t, s.chat.Redeliver(older))
	} else {
		i, err := s.chloe.Command(s.channel, "preferences")
		must(s.t, err)
		older = i.ID
	}
	during(id)
	s.awaitAttempts(id, 1)
	s.awaitAttempts(older, was+2)
	must(s.t, s.chat.Redeliver(id))
	must(s.t, s.chat.Redeliver(older))
	s.awaitAttempts(id, 2)
	s.awaitAttempts(older, was+4)
	s.awaitIdle()
	return id, true
}
