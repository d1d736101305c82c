package towers

import "castellan/engine"

// why names the rule that an action breaks; empty where it is legal. Tests
// compare it with AppendLegal, action by action.
func (p *Position) why(action engine.Action) engine.Phrase {
	a, ok := action.(Action)
	if !ok || a.kind < Move || a.kind > End {
		token := ""
		if action != nil {
			token = action.String()
		}
		return texts.Phrase("towers.illegal.foreign", "Token", token)
	}
	switch {
	case p.state.ending != Ongoing:
		return texts.Phrase("towers.illegal.over")
	case a.kind == End:
		return engine.Phrase{}
	case a.kind == Import:
		return p.whyImport(a)
	}
	return p.whyGo(a)
}

// whyImport is why for an import.
func (p *Position) whyImport(a Action) engine.Phrase {
	s := &p.state
	switch {
	case a.count == 0:
		return texts.Phrase("towers.illegal.foreign", "Token", a.String())
	case s.locked.has(s.master[s.mover]):
		return p.whyLocked(s.master[s.mover])
	case s.rules&importFirst != 0 && s.moved:
		return texts.Phrase("towers.illegal.import.first")
	case a.count > s.points:
		return p.whyPoints(a, a.Count())
	}
	return engine.Phrase{}
}

// whyGo is why for a tower or a pawn that goes from one square to another: what
// it leaves, then its way, then its target.
func (p *Position) whyGo(a Action) engine.Phrase {
	s := &p.state
	for _, at := range []Square{a.From(), a.To()} {
		if !p.holds(at) {
			return texts.Phrase("towers.illegal.board", "Square", at.String(), "Size", p.Size())
		}
	}
	goer := s.board[a.from]
	if goer == 0 || goer.player() != s.mover {
		return texts.Phrase("towers.illegal.own", "Square", a.From().String())
	}
	if s.locked.has(a.from) {
		return p.whyLocked(a.from)
	}
	if a.kind == TakeOut {
		switch {
		case goer.height() == 1:
			return texts.Phrase("towers.illegal.out.single", "Square", a.From().String())
		case !goer.isMaster() && s.rules&towerOut == 0:
			return texts.Phrase("towers.illegal.out.tower", "Square", a.From().String())
		}
		goer = pawn(s.mover)
	}
	distance, step, straight := between(a.from, a.to)
	if !straight {
		return texts.Phrase("towers.illegal.straight", "From", a.From().String(), "To", a.To().String())
	}
	for c := a.from.next(step); c != a.to; c = c.next(step) {
		if s.board[c] != 0 {
			return texts.Phrase("towers.illegal.way", "From", a.From().String(), "To", a.To().String(), "Square", c.square().String())
		}
	}
	if cost := distance * goer.height(); cost > int(s.points) {
		return p.whyPoints(a, cost)
	}
	return p.whyTarget(goer, a.to)
}

// whyTarget is why for what goes onto a square that it can reach.
func (p *Position) whyTarget(goer piece, to cell) engine.Phrase {
	s := &p.state
	target := s.board[to]
	say := func(id string) engine.Phrase {
		return texts.Phrase(id, "Square", to.square().String(), "Height", target.height(), "Count", goer.height())
	}
	switch {
	case target == 0:
		return engine.Phrase{}
	case s.locked.has(to):
		return p.whyLocked(to)
	case target.player() == goer.player() && goer.height() > 1:
		return say("towers.illegal.raise")
	case target.player() == goer.player() && goer.isMaster() && target.height() > 1:
		return say("towers.illegal.raise.master")
	case target.player() == goer.player():
		return engine.Phrase{}
	case goer.height() < target.height():
		return say("towers.illegal.attack")
	case s.rules&noMasterWin != 0 && goer.isMaster() && target.isMaster():
		return say("towers.illegal.master")
	}
	return engine.Phrase{}
}

// whyLocked says that nothing can be done with a square until the end of the
// turn, or of the very first one.
func (p *Position) whyLocked(c cell) engine.Phrase {
	if s := &p.state; p.turns == 0 && c == s.master[0] && s.rules&noFirstLockMaster == 0 {
		return texts.Phrase("towers.illegal.locked.first", "Square", c.square().String())
	}
	return texts.Phrase("towers.illegal.locked", "Square", c.square().String())
}

func (p *Position) whyPoints(a Action, cost int) engine.Phrase {
	return texts.Phrase("towers.illegal.points", "Token", a.String(), "Cost", cost, "Count", int(p.state.points))
}

// In says what the action does in a position where it is legal: "tower of 2,
// takes the pawn on b4, costs 4", "puts 2 pawns on the master", "passes". It is
// empty elsewhere, and where there is nothing to say.
func (a Action) Describe(pos engine.Position) engine.Phrase {
	p, ok := pos.(*Position)
	if !ok || !p.why(a).IsZero() {
		return engine.Phrase{}
	}
	s := &p.state
	switch {
	case a.kind == Import:
		return texts.Phrase("towers.in.import", "Count", a.Count())
	case a.kind == End && !s.acted:
		return texts.Phrase("towers.in.pass")
	case a.kind == End && s.points > 0:
		return texts.Phrase("towers.in.end", "Count", int(s.points))
	case a.kind == End:
		return engine.Phrase{}
	}
	goer := s.board[a.from]
	who := p.whoGoes(goer)
	if a.kind == TakeOut {
		goer = pawn(s.mover)
		who = texts.Phrase("towers.who.out")
	}
	cost := goer.height() * int(span(a))
	does := p.whatItDoes(goer, s.board[a.to], a.To())
	if does.IsZero() {
		return texts.Phrase("towers.in.move", "Who", who, "Count", cost)
	}
	return texts.Phrase("towers.in.move.onto", "Who", who, "Does", does, "Count", cost)
}

// whoGoes names a piece that moves.
func (p *Position) whoGoes(goer piece) engine.Phrase {
	id := "towers.who"
	if goer.isMaster() {
		id = "towers.who.master"
	}
	return texts.Phrase(id, "Count", goer.height())
}

// whatItDoes says what happens on an occupied target; it is empty for another.
func (p *Position) whatItDoes(goer, target piece, at Square) engine.Phrase {
	say := func(id string, n int) engine.Phrase {
		return texts.Phrase(id, "Square", at.String(), "Count", n)
	}
	switch {
	case target == 0:
		return engine.Phrase{}
	case target.player() == goer.player():
		return say("towers.does.raise", target.height()+1)
	case target.isMaster():
		return say("towers.does.win", 1)
	case goer.isMaster():
		return say("towers.does.capture", target.height())
	}
	return say("towers.does.attack", target.height())
}
