package imaging

import (
	"image"
	"math"
	"strconv"
)

// unit is the measure of a whole picture, u: 1/40 of its width, in pixels.
type unit int

// boardUnit makes boards 1200 pixels wide, and 10 pixels of u on a phone that
// shows them 400 wide.
const boardUnit unit = 30

// px is a length in u as whole pixels.
func (u unit) px(length float64) int { return int(math.Round(length * float64(u))) }

// Sizes of text as the height of capitals in u: 0.73 of the size in em.
const (
	nameCapital       = 0.73 // of players
	coordinateCapital = 0.80
	notationCapital   = 0.83
	numberCapital     = 0.93 // beside pieces and arrows
)

// grid is a square board of square cells on a picture 40u wide and 30u high.
// Lines run between the cells, lineWidth wide; line i has its middle in the
// middle of a pixel, so all cells are the same to the pixel.
type grid struct {
	unit
	size int // cells a side, the longer one where the sides differ
	cell int // from line to line, in pixels
	x, y int // the pixel in the middle of the upper left corner's lines

	files, ranks int

	wholeLines bool // lines are drawn, not only crosses
}

const lineWidth = 3

// newGrid fits a board: its side is 27.2u, give or take a tenth.
func newGrid(u unit, size int, wholeLines bool) grid {
	return newOblongGrid(u, size, size, wholeLines)
}

// newOblongGrid fits a board whose sides may differ into the middle of where a
// square one is.
func newOblongGrid(u unit, files, ranks int, wholeLines bool) grid {
	side, size := u.px(27.2), max(files, ranks)
	c := (side + u.px(0.1)) / size
	return grid{
		unit: u, size: size, cell: c,
		x: u.px(1.9) + (side-files*c)/2, y: u.px(0.7) + (side-ranks*c)/2,
		files: files, ranks: ranks,
		wholeLines: wholeLines,
	}
}

// bounds is the size of the picture.
func (g grid) bounds() (width, height int) { return 40 * int(g.unit), 30 * int(g.unit) }

// length is a length in cells, in pixels.
func (g grid) length(cells float64) float64 { return cells * float64(g.cell) }

// inner is the side of what is seen of a cell between the lines.
func (g grid) inner() int { return g.cell - lineWidth }

// corner is the upper left pixel of what is seen of a cell: the anchor of
// everything that stands in it. File and rank count from 0 at the lower left.
func (g grid) corner(file, rank int) image.Point {
	return image.Pt(g.x+file*g.cell+2, g.y+(g.ranks-1-rank)*g.cell+2)
}

// square is what is seen of a cell.
func (g grid) square(file, rank int) image.Rectangle {
	p := g.corner(file, rank)
	return image.Rectangle{Min: p, Max: p.Add(image.Pt(g.inner(), g.inner()))}
}

// centre is the middle of a cell, from its corner.
func (g grid) centre() float64 { return float64(g.inner()) / 2 }

// board is all cells with the lines around them.
func (g grid) board() image.Rectangle {
	w, h := g.files*g.cell+lineWidth, g.ranks*g.cell+lineWidth
	return image.Rect(g.x-1, g.y-1, g.x-1+w, g.y-1+h)
}

// even is a length in cells as whole pixels, at least least, even or odd as
// the cell is: what is that wide can stand in the middle of it.
func (g grid) even(cells float64, least int) int {
	n := max(least, int(math.Round(g.length(cells))))
	if n%2 != g.inner()%2 {
		if float64(n) < g.length(cells) || n <= least {
			n++
		} else {
			n--
		}
	}
	return n
}

// draw puts cells, lines and coordinates on a canvas of the background colour.
func (g grid) draw(c *canvas, f *face) {
	if g.wholeLines {
		c.fill(g.board(), line)
	}
	for rank := range g.ranks {
		for file := range g.files {
			c.fill(g.square(file, rank), cell)
		}
	}
	for j := 1; j < g.ranks && !g.wholeLines; j++ {
		for i := 1; i < g.files; i++ {
			g.cross(c, g.x+i*g.cell, g.y+j*g.cell, line)
		}
	}
	b := g.board()
	for i := range g.size {
		at := g.corner(i, i)
		if i < g.files {
			f.write(c, fileName(i), float64(at.X)+g.centre(), float64(b.Max.Y+g.px(0.9)), middle, dim)
		}
		if i < g.ranks {
			f.write(c, strconv.Itoa(i+1), float64(b.Min.X-g.px(0.25)), float64(at.Y)+g.centre(), right, dim)
		}
	}
}

// cross draws the small cross where four cells meet, about the pixel (x, y).
func (g grid) cross(c *canvas, x, y int, with role) {
	arm := max(3, int(math.Round(g.length(0.085))))
	half := 0
	if g.length(0.03) >= 1.5 {
		half = 1
	}
	c.fill(image.Rect(x-arm, y-half, x+arm+1, y+half+1), with)
	c.fill(image.Rect(x-half, y-arm, x+half+1, y+arm+1), with)
}

// fileName is the letter of a file: a for 0.
func fileName(file int) string { return string(rune('a' + file)) }
