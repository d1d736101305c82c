package ai

import (
	_ "embed"
	"sync"

	"castellan/engine/search"
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
)

// learned is the search state with the learned evaluation. The sum of the squares
// that state keeps serves to estimate moves.
type learned struct {
	*state
	p     *patterns
	sum   both             // of all patterns
	at    [maxCells]square // as of the sum
	code  [maxCells]code   // of at
	kinds [maxCells]uint8  // which patterns begin at a cell
	sums  []both           // for Unmake
	// Buffers of update: the kinds of patterns to add up again by cell, with the
	// number of the update above them.
	seen  [maxCells]uint32
	round uint32
	cells []cell         // whose code has changed
	gains [maxCells]int8 // buffer of Finish
	lazy  bool           // the sum need not follow the last two moves, where Finish serves
}

// Which patterns begin at a cell: the cross around it, the pair with the cell above
// it and with that on its right, and the block of which it is the lower left one.
const (
	hasCross uint8 = 1 << iota
	hasUp
	hasRight
	hasBlock
	hasLineUp
	hasLineRight
	kindBits = iota
)

func newLearned(s *state, p *patterns) *learned {
	l := &learned{state: s, p: p, at: s.At}
	for c, q := range l.at {
		l.code[c] = codes[q&(squares-1)]
	}
	on := func(c cell) bool { return s.At[c].Owner() != stonetowers.Outside }
	for _, c := range s.Cells {
		l.kinds[c] = hasCross
		up, right := on(c+1), on(c+s.Stride)
		if up {
			l.kinds[c] |= hasUp
		}
		if right {
			l.kinds[c] |= hasRight
		}
		if up && right {
			l.kinds[c] |= hasBlock
		}
		if up && on(c+2) {
			l.kinds[c] |= hasLineUp
		}
		if right && on(c+2*s.Stride) {
			l.kinds[c] |= hasLineRight
		}
		l.sum.add(&p.single[s.At[c]])
		l.addAnchored(c, l.kinds[c], &l.sum)
	}
	return l
}

// ring returns the codes of the four neighbours of a cell.
func (l *learned) ring(c cell) int {
	s := l.Stride
	return int(l.code[c+1].coarse)<<9 | int(l.code[c+s].coarse)<<6 | int(l.code[c-1].coarse)<<3 | int(l.code[c-s].coarse)
}

// blockIndex returns the codes of the block of which the cell is the lower left one.
func (l *learned) blockIndex(c cell) int {
	s := l.Stride
	return ((int(l.code[c+1].mid)*midCodes+int(l.code[c+s+1].mid))*midCodes+int(l.code[c].mid))*midCodes + int(l.code[c+s].mid)
}

// addAnchored adds the patterns of some kinds that begin at a cell.
func (l *learned) addAnchored(c cell, kinds uint8, to *both) {
	p, s := l.p, l.Stride
	if kinds&hasCross != 0 {
		to.add(&p.cross[int(l.code[c].fine)*ringClasses+int(ringClass[l.ring(c)])])
	}
	if kinds&hasUp != 0 {
		to.add(&p.pair[int(l.code[c].fine)*fineCodes+int(l.code[c+1].fine)])
	}
	if kinds&hasRight != 0 {
		to.add(&p.pair[int(l.code[c].fine)*fineCodes+int(l.code[c+s].fine)])
	}
	if kinds&hasBlock != 0 {
		to.add(&p.block[l.blockIndex(c)])
		to.add(&p.diagonal[int(l.code[c].fine)*fineCodes+int(l.code[c+s+1].fine)])
		to.add(&p.diagonal[int(l.code[c+1].fine)*fineCodes+int(l.code[c+s].fine)])
	}
	if kinds&hasLineUp != 0 {
		to.add(&p.line[lineIndex(l.code[c], l.code[c+1], l.code[c+2])])
	}
	if kinds&hasLineRight != 0 {
		to.add(&p.line[lineIndex(l.code[c], l.code[c+s], l.code[c+2*s])])
	}
}

