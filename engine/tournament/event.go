// Package tournament decides what an event needs next: who plays whom in a round, when it
// is over, and who stands where. Everything is a function of the players and the games so
// far; it knows neither clocks nor Discord. Scores are in half points: 2 for a win, 1 for
// a draw.
package tournament

import (
	"fmt"
	"math/bits"
	"slices"

	"castellan/engine/tournament/pairing"
)

// Format is how an event pairs its players.
type Format string

// The formats. Databases contain their text.
const (
	RoundRobin Format = "robin"    // everybody plays everybody
	Double     Format = "double"   // twice, with the first move exchanged
	Swiss      Format = "swiss"    // a few rounds between players with equal scores
	Knockout   Format = "knockout" // who loses is out
)

// Formats returns all formats, the usual one first.
func Formats() []Format { return []Format{Swiss, RoundRobin, Knockout, Double} }

// Players returns the fewest and the most players of a format. A round robin of more
// would take too many rounds.
func (f Format) Players() (least, most int) {
	switch f {
	case RoundRobin:
		return 3, 12
	case Double:
		return 3, 8
	case Knockout:
		return 3, 64
	}
	return 6, 300
}

// Rounds returns how many rounds n players need, and the most that they can play. For
// Swiss, ⌈log₂ n⌉ + 1 find a winner and separate the next; as long as nobody has met more
// than half of the others, there is always a pairing.
func (f Format) Rounds(n int) (usual, most int) {
	if n < 2 {
		return 0, 0
	}
	once := n - 1 + n%2 // with a bye for everybody if n is odd
	log := bits.Len(uint(n - 1))
	switch f {
	case RoundRobin:
		return once, once
	case Double:
		return 2 * once, 2 * once
	case Knockout:
		return log, log
	}
	most = (n + 1) / 2
	return min(log+1, most), most
}

// Nobody stands for a missing player.
const Nobody = pairing.Nobody

// Player is one player of an event. Players are named by their index, and in a knock-out
// sorted by their strength, best first.
type Player struct {
	Rating float64
	From   int   // the first round in which they are paired; 0 means the first
	Left   int   // the first round in which they are not any more; 0 if they stay
	Avoid  []int // players with whom they are not paired, if the format allows it
}

// In reports whether the player is paired in a round.
func (p Player) In(round int) bool { return p.From <= round && (p.Left == 0 || round < p.Left) }

// Outcome is how a game ended, from the view of who moves first.
type Outcome string

// The outcomes. Databases contain their text. The signs of a game that was not played are
// those of FIDE: + for the player who was there.
const (
	Open      Outcome = ""    // not over
	FirstWon  Outcome = "1-0" // likewise the next
	SecondWon Outcome = "0-1"
	Drawn     Outcome = "1/2"
	FirstWO   Outcome = "+-" // the second was not there
	SecondWO  Outcome = "-+"
	Neither   Outcome = "--"
	Bye       Outcome = "bye"  // without an opponent, with a point
	Free      Outcome = "free" // without one in a round robin, where everybody once is
	HalfBye   Outcome = "half" // missed, with half a point
	ZeroBye   Outcome = "zero" // missed
)

// Points returns the half points of both players.
func (o Outcome) Points() (first, second int) {
	switch o {
	case FirstWon, FirstWO, Bye:
		return 2, 0
	case SecondWon, SecondWO:
		return 0, 2
	case Drawn:
		return 1, 1
	case HalfBye:
		return 1, 0
	}
	return 0, 0
}

// Played reports whether the game was won, lost or drawn on the board.
func (o Outcome) Played() bool { return o == FirstWon || o == SecondWon || o == Drawn }

// Game is a game of an event, or a round without one if Second is Nobody. In a knock-out,
// the games of a tie share a table and are numbered.
type Game struct {
	Round, Table, Number int // from 1
	First, Second        int
	Outcome              Outcome
}

func (g Game) has(p int) bool { return g.First == p || g.Second == p }

