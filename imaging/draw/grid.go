package draw

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/fogleman/gg"
)

// Width is the width of pictures in pixels, a little more than phones have, and U
// the unit u of lengths on them, 1/40 of the width.
const (
	Width = 40 * U
	U     = 27
)

// Px returns a length in u as whole pixels.
func Px(u float64) int { return int(math.Round(u * U)) }

// Sizes of text as the height of capitals in u. On a phone that shows a picture
// 341 pixels wide, the smallest text that has to be read has a size of 12 pixels.
const (
	NameCapital       = 0.97 // names of players
	ScoreCapital      = 1.75
	CoordinateCapital = 0.90
	NotationCapital   = 0.90
	NumberCapital     = 1.00 // numbers beside pieces and arrows
)

// FrameWidth is the width of the frame around a board in pixels. Coordinates are
// carved into it.
const FrameWidth = 38

// lineWidth is the width of the lines between squares of plain boards in pixels.
const lineWidth = 3

// Grid is a framed board of square cells. Files and ranks count from 0 at the
// lower left. Cells touch each other, and have lines between them on plain boards.
type Grid struct {
	Files, Ranks int
	Cell         int // from cell to cell, in pixels

	x, y   int  // upper left corner of the cells with the lines around them
	line   int  // width of lines in pixels
	turned bool // seen from the other side: the highest rank is the lowest row
}

// NewGrid lays a board out that is as wide as a picture with its frame. A board
// that is higher than wide is as high as a square one.
func NewGrid(files, ranks int, plain bool) Grid {
	g := Grid{Files: files, Ranks: ranks, Cell: (Width - 2*FrameWidth) / max(files, ranks)}
	if plain {
		g.line = lineWidth
	}
	side := max(files, ranks)*g.Cell + g.line
	edge := (Width - side) / 2 // what division leaves widens the frame
	g.x, g.y = edge+(side-files*g.Cell-g.line)/2, edge
	return g
}

// edge returns the width of the frame.
func (g Grid) edge() int { return g.y }

// Length returns a length in cells in pixels.
func (g Grid) Length(cells float64) float64 { return cells * float64(g.Cell) }

// Inner returns the side of a cell without its lines, in pixels.
func (g Grid) Inner() int { return g.Cell - g.line }

// Corner returns the upper left pixel of a cell without its lines: the anchor
// of sprites and signs.
func (g Grid) Corner(file, rank int) image.Point {
	if g.turned {
		file, rank = g.Files-1-file, g.Ranks-1-rank
	}
	return image.Pt(g.x+g.line+file*g.Cell, g.y+g.line+(g.Ranks-1-rank)*g.Cell)
}

// Square returns a cell without its lines.
func (g Grid) Square(file, rank int) image.Rectangle {
	p := g.Corner(file, rank)
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(g.Inner(), g.Inner()))}
}

// IsDark reports whether a cell is one of the dark squares, like a1.
func (g Grid) IsDark(file, rank int) bool { return (file+rank)%2 == 0 }

// Centre returns the middle of a cell, measured from its corner.
func (g Grid) Centre() float64 { return float64(g.Inner()) / 2 }

// Bounds returns all cells with the lines around them.
func (g Grid) Bounds() image.Rectangle {
	return image.Rect(g.x, g.y, g.x+g.Files*g.Cell+g.line, g.y+g.Ranks*g.Cell+g.line)
}

// Framed returns the board with its frame.
func (g Grid) Framed() image.Rectangle {
	r := g.Bounds().Inset(-g.edge())
	if r.Max.X == Width-1 { // the frame of a square board is a square
		r.Max = r.Max.Add(image.Pt(1, 1))
	}
	return r
}

// Even returns a length in cells as whole pixels, at least least. It is even if
// the side of a cell is even and odd if that is odd, so that a shape of this
// width can stand exactly in the middle.
func (g Grid) Even(cells float64, least int) int {
	n := max(least, int(math.Round(g.Length(cells))))
	if n%2 != g.Inner()%2 {
		if float64(n) < g.Length(cells) || n <= least {
			n++
		} else {
			n--
		}
	}
	return n
}

