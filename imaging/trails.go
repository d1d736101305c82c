package imaging

import (
	"fmt"
	"image"
	"strconv"

	"castellan/engine"
	"castellan/engine/trails"
)

// Trails is the painter of Trails and Towers.
func Trails() Painter { return trailsPainter{} }

type trailsPainter struct{}

func (trailsPainter) Key() string { return trails.Game{}.Key() }

// design is what lies on what: pieces and signs on cells, ink and signs on
// pieces, cards and writing on the background.
func (trailsPainter) design() design {
	blue, red := seatRole(engine.Blue), seatRole(engine.Red)
	return design{
		background: {cell, line, text, dim, mark, neutral, blue, red},
		cell:       {line, text, mark, neutral, blue, red},
		blue:       {ink, mark},
		red:        {ink, mark},
		neutral:    {mark},
		ink:        {mark},
	}
}

// trailsFormat is the number of cells along an edge.
type trailsFormat int

func (trailsPainter) format(p engine.Position) (any, error) {
	pos, ok := p.(*trails.Position)
	if !ok {
		return nil, fmt.Errorf("imaging: a position of trails was expected, not a %T", p)
	}
	return trailsFormat(pos.Size()), nil
}

func (trailsPainter) kit(l look, format any) kit {
	return newTrailsKit(l, newGrid(boardUnit, int(format.(trailsFormat)), l.WholeLines))
}

// seatsOfTrails is both seats, in the order in which the panel shows them:
// each at the height of his base.
var seatsOfTrails = [...]engine.Seat{1, 2}

// headingOf is a direction of the game on the picture.
func headingOf(d trails.Direction) heading {
	switch d {
	case trails.Up:
		return up
	case trails.Down:
		return down
	case trails.Left:
		return leftward
	}
	return rightward
}

func (k *trailsKit) blank() *canvas {
	w, h := k.grid.bounds()
	return newCanvas(k.palette, w, h)
}

func (k *trailsKit) paint(c *canvas, s Scene) {
	p := s.Position.(*trails.Position)
	mover := p.Seat()
	if s.outcome() != nil {
		mover = engine.Nobody
	}
	var legal []trailsTarget
	if s.Legal && mover != engine.Nobody {
		legal = trailsTargets(p)
	}

	copy(c.Pix, k.ground.Pix)
	k.pieces(c, s, p)
	for _, t := range legal {
		if t.tower {
			at := k.corner(t.at)
			c.copy(k.goal, at.X, at.Y)
		}
	}
	k.lastTurn(c, s, p)
	if mover != engine.Nobody {
		k.legal(c, p.Head(mover), legal)
		at := k.corner(p.Head(mover))
		k.headRing.put(c, at.X, at.Y)
	}
	k.side(c, s, p)
}

// corner is where sprites and signs of a square are anchored.
func (k *trailsKit) corner(at trails.Square) image.Point { return k.grid.corner(at.X, at.Y) }

// pieces draws both trails with their bases and heads, and the towers.
func (k *trailsKit) pieces(c *canvas, s Scene, p *trails.Position) {
	put := func(sprite *canvas, at trails.Square) {
		corner := k.corner(at)
		c.copy(sprite, corner.X, corner.Y)
	}
	for rank := range p.Size() {
		for file := range p.Size() {
			at := trails.Square{X: file, Y: rank}
			if owner := p.Owner(at); owner != engine.Nobody {
				put(k.of[owner-1].trail, at)
			}
		}
	}
	for _, seat := range seatsOfTrails {
		put(k.of[seat-1].base, p.Base(seat))
	}
	onTower := map[trails.Square]bool{}
	for _, t := range p.Towers() {
		onTower[t.Square] = true
		if t.Owner == engine.Nobody {
			put(k.freeTower, t.Square)
		} else {
			put(k.of[t.Owner-1].tower, t.Square)
		}
	}
	stuck := stuckInTrails(p)
	for _, seat := range seatsOfTrails {
		own, at := &k.of[seat-1], p.Head(seat)
		switch {
		case s.standing(seat) == won:
			put(own.wonHead, at)
		case seat == stuck:
			put(own.stuckHead, at)
		case onTower[at]:
			put(own.towerHead, at)
		default:
			put(own.head, at)
		}
	}
}

// stuckInTrails is who has lost because he cannot move, or Nobody.
func stuckInTrails(p *trails.Position) engine.Seat {
	result, over := p.Result()
	if !over || len(result.Winners) != 1 {
		return engine.Nobody
	}
	winner := result.Winners[0]
	if p.Taken(winner) >= p.TowersToWin() {
		return engine.Nobody
	}
	return 3 - winner
}

// markedTurn is the direction of the turn that the scene marks; ok is false
// where there is none, as at the start of a match.
func markedTurn(s Scene) (d trails.Direction, ok bool) {
	if len(s.Turn.Actions) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seatsOfTrails) {
		return 0, false
	}
	d, ok = s.Turn.Actions[len(s.Turn.Actions)-1].(trails.Direction)
	return d, ok
}

