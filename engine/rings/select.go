package rings

import "math/bits"

const (
	lowBits  = 0x0101010101010101 // the lowest bit of each byte
	highBits = 0x8080808080808080
)

// nthInByte is the place of member number k, from 0, of every set of eight.
var nthInByte = func() (t [8][256]uint8) {
	for set := range 256 {
		k := 0
		for i := range 8 {
			if set>>i&1 != 0 {
				t[k][set] = uint8(i)
				k++
			}
		}
	}
	return t
}()

// nth is the place of member number k, from 0, of a set with more than k: the
// selection by sums of bytes of Vigna, "Broadword implementation of rank/select
// queries" (2008), algorithm 2.
func nthMember(set uint64, k uint) uint {
	sums := set - set>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * lowBits // of each byte and all below it
	// The byte is behind as many others as have sums that are not above k.
	place := 8 * uint(bits.OnesCount64(((uint64(k)*lowBits|highBits)-sums)&highBits)) & 63
	k -= uint(sums<<8>>place) & 0xff
	return place + uint(nthInByte[k&7][set>>place&0xff])
}
