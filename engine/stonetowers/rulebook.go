package stonetowers

import "castellan/engine"

// Rulebook returns the pages: the idea of the game, a turn, what decides about squares,
// and the end.
func (Game) Rulebook() []engine.Page {
	page := func(name, options, turns string) engine.Page {
		p := rulebook.Page("stone-towers.rules." + name)
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
		page("taking", small, level+" e5 b3"),
		// Red fortifies d2; d3 falls by 3 to 2, and without it e3 by 2 to 1.
		page("domino", small, "d1 d3 e4 b2 d2 e3 e4+ d5 d4 b2+ d2+"),
		page("end", "width=4 height=4 turns=5", "c3 b2 d1 a4 d3 a1 d4 b2+ d4+ a4+"),
	}
}

// rulebook holds the texts of the pages. It is never changed.
var rulebook = engine.Texts{
	"stone-towers.rules.idea": {Other: "The larger empire"},
	"stone-towers.rules.idea.text": {Other: "Two players, **Red** ◆ and **Blue** ●, build castles on a board of squares. Red begins. Castles claim the land around them, and where they outweigh the castles of the opponent they take land, and castles, away.\n\n" +
		"Everybody has the same number of turns, 20 as a rule. **Whoever owns more squares in the end wins.**"},

	"stone-towers.rules.turn": {Other: "A turn: build or fortify"},
	"stone-towers.rules.turn.text": {Other: "In your turn you do exactly one of these:\n\n" +
		"- **Build** a castle of level 1 on a square that is yours or nobody’s and has no castle: `d4`. The square becomes yours. You never build on land of your opponent, be it a flag or a castle.\n" +
		"- **Fortify** a castle of yours by one level, up to level 3: `d4+`.\n\n" +
		"You have to pass only when you can do neither anywhere, and that counts as one of your turns. The picture shows where Blue can build and fortify now."},

	"stone-towers.rules.influence": {Other: "Influence"},
	"stone-towers.rules.influence.text": {Other: "Your influence on a square is **the levels of your castles on it and on the four squares beside it, added up**. Corners do not touch, and flags count nothing.\n\n" +
		"A square goes to whoever has **more** influence on it, and a flag goes up there. While both have the same it stays as it is: with its owner, or with nobody.\n\n" +
		"In the picture Red has 2 on c3, by the castles on c4 and d3. Blue has 2 as well, by the castle of level 2 on c2. So c3 stays Red."},

	"stone-towers.rules.taking": {Other: "Taking a square"},
	"stone-towers.rules.taking.text": {Other: "Now Blue has built on b3 as well: 3 against 2, and **c3 changes hands**.\n\n" +
		"A castle is no protection by itself. When its square changes hands, **the castle is gone**, whatever its level, and the new owner’s flag stands there. Only influence holds land: the castle’s own level, and that of its neighbours.\n\n" +
		"You can never lose a square by your own turn: yours can only grow."},

	"stone-towers.rules.domino": {Other: "The domino effect"},
	"stone-towers.rules.domino.text": {Other: "A castle that falls takes its influence with it. The squares around it are counted again, and perhaps the next castle falls, and so on **until nothing changes any more**, all within the same turn.\n\n" +
		"So castles that lean on each other can go down at one blow: look for the one that holds the others up.\n\n" +
		"In the picture Red has fortified d2. Blue’s castle on d3 fell, 3 against 2, and without its help the one on e3 fell as well, 2 against 1."},

	"stone-towers.rules.end": {Other: "How it ends"},
	"stone-towers.rules.end.text": {Other: "The game is over when both players have had all their turns. Every square that you own is **one point**, with a castle or with a flag alike; levels do not count.\n\n" +
		"**More points win**, and the same number is a draw.\n\n" +
		"Think ahead for the last turn: it is Blue’s, and nobody can answer it. In the picture Blue has won by nine squares to seven."},
}