// lastTurn puts brackets around the run of the marked turn: from the first
// square after the head to the new head, what it jumped over included.
func (k *trailsKit) lastTurn(c *canvas, s Scene, p *trails.Position) {
	before, ok := s.Turn.Before.(*trails.Position)
	if _, marked := markedTurn(s); !ok || !marked {
		return
	}
	from, to := before.Head(s.Turn.Seat), p.Head(s.Turn.Seat)
	first := trails.Square{X: from.X + signOf(to.X-from.X), Y: from.Y + signOf(to.Y-from.Y)}
	k.grid.brackets(c, image.Pt(first.X, first.Y), image.Pt(to.X, to.Y))
}

// signOf is -1, 0 or 1.
func signOf(n int) int { return min(1, max(-1, n)) }

// trailsTarget is what a legal direction reaches.
type trailsTarget struct {
	heading
	at    trails.Square
	far   int  // squares from the head
	tower bool // the move takes a tower there
}

// trailsTargets is the targets of the legal directions.
func trailsTargets(p *trails.Position) []trailsTarget {
	free := map[trails.Square]bool{}
	for _, t := range p.Towers() {
		free[t.Square] = t.Owner == engine.Nobody
	}
	head := p.Head(p.Seat())
	var targets []trailsTarget
	for _, a := range p.Legal() {
		d, ok := a.(trails.Direction)
		if !ok {
			continue
		}
		to, ok := p.Target(d)
		if !ok {
			continue
		}
		targets = append(targets, trailsTarget{
			heading: headingOf(d), at: to, tower: free[to],
			far: max(to.X-head.X, head.X-to.X, to.Y-head.Y, head.Y-to.Y),
		})
	}
	return targets
}

// legal shows for every target the very square: a dashed line to a ring with
// an arrow, or around a tower to a ring with the arrow in a tag.
func (k *trailsKit) legal(c *canvas, head trails.Square, targets []trailsTarget) {
	for _, t := range targets {
		end := clearOfRing
		if t.tower {
			end = clearOfTowerRing
		}
		k.grid.dashes(c, head.X, head.Y, t.heading, t.far, clearOfHead, end)
	}
	// Rings lie over every line.
	for _, t := range targets {
		at := k.corner(t.at)
		if t.tower {
			k.towerRing.put(c, at.X, at.Y)
			k.tag.put(c, at.X, at.Y)
			c.stamp(k.tagArrow[t.heading], at.X, at.Y, background)
			continue
		}
		k.ring.put(c, at.X, at.Y)
		c.stamp(k.arrow[t.heading], at.X, at.Y, mark)
	}
}

// side draws the panel: Blue's card above, Red's below, the last turn between.
func (k *trailsKit) side(c *canvas, s Scene, p *trails.Position) {
	colours := s.Game.Colours(len(seatsOfTrails))
	for i, seat := range seatsOfTrails {
		name := k.panel.names.seatName(s.Names, seat, k.panel.nameRoom())
		k.panel.seat(c, k.cards[i], colours[i], name, s.standing(seat))
		k.towers(c, k.cards[i]+k.towersDown, p, seat, colours[i])
		k.boost(c, k.cards[i]+k.boostDown, p, seat, colours[i])
	}
	d, ok := markedTurn(s)
	if !ok {
		return
	}
	colour := colours[s.Turn.Seat-1]
	n := &k.panel
	x := n.lineEnd(c, n.notation, strconv.Itoa(s.Turn.Number)+".", k.turnY, dim)
	x += n.px(0.95)
	c.stamp(n.mark[colour-engine.Blue], x, k.turnY, seatRole(colour))
	c.stamp(n.arrow[headingOf(d)], x+n.px(1.6), k.turnY, text)
}

// towers draws the towers that win: filled as many as the seat has taken,
// outlines for those that it still needs. Their feet stand on y.
func (k *trailsKit) towers(c *canvas, y int, p *trails.Position, seat engine.Seat, colour engine.Colour) {
	need := p.TowersToWin()
	row := &k.rows[min(need, len(k.rows))-1]
	for i := range need {
		x := k.panel.left + i*row.pitch
		if i < p.Taken(seat) {
			c.stamp(row.solid, x, y, seatRole(colour))
		} else {
			c.stamp(row.hollow, x, y, line)
		}
	}
}

// boost draws the boost as a number and as many arrows in the direction of
// the seat's last move; without boost one outline says the direction.
func (k *trailsKit) boost(c *canvas, y int, p *trails.Position, seat engine.Seat, colour engine.Colour) {
	n := &k.panel
	boost := p.Boost(seat)
	with := text
	if boost == 0 {
		with = dim
	}
	x := n.lineEnd(c, n.numbers, "+"+strconv.Itoa(boost), y, with) + n.px(0.9)
	d, moved := p.LastDirection(seat)
	if !moved {
		return
	}
	if boost == 0 {
		c.stamp(n.hollow[headingOf(d)], x, y, line)
		return
	}
	pitch := n.px(1.2)
	if boost > 1 {
		pitch = min(pitch, (n.right-n.px(0.5)-x)/(boost-1))
	}
	for i := range boost {
		c.stamp(n.arrow[headingOf(d)], x+i*pitch, y, seatRole(colour))
	}
}
