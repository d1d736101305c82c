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
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// Plot is the course of a rating over time: a line, with a band for its
// deviation.
type Plot struct {
	// Points has at least one element, the oldest first.
	Points []PlotPoint
}

// PlotPoint is a rating after a match.
type PlotPoint struct {
	At time.Time
	// The line goes through Mean; the band extends one Deviation to both sides.
	Mean, Deviation float64
	// Provisional points are hollow, and the present rating has a question mark
	// if it is provisional.
	Provisional bool
}

// The size of a plot in u: 1080 by 540 pixels.
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
	plotMostDots = 60  // more would overlap
	plotSpan     = 200 // least range of the scale, in rating points
	plotLines    = 6   // most lines across
	plotDates    = 3   // most dates
)

// plotSeat is the colour of the line: the first player's.
const plotSeat = engine.Blue

func plotDesign() draw.Design {
	own, tint := draw.Seat(plotSeat), draw.Tint(plotSeat)
	return draw.Design{Over: map[draw.Role][]draw.Role{
		draw.Background: {draw.Text, draw.Dim, own},
		draw.Cell:       {tint, draw.Background},
		tint:            {draw.Background},
		draw.Line:       {draw.Background},
	}}
}

// Plot draws a plot and returns it as PNG: 1080 by 540 pixels, in at most 256
// colours. The empty theme is [draw.Dark]. The same plot always gives the same
// bytes. It fails if the plot has no points or they are not in order.
func (r *Renderer) Plot(ctx context.Context, p Plot, theme string) ([]byte, error) {
	if len(p.Points) == 0 {
		return nil, errors.New("imaging: the plot has no points")
	}
	if !slices.IsSortedFunc(p.Points, func(a, b PlotPoint) int { return a.At.Compare(b.At) }) {
		return nil, errors.New("imaging: the points of the plot are not in order of time")
	}
	t, err := draw.ThemeByName(theme)
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
	c := draw.NewCanvas(colours, draw.Px(plotWidth), draw.Px(plotHeight))
	newPlotting(p, r.font).paint(c)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("imaging: encoding a plot: %w", err)
	}
	return r.encoder.encode(c.Paletted)
}

// plotPalette returns the palette of plots in a theme, computed when first
// needed.
func (r *Renderer) plotPalette(t draw.Theme) (*draw.Palette, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.plots[t.Name]; ok {
		return p, nil
	}
	p, err := draw.NewPalette(t, plotDesign())
	if err == nil {
		r.plots[t.Name] = p
	}
	return p, err
}

// plotting is a plot laid out for drawing.
type plotting struct {
	Plot
	area      image.Rectangle
	low, high float64 // of the scale
	step      float64
	small     *draw.Face
	large     *draw.Face
}

func newPlotting(p Plot, t *draw.Font) plotting {
	g := plotting{
		Plot:  p,
		area:  image.Rect(draw.Px(plotLeft), draw.Px(plotTop), draw.Px(plotWidth-plotRight), draw.Px(plotHeight-plotBottom)),
		small: t.Face(draw.Px(draw.CoordinateCapital)), large: t.Face(draw.Px(plotNumber)),
	}
	g.low, g.high, g.step = scaleOf(p.Points)
	return g
}

// scaleOf returns a scale for the means of points, with a step that gives round
// numbers. The band may exceed it: the wide band of a new player would flatten
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

// x returns the place of a time in pixels; the middle if there is only one.
func (g plotting) x(at time.Time) float64 {
	first, last := g.Points[0].At, g.Points[len(g.Points)-1].At
	if !last.After(first) {
		return float64(g.area.Min.X+g.area.Max.X) / 2
	}
	// Room for the dots at both ends.
	left, right := float64(g.area.Min.X+draw.Px(plotLast)), float64(g.area.Max.X-draw.Px(plotLast))
	return left + (right-left)*float64(at.Sub(first))/float64(last.Sub(first))
}

// y returns the place of a rating in pixels.
func (g plotting) y(mean float64) float64 {
	return float64(g.area.Max.Y) - (mean-g.low)/(g.high-g.low)*float64(g.area.Dy())
}

