package rings

import "castellan/engine"

func (Game) Rulebook() []engine.Page {
	page := func(name string, seats int, turns string) engine.Page {
		p := texts.Page("rings.rules." + name)
		p.Options, p.Seats, p.Turns = "side=3", seats, turns
		return p
	}
	const (
		// Four stones of Blue around circle 10 and one of Red's.
		three = "E6 end G5 end F5 end L4 end H6 end"
		four  = three + " K5 end G7"
		ring  = four + " 10 end K3 end F7"
		ended = ring + " end pass end pass end"
		// Blue's stone on K5 lets one circle after another be converted.
		chain = "D8 end K3 end L6 end D10 end C5 end E10 end F1 end K7 end H6 end J5 end H10 end C9 end " +
			"E6 end I4 end I6 end F9 17 end J7 end E4 end C3 end G7 end C7 end H2 end K5 11 13 8 6"
	)
	options := page("options", 2, "")
	options.Options = "side=4"
	majority := page("majority", 2, four)
	majority.Legal = true
	return []engine.Page{
		page("idea", 2, chain+" end E8 end"),
		page("turn", 2, four),
		majority,
		page("convert", 2, four+" 10"),
		page("chain", 2, chain),
		page("ring", 2, ring),
		page("end", 2, ended),
		page("many", 4, "F5 end G7 end E6 end F7 end I4 end C5 end H6 end D6 end"),
		options,
		page("hints", 2, three),
	}
}
