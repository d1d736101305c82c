package ai

import (
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
	"castellan/engine/towers"
)

// allPlayers returns all players of the engine, with few nodes.
func allPlayers() map[string]search.Player {
	b := Engine()
	all := map[string]search.Player{"greedy": b.Greedy, "depth": b.FixedDepth(2)}
	for _, l := range b.Levels {
		all[l.Key] = search.Limited{Player: l.Player, Limits: search.Limits{Nodes: 300}}
	}
	return all
}

// checkTurn lets a player think and fails unless its decision is the rest of
// the turn and legal. It returns the position after it, too.
func checkTurn(t *testing.T, name string, player search.Player, p *towers.Position, limits search.Limits) (search.Decision, *towers.Position) {
	t.Helper()
	decision, err := player.Think(t.Context(), p, limits)
	n := len(decision.Actions) - 1
	if err != nil || n < 0 {
		t.Fatalf("%s: %v, %v, in\n%s", name, decision.Actions, err, p.Text())
	}
	last := enginetest.Apply(t, p, decision.Actions[:n]...)
	after := enginetest.Apply(t, last, decision.Actions[n])
	if last.Turns() != p.Turns() || after.Turns() == p.Turns() {
		t.Fatalf("%s: %v is not the rest of the turn in\n%s", name, decision.Actions, p.Text())
	}
	enginetest.Apply(t, after, decision.Continuation...)
	return decision, after
}

func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, options := range variants {
		positions = append(positions, start(t, options))
	}
	searchtest.Suite{Games: gameCount(8), Nodes: 200}.Run(t, Engine(), positions...)
}

// If a draw is the only way to keep the master, it is taken, whatever the
// contempt.
func TestForcedDraw(t *testing.T) {
	const line = "d2-e2 end e5-d5 end b1-c1 end c4-d4 end d1-c1 a1-a2 end b4-c4 end b2-a2 c1-d1 c2-c3 end e4-e5 end " +
		"c3-c2 c2-c4 end c5-c4 end +1 d1-d2 end c4-c5 a5-b5 end a2-a3 end a4-a5 e5-d5 end d2-d3 d3-b3 end +1 c5/c4 end " +
		"a3-a4 end end b3-e3 end c4-b4 end e3-e5 end end +1 e5-e4 end c5-c4 end +3 end b4-c4 end e2-d2 e4-e5 end " +
		"+1 c4/d4 end d2-e2 e5-e4 end c4-c5 end e1-c1 +1 end end c1-c2 e2-d2 end c5-c4 end a4-b4 end c4-c3 end end"
	p := enginetest.Play(t, start(t, ""), line)
	for name, player := range allPlayers() {
		for seed := range uint64(20) {
			decision, after := checkTurn(t, name, player, p, search.Limits{Seed: seed})
			if name == "newcomer" || name == "greedy" {
				continue // do not see threats to the master
			}
			if r, over := after.Result(); !over || len(r.Winners) > 0 {
				t.Errorf("%s with seed %d plays %v, which loses the master", name, seed, decision.Actions)
			}
		}
	}
}

// Behind, and with a draw to be had by a pass, the levels play on if their master is
// safe: greedy players pass when there is nothing to take.
func TestPlaysOn(t *testing.T) {
	for _, line := range []string{
		"a2-a1 end d4-c4 end c2-d2 end b4-a4 end e2-e3 end b5-c5 end c1-d1 end a5-c5 end b1-a1 end d5-c5 e4-e3 e5-d5 end e1-e2 b2-a2 end d5-c5 e3-e2 a4-a5 end +1 d1/e1 end e2-e1 a5-b5 end d1-e1 end +2 +3 end",
		"e1-e2 end c4-d4 end b1-a1 end b5-b4 end c2-b2 end c5-d5 end end e5-d5 e4-e5 end c1-d1 end a5-d5 end d1-c1 a2-a1 end e5-d5 b4-b3 end c1-d1 d2-d1 end b3-b2 +1 a4-a2 end a1-a2 end +5 end",
		"b2-b3 end c4-c5 end e1-e2 end c5-b5 e4-e3 end b1-c1 end d5-b5 b4-b3 end c1-d1 c2-c1 end e5-b5 b3-b4 end a2-c2 end b5-a5 d4-d2 b4-b5 e3-d3 end c2-d2 a1-c1 end a4-a5 d3-d2 end e2-d2 end b5-a5 end +1 d1/e1 end +3 +2 +1 +1 end",
	} {
		p := enginetest.Play(t, start(t, ""), line)
		for _, level := range Engine().Levels[4:7] {
			for seed := range uint64(5) {
				_, after := checkTurn(t, level.Key, level.Player, p, search.Limits{Nodes: level.Limits.Nodes, Seed: seed})
				if r, over := after.Result(); over && len(r.Winners) == 0 {
					t.Errorf("%s with seed %d takes a draw after %s", level.Key, seed, line)
				}
			}
		}
	}
}