// lineIndex returns the codes of three squares in a line.
func lineIndex(a, middle, b code) int {
	return (int(a.fine)*fineCodes+int(b.fine))*coarseCodes + int(middle.coarse)
}

// Make plays a move and updates the sum.
func (l *learned) Make(m search.Move) {
	l.sums = append(l.sums, l.sum)
	l.state.Make(m)
	if !l.lazy || l.Left > 1 {
		l.update(l.history.Last())
	}
}

// falling marks the gain of a square whose castle falls.
const falling = 64

// flipGains tabulates how many squares a player is ahead more when their influence on
// a square rises by one.
var flipGains = func() (t [2][squares]int8) {
	for player := range t {
		for q := range square(squares) {
			if next, ok := q.Strengthen(player); !ok || !next.FlipsTo(player) {
				continue
			}
			t[player][q] = 1
			if q.Owner() != stonetowers.Free {
				t[player][q] = 2
			}
			if q.Level() > 0 {
				t[player][q] = falling
			}
		}
	}
	return t
}()

// Finish returns the best last move of the game. Only where a castle falls must it be
// made.
func (l *learned) Finish() (payoff float64, best search.Move) {
	player, stride := l.Player(), l.Stride
	gains, open := &flipGains[player], stonetowers.Playable(player)
	at := &l.At
	for _, c := range l.Cells {
		l.gains[c] = gains[at[c]&(squares-1)]
	}
	now := int(l.Owned[player] - l.Owned[1-player])
	most, best := -1, search.Move(0)
	for _, c := range l.Cells {
		q := at[c] & (squares - 1)
		if !open[q] {
			continue
		}
		gain := int(l.gains[c-1]) + int(l.gains[c+1]) + int(l.gains[c-stride]) + int(l.gains[c+stride])
		if gain >= falling {
			l.state.Make(search.Move(c))
			gain = int(l.Owned[player]-l.Owned[1-player]) - now
			l.state.Unmake()
		} else if q.Owner() == stonetowers.Free {
			gain++
		}
		if gain > most {
			if most, best = gain, search.Move(c); now+most > 0 {
				return 1, best
			}
		}
	}
	if now+max(most, 0) == 0 {
		return 0.5, best
	}
	return 0, best
}

// update brings the sum up to date after some squares have changed.
func (l *learned) update(changes []stonetowers.Change) {
	if len(changes) == 0 {
		return
	}
	s := l.Stride
	l.round++
	l.cells = l.cells[:0]
	var anchors [maxCells]cell
	n := 0
	mark := func(c cell, kinds uint8) {
		if kinds &= l.kinds[c]; kinds == 0 {
			return
		}
		if l.seen[c]>>kindBits != l.round {
			l.seen[c] = l.round << kindBits
			anchors[n] = c
			n++
		}
		l.seen[c] |= uint32(kinds)
	}
	var diff both
	for _, ch := range changes {
		c := ch.At
		now := l.At[c]
		if now == l.at[c] {
			continue
		}
		diff.add(&l.p.single[now&(squares-1)])
		diff.sub(&l.p.single[l.at[c]&(squares-1)])
		l.at[c] = now
		if codes[now&(squares-1)] == l.code[c] {
			continue
		}
		l.cells = append(l.cells, c)
		mark(c, hasCross|hasUp|hasRight|hasBlock|hasLineUp|hasLineRight)
		mark(c-1, hasCross|hasUp|hasBlock|hasLineUp)
		mark(c-s, hasCross|hasRight|hasBlock|hasLineRight)
		mark(c+1, hasCross)
		mark(c+s, hasCross)
		mark(max(c-s, 1)-1, hasBlock)
		mark(c-2, hasLineUp)
		mark(max(c, 2*s)-2*s, hasLineRight)
	}
	var old both
	for _, c := range anchors[:n] {
		l.addAnchored(c, uint8(l.seen[c]&(1<<kindBits-1)), &old)
	}
	for _, c := range l.cells {
		l.code[c] = codes[l.at[c]&(squares-1)]
	}
	for _, c := range anchors[:n] {
		l.addAnchored(c, uint8(l.seen[c]&(1<<kindBits-1)), &diff)
	}
	diff.sub(&old)
	l.sum.add(&diff)
}

