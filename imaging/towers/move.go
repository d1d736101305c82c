package towers

import (
	"image"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// importHeight is the height in cells from which pawns out of the reserve drop.
const importHeight = 1.0

// Moving implements imaging.Mover: a piece slides from square to square, and pawns out
// of the reserve drop on the master.
func (k *set) Moving(s imaging.Scene, p *towers.Position, action engine.Action) func(*draw.Canvas, float64) {
	a, ok := action.(towers.Action)
	next, err := p.Apply(action)
	if !ok || err != nil {
		return nil
	}
	if s.Side == seats[1] {
		k = k.turned()
	}
	after := next.(*towers.Position)
	moving, stays := towers.Tower{Owner: p.Seat(), Height: 1}, p.At
	var from, to image.Point
	switch a.Kind() {
	case towers.Move, towers.TakeOut:
		from, to = k.Grid.Corner(a.From().X, a.From().Y), k.Grid.Corner(a.To().X, a.To().Y)
		if a.Kind() == towers.Move {
			moving = p.At(a.From())
		}
		stays = func(at towers.Square) towers.Tower {
			if at == a.From() {
				return after.At(at)
			}
			return p.At(at)
		}
	case towers.Import:
		at, ok := p.Master(p.Seat())
		if !ok {
			return nil
		}
		to = k.Grid.Corner(at.X, at.Y)
		from = to.Sub(image.Pt(0, int(k.Grid.Length(importHeight))))
		moving.Height = a.Count()
	default:
		return nil
	}
	return func(c *draw.Canvas, share float64) {
		k.Clear(c)
		k.recent(c, s)
		k.board(c, p.Size(), stays, func(towers.Square) bool { return false }, nil)
		k.turnMarks(c, s, p)
		k.tower(c, draw.Between(from, to, share), moving, false)
		k.panel(c, s, p)
	}
}
