package arena

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"castellan/cmd/lab/internal/protocol"
	"castellan/engine"
	"castellan/engine/search"
)

// opening holds the random turns with which the games of a set begin.
type opening struct {
	line     protocol.History
	position engine.Position
}

// openings returns n openings, the same first ones for any larger n, and the
// number of distinct ones. When a few attempts draw no new opening, that
// opening and all further ones get one more turn per seat, as long as games go
// on. It draws them once, as a Judge takes long.
func (t *Tournament) openings(n int) (all []opening, distinct int, err error) {
	if len(t.drawn) == n {
		return t.drawn, t.distinct, nil
	}
	start, err := t.Game.New(t.Options, t.Seats)
	if err != nil {
		return nil, 0, err
	}
	seen := map[uint64]bool{}
	turns := t.OpeningTurns
	for i := range n {
		o, ok, err := t.drawOpening(start, turns, uint64(i), seen)
		if err != nil {
			return nil, 0, err
		}
		if ok && seen[o.position.Hash()] && turns > 0 {
			longer, going, err := t.drawOpening(start, turns+t.Seats, uint64(i), seen)
			if err != nil {
				return nil, 0, err
			}
			if going && !seen[longer.position.Hash()] {
				o, turns = longer, turns+t.Seats
			}
		}
		if !ok {
			return nil, 0, errors.New("the openings are so long that games are over before they begin, or in one turn")
		}
		if key := o.position.Hash(); !seen[key] {
			seen[key] = true
			distinct++
		}
		all = append(all, o)
	}
	t.drawn, t.distinct = all, distinct
	return all, distinct, nil
}

// attempts is the number of openings drawn before all of a length count as used, and
// among which the Judge looks for an even one.
const attempts = 16

// evenEnough is the largest difference from half that the Judge's expected payoff may
// have in a balanced opening.
const evenEnough = 0.05

// drawOpening returns a new opening, or if it finds none a used one. ok is
// false if all games were over.
func (t *Tournament) drawOpening(start engine.Position, turns int, number uint64, seen map[uint64]bool) (found opening, ok bool, err error) {
	best := 1.0 // distance from half
	for attempt := range uint64(attempts) {
		o, going, err := t.playOpening(start, turns, seed(t.Seed, number, attempt))
		if err != nil {
			return opening{}, false, err
		}
		if !going {
			continue
		}
		if seen[o.position.Hash()] {
			if !ok {
				found, ok = o, true
			}
			continue
		}
		off, err := t.unevenness(o.position, seed(t.Seed, number, attempt))
		if err != nil {
			return opening{}, false, err
		}
		if off < best {
			found, ok, best = o, true, off
		}
		if best <= evenEnough {
			break
		}
	}
	return found, ok, nil
}

// playOpening plays random turns. going is false if the game is over, or
// WinFinder wins it in the next turn.
func (t *Tournament) playOpening(p engine.Position, turns int, from uint64) (o opening, going bool, err error) {
	o.line = protocol.History{Options: t.Options, Seats: t.Seats}
	for turn := range turns {
		if p.Seat() == engine.Nobody {
			return o, false, nil
		}
		d, err := search.Random{}.Think(context.Background(), p, search.Limits{Seed: seed(from, uint64(turn), 0)})
		if err != nil {
			return o, false, err
		}
		if p, err = d.Apply(p); err != nil {
			return o, false, err
		}
		o.line.Actions = append(o.line.Actions, d.Actions...)
	}
	o.position = p
	if p.Seat() == engine.Nobody {
		return o, false, nil
	}
	taken, err := t.winsAtOnce(p, seed(from, uint64(turns), 1))
	return o, !taken, err
}

// unevenness returns how far the chances of the first seat are from half, as the
// Judge values them.
func (t *Tournament) unevenness(p engine.Position, from uint64) (float64, error) {
	if t.Judge == nil || t.Seats != 2 {
		return 0, nil
	}
	d, err := t.Judge.Think(context.Background(), p, search.Limits{Seed: from})
	if err != nil || len(d.Values) == 0 {
		return 0, err
	}
	return math.Abs(d.Values[0] - 0.5), nil
}

// winsAtOnce reports whether WinFinder wins in one turn.
func (t *Tournament) winsAtOnce(p engine.Position, from uint64) (bool, error) {
	if t.WinFinder == nil {
		return false, nil
	}
	mover := p.Seat()
	d, err := t.WinFinder.Think(context.Background(), p, search.Limits{Seed: from})
	if err != nil {
		return false, err
	}
	if p, err = d.Apply(p); err != nil {
		return false, err
	}
	result, over := p.Result()
	return over && slices.Equal(result.Winners, []engine.Seat{mover}), nil
}

func seed(from, a, b uint64) uint64 {
	return rand.NewPCG(from, a<<32^b).Uint64()
}
