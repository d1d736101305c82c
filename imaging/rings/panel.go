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

// panel is what stands below the board: the marked turns, and the name plates
// with the scores.
type panel struct {
	*draw.Plates
	passed  *draw.Mask // two bars
	retired *draw.Mask // a cross
	free    *draw.Mask // an empty point

	overview overviewMap
}

func newPanel(l draw.Style, f format) *panel {
	n := &panel{Plates: draw.NewPlates(l, f.seats, height)}
	const r = 0.5 * unit
	box := draw.Around(0, 0, 1.5*r)
	n.passed = draw.NewMask(box, func(dc *gg.Context) {
		for _, x := range []float64{-0.55 * r, 0.15 * r} {
			dc.DrawRectangle(x, -0.75*r, 0.4*r, 1.5*r)
			dc.Fill()
		}
	})
	n.retired = draw.NewMask(box, func(dc *gg.Context) { draw.FillCross(dc, 0, 0, 0.85*r, 0.32*r) })
	n.free = draw.NewMask(box, func(dc *gg.Context) { draw.FillRing(dc, 0, 0, 0.8*r, 0.36*r) })
	n.overview = newOverviewMap(f.side, n.Bottom-height-px(0.5))
	return n
}

// draw draws the panel below the whole board.
func (n *panel) draw(c *draw.Canvas, s imaging.Scene, p *rings.Position) {
	end := n.Line().Max.X
	for i := range p.Seats() {
		seat := engine.Seat(i + 1)
		n.Draw(c, n.plate(s, p, seat))
		if s.Clock(seat) > 0 && p.Seats() > 2 {
			end -= px(9.8)
		}
	}
	if !s.Captioned {
		n.turns(c, n.left(c, end, p), s)
	}
}

// left writes how many points are empty, so that people see how far the match has
// come. It returns where that begins.
func (n *panel) left(c *draw.Canvas, end int, p *rings.Position) int {
	number := strconv.Itoa(p.EmptyCount())
	n.Notation.Write(c, number, float64(end), float64(n.Y()), draw.Right, draw.Dim)
	x := end - int(n.Notation.Width(number)) - px(0.75)
	c.Stamp(n.free, x, n.Y(), draw.Dim)
	return x - px(1)
}

func (n *panel) plate(s imaging.Scene, p *rings.Position, seat engine.Seat) draw.NamePlate {
	return draw.NamePlate{
		Seat: seat, Colour: colourOf(seat), Names: s.Names, Standing: s.Standing(seat), Left: s.Clock(seat),
		Score: strconv.Itoa(p.Score(seat)), Sign: n.sign(s.Standing(seat), p, seat), Faded: p.Retired(seat),
	}
}

// sign returns the sign before the score of a seat, nil for that of its standing.
func (n *panel) sign(standing draw.Standing, p *rings.Position, seat engine.Seat) *draw.Mask {
	switch {
	case standing == draw.Won, standing == draw.Drawn:
		return nil
	case p.Retired(seat):
		return n.retired
	case p.Passed(seat):
		return n.passed
	}
	return nil
}

// turns writes the marked turns in one line that ends before a point. Of too many
// it writes the last.
func (n *panel) turns(c *draw.Canvas, end int, s imaging.Scene) {
	marked := s.Marked()
	for len(marked) > 1 && len(marked)*px(6) > end {
		marked = marked[1:]
	}
	x := n.Line().Min.X
	for i, t := range marked {
		x = n.turn(c, x, x+(end-x)/(len(marked)-i), t) + px(0.8)
	}
}

// turn writes a turn from x on: its number, the mark of its seat, and its actions
// except the end. It returns where it ends.
func (n *panel) turn(c *draw.Canvas, x, end int, t imaging.Turn) int {
	var tokens []string
	for _, a := range t.Actions {
		if token := a.String(); token != engine.End {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) == 0 || t.Seat < 1 || int(t.Seat) > len(n.Mark) {
		return x
	}
	x = n.TurnAt(c, x, t.Number, colourOf(t.Seat))
	return n.Words(c, tokens, x, end, draw.Text)
}

// part draws the panel below a part of the board: the plate of the seat to move
// or of a winner, the place of the part, and the scores.
func (n *panel) part(c *draw.Canvas, s imaging.Scene, p *rings.Position, window image.Rectangle) {
	mapX := n.Line().Max.X - n.overview.size.X
	n.overview.draw(c, image.Pt(mapX+n.overview.size.X/2, (height+n.Bottom)/2), p, window)
	end := mapX - px(0.8)
	if seat := foremost(s, p); seat != engine.Nobody {
		plate := n.plate(s, p, seat)
		plate.ClockX = end
		n.DrawAt(c, 0, plate)
		if plate.Left > 0 && p.Seats() > 2 {
			end -= px(9)
		}
	}
	const columns = 3
	first := n.Place(0).Max.X + px(1.2)
	for i := range p.Seats() {
		x, y := first+i%columns*(mapX-first)/columns, n.Place(0).Min.Y+px(0.9)+i/columns*px(1.7)
		n.score(c, x, y, p, engine.Seat(i+1))
	}
	if !s.Captioned {
		n.turns(c, end, s)
	}
}

func (n *panel) score(c *draw.Canvas, x, y int, p *rings.Position, seat engine.Seat) {
	with := draw.Text
	if p.Retired(seat) {
		with = draw.Dim
	}
	c.Stamp(n.Mark[seat-1], x, y, draw.Seat(colourOf(seat)))
	score := strconv.Itoa(p.Score(seat))
	n.Notation.Write(c, score, float64(x+px(0.9)), float64(y), draw.Left, with)
	if sign := n.sign(draw.Waiting, p, seat); sign != nil {
		c.Stamp(sign, x+px(1.6)+int(n.Notation.Width("00")), y, with)
	}
}

// foremost returns the seat whose plate stands below a part of the board: the
// seat to move or the first winner, Nobody after a draw.
func foremost(s imaging.Scene, p *rings.Position) engine.Seat {
	if end := s.Ending(); end != nil {
		if len(end.Winners) == 0 {
			return engine.Nobody
		}
		return slices.Min(end.Winners)
	}
	return p.Seat()
}

// Points implements imaging.Scorer.
func (k *set) Points(p *rings.Position, seat engine.Seat) int { return p.Score(seat) }
