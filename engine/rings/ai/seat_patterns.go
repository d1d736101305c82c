package ai

import (
	_ "embed"
	"sync"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search/fit"
)

// With more than two seats the learned evaluation corrects what each seat is expected
// to hold in the end, by the same combinations as the seat sees them. The kind of a
// circle is the stones of the seat, of its strongest opponent and of the others, and who
// has the majority.
const (
	mostOthers    = 2 // more stones of opponents other than the strongest count as so many
	seatKinds     = 86
	seatPairs     = seatKinds * (seatKinds + 1) / 2
	seatTriplesAt = seatPairs
	seatTurnsAt   = seatTriplesAt + 3*triples // by how many turns until the seat's own
	seatFeatures  = seatTurnsAt + engine.MaxSeats
)

// seatPatterns holds the weights of more than two seats, ready for use.
type seatPatterns struct {
	pair   [seatKinds * seatKinds]fit.Packed // of either order
	triple [3][classes * classes * classes]fit.Packed
	turns  [engine.MaxSeats]fit.Packed
}

// newSeatPatterns prepares weights: three for each feature.
func newSeatPatterns(weights []int16) *seatPatterns {
	at := func(n int) fit.Packed { return pack(weights[fit.Phases*n:]) }
	p := &seatPatterns{}
	for i := range p.pair {
		p.pair[i] = at(pairNumber(i/seatKinds, i%seatKinds))
	}
	for stone := range p.triple {
		for i := range p.triple[stone] {
			p.triple[stone][i] = at(seatTriplesAt + tripleNumber(stone, i))
		}
	}
	for i := range p.turns {
		p.turns[i] = at(seatTurnsAt + i)
	}
	return p
}

// seatKindOf holds the kind of a circle by the stones of the seat, the strongest and the
// other opponents, and by who has the majority: nobody, the seat or an opponent.
var seatKindOf = func() (all [7][7][7][3]uint8) {
	next := uint8(0)
	number := func(k *[3]uint8, own, most int) {
		for by, possible := range [3]bool{true, ringsForMajority(own), ringsForMajority(most)} {
			if possible {
				k[by] = next
				next++
			}
		}
	}
	for own := range 7 {
		for most := range 7 - own {
			for others := range 7 - own - most {
				k := &all[own][most][others]
				switch {
				case others > 0 && most == 0 || others > most*(engine.MaxSeats-2):
				case others > mostOthers && all[own][most][mostOthers] != [3]uint8{}:
					*k = all[own][most][mostOthers]
				default:
					number(k, own, most)
				}
			}
		}
	}
	return all
}()

// ringsForMajority reports whether a seat with that many stones on a circle can have
// the majority there, given the rings that these stones allow around it.
func ringsForMajority(stones int) bool {
	for r := range 7 {
		if stonesOfRings(r) <= stones && majority(stones+r, 0, r) == 1 {
			return true
		}
	}
	return false
}

// seatViews holds all circles of a position as each seat sees them.
type seatViews [engine.MaxSeats]view

// look fills in the views of that many seats.
func (v *seatViews) look(b *rings.State, seats int) {
	var of [engine.MaxSeats]circleView
	for c := range b.CircleCount() {
		viewsOf(b.Tally(c), seats, &of)
		holder := int(b.Holder(c)) - 1
		for k := range seats {
			at, by := &of[k], 0
			switch {
			case holder == k:
				by = 1
			case holder >= 0:
				by = 2
			}
			v[k].kind[c&(viewRoom-1)] = seatKindOf[at.own][at.most][6-at.empty-at.own-at.most][by]
			v[k].class[c&(viewRoom-1)] = classOf[8*at.own+at.most]
		}
	}
	for k := range seats {
		v[k].class[circles] = noClass
	}
}

// correct adds to the forecast of each seat what combinations add, in thousandths of a
// circle.
func (p *seatPatterns) correct(b *rings.State, side int, to []int32) {
	var v seatViews
	seats := len(to)
	v.look(b, seats)
	n, stones, next := &neighbourhoods[side], b.Stones(), int(b.Turn())-1
	opening, middle, end := stage(b.EmptyCount(), len(n.around))
	for k := range to {
		sum := p.turns[(k+seats-next)%seats]
		kind := &v[k].kind
		for _, c := range n.pairs {
			sum += p.pair[int(kind[c[0]&(viewRoom-1)])*seatKinds+int(kind[c[1]&(viewRoom-1)])]
		}
		for i, on := range n.around {
			sum += p.triple[stoneOf(stones[i], k)][v[k].around(on)]
		}
		to[k] += int32((sum.Opening()*opening + sum.Middle()*middle + sum.End()*end) / phaseScale)
	}
}

// learnedSeatWeights is the file of weights that make train wrote.
//
//go:embed learned_seats.weights
var learnedSeatWeights []byte

// learnedSeatPatterns returns the patterns with the weights in use.
var learnedSeatPatterns = sync.OnceValue(func() *seatPatterns {
	weights, _, err := fit.Decode(learnedSeatWeights, rings.Key)
	if err != nil {
		panic(err) // a test reads them
	}
	return newSeatPatterns(weights)
})
