package imaging

import (
	"image"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"

	"github.com/fogleman/gg"
)

// Where the panel of Rings stands, in pixels.
const (
	ringsPanelX     = 834
	ringsPanelWidth = 250
	ringsCardTop    = 26
	ringsCardHigh   = 74
	ringsCardPitch  = 84
	ringsSignRoom   = 38 // of a sign before the score
)

// ringsPanel is the column at the right: a card for every seat with its score,
// and the marked turn below.
type ringsPanel struct {
	look
	names, scores, notation *face

	card        *mask
	mark, small [6]*mask
	signs       [drew + 1]*mask
	passed      *mask // two bars
	retired     *mask // a cross

	chart ringsMap
}

func newRingsPanel(l look, side int) *ringsPanel {
	n := &ringsPanel{
		look: l, names: l.face(ringsPx(nameRings)), scores: l.face(ringsPx(scoreRings)), notation: l.face(ringsPx(notationRings)),
	}
	n.card = paint(image.Rect(0, 0, ringsPanelWidth, ringsCardHigh), func(dc *gg.Context) {
		dc.DrawRoundedRectangle(0, 0, ringsPanelWidth, ringsCardHigh, 0.27*ringsUnit)
		dc.Fill()
	})
	const r = 0.5 * ringsUnit
	box := around(0, 0, 1.5*r)
	for i := range n.mark {
		c := engine.Blue + engine.Colour(i)
		n.mark[i] = paint(box, func(dc *gg.Context) { fillMark(dc, c, 0, 0, r) })
		n.small[i] = paint(box, func(dc *gg.Context) { fillMark(dc, c, 0, 0, 0.8*r) })
	}
	// The arrow's middle lies towards its tip.
	n.signs[toMove] = paint(box, func(dc *gg.Context) { fillArrow(dc, 0.1*r, 0, r, leftward) })
	n.signs[won] = paint(box, func(dc *gg.Context) { fillCrown(dc, 0, 0, 1.9*r) })
	n.signs[drew] = paint(box, func(dc *gg.Context) {
		for _, y := range []float64{-0.6 * r, 0.2 * r} {
			dc.DrawRectangle(-0.7*r, y, 1.4*r, 0.4*r)
			dc.Fill()
		}
	})
	n.passed = paint(box, func(dc *gg.Context) {
		for _, x := range []float64{-0.55 * r, 0.15 * r} {
			dc.DrawRectangle(x, -0.75*r, 0.4*r, 1.5*r)
			dc.Fill()
		}
	})
	n.retired = paint(box, func(dc *gg.Context) { fillCross(dc, 0, 0, 0.85*r, 0.32*r) })
	n.chart = newRingsMap(side)
	return n
}

// draw puts the panel of the whole board on a canvas.
func (n *ringsPanel) draw(c *canvas, s Scene, p *rings.Position) {
	y := ringsCardTop
	for i := range p.Seats() {
		n.seat(c, y, s, p, engine.Seat(i+1))
		y += ringsCardPitch
	}
	n.turn(c, y+ringsPx(1.2), s)
}

// seat draws a card with its upper edge at y: mark, name, a sign and the score.
// The card of who is to move, or has won, has his colour; who has retired has
// none.
func (n *ringsPanel) seat(c *canvas, y int, s Scene, p *rings.Position, seat engine.Seat) {
	colour := engine.Blue + engine.Colour(seat-1)
	stands, gone := s.standing(seat), p.Retired(seat)
	ground, shape, letters := cell, seatRole(colour), text
	switch {
	case stands == toMove, stands == won:
		ground, shape, letters = seatRole(colour), ink, ink
	case gone:
		letters = dim
	}
	if !gone || stands == won {
		c.stamp(n.card, ringsPanelX, y, ground)
	}
	m := y + ringsCardHigh/2
	c.stamp(n.mark[seat-1], ringsPanelX+26, m, shape)

	const right = ringsPanelX + ringsPanelWidth - 13
	score := strconv.Itoa(p.Score(seat))
	n.scores.write(c, score, right, float64(m), align(1), letters)
	// As far left as two digits need, so that signs stand below each other.
	end := right - max(int(n.scores.width(score)), int(n.scores.width("00")))
	const nameX = ringsPanelX + 51
	room := float64(end - 7 - nameX)
	if sign := n.sign(stands, p, seat); sign != nil {
		// The colour of the card says who is to move as well: the arrow gives
		// way to a name that needs the room.
		whole := n.names.seatName(s.Names, seat, room)
		less := n.names.seatName(s.Names, seat, room-ringsSignRoom)
		if stands != toMove || p.Passed(seat) || less == whole {
			c.stamp(sign, end-21, m, letters)
			room -= ringsSignRoom
		}
	}
	name := n.names.seatName(s.Names, seat, room)
	n.names.write(c, name, nameX, float64(m), left, letters)
}

