// Package stonetowers draws Stone Towers.
package stonetowers

import (
	"image"
	"image/color"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// Painter returns the painter of Stone Towers.
func Painter() imaging.Painter {
	size := func(p *stonetowers.Position) image.Point { return image.Pt(p.Width(), p.Height()) }
	return imaging.NewPainter(stonetowers.Key, design(), size, newSet)
}

// The colours that only Stone Towers has: land on dark squares.
const (
	darkRed = draw.Custom + iota
	darkBlue
)

// design lists land, castles and signs.
func design() draw.Design {
	d := draw.BoardDesign(colours[:]...)
	for i, land := range []draw.Role{draw.Tint(engine.Red), draw.Tint(engine.Blue), darkRed, darkBlue} {
		own := draw.Seat(colours[i%2])
		d.Lay(land, own, draw.Ink, draw.Shade, draw.Mark, draw.Neutral, draw.Background, draw.Seat(colours[1-i%2]))
		d.Shaded = append(d.Shaded, land)
	}
	for _, ground := range []draw.Role{draw.Cell, draw.CellDark} {
		d.Lay(ground, draw.Neutral, draw.Dim)
	}
	d.Lay(draw.Background, draw.Mark, draw.Neutral, draw.RecentEdge)
	d.Lay(draw.Mark, draw.Background)
	d.Custom = []func(draw.Theme) color.RGBA{
		func(t draw.Theme) color.RGBA { return darkLand(t, engine.Red) },
		func(t draw.Theme) color.RGBA { return darkLand(t, engine.Blue) },
	}
	return d
}

// seats lists both seats in the order of the panel.
var seats = [...]engine.Seat{1, 2}

func (k *set) Paint(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position) {
	k.Clear(c)
	k.squares(c, p)
	turn := turnOf(s, p)
	k.lastTurn(c, turn)
	if s.Ending() == nil {
		k.legal(c, s, p)
	}
	k.panel.draw(c, s, p, turn)
}

// corner returns the anchor of sprites and signs on a square.
func (k *set) corner(at stonetowers.Square) image.Point { return k.Grid.Corner(at.X, at.Y) }

// squares draws the lands, the castles and the flags on them, and dots on squares
// of nobody.
func (k *set) squares(c *draw.Canvas, p *stonetowers.Position) {
	flags := flagSquares(p)
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			at, owner := k.corner(s), p.Owner(s)
			if owner == engine.Nobody {
				c.Stamp(k.unowned, at.X, at.Y, draw.Line)
				continue
			}
			c.Put(k.land(k.tileOf(p, s)), at.X, at.Y)
			switch level := p.Level(s); {
			case level > 0:
				c.Put(k.castles[owner-1][level], at.X, at.Y)
				k.level(c, at, level)
			case flags[s] && !k.small:
				c.Put(k.flags[owner-1], at.X, at.Y)
			default:
				c.Stamp(k.mark[owner-1], at.X, at.Y, draw.Seat(colours[owner-1]))
			}
		}
	}
}

// level writes the level of a castle on its wall.
func (k *set) level(c *draw.Canvas, at image.Point, level int) {
	m, up := k.Grid.Centre(), 0.0
	if !k.small {
		up = k.Grid.Length(numeralUp[level])
	}
	k.levels.Write(c, strconv.Itoa(level), float64(at.X)+m, float64(at.Y)+m-up, draw.Middle, draw.Ink)
}

// turn is the marked turn and its effect.
type turn struct {
	number int
	seat   engine.Seat
	action stonetowers.Action
	// flipped lists the squares that have changed hands, by the former owner:
	// element 0 is Nobody, element 1 seat 1.
	flipped   [3][]stonetowers.Square
	destroyed int // castles of the opponent
}

// turnOf returns the marked turn, nil if there is none.
func turnOf(s imaging.Scene, p *stonetowers.Position) *turn {
	if len(s.Turn.Actions) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seats) {
		return nil
	}
	a, ok := s.Turn.Actions[len(s.Turn.Actions)-1].(stonetowers.Action)
	if !ok {
		return nil
	}
	t := &turn{number: s.Turn.Number, seat: s.Turn.Seat, action: a}
	before, ok := s.Turn.Before.(*stonetowers.Position)
	if !ok || before.Width() != p.Width() || before.Height() != p.Height() {
		return t
	}
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			if had := before.Owner(s); had != p.Owner(s) {
				t.flipped[had] = append(t.flipped[had], s)
			}
		}
	}
	t.destroyed = before.CastleCount(3-t.seat) - p.CastleCount(3-t.seat)
	return t
}

