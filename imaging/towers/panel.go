package towers

import (
	"strconv"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// panel draws the panel: the players' cards, each on its side of the board, and
// the actions of the marked turn between them.
func (k *set) panel(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	colours := s.Game.Colours(len(seats))
	for i, seat := range seats {
		standing := s.Standing(seat)
		k.Panel.Card(c, k.cards[i], seat, colours[i], s.Names, standing)
		k.Panel.Time(c, colours[i], s.Clock(seat))
		y := k.cards[i] + k.Panel.CardHeight + draw.Px(reserveDown)
		k.reserve(c, s, y, p.Reserve(seat), i, colours[i])
		if standing == draw.ToMove {
			left, of := p.MovePoints()
			k.Panel.WriteLeft(c, k.words, s.Word(k.movePoints, k.words, float64(k.Panel.Right-k.Panel.Left)), y+draw.Px(wordsDown), draw.Dim)
			k.points(c, y+draw.Px(pipsDown), left, of)
		}
	}
	if !s.Captioned {
		k.turn(c, s, colours)
	}
}

func (k *set) reserve(c *draw.Canvas, s imaging.Scene, y, pawns, i int, colour engine.Colour) {
	n, icon, own := k.Panel, &k.stack[i], draw.Seat(colour)
	x := n.Left + draw.Px(1.15)
	c.Stamp(icon.back, x, y, own)
	c.Stamp(icon.gap, x, y, draw.Background)
	c.Stamp(icon.front, x, y, own)
	number := strconv.Itoa(pawns)
	k.reserveFace.Write(c, number, float64(n.Left+draw.Px(2.1)), float64(y), draw.Left, draw.Text)
	word := float64(n.Left+draw.Px(2.5)) + k.reserveFace.Width(number)
	k.words.Write(c, s.Word(k.inReserve, k.words, float64(n.Right)-word), word, float64(y+(k.reserveFace.Capital-k.words.Capital)/2), draw.Left, draw.Dim)
}

// points draws the move points as pips, spent ones hollow. Too many for the
// panel are numbers.
func (k *set) points(c *draw.Canvas, y, points, of int) {
	n := k.Panel
	pitch := draw.Px(pipPitch)
	if of > pipsInRow*pipRows {
		x := n.Left + draw.Px(pipRadius)
		c.Stamp(k.pip, x, y, draw.Mark)
		n.Numbers.Write(c, strconv.Itoa(points)+"/"+strconv.Itoa(of), float64(x+draw.Px(1)), float64(y), draw.Left, draw.Text)
		return
	}
	for i := range of {
		x := n.Left + draw.Px(pipRadius) + i%pipsInRow*pitch
		if i < points {
			c.Stamp(k.pip, x, y+i/pipsInRow*pitch, draw.Mark)
		} else {
			c.Stamp(k.spent, x, y+i/pipsInRow*pitch, draw.Line)
		}
	}
}

// turn writes the number of the marked turn, the mark of its seat, and its
// actions, each on a line, in two columns if they are many. If there are still
// more, an ellipsis replaces the first ones. The end of a turn is written only
// if the turn has no other action.
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
	n := k.Panel
	lines := (k.turnBottom - k.turnTop - draw.Px(draw.NotationCapital)) / k.turnBy
	if len(tokens) > 2*lines {
		tokens = append([]string{draw.Ellipsis}, tokens[len(tokens)-2*lines+1:]...)
	}
	used := min(len(tokens), lines)
	y := (k.turnTop+k.turnBottom)/2 - used*k.turnBy/2

	n.Turn(c, y, s.Turn.Number, colours[s.Turn.Seat-1])
	for i, token := range tokens {
		x := n.Left + i/lines*(n.Right-n.Left+draw.Px(0.3))/2
		n.Notation.Write(c, token, float64(x), float64(y+(i%lines+1)*k.turnBy), draw.Left, draw.Text)
	}
}
