package imaging

import (
	"image"
	"math"

	"github.com/fogleman/gg"
)

// sign is a form in the colour of signs on a key line in the colour of the
// background, which sets it off from whatever it lies on. Both have the same
// anchor.
type sign struct{ key, form *mask }

// put lays the sign with its anchor at (x, y).
func (s sign) put(c *canvas, x, y int) {
	c.stamp(s.key, x, y, background)
	c.stamp(s.form, x, y, mark)
}

// keyLine is the width of a key line, in pixels.
func (g grid) keyLine() float64 { return max(2, math.Round(g.length(0.03))) }

// ring is a ring about the middle of a cell, of that radius and line width in
// cells.
func (g grid) ring(radius, width float64) sign {
	m, r, w := g.centre(), g.length(radius), max(2.5, g.length(width))
	k := g.keyLine()
	box := around(m, m, r+w/2+k)
	return sign{
		key:  paint(box, func(dc *gg.Context) { fillRing(dc, m, m, r, w+2*k) }),
		form: paint(box, func(dc *gg.Context) { fillRing(dc, m, m, r, w) }),
	}
}

// tag is a solid disc at the upper right of a cell, where a sign lies on a
// piece. It gives the middle and radius of the disc too.
func (g grid) tag() (s sign, x, y, r float64) {
	return g.tagAt(0.34, 0.22)
}

// tagAt is a tag whose middle is that far to the right of the middle of the
// cell and as far above, and its radius; all in cells.
func (g grid) tagAt(off, radius float64) (s sign, x, y, r float64) {
	m := g.centre()
	x, y, r = m+g.length(off), m-g.length(off), g.length(radius)
	k := g.keyLine()
	box := around(x, y, r+k)
	return sign{
		key:  paint(box, func(dc *gg.Context) { fillDisc(dc, x, y, r+k) }),
		form: paint(box, func(dc *gg.Context) { fillDisc(dc, x, y, r) }),
	}, x, y, r
}

// brackets puts four corner brackets around the cells from one to another:
// what the last turn did.
func (g grid) brackets(c *canvas, from, to image.Point) {
	box := g.square(min(from.X, to.X), max(from.Y, to.Y)).
		Union(g.square(max(from.X, to.X), min(from.Y, to.Y))).
		Inset(-lineWidth)
	if !g.wholeLines {
		// Or the crosses there would stick out from under the brackets.
		for _, x := range []int{box.Min.X + 1, box.Max.X - 2} {
			for _, y := range []int{box.Min.Y + 1, box.Max.Y - 2} {
				g.cross(c, x, y, background)
			}
		}
	}
	arm := int(math.Round(g.length(0.26))) + lineWidth
	width := max(3, int(math.Round(g.length(0.055))))
	key := int(g.keyLine())
	for _, pass := range []struct {
		grow int
		with role
	}{{key, background}, {0, mark}} {
		for _, right := range []bool{false, true} {
			for _, low := range []bool{false, true} {
				at := box.Min
				h := image.Rect(0, 0, arm, width)
				v := image.Rect(0, 0, width, arm)
				if right {
					at.X = box.Max.X
					h, v = h.Sub(image.Pt(arm, 0)), v.Sub(image.Pt(width, 0))
				}
				if low {
					at.Y = box.Max.Y
					h, v = h.Sub(image.Pt(0, width)), v.Sub(image.Pt(0, arm))
				}
				c.fill(h.Add(at).Inset(-pass.grow), pass.with)
				c.fill(v.Add(at).Inset(-pass.grow), pass.with)
			}
		}
	}
}