func (g plotting) paint(c *draw.Canvas) {
	c.Fill(c.Rect, draw.Background)
	c.Fill(g.area, draw.Cell)
	inside := c.Within(g.area)
	inside.Stamp(g.mask(g.fillBand), 0, 0, draw.Tint(plotSeat))
	g.scale(c)
	g.dates(c)
	inside.Stamp(g.mask(func(dc *gg.Context) { g.stroke(dc, plotLine+2*plotKey) }), 0, 0, draw.Background)
	inside.Stamp(g.mask(func(dc *gg.Context) { g.stroke(dc, plotLine) }), 0, 0, draw.Seat(plotSeat))
	g.dots(c)
	last := g.Points[len(g.Points)-1]
	g.large.Write(c, rounded(last), float64(g.area.Max.X+draw.Px(0.5)), g.y(last.Mean), draw.Left, draw.Text)
}

// rounded returns a rating as a whole number, with a question mark while it is
// provisional.
func rounded(p PlotPoint) string {
	s := strconv.Itoa(int(math.Round(p.Mean)))
	if p.Provisional {
		s += "?"
	}
	return s
}

// mask rasterises a drawing over the area of the plot.
func (g plotting) mask(drawing func(*gg.Context)) *draw.Mask { return draw.NewMask(g.area, drawing) }

// fillBand fills the band within a deviation of the line.
func (g plotting) fillBand(dc *gg.Context) {
	if len(g.Points) == 1 {
		p := g.Points[0]
		half := float64(draw.Px(1.5))
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

// stroke draws the line with a width in u.
func (g plotting) stroke(dc *gg.Context, width float64) {
	dc.SetLineWidth(width * draw.U)
	dc.SetLineJoinRound()
	dc.SetLineCapRound()
	for _, p := range g.Points {
		dc.LineTo(g.x(p.At), g.y(p.Mean))
	}
	dc.Stroke()
}

// scale draws the lines across with their numbers.
func (g plotting) scale(c *draw.Canvas) {
	dash, gap := draw.Px(0.2), draw.Px(0.4)
	for mean := math.Ceil(g.low/g.step) * g.step; mean <= g.high; mean += g.step {
		y := int(math.Round(g.y(mean)))
		for x := g.area.Min.X; x < g.area.Max.X; x += dash + gap {
			c.Fill(image.Rect(x, y-1, min(x+dash, g.area.Max.X), y+1), draw.Line)
		}
		g.small.Write(c, strconv.Itoa(int(mean)), float64(g.area.Min.X-draw.Px(0.45)), float64(y), draw.Right, draw.Dim)
	}
}

// dates writes some dates below, the first and the last at the ends, in the
// form of ISO 8601, which every language can read.
func (g plotting) dates(c *draw.Canvas) {
	y := float64(g.area.Max.Y + draw.Px(1.1))
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
		half := g.small.Width(day) / 2
		x := min(max(g.x(at), float64(g.area.Min.X)+half), float64(g.area.Max.X)-half)
		g.small.Write(c, day, x, y, draw.Middle, draw.Dim)
	}
}

// dots draws a dot for each match if they are few, and a larger one for the
// last.
func (g plotting) dots(c *draw.Canvas) {
	from := 0
	if len(g.Points) > plotMostDots {
		from = len(g.Points) - 1
	}
	for i, p := range g.Points[from:] {
		r := plotDot
		if from+i == len(g.Points)-1 {
			r = plotLast
		}
		radius := r * draw.U
		x, y := int(math.Round(g.x(p.At))), int(math.Round(g.y(p.Mean)))
		c.Stamp(draw.NewDisc(radius+plotKey*draw.U), x, y, draw.Background)
		c.Stamp(draw.NewDisc(radius), x, y, draw.Seat(plotSeat))
		if p.Provisional {
			c.Stamp(draw.NewDisc(radius-plotHole*draw.U), x, y, draw.Background)
		}
	}
}
