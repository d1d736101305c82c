package stonetowers

import (
	"image"

	"castellan/engine"
	"castellan/engine/stonetowers"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// dropHeight is the height in cells from which a castle drops.
const dropHeight = 0.8

// Moving implements imaging.Mover: a castle drops on its square.
func (k *set) Moving(s imaging.Scene, p *stonetowers.Position, action engine.Action) func(*draw.Canvas, float64) {
	a, ok := action.(stonetowers.Action)
	seat := p.Seat()
	if !ok || a.Kind == stonetowers.Pass || seat == engine.Nobody {
		return nil
	}
	castle := k.castles[seat-1][p.Level(a.Square)+1]
	to := k.corner(a.Square)
	from := to.Sub(image.Pt(0, int(k.Grid.Length(dropHeight))))
	return func(c *draw.Canvas, share float64) {
		k.Clear(c)
		k.squares(c, p)
		at := draw.Between(from, to, share)
		c.Put(castle, at.X, at.Y)
		k.panel.draw(c, s, p, nil)
	}
}