// sign is what is said of a seat before its score, or nil.
func (n *ringsPanel) sign(stands standing, p *rings.Position, seat engine.Seat) *mask {
	switch {
	case stands == won, stands == drew:
		return n.signs[stands]
	case p.Retired(seat):
		return n.retired
	case p.Passed(seat):
		return n.passed
	}
	return n.signs[stands]
}

// turn writes the marked turn: its number, who it is of, and its actions but
// for the end, on as many lines as they need.
func (n *ringsPanel) turn(c *canvas, y int, s Scene) {
	var tokens []string
	for _, a := range s.Turn.Actions {
		if token := a.String(); token != engine.End {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(n.mark) {
		return
	}
	const start, end = ringsPanelX + 12, ringsPanelX + ringsPanelWidth - 6
	colour := engine.Blue + engine.Colour(s.Turn.Seat-1)
	number := strconv.Itoa(s.Turn.Number) + "."
	n.notation.write(c, number, start, float64(y), left, dim)
	x := start + n.notation.width(number) + 29
	c.stamp(n.mark[s.Turn.Seat-1], int(x), y, seatRole(colour))
	x += 28

	pitch, space := ringsPx(1.35), n.notation.width("0")*0.75
	bottom := ringsHeight - ringsPx(1)
	for i, token := range tokens {
		w := n.notation.width(token)
		if x+w > end {
			x, y = start, y+pitch
		}
		// The last line keeps room for the sign that there is more.
		last := y+pitch > bottom
		if last && i < len(tokens)-1 && x+w+space+n.notation.width(ellipsis) > end {
			n.notation.write(c, ellipsis, x, float64(y), left, text)
			return
		}
		n.notation.write(c, token, x, float64(y), left, text)
		x += w + space
	}
}

// part draws the panel of a part of the board: the card of who is to move, or
// of a winner, where the part lies, and the scores in short.
func (n *ringsPanel) part(c *canvas, s Scene, p *rings.Position, window image.Rectangle) {
	y := ringsCardTop
	if seat := n.foremost(s, p); seat != engine.Nobody {
		n.seat(c, y, s, p, seat)
		y += ringsCardPitch
	}
	y = n.chart.draw(c, y+ringsPx(0.6), p, window) + ringsPx(1.6)
	for i := range p.Seats() {
		x := ringsPanelX + 26 + i%2*(ringsPanelWidth/2)
		if i > 0 && i%2 == 0 {
			y += ringsPx(1.6)
		}
		n.short(c, x, y, p, engine.Seat(i+1))
	}
	n.turn(c, y+ringsPx(2.2), s)
}

// short is the mark of a seat and its score.
func (n *ringsPanel) short(c *canvas, x, y int, p *rings.Position, seat engine.Seat) {
	with := text
	if p.Retired(seat) {
		with = dim
	}
	c.stamp(n.small[seat-1], x, y, seatRole(engine.Blue+engine.Colour(seat-1)))
	score := strconv.Itoa(p.Score(seat))
	n.notation.write(c, score, float64(x+24), float64(y), left, with)
	if sign := n.sign(waiting, p, seat); sign != nil {
		c.stamp(sign, x+24+int(n.notation.width("00"))+20, y, with)
	}
}

// foremost is who the part of a board is about.
func (n *ringsPanel) foremost(s Scene, p *rings.Position) engine.Seat {
	if end := s.outcome(); end != nil {
		if len(end.Winners) == 0 {
			return engine.Nobody
		}
		return slices.Min(end.Winners)
	}
	return p.Seat()
}
