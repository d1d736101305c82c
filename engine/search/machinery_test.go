package search_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
)

// uneven is a state whose evaluation differs from position to position, as if
// by chance.
type uneven struct{ *search.PositionState }

func (u uneven) Evaluate() int { return int(u.Hash()>>7%2001) - 1000 }

func unevenState(p engine.Position) (search.State, error) {
	return uneven{search.NewPositionState(p, 2)}, nil
}

// far is worth a win, less so the more moves it takes.
const far = 1_000_000

// minimax is the value for whose move it is, by looking at everything.
func minimax(s uneven, depth, at int) int {
	if s.Seat() < 0 {
		shares := make([]float64, 2)
		s.Payoffs(shares)
		return int(math.Round(2*shares[0]-1)) * (far - at) // seat 1's, here
	}
	if depth == 0 {
		v := s.Evaluate()
		if s.Seat() == 1 {
			v = -v
		}
		return v
	}
	best, seat, moves := 0, s.Seat(), s.Moves(nil)
	if len(moves) == 1 && at > 0 {
		depth++ // what is forced costs nothing
	}
	for i, m := range moves {
		s.Make(m)
		v := minimax(s, depth-1, at+1)
		s.Unmake()
		if i == 0 || seat == 0 && v > best || seat == 1 && v < best {
			best = v
		}
	}
	return best
}

