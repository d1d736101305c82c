package draw

import (
	"image"
	"math"
	"strconv"
)

// The size in pixels of pictures with a square board and a panel, and the unit
// u of lengths on them, 1/40 of the width: 10 pixels on a phone that shows a
// picture 400 pixels wide.
const (
	Width  = 40 * U
	Height = 30 * U
	U      = 30
)

// Px returns a length in u as whole pixels.
func Px(u float64) int { return int(math.Round(u * U)) }

// Sizes of text as the height of capitals in u: 0.73 of the size in em.
const (
	NameCapital       = 0.73 // names of players
	CoordinateCapital = 0.80
	NotationCapital   = 0.83
	NumberCapital     = 0.93 // numbers beside pieces and arrows
)

// LineWidth is the width of the lines between cells in pixels.
const LineWidth = 3

// Grid is a board of square cells. Files and ranks count from 0 at the lower
// left. Lines run between the cells; the middle of a line is the middle of a
// pixel, so all cells have the same size.
type Grid struct {
	Files, Ranks int
	Cell         int // from line to line, in pixels

	x, y       int // the pixel in the middle of the upper left crossing
	wholeLines bool
	turned     bool // seen from the other side: the highest rank is the lowest row
}

// NewGrid fits a board into the middle of the space for boards. The longer side
// is 27.2u long, plus or minus 0.1u. Lines are drawn whole or as small crosses
// at the corners of cells.
func NewGrid(files, ranks int, wholeLines bool) Grid {
	side := Px(27.2)
	c := (side + Px(0.1)) / max(files, ranks)
	return Grid{
		Files: files, Ranks: ranks, Cell: c,
		x: Px(1.9) + (side-files*c)/2, y: Px(0.7) + (side-ranks*c)/2,
		wholeLines: wholeLines,
	}
}

// Length returns a length in cells in pixels.
func (g Grid) Length(cells float64) float64 { return cells * float64(g.Cell) }

// Inner returns the side of a cell without its lines, in pixels.
func (g Grid) Inner() int { return g.Cell - LineWidth }

// Corner returns the upper left pixel of a cell without its lines: the anchor
// of sprites and signs.
func (g Grid) Corner(file, rank int) image.Point {
	if g.turned {
		file, rank = g.Files-1-file, g.Ranks-1-rank
	}
	return image.Pt(g.x+file*g.Cell+2, g.y+(g.Ranks-1-rank)*g.Cell+2)
}

// Square returns a cell without its lines.
func (g Grid) Square(file, rank int) image.Rectangle {
	p := g.Corner(file, rank)
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(g.Inner(), g.Inner()))}
}

// Centre returns the middle of a cell, measured from its corner.
func (g Grid) Centre() float64 { return float64(g.Inner()) / 2 }

// Bounds returns all cells with the lines around them.
func (g Grid) Bounds() image.Rectangle {
	w, h := g.Files*g.Cell+LineWidth, g.Ranks*g.Cell+LineWidth
	return image.Rect(g.x-1, g.y-1, g.x-1+w, g.y-1+h)
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
	const inset = 0.055
	return float64(g.Inner()) - 2*math.Max(1, math.Round(g.Length(inset)-LineWidth/2.0))
}

// Draw draws cells, lines and coordinates.
func (g Grid) Draw(c *Canvas, coordinates *Face) {
	if g.wholeLines {
		c.Fill(g.Bounds(), Line)
	}
	for rank := range g.Ranks {
		for file := range g.Files {
			c.Fill(g.Square(file, rank), Cell)
		}
	}
	for j := 1; j < g.Ranks && !g.wholeLines; j++ {
		for i := 1; i < g.Files; i++ {
			g.cross(c, g.x+i*g.Cell, g.y+j*g.Cell, Line)
		}
	}
	b := g.Bounds()
	for file := range g.Files {
		x := float64(g.Corner(file, 0).X) + g.Centre()
		coordinates.Write(c, fileName(file), x, float64(b.Max.Y+Px(0.9)), Middle, Dim)
	}
	for rank := range g.Ranks {
		y := float64(g.Corner(0, rank).Y) + g.Centre()
		coordinates.Write(c, strconv.Itoa(rank+1), float64(b.Min.X-Px(0.25)), y, Right, Dim)
	}
}

// cross draws a small cross where four cells meet, about the pixel (x, y).
func (g Grid) cross(c *Canvas, x, y int, with Role) {
	arm := max(3, int(math.Round(g.Length(0.085))))
	half := 0
	if g.Length(0.03) >= 1.5 {
		half = 1
	}
	c.Fill(image.Rect(x-arm, y-half, x+arm+1, y+half+1), with)
	c.Fill(image.Rect(x-half, y-arm, x+half+1, y+arm+1), with)
}

// fileName returns the letter of a file: a for 0.
func fileName(file int) string { return string(rune('a' + file)) }
