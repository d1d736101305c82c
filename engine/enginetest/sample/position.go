package sample

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"castellan/engine"
)

// Position is a position of the game under any version of the rules. It holds
// only numbers and arrays, so that a copy shares nothing.
type Position struct {
	maxTakings         int // the most in a turn: 1 in version 1 of the rules, 2 in version 2
	piles, most, seats int

	pile    [maxPiles]int
	score   [engine.MaxSeats]int
	passed  [engine.MaxSeats]bool // in the unbroken sequence
	retired [engine.MaxSeats]int  // 1 for the first to retire, then 2 and so on
	seat    engine.Seat           // to act, or the next one when the game is over
	taken   int                   // takings in the open turn
	turns   int
}

var _ engine.Retirer = (*Position)(nil)

func (p *Position) Seat() engine.Seat {
	if p.reason() != "" {
		return engine.Nobody
	}
	return p.seat
}

func (p *Position) Turns() int { return p.turns }

// reason returns why the game is over, or "".
func (p *Position) reason() string {
	switch playing, waiting := p.playing(); {
	case playing == 1:
		return "alone"
	case waiting == 0:
		return "passes"
	}
	return ""
}

// playing returns the number of seats that have not retired, and of those that
// have not passed either.
func (p *Position) playing() (all, waiting int) {
	for i := range p.seats {
		if p.retired[i] == 0 {
			all++
			if !p.passed[i] {
				waiting++
			}
		}
	}
	return all, waiting
}

// left returns the number of counters in all piles.
func (p *Position) left() (n int) {
	for _, c := range p.pile {
		n += c
	}
	return n
}

// Legal returns the takings by pile and number, then end; or pass alone.
func (p *Position) Legal() []engine.Action {
	if p.reason() != "" {
		return nil
	}
	if p.taken == 0 && p.left() == 0 {
		return []engine.Action{Action{Word: engine.Pass}}
	}
	var out []engine.Action
	if p.taken < p.maxTakings {
		for i := range p.piles {
			for n := 1; n <= min(p.most, p.pile[i]); n++ {
				out = append(out, Action{Pile: i, N: n})
			}
		}
	}
	if p.taken > 0 {
		out = append(out, Action{Word: engine.End})
	}
	return out
}

func (p *Position) Apply(action engine.Action) (engine.Position, error) {
	if why := p.brokenRule(action); !why.IsZero() {
		return nil, &engine.IllegalError{Action: action, Why: why}
	}
	a, next := action.(Action), *p
	switch a.Word {
	case engine.Pass:
		next.passed[p.seat-1] = true
		next.endTurn()
	case engine.End:
		next.endTurn()
	default:
		next.pile[a.Pile] -= a.N
		next.score[p.seat-1] += a.N
		next.taken++
		clear(next.passed[:])
	}
	return &next, nil
}

// brokenRule returns a sentence that names the rule an action breaks, empty if it
// is legal.
func (p *Position) brokenRule(action engine.Action) engine.Phrase {
	a, ok := action.(Action)
	switch {
	case !ok:
		return texts.Phrase("sample.illegal.foreign", "Token", fmt.Sprint(action))
	case p.reason() != "":
		return texts.Phrase("sample.illegal.over")
	case a.Word == engine.Pass && (p.taken > 0 || p.left() > 0):
		return texts.Phrase("sample.illegal.pass")
	case a.Word == engine.End && p.taken == 0:
		return texts.Phrase("sample.illegal.end")
	case a.Word != "":
		return engine.Phrase{}
	case p.taken == p.maxTakings && p.maxTakings == 1:
		return texts.Phrase("sample.illegal.once")
	case p.taken == p.maxTakings:
		return texts.Phrase("sample.illegal.twice")
	case a.Pile < 0 || a.Pile >= p.piles:
		return texts.Phrase("sample.illegal.pile", "Pile", pileName(a.Pile))
	case a.N < 1 || a.N > p.most:
		return texts.Phrase("sample.illegal.most", "Count", p.most)
	case a.N > p.pile[a.Pile]:
		return texts.Phrase("sample.illegal.left", "Pile", pileName(a.Pile))
	}
	return engine.Phrase{}
}

// endTurn counts the turn and gives the next one to the next seat.
func (p *Position) endTurn() {
	p.turns++
	p.taken = 0
	p.nextSeat()
}

// nextSeat gives the turn to the next seat that has not retired.
func (p *Position) nextSeat() {
	for range p.seats {
		p.seat = p.seat%engine.Seat(p.seats) + 1
		if p.retired[p.seat-1] == 0 {
			return
		}
	}
}

func (p *Position) Retire(seat engine.Seat) (engine.Position, error) {
	switch {
	case p.reason() != "":
		return nil, errors.New(texts.Phrase("sample.illegal.over").String())
	case seat < 1 || int(seat) > p.seats:
		return nil, errors.New(texts.Phrase("sample.retire.nobody", "Seat", int(seat)).String())
	case p.retired[seat-1] != 0:
		return nil, errors.New(texts.Phrase("sample.retired", "Seat", int(seat)).String())
	case seat == p.seat && p.taken > 0:
		return nil, errors.New(texts.Phrase("sample.retire.open", "Seat", int(seat)).String())
	}
	next := *p
	next.retired[seat-1] = slices.Max(p.retired[:]) + 1
	if seat == p.seat {
		next.nextSeat()
	}
	return &next, nil
}

// Result ranks seats by score, and retired ones last.
func (p *Position) Result() (engine.Result, bool) {
	reason := p.reason()
	if reason == "" {
		return engine.Result{}, false
	}
	r := engine.Result{Reason: reason, Scores: slices.Clone(p.score[:p.seats])}
	for i := range p.seats {
		rank := 1
		for j := range p.seats {
			if p.ahead(j, i) {
				rank++
			}
		}
		r.Ranks = append(r.Ranks, rank)
		if rank == 1 {
			r.Winners = append(r.Winners, engine.Seat(i+1))
		}
	}
	return r, true
}

// ahead reports whether seat index i ranks before seat index j.
func (p *Position) ahead(i, j int) bool {
	switch {
	case p.retired[i] == 0 && p.retired[j] == 0:
		return p.score[i] > p.score[j]
	case p.retired[i] == 0:
		return true
	case p.retired[j] == 0:
		return false
	}
	return p.retired[i] > p.retired[j]
}

// Hash returns a hash of everything but the number of turns.
func (p *Position) Hash() uint64 {
	content := *p
	content.turns = 0
	h := fnv.New64a()
	fmt.Fprint(h, content) // a hash.Hash never fails
	return h.Sum64()
}

func (p *Position) Status() engine.Phrase { return texts.Phrase("sample.status", "Count", p.left()) }

func (p *Position) Summary() engine.Phrase {
	var scores []string
	for _, s := range p.score[:p.seats] {
		scores = append(scores, fmt.Sprint(s))
	}
	return texts.Phrase("sample.summary", "Left", p.Status(), "Scores", strings.Join(scores, ", "))
}

func (p *Position) Describe() []engine.Phrase {
	out := []engine.Phrase{p.Summary()}
	for i := range p.piles {
		out = append(out, texts.Phrase("sample.describe", "Pile", pileName(i), "Count", p.pile[i]))
	}
	for i := range p.piles {
		out = append(out, engine.Verbatim(pileName(i)+strings.Repeat(" o", p.pile[i])))
	}
	return out
}
