package rings

import (
	"image"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// dropHeight is the height from which a stone drops, in radii of a circle.
const dropHeight = 0.9

// Moving implements imaging.Mover: a stone drops on its point, and a ring closes from
// above, where stones change hands as it reaches them.
func (k *set) Moving(s imaging.Scene, p *rings.Position, action engine.Action) func(*draw.Canvas, float64) {
	a, ok := action.(rings.Action)
	next, err := p.Apply(action)
	if !ok || err != nil || a.Kind != rings.Place && a.Kind != rings.Convert {
		return nil
	}
	v, m := k.whole, marksOf(s, p)
	board := func(c *draw.Canvas, p *rings.Position) {
		c.Copy(k.ground, 0, 0)
		v.pieces(c, p, m)
		if v.named() {
			v.labels(c, p, k.ground.Rect)
		}
	}
	if a.Kind == rings.Place {
		to := v.at(a.Point)
		from, stone := to.Sub(image.Pt(0, v.px(dropHeight))), v.stone[p.Seat()-1].form
		return func(c *draw.Canvas, share float64) {
			board(c, p)
			v.signs(c, p, m)
			at := draw.Between(from, to, share)
			c.Put(stone, at.X, at.Y)
			k.panel.draw(c, s, p)
		}
	}
	after := next.(*rings.Position)
	at, far := v.centre(v.circles[a.Circle-1]), v.px(1+ringWidth+stoneRadius)
	return func(c *draw.Canvas, share float64) {
		board(c, p)
		board(c.Within(image.Rect(at.X-far, at.Y-far, at.X+far, at.Y-far+int(2*share*float64(far))).Intersect(c.Rect)), after)
		v.signs(c, p, m)
		k.panel.draw(c, s, p)
	}
}
