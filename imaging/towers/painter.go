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

// design lists pieces, hatches and signs on cells, ink and signs on pieces,
// pieces and signs on hatches, cards and text on the background.
func design() draw.Design {
	blue, red := draw.Seat(engine.Blue), draw.Seat(engine.Red)
	return draw.Design{Over: map[draw.Role][]draw.Role{
		draw.Background: {draw.Cell, draw.Line, draw.Text, draw.Dim, draw.Mark, blue, red},
		draw.Cell:       {draw.Line, draw.Text, draw.Mark, blue, red},
		draw.Line:       {draw.Mark, blue, red},
		blue:            {draw.Ink, draw.Mark},
		red:             {draw.Ink, draw.Mark},
		draw.Ink:        {draw.Mark, draw.Background},
	}}
}

// seats lists both seats.
var seats = [...]engine.Seat{1, 2}

func (k *set) Paint(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	if s.Side == seats[1] {
		k = k.turned()
	}
	k.Clear(c)
	locked := p.Locked
	if s.Ending() != nil { // locks mean nothing any more
		locked = func(towers.Square) bool { return false }
	}
	k.board(c, p, locked)
	k.turnMarks(c, s, p)
	k.locks(c, p, locked)
	if s.Legal && p.Seat() != engine.Nobody && s.Ending() == nil {
		k.legal(c, s, p)
	}
	k.panel(c, s, p)
}

// point returns a square as the grid counts cells.
func point(s towers.Square) image.Point { return image.Pt(s.X, s.Y) }

// eachTower calls do for each square of a position.
func eachTower(p *towers.Position, do func(at towers.Square, t towers.Tower)) {
	for y := range p.Size() {
		for x := range p.Size() {
			at := towers.Square{X: x, Y: y}
			do(at, p.At(at))
		}
	}
}

func (k *set) board(c *draw.Canvas, p *towers.Position, isLocked func(towers.Square) bool) {
	eachTower(p, func(at towers.Square, t towers.Tower) {
		corner, locked := k.Grid.Corner(at.X, at.Y), isLocked(at)
		if locked {
			c.Stamp(k.hatch, corner.X, corner.Y, draw.Line)
		}
		if t.Owner == engine.Nobody {
			return
		}
		look := k.piece(t)
		if !locked {
			c.Copy(look.sprite, corner.X, corner.Y)
		} else {
			for _, l := range look.layers {
				c.Stamp(l.mask, corner.X, corner.Y, l.role)
			}
		}
		if t.Height > 1 {
			k.height(c, corner, t)
		}
	})
}

// piece returns the look of a tower except its height.
func (k *set) piece(t towers.Tower) *pieceLook {
	own := &k.of[t.Owner-1]
	switch {
	case t.Master && t.Height > 1:
		return &own.masterTower
	case t.Master:
		return &own.master
	case t.Height > 1:
		return &own.tower
	}
	return &own.pawn
}

// height writes the height of a tower, below the crown if it has one.
func (k *set) height(c *draw.Canvas, corner image.Point, t towers.Tower) {
	f, down := k.numeral, -towerUp
	if t.Master {
		f, down = k.crowned, numeralDown
	}
	m := k.Grid.Centre()
	f.Write(c, strconv.Itoa(t.Height), float64(corner.X)+m, float64(corner.Y)+m+k.Grid.Length(down), draw.Middle, draw.Ink)
}

// turnMarks marks the actions of the marked turn: a path for each moved tower,
// and brackets around the squares where moved towers and imported pawns are
// now.
func (k *set) turnMarks(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	if len(s.Turn.Actions) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seats) {
		return
	}
	marked := map[towers.Square]bool{}
	bracket := func(at towers.Square) {
		if !marked[at] && p.At(at).Owner == s.Turn.Seat {
			marked[at] = true
			k.Grid.Brackets(c, point(at), point(at))
		}
	}
	for _, action := range s.Turn.Actions {
		a, ok := action.(towers.Action)
		if !ok {
			continue
		}
		switch a.Kind() {
		case towers.Import:
			if at, ok := p.Master(s.Turn.Seat); ok && s.Turn.Open {
				bracket(at)
			}
		case towers.Move, towers.TakeOut:
			bracket(a.To())
		}
	}
	for _, action := range s.Turn.Actions {
		if a, ok := action.(towers.Action); ok && (a.Kind() == towers.Move || a.Kind() == towers.TakeOut) {
			stays := p.At(a.From()).Owner != engine.Nobody
			k.path(c, a.From(), a.To(), stays)
		}
	}
}

func (k *set) locks(c *draw.Canvas, p *towers.Position, isLocked func(towers.Square) bool) {
	eachTower(p, func(at towers.Square, _ towers.Tower) {
		if isLocked(at) {
			corner := k.Grid.Corner(at.X, at.Y)
			k.padlock.Put(c, corner.X, corner.Y)
		}
	})
}

// Locate returns the tower to pick, then the square to go to.
func (k *set) Locate(_ *towers.Position, action engine.Action, picked int) (area image.Rectangle, steps int, ok bool) {
	a, ok := action.(towers.Action)
	switch {
	case !ok || a.Kind() != towers.Move && a.Kind() != towers.TakeOut:
		return area, 0, false
	case picked == 0:
		return k.Grid.Square(a.From().X, a.From().Y), 1, true
	case picked == len(a.Steps())-1:
		return k.Grid.Square(a.To().X, a.To().Y), picked + 1, true
	}
	return area, 0, false
}

// target is a square that a picked tower can reach.
type target struct {
	at   towers.Square
	cost int
}

// legal marks the towers that can act or, once one is picked, the squares that
// it reaches, with the cost in move points.
func (k *set) legal(c *draw.Canvas, s imaging.Scene, p *towers.Position) {
	if len(s.Picked) == 0 {
		acting := map[towers.Square]bool{}
		for _, a := range p.Legal() {
			a := a.(towers.Action)
			if a.Kind() != towers.Move && a.Kind() != towers.TakeOut || acting[a.From()] {
				continue
			}
			acting[a.From()] = true
			at := k.Grid.Corner(a.From().X, a.From().Y)
			if t := p.At(a.From()); t.Height == 1 && !t.Master {
				k.act[0].Put(c, at.X, at.Y)
			} else {
				k.act[1].Put(c, at.X, at.Y)
			}
		}
		return
	}
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
