package stonetowers

import "castellan/engine"

func (Game) Rulebook() []engine.Page {
	page := func(name, options, turns string) engine.Page {
		p := texts.Page("stone-towers.rules." + name)
		p.Options, p.Turns = options, turns
		return p
	}
	const (
		small = "width=5 height=5"
		// Red owns c3 by c4 and d3; the castle of Blue on c2, level 2, makes it equal.
		level = "c4 c2 d3 c2+"
	)
	turn := page("turn", small, "c4 c2 d3")
	turn.Legal = true
	return []engine.Page{
		page("idea", "", "e6 e3 g5 b3 b7 c5 g2 d1 g7 d8 g4 a1 a7 d4 a5 c1 b6 h3 c7 h3+ c7+ h3+ g1 e8 g8 d5"),
		turn,
		page("influence", small, level),
		// A castle of Red on c3 falls by 4 to 3, when Blue fortifies c2 to level 3.
		page("taking", small, "c4 c2 d3 b3 c3 c2+ e5 c2+"),
		// Red fortifies d2; d3 falls by 3 to 2, and without it e3 by 2 to 1.
		page("domino", small, "d1 d3 e4 b2 d2 e3 e4+ d5 d4 b2+ d2+"),
		page("end", "width=4 height=4 turns=5", "c3 b2 d1 a4 d3 a1 d4 b2+ d4+ a4+"),
		page("options", "width=6 height=5", ""),
		page("hints", "", "b2 g7 d3 e6 c5 f4 a4 h5"),
	}
}
