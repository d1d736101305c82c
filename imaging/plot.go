package imaging

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"time"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Plot is the course of a rating over time: a line with the band in which the
// strength may lie.
type Plot struct {
	// Points is at least one, the oldest first.
	Points []PlotPoint
}

// PlotPoint is a rating after a match.
type PlotPoint struct {
	At time.Time
	// Mean is what the line goes through; the band is a deviation to both
	// sides.
	Mean, Deviation float64
	// Provisional points are hollow, and the last one's number has a question
	// mark.
	Provisional bool
}

// The size of a plot, in u of boardUnit: 1200 by 600 pixels.
const (
	plotWidth  = 40
	plotHeight = 20
)

// Lengths of a plot in u.
const (
	plotLeft     = 3.6 // room for the numbers of the scale
	plotRight    = 5.2 // room for the present rating
	plotTop      = 1.0
	plotBottom   = 2.3 // room for the dates
	plotLine     = 0.16
	plotDot      = 0.30
	plotLast     = 0.42
	plotHole     = 0.13 // of a hollow dot, from its edge
	plotKey      = 0.09
	plotNumber   = 1.1 // capitals of the present rating
	plotMargin   = 0.08
	plotMostDots = 60  // more of them would run together
	plotSpan     = 200 // the scale shows at least so many points of rating
	plotLines    = 6   // at most so many lines across
	plotDates    = 3   // at most so many dates
)

// plotSeat is the colour of the line: one player, so the first colour.
const plotSeat = engine.Blue

// plotDesign is the colours of plots and which of them touch.
func plotDesign() design {
	own, tint := seatRole(plotSeat), tintRole(plotSeat)
	return design{
		background: {text, dim, own},
		cell:       {tint, background},
		tint:       {background},
		line:       {background},
	}
}

// Plot is a picture of a plot as PNG, 1200 by 600 pixels, in at most 256
// colours. The empty theme is the default, [Dark]. The same plot always gives
// the same bytes. It fails where the plot has no points, or they are not in
// order.
func (r *Renderer) Plot(ctx context.Context, p Plot, theme string) ([]byte, error) {
	if len(p.Points) == 0 {
		return nil, errors.New("imaging: the plot has no points")
	}
	if !slices.IsSortedFunc(p.Points, func(a, b PlotPoint) int { return a.At.Compare(b.At) }) {
		return nil, errors.New("imaging: the points of the plot are not in the order of time")
	}
	t, err := ThemeByName(theme)
	if err != nil {
		return nil, err
	}
	colours, err := r.plotPalette(t)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: drawing a plot: %w", err)
	}
	c := newCanvas(colours, boardUnit.px(plotWidth), boardUnit.px(plotHeight))
	newPlotting(p, r.typeface).paint(c)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: encoding a plot: %w", err)
	}
	return r.encoders.encode(c.Paletted)
}

// plotPalette is the palette of plots in a theme, made when first needed.
func (r *Renderer) plotPalette(t Theme) (*palette, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.plots[t.Name]; ok {
		return p, nil
	}
	p, err := newPalette(t, plotDesign())
	if err == nil {
		r.plots[t.Name] = p
	}
	return p, err
}

// plotting is a plot that is laid out.
type plotting struct {
	Plot
	unit
	area      image.Rectangle
	low, high float64 // of the scale
	step      float64
	small     *face
	large     *face
}

func newPlotting(p Plot, t *typeface) plotting {
	u := boardUnit
	g := plotting{
		Plot: p, unit: u,
		area:  image.Rect(u.px(plotLeft), u.px(plotTop), u.px(plotWidth-plotRight), u.px(plotHeight-plotBottom)),
		small: t.face(u.px(coordinateCapital)), large: t.face(u.px(plotNumber)),
	}
	g.low, g.high, g.step = scaleOf(p.Points)
	return g
}

// scaleOf is a scale for the means of points, with a step that gives round
// numbers. The band may run out of it: at the start it would leave no room for
// the line.
func scaleOf(points []PlotPoint) (low, high, step float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = min(low, p.Mean), max(high, p.Mean)
	}
	if short := plotSpan - (high - low); short > 0 {
		low, high = low-short/2, high+short/2
	}
	margin := plotMargin * (high - low)
	low, high = low-margin, high+margin
	for _, step = range []float64{50, 100, 200, 250, 500, 1000, 2000} {
		if (high-low)/step <= plotLines {
			break
		}
	}
	return low, high, step
}

// x is where a time is, in pixels; the middle where there is only one.
func (g plotting) x(at time.Time) float64 {
	first, last := g.Points[0].At, g.Points[len(g.Points)-1].At
	if !last.After(first) {
		return float64(g.area.Min.X+g.area.Max.X) / 2
	}
	// Room for the dots at both ends.
	left, right := float64(g.area.Min.X+g.px(plotLast)), float64(g.area.Max.X-g.px(plotLast))
	return left + (right-left)*float64(at.Sub(first))/float64(last.Sub(first))
}

