package ai

import (
	_ "embed"
	"sync"

	"castellan/engine/rings"
	"castellan/engine/search/fit"
)

// The learned evaluation of two seats corrects their forecasts by combinations that
// single circles do not show: every pair of neighbouring circles, and the circles
// around every point.

// A circle has one of 36 kinds: the stones of the seat and of its opponent, and who
// has the majority. Around a point it counts less precisely, in ten classes.
const (
	kinds   = 36
	pairs   = kinds * (kinds + 1) / 2 // of kinds, in either order
	classes = 10
	noClass = classes - 1 // a point at the edge lies on fewer than three circles
	triples = 220         // of classes, in any order

	// The first feature of each sort but the pairs. The last stands for the turn to move.
	triplesAt = pairs
	tempoAt   = triplesAt + 3*triples
	features  = tempoAt + 1
)

// circle is a circle in units of the evaluation.
const circle = 1000

// mostWeight is the largest weight: the largest board adds up those of its pairs of
// neighbouring circles, its points and the turn, which must stay within fit.MaxSum.
const mostWeight = fit.MaxSum / (mostPairs + points + 1)

// mostPairs is the number of pairs of neighbouring circles on the largest board.
const mostPairs = 240

// pack packs the weights of the three phases. Those that are too large are cut off.
func pack(weights []int16) fit.Packed {
	limit := func(w int16) int { return max(-mostWeight, min(mostWeight, int(w))) }
	return fit.Pack(limit(weights[0]), limit(weights[1]), limit(weights[2]))
}

// patterns holds the weights, ready for use.
type patterns struct {
	pair   [kinds * kinds]fit.Packed // of either order
	triple [3][classes * classes * classes]fit.Packed
	tempo  fit.Packed
}

// newPatterns prepares weights: three for each feature.
func newPatterns(weights []int16) *patterns {
	at := func(n int) fit.Packed { return pack(weights[fit.Phases*n:]) }
	p := &patterns{tempo: at(tempoAt)}
	for i := range p.pair {
		p.pair[i] = at(pairNumber(i/kinds, i%kinds))
	}
	for stone := range p.triple {
		for i := range p.triple[stone] {
			p.triple[stone][i] = at(triplesAt + tripleNumber(stone, i))
		}
	}
	return p
}

// pairNumber returns the feature of two neighbouring circles.
func pairNumber(a, b int) int {
	a, b = max(a, b), min(a, b)
	return a*(a+1)/2 + b
}

// tripleNumber returns the feature of a point that holds a stone of nobody, of the
// seat or of an opponent, 0 to 2, and of the classes of its circles, counted from the
// first of its sort.
func tripleNumber(stone, circles int) int { return stone*triples + int(tripleOf[circles]) }

// tripleOf numbers the classes of three circles regardless of their order.
var tripleOf = func() (all [classes * classes * classes]uint8) {
	n := uint8(0)
	for a := range classes {
		for b := a; b < classes; b++ {
			for c := b; c < classes; c++ {
				for _, o := range [6][3]int{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
					all[(o[0]*classes+o[1])*classes+o[2]] = n
				}
				n++
			}
		}
	}
	return all
}()

// kindOf holds the kind of a circle by 8 times the stones of the seat and those of
// the opponent, and by who has the majority: nobody, the seat or the opponent.
var kindOf = func() (all [64][3]uint8) {
	next := uint8(0)
	for own := range 7 {
		for other := range 7 - own {
			numbered := [3]bool{}
			for r := range 7 { // rings of the seat around the circle, and of the opponent
				for o := range 7 - r {
					if stonesOfRings(r) > own || stonesOfRings(o) > other {
						continue
					}
					by := majority(own+r, other+o, r+o)
					if !numbered[by] {
						numbered[by], all[8*own+other][by] = true, next
						next++
					}
				}
			}
		}
	}
	return all
}()

// stonesOfRings returns how many stones that many rings around a circle have on it at
// least: each has two, of which its neighbour on either side can share one.
func stonesOfRings(n int) int {
	if n == 0 {
		return 0
	}
	return min(n+1, 6)
}

// majority returns who has the majority on a circle: 0 for nobody, 1 for the seat with
// the first influence, 2 for the other.
func majority(own, other, ringsAround int) int {
	switch {
	case 2*own > 6+ringsAround:
		return 1
	case 2*other > 6+ringsAround:
		return 2
	}
	return 0
}

