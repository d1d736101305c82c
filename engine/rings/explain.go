package rings

import "castellan/engine"

// why names the rule that an action which is not legal breaks.
func (p *Position) why(action engine.Action) engine.Phrase {
	a, ok := action.(Action)
	if !ok || !a.whole() {
		token := ""
		if action != nil {
			token = action.String()
		}
		return p.notation("rings.illegal.foreign", token)
	}
	switch {
	case p.state.ending != Ongoing:
		return texts.Phrase("rings.illegal.over")
	case a.Kind == Place && p.Owner(a.Point) == engine.Nobody && !p.exists(a.Point):
		return p.whyNowhere(a.Point)
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
	return p.whyNot(a.Circle)
}

// notation says of a text what an action looks like on this board, by the
// example of the circle in the middle and a point on it.
func (p *Position) notation(id, token string) engine.Phrase {
	middle := p.state.geo.circles[len(p.state.geo.circles)/2]
	return texts.Phrase(id, "Token", token, "Point", middle.Points()[2].String(), "Circle", middle.Number)
}

func (p *Position) exists(at Point) bool {
	_, ok := p.state.geo.index[at]
	return ok
}

// whyNowhere says where the board has points instead.
func (p *Position) whyNowhere(at Point) engine.Phrase {
	first, last, ok := p.state.geo.rows(at.Column)
	if !ok {
		end := p.state.geo.points[len(p.state.geo.points)-1].Column
		return texts.Phrase("rings.illegal.column", "Point", at.String(), "Last", columnName(end))
	}
	return texts.Phrase("rings.illegal.row", "Point", at.String(), "Column", columnName(at.Column), "First", first, "Last", last)
}

// whyNot says why the mover cannot convert a circle of the board.
func (p *Position) whyNot(n int) engine.Phrase {
	t, mover := p.tally(n), p.state.mover
	own := t.influence(mover)
	switch {
	case t.status().holder() != mover:
		return texts.Phrase("rings.illegal.majority", "Circle", n, "Own", own, "Others", t.total()-own)
	case p.others(n) > 0:
		return texts.Phrase("rings.illegal.safe", "Circle", n)
	}
	return texts.Phrase("rings.illegal.nothing", "Circle", n)
}

// others counts the stones on a circle that are not the mover's.
func (p *Position) others(n int) (count int) {
	for _, at := range p.state.geo.circles[n-1].Points() {
		if o := p.Owner(at); o != engine.Nobody && o != engine.Seat(p.state.mover) {
			count++
		}
	}
	return count
}

// In says what the action does in a position where it is legal: "closes the
// ring 45", "wins the majority on 45, 46", "on 44, 45, 52" or "takes 3 stones".
// It is empty elsewhere, and for pass and end.
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
		return p.placing(m)
	case Convert:
		return p.taking(m)
	}
	return engine.Phrase{}
}

// placing says what a stone does, the best of it only.
func (p *Position) placing(m Move) engine.Phrase {
	after := p.state
	u := after.Make(m)
	if !u.rings.empty() {
		return ringsPhrase("rings.in.ring", u.rings)
	}
	on := &p.state.geo.on[uint8(m)]
	var all, won circleSet
	for _, c := range on.circles[:on.n] {
		all.set(c)
		if after.held[c].holder() == p.state.mover && p.state.held[c].holder() != p.state.mover {
			won.set(c)
		}
	}
	if !won.empty() {
		return ringsPhrase("rings.in.majority", won)
	}
	return ringsPhrase("rings.in.on", all)
}

// taking says how many stones a conversion takes, and what rings it closes.
func (p *Position) taking(m Move) engine.Phrase {
	after := p.state
	u := after.Make(m)
	count := 0
	for was := u.was; was != 0; was >>= 4 {
		if was&7 != 0 {
			count++
		}
	}
	if u.rings.empty() {
		return texts.Phrase("rings.in.takes", "Count", count)
	}
	return texts.Phrase("rings.in.takes.ring", "Count", count, "Ring", ringsPhrase("rings.in.ring", u.rings))
}

// ringsPhrase is a phrase about circles, listed in the order of their numbers.
func ringsPhrase(id string, circles circleSet) engine.Phrase {
	return texts.Phrase(id, "Circles", numbers(circles), "Count", circles.len())
}