func (l *learned) Unmake() {
	changes := l.history.Last()
	l.state.Unmake()
	for _, ch := range changes {
		q := l.At[ch.At]
		l.at[ch.At], l.code[ch.At] = q, codes[q&(squares-1)]
	}
	last := len(l.sums) - 1
	l.sum, l.sums = l.sums[last], l.sums[:last]
}

// stage returns the weights of the three phases with that many turns left: it goes
// from the opening to the middle, and from there to the end. They add up to scale.
func (s *state) stage(left int) (opening, middle, end int) {
	most := openingLeft * len(s.Cells)
	x := 2*scale - min(left*100*2*scale, most*2*scale)/most // 0 opening .. 2*scale end
	if x <= scale {
		return scale - x, x, 0
	}
	return 0, 2*scale - x, x - scale
}

// openingLeft is the number of turns left for a hundred squares at which the
// weights of the opening apply in full.
const openingLeft = 60

// Evaluate returns the sum of all patterns for the side to move.
func (l *learned) Evaluate() int {
	player := l.Player()
	v := l.sum[player] + l.p.tempo[player]
	a, b, c := l.stage(int(l.Left))
	return (v.Opening()*a + v.Middle()*b + v.End()*c) / (scale * unit)
}

// patternsOf appends the numbers of all patterns of the position, seen by the player
// to move.
func (l *learned) patternsOf(to []int32) []int32 {
	player, s := l.Player(), l.Stride
	for _, c := range l.Cells {
		to = append(to, int32(singleNumber(l.at[c], player)), int32(crossNumber(l.code[c].fine, l.ring(c), player)))
		if l.kinds[c]&hasUp != 0 {
			to = append(to, int32(pairNumber(l.code[c].fine, l.code[c+1].fine, player)))
		}
		if l.kinds[c]&hasRight != 0 {
			to = append(to, int32(pairNumber(l.code[c].fine, l.code[c+s].fine, player)))
		}
		if l.kinds[c]&hasBlock != 0 {
			to = append(to, int32(blockNumber(l.blockIndex(c), player)),
				int32(diagonalsAt-pairsAt+pairNumber(l.code[c].fine, l.code[c+s+1].fine, player)),
				int32(diagonalsAt-pairsAt+pairNumber(l.code[c+1].fine, l.code[c+s].fine, player)))
		}
		if l.kinds[c]&hasLineUp != 0 {
			to = append(to, int32(lineNumber(lineIndex(l.code[c], l.code[c+1], l.code[c+2]), player)))
		}
		if l.kinds[c]&hasLineRight != 0 {
			to = append(to, int32(lineNumber(lineIndex(l.code[c], l.code[c+s], l.code[c+2*s]), player)))
		}
	}
	return append(to, int32(tempoAt+player))
}

// learnedWeights is the file of weights that make train wrote.
//
//go:embed learned.weights
var learnedWeights []byte

var learnedPatterns = sync.OnceValue(func() *patterns { return newPatterns(fit.MustDecode(learnedWeights, stonetowers.Key)) })

// EstimateMoves estimates the evaluation after each move: that of now, and what the
// squares gain that the move touches.
func (l *learned) EstimateMoves(moves []search.Move, values []int32) bool {
	if !l.EvaluateMoves(moves, values) {
		return false
	}
	now := l.scoreFor(l.Player()) - l.tables.tempo
	d := int32(l.Evaluate() - now.interpolate(l.phase(int(l.Left)-1)))
	for i := range values[:len(moves)] {
		values[i] += d
	}
	return true
}
