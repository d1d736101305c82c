package towers

import (
	"image"
	"math"

	"castellan/engine/towers"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Lengths of a path in cells: the sign of where a piece went.
const (
	pathRing  = 0.13 // radius of the hollow ring where it began
	pathLine  = 0.055
	pathHead  = 0.15 // radius of the circle around the arrow head
	pathEnd   = 0.37 // from the arrow's tip to the middle of the target
	pathLeave = 0.47 // from the middle of a piece that stays to the start of the path
)

// pathSigns are the parts of a path that do not depend on its length.
type pathSigns struct {
	ring  draw.Sign
	heads [draw.Headings]draw.Sign // anchored at the target's corner
}

func newPathSigns(g draw.Grid) (p pathSigns) {
	p.ring = g.Ring(pathRing, pathLine)
	m, k := g.Centre(), g.KeyLine()
	for h := range p.heads {
		dx, dy := draw.Heading(h).Step()
		// The tip of an arrow lies on the circle around it.
		back := g.Length(pathEnd + pathHead)
		x, y := m-float64(dx)*back, m-float64(dy)*back
		r := g.Length(pathHead)
		outline := draw.Arrow(x, y, r, draw.Heading(h))
		box := draw.Around(x, y, r+k)
		p.heads[h] = draw.Sign{
			Key:  draw.NewMask(box, func(dc *gg.Context) { draw.FillGrown(dc, outline, k) }),
			Form: draw.NewMask(box, func(dc *gg.Context) { draw.FillPolygon(dc, outline) }),
		}
	}
	return p
}

// path draws the path of a move: a hollow ring at the source, a line, and an
// arrow head before the target. If a tower stays at the source, the line begins
// at its edge.
func (k *set) path(c *draw.Canvas, from, to towers.Square, stays bool) {
	h := k.heading(from, to)
	distance := max(to.X-from.X, from.X-to.X, to.Y-from.Y, from.Y-to.Y)
	start := pathRing
	if stays {
		start = pathLeave
	}
	k.line(c, from, h, start, float64(distance)-pathEnd-1.2*pathHead)
	if !stays {
		at := k.Grid.Corner(from.X, from.Y)
		k.paths.ring.Put(c, at.X, at.Y)
	}
	at := k.Grid.Corner(to.X, to.Y)
	k.paths.heads[h].Put(c, at.X, at.Y)
}

// heading returns the heading on the picture from one square to another of the
// same rank or file.
func (k *set) heading(from, to towers.Square) draw.Heading {
	a, b := k.Grid.Corner(from.X, from.Y), k.Grid.Corner(to.X, to.Y)
	switch {
	case b.Y < a.Y:
		return draw.Up
	case b.Y > a.Y:
		return draw.Down
	case b.X < a.X:
		return draw.Leftward
	}
	return draw.Rightward
}

// line draws a line from one distance from the middle of a square to another,
// in cells. It draws nothing if the line has no length.
func (k *set) line(c *draw.Canvas, from towers.Square, h draw.Heading, start, end float64) {
	if end <= start {
		return
	}
	g := k.Grid
	width := g.Even(pathLine, 3)
	side, p := g.Inner(), g.Corner(from.X, from.Y)
	dx, dy := h.Step()
	a, b := int(math.Round(g.Length(start))), int(math.Round(g.Length(end)))
	var r image.Rectangle
	if dx != 0 {
		r = image.Rect(p.X+side/2+dx*a, p.Y+(side-width)/2, p.X+side/2+dx*b, p.Y+(side-width)/2+width)
	} else {
		r = image.Rect(p.X+(side-width)/2, p.Y+side/2+dy*a, p.X+(side-width)/2+width, p.Y+side/2+dy*b)
	}
	c.Fill(r.Inset(-int(g.KeyLine())), draw.Background)
	c.Fill(r, draw.Mark)
}
