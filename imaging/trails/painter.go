// Package trails draws Trails and Towers.
package trails

import (
	"image"
	"strconv"

	"castellan/engine"
	"castellan/engine/trails"
	"castellan/imaging"
	"castellan/imaging/draw"
)

// Painter returns the painter of Trails and Towers.
func Painter() imaging.Painter {
	size := func(p *trails.Position) int { return p.Size() }
	return imaging.NewPainter(trails.Game{}.Key(), design(), size, newSet)
}

// design lists pieces and signs on cells, ink and signs on pieces, cards and
// text on the background.
func design() draw.Design {
	blue, red := draw.Seat(engine.Blue), draw.Seat(engine.Red)
	return draw.Design{Over: map[draw.Role][]draw.Role{
		draw.Background: {draw.Cell, draw.Line, draw.Text, draw.Dim, draw.Mark, draw.Neutral, blue, red},
		draw.Cell:       {draw.Line, draw.Text, draw.Mark, draw.Neutral, blue, red},
		blue:            {draw.Ink, draw.Mark},
		red:             {draw.Ink, draw.Mark},
		draw.Neutral:    {draw.Mark},
		draw.Ink:        {draw.Mark},
	}}
}

// seats lists both seats in the order of the panel: each at the height of its
// base.
var seats = [...]engine.Seat{1, 2}

// headingOf returns the heading of a direction on the picture.
func headingOf(d trails.Direction) draw.Heading {
	switch d {
	case trails.Up:
		return draw.Up
	case trails.Down:
		return draw.Down
	case trails.Left:
		return draw.Leftward
	}
	return draw.Rightward
}

func (k *set) Paint(c *draw.Canvas, s imaging.Scene, p *trails.Position) {
	mover := p.Seat()
	if s.Ending() != nil {
		mover = engine.Nobody
	}
	var targets []target
	if s.Legal && mover != engine.Nobody {
		targets = legalTargets(p)
	}

	k.Clear(c)
	k.pieces(c, s, p)
	for _, t := range targets {
		if t.tower {
			at := k.corner(t.at)
			c.Copy(k.goal, at.X, at.Y)
		}
	}
	k.lastTurn(c, s, p)
	if mover != engine.Nobody {
		k.legal(c, p.Head(mover), targets)
		at := k.corner(p.Head(mover))
		k.headRing.Put(c, at.X, at.Y)
	}
	k.panel(c, s, p)
}

// corner returns the anchor of sprites and signs on a square.
func (k *set) corner(at trails.Square) image.Point { return k.Grid.Corner(at.X, at.Y) }

