package trails

import (
	"castellan/engine"
	"castellan/engine/grid"
)

// move is the effect of a direction for the player to move, legal or not.
type move struct {
	boost  int    // after the move
	target Square // on the edge if the edge cuts the move short
	cut    bool   // the edge cuts the move short
	jump   bool   // the move passes a square that is not free
}

func (p *Position) move(d Direction) move {
	m := &p.sides[p.mover&1]
	var out move
	if m.last() == d {
		out.boost = int(m.boost) + 1
	}
	steps := out.boost + 1
	if room := int(p.geo.room[d][m.head]); steps > room {
		steps, out.cut = room, true
	}
	c := m.head
	for i := range steps {
		c += delta[d]
		if i < steps-1 && !p.field.free(c) {
			out.jump = true
		}
	}
	out.target = p.geo.square(c)
	return out
}

// illegalReason names the rule that an illegal action breaks.
func (p *Position) illegalReason(a engine.Action) engine.Phrase {
	d, ok := a.(Direction)
	if !ok || d >= noDirection {
		return texts.Phrase("trails.illegal.foreign", "Token", grid.Token(a))
	}
	if p.ending != Ongoing {
		return texts.Phrase("trails.illegal.over")
	}
	return p.sayClosed("trails.illegal.", d)
}

// Explain implements engine.Explainer. The edge and a taken square beside the
// head need no explanation.
func (p *Position) Explain(a engine.Action) engine.Phrase {
	d, ok := a.(Direction)
	if !ok || d >= noDirection || p.ending != Ongoing {
		return engine.Phrase{}
	}
	if _, legal := p.Target(d); legal {
		return engine.Phrase{}
	}
	if why := p.closedBy(p.move(d)); why == "beyond" || why == "occupied" {
		return engine.Phrase{}
	}
	return p.sayClosed("trails.closed.", d)
}

// closedBy returns the last part of the keys of the texts about why a move is
// illegal.
func (p *Position) closedBy(m move) string {
	tower := p.field.tower(p.geo.cell(m.target))
	switch {
	case m.target == p.Head(p.Seat()):
		return "beyond"
	case m.cut && tower:
		return "edge.tower"
	case m.cut:
		return "edge"
	case tower:
		return "tower"
	case m.boost == 0:
		return "occupied"
	}
	return "jump"
}

// sayClosed says why a direction is illegal, in a text whose key begins with a
// prefix.
func (p *Position) sayClosed(prefix string, d Direction) engine.Phrase {
	m := p.move(d)
	return texts.Phrase(prefix+p.closedBy(m), "Direction", texts.Phrase(directionKey(d)), "Square", m.target.String(),
		"Head", p.Head(p.Seat()).String(), "Boost", m.boost, "Count", m.boost+1)
}

// Describe describes the effect of a legal move: "reaches g5", "jumps to j4", "to the
// edge at k4" or "takes the tower on d4". It returns the zero Phrase for
// illegal moves.
func (d Direction) Describe(pos engine.Position) engine.Phrase {
	p, ok := pos.(*Position)
	if !ok {
		return engine.Phrase{}
	}
	if _, legal := p.Target(d); !legal {
		return engine.Phrase{}
	}
	m := p.move(d)
	id := "trails.in.reach"
	switch {
	case p.field.tower(p.geo.cell(m.target)):
		id = "trails.in.tower"
	case m.cut:
		id = "trails.in.edge"
	case m.jump:
		id = "trails.in.jump"
	}
	return texts.Phrase(id, "Square", m.target.String())
}

func directionKey(d Direction) string { return "trails.direction." + d.String() }
