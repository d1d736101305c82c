// Package grid has what the rules of several games share: names of squares,
// boards as text, selection in bit sets, and hashing.
package grid

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"castellan/engine"
)

// Square is a square of a board: X counts files from 0 (a), Y counts ranks from
// 0 (rank 1, the bottom).
type Square struct{ X, Y int }

func (s Square) String() string { return string(rune('a'+s.X)) + strconv.Itoa(s.Y+1) }

// ParseSquare reads the name of a square, in lower case, of a board with that
// many files and ranks: "b1" has file 1 and rank 0.
func ParseSquare(name string, size int) (file, rank int, ok bool) {
	if name == "" || name[0] < 'a' || int(name[0]) >= 'a'+size {
		return 0, 0, false
	}
	number, ok := ParseNumber(name[1:], size)
	return int(name[0] - 'a'), number - 1, ok
}

// ParseNumber reads a number from 1 to most, without a sign or leading zeros.
func ParseNumber(s string, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= most && strconv.Itoa(n) == s
}

// Far is a distance beyond any board.
const Far = 1000

// Distance returns the number of steps along files and ranks.
func Distance(files, ranks int) int { return max(files, -files) + max(ranks, -ranks) }

// Text draws a board: a line for each rank from the top and a last line of
// files. Every square is cell characters wide.
func Text(width, height, cell int, symbol func(x, y int) string) string {
	var b strings.Builder
	line := func(head string, sign func(x int) string) {
		for x := range width {
			head += fmt.Sprintf(" %-*s", cell, sign(x))
		}
		b.WriteString(strings.TrimRight(head, " ") + "\n")
	}
	for y := height - 1; y >= 0; y-- {
		line(fmt.Sprintf("%2d", y+1), func(x int) string { return symbol(x, y) })
	}
	line("  ", func(x int) string { return string(rune('a' + x)) })
	return b.String()
}

func AppendLines(to []engine.Phrase, text string) []engine.Phrase {
	for line := range strings.Lines(text) {
		to = append(to, engine.Verbatim(strings.TrimRight(line, "\n")))
	}
	return to
}

// Token returns the token of an action, which may be nil.
func Token(a engine.Action) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// Mix hashes a number with the finalizer of splitmix64 (Steele, Lea, Flood,
// 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash is a running hash.
type Hash uint64

func (h *Hash) Add(v uint64) { *h = Hash(bits.RotateLeft64(Mix(uint64(*h)^v), 23)) }

// NthBit returns the index of set bit number k, from 0, of w, which has more
// than k set bits. It counts and searches all bytes at once: Vigna, "Broadword
// implementation of rank/select queries" (2008), algorithm 2, with a table for
// the last step.
func NthBit(w uint64, k int) int {
	const ones = 0x0101010101010101
	sums := w - w>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * ones // for each byte, set bits up to its end
	before := ((uint64(k)*ones | 0x80*ones) - sums) & (0x80 * ones)
	at := bits.OnesCount64(before) * 8
	rest := uint64(k) - sums<<8>>(at&63)&0xff
	return at + int(nthInByte[rest&7][w>>(at&63)&0xff])
}

// nthInByte is NthBit for one byte.
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
