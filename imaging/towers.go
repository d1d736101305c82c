package imaging

import (
	"fmt"
	"image"
	"slices"
	"strconv"

	"castellan/engine"
	"castellan/engine/towers"
)

// Towers is the painter of Towers.
func Towers() Painter { return towersPainter{} }

type towersPainter struct{}

func (towersPainter) Key() string { return towers.Key }

// design is what lies on what: pieces, hatches and signs on cells, ink and
// signs on pieces, pieces and signs on hatches, cards and writing on the
// background.
func (towersPainter) design() design {
	blue, red := seatRole(engine.Blue), seatRole(engine.Red)
	return design{
		background: {cell, line, text, dim, mark, blue, red},
		cell:       {line, text, mark, blue, red},
		line:       {mark, blue, red},
		blue:       {ink, mark},
		red:        {ink, mark},
		ink:        {mark, background},
	}
}

// towersFormat is the number of cells along an edge.
type towersFormat int

func (towersPainter) format(p engine.Position) (any, error) {
	pos, ok := p.(*towers.Position)
	if !ok {
		return nil, fmt.Errorf("imaging: a position of towers was expected, not a %T", p)
	}
	return towersFormat(pos.Size()), nil
}

func (towersPainter) kit(l look, format any) kit {
	return newTowersKit(l, newGrid(boardUnit, int(format.(towersFormat)), l.WholeLines))
}

// seatsOfTowers is both seats.
var seatsOfTowers = [...]engine.Seat{1, 2}

func (k *towersKit) blank() *canvas {
	w, h := k.grid.bounds()
	return newCanvas(k.palette, w, h)
}

func (k *towersKit) paint(c *canvas, s Scene) {
	p := s.Position.(*towers.Position)
	copy(c.Pix, k.ground.Pix)
	k.board(c, p)
	k.turnMarks(c, s, p)
	k.locks(c, p)
	if s.Legal && p.Seat() != engine.Nobody && s.outcome() == nil {
		k.legal(c, s, p)
	}
	k.side(c, s, p)
}

// point is a square as grids count cells.
func point(s towers.Square) image.Point { return image.Pt(s.X, s.Y) }

// eachTower calls do for every square of a position.
func eachTower(p *towers.Position, do func(at towers.Square, t towers.Tower)) {
	for y := range p.Size() {
		for x := range p.Size() {
			at := towers.Square{X: x, Y: y}
			do(at, p.At(at))
		}
	}
}

// board draws the towers and the hatches of locked squares.
func (k *towersKit) board(c *canvas, p *towers.Position) {
	eachTower(p, func(at towers.Square, t towers.Tower) {
		corner, locked := k.grid.corner(at.X, at.Y), p.Locked(at)
		if locked {
			c.stamp(k.hatch, corner.X, corner.Y, line)
		}
		if t.Owner == engine.Nobody {
			return
		}
		piece := k.piece(t)
		if !locked {
			c.copy(piece.sprite, corner.X, corner.Y)
		} else {
			for _, l := range piece.layers {
				c.stamp(l.mask, corner.X, corner.Y, l.role)
			}
		}
		if t.Height > 1 {
			k.height(c, corner, t)
		}
	})
}

// piece is what a tower looks like, but for its height.
func (k *towersKit) piece(t towers.Tower) *towersPiece {
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

// height writes how high a tower is, below the crown if it has one.
func (k *towersKit) height(c *canvas, corner image.Point, t towers.Tower) {
	f, down := k.numeral, -towerUp
	if t.Master {
		f, down = k.crowned, numeralDown
	}
	m := k.grid.centre()
	f.write(c, strconv.Itoa(t.Height), float64(corner.X)+m, float64(corner.Y)+m+k.grid.length(down), middle, ink)
}

// turnMarks shows the actions of the marked turn: a path for whatever moved,
// and brackets where it or imported pawns are now.
func (k *towersKit) turnMarks(c *canvas, s Scene, p *towers.Position) {
	if len(s.Turn.Actions) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seatsOfTowers) {
		return
	}
	marked := map[towers.Square]bool{}
	bracket := func(at towers.Square) {
		if !marked[at] && p.At(at).Owner == s.Turn.Seat {
			marked[at] = true
			k.grid.brackets(c, point(at), point(at))
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
			k.grid.path(c, k.paths, point(a.From()), point(a.To()), stays)
		}
	}
}

// locks puts the padlocks over everything that the turn is marked by.
func (k *towersKit) locks(c *canvas, p *towers.Position) {
	eachTower(p, func(at towers.Square, _ towers.Tower) {
		if p.Locked(at) {
			corner := k.grid.corner(at.X, at.Y)
			k.padlock.put(c, corner.X, corner.Y)
		}
	})
}

// towersTarget is a square that a picked tower can reach.
type towersTarget struct {
	at   towers.Square
	cost int
}

// legal shows what can be picked next: the towers that can act or, once one is
// picked, the squares that it reaches and what that costs.
func (k *towersKit) legal(c *canvas, s Scene, p *towers.Position) {
	if len(s.Picked) == 0 {
		acting := map[towers.Square]bool{}
		for _, a := range p.Legal() {
			a := a.(towers.Action)
			if a.Kind() != towers.Move && a.Kind() != towers.TakeOut || acting[a.From()] {
				continue
			}
			acting[a.From()] = true
			at := k.grid.corner(a.From().X, a.From().Y)
			if t := p.At(a.From()); t.Height == 1 && !t.Master {
				k.act[0].put(c, at.X, at.Y)
			} else {
				k.act[1].put(c, at.X, at.Y)
			}
		}
		return
	}
	at, targets := pickedInTowers(p, s.Picked)
	for _, t := range targets {
		k.reach(c, p, t)
	}
	if at != nil {
		k.grid.frame(c, at.X, at.Y)
	}
	for _, t := range targets {
		k.price(c, p, t)
	}
}

// pickedInTowers is the square that steps have picked, nil if none, and where
// the tower there can go. Where both the whole tower and a pawn out of it could
// go the tower comes first: the pawn is asked for by a step of its own.
func pickedInTowers(p *towers.Position, picked []string) (*towers.Square, []towersTarget) {
	var at *towers.Square
	var targets []towersTarget
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
		targets = append(targets, towersTarget{to, cells})
	}
	return at, targets
}

// reach draws the ring of a target.
func (k *towersKit) reach(c *canvas, p *towers.Position, t towersTarget) {
	at := k.grid.corner(t.at.X, t.at.Y)
	if p.At(t.at).Owner == engine.Nobody {
		k.target.put(c, at.X, at.Y)
	} else {
		k.onPiece.put(c, at.X, at.Y)
	}
}

// price writes what a target costs, in its ring or in a tag.
func (k *towersKit) price(c *canvas, p *towers.Position, t towersTarget) {
	at, m := k.grid.corner(t.at.X, t.at.Y), k.grid.centre()
	cost := strconv.Itoa(t.cost)
	size := min(len(cost), len(k.cost)) - 1
	if p.At(t.at).Owner == engine.Nobody {
		k.cost[size].write(c, cost, float64(at.X)+m, float64(at.Y)+m, middle, mark)
		return
	}
	k.tag.put(c, at.X, at.Y)
	k.tagCost[size].write(c, cost, float64(at.X)+k.tagX, float64(at.Y)+k.tagY, middle, background)
}
