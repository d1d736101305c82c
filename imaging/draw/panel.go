package draw

import (
	"image"
	"strconv"
	"time"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// Standing is how a seat stands in the match.
type Standing uint8

// The standings of a seat. Waiting seats have no sign: their turn has not come,
// or they have not won.
const (
	Waiting Standing = iota
	ToMove
	Won
	Drawn
)

// Panel is the column to the right of a board, with a card for each seat.
type Panel struct {
	X, Width    int // of the cards
	CardHeight  int
	Left, Right int // edges of the contents of cards and of what stands below

	Names, Notation, Numbers *Face

	Mark   [6]*Mask        // marks by colour; element 0 is engine.Blue's
	Arrow  [Headings]*Mask // arrow heads
	Hollow [Headings]*Mask // outlines of arrow heads

	card  *Mask
	signs [Drawn + 1]*Mask // nil for none
	clock Clock
}

// NewPanel lays a panel out for a picture with a square board.
func NewPanel(f *Font) *Panel {
	const pad, r = 0.43, 0.5 * U
	p := &Panel{
		X: Px(30), Width: Px(9.33), CardHeight: Px(1.93),
		Names:    f.Face(Px(NameCapital)),
		Notation: f.Face(Px(NotationCapital)),
		Numbers:  f.Face(Px(NumberCapital)),
		Mark:     Marks(r),
	}
	p.Left, p.Right = p.X+Px(pad), p.X+p.Width-Px(pad)
	p.card = NewMask(image.Rect(0, 0, p.Width, p.CardHeight), func(dc *gg.Context) {
		dc.DrawRoundedRectangle(0, 0, float64(p.Width), float64(p.CardHeight), 0.27*U)
		dc.Fill()
	})
	about := func(size float64, drawing func(*gg.Context)) *Mask { return NewMask(Around(0, 0, size), drawing) }
	for h := range Heading(Headings) {
		p.Arrow[h] = about(1.1*r, func(dc *gg.Context) { FillArrow(dc, 0, 0, 1.1*r, h) })
		p.Hollow[h] = about(1.1*r, func(dc *gg.Context) { FillOutline(dc, Arrow(0, 0, 1.1*r, h), 0.1*U) })
	}
	p.clock = NewClock(p.Names, r)
	// The arrow's middle lies towards its tip.
	p.signs[ToMove] = about(1.5*r, func(dc *gg.Context) { FillArrow(dc, 0.1*r, 0, 0.9*r, Leftward) })
	p.signs[Won] = about(1.5*r, func(dc *gg.Context) { FillCrown(dc, 0, 0, 1.8*r) })
	p.signs[Drawn] = about(1.5*r, func(dc *gg.Context) { FillEquals(dc, 0, 0, 1.6*r, r) })
	return p
}

// Marks returns the marks of all colours with radius r about the anchor;
// element 0 is engine.Blue's.
func Marks(r float64) (all [6]*Mask) {
	for i := range all {
		all[i] = NewMask(Around(0, 0, 1.5*r), func(dc *gg.Context) { FillMark(dc, engine.Blue+engine.Colour(i), 0, 0, r) })
	}
	return all
}

// MarkX returns the middle of a mark at the left edge.
func (p *Panel) MarkX() int { return p.Left + Px(0.5) }

// NameX returns the start of a name beside a mark.
func (p *Panel) NameX() int { return p.Left + Px(1.43) }

// Card draws the card of a seat with its upper edge at y: mark, name and a sign
// of the standing. A seat that is to move or has won has a card of its colour.
func (p *Panel) Card(c *Canvas, y int, seat engine.Seat, colour engine.Colour, names []string, s Standing) {
	ground, shape, letters := Cell, Seat(colour), Text
	if s == ToMove || s == Won {
		ground, shape, letters = Seat(colour), Ink, Ink
	}
	c.Stamp(p.card, p.X, y, ground)
	m := y + p.CardHeight/2
	c.Stamp(p.Mark[colour-engine.Blue], p.MarkX(), m, shape)
	face, name := p.Names.FitName(names, seat, p.nameRoom())
	face.Write(c, name, float64(p.NameX()), float64(m), Left, letters)
	if sign := p.signs[s]; sign != nil {
		c.Stamp(sign, p.Right-Px(0.38), m, letters)
	}
}

// Time draws the time that a seat has in the lowest line of the picture. It draws
// nothing for no time.
func (p *Panel) Time(c *Canvas, colour engine.Colour, left time.Duration) {
	p.clock.Draw(c, p.MarkX(), Height-Px(1.15), colour, left)
}

// nameRoom returns the width of a name in pixels. It always leaves room for the
// sign of a standing, so that a name is not cut differently every turn.
func (p *Panel) nameRoom() float64 { return float64(p.Right - Px(0.92) - p.NameX()) }

// WriteLeft writes a line at the left edge and returns where it ends.
func (p *Panel) WriteLeft(c *Canvas, f *Face, s string, y int, with Role) int {
	f.Write(c, s, float64(p.Left), float64(y), Left, with)
	return p.Left + int(f.Width(s)+0.5)
}

// Turn writes the number of a turn and the mark of its seat. It returns the
// middle of the mark.
func (p *Panel) Turn(c *Canvas, y, number int, colour engine.Colour) int {
	x := p.WriteLeft(c, p.Notation, strconv.Itoa(number)+".", y, Dim) + Px(0.95)
	c.Stamp(p.Mark[colour-engine.Blue], x, y, Seat(colour))
	return x
}
