package trails

import "castellan/engine"

func (Game) Rulebook() []engine.Page {
	page := func(name, options, turns string, legal bool) engine.Page {
		p := texts.Page("trails.rules." + name)
		p.Options, p.Turns, p.Legal = options, turns, legal
		return p
	}
	const one = "size=9 towers=1"
	return []engine.Page{
		page("idea", "size=9", "", false),
		// Blue has gone right by one square and by two: three are next.
		page("moving", one, "right left right left", true),
		// Down, for the third time, leads over Red's trail.
		page("jumping", one, "right left right up right up down left down left", true),
		// Down, for the fourth time, would lead beyond a1.
		page("edge", one, "down up down up down up", true),
		// Right, for the second time, lands on the tower.
		page("towers", "size=7 towers=1", "down left down left right left", true),
		page("end", "size=7", "down left down up right left right down up left left up up left right up right", false),
		page("options", "towers=5", "", false),
		// One to the right, and two, lead onto the tower.
		page("hints", "size=7 towers=1", "down left down left", true),
	}
}