// lastTurn draws a dog-ear on each square that has changed hands, in the colour
// of its former owner, and a warm frame around the square of the action.
func (k *set) lastTurn(c *draw.Canvas, t *turn) {
	if t == nil {
		return
	}
	for had, squares := range t.flipped {
		for _, s := range squares {
			at := k.corner(s)
			c.Stamp(k.ear.Key, at.X, at.Y, draw.Background)
			c.Stamp(k.ear.Form, at.X, at.Y, roleOf(engine.Seat(had)))
		}
	}
	if t.action.Kind != stonetowers.Pass {
		at := k.corner(t.action.Square)
		c.Stamp(k.recent.Key, at.X, at.Y, draw.Background)
		c.Stamp(k.recent.Form, at.X, at.Y, draw.RecentEdge)
	}
}

func roleOf(seat engine.Seat) draw.Role {
	if seat == engine.Nobody {
		return draw.Neutral
	}
	return draw.Seat(colours[seat-1])
}

// legal marks where the seat to move can build and fortify: an unowned square
// has a large dot, and the mark on a square of the seat's own has the colour of signs.
// A picked file is framed, and each legal square in it shows the number of its
// rank.
func (k *set) legal(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position) {
	if len(s.Picked) > 0 {
		k.picked(c, s, p)
		return
	}
	if !s.Legal {
		return
	}
	flags := flagSquares(p)
	for _, a := range p.Legal() {
		a := a.(stonetowers.Action)
		if a.Kind == stonetowers.Pass {
			continue
		}
		at, owner := k.corner(a.Square), p.Owner(a.Square)
		switch {
		case owner == engine.Nobody:
			c.Stamp(k.offered, at.X, at.Y, draw.Dim)
		case p.Level(a.Square) > 0 || flags[a.Square] && !k.small:
			k.fortify(c, at, owner)
		default:
			c.Stamp(k.mark[owner-1], at.X, at.Y, draw.Mark)
		}
	}
}

// fortify draws a seat's mark at the corner of a square: what stands there can be
// fortified.
func (k *set) fortify(c *draw.Canvas, at image.Point, owner engine.Seat) {
	c.Stamp(k.cornerKey[owner-1], at.X, at.Y, draw.Background)
	c.Stamp(k.cornerMark[owner-1], at.X, at.Y, draw.Mark)
}

// picked frames the picked file or, if the rank is picked too, the square.
func (k *set) picked(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position) {
	var in []stonetowers.Square // legal with the picked steps
	for _, a := range p.Legal() {
		a := a.(stonetowers.Action)
		if steps := a.Steps(); a.Kind != stonetowers.Pass && len(s.Picked) <= len(steps) && slices.Equal(steps[:len(s.Picked)], s.Picked) {
			in = append(in, a.Square)
		}
	}
	if len(in) == 0 {
		return
	}
	if len(s.Picked) > 1 {
		at := image.Pt(in[0].X, in[0].Y)
		k.Grid.Frame(c, at, at, pickedLine)
		return
	}
	k.Grid.Frame(c, image.Pt(in[0].X, 0), image.Pt(in[0].X, p.Height()-1), pickedFileLine)
	for _, s := range in {
		k.number(c, s, p.Owner(s))
	}
}

// number marks a legal square of the picked file with the number of its rank, in
// a ring on an unowned square and in a tag elsewhere. Small cells have a ring or
// a mark instead.
func (k *set) number(c *draw.Canvas, s stonetowers.Square, owner engine.Seat) {
	at, number := k.corner(s), strconv.Itoa(s.Y+1)
	switch {
	case k.small && owner != engine.Nobody:
		k.fortify(c, at, owner)
	case k.small:
		c.Stamp(k.offered, at.X, at.Y, draw.Mark)
	case owner == engine.Nobody:
		k.ring.Put(c, at.X, at.Y)
		k.ringNumber.Write(c, number, float64(at.X)+k.Grid.Centre(), float64(at.Y)+k.Grid.Centre(), draw.Middle, draw.Mark)
	default:
		k.tag.Put(c, at.X, at.Y)
		k.tagNumber.Write(c, number, float64(at.X)+k.tagX, float64(at.Y)+k.tagY, draw.Middle, draw.Background)
	}
}
