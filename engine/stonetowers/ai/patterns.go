package ai

import (
	"castellan/engine/search/fit"
	"castellan/engine/stonetowers"
)

// The learned evaluation adds up small patterns of neighbouring squares: single
// squares, pairs, 2x2 blocks and their diagonals, lines of three, and crosses. Each
// pattern has a weight for the side to move, in three phases of the game.

// Codes of a square that patterns consist of, seen by Red. fine tells owner, level
// and lead, the others less.
const (
	fineCodes   = 34 // 0 outside, 1 free, then 16 of Red and 16 of Blue: level * 4 + lead up to 3
	midCodes    = 9  // 0 free, then 4 of Red and 4 of Blue: castle or flag, lead above 1 or not
	coarseCodes = 8  // 0 outside, 1 free, then 3 of Red and 3 of Blue: flag, castle of level 1, higher castle
)

// code is how patterns see a square.
type code struct{ fine, mid, coarse uint8 }

func codeOf(q square) code {
	o := q.Owner()
	switch o {
	case stonetowers.Outside:
		return code{}
	case stonetowers.Free:
		return code{fine: 1, coarse: 1}
	}
	player := int(o - stonetowers.Red)
	lead, level := max(q.Lead()*stonetowers.Sign(player), 0), q.Level()
	c := code{fine: uint8(2 + level*4 + min(lead, 3)), mid: 1, coarse: uint8(2 + min(level, 2))}
	if level > 0 {
		c.mid += 2
	}
	if lead > 1 {
		c.mid++
	}
	if player == 1 {
		c.fine, c.mid, c.coarse = c.fine+16, c.mid+4, c.coarse+3
	}
	return c
}

var codes = func() (t [squares]code) {
	for q := range square(squares) {
		t[q] = codeOf(q)
	}
	return t
}()

// The codes with Red and Blue exchanged.
var swapFine, swapMid, swapCoarse = swaps(2, 16), swaps(1, 4), swaps(2, 3)

// swaps returns a table that exchanges the n codes from first on with the n after
// them.
func swaps(first, n uint8) (t [fineCodes]uint8) {
	for i := range t {
		t[i] = uint8(i)
	}
	for i := range n {
		t[first+i], t[first+n+i] = first+n+i, first+i
	}
	return t
}

// Numbers of patterns of each kind. Patterns that are mirror images or rotations of
// each other have the same number.
const (
	singlePatterns = int(stonetowers.Places) * (1 + 2*4*(mostLead+1)) // by place, level and lead
	pairPatterns   = fineCodes * fineCodes
	blockPatterns  = midCodes * midCodes * midCodes * midCodes
	linePatterns   = pairPatterns * coarseCodes
	rings4         = coarseCodes * coarseCodes * coarseCodes * coarseCodes
)

// The four neighbours of a cross, from 12 bits to the number of their class.
var ringClass, ringClasses = classes(coarseCodes, [][4]int{
	{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}, {3, 2, 1, 0}, {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 3, 2, 1},
})

// ringOf holds for each class one of its members.
var ringOf = func() []int {
	of := make([]int, ringClasses)
	for i := len(ringClass) - 1; i >= 0; i-- {
		of[ringClass[i]] = i
	}
	return of
}()

// classes numbers the words of four letters up to permutations.
func classes(letters int, permutations [][4]int) (class []uint16, n int) {
	total := letters * letters * letters * letters
	class = make([]uint16, total)
	number := map[int]uint16{}
	for i := range total {
		l := [4]int{i / (letters * letters * letters), i / (letters * letters) % letters, i / letters % letters, i % letters}
		least := total
		for _, p := range permutations {
			least = min(least, ((l[p[0]]*letters+l[p[1]])*letters+l[p[2]])*letters+l[p[3]])
		}
		if _, ok := number[least]; !ok {
			number[least] = uint16(n)
			n++
		}
		class[i] = number[least]
	}
	return class, n
}

// both is a value for Red if Red is to move, and for Blue if Blue is.
type both [2]fit.Packed

func (b *both) add(v *both) { b[0] += v[0]; b[1] += v[1] }
func (b *both) sub(v *both) { b[0] -= v[0]; b[1] -= v[1] }

