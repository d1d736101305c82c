package draw

import (
	"image"

	"github.com/fogleman/gg"
)

// Style is the look of a picture: colours and font.
type Style struct {
	Theme
	*Palette
	*Font
}

// Sprite rasterises a drawing, see [NewSprite].
func (s Style) Sprite(bounds image.Rectangle, drawing func(*gg.Context)) *Sprite {
	return NewSprite(s.Palette, bounds, drawing)
}

// Board is what pictures of a game on square cells have in common: an empty
// board with coordinates, and the name plates below it.
type Board struct {
	Style
	Grid   Grid
	Plates *Plates

	empty *Canvas
}

// NewBoard lays a board of some files and ranks out, with a number of seats, and
// draws it.
func NewBoard(s Style, files, ranks, seats int) *Board {
	g := NewGrid(files, ranks, s.Plain)
	return newBoard(s, g, NewPlates(s, seats, g.Framed().Max.Y))
}

// Turned returns the board as it is seen from the other side.
func (b *Board) Turned() *Board {
	g := b.Grid
	g.turned = !g.turned
	return newBoard(b.Style, g, b.Plates)
}

func newBoard(s Style, g Grid, p *Plates) *Board {
	b := &Board{Style: s, Grid: g, Plates: p, empty: NewCanvas(s.Palette, Width, p.Bottom)}
	b.Grid.Draw(b.empty, s.Theme, s.Face(Px(CoordinateCapital)))
	return b
}

// Size returns the size of pictures in pixels.
func (b *Board) Size() image.Point { return image.Pt(Width, b.Plates.Bottom) }

// Part returns the part of pictures that is the board with its frame.
func (b *Board) Part() image.Rectangle { return b.Grid.Framed() }

// Clear replaces a picture by the empty board.
func (b *Board) Clear(c *Canvas) { c.Copy(b.empty, 0, 0) }

// FaceInCells returns the font with capitals of a height in cells.
func (b *Board) FaceInCells(capital float64) *Face { return b.Face(int(b.Grid.Length(capital) + 0.5)) }
