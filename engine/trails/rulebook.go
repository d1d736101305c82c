package trails

import "castellan/engine"

// Rulebook returns the pages: the idea of the game, how a turn goes, and how it ends.
func (Game) Rulebook() []engine.Page {
	page := func(name, options, turns string, legal bool) engine.Page {
		p := rulebook.Page("trails.rules." + name)
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
	}
}

// rulebook holds the texts of the pages. It is never changed.
var rulebook = engine.Texts{
	"trails.rules.idea": {Other: "Trails, speed and towers"},
	"trails.rules.idea.text": {Other: "Two players draw a trail each across the board. **Blue** ● starts in the upper left corner and moves first, **Red** ◆ starts in the lower right one.\n\n" +
		"The towers stand on the diagonal between the other two corners. **Whoever takes more than half of them wins**: here two of three.\n\n" +
		"What a trail has covered stays covered, so the board gets narrower with every turn. Whoever is left without a move loses, too."},

	"trails.rules.moving": {Other: "Moving and gathering speed"},
	"trails.rules.moving.text": {Other: "A turn is one direction: `up`, `down`, `left` or `right`. Your head, the last square of your trail, goes that way, and every free square on the way becomes yours.\n\n" +
		"- The first step in a direction is **one** square long.\n" +
		"- Take the same direction again in your next turn and it is **two** squares, then three, and so on. What is added is your *boost*; the panel shows it as +1, +2 …\n" +
		"- Any other direction brings you back to one square.\n\n" +
		"In the picture Blue has gone right twice. Right once more goes three squares, down goes one; up and left are closed."},

	"trails.rules.jumping": {Other: "Jumping"},
	"trails.rules.jumping.text": {Other: "**Only the square where you land has to be free.** What lies on the way does not stop you: you jump over trails, anybody’s, and over towers. They stay as they are, and the free squares between them become yours.\n\n" +
		"So speed is the way out when you are fenced in, and a fence of one row holds nobody who comes fast enough.\n\n" +
		"You cannot choose to go less far. If the square where you would land is taken, that direction is closed. In the picture down leads over Red’s trail to g3."},

	"trails.rules.edge": {Other: "At the edge of the board"},
	"trails.rules.edge.text": {Other: "A move that would carry you over the edge is cut short: you stop on **the last square of the board** in that direction, if it is free. If it is covered, or has a tower on it, the move is not allowed.\n\n" +
		"Your boost still grows as if you had gone the whole way, but there is nothing left ahead: the next turn has to go another way, with a step of one. In the picture down ends on a1, though four squares were due."},

	"trails.rules.towers": {Other: "Taking a tower"},
	"trails.rules.towers.text": {Other: "You take a tower by landing on it **with a boost of at least 1**: by playing one direction for at least the second time in a row. It is yours for good, and your trail goes on from there.\n\n" +
		"- Without a boost a tower is a wall: you cannot step on it.\n" +
		"- Jumping over a tower does not take it.\n" +
		"- A move that the edge cuts short takes no tower.\n\n" +
		"So count backwards: to land on a tower you have to start your run at the right distance. In the picture right goes two squares, onto the tower."},

	"trails.rules.end": {Other: "How it ends"},
	"trails.rules.end.text": {Other: "After every turn, in this order:\n\n" +
		"1. Whoever has just taken **more than half of the towers** wins.\n" +
		"2. If the opponent has **no move left**, the one who has just moved wins.\n" +
		"3. If whoever has just moved has left themselves no move for their next turn, the **opponent** wins.\n\n" +
		"There is no draw, and nobody can pass. In the picture the crown is on the head that has won."},
}