// patterns is a learned evaluation.
type patterns struct {
	single   [squares]both
	pair     [pairPatterns]both
	block    [blockPatterns]both
	diagonal [pairPatterns]both
	line     [linePatterns]both // fine codes of the ends and coarse code of the middle
	cross    []both             // by fine code of the centre and class of the neighbours
	tempo    both
}

const phases = fit.Phases

// The first feature of each kind. The last two stand for the turn to move, of Red and
// of Blue, who has the last one.

var (
	pairsAt     = singlePatterns
	blocksAt    = pairsAt + pairPatterns
	crossesAt   = blocksAt + blockPatterns
	diagonalsAt = crossesAt + fineCodes*ringClasses
	linesAt     = diagonalsAt + pairPatterns
	tempoAt     = linesAt + linePatterns
	features    = tempoAt + 2
)

// singleNumber returns the number of a square's weight, seen by the player, or -1.
func singleNumber(q square, player int) int {
	o := q.Owner()
	if o == stonetowers.Outside || q.Place() >= stonetowers.Places {
		return -1
	}
	n := 0
	if o != stonetowers.Free {
		theirs := int(o - stonetowers.Red)
		n = 1 + q.Level()*(mostLead+1) + min(max(q.Lead()*stonetowers.Sign(theirs), 0), mostLead)
		if theirs != player {
			n += 4 * (mostLead + 1)
		}
	}
	return int(q.Place())*(1+2*4*(mostLead+1)) + n
}

var blockClass, _ = classes(midCodes, [][4]int{ // corners: 0 1 over 2 3
	{0, 1, 2, 3}, {1, 3, 0, 2}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 0, 3, 2}, {2, 3, 0, 1}, {0, 2, 1, 3}, {3, 1, 2, 0},
})

// The numbers of the weights of patterns by their codes, seen by the player.
func pairNumber(a, b uint8, player int) int {
	if player == 1 {
		a, b = swapFine[a], swapFine[b]
	}
	return pairsAt + int(min(a, b))*fineCodes + int(max(a, b))
}

func blockNumber(index, player int) int {
	if player == 1 {
		index = swapWord(index, midCodes, &swapMid)
	}
	return blocksAt + int(blockClass[index])
}

func crossNumber(centre uint8, ring, player int) int {
	if player == 1 {
		centre, ring = swapFine[centre], swapWord(ring, coarseCodes, &swapCoarse)
	}
	return crossesAt + int(centre)*ringClasses + int(ringClass[ring])
}

func lineNumber(index, player int) int {
	middle, a, b := index%coarseCodes, index/coarseCodes/fineCodes, index/coarseCodes%fineCodes
	if player == 1 {
		middle, a, b = int(swapCoarse[middle]), int(swapFine[a]), int(swapFine[b])
	}
	return linesAt + (min(a, b)*fineCodes+max(a, b))*coarseCodes + middle
}

// swapWord exchanges the players in a word of four letters.
func swapWord(w, letters int, swap *[fineCodes]uint8) int {
	out, unit := 0, 1
	for range 4 {
		out += int(swap[w%letters]) * unit
		w /= letters
		unit *= letters
	}
	return out
}

// newPatterns tabulates weights, phases of each.
func newPatterns(w []int16) *patterns {
	p := &patterns{cross: make([]both, fineCodes*ringClasses)}
	at := func(n int) fit.Packed { return fit.Pack(int(w[phases*n]), int(w[phases*n+1]), int(w[phases*n+2])) }
	for player := range 2 {
		for q := range square(squares) {
			if n := singleNumber(q, player); n >= 0 {
				p.single[q][player] = at(n)
			}
		}
		for a := range uint8(fineCodes) {
			for b := range uint8(fineCodes) {
				p.pair[int(a)*fineCodes+int(b)][player] = at(pairNumber(a, b, player))
				p.diagonal[int(a)*fineCodes+int(b)][player] = at(diagonalsAt - pairsAt + pairNumber(a, b, player))
			}
			for c := range ringClasses {
				p.cross[int(a)*ringClasses+c][player] = at(crossNumber(a, ringOf[c], player))
			}
		}
		for i := range blockPatterns {
			p.block[i][player] = at(blockNumber(i, player))
		}
		for i := range linePatterns {
			p.line[i][player] = at(lineNumber(i, player))
		}
		p.tempo[player] = at(tempoAt + player)
	}
	return p
}
