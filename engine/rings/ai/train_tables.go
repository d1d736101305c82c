package ai

import (
	"math/rand/v2"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
	"castellan/engine/search/fit"
)

func TwoSeatTable() fit.Model { return tableModel(&twoSeatTable, 2, 2, 38_400) }

// tableModel returns the table for from least to most seats. Its games begin with a table
// in which a seat expects, besides its stones on a circle, its share of the empty points.
// The other tables play no part. A feature has one weight, that of the first phase.
func tableModel(inUse *table, least, most, games int) fit.Model {
	return fit.Model{
		Game: rings.Key, Weights: firstTable((least + most) / 2), Unit: 1, Point: circle,
		SeatStarts: func(weights []int16) func(*rand.Rand) fit.SeatPosition {
			t := newTables(weights)
			return func(r *rand.Rand) fit.SeatPosition {
				s, err := newState(drawStart(r, least+r.IntN(most-least+1)), t)
				if err != nil {
					panic(err)
				}
				s.tieSeed = r.Uint64() | 1
				return tableTrainee{trainee{s}}
			}
		},
		Settings: fit.Settings{Games: games, Seed: 1, Rate: 40, Lambda: 0.9, Noise: 80, Opening: opening, Batch: 64},
		InUse:    fit.Encode(fit.Model{Game: rings.Key}, weightsOf(inUse)),
		Player: func(weights []int16) search.Player {
			return TreeSearch{tables: newTables(weights)}
		},
	}
}

// tables holds a table of single circles, and the gains of moves with two seats,
// which are computed from it.
type tables struct {
	table
	gains pairGains
}

func newTables(weights []int16) *tables {
	t := &tables{}
	for i := range tableFeatures {
		*t.entry(i) = weights[fit.Phases*i]
	}
	t.gains = newPairGains(&t.table)
	return t
}

// tableFeatures is the number of entries of a table.
const tableFeatures = 7 * 7 * 7 * (ringsMost + 1) * (ringsMost + 1) * 2

// tableNumber returns the feature of a circle as a seat sees it.
func tableNumber(c circleView, toMove bool) int {
	n := ((c.own*7+c.empty)*7+c.most)*(ringsMost+1) + min(c.rings, ringsMost)
	n = 2 * (n*(ringsMost+1) + min(c.otherRings, ringsMost))
	if toMove {
		n++
	}
	return n
}

func (t *table) entry(n int) *int16 {
	const r = ringsMost + 1
	return &t[n/(98*r*r)][n/(14*r*r)%7][n/(2*r*r)%7][n/(2*r)%r][n/2%r][n%2]
}

func weightsOf(t *table) []int16 {
	all := make([]int16, fit.Phases*tableFeatures)
	for i := range tableFeatures {
		all[fit.Phases*i] = *t.entry(i)
	}
	return all
}

// firstTable returns the weights of a table in which every empty point is shared among
// that many seats.
func firstTable(seats int) []float64 {
	all := make([]float64, fit.Phases*tableFeatures)
	for own := range 7 {
		for empty := range 7 - own {
			for most := range 7 - own - empty {
				for i := range 2 * (ringsMost + 1) * (ringsMost + 1) {
					n := tableNumber(circleView{own: own, empty: empty, most: most}, false) + i
					all[fit.Phases*n] = 1000 * (float64(own) + float64(empty)/float64(seats)) / 6
				}
			}
		}
	}
	return all
}

// tableTrainee is the state of a game of the training of a table.
type tableTrainee struct{ trainee }

// SeatFeatures appends the numbers of all circles as a seat sees them.
func (t tableTrainee) SeatFeatures(seat int, to []int32) []int32 {
	b := &t.top().board
	var views [engine.MaxSeats]circleView
	for c := range b.CircleCount() {
		viewsOf(b.Tally(c), t.seats, &views)
		to = append(to, int32(tableNumber(views[seat], seat == int(b.Turn())-1)))
	}
	return to
}

// Stage returns the first phase: the stones on a circle tell how far the game is.
func (t tableTrainee) Stage() [fit.Phases]float64 { return [fit.Phases]float64{1} }
