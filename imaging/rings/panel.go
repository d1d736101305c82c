package rings

import (
	"image"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"

	"github.com/fogleman/gg"
)

// The layout of the panel in pixels.
const (
	panelX     = 834
	panelWidth = 250
	cardTop    = 26
	cardHeight = 74
	cardPitch  = 84
	signRoom   = 38 // for a sign before the score
)

// panel is the column at the right: a card for each seat with its score, and
// the marked turn below.
type panel struct {
	names, scores, notation *draw.Face

	card        *draw.Mask
	mark, small [6]*draw.Mask
	signs       [draw.Drawn + 1]*draw.Mask
	passed      *draw.Mask // two bars
	retired     *draw.Mask // a cross
	clock       draw.Clock

	overview overviewMap
}

func newPanel(l draw.Style, side int) *panel {
	n := &panel{
		names: l.Face(px(nameCapital)), scores: l.Face(px(scoreCapital)), notation: l.Face(px(notationCapital)),
	}
	n.card = draw.NewMask(image.Rect(0, 0, panelWidth, cardHeight), func(dc *gg.Context) {
		dc.DrawRoundedRectangle(0, 0, panelWidth, cardHeight, 0.27*unit)
		dc.Fill()
	})
	const r = 0.5 * unit
	box := draw.Around(0, 0, 1.5*r)
	n.mark, n.small = draw.Marks(r), draw.Marks(0.8*r)
	// The arrow's middle lies towards its tip.
	n.signs[draw.ToMove] = draw.NewMask(box, func(dc *gg.Context) { draw.FillArrow(dc, 0.1*r, 0, r, draw.Leftward) })
	n.signs[draw.Won] = draw.NewMask(box, func(dc *gg.Context) { draw.FillCrown(dc, 0, 0, 1.9*r) })
	n.signs[draw.Drawn] = draw.NewMask(box, func(dc *gg.Context) { draw.FillEquals(dc, 0, 0, 1.4*r, r) })
	n.passed = draw.NewMask(box, func(dc *gg.Context) {
		for _, x := range []float64{-0.55 * r, 0.15 * r} {
			dc.DrawRectangle(x, -0.75*r, 0.4*r, 1.5*r)
			dc.Fill()
		}
	})
	n.retired = draw.NewMask(box, func(dc *gg.Context) { draw.FillCross(dc, 0, 0, 0.85*r, 0.32*r) })
	n.clock = draw.NewClock(n.names, r)
	n.overview = newOverviewMap(side)
	return n
}

// draw draws the panel beside the whole board.
func (n *panel) draw(c *draw.Canvas, s imaging.Scene, p *rings.Position) {
	y := cardTop
	for i := range p.Seats() {
		n.seat(c, y, s, p, engine.Seat(i+1))
		y += cardPitch
	}
	n.below(c, y+px(1.2), s)
}

// below draws what stands below the seats: the marked turns from y on, and in the
// lowest line the time of the seat to move.
func (n *panel) below(c *draw.Canvas, y int, s imaging.Scene) {
	lowest := height - px(1)
	lines := (lowest-y)/turnPitch + 1
	if seat := s.Position.Seat(); s.Clock(seat) > 0 {
		n.clock.Draw(c, panelX+26, lowest, colourOf(seat), s.TimeLeft)
		lines--
	}
	if !s.Captioned {
		n.turns(c, y, lines, s)
	}
}

// seat draws a card with its upper edge at y: mark, name, sign and score. A seat
// that is to move or has won has a card of its colour; a retired seat has no
// card.
func (n *panel) seat(c *draw.Canvas, y int, s imaging.Scene, p *rings.Position, seat engine.Seat) {
	colour := colourOf(seat)
	standing, gone := s.Standing(seat), p.Retired(seat)
	ground, shape, letters := draw.Cell, draw.Seat(colour), draw.Text
	switch {
	case standing == draw.ToMove, standing == draw.Won:
		ground, shape, letters = draw.Seat(colour), draw.Ink, draw.Ink
	case gone:
		letters = draw.Dim
	}
	if !gone || standing == draw.Won {
		c.Stamp(n.card, panelX, y, ground)
	}
	m := y + cardHeight/2
	c.Stamp(n.mark[seat-1], panelX+26, m, shape)

	const right = panelX + panelWidth - 13
	score := strconv.Itoa(p.Score(seat))
	n.scores.Write(c, score, right, float64(m), draw.Right, letters)
	// At least as wide as two digits, so that signs are aligned.
	end := right - max(int(n.scores.Width(score)), int(n.scores.Width("00")))
	const nameX = panelX + 51
	room := float64(end - 7 - nameX)
	if sign := n.sign(standing, p, seat); sign != nil {
		// The arrow gives way to a long name: the colour of the card says who is
		// to move as well.
		_, whole := n.names.FitName(s.Names, seat, room)
		_, less := n.names.FitName(s.Names, seat, room-signRoom)
		if standing != draw.ToMove || p.Passed(seat) || less == whole {
			c.Stamp(sign, end-21, m, letters)
			room -= signRoom
		}
	}
	face, name := n.names.FitName(s.Names, seat, room)
	face.Write(c, name, nameX, float64(m), draw.Left, letters)
}

