package rings

import (
	"castellan/engine"
	"castellan/engine/grid"
)

// illegalReason names the rule that an illegal action breaks.
func (p *Position) illegalReason(action engine.Action) engine.Phrase {
	a, ok := action.(Action)
	if !ok || !a.wellFormed() {
		return p.notation("rings.illegal.foreign", grid.Token(action))
	}
	switch {
	case p.state.ending != Ongoing:
		return texts.Phrase("rings.illegal.over")
	case a.Kind == Place && p.Owner(a.Point) == engine.Nobody && !p.hasPoint(a.Point):
		return p.noPointReason(a.Point)
	case a.Kind == Convert && (a.Circle < 1 || a.Circle > len(p.state.geo.circles)):
		return texts.Phrase("rings.illegal.circle", "Circle", a.Circle, "Last", len(p.state.geo.circles))
	case a.Kind == Place && p.state.converting:
		return texts.Phrase("rings.illegal.placed")
	case a.Kind == Place:
		return texts.Phrase("rings.illegal.occupied", "Point", a.Point.String(), "Owner", seatPhrase(p.Owner(a.Point)))
	case a.Kind == Pass:
		return texts.Phrase("rings.illegal.pass")
	case a.Kind == End:
		return texts.Phrase("rings.illegal.end")
	case !p.state.converting:
		return texts.Phrase("rings.illegal.first", "Circle", a.Circle)
	}
	return p.conversionReason(a.Circle)
}

// notation says what an action looks like on this board. The examples are the
// middle circle and one of its points.
func (p *Position) notation(id, token string) engine.Phrase {
	middle := p.state.geo.circles[len(p.state.geo.circles)/2]
	return texts.Phrase(id, "Token", token, "Point", middle.Points()[2].String(), "Circle", middle.Number)
}

func (p *Position) hasPoint(at Point) bool {
	_, ok := p.state.geo.index[at]
	return ok
}

// noPointReason says which points the column, or the board, has.
func (p *Position) noPointReason(at Point) engine.Phrase {
	first, last, ok := p.state.geo.rows(at.Column)
	if !ok {
		end := p.state.geo.points[len(p.state.geo.points)-1].Column
		return texts.Phrase("rings.illegal.column", "Point", at.String(), "Last", columnName(end))
	}
	return texts.Phrase("rings.illegal.row", "Point", at.String(), "Column", columnName(at.Column), "First", first, "Last", last)
}

// conversionReason says why the mover cannot convert a circle of the board.
func (p *Position) conversionReason(n int) engine.Phrase {
	t, mover := p.tally(n), p.state.mover
	own := t.influence(mover)
	switch {
	case t.status().holder() != mover:
		return texts.Phrase("rings.illegal.majority", "Circle", n, "Own", own, "Others", t.Total()-own)
	case p.opponentStones(n) > 0:
		return texts.Phrase("rings.illegal.safe", "Circle", n)
	}
	return texts.Phrase("rings.illegal.nothing", "Circle", n)
}

// opponentStones counts the stones on a circle that do not belong to the mover.
func (p *Position) opponentStones(n int) (count int) {
	for _, at := range p.state.geo.circles[n-1].Points() {
		if o := p.Owner(at); o != engine.Nobody && o != engine.Seat(p.state.mover) {
			count++
		}
	}
	return count
}

// Describe describes the effect of a legal action: "closes the ring 45", "wins the
// majority on 45, 46", "on 44, 45, 52" or "takes 3 stones". It returns the zero
// Phrase for end and illegal actions.
func (a Action) Describe(pos engine.Position) engine.Phrase {
	p, ok := pos.(*Position)
	if !ok {
		return engine.Phrase{}
	}
	m, ok := p.state.geo.move(a)
	if !ok || !p.state.Legal(m) {
		return engine.Phrase{}
	}
	switch a.Kind {
	case Place:
		return p.describePlacement(m)
	case Convert:
		return p.describeConversion(m)
	case Pass:
		return texts.Phrase("rings.in.pass")
	case End:
	}
	return engine.Phrase{}
}

// describePlacement names the most important effect of a placement.
func (p *Position) describePlacement(m Move) engine.Phrase {
	after, rings := p.play(m)
	if !rings.empty() {
		return circlesPhrase("rings.in.ring", rings)
	}
	on := &p.state.geo.circlesAt[uint8(m)]
	if won := p.majorities(m, &after); !won.empty() {
		return circlesPhrase("rings.in.majority", won)
	}
	var all circleSet
	for _, c := range on.circles[:on.n] {
		all.set(c)
	}
	return circlesPhrase("rings.in.on", all)
}

// describeConversion says how many stones a conversion takes and which rings it
// closes.
func (p *Position) describeConversion(m Move) engine.Phrase {
	after, rings := p.play(m)
	count := 0
	for i, stone := range after.stones {
		if stone&^safe != p.state.stones[i]&^safe {
			count++
		}
	}
	if rings.empty() {
		return texts.Phrase("rings.in.takes", "Count", count)
	}
	return texts.Phrase("rings.in.takes.ring", "Count", count, "Ring", circlesPhrase("rings.in.ring", rings))
}

// play returns the state after a legal move and the rings that the move closes.
func (p *Position) play(m Move) (after State, rings circleSet) {
	after = p.state
	after.Play(m)
	for i, t := range after.tallies {
		if t.Ring() && !p.state.tallies[i].Ring() {
			rings.set(uint8(i))
		}
	}
	return after, rings
}

// circlesPhrase returns a phrase about circles, listed by number.
func circlesPhrase(id string, circles circleSet) engine.Phrase {
	return texts.Phrase(id, "Circles", joinNumbers(circles), "Count", circles.len())
}

// Distance returns the number of columns and rows between two placements, or
// between the centres of two circles.
func (p *Position) Distance(a, b engine.Action) int {
	x, ok := a.(Action)
	y, also := b.(Action)
	if !ok || !also || x.Kind != y.Kind {
		return grid.Far
	}
	if x.Kind == Convert {
		circles := p.state.geo.circles
		if n := len(circles); x.Circle < 1 || y.Circle < 1 || x.Circle > n || y.Circle > n {
			return grid.Distance(x.Circle-y.Circle, 0)
		}
		s, t := circles[x.Circle-1], circles[y.Circle-1]
		return grid.Distance(2*(s.Column-t.Column), s.Row-t.Row)
	}
	return grid.Distance(x.Point.Column-y.Point.Column, x.Point.Row-y.Point.Row)
}

// Notable reports whether an action closes a ring, wins a majority or converts.
func (p *Position) Notable(action engine.Action) bool {
	a, ok := action.(Action)
	if !ok || a.Kind != Place {
		return ok && a.Kind == Convert
	}
	m, ok := p.state.geo.move(a)
	if !ok || !p.state.Legal(m) {
		return false
	}
	after, rings := p.play(m)
	won := p.majorities(m, &after)
	return !rings.empty() || !won.empty()
}

// majorities returns the circles on which a placement wins the majority.
func (p *Position) majorities(m Move, after *State) (won circleSet) {
	on := &p.state.geo.circlesAt[uint8(m)]
	for _, c := range on.circles[:on.n] {
		if after.status[c].holder() == p.state.mover && p.state.status[c].holder() != p.state.mover {
			won.set(c)
		}
	}
	return won
}
