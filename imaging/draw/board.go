package draw

import (
	"image"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Style is the look of a picture: colours and font.
type Style struct {
	Theme
	*Palette
	*Font
}

// Board is what pictures of a game on square cells have in common: an empty
// board with coordinates, and a panel beside it.
type Board struct {
	Style
	Grid  Grid
	Panel *Panel

	empty *Canvas
}

// NewBoard lays a board of some files and ranks out and draws it.
func NewBoard(s Style, files, ranks int) *Board {
	return newBoard(s, NewGrid(files, ranks, s.WholeLines))
}

// Turned returns the board as it is seen from the other side.
func (b *Board) Turned() *Board {
	g := b.Grid
	g.turned = !g.turned
	return newBoard(b.Style, g)
}

func newBoard(s Style, g Grid) *Board {
	b := &Board{
		Style: s, Grid: g, Panel: NewPanel(s.Font),
		empty: NewCanvas(s.Palette, Width, Height),
	}
	b.Grid.Draw(b.empty, s.Face(Px(CoordinateCapital)))
	return b
}

// Size returns the size of pictures in pixels.
func (b *Board) Size() image.Point { return image.Pt(Width, Height) }

// Clear replaces a picture by the empty board.
func (b *Board) Clear(c *Canvas) { c.Copy(b.empty, 0, 0) }

// FaceInCells returns the font with capitals of a height in cells.
func (b *Board) FaceInCells(capital float64) *Face { return b.Face(int(b.Grid.Length(capital) + 0.5)) }

// Layer is a drawing in one colour. The point (0, 0) is the corner of a cell.
type Layer struct {
	Role    Role
	Drawing func(*gg.Context)
}

// Sprite returns a cell with layers on it, the lowest first.
func (b *Board) Sprite(layers ...Layer) *Canvas {
	box := image.Rect(0, 0, b.Grid.Inner(), b.Grid.Inner())
	c := NewCanvas(b.Palette, box.Max.X, box.Max.Y)
	c.Fill(box, Cell)
	for _, l := range layers {
		c.Stamp(NewMask(box, l.Drawing), 0, 0, l.Role)
	}
	return c
}

// Tile returns the layer of a tile that nearly fills a cell, with the corners
// of a colour, see [FillTile].
func (b *Board) Tile(c engine.Colour, with Role) Layer {
	m, side := b.Grid.Centre(), b.Grid.TileSide()
	return Layer{with, func(dc *gg.Context) { FillTile(dc, c, m, m, side) }}
}
