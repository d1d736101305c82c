// Package trails draws Trails and Towers.
package trails

import (
	"image"
	"slices"
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
	d := draw.BoardDesign(engine.Blue, engine.Red)
	for _, ground := range []draw.Role{draw.Cell, draw.CellDark, draw.Recent, draw.RecentDark} {
		d.Lay(ground, draw.Neutral, draw.Mark, draw.Background)
	}
	for _, ground := range []draw.Role{draw.Cell, draw.CellDark, draw.Background} {
		d.Lay(ground, draw.RecentEdge)
	}
	d.Lay(draw.Neutral, draw.Mark, draw.Ink)
	d.Shaded = append(d.Shaded, draw.Neutral)
	d.Lay(blue, draw.Gold)
	d.Lay(red, draw.Gold)
	d.Lay(draw.Ink, draw.Mark, blue, red)
	return d
}

// seats lists both seats.
var seats = [...]engine.Seat{1, 2}

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
	k.board(c, s, p, targets)
	k.heads(c, s, p, engine.Nobody)
	if mover != engine.Nobody {
		k.legal(c, p.Head(mover), targets)
		at := k.corner(p.Head(mover))
		k.headRing.Put(c, at.X, at.Y)
	}
	k.panel(c, s, p)
}

// corner returns the anchor of sprites and signs on a square.
func (k *set) corner(at trails.Square) image.Point { return k.Grid.Corner(at.X, at.Y) }

// board draws both roads with their bases, and the towers.
func (k *set) board(c *draw.Canvas, s imaging.Scene, p *trails.Position, targets []target) {
	put := func(sprite *draw.Sprite, at trails.Square) {
		corner := k.corner(at)
		c.Put(sprite, corner.X, corner.Y)
	}
	both := roads(p)
	_, marked := markedDirection(s)
	if marked {
		r := both[s.Turn.Seat-1]
		r.eachPiece(s.Turn.Seat, r.recent, func(part piece, at trails.Square) {
			part.glow, part.recent = true, false
			put(k.piece(part), at)
		})
	}
	var bridges []func()
	for i, r := range both {
		r.eachPiece(seats[i], 0, func(part piece, at trails.Square) {
			part.recent = part.recent && marked && s.Turn.Seat == seats[i]
			if part.distance > 0 {
				bridges = append(bridges, func() { put(k.piece(part), at) })
				return
			}
			put(k.piece(part), at)
		})
	}
	for _, t := range p.Towers() {
		switch {
		case slices.ContainsFunc(targets, func(to target) bool { return to.at == t.Square }):
			put(k.goal, t.Square)
		case t.Owner == engine.Nobody:
			put(k.freeTower, t.Square)
		}
	}
	for i, seat := range seats {
		put(k.of[i].base, p.Base(seat))
	}
	for _, bridge := range bridges {
		bridge()
	}
	for _, t := range p.Towers() { // a bridge ends below the tower that it takes
		if t.Owner != engine.Nobody && t.Square != p.Head(t.Owner) {
			put(k.of[t.Owner-1].tower, t.Square)
		}
	}
}

// heads draws the heads of both roads, except that of a seat whose head moves.
func (k *set) heads(c *draw.Canvas, s imaging.Scene, p *trails.Position, moves engine.Seat) {
	put := func(sprite *draw.Sprite, at trails.Square) {
		corner := k.corner(at)
		c.Put(sprite, corner.X, corner.Y)
	}
	onTower := map[trails.Square]bool{}
	for _, t := range p.Towers() {
		onTower[t.Square] = true
	}
	blocked := blockedSeat(p)
	for _, seat := range seats {
		own, at := &k.of[seat-1], p.Head(seat)
		switch {
		case seat == moves:
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

// target is the square that a legal direction reaches.
type target struct {
	heading  draw.Heading
	at       trails.Square
	distance int  // from the head
	tower    bool // the move takes a tower there
}

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

// panel draws the name plates with the towers taken of those needed and with the
// length of the next move, and the last turn.
func (k *set) panel(c *draw.Canvas, s imaging.Scene, p *trails.Position) {
	colours := s.Game.Colours(len(seats))
	n := k.Plates
	for i, seat := range seats {
		room := n.Draw(c, draw.NamePlate{
			Seat: seat, Colour: colours[i], Names: s.Names, Standing: s.Standing(seat), Left: s.Clock(seat),
			Score: strconv.Itoa(p.Taken(seat)),
		})
		x := k.towers(c, room, p, seat)
		k.boost(c, s, room, x, p, seat)
	}
	if d, ok := markedDirection(s); ok && !s.Captioned {
		x := n.Turn(c, s.Turn.Number, colours[s.Turn.Seat-1])
		c.Stamp(n.Arrow[headingOf(d)], x+draw.Px(0.4), n.Y(), draw.Text)
	}
}

// towers draws the towers needed to win, filled if the seat has taken them and
// as outlines otherwise. It returns where they end.
func (k *set) towers(c *draw.Canvas, room draw.Room, p *trails.Position, seat engine.Seat) int {
	x := room.Min.X
	for i := range p.TowersToWin() {
		if i < p.Taken(seat) {
			c.Stamp(k.taken, x, room.Y()+draw.Px(0.6), room.Letters)
		} else {
			c.Stamp(k.need, x, room.Y()+draw.Px(0.6), room.Faint)
		}
		x += draw.Px(towerPitch)
	}
	return x
}

// boost draws how many squares the next move in the same direction has: a
// number and an arrow, which is outlined without boost. The word before them is
// left out if there is no room.
func (k *set) boost(c *draw.Canvas, s imaging.Scene, room draw.Room, x int, p *trails.Position, seat engine.Seat) {
	n := k.Plates
	boost := p.Boost(seat)
	d, moved := p.LastDirection(seat)
	if !moved {
		return
	}
	number := strconv.Itoa(boost + 2)
	const arrow = 1.2
	at := float64(x + draw.Px(0.6))
	end := at + n.Numbers.Width(number) + arrow*draw.U
	space := float64(draw.Px(0.35))
	word := s.Word(k.next, n.Notation, float64(room.Max.X)-end-space)
	if w := n.Notation.Width(word) + space; end+w <= float64(room.Max.X) {
		n.Notation.Write(c, word, at, float64(room.Y()), draw.Left, room.Faint)
		at += w
	}
	n.Numbers.Write(c, number, at, float64(room.Y()), draw.Left, room.Letters)
	at += n.Numbers.Width(number) + 0.75*draw.U
	if boost == 0 {
		c.Stamp(n.Hollow[headingOf(d)], int(at), room.Y(), room.Letters)
		return
	}
	c.Stamp(n.Arrow[headingOf(d)], int(at), room.Y(), room.Letters)
}

// Points implements imaging.Scorer: the towers taken are a seat's score.
func (k *set) Points(p *trails.Position, seat engine.Seat) int { return p.Taken(seat) }
