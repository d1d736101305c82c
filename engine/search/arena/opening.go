package arena

import (
	"context"
	"errors"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/protocol"
)

// opening is where the games of a set begin.
type opening struct {
	line     protocol.Line
	position engine.Position
}

// openings is that many openings of so many random turns, the first of them the
// same for any larger number. Those that differ are as many as there can be,
// as far as a few attempts at each find one; distinct says how many do.
func (t *Tournament) openings(n int) (all []opening, distinct int, err error) {
	start, err := t.Game.New(t.Options, t.Seats)
	if err != nil {
		return nil, 0, err
	}
	seen := map[uint64]bool{}
	for i := range n {
		var found opening
		ok := false
		for attempt := uint64(0); attempt < 64; attempt++ {
			o, going, err := t.opening(start, seed(t.Seed, uint64(i), attempt))
			if err != nil {
				return nil, 0, err
			}
			if !going {
				continue
			}
			found, ok = o, true
			if !seen[o.position.Hash()] {
				distinct++
				break
			}
		}
		if !ok {
			return nil, 0, errors.New("the openings are so long that games are over before they begin")
		}
		seen[found.position.Hash()] = true
		all = append(all, found)
	}
	return all, distinct, nil
}

// opening plays random turns; going is false where the game is over then.
func (t *Tournament) opening(p engine.Position, from uint64) (o opening, going bool, err error) {
	o.line = protocol.Line{Options: t.Options, Seats: t.Seats}
	for turn := range t.Openings {
		if p.Seat() == engine.Nobody {
			return o, false, nil
		}
		thought, err := search.Random{}.Think(context.Background(), p, search.Limits{Seed: seed(from, uint64(turn), 0)})
		if err != nil {
			return o, false, err
		}
		for _, a := range thought.Actions {
			if p, err = p.Apply(a); err != nil {
				return o, false, err
			}
		}
		o.line.Actions = append(o.line.Actions, thought.Actions...)
	}
	o.position = p
	return o, p.Seat() != engine.Nobody, nil
}

// seed is a seed that comes from others.
func seed(from, a, b uint64) uint64 {
	return rand.NewPCG(from, a<<32^b).Uint64()
}
