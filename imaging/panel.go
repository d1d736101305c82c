package imaging

import (
	"image"

	"castellan/engine"

	"github.com/fogleman/gg"
)

// panel is the column at the right of a board: a card for every seat and what
// the game shows below it.
type panel struct {
	unit
	x, width    int // of the cards
	height      int // of a card
	left, right int // edges of what the panel shows, cards' contents too

	names, notation, numbers *face

	card   *mask           // a card's ground, anchored at its upper left
	mark   [6]*mask        // by colour, about the anchor
	arrow  [headings]*mask // about the anchor
	hollow [headings]*mask // arrows of which there are none
	signs  [drew + 1]*mask // of standings, at a card's right; nil for none
}

// newPanel fits a panel to a picture with boards of 27.2u.
func newPanel(u unit, t *typeface) *panel {
	p := &panel{
		unit: u,
		x:    u.px(30), width: u.px(9.33), height: u.px(1.93),
		names:    t.face(u.px(nameCapital)),
		notation: t.face(u.px(notationCapital)),
		numbers:  t.face(u.px(numberCapital)),
	}
	pad := u.px(0.43)
	p.left, p.right = p.x+pad, p.x+p.width-pad
	w, h := float64(p.width), float64(p.height)
	p.card = paint(image.Rect(0, 0, p.width, p.height), func(dc *gg.Context) {
		dc.DrawRoundedRectangle(0, 0, w, h, 0.27*float64(u))
		dc.Fill()
	})
	r := p.radius()
	for i := range p.mark {
		p.mark[i] = paint(around(0, 0, 1.5*r), func(dc *gg.Context) {
			fillMark(dc, engine.Blue+engine.Colour(i), 0, 0, r)
		})
	}
	for h := range heading(headings) {
		p.arrow[h] = paint(around(0, 0, 1.1*r), func(dc *gg.Context) { fillArrow(dc, 0, 0, 1.1*r, h) })
		p.hollow[h] = paint(around(0, 0, 1.1*r), func(dc *gg.Context) {
			fillOutline(dc, arrow(0, 0, 1.1*r, h), 0.1*float64(u))
		})
	}
	// The arrow's middle lies towards its tip.
	p.signs[toMove] = paint(around(0, 0, 1.5*r), func(dc *gg.Context) { fillArrow(dc, 0.1*r, 0, 0.9*r, leftward) })
	p.signs[won] = paint(around(0, 0, 1.5*r), func(dc *gg.Context) { fillCrown(dc, 0, 0, 1.8*r) })
	p.signs[drew] = paint(around(0, 0, 1.5*r), func(dc *gg.Context) {
		for _, y := range []float64{-0.6 * r, 0.2 * r} {
			dc.DrawRectangle(-0.8*r, y, 1.6*r, 0.4*r)
			dc.Fill()
		}
	})
	return p
}

// radius is r of the marks in the panel, in pixels.
func (p *panel) radius() float64 { return 0.5 * float64(p.unit) }

// markX is where the middle of a mark at the left edge is.
func (p *panel) markX() int { return p.left + p.px(0.5) }

// nameX is where a name starts.
func (p *panel) nameX() int { return p.left + p.px(1.43) }

// nameRoom is how wide a name can be, in pixels. It leaves room for the sign
// of a standing always, so that a name is not cut anew every turn.
func (p *panel) nameRoom() float64 { return float64(p.right - p.px(0.92) - p.nameX()) }

// seat draws a seat's card with its upper edge at y: mark, name, and a sign
// of its standing. The card of who is to move, or has won, has his colour.
func (p *panel) seat(c *canvas, y int, colour engine.Colour, name string, s standing) {
	own := seatRole(colour)
	ground, shape, letters := cell, own, text
	if s == toMove || s == won {
		ground, shape, letters = own, ink, ink
	}
	c.stamp(p.card, p.x, y, ground)
	m := y + p.height/2
	c.stamp(p.mark[colour-engine.Blue], p.markX(), m, shape)
	p.names.write(c, name, float64(p.nameX()), float64(m), left, letters)
	if sign := p.signs[s]; sign != nil {
		c.stamp(sign, p.right-p.px(0.38), m, letters)
	}
}

// lineEnd writes a line of notation at the left edge and gives where what
// follows it may start.
func (p *panel) lineEnd(c *canvas, f *face, s string, y int, with role) int {
	f.write(c, s, float64(p.left), float64(y), left, with)
	return p.left + int(f.width(s)+0.5)
}
