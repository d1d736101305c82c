package ai

import (
	"fmt"
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/search/fit"
)

// Model returns the learned evaluation of two seats, to train it.
func Model() fit.Model {
	return fit.Model{
		Game: rings.Key, Weights: make([]float64, fit.Phases*features), Unit: 1, Point: circle,
		Starts: func(weights []int16) func(*rand.Rand) fit.Position {
			p := newPatterns(weights)
			return func(r *rand.Rand) fit.Position {
				s, err := NewState(drawStart(r, 2))
				if err != nil {
					panic(err)
				}
				s.patterns = p
				return trainee{s}
			}
		},
		Settings: fit.Settings{Games: 40_000, Seed: 1, Rate: 40, Lambda: 0.9, Noise: 80, Opening: opening},
		InUse:    learnedWeights,
		Player: func(weights []int16) search.Player {
			return TreeSearch{Learned: true, patterns: newPatterns(weights)}
		},
	}
}

// SeatModel returns the learned evaluation of more seats, to train it.
func SeatModel() fit.Model {
	return fit.Model{
		Game: rings.Key, Weights: make([]float64, fit.Phases*seatFeatures), Unit: 1, Point: circle,
		SeatStarts: func(weights []int16) func(*rand.Rand) fit.SeatPosition {
			p := newSeatPatterns(weights)
			return func(r *rand.Rand) fit.SeatPosition {
				s, err := NewState(drawStart(r, 3+r.IntN(engine.MaxSeats-2)))
				if err != nil {
					panic(err)
				}
				s.seatPatterns = p
				return trainee{s}
			}
		},
		Settings: fit.Settings{Games: 12_800, Seed: 1, Rate: 40, Lambda: 0.9, Noise: 80, Opening: opening, Batch: 64},
		InUse:    learnedSeatWeights,
		Player: func(weights []int16) search.Player {
			return TreeSearch{Learned: true, seatPatterns: newSeatPatterns(weights)}
		},
	}
}

// opening is the number of random turns at the start of a game of the training.
const opening = 6

// drawStart draws a first position: two of three are on the largest board.
func drawStart(r *rand.Rand, seats int) *rings.Position {
	side := 6
	if r.IntN(3) == 0 {
		side = 3 + r.IntN(3)
	}
	p, err := engine.Start(rings.Game{}, fmt.Sprintf("side=%d", side), seats)
	if err != nil {
		panic(err)
	}
	return p.(*rings.Position)
}

type trainee struct{ *State }

// candidates is the number of moves among which a game of the training chooses after
// its opening.
const candidates = 12

// Moves appends the best moves by their forecasts, and the pass. In the opening it
// appends all moves.
func (t trainee) Moves(to []search.Move) []search.Move {
	from := len(to)
	to = t.State.Moves(to)
	if n := len(to) - 1; len(t.frames) > opening && n > from+candidates {
		last := to[n]
		to = to[:from+candidates]
		if last == pass {
			to = append(to, pass)
		}
	}
	return to
}

// Evaluate returns the lead of the seat to move in thousandths of a circle.
func (t trainee) Evaluate() int { return int(t.twoSeatLead(t.Seat())) }

// Features appends the numbers of all pairs and triples.
func (t trainee) Features(to []int32) []int32 {
	f, n := t.top(), &neighbourhoods[t.origin.Side()]
	var v view
	seat := int(f.board.Turn()) - 1
	v.look(&f.board, seat)
	for _, c := range n.pairs {
		to = append(to, int32(pairNumber(int(v.kind[c[0]]), int(v.kind[c[1]]))))
	}
	for i, on := range n.around {
		to = append(to, int32(triplesAt+tripleNumber(stoneOf(f.board.Stones()[i], seat), v.around(on))))
	}
	return append(to, tempoAt)
}

// SeatFeatures appends the numbers of all pairs and triples as a seat sees them.
func (t trainee) SeatFeatures(seat int, to []int32) []int32 {
	f, n := t.top(), &neighbourhoods[t.origin.Side()]
	var v seatViews
	v.look(&f.board, t.seats)
	word, lane := seat/wordSeats, seat%wordSeats
	for _, c := range n.pairs {
		i := v.pairs(word, c).of(lane)
		to = append(to, int32(pairNumber(i/seatKinds, i%seatKinds)))
	}
	for at, on := range n.around {
		i := v.triples(word, f.board.Stones()[at], on).of(lane)
		to = append(to, int32(seatTriplesAt+tripleNumber(i/arounds, i%arounds)))
	}
	return append(to, int32(seatTurnsAt+(seat+t.seats+1-int(f.board.Turn()))%t.seats))
}

// Scores fills in what each seat is expected to hold in the end, or holds, in
// thousandths of a circle.
func (t trainee) Scores(values []float64) {
	var held [engine.MaxSeats]int32
	if b := &t.top().board; b.Seat() == engine.Nobody {
		for i := range t.seats {
			held[i] = circle * int32(b.Score(engine.Seat(i+1)))
		}
	} else {
		t.expected(held[:t.seats])
	}
	for i := range values {
		values[i] = float64(held[i])
	}
}

func (t trainee) Stage() [fit.Phases]float64 {
	a, b, c := stage(t.top().board.EmptyCount(), len(neighbourhoods[t.origin.Side()].around))
	return [fit.Phases]float64{float64(a) / phaseScale, float64(b) / phaseScale, float64(c) / phaseScale}
}

// Margin returns the lead of seat 0 in thousandths of a circle.
func (t trainee) Margin() float64 {
	b := &t.top().board
	return circle * float64(b.Score(1)-b.Score(2))
}
