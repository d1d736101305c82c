package draw

import (
	"image"
	"image/color"
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

// Lengths of plates in u.
const (
	plateAside  = 0.6  // beside the plates
	plateGap    = 0.5  // between plates
	plateHigh   = 4.5  // with two lines
	plateLow    = 2.7  // with one line
	plateLine   = 2.5  // height of the first of two lines
	plateMark   = 0.58 // radius of a mark
	turnLine    = 2.0  // height of the line of the last turn
	plateMarkX  = 1.35 // the middle of a mark
	plateNameX  = 2.55 // the start of a name
	plateEnd    = 0.65 // from the end of a score to that of the plate
	plateBelow  = 0.55
	plateCorner = 0.35
)

// Plates are the name plates of all seats below a board, in one row or, of four
// and more, in two; and above them a line for the last turn. Plates of one or two
// seats have a second line for what a game adds.
type Plates struct {
	Bottom int // height of the picture

	Names, Scores, Notation, Numbers *Face

	Mark   [6]*Mask        // marks by colour; element 0 is engine.Blue's
	Arrow  [Headings]*Mask // arrow heads
	Hollow [Headings]*Mask // outlines of arrow heads

	turnY  int               // the middle of the line of the last turn
	plates []image.Rectangle // by seat
	lines  int
	idle   *Sprite
	seal   *Sprite    // behind a mark
	filled [6]*Sprite // by colour; nil if the palette lacks it
	mark   [6]*Mask
	signs  [Drawn + 1]*Mask // nil for none
	clock  clock
}

// NamePlate is what the plate of a seat shows.
type NamePlate struct {
	Seat     engine.Seat
	Colour   engine.Colour
	Names    []string // of all seats
	Standing Standing
	Score    string        // empty for none
	Left     time.Duration // 0 for none
	Sign     *Mask         // before the score; nil for that of the standing
	Faded    bool          // the seat has left
	ClockX   int           // the end of the time in the line of the turn; 0 for the usual one
}

// Room is the part of a plate for what a game adds, and the colours in which to
// draw there.
type Room struct {
	image.Rectangle
	Letters, Faint, Own Role
	Ground              Role // of the plate
}

// Y returns the middle of the room.
func (r Room) Y() int { return (r.Min.Y + r.Max.Y) / 2 }

// NewPlates lays plates out below the edge of a board.
func NewPlates(s Style, seats, below int) *Plates {
	p := &Plates{
		Names: s.Face(Px(NameCapital)), Scores: s.Face(Px(ScoreCapital)),
		Notation: s.Face(Px(NotationCapital)), Numbers: s.Face(Px(NumberCapital)),
		Mark: Marks(0.5 * U), mark: Marks(plateMark * U),
		turnY: below + Px(turnLine)/2, lines: 2,
	}
	columns, high := seats, Px(plateHigh)
	if seats > 2 {
		p.lines, high = 1, Px(plateLow)
	}
	if seats > 3 {
		columns = (seats + 1) / 2
	}
	aside, gap := Px(plateAside), Px(plateGap)
	w := (Width - 2*aside - (columns-1)*gap) / columns
	for i := range seats {
		x, y := aside+i%columns*(w+gap), below+Px(turnLine)+i/columns*(high+gap)
		p.plates = append(p.plates, image.Rect(x, y, x+w, y+high))
	}
	p.Bottom = p.plates[seats-1].Max.Y + Px(plateBelow)
	p.paint(s, image.Rect(0, 0, w, high))

	const r = 0.5 * U
	about := func(size float64, drawing func(*gg.Context)) *Mask { return NewMask(Around(0, 0, size), drawing) }
	for h := range Heading(Headings) {
		p.Arrow[h] = about(1.1*r, func(dc *gg.Context) { FillArrow(dc, 0, 0, 1.1*r, h) })
		p.Hollow[h] = about(1.1*r, func(dc *gg.Context) { FillOutline(dc, Arrow(0, 0, 1.1*r, h), 0.1*U) })
	}
	p.clock = newClock(p.Notation, r)
	// The arrow's middle lies towards its tip.
	p.signs[ToMove] = about(1.5*r, func(dc *gg.Context) { FillArrow(dc, 0.1*r, 0, r, Leftward) })
	p.signs[Won] = about(2*r, func(dc *gg.Context) { FillCrown(dc, 0, 0, 2.6*r) })
	p.signs[Drawn] = about(1.5*r, func(dc *gg.Context) { FillEquals(dc, 0, 0, 1.8*r, 1.1*r) })
	return p
}

// paint draws the plates without what stands on them.
func (p *Plates) paint(s Style, box image.Rectangle) {
	p.idle = plateSprite(s, box, s.Plate, s.Line)
	for i := range p.filled {
		p.filled[i] = plateSprite(s, box, s.Seats[i], s.Seats[i])
	}
	p.seal = s.Sprite(Around(0, 0, 1.1*U), func(dc *gg.Context) {
		if !s.Plain {
			dc.SetColor(s.CellDark)
			FillDisc(dc, 0, 0, 1.02*U)
		}
	})
}

// plateSprite returns a plate of a colour, with a rim on plain ones.
func plateSprite(s Style, box image.Rectangle, c, rim color.RGBA) *Sprite {
	return s.Sprite(box.Inset(-4), func(dc *gg.Context) {
		w, h, r := float64(box.Dx()), float64(box.Dy()), plateCorner*U
		fill := func(c color.RGBA, inset, top, bottom float64) {
			dc.SetColor(c)
			dc.DrawRoundedRectangle(inset, inset+top, w-2*inset, h-2*inset-top-bottom, max(1, r-inset))
			dc.Fill()
		}
		if s.Plain {
			fill(rim, 0, 0, 0)
			fill(c, 3, 0, 0)
			return
		}
		dc.SetRGBA255(int(s.Shade.R), int(s.Shade.G), int(s.Shade.B), 96)
		dc.DrawRoundedRectangle(0, 3, w+1, h, r)
		dc.Fill()
		fill(s.Darker(c, 0.48), 0, 0, 0)
		fill(s.Lighter(c, 0.16), 0, 0, 4)
		fill(c, 0, 3, 4)
		fill(s.Darker(c, 0.16), 0, h-16, 4)
		dc.SetColor(c)
		dc.DrawRectangle(0, h-16, w, 6)
		dc.Fill()
	})
}

// Marks returns the marks of all colours with radius r about the anchor;
// element 0 is engine.Blue's.
func Marks(r float64) (all [6]*Mask) {
	for i := range all {
		all[i] = NewMask(Around(0, 0, 1.5*r), func(dc *gg.Context) { FillMark(dc, engine.Blue+engine.Colour(i), 0, 0, r) })
	}
	return all
}

// Draw draws the plate of a seat: mark, name, sign and score. The plate of a seat
// that is to move or has won has the seat's colour. It returns the second line,
// which is empty if there is none.
func (p *Plates) Draw(c *Canvas, pl NamePlate) Room { return p.DrawAt(c, int(pl.Seat)-1, pl) }

// Place returns the place of a plate, from 0 on.
func (p *Plates) Place(n int) image.Rectangle { return p.plates[n] }

// DrawAt is like Draw and puts the plate at the place of another.
func (p *Plates) DrawAt(c *Canvas, place int, pl NamePlate) Room {
	box := p.plates[place]
	room := Room{Letters: Written, Faint: Faint, Own: Seat(pl.Colour), Ground: Plate}
	shape := Seat(pl.Colour)
	x, y := box.Min.X+Px(plateMarkX), box.Min.Y+box.Dy()/2
	if p.lines > 1 {
		y = box.Min.Y + Px(plateLine)/2 + 2
	}
	if pl.Standing == ToMove || pl.Standing == Won {
		c.Put(p.filled[pl.Colour-engine.Blue], box.Min.X, box.Min.Y)
		room.Letters, room.Faint, room.Own, room.Ground, shape = Ink, Ink, Ink, Seat(pl.Colour), Ink
	} else {
		c.Put(p.idle, box.Min.X, box.Min.Y)
		c.Put(p.seal, x, y)
	}
	letters := room.Letters
	if pl.Faded {
		letters = room.Faint
	}
	c.Stamp(p.mark[pl.Colour-engine.Blue], x, y, shape)
	end := box.Max.X - Px(plateEnd)
	if pl.Score != "" {
		p.Scores.Write(c, pl.Score, float64(end), float64(y), Right, letters)
		end -= max(int(p.Scores.Width(pl.Score)), int(p.Scores.Width("00"))) + Px(0.4)
	}
	sign := p.signs[pl.Standing]
	if pl.Sign != nil {
		sign = pl.Sign
	}
	nameX := box.Min.X + Px(plateNameX)
	if sign != nil {
		const signRoom = 1.5 // in u
		_, whole := p.Names.FitName(pl.Names, pl.Seat, float64(end-nameX))
		_, less := p.Names.FitName(pl.Names, pl.Seat, float64(end-nameX-Px(signRoom)))
		// If the name had to be cut for the arrow or the crown, these are left out: the
		// colour of the plate says the same.
		if pl.Standing == Drawn || pl.Sign != nil || whole == less {
			c.Stamp(sign, end-Px(0.6), y, letters)
			end -= Px(signRoom)
		}
	}
	face, name := p.Names.FitName(pl.Names, pl.Seat, float64(end-nameX))
	face.Write(c, name, float64(nameX), float64(y), Left, letters)
	if p.lines > 1 {
		room.Rectangle = image.Rect(box.Min.X+Px(0.75), box.Min.Y+Px(plateLine), box.Max.X-Px(plateEnd), box.Max.Y-Px(0.2))
		if pl.Left > 0 {
			room.Max.X = p.clock.draw(c, room.Max.X, room.Y(), pl.Left, room.Letters) - Px(0.5)
		}
	} else if pl.Left > 0 {
		end := pl.ClockX
		if end == 0 {
			end = p.Line().Max.X
		}
		x := p.clock.draw(c, end, p.turnY, pl.Left, Text)
		c.Stamp(p.Mark[pl.Colour-engine.Blue], x-Px(0.8), p.turnY, Seat(pl.Colour))
	}
	return room
}

// Line returns the line of the last turn.
func (p *Plates) Line() image.Rectangle {
	return image.Rect(Px(plateAside)+Px(0.2), p.turnY-Px(turnLine)/2, Width-Px(plateAside)-Px(0.2), p.turnY+Px(turnLine)/2)
}

// Y returns the middle of the line of the last turn.
func (p *Plates) Y() int { return p.turnY }

// Turn writes the number of a turn and the mark of its seat at the start of the
// line. It returns where its notation begins.
func (p *Plates) Turn(c *Canvas, number int, colour engine.Colour) int {
	return p.TurnAt(c, p.Line().Min.X, number, colour)
}

// TurnAt is like Turn and begins at x.
func (p *Plates) TurnAt(c *Canvas, x, number int, colour engine.Colour) int {
	s := strconv.Itoa(number) + "."
	p.Notation.Write(c, s, float64(x), float64(p.turnY), Left, Dim)
	x += int(p.Notation.Width(s)+0.5) + Px(0.85)
	c.Stamp(p.Mark[colour-engine.Blue], x, p.turnY, Seat(colour))
	return x + Px(0.95)
}

// Words writes words from x on and leaves out the last ones, or the first ones,
// that do not fit before an end. It returns where they end.
func (p *Plates) Words(c *Canvas, words []string, x, end int, with Role) int {
	space := p.Notation.Width("n")
	width := func(words []string) (w float64) {
		for _, word := range words {
			w += p.Notation.Width(word) + space
		}
		return w - space
	}
	if width(words) > float64(end-x) {
		for len(words) > 1 && width(words)+space+p.Notation.Width(Ellipsis) > float64(end-x) {
			words = words[1:]
		}
		words = append([]string{Ellipsis}, words...)
	}
	at := float64(x)
	for _, word := range words {
		p.Notation.Write(c, word, at, float64(p.turnY), Left, with)
		at += p.Notation.Width(word) + space
	}
	return int(at - space + 0.5)
}
