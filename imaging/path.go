package imaging

import (
	"image"
	"math"

	"github.com/fogleman/gg"
)

// Lengths of a path in cells: the sign of where a piece went.
const (
	pathRing  = 0.13 // radius of the hollow ring where it began
	pathLine  = 0.055
	pathHead  = 0.15 // radius of the circle around the arrow head
	pathEnd   = 0.37 // from the arrow's tip to the middle of the target
	pathLeave = 0.47 // from where a path leaves a piece that stayed to its middle
)

// pathSigns is the parts of paths that are painted beforehand.
type pathSigns struct {
	ring  sign
	heads [headings]sign // anchored where a ring is, the target's corner
}

func newPathSigns(g grid) (p pathSigns) {
	p.ring = g.ring(pathRing, pathLine)
	m, k := g.centre(), g.keyLine()
	for h := range p.heads {
		dx, dy := heading(h).step()
		// The tip of an arrow lies on the circle around it.
		back := g.length(pathEnd + pathHead)
		x, y := m-float64(dx)*back, m-float64(dy)*back
		r := g.length(pathHead)
		outline := arrow(x, y, r, heading(h))
		box := around(x, y, r+k)
		p.heads[h] = sign{
			key:  paint(box, func(dc *gg.Context) { fillKeyed(dc, outline, k) }),
			form: paint(box, func(dc *gg.Context) { fillPolygon(dc, outline) }),
		}
	}
	return p
}

// fillKeyed fills a polygon with a key line of that width around it. Corners
// are round: the tails of an arrow would grow fins.
func fillKeyed(dc *gg.Context, points []gg.Point, key float64) {
	tracePolygon(dc, points)
	dc.SetLineWidth(2 * key)
	dc.SetLineJoinRound()
	dc.StrokePreserve()
	dc.Fill()
}

// path draws where a piece went, from one cell in a straight line to another:
// a hollow ring at the source, a line and an arrow head before the target. The
// line of a piece that left another behind begins at the other's edge.
func (g grid) path(c *canvas, s pathSigns, from, to image.Point, left bool) {
	h := headingTo(from, to)
	far := max(to.X-from.X, from.X-to.X, to.Y-from.Y, from.Y-to.Y)
	start := pathRing
	if left {
		start = pathLeave
	}
	g.line(c, from, h, start, float64(far)-pathEnd-1.2*pathHead)
	if !left {
		at := g.corner(from.X, from.Y)
		s.ring.put(c, at.X, at.Y)
	}
	at := g.corner(to.X, to.Y)
	s.heads[h].put(c, at.X, at.Y)
}

// headingTo is the heading from one cell to another in the same row or file,
// where ranks count from the bottom.
func headingTo(from, to image.Point) heading {
	switch {
	case to.Y > from.Y:
		return up
	case to.Y < from.Y:
		return down
	case to.X < from.X:
		return leftward
	}
	return rightward
}

// line draws a line along a heading, its ends that many cells from the middle
// of a cell; nothing if it would have no length.
func (g grid) line(c *canvas, from image.Point, h heading, start, end float64) {
	if end <= start {
		return
	}
	width := g.even(pathLine, 3)
	m := int(2 * g.centre()) // twice, to stay whole
	p := g.corner(from.X, from.Y)
	dx, dy := h.step()
	a, b := int(math.Round(g.length(start))), int(math.Round(g.length(end)))
	var r image.Rectangle
	if dx != 0 {
		r = image.Rect(p.X+m/2+dx*a, p.Y+(m-width)/2, p.X+m/2+dx*b, p.Y+(m-width)/2+width)
	} else {
		r = image.Rect(p.X+(m-width)/2, p.Y+m/2+dy*a, p.X+(m-width)/2+width, p.Y+m/2+dy*b)
	}
	c.fill(r.Inset(-int(g.keyLine())), background)
	c.fill(r, mark)
}

// frame puts the closed frame of what is picked around a cell.
func (g grid) frame(c *canvas, file, rank int) {
	outer := g.square(file, rank).Inset(-lineWidth)
	width := max(4, int(math.Round(g.length(0.085))))
	key := int(g.keyLine())
	edges := func(r image.Rectangle, width int, with role) {
		c.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+width), with)
		c.fill(image.Rect(r.Min.X, r.Max.Y-width, r.Max.X, r.Max.Y), with)
		c.fill(image.Rect(r.Min.X, r.Min.Y, r.Min.X+width, r.Max.Y), with)
		c.fill(image.Rect(r.Max.X-width, r.Min.Y, r.Max.X, r.Max.Y), with)
	}
	edges(outer.Inset(-key), width+2*key, background)
	edges(outer, width, mark)
}