// The master, and so hints and answers to offers, takes a draw by a pass where other turns
// lose: a search of fifteen times as many nodes proves it of those that it played when a
// draw counted as much less.
func TestMasterTakesADraw(t *testing.T) {
	master := Engine().Strongest().Player
	for line, losing := range map[string]string{
		"d2-e2 end b5-c5 end d1-c1 end c5-d5 end b1-c1 a2-a3 end d5-e5 c4-c2 end c1-b1 e1-c1 end c2-c1 e4-e5 d4-d2 end b1-a1 b2-b1 a3-a2 end c1-b1 a5-e5 end +1 a1/b1 e2-d2 end a4-a2 b4-c4 c4-c5 e5-c5 end +1 a1/a2 end end":                                                    "d2-d1 end",
		"d1-e1 end b5-c5 end c1-b1 end d5-c5 b4-a4 end a1-b1 d2-c2 end c5-e5 c4-c3 end b2-b3 b1-b2 a2-a1 end c3-b3 e4-e2 a5-a4 end +1 b2/b3 a1-b1 end d4-d3 d3-b3 e5-d5 end +1 b2/b3 end e2-e3 e3-b3 end b1-b2 end end +1 b2/b3 end end b3-b2 end d5-e5 e5-e4 end b2-b1 end end": "e1-d1 end",
		"d1-d2 end c5-b5 end b1-c1 end b5-a5 a4-a3 end a2-a3 end b4-a4 c4-c2 end b2-c2 a3-a4 end a5-a4 e4-e2 end e1-e2 end a4-b4 d4-b4 e5-d5 end a1-b1 end +1 b4/c4 end e2-e3 end c4-c2 d5-d4 end d2-c2 end end":                                                                 "e3-e4 end",
	} {
		p := enginetest.Play(t, start(t, ""), line)
		if after := enginetest.Play(t, p, losing); searchtest.Think(t, master, after, search.Limits{Nodes: 300_000}).Values[after.Seat()-1] != 1 {
			t.Errorf("%s does not lose after %s", losing, line)
		}
		for seed := range uint64(5) {
			d, after := checkTurn(t, "the master", master, p, search.Limits{Nodes: 20_000, Seed: seed})
			if r, over := after.Result(); !over || len(r.Winners) > 0 {
				t.Errorf("with seed %d it plays %v after %s", seed, d.Actions, line)
			}
		}
	}
}

func TestSearchAllocations(t *testing.T) {
	for i, options := range []string{"size=5", "size=8", "size=5", "size=8"} {
		quick := i >= 2
		s, err := newState(start(t, options))
		if err != nil {
			t.Fatal(err)
		}
		w := &searcher{state: s, table: search.NewTable(1<<16, 0), beams: &narrowBeams, quick: quick, best: newBestLines(0, 1<<16)}
		look := func() { w.negamax(2, -search.WinValue, search.WinValue, 0) }
		look() // allocates the buffers
		if n := testing.AllocsPerRun(1, func() {
			w.table.Clear()
			look()
		}); n != 0 {
			t.Errorf("%s: %.0f allocations in a search of %d nodes", options, n, w.nodes)
		}
	}
}

// The lower levels move where they can: who passes for no reason does not look like a person.
func TestRestless(t *testing.T) {
	for _, l := range Engine().Levels[:4] {
		turns, passes := 0, 0
		for n := range 20 {
			var p engine.Position = start(t, "")
			for p.Seat() != engine.Nobody && p.Turns() < 60 {
				limits := l.Limits
				limits.Seed = uint64(100*n + p.Turns())
				d := searchtest.Think(t, l.Player, p, limits)
				if turns++; d.Actions[0].String() == "end" {
					passes++
				}
				var err error
				if p, err = d.Apply(p); err != nil {
					t.Fatal(err)
				}
			}
		}
		if passes*20 > turns {
			t.Errorf("%s passes in %d of %d turns", l.Key, passes, turns)
		}
	}
}