// dashes puts a dashed line from the middle of one cell towards another a
// number of cells away, leaving out some length, in cells, at both ends. The
// dashes are spread so that both ends look the same.
func (g grid) dashes(c *canvas, file, rank int, h heading, cells int, start, end float64) {
	const on, off = 0.16, 0.12
	space := float64(cells) - start - end
	n := max(1, int(math.Round((space+off)/(on+off))))
	period := (space + off) / float64(n)
	width := g.even(0.055, 3)
	m := int(2 * g.centre()) // twice, to stay whole
	p := g.corner(file, rank)
	dx, dy := h.step()
	key := int(g.keyLine())
	for i := range n {
		from := int(math.Round(g.length(start + float64(i)*period)))
		to := from + int(math.Round(g.length(period-off)))
		// Along the heading from the middle, then across it.
		ax, ay := p.X+(m+1)/2+dx*from, p.Y+(m+1)/2+dy*from
		bx, by := p.X+(m+1)/2+dx*to, p.Y+(m+1)/2+dy*to
		if dx < 0 {
			ax, bx = p.X+m/2-from, p.X+m/2-to
		}
		if dy < 0 {
			ay, by = p.Y+m/2-from, p.Y+m/2-to
		}
		r := image.Rect(ax, ay, bx, by)
		if dx != 0 {
			r.Min.Y = p.Y + (m-width)/2
			r.Max.Y = r.Min.Y + width
		} else {
			r.Min.X = p.X + (m-width)/2
			r.Max.X = r.Min.X + width
		}
		c.fill(r.Inset(-key), background)
		c.fill(r, mark)
	}
}

// frameAround puts a closed frame around the cells from one to another: what is
// picked. Its line has that width in cells.
func (g grid) frameAround(c *canvas, from, to image.Point, thick float64) {
	box := g.square(min(from.X, to.X), max(from.Y, to.Y)).
		Union(g.square(max(from.X, to.X), min(from.Y, to.Y))).
		Inset(-lineWidth)
	if !g.wholeLines {
		// Or the crosses there would stick out from under the frame.
		for y := box.Min.Y + 1; y < box.Max.Y; y += g.cell {
			g.cross(c, box.Min.X+1, y, background)
			g.cross(c, box.Max.X-2, y, background)
		}
		for x := box.Min.X + 1; x < box.Max.X; x += g.cell {
			g.cross(c, x, box.Min.Y+1, background)
			g.cross(c, x, box.Max.Y-2, background)
		}
	}
	width := max(4, int(math.Round(g.length(thick))))
	key := int(g.keyLine())
	for _, pass := range []struct {
		grow int
		with role
	}{{key, background}, {0, mark}} {
		for _, side := range []image.Rectangle{
			image.Rect(box.Min.X, box.Min.Y, box.Max.X, box.Min.Y+width),
			image.Rect(box.Min.X, box.Max.Y-width, box.Max.X, box.Max.Y),
			image.Rect(box.Min.X, box.Min.Y, box.Min.X+width, box.Max.Y),
			image.Rect(box.Max.X-width, box.Min.Y, box.Max.X, box.Max.Y),
		} {
			c.fill(side.Inset(-pass.grow), pass.with)
		}
	}
}

// plus is a small plus at the lower right of a cell: something can be added to
// what stands there.
func (g grid) plus() sign {
	m := g.centre()
	x, y := m+g.length(0.38), m+g.length(0.38)
	arm, width, k := max(4, g.length(0.07)), max(2, g.length(0.04)), g.keyLine()
	box := around(x, y, arm+k+1)
	cross := func(grow float64) func(*gg.Context) {
		return func(dc *gg.Context) {
			dc.DrawRectangle(x-arm-grow, y-width/2-grow, 2*(arm+grow), width+2*grow)
			dc.DrawRectangle(x-width/2-grow, y-arm-grow, width+2*grow, 2*(arm+grow))
			dc.Fill()
		}
	}
	return sign{key: paint(box, cross(k)), form: paint(box, cross(0))}
}

// ear is a dog-ear: the upper right corner of a tile with that side, turned
// down.
func (g grid) ear(side float64) sign {
	m, e, k := g.centre(), math.Round(g.length(0.30)), g.keyLine()
	right, top := m+side/2, m-side/2
	box := image.Rect(0, 0, g.inner(), g.inner())
	corner := func(e float64) func(*gg.Context) {
		return func(dc *gg.Context) {
			fillPolygon(dc, []gg.Point{{X: right - e, Y: top}, {X: right, Y: top}, {X: right, Y: top + e}})
		}
	}
	return sign{key: paint(box, corner(e+k*math.Sqrt2)), form: paint(box, corner(e))}
}
