package towers

import (
	"slices"

	"castellan/engine"
	"castellan/engine/grid"
)

// illegalReason names the rule that an action breaks. It returns the zero
// Phrase for a legal action; tests compare it with AppendLegal.
func (p *Position) illegalReason(action engine.Action) engine.Phrase {
	a, ok := action.(Action)
	if !ok || a.kind < Move || a.kind > End {
		token := ""
		if action != nil {
			token = action.String()
		}
		return texts.Phrase("towers.illegal.foreign", "Token", token, "Examples", p.examples())
	}
	switch {
	case p.state.ending != Ongoing:
		return texts.Phrase("towers.illegal.over")
	case a.kind == End:
		return engine.Phrase{}
	case a.kind == Import:
		return p.importReason(a)
	}
	return p.moveReason(a)
}

// examples lists a legal action of each kind in notation.
func (p *Position) examples() engine.Phrase {
	out := texts.Phrase("towers.example.end")
	legal := p.Legal()
	for _, e := range []struct {
		kind Kind
		id   string
	}{{Import, "towers.example.import"}, {TakeOut, "towers.example.out"}, {Move, "towers.example.move"}} {
		if i := slices.IndexFunc(legal, func(a engine.Action) bool { return a.(Action).kind == e.kind }); i >= 0 {
			out = texts.Phrase("towers.example.list", "First", texts.Phrase(e.id, "Token", legal[i].String()), "Rest", out)
		}
	}
	return out
}

// importReason is illegalReason for an import.
func (p *Position) importReason(a Action) engine.Phrase {
	s := &p.state
	switch {
	case a.count == 0:
		return texts.Phrase("towers.illegal.foreign", "Token", a.String(), "Examples", p.examples())
	case s.locked.has(s.master[s.mover]):
		return p.lockedReason(s.master[s.mover])
	case s.rules&importFirst != 0 && s.moved:
		return texts.Phrase("towers.illegal.import.first")
	case a.count > s.points:
		return p.pointsReason(a, a.Count())
	}
	return engine.Phrase{}
}

// moveReason is illegalReason for a tower or pawn that moves. It checks the
// source, then the path, then the target.
func (p *Position) moveReason(a Action) engine.Phrase {
	s := &p.state
	for _, at := range []Square{a.From(), a.To()} {
		if !p.contains(at) {
			return texts.Phrase("towers.illegal.board", "Square", at.String(), "Size", p.Size())
		}
	}
	moving := s.board[a.from]
	if moving == 0 || moving.player() != s.mover {
		return texts.Phrase("towers.illegal.own", "Square", a.From().String())
	}
	if s.locked.has(a.from) {
		return p.lockedReason(a.from)
	}
	if a.kind == TakeOut {
		switch {
		case moving.height() == 1:
			return texts.Phrase("towers.illegal.out.single", "Square", a.From().String())
		case !moving.isMaster() && s.rules&towerOut == 0:
			return texts.Phrase("towers.illegal.out.tower", "Square", a.From().String())
		}
		moving = pawn(s.mover)
	}
	distance, step, straight := direction(a.from, a.to)
	if !straight {
		return texts.Phrase("towers.illegal.straight", "From", a.From().String(), "To", a.To().String())
	}
	for c := a.from.next(step); c != a.to; c = c.next(step) {
		if s.board[c] != 0 {
			return texts.Phrase("towers.illegal.way", "From", a.From().String(), "To", a.To().String(), "Square", c.square().String())
		}
	}
	if cost := distance * moving.height(); cost > int(s.points) {
		return p.pointsReason(a, cost)
	}
	return p.targetReason(moving, a.to)
}

// targetReason is illegalReason for a piece that has a free path to its target.
func (p *Position) targetReason(moving piece, to cell) engine.Phrase {
	s := &p.state
	target := s.board[to]
	say := func(id string) engine.Phrase {
		return texts.Phrase(id, "Square", to.square().String(), "Height", target.height(), "Count", moving.height())
	}
	switch {
	case target == 0:
		return engine.Phrase{}
	case s.locked.has(to):
		return p.lockedReason(to)
	case target.player() == moving.player() && moving.height() > 1:
		return say("towers.illegal.raise")
	case target.player() == moving.player() && moving.isMaster() && target.height() > 1:
		return say("towers.illegal.raise.master")
	case target.player() == moving.player():
		return engine.Phrase{}
	case moving.height() < target.height():
		return say("towers.illegal.attack")
	case s.rules&noMasterWin != 0 && moving.isMaster() && target.isMaster():
		return say("towers.illegal.master")
	}
	return engine.Phrase{}
}

