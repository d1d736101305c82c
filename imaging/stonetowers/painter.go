// Package stonetowers draws Stone Towers.
package stonetowers

import (
	"image"
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

// design lists tints, castles and signs on cells, castles, flags and dog-ears on
// tints, ink and signs on castles, cards and text on the background.
func design() draw.Design {
	blue, red := draw.Seat(engine.Blue), draw.Seat(engine.Red)
	bluish, reddish := draw.Tint(engine.Blue), draw.Tint(engine.Red)
	return draw.Design{Over: map[draw.Role][]draw.Role{
		draw.Background: {draw.Cell, draw.Line, draw.Text, draw.Dim, draw.Mark, draw.Neutral, blue, red, bluish, reddish},
		draw.Cell:       {draw.Line, draw.Text, draw.Mark, draw.Neutral, blue, red, bluish, reddish},
		bluish:          {blue, red, draw.Neutral, draw.Mark, draw.Background},
		reddish:         {blue, red, draw.Neutral, draw.Mark, draw.Background},
		blue:            {draw.Ink, draw.Mark, draw.Background},
		red:             {draw.Ink, draw.Mark, draw.Background},
	}}
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

func (k *set) squares(c *draw.Canvas, p *stonetowers.Position) {
	for x := range p.Width() {
		for y := range p.Height() {
			s := stonetowers.Square{X: x, Y: y}
			sprite := k.unowned
			if owner := p.Owner(s); owner != engine.Nobody {
				sprite = k.of[owner-1][p.Level(s)]
			}
			at := k.corner(s)
			c.Copy(sprite, at.X, at.Y)
		}
	}
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
// of its former owner, and brackets around the square of the action.
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
		at := image.Pt(t.action.Square.X, t.action.Square.Y)
		k.Grid.Brackets(c, at, at)
	}
}

func roleOf(seat engine.Seat) draw.Role {
	if seat == engine.Nobody {
		return draw.Neutral
	}
	return draw.Seat(colours[seat-1])
}

// legal marks where the seat to move can build and fortify: an unowned square
// has a ring, a square of the seat's own a plus. A picked file is framed, and
// each legal square in it shows the number of its rank.
//
// Small cells have a plus in a picked file only, because it would be lost among
// the tiles: all of a seat's squares are legal except castles of level 3, which
// can be recognised by their numerals.
func (k *set) legal(c *draw.Canvas, s imaging.Scene, p *stonetowers.Position) {
	if len(s.Picked) > 0 {
		k.picked(c, s, p)
		return
	}
	if !s.Legal {
		return
	}
	for _, a := range p.Legal() {
		a := a.(stonetowers.Action)
		if a.Kind == stonetowers.Pass {
			continue
		}
		at := k.corner(a.Square)
		if p.Owner(a.Square) == engine.Nobody {
			c.Copy(k.offered, at.X, at.Y)
		} else if !k.small {
			k.plus.Put(c, at.X, at.Y)
		}
	}
}

// Locate returns the square to build on or fortify.
func (k *set) Locate(_ *stonetowers.Position, action engine.Action, _ int) (area image.Rectangle, steps int, ok bool) {
	a, ok := action.(stonetowers.Action)
	if !ok || a.Kind == stonetowers.Pass {
		return area, 0, false
	}
	return k.Grid.Square(a.Square.X, a.Square.Y), len(a.Steps()), true
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
	// Sprites fill a cell: they come before the frame, and signs after it.
	for _, s := range in {
		if p.Owner(s) == engine.Nobody {
			sprite, at := k.empty, k.corner(s)
			if k.small {
				sprite = k.offered
			}
			c.Copy(sprite, at.X, at.Y)
		}
	}
	k.Grid.Frame(c, image.Pt(in[0].X, 0), image.Pt(in[0].X, p.Height()-1), pickedFileLine)
	for _, s := range in {
		k.number(c, s, p.Owner(s) == engine.Nobody)
	}
}

// number marks a legal square of the picked file with the number of its rank, in
// a ring on an unowned square and in a tag elsewhere. Small cells have the ring
// of the sprite or a plus instead.
func (k *set) number(c *draw.Canvas, s stonetowers.Square, unowned bool) {
	at, number := k.corner(s), strconv.Itoa(s.Y+1)
	switch {
	case k.small && !unowned:
		k.plus.Put(c, at.X, at.Y)
	case k.small:
	case unowned:
		k.ring.Put(c, at.X, at.Y)
		k.ringNumber.Write(c, number, float64(at.X)+k.Grid.Centre(), float64(at.Y)+k.Grid.Centre(), draw.Middle, draw.Mark)
	default:
		k.tag.Put(c, at.X, at.Y)
		k.tagNumber.Write(c, number, float64(at.X)+k.tagX, float64(at.Y)+k.tagY, draw.Middle, draw.Background)
	}
}
