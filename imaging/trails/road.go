package trails

import (
	"image"
	"image/color"
	"math"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Lengths of roads in cells.
const (
	roadWidth   = 0.60
	roadEdge    = 0.035
	roadGlow    = 0.17 // beyond the road
	roadCorner  = 0.32 // from where a corner begins to the middle of the cell
	dotRadius   = 0.045
	dashLength  = 0.15
	dashWidth   = 0.065
	arrowRadius = 0.13
	bridgeArrow = 0.11
	bridgeWide  = 0.25
	bridgeBow   = 0.36 // of the middle of a bridge beside the line of the squares
	bridgeRamp  = 0.85 // length of its ramps
	plank       = 0.13 // from one to the next
	largeSigns  = 1.4  // how much larger dots and arrows are on boards above largeBoard
)

// road is the trail of a seat: its squares on the ground in order. Bridges lead
// over what is between two of them that are not neighbours.
type road struct {
	ground []trails.Square
	recent int // the last move begins at this element
}

// roads returns the roads of both seats.
func roads(p *trails.Position) (both [2]road) {
	occupied := map[trails.Square]bool{}
	for _, t := range p.Towers() {
		occupied[t.Square] = true
	}
	var paths [2][]trails.Square
	for i, seat := range seats {
		paths[i] = p.Path(seat)
		occupied[paths[i][0]] = true
		both[i].ground = append(both[i].ground, paths[i][0])
	}
	for n := 1; n < max(len(paths[0]), len(paths[1])); n++ {
		for i, path := range paths {
			if n >= len(path) {
				continue
			}
			r := &both[i]
			r.recent = len(r.ground) - 1
			for at := path[n-1]; at != path[n]; {
				at = next(at, path[n])
				if !occupied[at] || at == path[n] {
					r.ground = append(r.ground, at)
					occupied[at] = true
				}
			}
		}
	}
	return both
}

// next returns the square after one on the way to another of the same rank or
// file.
func next(at, to trails.Square) trails.Square {
	sign := func(n int) int { return min(1, max(-1, n)) }
	return trails.Square{X: at.X + sign(to.X-at.X), Y: at.Y + sign(to.Y-at.Y)}
}

// between returns how a road goes from a square to another: the heading, and the
// distance in cells.
func between(from, to trails.Square) (draw.Heading, int) {
	switch {
	case to.Y > from.Y:
		return draw.Up, to.Y - from.Y
	case to.Y < from.Y:
		return draw.Down, from.Y - to.Y
	case to.X < from.X:
		return draw.Leftward, from.X - to.X
	}
	return draw.Rightward, to.X - from.X
}

// nowhere is the heading of a road that begins or ends in the middle of a cell.
const nowhere = draw.Heading(draw.Headings)

// piece is a part of a road: what lies in a cell, from one heading to another,
// or, with a distance, a bridge to another cell.
type piece struct {
	seat     engine.Seat
	in, out  draw.Heading
	distance int
	recent   bool // of the last move: its edge is lit
	glow     bool // only the light around it
}

// eachPiece calls put with the pieces of a road from an element of its ground on,
// first those on the ground, then the bridges.
func (r road) eachPiece(seat engine.Seat, from int, put func(piece, trails.Square)) {
	way := func(i int) (draw.Heading, int) {
		if i < 0 || i+1 >= len(r.ground) {
			return nowhere, 0
		}
		return between(r.ground[i], r.ground[i+1])
	}
	road := func(i int) draw.Heading {
		h, n := way(i)
		if n > 1 {
			return nowhere
		}
		return h
	}
	for i := from; i < len(r.ground); i++ {
		in := road(i - 1)
		if i == from {
			in = nowhere
		}
		if i > from || from == 0 || road(i) != nowhere {
			put(piece{seat: seat, in: in, out: road(i), recent: i > r.recent}, r.ground[i])
		}
	}
	for i := from; i+1 < len(r.ground); i++ {
		if h, n := way(i); n > 1 {
			put(piece{seat: seat, in: h, out: h, distance: n, recent: i >= r.recent}, r.ground[i])
		}
	}
}

// piece returns the sprite of a part of a road, anchored at the corner of its
// first cell.
func (k *set) piece(p piece) *draw.Sprite {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.pieces[p]
	if !ok {
		side := k.Grid.Cell
		line := side - k.Grid.Inner()
		box := image.Rect(-line, -line, side, side)
		paint := builder.stretch
		if p.distance > 0 {
			dx, dy := p.out.Step()
			end := image.Pt(dx*p.distance*side, dy*p.distance*side)
			box, paint = box.Union(box.Add(end)), builder.bridge
		}
		s = k.Sprite(box, func(dc *gg.Context) {
			paint(builder{dc, k.Theme, k.Grid, engine.Blue + engine.Colour(p.seat-1)}, p)
		})
		k.pieces[p] = s
	}
	return s
}

// builder draws roads and towers of a colour with gg.
type builder struct {
	*gg.Context
	theme  draw.Theme
	grid   draw.Grid
	colour engine.Colour
}

// line traces the middle of a road in a cell, moved by some cells to the right
// and down. Blue's corners are round, Red's are cut.
func (b builder) line(p piece, by float64) {
	g := b.grid
	m, c := g.Centre()+g.Length(by), g.Length(roadCorner)
	at := func(h draw.Heading, length float64) (x, y float64) {
		dx, dy := h.Step()
		return m + float64(dx)*length, m + float64(dy)*length
	}
	b.NewSubPath()
	beyond := g.Length(0.8) // it is cut off at the edge of the cell
	switch {
	case p.in == nowhere && p.out == nowhere:
		b.MoveTo(m-0.01, m)
		b.LineTo(m+0.01, m)
	case p.in == nowhere:
		b.MoveTo(m, m)
		b.LineTo(at(p.out, beyond))
	case p.out == nowhere:
		b.MoveTo(at(p.in, -beyond))
		b.LineTo(m, m)
	case p.in == p.out:
		b.MoveTo(at(p.in, -beyond))
		b.LineTo(at(p.out, beyond))
	default:
		b.MoveTo(at(p.in, -beyond))
		b.LineTo(at(p.in, -c))
		x, y := at(p.out, c)
		if b.colour == engine.Red {
			b.LineTo(x, y)
		} else {
			b.QuadraticTo(m, m, x, y)
		}
		b.LineTo(at(p.out, beyond))
	}
}

// layer strokes a line.
func (b builder) layer(c color.RGBA, width float64, trace func(by float64), by float64) {
	b.SetColor(c)
	b.SetLineWidth(width)
	if b.colour == engine.Red {
		b.SetLineJoinBevel()
	} else {
		b.SetLineJoinRound()
	}
	b.SetLineCapRound()
	trace(by)
	b.Stroke()
}

// shade strokes a soft line.
func (b builder) shade(alpha, width float64, trace func(by float64), by float64) {
	s := b.theme.Shade
	b.SetRGBA255(int(s.R), int(s.G), int(s.B), int(255*alpha))
	b.SetLineWidth(width)
	trace(by)
	b.Stroke()
}

// light strokes the warm light along a road of a width.
func (b builder) light(width float64, trace func(by float64)) {
	g, t := b.grid, b.theme
	b.SetLineCapRound()
	b.SetLineJoinRound()
	if t.Plain {
		b.layer(t.RecentEdge, width+2*g.Length(0.13), trace, 0)
		return
	}
	for _, step := range []struct{ beyond, alpha float64 }{{roadGlow, 0.35}, {roadGlow * 0.75, 0.5}, {roadGlow * 0.5, 1}} {
		c := t.RecentEdge
		b.SetRGBA255(int(c.R), int(c.G), int(c.B), int(255*step.alpha))
		b.SetLineWidth(width + 2*g.Length(step.beyond))
		trace(0)
		b.Stroke()
	}
}

// stretch draws the road in a cell.
func (b builder) stretch(p piece) {
	g, t, own := b.grid, b.theme, b.theme.Seat(b.colour)
	trace := func(by float64) { b.line(p, by) }
	width, edge := float64(g.Even(roadWidth, 6)), max(2, math.Round(g.Length(roadEdge)))
	if p.glow {
		b.light(width, trace)
		if p.out == nowhere {
			b.SetColor(t.RecentEdge)
			draw.FillTile(b.Context, b.colour, g.Centre(), g.Centre(), g.Length(0.98))
		}
		return
	}
	if t.Plain {
		b.layer(t.Background, width+2*edge, trace, 0)
		b.layer(own, width, trace, 0)
		b.way(p)
		return
	}
	b.SetLineCapRound()
	b.SetLineJoinRound()
	b.shade(0.25, width+2*edge, trace, 0.06)
	b.shade(0.30, width+2*edge, trace, 0.03)
	b.layer(b.edge(p), width+2*edge, trace, 0)
	b.layer(t.Darker(own, 0.32), width, trace, 0)
	b.layer(own, width-2*max(1, g.Length(0.02)), trace, -0.012)
	b.layer(t.Lighter(own, 0.34), max(1.5, g.Length(0.04)), trace, -0.215)
	b.way(p)
}

// edge returns the colour of the edge of a road.
func (b builder) edge(p piece) color.RGBA {
	if p.recent {
		return b.theme.Gold
	}
	return b.theme.Darker(b.theme.Seat(b.colour), 0.64)
}

// sizes returns how much larger signs on roads are on a board.
func (b builder) sizes() float64 {
	if b.grid.Files > largeBoard {
		return largeSigns
	}
	return 1
}

// way draws the middle line of a road: Blue's dots, Red's dashes, and an arrow
// head in the direction.
func (b builder) way(p piece) {
	g, big := b.grid, b.sizes()
	m := g.Centre()
	b.SetColor(b.theme.Ink)
	spot := func(x, y float64, h draw.Heading) {
		if b.colour != engine.Red {
			draw.FillDisc(b.Context, x, y, big*g.Length(dotRadius))
			return
		}
		_, dy := h.Step()
		l, w := big*g.Length(dashLength), big*g.Length(dashWidth)
		if dy != 0 {
			l, w = w, l
		}
		b.DrawRectangle(x-l/2, y-w/2, l, w)
		b.Fill()
	}
	half := g.Length(0.5)
	if p.in != nowhere { // at the edge towards the cell before
		dx, dy := p.in.Step()
		spot(m-float64(dx)*half, m-float64(dy)*half, p.in)
	}
	if p.out == nowhere {
		return
	}
	dx, dy := p.out.Step()
	spot(m+float64(dx)*half, m+float64(dy)*half, p.out)
	x, y := m, m
	ux, uy := float64(dx), float64(dy)
	if p.in != nowhere && p.in != p.out { // a corner is turned by half
		ix, iy := p.in.Step()
		shift := g.Length(roadCorner) / 4
		x, y = x+(float64(dx)-float64(ix))*shift, y+(float64(dy)-float64(iy))*shift
		ux, uy = (ux+float64(ix))/math.Sqrt2, (uy+float64(iy))/math.Sqrt2
	}
	b.arrow(x, y, ux, uy, big*g.Length(arrowRadius))
}

// arrow fills an arrow head about (x, y) that points along a vector of length 1.
func (b builder) arrow(x, y, ux, uy, r float64) {
	at := func(along, across float64) gg.Point {
		return gg.Point{X: x + r*(along*ux-across*uy), Y: y + r*(along*uy+across*ux)}
	}
	draw.FillPolygon(b.Context, []gg.Point{at(1, 0), at(-0.75, 0.8), at(-0.3, 0), at(-0.75, -0.8)})
}

// bridge draws a bridge over cells. It bows aside, so that what lies below can
// be seen: level ones up, upright ones to the right.
func (b builder) bridge(p piece) {
	g, t, own := b.grid, b.theme, b.theme.Seat(b.colour)
	dx, dy := p.out.Step()
	sx, sy := 0.0, -1.0
	if dy != 0 {
		sx, sy = 1, 0
	}
	m, far := g.Centre(), float64(p.distance)
	at := func(along, aside, by float64) (x, y float64) {
		return m + g.Length(along*float64(dx)+aside*sx+by*0.7), m + g.Length(along*float64(dy)+aside*sy+by)
	}
	trace := func(by float64) {
		b.NewSubPath()
		b.MoveTo(at(0, 0, by))
		x1, y1 := at(0.35, bridgeBow, by)
		x2, y2 := at(bridgeRamp, bridgeBow, by)
		b.QuadraticTo(x1, y1, x2, y2)
		b.LineTo(at(far-bridgeRamp, bridgeBow, by))
		x1, y1 = at(far-0.35, bridgeBow, by)
		x2, y2 = at(far, 0, by)
		b.QuadraticTo(x1, y1, x2, y2)
	}
	width, edge := g.Length(bridgeWide), max(2, math.Round(g.Length(roadEdge)))
	b.SetLineCapRound()
	b.SetLineJoinRound()
	if p.glow {
		b.light(width, trace)
		return
	}
	if t.Plain {
		b.layer(t.Background, width+2*edge, trace, 0)
		b.layer(own, width, trace, 0)
	} else {
		b.shade(0.28, width, trace, 0.10)
		b.shade(0.28, width, trace, 0.07)
		b.layer(b.edge(p), width+2*edge, trace, 0)
		b.layer(t.Lighter(own, 0.34), width, trace, 0)
		b.SetLineCapButt()
		b.SetDash(g.Length(plank*0.78), g.Length(plank*0.22))
		b.SetColor(own)
		b.SetLineWidth(width - max(2, g.Length(0.05)))
		b.SetLineJoinRound()
		b.SetLineCapButt()
		trace(0)
		b.Stroke()
		b.SetDash()
	}
	x, y := at(far/2, bridgeBow, 0)
	b.SetColor(t.Ink)
	b.arrow(x, y, float64(dx), float64(dy), b.sizes()*g.Length(bridgeArrow))
}
