package ai

import (
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
	"castellan/engine/trails"
)

// winsAtOnce reports whether a move wins at once.
func winsAtOnce(t testing.TB, p *trails.Position, a engine.Action) bool {
	r, over := apply(t, p, a).Result()
	return over && r.Winners[0] == p.Seat()
}

// losesAtOnce reports whether a move loses at once, or lets the opponent win at
// once.
func losesAtOnce(t testing.TB, p *trails.Position, a engine.Action) bool {
	q := apply(t, p, a)
	if r, over := q.Result(); over {
		return r.Winners[0] != p.Seat()
	}
	for _, b := range q.Legal() {
		if winsAtOnce(t, q, b) {
			return true
		}
	}
	return false
}

// Every level but the first takes a win in one turn, and else avoids moves that
// lose at once, if there are others.
func TestLooksAhead(t *testing.T) {
	wins, losses := 0, 0
	for seed := uint64(0); wins < 100 || losses < 100; seed++ {
		if seed == 8000 {
			t.Fatalf("only %d wins and %d losses were found", wins, losses)
		}
		r := rand.New(rand.NewPCG(seed, 6))
		p := randomPosition(t, boards[seed%uint64(len(boards))], 4+r.IntN(40), r)
		var winning, losing []engine.Action
		for _, a := range p.Legal() {
			if winsAtOnce(t, p, a) {
				winning = append(winning, a)
			} else if losesAtOnce(t, p, a) {
				losing = append(losing, a)
			}
		}
		switch n := len(p.Legal()); {
		case len(winning) > 0 && len(winning) < n && wins < 100:
			wins++
		case len(winning) == 0 && len(losing) > 0 && len(losing) < n && losses < 100:
			losses++
		default:
			continue
		}
		for _, l := range Engine().Levels[1:] {
			limits := search.Limits{Nodes: min(l.Limits.Nodes, 200), Depth: l.Limits.Depth, Seed: p.Hash()}
			a := searchtest.Think(t, l.Player, p, limits).Actions[0]
			if len(winning) > 0 && !slices.Contains(winning, a) || slices.Contains(losing, a) {
				t.Errorf("%s plays %v; %v win, %v lose in\n%s", l.Key, a, winning, losing, p.Text())
			}
		}
	}
}

// At its own limits the strongest level does not play a move that a solver proves to lose
// with more nodes.
func TestMovesThatLose(t *testing.T) {
	master := Engine().Strongest()
	p := enginetest.Play(t, position(t, "size=11"), "right up right left down left down up left left down")
	after := apply(t, p, trails.Left)
	if enginetest.Sample(0, 1) > 0 {
		if v := NewSolver(1<<26).Solve(t.Context(), stateOf(t, after), 4_000_000); v.Winner != int(after.Seat())-1 {
			t.Errorf("left does not lose: %+v", v)
		}
	}
	for seed := range uint64(enginetest.Sample(1, 5)) {
		if d := searchtest.Think(t, master.Player, p, search.Limits{Nodes: master.Limits.Nodes, Seed: seed}); d.Actions[0] != engine.Action(trails.Up) {
			t.Errorf("with seed %d it plays %v", seed, d.Actions)
		}
	}
}

// The strongest level does not play the same game again and again, and the same seed
// plays the same game.
func TestVariety(t *testing.T) {
	player := Engine().Strongest().Player
	for _, options := range []string{"", "size=11", "size=13 towers=5"} {
		games := map[string]bool{}
		play := func(seed uint64) string {
			p, text := enginetest.Start[engine.Position](t, trails.Game{}, options, 2), ""
			for p.Seat() != engine.Nobody {
				d := searchtest.Think(t, player, p, search.Limits{Nodes: 1_000, Memory: 1 << 20, Seed: seed})
				p, text = apply(t, p, d.Actions[0]), text+d.Actions[0].String()+" "
			}
			return text
		}
		for seed := range uint64(10) {
			games[play(seed)] = true
		}
		if len(games) < 8 {
			t.Errorf("%q: only %d of ten games differ", options, len(games))
		}
		if one, again := play(1), play(1); one != again {
			t.Errorf("%q: a seed does not repeat a game", options)
		}
	}
}

// The strongest level uses fewer nodes on boards where a node takes longer.
func TestLargeBoardNodes(t *testing.T) {
	const nodes = 21 * 1000
	for options, most := range map[string]int64{"towers=4": nodes, "size=21 towers=4": nodes / 21} {
		p := randomPosition(t, options, 4, rand.New(rand.NewPCG(1, 12)))
		if got := searchtest.Think(t, Engine().Strongest().Player, p, search.Limits{Nodes: nodes}).Nodes; got > most+64 || got < most/2 {
			t.Errorf("%s: %d nodes, at most %d are expected", options, got, most)
		}
	}
}

func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, options := range boards {
		positions = append(positions, position(t, options))
	}
	searchtest.Suite{Games: scaled(16), Decisions: 1, Nodes: 60}.Run(t, Engine(), positions...)
}
