package imaging

import (
	"strconv"

	"castellan/engine"
	"castellan/engine/towers"
)

// side draws the panel: Red's card above, Blue's below, as they sit at the
// board, and the actions of the marked turn between.
func (k *towersKit) side(c *canvas, s Scene, p *towers.Position) {
	colours := s.Game.Colours(len(seatsOfTowers))
	for i, seat := range seatsOfTowers {
		name := k.panel.names.seatName(s.Names, seat, k.panel.nameRoom())
		k.panel.seat(c, k.cards[i], colours[i], name, s.standing(seat))
		y := k.cards[i] + k.panel.height + k.panel.px(reserveDown)
		k.reserveOf(c, y, p.Reserve(seat), i, colours[i])
		if s.standing(seat) == toMove {
			left, of := p.MovePoints()
			k.points(c, y+k.panel.px(pipsDown), left, of)
		}
	}
	k.turn(c, s, colours)
}

// reserveOf draws how many pawns a seat has in reserve.
func (k *towersKit) reserveOf(c *canvas, y, pawns, i int, colour engine.Colour) {
	n, icon, own := &k.panel, &k.stack[i], seatRole(colour)
	x := n.left + n.px(1.15)
	c.stamp(icon.back, x, y, own)
	c.stamp(icon.gap, x, y, background)
	c.stamp(icon.front, x, y, own)
	k.reserve.write(c, strconv.Itoa(pawns), float64(n.left+n.px(2.1)), float64(y), left, text)
}

// points draws the move points as pips, those that are spent hollow; more than
// there is room for as numbers.
func (k *towersKit) points(c *canvas, y, points, of int) {
	n := &k.panel
	pitch := n.px(pipPitch)
	if of > pipsInRow*pipRows {
		x := n.left + n.px(pipRadius)
		c.stamp(k.pip, x, y, mark)
		n.numbers.write(c, strconv.Itoa(points)+"/"+strconv.Itoa(of), float64(x+n.px(1)), float64(y), left, text)
		return
	}
	for i := range of {
		x := n.left + n.px(pipRadius) + i%pipsInRow*pitch
		if i < points {
			c.stamp(k.pip, x, y+i/pipsInRow*pitch, mark)
		} else {
			c.stamp(k.spent, x, y+i/pipsInRow*pitch, line)
		}
	}
}

// turn writes the number of the marked turn with the mark of its seat, and its
// actions one a line, in two columns if they are many. The first give way to
// an ellipsis if there are still more. The end is not written: it is not news;
// a turn that was nothing else is.
func (k *towersKit) turn(c *canvas, s Scene, colours []engine.Colour) {
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
	n := &k.panel
	lines := (k.turnBottom - k.turnTop - n.px(notationCapital)) / k.turnBy
	if len(tokens) > 2*lines {
		tokens = append([]string{ellipsis}, tokens[len(tokens)-2*lines+1:]...)
	}
	used := min(len(tokens), lines)
	y := (k.turnTop+k.turnBottom)/2 - used*k.turnBy/2

	colour := colours[s.Turn.Seat-1]
	x := n.lineEnd(c, n.notation, strconv.Itoa(s.Turn.Number)+".", y, dim)
	c.stamp(n.mark[colour-engine.Blue], x+n.px(0.95), y, seatRole(colour))
	for i, token := range tokens {
		x := n.left + i/lines*(n.right-n.left+n.px(0.3))/2
		n.notation.write(c, token, float64(x), float64(y+(i%lines+1)*k.turnBy), left, text)
	}
}
