package imaging

import (
	"fmt"
	"image"

	"castellan/engine"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// maxPlain is the longest edge of a plain picture in pixels.
const maxPlain = 4096

// Plain returns a painter that draws each picture from scratch with gg: for a
// game that has no faster painter yet, and for tests. Width and height are in
// pixels, from 1 to 4,096.
//
// P is the game's type of positions; positions of other types are refused. The
// function is called with a picture of the theme's background. It may use any
// colours and is called by several goroutines at once.
//
// A picture of 1200 by 900 pixels with a few shapes takes about 10 ms and 5 MB
// of memory, and every further shape adds to that. The result is reduced to 256
// colours: exact for large areas, near for edges.
func Plain[P engine.Position](game string, width, height int, paint func(*Drawing, P)) Painter {
	return Painter{
		game: game,
		format: func(position engine.Position) (any, error) {
			if width < 1 || height < 1 || width > maxPlain || height > maxPlain {
				return nil, fmt.Errorf("imaging: pictures of %s are %d by %d pixels, not from 1 to %d", game, width, height, maxPlain)
			}
			_, err := typed[P](game, position)
			return nil, err
		},
		set: func(s draw.Style, _ any) set { return plainSet[P]{s, width, height, paint} },
	}
}

// plainSet draws the pictures of a painter made by Plain.
type plainSet[P engine.Position] struct {
	draw.Style
	width, height int
	draw          func(*Drawing, P)
}

func (plainSet[P]) blank() *draw.Canvas { return nil }

func (k plainSet[P]) part() image.Rectangle { return image.Rect(0, 0, k.width, k.height) }

func (plainSet[P]) moving(Scene, engine.Action) func(*draw.Canvas, float64) { return nil }

func (plainSet[P]) finished(c *draw.Canvas, _ Scene) *image.Paletted { return c.Paletted }

func (k plainSet[P]) paint(_ *draw.Canvas, s Scene) *image.Paletted {
	d := &Drawing{Context: gg.NewContext(k.width, k.height), Scene: s, Theme: k.Theme, font: k.Font}
	d.SetColor(d.Theme.Background)
	d.Clear()
	d.SetColor(d.Theme.Text)
	k.draw(d, s.Position.(P))
	return draw.Quantize(d.Image().(*image.RGBA))
}

// Drawing is a picture that the function of a painter made by [Plain] draws: a
// context of gg, what to draw, the colours to draw it in, and the parts that
// the pictures of all games share.
type Drawing struct {
	*gg.Context
	Scene Scene
	Theme draw.Theme

	font *draw.Font
}

// Write writes a line in the context's colour. Its capitals have a height in
// pixels and are centred on y. Characters that the font lacks are left out, and
// so is what follows the 64th character.
func (d *Drawing) Write(line string, x, y float64, capital int, at draw.Align) {
	d.font.Face(capital).WriteGG(d.Context, d.font.Printable(line), x, y, at)
}

// Mark fills the mark of a colour about (x, y) in the context's colour, see
// [draw.FillMark].
func (d *Drawing) Mark(c engine.Colour, x, y, r float64) { draw.FillMark(d.Context, c, x, y, r) }

// Cards draws a card for each seat, one below the other, the first with its
// upper left corner at (x, y). A card shows the seat's mark and name, has the
// seat's colour if the seat is to move or has won, and has a sign at the right:
// an arrow for the seat to move, a crown for a winner, two bars for a draw. Its
// height is a sixth of its width. Cards returns the lower edge of the last.
func (d *Drawing) Cards(seats int, x, y, width float64) (bottom float64) {
	const high, gap = 1.0 / 6, 1.0 / 24 // of the width
	for i, c := range d.Scene.Game.Colours(seats) {
		d.card(engine.Seat(i+1), c, x, y, width, high*width)
		bottom = y + high*width
		y = bottom + gap*width
	}
	return bottom
}

func (d *Drawing) card(seat engine.Seat, c engine.Colour, x, y, width, height float64) {
	ground, shape, letters := d.Theme.Cell, d.Theme.Seat(c), d.Theme.Text
	standing := d.Scene.Standing(seat)
	if standing == draw.ToMove || standing == draw.Won {
		ground, shape, letters = d.Theme.Seat(c), d.Theme.Ink, d.Theme.Ink
	}
	d.SetColor(ground)
	d.DrawRoundedRectangle(x, y, width, height, height/7)
	d.Fill()
	middle, r := y+height/2, height/4
	d.SetColor(shape)
	d.Mark(c, x+2.2*r, middle, r)
	d.SetColor(letters)
	nameX, end := x+4.6*r, x+width-3.2*r
	f, name := d.font.Face(max(1, int(0.36*height))).FitName(d.Scene.Names, seat, end-nameX)
	f.WriteGG(d.Context, name, nameX, middle, draw.Left)
	switch x := end + 1.4*r; standing {
	case draw.ToMove:
		draw.FillArrow(d.Context, x, middle, r, draw.Leftward)
	case draw.Won:
		draw.FillCrown(d.Context, x, middle, 2*r)
	case draw.Drawn:
		draw.FillEquals(d.Context, x, middle, 1.6*r, r)
	}
}
