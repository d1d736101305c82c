package stonetowers

import "math/bits"

// Move is an action inside a State: the number of a cell. A square never offers
// both building and fortifying. The zero Move, a cell without a square, is the
// pass.
type Move = cell

const pass Move = 0

// Moves is a set of moves in the order of Position.Legal.
type Moves struct {
	set   board
	count int
}

// Len returns the number of moves in the set.
func (m *Moves) Len() int { return m.count }

// Has reports whether the move is in the set.
func (m *Moves) Has(c Move) bool { return m.set.has(c) }

// At returns move number k of the set, from 0 to Len-1.
func (m *Moves) At(k int) Move {
	i := 0
	for ; i < words-1; i++ {
		n := bits.OnesCount64(m.set[i])
		if k < n {
			break
		}
		k -= n
	}
	return Move(i*64 + nthBit(m.set[i], k))
}

// nthBit returns the index of set bit number k, from 0, of w. It counts and
// searches all bytes at once: Vigna, "Broadword implementation of rank/select
// queries" (2008), algorithm 2, with a table for the last step.
func nthBit(w uint64, k int) int {
	const ones = 0x0101010101010101
	sums := w - w>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones // for each byte, set bits up to its end
	before := ((uint64(k)*ones | 0x80*ones) - sums) & (0x80 * ones)
	at := bits.OnesCount64(before) * 8
	rest := uint64(k) - sums<<8>>(at&63)&0xff
	return at + int(nthInByte[rest&7][w>>(at&63)&0xff])
}

// nthInByte is nthBit for one byte.
var nthInByte = func() (t [8][256]uint8) {
	for b := range 256 {
		k := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				t[k][b] = uint8(i)
				k++
			}
		}
	}
	return t
}()