// Event is an event as far as it has come.
type Event struct {
	Format  Format
	Rounds  int // that are played
	Players []Player
	Games   []Game // in the order in which they were paired
}

// Check returns what is wrong with the number of players or rounds, or nil.
func (e Event) Check() error {
	least, most := e.Format.Players()
	n := len(e.Players)
	if n < least || n > most {
		return fmt.Errorf("a tournament of this format takes %d to %d players, not %d", least, most, n)
	}
	if _, rounds := e.Format.Rounds(n); e.Rounds < 1 || e.Rounds > rounds {
		return fmt.Errorf("%d players can play 1 to %d rounds, not %d", n, rounds, e.Rounds)
	}
	return nil
}

// Round returns the round that was paired last, 0 before the first.
func (e Event) Round() int {
	if len(e.Games) == 0 {
		return 0
	}
	return e.Games[len(e.Games)-1].Round
}

// Next returns the games that are to be played next. It returns none while games of the
// round are open, and over as soon as the event is. Games without an opponent, or with
// one who has left, have an outcome already; if all have, Next can be called again with
// them.
func (e Event) Next() (games []Game, over bool) {
	round := e.Round()
	if slices.ContainsFunc(e.Games, func(g Game) bool { return g.Outcome == Open }) {
		return nil, false
	}
	if e.Format == Knockout {
		if games = e.knockout(round); len(games) > 0 { // games after a draw
			return games, false
		}
	}
	if round >= e.Rounds || e.left(round+1) < 2 {
		return nil, true
	}
	switch e.Format {
	case RoundRobin, Double:
		games = e.robin(round + 1)
	case Knockout:
		games = e.knockout(round + 1)
	default:
		games = e.swiss(round + 1)
	}
	return games, len(games) == 0
}

// left returns how many players are paired in a round.
func (e Event) left(round int) (n int) {
	for _, p := range e.Players {
		if p.In(round) {
			n++
		}
	}
	return n
}

// newGame returns a game of a round. It has its outcome if one of the players is missing.
func (e Event) newGame(round, table, number, first, second int) Game {
	in := func(p int) bool { return p != Nobody && e.Players[p].In(round) }
	g := Game{Round: round, Table: table, Number: number, First: first, Second: second}
	switch {
	case first == Nobody:
		g.First, g.Second = second, Nobody
		fallthrough
	case second == Nobody:
		if g.Outcome = Bye; !in(g.First) {
			g.Outcome = ZeroBye
		}
	case in(first) && in(second):
	case in(first):
		g.Outcome = FirstWO
	case in(second):
		g.Outcome = SecondWO
	default:
		g.Outcome = Neither
	}
	return g
}

func (e Event) robin(round int) (games []Game) {
	for i, p := range pairing.Berger(len(e.Players), e.Format == Double)[round-1] {
		g := e.newGame(round, i+1, 1, p.First, p.Second)
		if g.Outcome == Bye {
			g.Outcome = Free
		}
		games = append(games, g)
	}
	return games
}

func (e Event) swiss(round int) (games []Game) {
	players := make([]pairing.Player, len(e.Players))
	for i, p := range e.Players {
		players[i] = pairing.Player{Rating: p.Rating, Absent: !p.In(round), Avoid: p.Avoid}
	}
	for _, g := range e.Games {
		first, second := g.Outcome.Points()
		players[g.First].Score += first
		if g.Second == Nobody {
			players[g.First].Bye = players[g.First].Bye || g.Outcome == Bye
			continue
		}
		players[g.Second].Score += second
		players[g.First].Bye = players[g.First].Bye || g.Outcome == FirstWO
		players[g.Second].Bye = players[g.Second].Bye || g.Outcome == SecondWO
		if g.Outcome.Played() {
			players[g.First].Met, players[g.Second].Met = append(players[g.First].Met, g.Second), append(players[g.Second].Met, g.First)
			players[g.First].Firsts, players[g.Second].Firsts = append(players[g.First].Firsts, true), append(players[g.Second].Firsts, false)
		}
	}
	pairs, err := pairing.Swiss(players)
	if err != nil { // everybody has met: the event ends early
		return nil
	}
	for i, p := range pairs {
		games = append(games, e.newGame(round, i+1, 1, p.First, p.Second))
	}
	for i, p := range e.Players { // who misses a round and comes back has a line for it
		if !p.In(round) && p.Left == 0 {
			games = append(games, Game{Round: round, Table: len(games) + 1, Number: 1, First: i, Second: Nobody, Outcome: ZeroBye})
		}
	}
	return games
}