// positions is some positions of games that are played at random on small
// boards.
func positions(t testing.TB, n int) (all []engine.Position) {
	t.Helper()
	for game := uint64(0); len(all) < n; game++ {
		p := start(t, 5+int(game%2)*2)
		for step := uint64(0); p.Seat() != engine.Nobody; step++ {
			if step%3 == 2 {
				all = append(all, p)
			}
			thought, err := search.Random{}.Think(t.Context(), p, search.Limits{Seed: game<<16 | step})
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.Apply(thought.Actions[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all[:n]
}

// Alpha-beta that looks at everything finds what plain minimax finds, and plays
// a move of that value.
func TestAlphaBetaIsMinimax(t *testing.T) {
	for i, p := range positions(t, 100) {
		if len(p.Legal()) == 1 {
			continue // there is nothing to look for
		}
		for _, depth := range []int{1, 2, 3, 4} {
			thought, err := search.AlphaBeta{State: unevenState, FullWidth: true}.Think(t.Context(), p, search.Limits{Depth: depth})
			if err != nil {
				t.Fatal(err)
			}
			s := uneven{search.NewPositionState(p, 2)}
			best := minimax(s, depth, 0)
			next, err := p.Apply(thought.Actions[0])
			if err != nil {
				t.Fatal(err)
			}
			if got := minimax(uneven{search.NewPositionState(next, 2)}, depth-1, 1); got != best {
				t.Errorf("position %d, depth %d: it plays %v, worth %d, and %d could be had", i, depth, thought.Actions, got, best)
			}
			want := search.ExpectedPayoff(best)
			if best > far/2 || best < -far/2 {
				want = float64((1 + best/abs(best)) / 2)
			}
			if math.Abs(thought.Values[0]-want) > 1e-12 {
				t.Errorf("position %d, depth %d: it expects %v, not %g", i, depth, thought.Values, want)
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// wins is the positions in which an action wins at once, and another does not.
func wins(t testing.TB) (all []engine.Position, winning []map[engine.Action]bool) {
	for _, p := range positions(t, 600) {
		won := map[engine.Action]bool{}
		for _, a := range p.Legal() {
			q, err := p.Apply(a)
			if err != nil {
				t.Fatal(err)
			}
			if r, over := q.Result(); over && len(r.Winners) == 1 && r.Winners[0] == p.Seat() {
				won[a] = true
			}
		}
		if len(won) > 0 && len(won) < len(p.Legal()) {
			all, winning = append(all, p), append(winning, won)
		}
	}
	return all, winning
}

// wonBy reports whether an action wins by force, within so many moves that it
// can be seen.
func wonBy(t *testing.T, p engine.Position, a engine.Action) bool {
	t.Helper()
	q, err := p.Apply(a)
	for err == nil && len(q.Legal()) == 1 { // nobody looks ahead there
		q, err = q.Apply(q.Legal()[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	if r, over := q.Result(); over {
		return r.Winners[0] == p.Seat()
	}
	thought, err := search.AlphaBeta{State: state, FullWidth: true}.Think(t.Context(), q, search.Limits{Nodes: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	return thought.Values[p.Seat()-1] == 1
}

// A win in one move is taken by who looks ahead, and not let go by who plays
// games out.
func TestAWinThatIsThereIsFound(t *testing.T) {
	all, winning := wins(t)
	if len(all) < 5 {
		t.Fatalf("%d positions", len(all))
	}
	for name, player := range map[string]search.Player{
		"alpha-beta":  search.AlphaBeta{State: state},
		"soft":        search.AlphaBeta{State: state, Softmax: search.Softmax{MaxLoss: 500, Temperature: 500}},
		"monte carlo": search.MonteCarlo{State: state},
	} {
		for i, p := range all {
			thought, err := player.Think(t.Context(), p, search.Limits{Nodes: 500, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			taken := winning[i][thought.Actions[0]] || name == "monte carlo" && wonBy(t, p, thought.Actions[0])
			if !taken {
				t.Errorf("%s: position %d is won by %v, and it plays %v", name, i, winning[i], thought.Actions)
			}
		}
	}
}

// The same seed and nodes give the same thought; Monte-Carlo thinks otherwise
// with another seed.
func TestTheSameSeedGivesTheSameThought(t *testing.T) {
	for name, player := range map[string]search.Player{
		"alpha-beta":  search.AlphaBeta{State: state, Noise: 50, Softmax: search.Softmax{MaxLoss: 100, Temperature: 50, BlunderRate: 0.1}},
		"monte carlo": search.MonteCarlo{State: state},
		"random":      search.Random{},
	} {
		differ := false
		for _, p := range positions(t, 20) {
			var all []search.Decision
			for _, seed := range []uint64{1, 1, 2} {
				thought, err := player.Think(t.Context(), p, search.Limits{Nodes: 60, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, thought)
			}
			if !reflect.DeepEqual(all[0], all[1]) {
				t.Fatalf("%s: %+v, then %+v", name, all[0], all[1])
			}
			differ = differ || !reflect.DeepEqual(all[0].Actions, all[2].Actions)
		}
		if !differ {
			t.Errorf("%s: another seed changes nothing", name)
		}
	}
}

// told notes the limits that it is given.
type told struct{ limits *search.Limits }

func (f told) Think(_ context.Context, _ engine.Position, l search.Limits) (search.Decision, error) {
	*f.limits = l
	return search.Decision{}, nil
}

// Of two limits the smaller counts, and none is none.
func TestCappedKeepsTheSmallerLimit(t *testing.T) {
	for _, c := range []struct{ own, asked, got search.Limits }{
		{search.Limits{Nodes: 5, Depth: 3, Memory: 100}, search.Limits{}, search.Limits{Nodes: 5, Depth: 3, Memory: 100}},
		{search.Limits{}, search.Limits{Nodes: 5, Depth: 3, Memory: 100}, search.Limits{Nodes: 5, Depth: 3, Memory: 100}},
		{search.Limits{Nodes: 5, Depth: 3, Memory: 100}, search.Limits{Nodes: 9, Depth: 2, Memory: 200}, search.Limits{Nodes: 5, Depth: 2, Memory: 100}},
		{search.Limits{Seed: 4}, search.Limits{Seed: 7}, search.Limits{Seed: 7}},
	} {
		var got search.Limits
		if _, err := (search.Limited{Player: told{&got}, Limits: c.own}).Think(t.Context(), nil, c.asked); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c.got) {
			t.Errorf("%+v and %+v give %+v", c.own, c.asked, got)
		}
	}
}

// A move that is worse by Spread is chosen a third as often, by twice that a
// ninth; one that is careless takes any.
func TestSoftChoosesByHowGoodMovesAre(t *testing.T) {
	const n = 30_000
	count := func(s search.Softmax, values ...int) []float64 {
		taken := make([]float64, len(values))
		for seed := range uint64(n) {
			taken[s.Choose(values, seed)]++
		}
		return taken
	}
	taken := count(search.Softmax{MaxLoss: 100, Temperature: 30}, 50, 20, -10, -51)
	for i, want := range []float64{1, 1.0 / 3, 1.0 / 9, 0} {
		if got := taken[i] / taken[0]; math.Abs(got-want) > 0.03 {
			t.Errorf("move %d is taken %g times as often as the best, not %g", i, got, want)
		}
	}
	taken = count(search.Softmax{BlunderRate: 0.2}, 50, -1000)
	if got := taken[1] / n; math.Abs(got-0.1) > 0.01 {
		t.Errorf("who is careless in a fifth of the cases takes the worse of two in %g", got)
	}
	if taken := count(search.Softmax{}, 50, 50); taken[1] != 0 {
		t.Errorf("the zero value takes %v", taken)
	}
}
