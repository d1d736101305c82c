package rings

import (
	"fmt"
	"slices"

	"castellan/engine"
)

// RetireError says why a seat cannot leave.
type RetireError struct {
	Seat engine.Seat
	Why  engine.Phrase
}

func (e *RetireError) Error() string { return e.Why.String() }

// Retire is the position after the seat has left, at the start of a turn. Its
// stones stay; its turns are skipped. It fails with a *RetireError.
func (p *Position) Retire(seat engine.Seat) (engine.Position, error) {
	fail := func(id string) (engine.Position, error) {
		return nil, &RetireError{seat, texts.Phrase(id, "Seat", fmt.Sprint(int(seat)))}
	}
	switch {
	case p.state.ending != Ongoing:
		return fail("rings.retire.over")
	case seat < 1 || int(seat) > p.seats:
		return fail("rings.retire.nobody")
	case p.Retired(seat):
		return fail("rings.retire.twice")
	case p.state.converting:
		return fail("rings.retire.open")
	}
	next := *p
	next.retired[seat-1] = slices.Max(p.retired[:]) + 1
	next.state.retire(uint8(seat))
	return &next, nil
}

// Result ranks those who were still playing by score, below them those who
// have retired, the last of them first. Who is level at the top shares the win.
func (p *Position) Result() (engine.Result, bool) {
	if p.state.ending == Ongoing {
		return engine.Result{}, false
	}
	r := engine.Result{Reason: p.state.ending.String()}
	for i := range p.seats {
		rank := 1
		for j := range p.seats {
			if p.before(j, i) {
				rank++
			}
		}
		r.Ranks = append(r.Ranks, rank)
		r.Scores = append(r.Scores, int(p.state.score[i+1]))
		if rank == 1 {
			r.Winners = append(r.Winners, engine.Seat(i+1))
		}
	}
	return r, true
}

// before reports whether seat index i ranks before seat index j.
func (p *Position) before(i, j int) bool {
	a, b := p.retired[i], p.retired[j]
	switch {
	case a == 0 && b == 0:
		return p.state.score[i+1] > p.state.score[j+1]
	case a == 0 || b == 0:
		return a == 0
	}
	return a > b
}
