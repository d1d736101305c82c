package tournament_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"castellan/engine/tournament"
)

func players(n int) []tournament.Player {
	all := make([]tournament.Player, n)
	for i := range all {
		all[i] = tournament.Player{Rating: float64(2000 - 10*i), From: 1}
	}
	return all
}

// finish plays an event to its end. decide gives the outcome of a game that is open, and
// between is called before each pairing.
func finish(t interface{ Fatalf(string, ...any) }, e *tournament.Event, decide func(tournament.Game) tournament.Outcome, between func()) {
	for step := 0; ; step++ {
		if step > 500 {
			t.Fatalf("the event does not end: %+v", e)
		}
		between()
		games, over := e.Next()
		if over {
			return
		}
		if len(games) == 0 {
			t.Fatalf("nothing is to be played and the event goes on: %+v", e)
		}
		round, in := games[0].Round, map[int]bool{}
		for i, g := range games {
			if g.Outcome == tournament.Open {
				g.Outcome = decide(g)
			}
			for _, p := range []int{g.First, g.Second} {
				if p != tournament.Nobody && in[p] {
					t.Fatalf("round %d: player %d plays twice", round, p)
				}
				in[p] = true
			}
			games[i] = g
		}
		e.Games = append(e.Games, games...)
	}
}

func TestEventsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(tournament.Formats()).Draw(t, "format")
		least, most := f.Players()
		n := rapid.IntRange(least, min(most, 40)).Draw(t, "players")
		_, rounds := f.Rounds(n)
		e := &tournament.Event{Format: f, Rounds: rounds, Players: players(n)}
		if f == tournament.Swiss {
			e.Rounds = rapid.IntRange(1, rounds).Draw(t, "rounds")
		}
		if err := e.Check(); err != nil {
			t.Fatal(err)
		}
		leave := rapid.IntRange(0, 3).Draw(t, "how often somebody leaves")
		outcomes := []tournament.Outcome{tournament.FirstWon, tournament.SecondWon, tournament.Drawn, tournament.FirstWO, tournament.SecondWO, tournament.Neither}
		finish(t, e, func(g tournament.Game) tournament.Outcome {
			return rapid.SampledFrom(outcomes).Draw(t, "outcome")
		}, func() {
			if rapid.IntRange(0, 9).Draw(t, "leave") < leave {
				if p := &e.Players[rapid.IntRange(0, len(e.Players)-1).Draw(t, "who")]; p.Left == 0 {
					p.Left = e.Round() + 1
				}
			}
			if e.Round() > 0 && e.MayJoin() && rapid.IntRange(0, 4).Draw(t, "join") == 0 {
				e.Players = append(e.Players, tournament.Player{Rating: 1500, From: e.Round() + 1})
				e.Games = append(e.Games, e.Late(len(e.Players)-1)...)
			}
		})
		checkTable(t, e)
	})
}

// checkTable checks that everybody has one line, that more points are better, and that the
// points are those of the games.
func checkTable(t *rapid.T, e *tournament.Event) {
	table, seen, given := e.Standings(), map[int]bool{}, 0
	for i, s := range table {
		if seen[s.Player] {
			t.Fatalf("player %d stands twice in the table", s.Player)
		}
		seen[s.Player] = true
		if i == 0 {
			if s.Place != 1 {
				t.Fatalf("the first line has place %d", s.Place)
			}
			continue
		}
		before := table[i-1]
		if s.Place != before.Place && s.Place != i+1 {
			t.Fatalf("line %d has place %d after %d", i+1, s.Place, before.Place)
		}
		if better := s.Points > before.Points; better && e.Format != tournament.Knockout && before.Withdrawn == s.Withdrawn {
			t.Fatalf("%+v stands behind %+v", s, before)
		}
	}
	if len(seen) != len(e.Players) {
		t.Fatalf("%d of %d players are in the table", len(seen), len(e.Players))
	}
	withdrawn := map[int]bool{}
	for _, s := range table {
		given += s.Points
		withdrawn[s.Player] = s.Withdrawn
	}
	for _, g := range e.Games {
		if !withdrawn[g.First] && (g.Second == tournament.Nobody || !withdrawn[g.Second]) {
			first, second := g.Outcome.Points()
			given -= first + second
		}
	}
	if given != 0 {
		t.Fatalf("the table has %d half points more than the games", given)
	}
}

