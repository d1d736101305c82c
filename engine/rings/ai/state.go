package ai

import (
	"encoding/binary"
	"fmt"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// The moves: the index of a point, and two that place no stone.
const (
	pass search.Move = 0xfe // pass, and convert
	rest search.Move = 0xff // of a turn that has begun: convert, and end
)

const points, circles = 216, 91 // on the largest board

// frame is the position after a move.
type frame struct {
	board rings.State
	worth worth
}

// State is a game of Rings as searches walk it. It is no value to copy.
//
// To take a move back is to forget a copy: that is quicker than to play a turn
// with its conversions backwards.
type State struct {
	origin *rings.Position // names the actions
	seats  int
	frames []frame
	table  *table
	nuance uint64         // if not 0, decides which of nearly equal points Moves has first
	gains  [circles]int32 // room of Moves
	sharp  [circles]bool
	sorted [points]int32
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Estimator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

// NewState is the state of a position of Rings; it fails where the position is
// of another game.
func NewState(p engine.Position) (*State, error) {
	origin, ok := p.(*rings.Position)
	if !ok {
		return nil, fmt.Errorf("rings/ai: a position of %T is none of %s", p, rings.Key)
	}
	s := &State{origin: origin, seats: origin.Seats(), frames: make([]frame, 1, 16)}
	s.table = &few
	if s.seats > 2 {
		s.table = &many
	}
	f := &s.frames[0]
	f.board = origin.State()
	s.table.all(&f.board, s.seats, &f.worth)
	return s, nil
}

func (s *State) top() *frame { return &s.frames[len(s.frames)-1] }

// Seat is whose turn is next, from 0, or -1 when the game is over.
func (s *State) Seat() int { return int(s.top().board.Seat()) - 1 }

// Seats is the number of seats, those that have retired included.
func (s *State) Seats() int { return s.seats }

// Make plays a turn.
func (s *State) Make(m search.Move) {
	s.frames = append(s.frames, frame{})
	f, before := s.top(), &s.frames[len(s.frames)-2]
	*f = *before
	quiet := f.play(m)
	switch {
	case m == pass && quiet:
	case quiet:
		for _, c := range f.board.CirclesAt(int(m)) {
			s.table.change(before.board.Tally(int(c)), f.board.Tally(int(c)), s.seats, &f.worth)
		}
	default:
		for c := range f.board.CircleCount() {
			was, is := before.board.Tally(c), f.board.Tally(c)
			if was != is {
				s.table.change(was, is, s.seats, &f.worth)
			}
		}
	}
}

// play plays a turn; it is quiet where that changes no circle but those of the
// point.
func (f *frame) play(m search.Move) (quiet bool) {
	b := &f.board
	quiet = m != rest
	if quiet {
		b.Make(rings.Move(m))
		quiet = b.LegalCount() == 1
		if quiet && m != pass {
			for _, c := range b.CirclesAt(int(m)) {
				quiet = quiet && b.Tally(int(c))>>63 == 0 // a ring is new: a point of it was empty
			}
		}
	}
	for b.Converting() {
		b.Make(b.NthLegal(0)) // a circle, while there is one; the order does not matter
	}
	return quiet
}

// Unmake takes the last turn back.
func (s *State) Unmake() { s.frames = s.frames[:len(s.frames)-1] }

// Hash covers the stones, whose turn it is, whether it has begun, and who has
// passed or retired.
func (s *State) Hash() uint64 {
	b := &s.top().board
	h := uint64(b.Turn()) | uint64(b.PassedSeats())<<8 | uint64(b.ActiveSeats())<<16 | uint64(s.origin.Side())<<24
	if b.Converting() {
		h |= 1 << 32
	}
	h = search.Mix(h)
	stones := b.Stones()
	for i := 0; i < points; i += 8 {
		const safe = 0x0808080808080808 // which follows from the stones
		if w := binary.LittleEndian.Uint64(stones[i:]) &^ safe; w != 0 {
			h += search.Mix(w + uint64(i)<<56)
		}
	}
	return h
}

// Share gives those who have the highest score of all who have not retired as
// much each.
func (s *State) Share(values []float64) {
	b := &s.top().board
	share(b.ActiveSeats(), b.Score, values)
}

// share does so, given who is playing, bit k for seat k, and what they score.
func share(playing uint8, score func(engine.Seat) int, values []float64) {
	most, winners := -1, 0.0
	for i := range values {
		values[i] = -2
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

// Actions is the stone or pass, every conversion, and the end of the turn.
func (s *State) Actions(m search.Move) (actions []engine.Action) {
	b := s.top().board
	play := func(m rings.Move) {
		actions = append(actions, s.origin.Action(m))
		b.Make(m)
	}
	if m != rest {
		play(rings.Move(m))
	}
	for b.Converting() {
		play(b.NthLegal(0))
	}
	return actions
}