// TileSide returns the side of a tile that nearly fills a cell, in pixels.
func (g Grid) TileSide() float64 {
	return float64(g.Inner()) - 2*math.Max(1, math.Round(g.Length(0.055)))
}

// Draw draws the frame with the coordinates, and the cells.
func (g Grid) Draw(c *Canvas, t Theme, coordinates *Face) {
	c.Put(NewSprite(c.palette, g.Framed().Intersect(c.Rect), func(dc *gg.Context) { g.paint(dc, t) }), 0, 0)
	b, edge := g.Bounds(), float64(g.edge())
	for file := range g.Files {
		x := float64(g.Corner(file, 0).X) + g.Centre()
		coordinates.Write(c, fileName(file), x, float64(b.Max.Y)+edge/2-1, Middle, Carved)
	}
	for rank := range g.Ranks {
		y := float64(g.Corner(0, rank).Y) + g.Centre()
		coordinates.Write(c, strconv.Itoa(rank+1), float64(b.Min.X)-edge/2, y, Middle, Carved)
	}
}

// painting draws boards with gg.
type painting struct {
	*gg.Context
	theme  Theme
	random *rand.Rand // where the grain of wood runs
}

func (p painting) rect(c color.RGBA, alpha float64, r image.Rectangle) {
	p.SetRGBA255(int(c.R), int(c.G), int(c.B), int(alpha*255))
	p.DrawRectangle(float64(r.Min.X), float64(r.Min.Y), float64(r.Dx()), float64(r.Dy()))
	p.Fill()
}

// paint draws the board without coordinates.
func (g Grid) paint(dc *gg.Context, t Theme) {
	p := painting{dc, t, rand.New(rand.NewPCG(uint64(g.Files), uint64(g.Ranks)))}
	b := g.Bounds()
	if t.Plain {
		p.rect(t.Frame, 1, g.Framed())
		p.rect(t.Line, 1, b)
		for rank := range g.Ranks {
			for file := range g.Files {
				p.rect(t.Cell, 1, g.Square(file, rank))
			}
		}
		return
	}
	p.frame(b, g.Framed(), g.edge())
	middle := image.Pt(g.Files-1, g.Ranks-1) // in half cells
	far := math.Hypot(float64(middle.X), float64(middle.Y))
	for rank := range g.Ranks {
		for file := range g.Files {
			tone := t.Cell
			if g.IsDark(file, rank) {
				tone = t.CellDark
			}
			away := math.Hypot(float64(2*file-middle.X), float64(2*rank-middle.Y)) / far
			step := min(len(vignette)-1, int(math.Pow(away, 1.6)*float64(len(vignette))))
			p.square(g.Square(file, rank), t.Darker(tone, vignette[step]))
		}
	}
	// The frame throws a shadow on the squares.
	for i, alpha := range []float64{0.34, 0.20, 0.10} {
		const step = 4
		from := image.Rect(b.Min.X+i*step, b.Min.Y+i*step, b.Max.X, b.Max.Y)
		p.rect(t.Shade, alpha, image.Rect(from.Min.X, from.Min.Y, from.Max.X, from.Min.Y+step))
		p.rect(t.Shade, alpha, image.Rect(from.Min.X, from.Min.Y+step, from.Min.X+step, from.Max.Y))
	}
}

func (p painting) square(r image.Rectangle, tone color.RGBA) {
	p.rect(tone, 1, r)
	if p.theme.Grain == BoardGrain {
		p.grain(r, tone, false, max(1, r.Dx()*r.Dy()/2600)) // as many on a board of many squares
	}
}