// lockedReason says that a square is locked until the end of the turn, or
// during the first turn of the game.
func (p *Position) lockedReason(c cell) engine.Phrase {
	if s := &p.state; p.turns == 0 && c == s.master[0] && s.rules&noFirstLockMaster == 0 {
		return texts.Phrase("towers.illegal.locked.first", "Square", c.square().String())
	}
	return texts.Phrase("towers.illegal.locked", "Square", c.square().String())
}

func (p *Position) pointsReason(a Action, cost int) engine.Phrase {
	return texts.Phrase("towers.illegal.points", "Token", a.String(), "Cost", cost, "Count", int(p.state.points))
}

// Describe describes the effect of a legal action: "tower of 2, takes the pawn on b4,
// costs 4", "puts 2 pawns on the master", "passes". It returns the zero Phrase
// for illegal actions and where there is nothing to say.
func (a Action) Describe(pos engine.Position) engine.Phrase {
	p, ok := pos.(*Position)
	if !ok || !p.illegalReason(a).IsZero() {
		return engine.Phrase{}
	}
	s := &p.state
	switch {
	case a.kind == Import:
		return texts.Phrase("towers.in.import", "Count", a.Count())
	case a.kind == End && !s.acted:
		return texts.Phrase("towers.in.pass")
	case a.kind == End && s.passes():
		return texts.Phrase("towers.in.unchanged")
	case a.kind == End && s.points > 0:
		return texts.Phrase("towers.in.end", "Count", int(s.points))
	case a.kind == End:
		return engine.Phrase{}
	}
	moving := s.board[a.from]
	who := p.pieceName(moving)
	if a.kind == TakeOut {
		moving = pawn(s.mover)
		who = texts.Phrase("towers.who.out")
	}
	cost := moving.height() * int(distance(a))
	does := p.describeEffect(moving, s.board[a.to], a.To())
	if does.IsZero() {
		return texts.Phrase("towers.in.move", "Who", who, "Count", cost)
	}
	return texts.Phrase("towers.in.move.onto", "Who", who, "Does", does, "Count", cost)
}

// pieceName names a moving piece.
func (p *Position) pieceName(moving piece) engine.Phrase {
	id := "towers.who"
	if moving.isMaster() {
		id = "towers.who.master"
	}
	return texts.Phrase(id, "Count", moving.height())
}

// describeEffect says what happens on an occupied target. It returns the zero
// Phrase for an empty one.
func (p *Position) describeEffect(moving, target piece, at Square) engine.Phrase {
	say := func(id string, n int) engine.Phrase {
		return texts.Phrase(id, "Square", at.String(), "Count", n)
	}
	switch {
	case target == 0:
		return engine.Phrase{}
	case target.player() == moving.player():
		return say("towers.does.raise", target.height()+1)
	case target.isMaster():
		return say("towers.does.win", 1)
	case moving.isMaster():
		return say("towers.does.capture", target.height())
	}
	return say("towers.does.attack", target.height())
}

// Distance returns the number of squares between the sources of two actions and
// between their targets.
func (p *Position) Distance(a, b engine.Action) int {
	x, ok := a.(Action)
	y, also := b.(Action)
	moves := x.kind == Move || x.kind == TakeOut
	switch {
	case !ok || !also || moves != (y.kind == Move || y.kind == TakeOut):
		return grid.Far
	case !moves:
		return grid.Distance(int(x.kind)-int(y.kind), x.Count()-y.Count())
	}
	between := func(s, t Square) int { return grid.Distance(s.X-t.X, s.Y-t.Y) }
	return between(x.From(), y.From()) + between(x.To(), y.To())
}

// Notable reports whether an action takes an enemy piece.
func (p *Position) Notable(action engine.Action) bool {
	a, ok := action.(Action)
	if !ok || a.kind != Move && a.kind != TakeOut {
		return false
	}
	target := p.At(a.To())
	return target.Height > 0 && target.Owner != p.Seat()
}
