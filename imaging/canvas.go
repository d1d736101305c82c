package imaging

import "image"

// canvas is a picture in the making: palette indices, row by row.
type canvas struct {
	*image.Paletted
	palette *palette
}

// newCanvas is a canvas of the background colour, or what it is cleared to.
func newCanvas(p *palette, width, height int) *canvas {
	c := &canvas{Paletted: image.NewPaletted(image.Rect(0, 0, width, height), p.colours), palette: p}
	c.fill(c.Rect, background)
	return c
}

// fill makes a rectangle one flat colour.
func (c *canvas) fill(r image.Rectangle, with role) {
	r = r.Intersect(c.Rect)
	if r.Empty() {
		return
	}
	index := c.palette.base[with]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[c.PixOffset(r.Min.X, y):c.PixOffset(r.Max.X, y)]
		for i := range row {
			row[i] = index
		}
	}
}

// stamp lays a mask with its anchor at (x, y) in a flat colour over what is
// there.
func (c *canvas) stamp(m *mask, x, y int, with role) {
	at := m.Rect.Add(image.Pt(x, y))
	r := at.Intersect(c.Rect)
	if r.Empty() {
		return
	}
	index, over := c.palette.base[with], &c.palette.over[with]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		dst := c.Pix[c.PixOffset(r.Min.X, y):c.PixOffset(r.Max.X, y)]
		from := (y-at.Min.Y)*m.Rect.Dx() + r.Min.X - at.Min.X
		for i, q := range m.quarters[from : from+len(dst)] {
			switch q {
			case none:
			case full:
				dst[i] = index
			default:
				dst[i] = over[q-1][dst[i]]
			}
		}
	}
}

// copy lays an opaque sprite of the same palette with its upper left corner at
// (x, y). It copies indices: image/draw would search the palette for every
// pixel.
func (c *canvas) copy(s *canvas, x, y int) {
	at := s.Rect.Add(image.Pt(x, y))
	r := at.Intersect(c.Rect)
	if r.Empty() {
		return
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := s.PixOffset(r.Min.X-at.Min.X, y-at.Min.Y)
		copy(c.Pix[c.PixOffset(r.Min.X, y):], s.Pix[from:from+r.Dx()])
	}
}

// within is the part of the canvas inside a rectangle, its pixels shared and
// its coordinates the same: nothing drawn there reaches beyond.
func (c *canvas) within(r image.Rectangle) *canvas {
	return &canvas{Paletted: c.SubImage(r).(*image.Paletted), palette: c.palette}
}
