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
	pair   [pairRoom]fit.Packed   // by seatKinds times one kind and the other, in either order
	triple [tripleRoom]fit.Packed // by arounds times the stone, and the classes
	turns  [engine.MaxSeats]fit.Packed
}

// The rooms are powers of two, so that indices need no check.
const (
	arounds    = classes * classes * classes
	pairRoom   = 1 << 13
	tripleRoom = 1 << 12
)

// newSeatPatterns prepares weights: three for each feature.
func newSeatPatterns(weights []int16) *seatPatterns {
	at := func(n int) fit.Packed { return pack(weights[fit.Phases*n:]) }
	p := &seatPatterns{}
	for i := range seatKinds * seatKinds {
		p.pair[i] = at(pairNumber(i/seatKinds, i%seatKinds))
	}
	for i := range 3 * arounds {
		p.triple[i] = at(seatTriplesAt + tripleNumber(i/arounds, i%arounds))
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

// lanes holds a number for each of four seats, in 16 bits each, so that one operation
// serves all.
type lanes uint64

const (
	laneBits  = 16
	wordSeats = 64 / laneBits
	words     = (engine.MaxSeats + wordSeats - 1) / wordSeats
	eachLane  = lanes(1 | 1<<laneBits | 1<<(2*laneBits) | 1<<(3*laneBits))
)

func (l lanes) of(seat int) int { return int(l >> (laneBits * seat) & (1<<laneBits - 1)) }

// seatViews holds the kind and the class of all circles of a position as each seat sees
// them, in words of four seats.
type seatViews [words]struct{ kind, class [viewRoom]lanes }

// look fills in the views of that many seats.
func (v *seatViews) look(b *rings.State, seats int) {
	var of [engine.MaxSeats]circleView
	used := (seats + wordSeats - 1) / wordSeats
	for c := range b.CircleCount() {
		t := b.Tally(c)
		if t.Empty() {
			for w := range used {
				v[w].kind[c&(viewRoom-1)], v[w].class[c&(viewRoom-1)] = 0, eachLane*lanes(classOf[0])
			}
			continue
		}
		viewsOf(t, seats, &of)
		holder := int(b.Holder(c)) - 1
		for w := range used {
			kind, class := lanes(0), lanes(0)
			for k := w * wordSeats; k < min(seats, (w+1)*wordSeats); k++ {
				at, by := &of[k], 0
				switch {
				case holder == k:
					by = 1
				case holder >= 0:
					by = 2
				}
				shift := laneBits * (k % wordSeats)
				kind |= lanes(seatKindOf[at.own][at.most][6-at.empty-at.own-at.most][by]) << shift
				class |= lanes(classOf[8*at.own+at.most]) << shift
			}
			v[w].kind[c&(viewRoom-1)], v[w].class[c&(viewRoom-1)] = kind, class
		}
	}
	for w := range used {
		v[w].class[circles] = eachLane * noClass
	}
}

// pairs returns the indices of the weights of a pair of circles.
func (v *seatViews) pairs(word int, on [2]uint8) lanes {
	kind := &v[word].kind
	return kind[on[0]&(viewRoom-1)]*seatKinds + kind[on[1]&(viewRoom-1)]
}

// triples returns the indices of the weights of a point, given its stone and circles.
func (v *seatViews) triples(word int, stone uint8, on [3]uint8) lanes {
	class := &v[word].class
	return stoneLanes[stone&7][word] +
		(class[on[0]&(viewRoom-1)]*classes+class[on[1]&(viewRoom-1)])*classes + class[on[2]&(viewRoom-1)]
}

// stoneLanes holds arounds times what a stone of a seat, or none, is to each seat.
var stoneLanes = func() (all [8][words]lanes) {
	for stone := range uint8(engine.MaxSeats + 1) {
		for k := range words * wordSeats {
			all[stone][k/wordSeats] |= lanes(arounds*stoneOf(stone, k)) << (laneBits * (k % wordSeats))
		}
	}
	return all
}()

// correct adds to the forecast of each seat what combinations add, in thousandths of a
// circle.
func (p *seatPatterns) correct(b *rings.State, side int, to []int32) {
	var v seatViews
	seats := len(to)
	v.look(b, seats)
	n, stones, next := &neighbourhoods[side], b.Stones(), int(b.Turn())-1
	opening, middle, end := stage(b.EmptyCount(), len(n.around))
	for word := range (seats + wordSeats - 1) / wordSeats {
		var s [wordSeats]fit.Packed
		for _, c := range n.pairs {
			i := v.pairs(word, c)
			s[0] += p.pair[i&(pairRoom-1)]
			s[1] += p.pair[i>>laneBits&(pairRoom-1)]
			s[2] += p.pair[i>>(2*laneBits)&(pairRoom-1)]
			s[3] += p.pair[i>>(3*laneBits)&(pairRoom-1)]
		}
		for at, on := range n.around {
			i := v.triples(word, stones[at], on)
			s[0] += p.triple[i&(tripleRoom-1)]
			s[1] += p.triple[i>>laneBits&(tripleRoom-1)]
			s[2] += p.triple[i>>(2*laneBits)&(tripleRoom-1)]
			s[3] += p.triple[i>>(3*laneBits)&(tripleRoom-1)]
		}
		for k := word * wordSeats; k < min(seats, (word+1)*wordSeats); k++ {
			sum := s[k%wordSeats] + p.turns[(k+seats-next)%seats]
			to[k] += int32((sum.Opening()*opening + sum.Middle()*middle + sum.End()*end) / phaseScale)
		}
	}
}

// learnedSeatWeights is the file of weights that make train wrote.
//
//go:embed learned_seats.weights
var learnedSeatWeights []byte

var learnedSeatPatterns = sync.OnceValue(func() *seatPatterns { return newSeatPatterns(fit.MustDecode(learnedSeatWeights, rings.Key)) })
