package e2e_test

import (
	"fmt"
	"testing"

	"castellan/bot/host"
	"castellan/bot/sandbox"
)

// Every interaction is delivered at least twice, and after one that came later:
// what was done counts once, and everybody is answered.
func TestEveryInteractionTwiceAndOutOfOrder(t *testing.T) {
	t.Parallel()
	table := newFaultTable()
	all := map[string]func(*testing.T){}
	for n := range 3 {
		all[fmt.Sprintf("round %d", n+1)] = func(t *testing.T) {
			s := newStage(t, 1000+uint64(n))
			swapped := s.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultSwap, Event: "INTERACTION_CREATE", Count: -1})
			twice := s.chat.MustPlan(sandbox.Fault{Kind: sandbox.FaultTwice, Event: "INTERACTION_CREATE", Count: -1})
			s.deliver = shuffled
			everything := acts()
			s.r.Shuffle(len(everything), func(i, j int) { everything[i], everything[j] = everything[j], everything[i] })
			for _, a := range everything {
				if !sampled(s.r) {
					continue
				}
				before := swapped.Hits() + twice.Hits()
				s.prepare()
				a.run(s)
				hits := swapped.Hits() + twice.Hits() - before
				if !a.simple { // it may send nothing
					hits = max(hits, 1)
				}
				f := s.audit(a.name)
				if f.refused+f.undelivered != 0 {
					t.Errorf("%s: nothing was refused or lost, but: %s", a.name, f)
				}
				table.tried("twice and out of order", a.name, hits, f)
			}
		}
	}
	atOnce(t, 3, all)
	table.report(t, "acts")
}

// shuffled delivers an interaction after another one that came later, and both
// once more in the same way.
func shuffled(s *stage, begin func() string, during func(string)) (string, bool) {
	s.t.Helper()
	older := ""
	if n := len(s.history); n > 0 && s.r.IntN(2) == 0 {
		// One is delivered again, much later, but while the bot promises to
		// know it: Discord gives up on one after fifteen minutes.
		if old := s.history[s.r.IntN(n)]; s.now().Sub(old.at) < host.InteractionRetention {
			older = old.id
		}
	}
	id := begin()
	was := 0
	if older != "" {
		was = s.answerTo(older)
		must(s.t, s.chat.Redeliver(older))
	} else {
		i, err := s.chloe.Command(s.channel, "preferences")
		must(s.t, err)
		older = i.ID
	}
	during(id)
	s.tried(id, 1)
	s.tried(older, was+2)
	must(s.t, s.chat.Redeliver(id))
	must(s.t, s.chat.Redeliver(older))
	s.tried(id, 2)
	s.tried(older, was+4)
	s.quiet()
	return id, true
}
