package rings

import "castellan/engine"

// Rulebook returns the pages: the idea of the game, a turn with its conversions, rings,
// and the end.
func (Game) Rulebook() []engine.Page {
	page := func(name string, seats int, turns string) engine.Page {
		p := rulebook.Page("rings.rules." + name)
		p.Options, p.Seats, p.Turns = "side=3", seats, turns
		return p
	}
	const (
		// Four stones of Blue around circle 10 and one of Red's.
		four  = "E6 end G5 end F5 end L4 end H6 end K5 end G7"
		ring  = four + " 10 end K3 end F7"
		ended = ring + " end pass end pass end"
		// Blue's stone on K5 lets one circle after another be converted.
		chain = "D8 end K3 end L6 end D10 end C5 end E10 end F1 end K7 end H6 end J5 end H10 end C9 end " +
			"E6 end I4 end I6 end F9 17 end J7 end E4 end C3 end G7 end C7 end H2 end K5 11 13 8 6"
	)
	majority := page("majority", 2, four)
	majority.Legal = true
	return []engine.Page{
		page("idea", 2, chain+" end E8 end"),
		page("turn", 3, "F5 end G7"),
		majority,
		page("convert", 2, four+" 10"),
		page("chain", 2, chain),
		page("ring", 2, ring),
		page("end", 2, ended),
		page("many", 4, "F5 end G7 end E6 end F7 end I4 end C5 end H6 end D6 end"),
	}
}

// rulebook holds the texts of the pages. It is never changed.
var rulebook = engine.Texts{
	"rings.rules.idea": {Other: "Circles of influence"},
	"rings.rules.idea.text": {Other: "Two to six players lay stones on the points of a board of interlocking circles. Every circle has **six points**, and every point lies on up to three circles.\n\n" +
		"You want the **majority on as many circles as you can**: each is a point for you when the game ends. A majority is also what lets you turn stones of others into your own.\n\n" +
		"The seats are drawn by lot. The half circles around the edge count for nothing."},

	"rings.rules.turn": {Other: "A turn"},
	"rings.rules.turn.text": {Other: "1. **Place** a stone on any empty point: `G7`, its column and row. There are stones enough. Or **pass**.\n" +
		"2. Then **convert** as many circles as you can and like, one after the other: the number of a circle, such as `10`.\n" +
		"3. **End** your turn: `end`.\n\n" +
		"The stone or the pass comes first; converting is up to you, and somebody who passes may still convert. You can write a whole turn in one line: `G7 10 end`."},

	"rings.rules.majority": {Other: "Influence and majority"},
	"rings.rules.majority.text": {Other: "Your **influence** on a circle is the number of your stones on its six points. (Rings add to it: see their page.)\n\n" +
		"You have the **majority** when your influence is greater than **everything else together**: the influence of all others and the empty points.\n\n" +
		"So empty points count against you. Four stones are a majority on any circle without rings around it; three never are, for the other three points are empty or somebody’s.\n\n" +
		"In the picture Blue has four stones on circle 10, against one of Red’s and one empty point: a majority, and Blue may convert the circle."},

	"rings.rules.convert": {Other: "Converting a circle"},
	"rings.rules.convert.text": {Other: "Where you have the majority, and others have stones that are not safe, you can convert the circle: **all those stones become yours at once**. It is the whole circle or nothing.\n\n" +
		"You need not convert, and stones in a ring of somebody else are never converted; see the page on rings.\n\n" +
		"In the picture Blue has converted circle 10: Red’s stone on G5 is Blue now."},

	"rings.rules.chain": {Other: "Chains"},
	"rings.rules.chain.text": {Other: "Most points lie on three circles. The stones that you convert on one circle are yours on the others too, so **the next circle may be yours to convert**, and so on. After each conversion everything is counted anew.\n\n" +
		"You choose the order, and you stop when you like. One well-placed stone can turn half of the board.\n\n" +
		"In the picture Blue has placed a stone on K5 and then converted 11, 13, 8 and 6, in one turn."},

	"rings.rules.ring": {Other: "Rings are for ever"},
	"rings.rules.ring.text": {Other: "A circle whose six points all hold your stones is a **ring**. Its stones are **safe**: nobody can ever convert them.\n\n" +
		"A ring also makes its neighbours stronger. On every circle beside it, one that shares two points with it, you have **one more influence for each ring** of yours. Then three stones and a ring can be enough for a majority.\n\n" +
		"In the picture Blue has closed a ring on circle 10."},

	"rings.rules.end": {Other: "How it ends"},
	"rings.rules.end.text": {Other: "The game ends when **everybody has passed, one after the other**, with nobody placing a stone in between. A pass after which circles are converted is still a pass.\n\n" +
		"Your score is **the number of circles on which you have the majority**. The highest score wins, and whoever shares the highest score shares the win.\n\n" +
		"Pass when no stone can help you any more: as long as somebody sees something to gain, the game goes on. In the picture both have passed, and Blue wins by one circle to none."},

	"rings.rules.many": {Other: "Three and more players"},
	"rings.rules.many.text": {Other: "With more players it gets harder to outweigh *all* others together, and easier to be converted by whoever comes next. Everybody has a colour and a mark.\n\n" +
		"**Whoever leaves is retired**: an unfinished turn is taken back, the stones stay and count as before, and the turn passes them by. They rank behind all who play on. When only one is left, that one wins."},
}
