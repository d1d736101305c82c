package draw

import (
	"encoding/binary"
	"image"
)

// Canvas is a picture of palette indices, row by row.
type Canvas struct {
	*image.Paletted
	palette *Palette
	ops     *[]op // puts drawings off, see [Repainter]
}

// NewCanvas returns a canvas filled with the background colour.
func NewCanvas(p *Palette, width, height int) *Canvas {
	c := &Canvas{Paletted: image.NewPaletted(image.Rect(0, 0, width, height), p.Colours), palette: p}
	c.Fill(c.Rect, Background)
	return c
}

// Fill fills a rectangle with one colour.
func (c *Canvas) Fill(r image.Rectangle, with Role) {
	r = r.Intersect(c.Rect)
	if r.Empty() || c.later(op{area: r, with: with}) {
		return
	}
	index := c.palette.base[with]
	first := c.Pix[c.PixOffset(r.Min.X, r.Min.Y):c.PixOffset(r.Max.X, r.Min.Y)]
	for i := range first {
		first[i] = index
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		copy(c.Pix[c.PixOffset(r.Min.X, y):], first) // faster than byte by byte
	}
}

// Stamp lays a mask with its anchor at (x, y) over the picture in one colour.
func (c *Canvas) Stamp(m *Mask, x, y int, with Role) {
	at := m.Rect.Add(image.Pt(x, y))
	r := at.Intersect(c.Rect)
	if r.Empty() || c.later(op{area: r, mask: m, x: x, y: y, with: with}) {
		return
	}
	index, over := c.palette.base[with], &c.palette.over[with]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		dst := c.Pix[c.PixOffset(r.Min.X, y):c.PixOffset(r.Max.X, y)]
		from := (y-at.Min.Y)*m.Rect.Dx() + r.Min.X - at.Min.X
		for src := m.halves[from : from+len(dst)]; len(src) > 0; {
			// Most of a large mask is empty or full: it is looked at eight pixels
			// at a time.
			n := min(8, len(src))
			if n == 8 {
				switch binary.LittleEndian.Uint64(src) {
				case none * ones:
					src, dst = src[8:], dst[8:]
					continue
				case full * ones:
					binary.LittleEndian.PutUint64(dst, uint64(index)*ones)
					src, dst = src[8:], dst[8:]
					continue
				}
			}
			for i, covered := range src[:n] {
				switch covered {
				case none:
				case full:
					dst[i] = index
				default:
					dst[i] = over[dst[i]]
				}
			}
			src, dst = src[n:], dst[n:]
		}
	}
}

// ones has a 1 in each byte.
const ones = 0x0101010101010101

// Copy lays an opaque sprite of the same palette with its upper left corner at
// (x, y). It copies indices: image/draw would search the palette for every
// pixel.
func (c *Canvas) Copy(s *Canvas, x, y int) {
	at := s.Rect.Add(image.Pt(x, y))
	r := at.Intersect(c.Rect)
	if r.Empty() || c.later(op{area: r, sprite: s, x: x, y: y}) {
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := s.PixOffset(r.Min.X-at.Min.X, y-at.Min.Y)
		copy(c.Pix[c.PixOffset(r.Min.X, y):], s.Pix[from:from+r.Dx()])
	}
}

// Recolour replaces the colours in a rectangle: index i becomes table[i].
func (c *Canvas) Recolour(r image.Rectangle, table *[256]uint8) {
	r = r.Intersect(c.Rect)
	if r.Empty() || c.later(op{area: r, table: table}) {
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[c.PixOffset(r.Min.X, y):c.PixOffset(r.Max.X, y)]
		for i, index := range row {
			row[i] = table[index]
		}
	}
}

// Within returns the part of the canvas inside a rectangle. It shares the
// pixels and coordinates of the canvas and clips drawing to the rectangle.
func (c *Canvas) Within(r image.Rectangle) *Canvas {
	return &Canvas{Paletted: c.SubImage(r).(*image.Paletted), palette: c.palette, ops: c.ops}
}
