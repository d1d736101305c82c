package imaging

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// gifWriter writes an animated GIF (GIF89a) frame by frame: image/gif would need
// all frames at once, and its compressor looks every pixel up.
type gifWriter struct {
	out  bytes.Buffer
	lzw  lzwWriter
	bits uint // of a pixel
}

// newGIF returns a writer of pictures of a size, with at most 256 colours. The
// last colour is transparent.
func newGIF(size image.Point, colours color.Palette) *gifWriter {
	g := &gifWriter{bits: 2}
	for 1<<g.bits < len(colours) {
		g.bits++
	}
	g.out.WriteString("GIF89a")
	g.word(size.X, size.Y)
	g.out.Write([]byte{0x80 | 0x70 | byte(g.bits-1), 0, 0}) // a global table, no background, square pixels
	for i := range 1 << g.bits {
		var r, gr, b uint32
		if i < len(colours) {
			r, gr, b, _ = colours[i].RGBA()
		}
		g.out.Write([]byte{byte(r >> 8), byte(gr >> 8), byte(b >> 8)})
	}
	g.out.WriteString("\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00") // repeat for ever
	g.lzw.common = uint8(len(colours) - 1)
	return g
}

func (g *gifWriter) word(all ...int) {
	for _, n := range all {
		g.out.Write(binary.LittleEndian.AppendUint16(nil, uint16(n)))
	}
}

// frame adds a frame: the pixels of a rectangle, over what is there, shown for
// a time in hundredths of a second.
func (g *gifWriter) frame(at image.Rectangle, pixels []byte, delay int) {
	const keep, transparency = 1 << 2, 1
	g.out.Write([]byte{0x21, 0xF9, 4, keep | transparency})
	g.word(delay)
	g.out.Write([]byte{g.lzw.common, 0, 0x2C})
	g.word(at.Min.X, at.Min.Y, at.Dx(), at.Dy())
	g.out.Write([]byte{0, byte(g.bits)})
	data := g.lzw.compress(pixels, g.bits)
	for len(data) > 0 {
		n := min(len(data), 255)
		g.out.WriteByte(byte(n))
		g.out.Write(data[:n])
		data = data[n:]
	}
	g.out.WriteByte(0)
}

func (g *gifWriter) finish() []byte {
	g.out.WriteByte(0x3B)
	return g.out.Bytes()
}

// lzwWriter compresses by LZW as GIF does. Most pixels of a frame are one
// colour, the transparent one, in long runs: it keeps the codes of runs in a
// list and compares the pixels of a run eight at a time.
type lzwWriter struct {
	common uint8 // the colour with long runs

	out     []byte
	pending uint64 // bits that are no whole byte yet
	count   uint   // of those
	width   uint   // of codes

	runs []uint16 // codes of runs of the common colour, by length - 1
	// table holds the codes of other strings with their prefix and last colour
	// above them. 0 is free.
	table [1 << tableBits]uint32
}

const (
	tableBits = 13
	codeBits  = 12
	maxCode   = 1<<codeBits - 1
)

// find returns the place of a string in the table. It is free if the string has
// no code.
func (w *lzwWriter) find(key uint32) *uint32 {
	for at := key * 0x9E3779B1 >> (32 - tableBits); ; at = (at + 1) & (1<<tableBits - 1) {
		if c := &w.table[at]; *c == 0 || *c>>codeBits == key {
			return c
		}
	}
}

func (w *lzwWriter) emit(code uint16) {
	w.pending |= uint64(code) << w.count
	for w.count += w.width; w.count >= 8; w.count -= 8 {
		w.out = append(w.out, byte(w.pending))
		w.pending >>= 8
	}
}

// compress returns the pixels as a stream of codes. The result is valid until
// the next call.
func (w *lzwWriter) compress(pixels []byte, bits uint) []byte {
	clearCode := uint16(1) << bits
	next := clearCode + 2
	reset := func() {
		w.emit(clearCode)
		clear(w.table[:])
		w.width, next = bits+1, clearCode+2
		w.runs = append(w.runs[:0], uint16(w.common))
	}
	w.out, w.pending, w.count, w.width = w.out[:0], 0, 0, bits+1
	reset()
	for i := 0; i < len(pixels); {
		code, inRun := uint16(pixels[i]), pixels[i] == w.common
		if inRun {
			n := runLength(pixels[i:min(len(pixels), i+len(w.runs))], w.common)
			code = w.runs[n-1]
			i += n
		} else {
			i++
		}
		var missing *uint32
		for i < len(pixels) && (!inRun || pixels[i] != w.common) {
			c := w.find(uint32(code)<<8 | uint32(pixels[i]))
			if *c == 0 {
				missing = c
				break
			}
			code, inRun = uint16(*c&maxCode), false
			i++
		}
		w.emit(code)
		switch {
		case i == len(pixels):
			continue
		case next == maxCode:
			reset()
			continue
		case missing == nil: // a run that is longer than all before
			w.runs = append(w.runs, next)
		default:
			*missing = (uint32(code)<<8|uint32(pixels[i]))<<codeBits | uint32(next)
		}
		if next == 1<<w.width {
			w.width++
		}
		next++
	}
	w.emit(clearCode + 1)
	if w.count > 0 {
		w.out = append(w.out, byte(w.pending))
	}
	return w.out
}

// runLength returns how many pixels from the start have a colour.
func runLength(pixels []byte, colour uint8) (n int) {
	eight := uint64(colour) * 0x0101010101010101
	for len(pixels)-n >= 8 && binary.LittleEndian.Uint64(pixels[n:]) == eight {
		n += 8
	}
	for n < len(pixels) && pixels[n] == colour {
		n++
	}
	return n
}
