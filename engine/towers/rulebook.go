package towers

import "castellan/engine"

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
	// Blue opens the file of the master, and Red comes down it.
	hints := page("hints", "size=7", "d2-d3 d3-c3 end d6-d3 end a2-a3 end")
	hints.Legal, hints.Picked = true, "d3"
	return []engine.Page{
		page("idea", "", ""),
		page("points", "size=7", "b2-b4"),
		page("raise", "size=7", "e2-e3 end a6-a5 end b2-c2"), // not in the first turn, which locks the master too
		attack,
		master,
		page("reserve", "size=7", "b2-b3 end b6-b5 end d2-d1"),
		page("end", "", "c2-c3 end a4-a3 end c3-c4 end e4-e3 end c4-c5"),
		page("options", "rules=master-at-corner", ""),
		hints,
	}
}
