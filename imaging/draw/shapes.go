package draw

import (
	"image"
	"math"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// The functions below fill shapes in the context's colour, with lengths in
// pixels. Rings are filled, not stroked: gg leaves a notch where a stroked
// circle closes.

// FillDisc fills a disc.
func FillDisc(dc *gg.Context, x, y, r float64) {
	dc.DrawCircle(x, y, r)
	dc.Fill()
}

// FillRing fills a ring. The middle of its line, width wide, has radius r.
func FillRing(dc *gg.Context, x, y, r, width float64) {
	dc.SetFillRuleEvenOdd()
	dc.DrawCircle(x, y, r+width/2)
	dc.DrawCircle(x, y, r-width/2)
	dc.Fill()
	dc.SetFillRuleWinding()
}

// FillPolygon fills a closed polygon.
func FillPolygon(dc *gg.Context, points []gg.Point) {
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

// FillMark fills the mark of a colour about (x, y): the shape that tells seats
// apart without colours. Marks with the same r have the same area; r is the
// radius of the disc, Blue's mark.
func FillMark(dc *gg.Context, c engine.Colour, x, y, r float64) {
	if c == engine.Blue {
		FillDisc(dc, x, y, r)
		return
	}
	FillPolygon(dc, markOutline(c, x, y, r))
}

// markOutline returns the corners of every mark but the disc.
func markOutline(c engine.Colour, x, y, r float64) []gg.Point {
	switch c {
	case engine.Red:
		h := 1.25 * r
		return []gg.Point{{X: x, Y: y - h}, {X: x + h, Y: y}, {X: x, Y: y + h}, {X: x - h, Y: y}}
	case engine.Gold, engine.Wedge:
		// The circle through the corners is centred on (x, y): otherwise the
		// triangle looks misplaced.
		w, h := 1.31*r, 2.2*r
		up := h - (w*w+h*h)/(2*h)
		tip, base := y-(h-up), y+up
		if c == engine.Wedge {
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

// FillGrownMark fills a mark grown by some pixels to all sides, with round
// corners: a key line below the mark.
func FillGrownMark(dc *gg.Context, c engine.Colour, x, y, r, by float64) {
	if c == engine.Blue || by <= 0 {
		FillMark(dc, c, x, y, r+by)
		return
	}
	tracePolygon(dc, markOutline(c, x, y, r))
	dc.SetLineWidth(2 * by)
	dc.SetLineJoinRound()
	dc.FillPreserve()
	dc.Stroke()
}

// FillTile fills a square about (x, y) with the corners of a colour: Blue's
// are rounded, Red's are cut.
func FillTile(dc *gg.Context, c engine.Colour, x, y, side float64) {
	h := side / 2
	switch c {
	case engine.Blue:
		dc.DrawRoundedRectangle(x-h, y-h, side, side, 0.30*side)
		dc.Fill()
	case engine.Red:
		k := h - 0.22*side
		FillPolygon(dc, []gg.Point{
			{X: x - k, Y: y - h}, {X: x + k, Y: y - h}, {X: x + h, Y: y - k}, {X: x + h, Y: y + k},
			{X: x + k, Y: y + h}, {X: x - k, Y: y + h}, {X: x - h, Y: y + k}, {X: x - h, Y: y - k},
		})
	default:
		dc.DrawRectangle(x-h, y-h, side, side)
		dc.Fill()
	}
}

// Heading is one of four directions on the picture.
type Heading uint8

// The headings, and their number.
const (
	Up Heading = iota
	Down
	Leftward
	Rightward
	Headings = 4
)

// Step returns the heading as a step in pixels: y grows downwards.
func (h Heading) Step() (dx, dy int) {
	return [...]int{0, 0, -1, 1}[h], [...]int{-1, 1, 0, 0}[h]
}

// FillArrow fills an arrow head with a notched tail, inscribed in a circle of
// radius r about (x, y).
func FillArrow(dc *gg.Context, x, y, r float64, h Heading) { FillPolygon(dc, Arrow(x, y, r, h)) }

// Arrow returns the outline of an arrow head, clockwise from its tip. Tip and
// tails lie on the circle, the tails 135 degrees from the tip.
func Arrow(x, y, r float64, h Heading) []gg.Point {
	dx, dy := h.Step()
	ux, uy := float64(dx)*r, float64(dy)*r
	at := func(along, across float64) gg.Point {
		return gg.Point{X: x + along*ux - across*uy, Y: y + along*uy + across*ux}
	}
	const tail = math.Sqrt2 / 2
	return []gg.Point{at(1, 0), at(-tail, tail), at(-0.25, 0), at(-tail, -tail)}
}

// FillGrown fills a polygon grown by some pixels to all sides, with round
// corners.
func FillGrown(dc *gg.Context, points []gg.Point, by float64) {
	tracePolygon(dc, points)
	dc.SetLineWidth(2 * by)
	dc.SetLineJoinRound()
	dc.StrokePreserve()
	dc.Fill()
}

// FillOutline fills the inner rim of a polygon given clockwise.
func FillOutline(dc *gg.Context, points []gg.Point, width float64) {
	dc.SetFillRuleEvenOdd()
	tracePolygon(dc, points)
	tracePolygon(dc, Inset(points, width))
	dc.Fill()
	dc.SetFillRuleWinding()
}

// Inset returns a polygon, given clockwise, with every edge moved inwards.
func Inset(points []gg.Point, by float64) []gg.Point {
	n := len(points)
	moved := make([]gg.Point, n)
	for i, p := range points {
		a, b := points[(i+n-1)%n], points[(i+1)%n]
		ax, ay := direction(p.X-a.X, p.Y-a.Y)
		cx, cy := direction(b.X-p.X, b.Y-p.Y)
		// Move the corner along the sum of both inward normals, (-dy, dx).
		nx, ny := -ay-cy, ax+cx
		k := by / (1 + ax*cx + ay*cy)
		moved[i] = gg.Point{X: p.X + nx*k, Y: p.Y + ny*k}
	}
	return moved
}

func direction(x, y float64) (float64, float64) {
	l := math.Hypot(x, y)
	return x / l, y / l
}

// FillCrown fills a crown about (x, y), 0.8 as high as wide: the sign of the
// winner.
func FillCrown(dc *gg.Context, x, y, width float64) {
	w, h := width/2, 0.8*width
	ball := 0.11 * width
	top, bottom := y-h/2, y+h/2
	side, tip := top+0.13*width+ball, top+ball
	FillPolygon(dc, []gg.Point{
		{X: x - w + ball, Y: side}, {X: x - 0.42*w, Y: y + 0.10*h}, {X: x, Y: tip},
		{X: x + 0.42*w, Y: y + 0.10*h}, {X: x + w - ball, Y: side},
		{X: x + 0.74*w, Y: bottom - 0.22*h}, {X: x - 0.74*w, Y: bottom - 0.22*h},
	})
	dc.DrawRectangle(x-0.74*w, bottom-0.14*h, 1.48*w, 0.14*h)
	dc.Fill()
	FillDisc(dc, x, tip, ball)
	FillDisc(dc, x-w+ball, side, ball)
	FillDisc(dc, x+w-ball, side, ball)
}

// FillEquals fills two bars, one above the other, about (x, y): the sign of a
// draw. Each bar and the gap are 0.4 of size high.
func FillEquals(dc *gg.Context, x, y, width, size float64) {
	for _, top := range []float64{-0.6 * size, 0.2 * size} {
		dc.DrawRectangle(x-width/2, y+top, width, 0.4*size)
		dc.Fill()
	}
}

// FillCross fills a diagonal cross whose arms have a length, measured from the
// middle, and a width.
func FillCross(dc *gg.Context, x, y, arm, width float64) {
	a, h := arm, width/2
	at := func(u, v float64) gg.Point { // turned by 45 degrees
		return gg.Point{X: x + (u-v)*math.Sqrt2/2, Y: y + (u+v)*math.Sqrt2/2}
	}
	FillPolygon(dc, []gg.Point{
		at(-h, -a), at(h, -a), at(h, -h), at(a, -h), at(a, h), at(h, h),
		at(h, a), at(-h, a), at(-h, h), at(-a, h), at(-a, -h), at(-h, -h),
	})
}

// Between returns the point at a share of the way from a to b. Its coordinates are as
// even or odd as those of a, so that what moves looks the same in pictures of half the
// size.
func Between(a, b image.Point, share float64) image.Point {
	half := func(n int) int { return 2 * int(math.Round(float64(n)*share/2)) }
	return a.Add(image.Pt(half(b.X-a.X), half(b.Y-a.Y)))
}
