package ai

import (
	"encoding/binary"
	"fmt"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Moves are the indices of points, and two that place no stone.
const (
	pass       search.Move = 0xfe // pass and convert
	finishTurn search.Move = 0xff // convert and end, in a turn that has begun
)

const points, circles = 216, 91 // on the largest board

// frame is the position after a move.
type frame struct {
	board    rings.State
	forecast forecast
}

// State is the search state. It must not be copied.
//
// Unmake drops a copy of the position: that is faster than taking back the
// conversions of a turn.
type State struct {
	origin       *rings.Position // names the actions
	seats        int
	frames       []frame
	table        *table
	pairGains    *pairGains     // of the table, with two seats
	patterns     *patterns      // the learned evaluation of two seats, or nil
	seatPatterns *seatPatterns  // that of more, or nil
	tieSeed      uint64         // if not 0, reorders nearly equal points in Moves
	gains        [circles]int32 // buffer of Moves
	sideEffects  [circles]bool
	sorted       [points]int32
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Estimator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

// NewState returns the search state of a position. It fails for positions of
// other games.
func NewState(p engine.Position) (*State, error) { return newState(p, nil) }

// newState returns NewState with other tables than those in use, unless they are nil.
func newState(p engine.Position, t *tables) (*State, error) {
	origin, ok := p.(*rings.Position)
	if !ok {
		return nil, fmt.Errorf("rings/ai: a position of %T is none of %s", p, rings.Key)
	}
	s := &State{origin: origin, seats: origin.Seats(), frames: make([]frame, 1, 16)}
	switch {
	case t != nil:
		s.table, s.pairGains = &t.table, &t.gains
	case s.seats > 2:
		s.table = &multiSeatTable
	default:
		s.table, s.pairGains = &twoSeatTable, &twoSeatGains
	}
	f := &s.frames[0]
	f.board = origin.State()
	s.table.forecast(&f.board, s.seats, &f.forecast)
	return s, nil
}

func (s *State) top() *frame { return &s.frames[len(s.frames)-1] }

func (s *State) Seat() int { return int(s.top().board.Seat()) - 1 }

// Seats returns the number of seats, including those that have resigned.
func (s *State) Seats() int { return s.seats }

func (s *State) Make(m search.Move) {
	s.frames = append(s.frames, frame{})
	f, before := s.top(), &s.frames[len(s.frames)-2]
	*f = *before
	quiet := f.play(m)
	switch {
	case m == pass && quiet:
	case quiet:
		for _, c := range f.board.CirclesAt(int(m)) {
			s.table.update(before.board.Tally(int(c)), f.board.Tally(int(c)), s.seats, &f.forecast)
		}
	default:
		for c := range f.board.CircleCount() {
			was, is := before.board.Tally(c), f.board.Tally(c)
			if was != is {
				s.table.update(was, is, s.seats, &f.forecast)
			}
		}
	}
}

// play plays a turn and reports whether it is quiet: only the circles of the
// point change.
func (f *frame) play(m search.Move) (quiet bool) {
	b := &f.board
	quiet = m != finishTurn
	if quiet {
		b.Play(rings.Move(m))
		quiet = b.LegalCount() == 1
		if quiet && m != pass {
			for _, c := range b.CirclesAt(int(m)) {
				quiet = quiet && !b.Tally(int(c)).Ring() // a new ring: it had an empty point
			}
		}
	}
	for b.Converting() {
		b.Play(b.NthLegal(0)) // any circle, as the order does not matter
	}
	return quiet
}

func (s *State) Unmake() { s.frames = s.frames[:len(s.frames)-1] }

// Hash covers the stones, the seat to move, whether its turn has begun, and the
// seats that have passed or resigned.
func (s *State) Hash() uint64 {
	b := &s.top().board
	h := uint64(b.Turn()) | uint64(b.PassedSeats())<<8 | uint64(b.ActiveSeats())<<16 | uint64(s.origin.Side())<<24
	if b.Converting() {
		h |= 1 << 32
	}
	h = search.Mix(h)
	stones := b.Stones()
	for i := 0; i < points; i += 8 {
		const safe = 0x0808080808080808 // implied by the stones
		if w := binary.LittleEndian.Uint64(stones[i:]) &^ safe; w != 0 {
			h += search.Mix(w + uint64(i)<<56)
		}
	}
	return h
}

// Payoffs shares the win among the active seats with the highest score.
func (s *State) Payoffs(values []float64) {
	b := &s.top().board
	payoffs(b.ActiveSeats(), b.Score, values)
}

// payoffs computes payoffs from the set of active seats, with bit k for seat k,
// and their scores.
func payoffs(playing uint8, score func(engine.Seat) int, values []float64) {
	most, winners := -1, 0.0
	for i := range values {
		values[i] = -2 // never the highest score
		if playing>>(i+1)&1 == 0 {
			continue
		}
		n := score(engine.Seat(i + 1))
		values[i] = float64(n)
		switch {
		case n > most:
			most, winners = n, 1
		case n == most:
			winners++
		}
	}
	for i, n := range values {
		values[i] = 0
		if int(n) == most {
			values[i] = 1 / winners
		}
	}
}

// Actions returns the stone or pass, every conversion, and the end of the turn.
func (s *State) Actions(m search.Move) (actions []engine.Action) {
	b := s.top().board
	play := func(m rings.Move) {
		actions = append(actions, s.origin.Action(m))
		b.Play(m)
	}
	if m != finishTurn {
		play(rings.Move(m))
	}
	for b.Converting() {
		play(b.NthLegal(0))
	}
	return actions
}
