package towers

import "castellan/engine"

// Rulebook returns the pages: the idea of the game, what towers can do, the master, and
// the end.
func (Game) Rulebook() []engine.Page {
	page := func(name, options, turns string) engine.Page {
		p := texts.Page("towers.rules." + name)
		p.Options, p.Turns = options, turns
		return p
	}
	attack := page("attack", "", "b2-b3 end d4-d3 end")
	attack.Legal, attack.Picked = true, "b3"
	master := page("master", "size=7", "d2-d3 end a6-a5 end +2")
	master.Legal, master.Picked = true, "d1 /"
	return []engine.Page{
		page("idea", "", ""),
		page("points", "size=7", "b2-b4"),
		page("raise", "size=7", "b2-c2"),
		attack,
		master,
		page("end", "", "c2-c3 end a4-a3 end c3-c4 end e4-e3 end c4-c5"),
		page("extra", "rules=master-at-corner", ""),
	}
}
