package stonetowers

import (
	"castellan/engine"
	"castellan/engine/grid"
)

// foreignReason says that an action belongs to another game.
func foreignReason(a engine.Action) engine.Phrase {
	return texts.Phrase("stone-towers.illegal.foreign", "Token", grid.Token(a))
}

// illegalReason names the rule that an illegal action breaks.
func (p *Position) illegalReason(a Action) engine.Phrase {
	if a.Kind < Build || a.Kind > Pass {
		return foreignReason(a)
	}
	if p.state.Left == 0 {
		return texts.Phrase("stone-towers.illegal.over")
	}
	if a.Kind == Pass {
		return texts.Phrase("stone-towers.illegal.pass", "Action", p.Legal()[0].String())
	}
	say := func(id string) engine.Phrase {
		return texts.Phrase(id, "Square", a.Square.String(), "Opponent", player(3-p.Seat()))
	}
	theirs, level := p.Owner(a.Square) == 3-p.Seat(), p.Level(a.Square)
	switch {
	case !p.state.contains(a.Square):
		corner := Square{X: p.Width() - 1, Y: p.Height() - 1}
		return texts.Phrase("stone-towers.illegal.beyond", "Square", a.Square.String(), "Corner", corner.String())
	case a.Kind == Fortify && theirs && level > 0:
		return say("stone-towers.illegal.fortify.theirs")
	case theirs && level > 0:
		return say("stone-towers.illegal.castle")
	case theirs:
		return say("stone-towers.illegal.land")
	case a.Kind == Fortify && level == 0:
		return say("stone-towers.illegal.fortify.none")
	case level == maxLevel:
		return say("stone-towers.illegal.level")
	default:
		return say("stone-towers.illegal.build.own")
	}
}

// Describe describes the effect of a legal action: "builds a castle, gains 3
// squares", "to level 2, gains 1 square, destroys 1 castle". It returns the
// zero Phrase for a pass and for illegal actions.
func (a Action) Describe(pos engine.Position) engine.Phrase {
	p, ok := pos.(*Position)
	if !ok {
		return engine.Phrase{}
	}
	after, ok := p.after(a)
	if !ok {
		return engine.Phrase{}
	}
	out := texts.Phrase("stone-towers.in.build")
	if a.Kind == Fortify {
		out = texts.Phrase("stone-towers.in.fortify", "Level", p.Level(a.Square)+1)
	}
	mover := p.Seat()
	if n := after.SquareCount(mover) - p.SquareCount(mover); n > 0 {
		out = texts.Phrase("stone-towers.in.gain", "What", out, "Count", n)
	}
	if n := p.CastleCount(3-mover) - after.CastleCount(3-mover); n > 0 {
		out = texts.Phrase("stone-towers.in.destroy", "What", out, "Count", n)
	}
	return out
}

// after returns the position after a legal action other than a pass.
func (p *Position) after(a Action) (after Position, ok bool) {
	m, legal := p.move(a)
	if !legal || a.Kind == Pass {
		return Position{}, false
	}
	after = *p
	after.state.Play(m)
	return after, true
}

// Distance returns the number of squares between two actions.
func (p *Position) Distance(a, b engine.Action) int {
	from, ok := a.(Action)
	to, also := b.(Action)
	if !ok || !also || (from.Kind == Pass) != (to.Kind == Pass) {
		return grid.Far
	}
	return grid.Distance(from.Square.X-to.Square.X, from.Square.Y-to.Square.Y)
}

// Notable reports whether an action destroys castles.
func (p *Position) Notable(action engine.Action) bool {
	a, ok := action.(Action)
	if !ok {
		return false
	}
	after, ok := p.after(a)
	return ok && after.CastleCount(3-p.Seat()) < p.CastleCount(3-p.Seat())
}
