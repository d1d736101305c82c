package imaging

import (
	"castellan/engine"

	"github.com/fogleman/gg"
	"golang.org/x/image/font/opentype"
)

// Drawing is a picture in the making by the painter of [Plain]: a context of gg
// with what is to be drawn, the colours to draw it in, and the parts that the
// pictures of all games share.
type Drawing struct {
	*gg.Context
	Scene Scene
	Theme Theme

	typeface *typeface
}

// Align is which side of a text stands at its point.
type Align float64

// The sides of a text.
const (
	AlignLeft   = Align(left)
	AlignMiddle = Align(middle)
	AlignRight  = Align(right)
)

// Write writes a line in the pictures' typeface and the context's colour. The
// capitals are that many pixels high and centred on y. What the typeface lacks
// is left out, and so is what follows the 64th character.
func (d *Drawing) Write(line string, x, y float64, capital int, at Align) {
	f := d.typeface.face(capital)
	d.draw(f, visual(f.printable(line)), x, y, at)
}

// draw writes a line that is in the order in which it is drawn.
func (d *Drawing) draw(f *face, line string, x, y float64, at Align) {
	face, err := opentype.NewFace(f.font, &opentype.FaceOptions{Size: float64(f.size) / 64, DPI: 72})
	if err != nil {
		return // which no size of ours makes it do
	}
	defer face.Close()
	d.SetFontFace(face)
	d.DrawStringAnchored(line, x, float64(f.baseline(y)), float64(at), 0)
}

// Mark fills the mark of a colour about (x, y) in the context's colour: the
// shape that tells seats apart without colours. The disc's radius is r; the
// other marks have the same weight.
func (d *Drawing) Mark(c engine.Colour, x, y, r float64) { fillMark(d.Context, c, x, y, r) }

// Cards draws a card for each of so many seats, one below the other, the
// uppermost with its upper left corner at (x, y): the seat's mark and name, in
// its colour where it is to move or has won, and a sign at the right: an arrow
// for who is to move, a crown for who has won, two bars for a draw. A card is a
// sixth as high as wide. It returns where the lowest ends.
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
	standing := d.Scene.standing(seat)
	if standing == toMove || standing == won {
		ground, shape, letters = d.Theme.Seat(c), d.Theme.Ink, d.Theme.Ink
	}
	d.SetColor(ground)
	d.DrawRoundedRectangle(x, y, width, height, height/7)
	d.Fill()
	middleY, r := y+height/2, height/4
	d.SetColor(shape)
	d.Mark(c, x+2.2*r, middleY, r)
	d.SetColor(letters)
	nameX, end := x+4.6*r, x+width-3.2*r
	f := d.typeface.face(max(1, int(0.36*height)))
	d.draw(f, f.seatName(d.Scene.Names, seat, end-nameX), nameX, middleY, AlignLeft)
	switch x := end + 1.4*r; standing {
	case toMove:
		fillArrow(d.Context, x, middleY, r, leftward)
	case won:
		fillCrown(d.Context, x, middleY, 2*r)
	case drew:
		for _, y := range []float64{middleY - 0.6*r, middleY + 0.2*r} {
			d.DrawRectangle(x-0.8*r, y, 1.6*r, 0.4*r)
			d.Fill()
		}
	}
}