// pieces draws both trails with their bases and heads, and the towers.
func (k *set) pieces(c *draw.Canvas, s imaging.Scene, p *trails.Position) {
	put := func(sprite *draw.Canvas, at trails.Square) {
		corner := k.corner(at)
		c.Copy(sprite, corner.X, corner.Y)
	}
	for rank := range p.Size() {
		for file := range p.Size() {
			at := trails.Square{X: file, Y: rank}
			if owner := p.Owner(at); owner != engine.Nobody {
				put(k.of[owner-1].trail, at)
			}
		}
	}
	for _, seat := range seats {
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
	blocked := blockedSeat(p)
	for _, seat := range seats {
		own, at := &k.of[seat-1], p.Head(seat)
		switch {
		case s.Standing(seat) == draw.Won:
			put(own.wonHead, at)
		case seat == blocked:
			put(own.blockedHead, at)
		case onTower[at]:
			put(own.towerHead, at)
		default:
			put(own.head, at)
		}
	}
}

// blockedSeat returns the seat that has lost because it cannot move, or Nobody.
func blockedSeat(p *trails.Position) engine.Seat {
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

// markedDirection returns the direction of the turn that the scene marks. It
// reports false if there is none, as at the start of a match.
func markedDirection(s imaging.Scene) (d trails.Direction, ok bool) {
	if len(s.Turn.Actions) == 0 || s.Turn.Seat < 1 || int(s.Turn.Seat) > len(seats) {
		return 0, false
	}
	d, ok = s.Turn.Actions[len(s.Turn.Actions)-1].(trails.Direction)
	return d, ok
}

// lastTurn draws brackets around the move of the marked turn: from the first
// square after the head to the new head, including jumped squares.
func (k *set) lastTurn(c *draw.Canvas, s imaging.Scene, p *trails.Position) {
	before, ok := s.Turn.Before.(*trails.Position)
	if _, marked := markedDirection(s); !ok || !marked {
		return
	}
	from, to := before.Head(s.Turn.Seat), p.Head(s.Turn.Seat)
	sign := func(n int) int { return min(1, max(-1, n)) }
	first := image.Pt(from.X+sign(to.X-from.X), from.Y+sign(to.Y-from.Y))
	k.Grid.Brackets(c, first, image.Pt(to.X, to.Y))
}

// target is the square that a legal direction reaches.
type target struct {
	heading  draw.Heading
	at       trails.Square
	distance int  // from the head
	tower    bool // the move takes a tower there
}

// legalTargets returns the targets of the legal directions.
func legalTargets(p *trails.Position) []target {
	free := map[trails.Square]bool{}
	for _, t := range p.Towers() {
		free[t.Square] = t.Owner == engine.Nobody
	}
	head := p.Head(p.Seat())
	var targets []target
	for _, a := range p.Legal() {
		d, ok := a.(trails.Direction)
		if !ok {
			continue
		}
		to, ok := p.Target(d)
		if !ok {
			continue
		}
		targets = append(targets, target{
			heading: headingOf(d), at: to, tower: free[to],
			distance: max(to.X-head.X, head.X-to.X, to.Y-head.Y, head.Y-to.Y),
		})
	}
	return targets
}

// legal draws a dashed line to each target and a ring with an arrow there.
// Around a tower the arrow is in a tag.
func (k *set) legal(c *draw.Canvas, head trails.Square, targets []target) {
	for _, t := range targets {
		end := clearOfRing
		if t.tower {
			end = clearOfTowerRing
		}
		k.dashes(c, head, t, clearOfHead, end)
	}
	// Rings lie over every line.
	for _, t := range targets {
		at := k.corner(t.at)
		if t.tower {
			k.towerRing.Put(c, at.X, at.Y)
			k.tag.Put(c, at.X, at.Y)
			c.Stamp(k.tagArrow[t.heading], at.X, at.Y, draw.Background)
			continue
		}
		k.ring.Put(c, at.X, at.Y)
		c.Stamp(k.arrow[t.heading], at.X, at.Y, draw.Mark)
	}
}

// panel draws the panel: Blue's card above, Red's below, the last turn between.
func (k *set) panel(c *draw.Canvas, s imaging.Scene, p *trails.Position) {
	colours := s.Game.Colours(len(seats))
	n := k.Panel
	for i, seat := range seats {
		n.Card(c, k.cards[i], seat, colours[i], s.Names, s.Standing(seat))
		n.Time(c, colours[i], s.Clock(seat))
		k.towers(c, k.cards[i]+k.towersDown, p, seat, colours[i])
		k.boost(c, s, k.cards[i]+k.boostDown, p, seat, colours[i])
	}
	if d, ok := markedDirection(s); ok && !s.Captioned {
		x := n.Turn(c, k.turnY, s.Turn.Number, colours[s.Turn.Seat-1])
		c.Stamp(n.Arrow[headingOf(d)], x+draw.Px(1.6), k.turnY, draw.Text)
	}
}

// towers draws the towers needed to win, filled if the seat has taken them and
// as outlines otherwise. Their feet stand on y.
func (k *set) towers(c *draw.Canvas, y int, p *trails.Position, seat engine.Seat, colour engine.Colour) {
	need := p.TowersToWin()
	row := &k.rows[min(need, len(k.rows))-1]
	for i := range need {
		x := k.Panel.Left + i*row.pitch
		if i < p.Taken(seat) {
			c.Stamp(row.solid, x, y, draw.Seat(colour))
		} else {
			c.Stamp(row.hollow, x, y, draw.Line)
		}
	}
}

// nextRoom is the share of the panel's width that the word before the boost can
// take.
const nextRoom = 0.6

// boost draws how many squares the next move in the same direction has: a
// number and an arrow, which is outlined without boost.
func (k *set) boost(c *draw.Canvas, s imaging.Scene, y int, p *trails.Position, seat engine.Seat, colour engine.Colour) {
	n := k.Panel
	boost := p.Boost(seat)
	d, moved := p.LastDirection(seat)
	if !moved {
		return
	}
	x := float64(n.WriteLeft(c, n.Names, s.Word(k.next, n.Names, nextRoom*float64(n.Right-n.Left)), y, draw.Dim) + draw.Px(0.35))
	number := strconv.Itoa(boost + 2)
	n.Numbers.Write(c, number, x, float64(y), draw.Left, draw.Text)
	arrow := int(x+n.Numbers.Width(number)) + draw.Px(0.8)
	if boost == 0 {
		c.Stamp(n.Hollow[headingOf(d)], arrow, y, draw.Line)
		return
	}
	c.Stamp(n.Arrow[headingOf(d)], arrow, y, draw.Seat(colour))
}