// y is where a rating is, in pixels.
func (g plotting) y(mean float64) float64 {
	return float64(g.area.Max.Y) - (mean-g.low)/(g.high-g.low)*float64(g.area.Dy())
}

func (g plotting) paint(c *canvas) {
	c.fill(c.Rect, background)
	c.fill(g.area, cell)
	inside := c.within(g.area)
	inside.stamp(g.mask(g.fillBand), 0, 0, tintRole(plotSeat))
	g.scale(c)
	g.dates(c)
	inside.stamp(g.mask(func(dc *gg.Context) { g.stroke(dc, plotLine+2*plotKey) }), 0, 0, background)
	inside.stamp(g.mask(func(dc *gg.Context) { g.stroke(dc, plotLine) }), 0, 0, seatRole(plotSeat))
	g.dots(c)
	last := g.Points[len(g.Points)-1]
	g.large.write(c, inFigures(last), float64(g.area.Max.X+g.px(0.5)), g.y(last.Mean), left, text)
}

// inFigures is a rating as people read it: a whole number, and a question mark
// while it is provisional.
func inFigures(p PlotPoint) string {
	s := strconv.Itoa(int(math.Round(p.Mean)))
	if p.Provisional {
		s += "?"
	}
	return s
}

// mask is a drawing over the area of the plot.
func (g plotting) mask(drawing func(*gg.Context)) *mask { return paint(g.area, drawing) }

// fillBand fills what lies within a deviation of the line.
func (g plotting) fillBand(dc *gg.Context) {
	if len(g.Points) == 1 {
		p := g.Points[0]
		half := float64(g.px(1.5))
		dc.DrawRectangle(g.x(p.At)-half, g.y(p.Mean+p.Deviation), 2*half, g.y(p.Mean-p.Deviation)-g.y(p.Mean+p.Deviation))
		dc.Fill()
		return
	}
	for _, p := range g.Points {
		dc.LineTo(g.x(p.At), g.y(p.Mean+p.Deviation))
	}
	for _, p := range slices.Backward(g.Points) {
		dc.LineTo(g.x(p.At), g.y(p.Mean-p.Deviation))
	}
	dc.ClosePath()
	dc.Fill()
}

// stroke draws the line, that wide in u.
func (g plotting) stroke(dc *gg.Context, width float64) {
	dc.SetLineWidth(width * float64(g.unit))
	dc.SetLineJoinRound()
	dc.SetLineCapRound()
	for _, p := range g.Points {
		dc.LineTo(g.x(p.At), g.y(p.Mean))
	}
	dc.Stroke()
}

// scale draws the lines across with their numbers.
func (g plotting) scale(c *canvas) {
	dash, gap := g.px(0.2), g.px(0.4)
	for mean := math.Ceil(g.low/g.step) * g.step; mean <= g.high; mean += g.step {
		y := int(math.Round(g.y(mean)))
		for x := g.area.Min.X; x < g.area.Max.X; x += dash + gap {
			c.fill(image.Rect(x, y-1, min(x+dash, g.area.Max.X), y+1), line)
		}
		g.small.write(c, strconv.Itoa(int(mean)), float64(g.area.Min.X-g.px(0.45)), float64(y), right, dim)
	}
}

// dates writes some dates below, the first and the last at the ends. They are
// in the form of ISO 8601, which is no language's own.
func (g plotting) dates(c *canvas) {
	y := float64(g.area.Max.Y + g.px(1.1))
	first, last := g.Points[0].At, g.Points[len(g.Points)-1].At
	before := ""
	for i := range plotDates {
		at := first.Add(last.Sub(first) / (plotDates - 1) * time.Duration(i))
		if i == plotDates-1 {
			at = last
		}
		day := at.UTC().Format(time.DateOnly)
		if day == before {
			continue
		}
		before = day
		half := g.small.width(day) / 2
		x := min(max(g.x(at), float64(g.area.Min.X)+half), float64(g.area.Max.X)-half)
		g.small.write(c, day, x, y, middle, dim)
	}
}

// dots draws a dot for each match, where they are few, and a larger one for
// the last.
func (g plotting) dots(c *canvas) {
	from := 0
	if len(g.Points) > plotMostDots {
		from = len(g.Points) - 1
	}
	for i, p := range g.Points[from:] {
		r := plotDot
		if from+i == len(g.Points)-1 {
			r = plotLast
		}
		radius := r * float64(g.unit)
		x, y := int(math.Round(g.x(p.At))), int(math.Round(g.y(p.Mean)))
		disc := func(r float64) *mask {
			return paint(around(0, 0, r), func(dc *gg.Context) { fillDisc(dc, 0, 0, r) })
		}
		c.stamp(disc(radius+plotKey*float64(g.unit)), x, y, background)
		c.stamp(disc(radius), x, y, seatRole(plotSeat))
		if p.Provisional {
			c.stamp(disc(radius-plotHole*float64(g.unit)), x, y, background)
		}
	}
}
