// Package towers draws Towers.
package towers

import (
	"image"
	"math"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/towers"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// Painter returns the painter of Towers.
func Painter() imaging.Painter {
	size := func(p *towers.Position) int { return p.Size() }
	return imaging.NewPainter(towers.Key, design(), size, newSet)
}

// design lists hatches and signs on squares and pieces, and the crown.
func design() draw.Design {
	d := draw.BoardDesign(engine.Blue, engine.Red)
	for _, ground := range []draw.Role{draw.Cell, draw.CellDark, draw.Recent, draw.RecentDark} {
		d.Lay(ground, draw.Line, draw.Mark, draw.Background)
	}
	d.Lay(draw.Background, draw.Mark)
	d.Lay(draw.Mark, draw.Background)
	d.Lay(draw.Gold, draw.Ink)
	return d
}

// seats lists both seats.
var seats = [...]engine.Seat{1, 2}

func (k *set) Paint(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	if s.Side == seats[1] {
		k = k.turned()
	}
	k.Clear(c)
	k.recent(c, s)
	locked := p.Locked
	if s.Ending() != nil { // locks mean nothing any more
		locked = func(towers.Square) bool { return false }
	}
	legal := s.Legal && p.Seat() != engine.Nobody && s.Ending() == nil
	var acting map[towers.Square]bool
	if legal && len(s.Picked) == 0 {
		acting = actingTowers(p)
	}
	k.board(c, p.Size(), p.At, locked, acting)
	k.turnMarks(c, s, p)
	k.locks(c, p, locked)
	if legal && len(s.Picked) > 0 {
		k.legal(c, s, p)
	}
	k.panel(c, s, p)
}

// point returns a square as the grid counts cells.
func point(s towers.Square) image.Point { return image.Pt(s.X, s.Y) }

func eachSquare(size int, do func(towers.Square)) {
	for y := range size {
		for x := range size {
			do(towers.Square{X: x, Y: y})
		}
	}
}

// board draws the pieces, the highest rank first, so that high stacks hide
// nothing.
func (k *set) board(c *draw.Canvas, size int, tower func(towers.Square) towers.Tower, isLocked func(towers.Square) bool, acting map[towers.Square]bool) {
	eachSquare(size, func(at towers.Square) {
		corner := k.Grid.Corner(at.X, at.Y)
		if isLocked(at) {
			c.Stamp(k.hatch, corner.X, corner.Y, draw.Line)
		}
		k.tower(c, corner, tower(at), acting[at])
	})
}

// tower draws a piece, with its height if it is higher than one pawn.
func (k *set) tower(c *draw.Canvas, corner image.Point, t towers.Tower, acts bool) {
	if t.Owner == engine.Nobody {
		return
	}
	l := lookOf(t, acts)
	c.Put(k.sprite(l), corner.X, corner.Y)
	if t.Height > 1 {
		k.height(c, corner, t, l)
	}
}

// height writes the height of a tower on its face, below the crown if it has one.
func (k *set) height(c *draw.Canvas, corner image.Point, t towers.Tower, l look) {
	f, down := k.number, l.face()
	if t.Master {
		f, down = k.crowned, l.face()+numberDown
	}
	m := k.Grid.Centre()
	f.Write(c, strconv.Itoa(t.Height), float64(corner.X)+m, float64(corner.Y)+m+k.Grid.Length(down), draw.Middle, draw.Ink)
}

// actingTowers returns the squares with towers that can move or give a pawn.
func actingTowers(p *towers.Position) map[towers.Square]bool {
	acting := map[towers.Square]bool{}
	for _, a := range p.Legal() {
		if a := a.(towers.Action); a.Kind() == towers.Move || a.Kind() == towers.TakeOut {
			acting[a.From()] = true
		}
	}
	return acting
}

// marked returns the actions of the marked turn that have a place on the board.
func marked(s imaging.Scene) []towers.Action {
	if s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seats) {
		return nil
	}
	var all []towers.Action
	for _, action := range s.Turn.Actions {
		if a, ok := action.(towers.Action); ok {
			all = append(all, a)
		}
	}
	return all
}

// recent lights the squares of the marked turn.
func (k *set) recent(c *draw.Canvas, s imaging.Scene) {
	for _, a := range marked(s) {
		if a.Kind() == towers.Move || a.Kind() == towers.TakeOut {
			k.Grid.Recent(c, a.From().X, a.From().Y)
			k.Grid.Recent(c, a.To().X, a.To().Y)
		}
	}
}

