package draw

import (
	"image"
	"math"

	"github.com/fogleman/gg"
)

// Sign is a form in the colour of signs on a key line in the background colour,
// which sets it off from any ground. Both have the same anchor.
type Sign struct{ Key, Form *Mask }

// NewSign rasterises a sign. The drawing is called with the width of the key
// line and with 0, and draws the form grown by that many pixels.
func NewSign(bounds image.Rectangle, key float64, drawing func(dc *gg.Context, grown float64)) Sign {
	return Sign{
		Key:  NewMask(bounds, func(dc *gg.Context) { drawing(dc, key) }),
		Form: NewMask(bounds, func(dc *gg.Context) { drawing(dc, 0) }),
	}
}

// Put draws the sign with its anchor at (x, y).
func (s Sign) Put(c *Canvas, x, y int) {
	c.Stamp(s.Key, x, y, Background)
	c.Stamp(s.Form, x, y, Mark)
}

// Brackets draws four corner brackets inside a box as a sign. All lengths are
// in pixels; key is the width of the key line.
func (c *Canvas) Brackets(box image.Rectangle, arm, width, key int) {
	c.bars(box, image.Pt(arm, width), image.Pt(width, arm), key)
}

// Frame draws a closed frame inside a box as a sign, with lengths in pixels.
func (c *Canvas) Frame(box image.Rectangle, width, key int) {
	c.bars(box, image.Pt(box.Dx(), width), image.Pt(width, box.Dy()), key)
}

// bars draws a level and an upright bar in each corner of a box.
func (c *Canvas) bars(box image.Rectangle, level, upright image.Point, key int) {
	for _, pass := range []struct {
		grow int
		with Role
	}{{key, Background}, {0, Mark}} {
		for _, bar := range []image.Point{level, upright} {
			for _, x := range []int{box.Min.X, box.Max.X - bar.X} {
				for _, y := range []int{box.Min.Y, box.Max.Y - bar.Y} {
					c.Fill(image.Rect(x, y, x+bar.X, y+bar.Y).Inset(-pass.grow), pass.with)
				}
			}
		}
	}
}

// KeyLine returns the width of a key line in pixels.
func (g Grid) KeyLine() float64 { return max(2, math.Round(g.Length(0.03))) }

// Ring returns a ring about the middle of a cell. Its radius and the width of
// its line are in cells.
func (g Grid) Ring(radius, width float64) Sign {
	m, r, w, k := g.Centre(), g.Length(radius), max(2.5, g.Length(width)), g.KeyLine()
	return NewSign(Around(m, m, r+w/2+k), k, func(dc *gg.Context, grown float64) { FillRing(dc, m, m, r, w+2*grown) })
}

// Tag returns a solid disc at the upper right of a cell, on which a sign can
// lie above a piece. The middle of the disc is off cells to the right of the
// middle of the cell and as far above. Tag returns the disc's middle and
// radius in pixels too, measured from the corner of the cell.
func (g Grid) Tag(off, radius float64) (s Sign, x, y, r float64) {
	m, k := g.Centre(), g.KeyLine()
	x, y, r = m+g.Length(off), m-g.Length(off), g.Length(radius)
	return NewSign(Around(x, y, r+k), k, func(dc *gg.Context, grown float64) { FillDisc(dc, x, y, r+grown) }), x, y, r
}

// Frame draws a closed frame around the cells from one to another: the sign of
// picked cells. The width of its line is in cells.
func (g Grid) Frame(c *Canvas, from, to image.Point, width float64) {
	c.Frame(g.Around(from, to), max(4, int(math.Round(g.Length(width)))), int(g.KeyLine()))
}

// Around returns the cells from one to another with the lines around them.
func (g Grid) Around(from, to image.Point) image.Rectangle {
	return g.Square(from.X, from.Y).Union(g.Square(to.X, to.Y)).Inset(-g.line)
}