// sign returns the sign before the score of a seat, nil for none.
func (n *panel) sign(standing draw.Standing, p *rings.Position, seat engine.Seat) *draw.Mask {
	switch {
	case standing == draw.Won, standing == draw.Drawn:
		return n.signs[standing]
	case p.Retired(seat):
		return n.retired
	case p.Passed(seat):
		return n.passed
	}
	return n.signs[standing]
}

// turnPitch is the distance of the lines of turns in pixels.
var turnPitch = px(1.35)

// turns writes the marked turns. They share the lines from y on.
func (n *panel) turns(c *draw.Canvas, y, lines int, s imaging.Scene) {
	marked := s.Marked()
	for i, t := range marked {
		used := n.turn(c, y, t, max(1, lines/(len(marked)-i)))
		y, lines = y+used*turnPitch, lines-used
	}
}

// turn writes a turn: its number, the mark of its seat, and its actions except
// the end. It returns the number of lines used, at most lines.
func (n *panel) turn(c *draw.Canvas, y int, t imaging.Turn, lines int) (used int) {
	var tokens []string
	for _, a := range t.Actions {
		if token := a.String(); token != engine.End {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) == 0 || t.Seat < 1 || int(t.Seat) > len(n.mark) {
		return 0
	}
	const start, indent, end = panelX + 12, 29, panelX + panelWidth - 6
	colour := colourOf(t.Seat)
	number := strconv.Itoa(t.Number) + "."
	n.notation.Write(c, number, start, float64(y), draw.Left, draw.Dim)
	x := start + n.notation.Width(number) + 29
	c.Stamp(n.mark[t.Seat-1], int(x), y, draw.Seat(colour))
	x += 28

	space := n.notation.Width("0") * 0.75
	used = 1
	for i, token := range tokens {
		w := n.notation.Width(token)
		if x+w > end && used < lines {
			x, y = start+indent, y+turnPitch
			used++
		}
		// The last line keeps room for an ellipsis.
		if used == lines && i < len(tokens)-1 && x+w+space+n.notation.Width(draw.Ellipsis) > end {
			n.notation.Write(c, draw.Ellipsis, x, float64(y), draw.Left, draw.Text)
			return used
		}
		n.notation.Write(c, token, x, float64(y), draw.Left, draw.Text)
		x += w + space
	}
	return used
}

// part draws the panel beside a part of the board: the card of the seat to move
// or of a winner, the place of the part, and the scores.
func (n *panel) part(c *draw.Canvas, s imaging.Scene, p *rings.Position, window image.Rectangle) {
	y := cardTop
	if seat := foremost(s, p); seat != engine.Nobody {
		n.seat(c, y, s, p, seat)
		y += cardPitch
	}
	y = n.overview.draw(c, y+px(0.6), p, window) + px(1.6)
	for i := range p.Seats() {
		x := panelX + 26 + i%2*(panelWidth/2)
		if i > 0 && i%2 == 0 {
			y += px(1.6)
		}
		n.score(c, x, y, p, engine.Seat(i+1))
	}
	n.below(c, y+px(2.2), s)
}

func (n *panel) score(c *draw.Canvas, x, y int, p *rings.Position, seat engine.Seat) {
	with := draw.Text
	if p.Retired(seat) {
		with = draw.Dim
	}
	c.Stamp(n.small[seat-1], x, y, draw.Seat(colourOf(seat)))
	score := strconv.Itoa(p.Score(seat))
	n.notation.Write(c, score, float64(x+24), float64(y), draw.Left, with)
	if sign := n.sign(draw.Waiting, p, seat); sign != nil {
		c.Stamp(sign, x+24+int(n.notation.Width("00"))+20, y, with)
	}
}

// foremost returns the seat whose card stands beside a quarter of the board:
// the seat to move or the first winner, Nobody after a draw.
func foremost(s imaging.Scene, p *rings.Position) engine.Seat {
	if end := s.Ending(); end != nil {
		if len(end.Winners) == 0 {
			return engine.Nobody
		}
		return slices.Min(end.Winners)
	}
	return p.Seat()
}