// turnMarks draws a path for each tower that has moved in the marked turn, with
// the order if there are several, and a ring around the master after an import.
func (k *set) turnMarks(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	var moves []towers.Action
	for _, a := range marked(s) {
		switch a.Kind() {
		case towers.Import:
			if at, ok := p.Master(s.Turn.Seat); ok && s.Turn.Open {
				corner := k.Grid.Corner(at.X, at.Y)
				k.onPiece.Put(c, corner.X, corner.Y)
			}
		case towers.Move, towers.TakeOut:
			moves = append(moves, a)
		}
	}
	for i, a := range moves {
		stays := p.At(a.From()).Owner != engine.Nobody
		k.path(c, a.From(), a.To(), stays)
		if len(moves) > 1 {
			corner := k.Grid.Corner(a.To().X, a.To().Y)
			k.order.Put(c, corner.X, corner.Y)
			k.orders.Write(c, strconv.Itoa(i+1), float64(corner.X)+k.orderX, float64(corner.Y)+k.orderX, draw.Middle, draw.Background)
		}
	}
}

func (k *set) locks(c *draw.Canvas, p *towers.Position, isLocked func(towers.Square) bool) {
	eachSquare(p.Size(), func(at towers.Square) {
		if isLocked(at) {
			corner := k.Grid.Corner(at.X, at.Y)
			k.padlock.Put(c, corner.X, corner.Y)
		}
	})
}

// target is a square that a picked tower can reach.
type target struct {
	at   towers.Square
	cost int
}

// legal frames the picked tower and marks the squares that it reaches, with the
// cost in move points.
func (k *set) legal(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	at, targets := picked(p, s.Picked)
	for _, t := range targets {
		k.reach(c, p, t)
	}
	if at != nil {
		box := k.Grid.Around(point(*at), point(*at))
		c.Frame(box, max(4, int(math.Round(k.Grid.Length(0.085)))), int(k.Grid.KeyLine()))
	}
	for _, t := range targets {
		k.cost(c, p, t)
	}
}

// picked returns the square that steps have picked, nil for none, and where its
// tower can go. If both the whole tower and a pawn out of it can go somewhere,
// it returns the targets of the tower: the pawn has a step of its own.
func picked(p *towers.Position, picked []string) (*towers.Square, []target) {
	var at *towers.Square
	var targets []target
	whole := false
	for _, action := range p.Legal() {
		a := action.(towers.Action)
		steps := a.Steps()
		if len(steps) < len(picked) || !slices.Equal(steps[:len(picked)], picked) {
			continue
		}
		from, to := a.From(), a.To()
		switch a.Kind() {
		case towers.Import:
			if m, ok := p.Master(p.Seat()); ok {
				at = &m
			}
			continue
		case towers.End:
			continue
		case towers.Move:
			whole = true
		case towers.TakeOut:
			if whole {
				continue
			}
		}
		at = &from
		cells := max(to.X-from.X, from.X-to.X, to.Y-from.Y, from.Y-to.Y)
		if a.Kind() == towers.Move {
			cells *= p.At(from).Height
		}
		targets = append(targets, target{to, cells})
	}
	return at, targets
}

func (k *set) reach(c *draw.Canvas, p *towers.Position, t target) {
	at := k.Grid.Corner(t.at.X, t.at.Y)
	if p.At(t.at).Owner == engine.Nobody {
		k.target.Put(c, at.X, at.Y)
	} else {
		k.onPiece.Put(c, at.X, at.Y)
	}
}

// cost writes the cost of a target in its ring or in a tag.
func (k *set) cost(c *draw.Canvas, p *towers.Position, t target) {
	at, m := k.Grid.Corner(t.at.X, t.at.Y), k.Grid.Centre()
	cost := strconv.Itoa(t.cost)
	size := min(len(cost), len(k.costs)) - 1
	if p.At(t.at).Owner == engine.Nobody {
		k.costs[size].Write(c, cost, float64(at.X)+m, float64(at.Y)+m, draw.Middle, draw.Mark)
		return
	}
	k.tag.Put(c, at.X, at.Y)
	k.tagCosts[size].Write(c, cost, float64(at.X)+k.tagX, float64(at.Y)+k.tagY, draw.Middle, draw.Background)
}
