package towers

import (
	"slices"

	"castellan/engine"
	"castellan/engine/grid"
	"castellan/engine/towers/internal/board"
)

// illegalReason names the rule that an action breaks. It returns the zero
// Phrase for a legal action; tests compare it with Legal.
func (p *Position) illegalReason(action engine.Action) engine.Phrase {
	a, ok := action.(Action)
	if !ok || a == (Action{}) {
		return texts.Phrase("towers.illegal.foreign", "Token", grid.Token(action), "Examples", p.examples())
	}
	switch {
	case p.state.Ending != board.Ongoing:
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
	case a.Count() == 0:
		return texts.Phrase("towers.illegal.foreign", "Token", a.String(), "Examples", p.examples())
	case s.Locked.Has(s.Master[s.Mover]):
		return p.lockedReason(s.Master[s.Mover])
	case s.Rules&board.ImportFirst != 0 && s.Moved:
		return texts.Phrase("towers.illegal.import.first")
	case a.Count() > int(s.Points):
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
	from, to := a.move.From(), a.move.To()
	moving := s.Board[from]
	if moving == 0 || moving.Player() != s.Mover {
		return texts.Phrase("towers.illegal.own", "Square", a.From().String())
	}
	if s.Locked.Has(from) {
		return p.lockedReason(from)
	}
	if a.kind == TakeOut {
		switch {
		case moving.Height() == 1:
			return texts.Phrase("towers.illegal.out.single", "Square", a.From().String())
		case !moving.IsMaster() && s.Rules&board.TowerOut == 0:
			return texts.Phrase("towers.illegal.out.tower", "Square", a.From().String())
		}
		moving = board.Pawn(s.Mover)
	}
	if x, y := a.From(), a.To(); x == y || x.X != y.X && x.Y != y.Y {
		return texts.Phrase("towers.illegal.straight", "From", a.From().String(), "To", a.To().String())
	}
	step := board.Step(from, to)
	for c := from.Next(step); c != to; c = c.Next(step) {
		if s.Board[c] != 0 {
			return texts.Phrase("towers.illegal.way", "From", a.From().String(), "To", a.To().String(), "Square", squareOf(c).String())
		}
	}
	if cost := a.move.Distance() * moving.Height(); cost > int(s.Points) {
		return p.pointsReason(a, cost)
	}
	return p.targetReason(moving, to)
}

// targetReason is illegalReason for a piece that has a free path to its target.
func (p *Position) targetReason(moving board.Piece, to board.Cell) engine.Phrase {
	s := &p.state
	target := s.Board[to]
	say := func(id string) engine.Phrase {
		return texts.Phrase(id, "Square", squareOf(to).String(), "Height", target.Height(), "Count", moving.Height())
	}
	switch {
	case target == 0:
		return engine.Phrase{}
	case s.Locked.Has(to):
		return p.lockedReason(to)
	case target.Player() == moving.Player() && moving.Height() > 1:
		return say("towers.illegal.raise")
	case target.Player() == moving.Player() && moving.IsMaster() && target.Height() > 1:
		return say("towers.illegal.raise.master")
	case target.Player() == moving.Player():
		return engine.Phrase{}
	case moving.Height() < target.Height():
		return say("towers.illegal.attack")
	case s.Rules&board.NoMasterWin != 0 && moving.IsMaster() && target.IsMaster():
		return say("towers.illegal.master")
	}
	return engine.Phrase{}
}

// lockedReason says that a square is locked until the end of the turn, or
// during the first turn of the game.
func (p *Position) lockedReason(c board.Cell) engine.Phrase {
	if s := &p.state; p.turns == 0 && c == s.Master[0] && s.Rules&board.NoFirstLockMaster == 0 {
		return texts.Phrase("towers.illegal.locked.first", "Square", squareOf(c).String())
	}
	return texts.Phrase("towers.illegal.locked", "Square", squareOf(c).String())
}

func (p *Position) pointsReason(a Action, cost int) engine.Phrase {
	return texts.Phrase("towers.illegal.points", "Token", a.String(), "Cost", cost, "Count", int(p.state.Points))
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
		does := texts.Phrase("towers.in.import", "Count", a.Count())
		if p.passesAfter(a) {
			return texts.Phrase("towers.in.import.pass", "Does", does)
		}
		return does
	case a.kind == End && !s.Acted():
		return texts.Phrase("towers.in.pass")
	case a.kind == End && s.Passes():
		return texts.Phrase("towers.in.unchanged")
	case a.kind == End && s.Points > 0:
		return texts.Phrase("towers.in.end", "Count", int(s.Points))
	case a.kind == End:
		return engine.Phrase{}
	}
	moving := s.Board[a.move.From()]
	who := p.pieceName(moving)
	if a.kind == TakeOut {
		moving = board.Pawn(s.Mover)
		who = texts.Phrase("towers.who.out")
	}
	cost := moving.Height() * a.move.Distance()
	does := p.describeEffect(moving, s.Board[a.move.To()], a.To())
	if does.IsZero() {
		return texts.Phrase("towers.in.move", "Who", who, "Count", cost)
	}
	return texts.Phrase("towers.in.move.onto", "Who", who, "Does", does, "Count", cost)
}

func (p *Position) pieceName(moving board.Piece) engine.Phrase {
	id := "towers.who"
	switch {
	case moving.IsMaster():
		id = "towers.who.master"
	case moving.Height() == 1:
		return texts.Phrase("towers.who.pawn")
	}
	return texts.Phrase(id, "Count", moving.Height())
}

// describeEffect says what happens on an occupied target. It returns the zero
// Phrase for an empty one.
func (p *Position) describeEffect(moving, target board.Piece, at Square) engine.Phrase {
	say := func(id string, n int) engine.Phrase {
		return texts.Phrase(id, "Square", at.String(), "Count", n)
	}
	switch {
	case target == 0:
		return engine.Phrase{}
	case target.Player() == moving.Player():
		return say("towers.does.raise", target.Height()+1)
	case target.IsMaster():
		return say("towers.does.win", 1)
	case moving.IsMaster():
		return say("towers.does.capture", target.Height())
	}
	return say("towers.does.attack", target.Height())
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

// passesAfter reports whether everything is where it was when the turn began, if a legal
// action ends it.
func (p *Position) passesAfter(a Action) bool {
	after, err := p.Apply(a)
	return err == nil && after.(*Position).state.Passes()
}

// Notable reports whether an action takes an enemy piece, or imports pawns to no effect.
func (p *Position) Notable(action engine.Action) bool {
	a, ok := action.(Action)
	if ok && a.kind == Import {
		return p.illegalReason(a).IsZero() && p.passesAfter(a)
	}
	if !ok || a.kind != Move && a.kind != TakeOut {
		return false
	}
	target := p.At(a.To())
	return target.Height > 0 && target.Owner != p.Seat()
}