// grain draws fibres along a rectangle.
func (p painting) grain(r image.Rectangle, tone color.RGBA, upright bool, fibres int) {
	long, wide := r.Dx(), r.Dy()
	if upright {
		long, wide = wide, long
	}
	for range fibres {
		c := p.theme.Darker(tone, grainDark)
		if p.random.IntN(5) < 2 {
			c = p.theme.Lighter(tone, grainLight)
		}
		n := long/4 + p.random.IntN(long*3/4+1)
		at, across, thick := p.random.IntN(long-n+1), p.random.IntN(max(1, wide-3)), 1+p.random.IntN(3)
		fibre := image.Rect(at, across, at+n, across+thick)
		if upright {
			fibre = image.Rect(across, at, across+thick, at+n)
		}
		p.rect(c, 1, fibre.Add(r.Min))
	}
}

// frame draws a frame from the squares to an outer edge: four bars of wood or stone that meet at
// 45 degrees, with the light from above on the left.
func (p painting) frame(b, out image.Rectangle, width int) {
	t := p.theme
	w := float64(width)
	x0, y0, x1, y1 := float64(out.Min.X), float64(out.Min.Y), float64(out.Max.X), float64(out.Max.Y)
	bars := []struct {
		tone    color.RGBA
		outline []gg.Point
		box     image.Rectangle
		upright bool
	}{
		{t.Lighter(t.Frame, 0.05), []gg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1 - w, Y: y0 + w}, {X: x0 + w, Y: y0 + w}}, image.Rect(out.Min.X, out.Min.Y, out.Max.X, b.Min.Y), false},
		{t.Frame, []gg.Point{{X: x0, Y: y0}, {X: x0 + w, Y: y0 + w}, {X: x0 + w, Y: y1 - w}, {X: x0, Y: y1}}, image.Rect(out.Min.X, out.Min.Y, b.Min.X, out.Max.Y), true},
		{t.Darker(t.Frame, 0.14), []gg.Point{{X: x1, Y: y0}, {X: x1, Y: y1}, {X: x1 - w, Y: y1 - w}, {X: x1 - w, Y: y0 + w}}, image.Rect(b.Max.X, out.Min.Y, out.Max.X, out.Max.Y), true},
		{t.Darker(t.Frame, 0.14), []gg.Point{{X: x0, Y: y1}, {X: x0 + w, Y: y1 - w}, {X: x1 - w, Y: y1 - w}, {X: x1, Y: y1}}, image.Rect(out.Min.X, b.Max.Y, out.Max.X, out.Max.Y), false},
	}
	for _, bar := range bars {
		p.SetColor(bar.tone)
		FillPolygon(p.Context, bar.outline)
		if t.Grain != NoGrain {
			tracePolygon(p.Context, bar.outline)
			p.Clip()
			p.grain(bar.box, bar.tone, bar.upright, width/3)
			p.ResetClip()
		}
	}
	// Bevels: the outer edge and the inner one.
	edge := func(r image.Rectangle, n int, upper, lower color.RGBA) {
		p.rect(upper, 1, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+n))
		p.rect(upper, 1, image.Rect(r.Min.X, r.Min.Y, r.Min.X+n, r.Max.Y))
		p.rect(lower, 1, image.Rect(r.Min.X+n, r.Max.Y-n, r.Max.X, r.Max.Y))
		p.rect(lower, 1, image.Rect(r.Max.X-n, r.Min.Y+n, r.Max.X, r.Max.Y))
	}
	edge(out, 3, t.FrameLight, t.FrameDark)
	edge(b.Inset(-4), 4, t.FrameDark, t.FrameLight)
}

// Recent draws a cell of the last turn: a warm light on it, with an edge.
func (g Grid) Recent(c *Canvas, file, rank int) {
	tone, r := Recent, g.Square(file, rank)
	if g.IsDark(file, rank) {
		tone = RecentDark
	}
	c.Fill(r, RecentEdge)
	c.Fill(r.Inset(max(2, int(math.Round(g.Length(0.028))))), tone)
}

// fileName returns the letter of a file: a for 0.
func fileName(file int) string { return string(rune('a' + file)) }
