package imaging

import (
	"math"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// The shapes below fill in the context's colour. Circles are never stroked:
// gg leaves a notch where a stroked circle closes.

// fillDisc fills a disc.
func fillDisc(dc *gg.Context, x, y, r float64) {
	dc.DrawCircle(x, y, r)
	dc.Fill()
}

// fillRing fills a ring whose line, that wide, runs around radius r.
func fillRing(dc *gg.Context, x, y, r, line float64) {
	dc.SetFillRuleEvenOdd()
	dc.DrawCircle(x, y, r+line/2)
	dc.DrawCircle(x, y, r-line/2)
	dc.Fill()
	dc.SetFillRuleWinding()
}

// fillPolygon fills a closed polygon.
func fillPolygon(dc *gg.Context, points []gg.Point) {
	tracePolygon(dc, points)
	dc.Fill()
}

func tracePolygon(dc *gg.Context, points []gg.Point) {
	dc.NewSubPath()
	for _, p := range points {
		dc.LineTo(p.X, p.Y)
	}
	dc.ClosePath()
}

// fillMark fills the mark of a colour about (x, y). The marks have the same
// weight when r is the same; r is the disc's radius.
func fillMark(dc *gg.Context, c engine.Colour, x, y, r float64) {
	if c == engine.Blue {
		fillDisc(dc, x, y, r)
		return
	}
	fillPolygon(dc, markOutline(c, x, y, r))
}

// markOutline is the corners of every mark but the disc.
func markOutline(c engine.Colour, x, y, r float64) []gg.Point {
	switch c {
	case engine.Red:
		h := 1.25 * r
		return []gg.Point{{X: x, Y: y - h}, {X: x + h, Y: y}, {X: x, Y: y + h}, {X: x - h, Y: y}}
	case engine.Gold, engine.White:
		// The centre of the circle through the corners lies on (x, y), or the
		// triangle would seem to sit beside its place.
		w, h := 1.31*r, 2.2*r
		up := h - (w*w+h*h)/(2*h)
		tip, base := y-(h-up), y+up
		if c == engine.White {
			tip, base = y+(h-up), y-up
		}
		return []gg.Point{{X: x, Y: tip}, {X: x + w, Y: base}, {X: x - w, Y: base}}
	case engine.Green:
		h := 0.92 * r
		return []gg.Point{{X: x - h, Y: y - h}, {X: x + h, Y: y - h}, {X: x + h, Y: y + h}, {X: x - h, Y: y + h}}
	case engine.Violet:
		a, h := 1.18*r, 0.46*r
		return []gg.Point{
			{X: x - h, Y: y - a}, {X: x + h, Y: y - a}, {X: x + h, Y: y - h}, {X: x + a, Y: y - h},
			{X: x + a, Y: y + h}, {X: x + h, Y: y + h}, {X: x + h, Y: y + a}, {X: x - h, Y: y + a},
			{X: x - h, Y: y + h}, {X: x - a, Y: y + h}, {X: x - a, Y: y - h}, {X: x - h, Y: y - h},
		}
	}
	return nil
}

// fillGrownMark fills a mark grown by that much to all sides, its corners
// round: the key line below it.
func fillGrownMark(dc *gg.Context, c engine.Colour, x, y, r, by float64) {
	if c == engine.Blue || by <= 0 {
		fillMark(dc, c, x, y, r+by)
		return
	}
	tracePolygon(dc, markOutline(c, x, y, r))
	dc.SetLineWidth(2 * by)
	dc.SetLineJoinRound()
	dc.FillPreserve()
	dc.Stroke()
}

// fillTile fills an owned square of that side about (x, y), with the corners
// of its colour: Blue's are rounded, Red's are cut.
func fillTile(dc *gg.Context, c engine.Colour, x, y, side float64) {
	h := side / 2
	switch c {
	case engine.Blue:
		dc.DrawRoundedRectangle(x-h, y-h, side, side, 0.30*side)
		dc.Fill()
	case engine.Red:
		k := h - 0.22*side
		fillPolygon(dc, []gg.Point{
			{X: x - k, Y: y - h}, {X: x + k, Y: y - h}, {X: x + h, Y: y - k}, {X: x + h, Y: y + k},
			{X: x + k, Y: y + h}, {X: x - k, Y: y + h}, {X: x - h, Y: y + k}, {X: x - h, Y: y - k},
		})
	default:
		dc.DrawRectangle(x-h, y-h, side, side)
		dc.Fill()
	}
}

// heading is one of four directions on the picture.
type heading uint8

const (
	up heading = iota
	down
	leftward
	rightward
	headings = 4
)

// step is the heading as a step in pixels: y grows downwards.
func (h heading) step() (dx, dy int) {
	return [...]int{0, 0, -1, 1}[h], [...]int{-1, 1, 0, 0}[h]
}

// fillArrow fills an arrow head with a notched tail. It fits a circle of
// radius r about (x, y).
func fillArrow(dc *gg.Context, x, y, r float64, h heading) { fillPolygon(dc, arrow(x, y, r, h)) }

// arrow is the outline of an arrow head, clockwise from its tip. Tip and tails
// lie on the circle, the tails 135 degrees from the tip.
func arrow(x, y, r float64, h heading) []gg.Point {
	dx, dy := h.step()
	ux, uy := float64(dx)*r, float64(dy)*r
	at := func(along, across float64) gg.Point {
		return gg.Point{X: x + along*ux - across*uy, Y: y + along*uy + across*ux}
	}
	const tail = math.Sqrt2 / 2
	return []gg.Point{at(1, 0), at(-tail, tail), at(-0.25, 0), at(-tail, -tail)}
}

// fillRook fills a tower of that width and height whose foot stands on y and
// whose middle is x. Whole numbers give an even battlement: all corners but
// those of two slopes lie on whole pixels then.
func fillRook(dc *gg.Context, x, y, width, height float64) {
	fillPolygon(dc, rook(x, y, width, height))
}

// rook is the outline of a tower, clockwise from its upper left corner.
func rook(x, y, width, height float64) []gg.Point {
	round := math.Round
	tooth := round(0.22 * width)
	gap := round(0.16 * width)
	deep := round(0.15 * height)
	slope := round(0.12 * width)
	shoulder := round(0.32 * height)
	foot := round(0.13 * height)
	l, r, top := x-width/2, x+width/2, y-height
	return []gg.Point{
		{X: l, Y: top}, {X: l + tooth, Y: top},
		{X: l + tooth, Y: top + deep}, {X: l + tooth + gap, Y: top + deep},
		{X: l + tooth + gap, Y: top}, {X: r - tooth - gap, Y: top},
		{X: r - tooth - gap, Y: top + deep}, {X: r - tooth, Y: top + deep},
		{X: r - tooth, Y: top}, {X: r, Y: top},
		{X: r, Y: top + shoulder}, {X: r - slope, Y: top + shoulder + slope},
		{X: r - slope, Y: y - foot}, {X: r, Y: y - foot}, {X: r, Y: y},
		{X: l, Y: y}, {X: l, Y: y - foot}, {X: l + slope, Y: y - foot},
		{X: l + slope, Y: top + shoulder + slope}, {X: l, Y: top + shoulder},
	}
}

// fillOutline fills the inner rim, that wide, of a polygon given clockwise.
func fillOutline(dc *gg.Context, points []gg.Point, width float64) {
	dc.SetFillRuleEvenOdd()
	tracePolygon(dc, points)
	tracePolygon(dc, inset(points, width))
	dc.Fill()
	dc.SetFillRuleWinding()
}

// inset is a polygon, given clockwise, with every edge moved inwards.
func inset(points []gg.Point, by float64) []gg.Point {
	n := len(points)
	moved := make([]gg.Point, n)
	for i, p := range points {
		a, b := points[(i+n-1)%n], points[(i+1)%n]
		ax, ay := direction(p.X-a.X, p.Y-a.Y)
		cx, cy := direction(b.X-p.X, b.Y-p.Y)
		// The corner moves along the sum of both inward normals, (-dy, dx),
		// until it is that far from both edges.
		nx, ny := -ay-cy, ax+cx
		k := by / (1 + ax*cx + ay*cy)
		moved[i] = gg.Point{X: p.X + nx*k, Y: p.Y + ny*k}
	}
	return moved
}

// direction is a vector made one long.
func direction(x, y float64) (float64, float64) {
	l := math.Hypot(x, y)
	return x / l, y / l
}

// fillCrown fills a crown of that width about (x, y), 0.8 as high as wide: the
// sign of the winner.
func fillCrown(dc *gg.Context, x, y, width float64) {
	w, h := width/2, 0.8*width
	ball := 0.11 * width
	top, bottom := y-h/2, y+h/2
	side, tip := top+0.13*width+ball, top+ball
	fillPolygon(dc, []gg.Point{
		{X: x - w + ball, Y: side}, {X: x - 0.42*w, Y: y + 0.10*h}, {X: x, Y: tip},
		{X: x + 0.42*w, Y: y + 0.10*h}, {X: x + w - ball, Y: side},
		{X: x + 0.74*w, Y: bottom - 0.22*h}, {X: x - 0.74*w, Y: bottom - 0.22*h},
	})
	dc.DrawRectangle(x-0.74*w, bottom-0.14*h, 1.48*w, 0.14*h)
	dc.Fill()
	fillDisc(dc, x, tip, ball)
	fillDisc(dc, x-w+ball, side, ball)
	fillDisc(dc, x+w-ball, side, ball)
}

// fillCross fills a diagonal cross with arms of that length, from the middle
// to the middle of their ends, and that width.
func fillCross(dc *gg.Context, x, y, arm, width float64) {
	a, h := arm, width/2
	at := func(u, v float64) gg.Point { // turned by 45 degrees
		return gg.Point{X: x + (u-v)*math.Sqrt2/2, Y: y + (u+v)*math.Sqrt2/2}
	}
	fillPolygon(dc, []gg.Point{
		at(-h, -a), at(h, -a), at(h, -h), at(a, -h), at(a, h), at(h, h),
		at(h, a), at(-h, a), at(-h, h), at(-a, h), at(-a, -h), at(-h, -h),
	})
}