// classOf holds the class of a circle by 8 times the stones of the seat and those of
// the opponent: a ring of either, or the lead in stones up to three.
var classOf = func() (all [64]uint8) {
	for own := range 7 {
		for other := range 7 - own {
			all[8*own+other] = uint8(max(-3, min(3, own-other)) + 5)
		}
	}
	all[8*6], all[6] = 0, 1
	return all
}()

// view holds all circles of a position as the seat to move sees them.
type view struct {
	kind  [viewRoom]uint8
	class [viewRoom]uint8 // that with the number [circles] stands for no circle
}

// viewRoom is a power of two, so that numbers of circles need no check.
const viewRoom = 128

func (v *view) look(b *rings.State, seat int) {
	other := 1 - seat
	for c := range b.CircleCount() {
		t := b.Tally(c)
		i := 8*t.Stones(seat) + t.Stones(other)
		by := majority(t.Influence(seat), t.Influence(other), t.RingsAround())
		v.kind[c], v.class[c] = kindOf[i][by], classOf[i]
	}
	v.class[circles] = noClass
}

// neighbourhood lists the pairs of neighbouring circles of a board, and for each point
// its circles, filled up with the number [circles], which stands for none.
type neighbourhood struct {
	pairs  [][2]uint8
	around [][3]uint8
}

// neighbourhoods holds the neighbourhoods of all sizes of boards by the side.
var neighbourhoods = func() (all [7]neighbourhood) {
	for side := 3; side <= 6; side++ {
		n, at := &all[side], map[rings.Point][]uint8{}
		seen := map[[2]uint8]bool{}
		for i, c := range rings.Circles(side) {
			for _, p := range c.Points() {
				for _, j := range at[p] {
					if pair := [2]uint8{j, uint8(i)}; !seen[pair] {
						seen[pair] = true
						n.pairs = append(n.pairs, pair)
					}
				}
				at[p] = append(at[p], uint8(i))
			}
		}
		for _, p := range rings.Points(side) {
			on := [3]uint8{circles, circles, circles}
			copy(on[:], at[p])
			n.around = append(n.around, on)
		}
	}
	return all
}()

// around returns the classes of the circles around a point as one number.
func (v *view) around(on [3]uint8) int {
	const last = viewRoom - 1
	return (int(v.class[on[0]&last])*classes+int(v.class[on[1]&last]))*classes + int(v.class[on[2]&last])
}

// stoneOf tells whether a stone belongs to nobody (0), to the seat (1) or to its
// opponent (2).
func stoneOf(stone uint8, seat int) int {
	owner := int(stone & 7)
	switch owner {
	case 0:
		return 0
	case seat + 1:
		return 1
	}
	return 2
}

// correction returns what combinations add to the lead of the seat to move, in
// thousandths of a circle.
func (p *patterns) correction(b *rings.State, side int) int32 {
	var v view
	seat := int(b.Turn()) - 1
	v.look(b, seat)
	n, stones, sum := &neighbourhoods[side], b.Stones(), p.tempo
	for _, c := range n.pairs {
		sum += p.pair[int(v.kind[c[0]&(viewRoom-1)])*kinds+int(v.kind[c[1]&(viewRoom-1)])]
	}
	for i, on := range n.around {
		sum += p.triple[stoneOf(stones[i], seat)][v.around(on)]
	}
	opening, middle, end := stage(b.EmptyCount(), len(n.around))
	return int32((sum.Opening()*opening + sum.Middle()*middle + sum.End()*end) / phaseScale)
}

const phaseScale = 256

// stage returns the shares of the three phases, which add up to phaseScale, with that
// many of all points empty.
func stage(empty, all int) (opening, middle, end int) {
	x := 2 * phaseScale * (all - empty) / all
	if x <= phaseScale {
		return phaseScale - x, x, 0
	}
	return 0, 2*phaseScale - x, x - phaseScale
}

// learnedWeights is the file of weights that make train wrote.
//
//go:embed learned.weights
var learnedWeights []byte

var learnedPatterns = sync.OnceValue(func() *patterns { return newPatterns(fit.MustDecode(learnedWeights, rings.Key)) })