// The higher seed always wins.
func strongest(g tournament.Game) tournament.Outcome {
	if g.First < g.Second {
		return tournament.FirstWon
	}
	return tournament.SecondWon
}

func TestTheStrongestWin(t *testing.T) {
	for _, f := range tournament.Formats() {
		least, _ := f.Players()
		for n := least; n <= 12; n++ {
			rounds, _ := f.Rounds(n)
			if n > 8 && f == tournament.Double {
				break
			}
			e := &tournament.Event{Format: f, Rounds: rounds, Players: players(n)}
			finish(t, e, strongest, func() {})
			if table := e.Standings(); table[0].Player != 0 || table[0].Place != 1 || table[1].Place != 2 {
				t.Errorf("%s of %d: the table begins with %+v", f, n, table[:2])
			}
		}
	}
}

func TestKnockoutDraws(t *testing.T) {
	e := &tournament.Event{Format: tournament.Knockout, Rounds: 2, Players: players(4)}
	var seen []string
	finish(t, e, func(g tournament.Game) tournament.Outcome {
		seen = append(seen, fmt.Sprintf("%d.%d.%d %d-%d", g.Round, g.Table, g.Number, g.First, g.Second))
		if g.Round == 1 {
			return tournament.Drawn
		}
		return tournament.SecondWon
	}, func() {})
	want := []string{"1.1.1 0-3", "1.2.1 1-2", "1.1.2 3-0", "1.2.2 2-1", "2.1.1 0-1"}
	if !slices.Equal(seen, want) {
		t.Errorf("the games are %q, want %q", seen, want)
	}
	if table := e.Standings(); table[0].Player != 1 || table[1].Player != 0 || table[2].Place != 3 || table[3].Place != 3 {
		t.Errorf("the table is %+v", table)
	}
}

func TestWithdrawnFromRoundRobin(t *testing.T) {
	for _, c := range []struct {
		left int
		want string // place, player, half points
	}{
		{3, "1:0:8 2:1:6 3:2:4 4:3:2 5:4:0 "}, // 4 had played two games of four: the rest are forfeits
		{2, "1:0:6 2:1:4 3:2:2 4:3:0 5:4:0 "}, // one: none counts
	} {
		e := &tournament.Event{Format: tournament.RoundRobin, Rounds: 5, Players: players(5)}
		e.Players[4].Left = c.left
		finish(t, e, strongest, func() {})
		got := ""
		for _, s := range e.Standings() {
			got += fmt.Sprintf("%d:%d:%d ", s.Place, s.Player, s.Points)
		}
		if got != c.want {
			t.Errorf("left before round %d: %s, want %s", c.left, got, c.want)
		}
	}
}

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		f           tournament.Format
		n           int
		usual, most int
	}{
		{tournament.Swiss, 6, 3, 3}, {tournament.Swiss, 8, 4, 4}, {tournament.Swiss, 16, 5, 8}, {tournament.Swiss, 17, 6, 9}, {tournament.Swiss, 300, 10, 150},
		{tournament.RoundRobin, 5, 5, 5}, {tournament.RoundRobin, 6, 5, 5}, {tournament.Double, 4, 6, 6},
		{tournament.Knockout, 3, 2, 2}, {tournament.Knockout, 8, 3, 3}, {tournament.Knockout, 9, 4, 4},
	} {
		if usual, most := c.f.Rounds(c.n); usual != c.usual || most != c.most {
			t.Errorf("%s of %d: %d and %d rounds, want %d and %d", c.f, c.n, usual, most, c.usual, c.most)
		}
	}
}

// While games of a round are open, their players have not missed it: with only the first
// round behind them, nothing is left without their weakest opponent.
func TestOpenRound(t *testing.T) {
	e := &tournament.Event{Format: tournament.Swiss, Rounds: 3, Players: players(6)}
	for range 2 {
		games, _ := e.Next()
		for i := range games {
			games[i].Outcome = tournament.FirstWon
		}
		e.Games = append(e.Games, games...)
	}
	e.Games[4].Outcome, e.Games[5].Outcome = tournament.Open, tournament.Open
	for _, s := range e.Standings() {
		if over := e.Games[3]; s.Player != over.First && s.Player != over.Second && s.Tiebreak != 0 {
			t.Errorf("player %d, who is playing, has %v", s.Player, s.Tiebreak)
		}
	}
}
