package grid

import "testing"

func TestNthBit(t *testing.T) {
	words := []uint64{1, 1 << 63, ^uint64(0), 0xff, 0xff << 56, 0x8000000000000001, 0x0101010101010101}
	w := uint64(0x9e3779b97f4a7c15)
	for range 2000 {
		w ^= w << 13
		w ^= w >> 7
		w ^= w << 17
		words = append(words, w, w&(w<<7), w|w>>3)
	}
	for _, w := range words {
		k := 0
		for i := range 64 {
			if w>>i&1 == 0 {
				continue
			}
			if got := NthBit(w, k); got != i {
				t.Fatalf("bit %d of %x is %d, not %d", k, w, got, i)
			}
			k++
		}
	}
}

func TestParseSquare(t *testing.T) {
	for _, c := range []struct {
		name       string
		file, rank int
		ok         bool
	}{
		{"a1", 0, 0, true}, {"j10", 9, 9, true}, {"b2", 1, 1, true},
		{name: ""}, {name: "a"}, {name: "a0"}, {name: "a01"}, {name: "a+1"}, {name: "a11"}, {name: "k1"}, {name: "A1"}, {name: "é1"},
	} {
		file, rank, ok := ParseSquare(c.name, 10)
		if ok != c.ok || ok && (file != c.file || rank != c.rank) {
			t.Errorf("%q is file %d, rank %d, %t", c.name, file, rank, ok)
		}
	}
}
