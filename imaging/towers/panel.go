package towers

import (
	"strconv"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// panel draws the name plates with the reserves and the move points, and the
// actions of the marked turn.
func (k *set) panel(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	colours := s.Game.Colours(len(seats))
	for i, seat := range seats {
		standing := s.Standing(seat)
		room := k.Plates.Draw(c, draw.NamePlate{Seat: seat, Colour: colours[i], Names: s.Names, Standing: standing, Left: s.Clock(seat)})
		if standing == draw.ToMove {
			room.Max.X = k.points(c, room, p) - draw.Px(0.4)
		}
		k.reserve(c, s, room, p.Reserve(seat), i)
	}
	if !s.Captioned {
		k.turn(c, s, colours)
	}
}

// reserve draws the number of pawns in reserve, and the word for it if there is
// room.
func (k *set) reserve(c *draw.Canvas, s imaging.Scene, room draw.Room, pawns, i int) {
	x := room.Min.X + draw.Px(0.75)
	c.Put(k.icon[i], x, room.Y())
	at := float64(x + draw.Px(1.2))
	number := strconv.Itoa(pawns)
	k.Plates.Numbers.Write(c, number, at, float64(room.Y()), draw.Left, room.Letters)
	at += k.Plates.Numbers.Width(number) + 0.4*draw.U
	word := s.Word(k.inReserve, k.words, float64(room.Max.X)-at)
	if at+k.words.Width(word) <= float64(room.Max.X) {
		k.words.Write(c, word, at, float64(room.Y()), draw.Left, room.Faint)
	}
}

// points draws the move points at the right as pips, spent ones hollow, or as
// numbers if they are too many for the room. It returns where they begin.
func (k *set) points(c *draw.Canvas, room draw.Room, p *towers.Position) int {
	points, of := p.MovePoints()
	pitch, y, r := draw.Px(pipPitch), room.Y(), draw.Px(pipRadius)
	if of > mostPips || of*pitch > room.Dx()-draw.Px(reserveRoom) {
		n := k.Plates
		number := strconv.Itoa(points) + "/" + strconv.Itoa(of)
		n.Numbers.Write(c, number, float64(room.Max.X), float64(y), draw.Right, room.Letters)
		x := room.Max.X - int(n.Numbers.Width(number)) - 2*r
		c.Stamp(k.pip, x, y, room.Letters)
		return x - r
	}
	x := room.Max.X - r - (of-1)*pitch
	for i := range of {
		mask := k.pip
		if i >= points {
			mask = k.spent
		}
		c.Stamp(mask, x+i*pitch, y, room.Letters)
	}
	return x - r
}

// turn writes the number of the marked turn, the mark of its seat, and its
// actions. The end of a turn is written only if the turn has no other action.
func (k *set) turn(c *draw.Canvas, s imaging.Scene, colours []engine.Colour) {
	if s.Turn.Seat < 1 || int(s.Turn.Seat) > len(colours) || len(s.Turn.Actions) == 0 {
		return
	}
	var tokens []string
	for _, a := range s.Turn.Actions {
		if t, ok := a.(towers.Action); !ok || t.Kind() != towers.End {
			tokens = append(tokens, a.String())
		}
	}
	if len(tokens) == 0 {
		tokens = []string{engine.End}
	}
	n := k.Plates
	n.Words(c, tokens, n.Turn(c, s.Turn.Number, colours[s.Turn.Seat-1]), n.Line().Max.X, draw.Text)
}