// Late returns the rounds that a player who joins after the last paired round has missed:
// half a point for the last one, nothing for others. Nobody gains by coming late.
func (e Event) Late(player int) (games []Game) {
	round := e.Round()
	for r := 1; r <= round; r++ {
		g := Game{Round: r, Table: e.tables(r) + 1, Number: 1, First: player, Second: Nobody, Outcome: ZeroBye}
		if r == round {
			g.Outcome = HalfBye
		}
		games = append(games, g)
	}
	return games
}

// MayJoin reports whether somebody can join after the event has begun: in Swiss, until
// half of the rounds are paired.
func (e Event) MayJoin() bool {
	_, most := e.Format.Players()
	return e.Format == Swiss && 2*e.Round() <= e.Rounds && len(e.Players) < most
}

func (e Event) tables(round int) (most int) {
	for _, g := range e.Games {
		if g.Round == round {
			most = max(most, g.Table)
		}
	}
	return most
}

// knockout returns the games of a round that are to be played: those of ties that have
// none yet, and another with the first move exchanged in those that are drawn.
func (e Event) knockout(round int) (games []Game) {
	if round == 0 {
		return nil
	}
	slots := e.slots(round)
	for i := 0; i+1 < len(slots); i += 2 {
		table, a, b := i/2+1, slots[i], slots[i+1]
		switch played := e.tie(round, table); {
		case a == Nobody && b == Nobody:
		case len(played) == 0:
			first, second := a, b
			if a != Nobody && b != Nobody && e.firsts(b) < e.firsts(a) {
				first, second = b, a
			}
			games = append(games, e.newGame(round, table, 1, first, second))
		case e.winner(round, table, a, b) == undecided:
			last := played[len(played)-1]
			games = append(games, e.newGame(round, table, len(played)+1, last.Second, last.First))
		}
	}
	return games
}

const undecided = -2

// slots returns who meets in a round of a knock-out: neighbours.
func (e Event) slots(round int) []int {
	slots := pairing.Bracket(len(e.Players))
	for r := 1; r < round; r++ {
		next := make([]int, len(slots)/2)
		for i := range next {
			next[i] = e.winner(r, i+1, slots[2*i], slots[2*i+1])
		}
		slots = next
	}
	return slots
}

func (e Event) tie(round, table int) (games []Game) {
	for _, g := range e.Games {
		if g.Round == round && g.Table == table {
			games = append(games, g)
		}
	}
	return games
}

// TieGames is how many games of a tie can be drawn before the better placed player goes on.
const TieGames = 2

// winner returns who goes on of two players, Nobody if neither does, or undecided.
func (e Event) winner(round, table, a, b int) int {
	played := e.tie(round, table)
	for _, g := range played {
		switch first, second := g.Outcome.Points(); {
		case g.Outcome == Open:
			return undecided
		case g.Outcome == Neither || g.Outcome == ZeroBye:
			return Nobody
		case first > second:
			return g.First
		case second > first:
			return g.Second
		}
	}
	switch {
	case a == Nobody || b == Nobody:
		return max(a, b)
	case len(played) < TieGames:
		return undecided
	}
	return min(a, b)
}

// firsts returns how often a player has moved first.
func (e Event) firsts(player int) (n int) {
	for _, g := range e.Games {
		if g.First == player && g.Second != Nobody && g.Outcome.Played() {
			n++
		}
	}
	return n
}
