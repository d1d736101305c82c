package games_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/cmd/internal/games"
	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/search/searchtest"
)

// solver finds out by the rules alone who wins, looking at every legal action.
type solver struct {
	left  int // positions that it may still look at
	known map[uint64]float64
}

var errTooLarge = errors.New("too many positions")

// value returns what the first seat gets with best play of both: 1, 0, or 1/2 for a
// draw. It looks at most turns ahead, and fails if that does not decide it.
func (s *solver) value(p engine.Position, turns int) (float64, error) {
	if result, over := p.Result(); over {
		return payoff(result), nil
	}
	if s.left--; s.left < 0 || p.Turns() >= turns {
		return 0, errTooLarge
	}
	if v, ok := s.known[p.Hash()]; ok {
		return v, nil
	}
	best, undecided := -1.0, false
	for _, a := range p.Legal() {
		after, err := p.Apply(a)
		if err != nil {
			return 0, err
		}
		v, err := s.value(after, turns)
		if err != nil {
			if s.left < 0 {
				return 0, err
			}
			undecided = true
			continue
		}
		if p.Seat() == 2 {
			v = 1 - v
		}
		if best = max(best, v); best == 1 {
			undecided = false
			break
		}
	}
	if undecided {
		return 0, errTooLarge
	}
	if p.Seat() == 2 {
		best = 1 - best
	}
	if s.known != nil {
		s.known[p.Hash()] = best
	}
	return best, nil
}

// payoff returns what the first of two seats gets.
func payoff(r engine.Result) float64 {
	switch {
	case len(r.Winners) != 1:
		return 0.5
	case r.Winners[0] == 1:
		return 1
	}
	return 0
}

// endgames are the games for two with the options of their endgames, how many turns before
// the end of a random game these begin, and how far the solver looks.
var endgames = map[string]struct {
	options map[string]string
	before  int
	horizon int  // in turns; 0 for up to the end
	cycles  bool // positions can come again
}{
	"stone-towers": {map[string]string{"width": "5", "height": "4", "turns": "10"}, 6, 0, false},
	"towers":       {nil, 3, 3, true},
	"rings":        {map[string]string{"side": "3"}, 7, 0, false},
	"trails":       {map[string]string{"size": "7", "towers": "1"}, 10, 0, false},
}

// The strongest level of each game plays endgames without a mistake, and what it calls
// certain is true. A solver that knows nothing but the rules says what is right.
func TestEndgames(t *testing.T) {
	for _, g := range games.All {
		c, key := endgames[g.Rules.Key()], g.Rules.Key()
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(37, 38))
			options, err := g.Rules.Options().Options(c.options)
			if err != nil {
				t.Fatal(err)
			}
			level := g.Engine.Levels[len(g.Engine.Levels)-1]
			solved, proofs, tried := 0, 0, 0
			for want := enginetest.Sample(12, 300); solved < want; tried++ {
				if tried > 100*want {
					t.Fatalf("only %d of %d endgames can be solved", solved, tried)
				}
				p := late(t, g.Rules, options, c.before, random)
				solve := func(p engine.Position, turns int) (float64, error) {
					s := solver{left: 300_000}
					if !c.cycles {
						s.known = map[uint64]float64{}
					}
					if c.horizon == 0 {
						turns = 1 << 30
					}
					return s.value(p, turns)
				}
				right, err := solve(p, p.Turns()+c.horizon)
				if err != nil {
					continue
				}
				if _, err := solve(p, p.Turns()+1); c.horizon > 0 && err == nil && tried%8 != 0 {
					continue // it is over in one turn, which is easy
				}
				solved++
				limits := level.Limits
				limits.Seed = uint64(tried)
				d := searchtest.Think(t, level.Player, p, limits)
				after, err := d.Apply(p)
				if err != nil {
					t.Fatal(err)
				}
				got, err := solve(after, p.Turns()+c.horizon)
				if err != nil { // a longer way
					got, err = solve(after, p.Turns()+c.horizon+2)
				}
				if err != nil {
					t.Errorf("endgame %d: %v leads where nobody can tell; before it the first seat got %v\n%s", tried, d.Actions, right, p.Summary())
				} else if got != right {
					t.Errorf("endgame %d: after %v the first seat gets %v, not %v\n%s", tried, d.Actions, got, right, p.Summary())
				}
				if d.Values != nil && slices.Contains([]float64{0, 1}, d.Values[0]) {
					if proofs++; d.Values[0] != right {
						t.Errorf("endgame %d: %v are called certain, but the first seat gets %v\n%s", tried, d.Values, right, p.Summary())
					}
				}
			}
			t.Logf("%d endgames of %d, %d called certain", solved, tried, proofs)
		})
	}
}

// late returns a position some turns before the end of a random game.
func late(t *testing.T, rules engine.Game, options engine.Options, before int, random *rand.Rand) engine.Position {
	t.Helper()
	p, err := rules.New(options, 2)
	if err != nil {
		t.Fatal(err)
	}
	all := []engine.Position{p} // at the beginning of each turn
	for p.Seat() != engine.Nobody {
		legal := p.Legal()
		next, err := p.Apply(legal[random.IntN(len(legal))])
		if err != nil {
			t.Fatal(err)
		}
		if next.Turns() != p.Turns() && next.Seat() != engine.Nobody {
			all = append(all, next)
		}
		p = next
	}
	return all[max(len(all)-1-random.IntN(before+1), 0)]
}
