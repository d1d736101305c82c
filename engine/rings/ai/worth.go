package ai

import (
	"math"

	"castellan/engine"
	"castellan/engine/rings"
)

// worth is how many circles every seat is expected to hold in the end, in
// thousandths: if it is not next to move, and if it is.
type worth [engine.MaxSeats][2]int32

// table is how likely, in thousandths, a seat is to hold a circle in the end
// where it has a stones of its own there, e points are empty, another seat has
// m stones, which is as many as any, and r and o of the neighbours, 2 for more,
// are rings of its own and of others. The last index is 1 for the seat that is
// next to move.
type table [7][7][7][ringsMost + 1][ringsMost + 1][2]int16

const ringsMost = 2

// count is what one seat has on a circle, and all the others have.
type count struct{ own, empty, most, rings, others int }

func (t *table) at(c count) *[2]int16 {
	return &t[c.own][c.empty][c.most][min(c.rings, ringsMost)][min(c.others, ringsMost)]
}

// pair is the cells of seat 1 and seat 2 of two.
func (t *table) pair(tally uint64) (one, two *[2]int16) {
	a, b := tally>>3&7, tally>>13&7
	r, o := min(tally>>6&15-a, ringsMost), min(tally>>16&15-b, ringsMost)
	return &t[a][6-a-b][b][r][o], &t[b][6-a-b][a][o][r]
}

// counts is what a tally of the rules says for every seat.
func counts(t uint64, seats int, to *[engine.MaxSeats]count) {
	empty, best, most, second := 6, 0, 0, 0
	around := int(t >> 60 & 7)
	for k := range seats {
		n := int(t >> (10*k + 3) & 7)
		empty -= n
		to[k].own, to[k].rings = n, int(t>>(10*k+6)&15)-n
		switch {
		case n > most:
			best, most, second = k, n, most
		case n > second:
			second = n
		}
	}
	for k := range seats {
		c := &to[k]
		c.empty, c.most, c.others = empty, most, around-c.rings
		if k == best {
			c.most = second
		}
	}
}

// change brings the worth up to date with a circle.
func (t *table) change(was, is uint64, seats int, w *worth) {
	if seats == 2 {
		x, y := t.pair(was)
		u, v := t.pair(is)
		w[0][0] += int32(u[0]) - int32(x[0])
		w[0][1] += int32(u[1]) - int32(x[1])
		w[1][0] += int32(v[0]) - int32(y[0])
		w[1][1] += int32(v[1]) - int32(y[1])
		return
	}
	var before, after [engine.MaxSeats]count
	counts(was, seats, &before)
	counts(is, seats, &after)
	for k := range seats {
		x, y := t.at(before[k]), t.at(after[k])
		w[k][0] += int32(y[0]) - int32(x[0])
		w[k][1] += int32(y[1]) - int32(x[1])
	}
}

// all works the worth out from nothing.
func (t *table) all(b *rings.State, seats int, w *worth) {
	*w = worth{}
	var c [engine.MaxSeats]count
	for i := range b.CircleCount() {
		counts(b.Tally(i), seats, &c)
		for k := range seats {
			x := t.at(c[k])
			w[k][0] += int32(x[0])
			w[k][1] += int32(x[1])
		}
	}
}

// Evaluate is what the lead to be expected promises.
func (s *State) Evaluate() int { return s.stands(int(s.top().board.Turn()) - 1) }

// stands is how much better than the others a seat stands that is still
// playing, while the game goes on: 400 for odds of ten to one against them all.
func (s *State) stands(seat int) int {
	f := s.top()
	b := &f.board
	next := int(b.Turn()) - 1
	k := steepness(b.EmptyCount())
	own := f.worth.of(seat, next)
	if s.seats == 2 {
		return promises(k, own-f.worth.of(1-seat, next))
	}
	sum := 0.0
	for i := range s.seats {
		if i != seat && b.ActiveSeats()>>(i+1)&1 != 0 {
			sum += math.Exp(k * float64(f.worth.of(i, next)-own))
		}
	}
	return int(-math.Log(sum) * (400 / math.Ln10))
}

// promises is how much better a seat stands than the only other, given how steep
// the odds are and the lead to be expected.
func promises(steep float64, lead int32) int { return int(steep * float64(lead) * (400 / math.Ln10)) }

// of is the worth of a seat while another or the same is next to move.
func (w *worth) of(seat, next int) int32 {
	if seat == next {
		return w[seat][1]
	}
	return w[seat][0]
}

// Estimate fills in the share of the win that every seat may expect.
func (s *State) Estimate(values []float64) { estimate(s.top(), values) }

func estimate(f *frame, values []float64) {
	b := &f.board
	if b.Seat() == engine.Nobody {
		share(b.ActiveSeats(), b.Score, values)
		return
	}
	next := int(b.Turn()) - 1
	k := steepness(b.EmptyCount())
	most, sum := int32(math.MinInt32), 0.0
	for i := range values {
		most = max(most, f.worth.of(i, next))
	}
	for i := range values {
		values[i] = 0
		if b.ActiveSeats()>>(i+1)&1 != 0 {
			values[i] = math.Exp(k * float64(f.worth.of(i, next)-most))
			sum += values[i]
		}
	}
	for i := range values {
		values[i] /= sum
	}
}

// steepness is how much the logarithm of the odds changes with a thousandth of
// a circle while so many points are empty. It was fitted to the games that the
// tables come from: a lead of seven circles early on, of one or two near the end,
// is nearly three to one.
func steepness(empty int) float64 {
	return 1e-3 / min(0.5+0.045*float64(empty), 7)
}
