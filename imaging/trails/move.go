package trails

import (
	"image"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// Moving implements imaging.Mover: the head goes to its target, and the road grows
// behind it.
func (k *set) Moving(s imaging.Scene, p *trails.Position, a engine.Action) func(*draw.Canvas, float64) {
	seat := p.Seat()
	next, err := p.Apply(a)
	if err != nil || seat == engine.Nobody {
		return nil
	}
	after := next.(*trails.Position)
	from, to := k.corner(p.Head(seat)), k.corner(after.Head(seat))
	inner := k.Grid.Inner()
	cell := image.Rect(0, 0, inner, inner)
	return func(c *draw.Canvas, share float64) {
		at := draw.Between(from, to, share)
		// The road is there from the cell that it leaves to the middle of the head.
		middle := at.Add(image.Pt(inner/2, inner/2))
		grown := cell.Add(from).Union(image.Rect(middle.X, middle.Y, middle.X+1, middle.Y+1))
		k.Clear(c)
		k.board(c, s, p, nil)
		part := c.Within(grown.Intersect(c.Rect))
		k.Clear(part)
		k.board(part, s, after, nil)
		k.heads(c, s, p, seat)
		c.Put(k.of[seat-1].head, at.X, at.Y)
		k.panel(c, s, p)
	}
}
