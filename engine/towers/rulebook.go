package towers

import "castellan/engine"

// Rulebook returns the pages: the idea of the game, what towers can do, the master, and
// the end.
func (Game) Rulebook() []engine.Page {
	page := func(name, options, turns string) engine.Page {
		p := rulebook.Page("towers.rules." + name)
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

// rulebook holds the texts of the pages. It is never changed.
var rulebook = engine.Texts{
	"towers.rules.idea": {Other: "Take the master"},
	"towers.rules.idea.text": {Other: "Two players command two rows of pawns each; **Blue** ● sits at the bottom and moves first. One pawn in the outer row is the **master**. **Whoever takes the opponent’s master wins.**\n\n" +
		"Pawns that stand on one another are a *tower*. A tower is as strong as it is high, and as slow: every step costs its height.\n\n" +
		"A few more pawns wait in your **reserve**: one on a board of five by five, and one more for each size above."},

	"towers.rules.points": {Other: "Move points and moving"},
	"towers.rules.points.text": {Other: "Your turn begins with **as many move points as you have pawns in reserve**. Do what you like with them, one action after the other, then end your turn: `end`. Points that are left are lost.\n\n" +
		"A **move**, such as `b2-b4`, takes a whole tower up, down, left or right in a straight line, as far as you like, over empty squares only. It costs **height × squares**: a pawn pays 1 a square, a tower of three pays 3.\n\n" +
		"In the picture Blue had three points. The pawn has gone from b2 to b4, which leaves one."},

	"towers.rules.raise": {Other: "Raising towers, and locks"},
	"towers.rules.raise.text": {Other: "Move a **single pawn** onto a tower or pawn of your own, and it is raised by one. Only one pawn at a time: a tower never goes onto another. The master may only step onto a single pawn.\n\n" +
		"**A square where something stood before is locked** until the end of the turn when something arrives there: nothing moves from it, onto it or out of it. So you cannot raise a tower and move it on in one turn, nor raise it twice.\n\n" +
		"In the picture the pawn of b2 has gone onto c2: a tower of two, locked for this turn."},

	"towers.rules.attack": {Other: "Attacking"},
	"towers.rules.attack.text": {Other: "A move may end on a tower of the opponent that is **at most as high as yours**. That tower is out of the game, all of it, and yours stands in its place.\n\n" +
		"A pawn takes pawns, a tower of two takes towers of up to two. The way there must be empty, and the move costs what every move costs, so a strong tower must come close before it strikes.\n\n" +
		"Where you have attacked, the square is locked for the rest of the turn. The picture shows where the pawn on b3 can go: to a3, c3 or back to b2, or onto the pawn on b4."},

	"towers.rules.master": {Other: "The master"},
	"towers.rules.master.text": {Other: "The master’s tower can do more than others:\n\n" +
		"- **Import** `+1`, `+2` …: pawns from your reserve go onto your master, for one point each.\n" +
		"- **Take out** `e1/e3`: one pawn leaves that tower and moves by itself, for one point a square.\n" +
		"- **Capture**: when that tower attacks, the pawns that it takes become yours.\n\n" +
		"At the end of your turn all pawns on the master’s tower go back to your **reserve**. So what you capture gives you more points next turn, while pawns that you have taken out stay on the board.\n\n" +
		"In the very first turn the master of who begins is locked. In the picture two pawns have been imported, and one of them is being taken out."},

	"towers.rules.end": {Other: "How it ends"},
	"towers.rules.end.text": {Other: "**An attack on the enemy master wins at once.** Its tower has to be no higher than the one that attacks it, as always: a master alone is as weak as a pawn.\n\n" +
		"The game is a **draw**\n" +
		"- when both players pass, one after the other. A turn after which everything is as before is a pass, too;\n" +
		"- when the positions after two turns in a row have both been there before in this game.\n\n" +
		"In the picture a pawn has come all the way to c5."},

	"towers.rules.extra": {Other: "Specific rules"},
	"towers.rules.extra.text": {Other: "A challenge can add any of these:\n\n" +
		"- `tower-out`: a pawn can be taken out of any tower of yours.\n" +
		"- `lock-after-move`: whatever moves is locked where it arrives, on an empty square too.\n" +
		"- `lock-split-tower`: taking a pawn out locks the tower that it leaves.\n" +
		"- `import-first`: imports come before everything else in a turn.\n" +
		"- `no-first-lock-master`: the master of who begins is not locked in the first turn.\n" +
		"- `master-at-corner`: the masters start in opposite corners, as in the picture.\n" +
		"- `no-master-win`: a master cannot take the enemy master."},
}
