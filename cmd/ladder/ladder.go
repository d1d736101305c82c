package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"castellan/engine/search/arena"
)

// pair is what one report is about: two players, or a line-up. All levels play
// by their own limits.
type pair struct {
	players []string
	seats   int // 0 for the fewest
	games   int
	test    string // SPRT that may end it early, "" for none
}

// rings is the only game with more than two seats, with additional rows, and
// with long games.
const rings = "rings"

// stoneTowers is the game whose random openings decide most games.
const stoneTowers = "stone-towers"

// SPRTs that end a pair of the strongest level, whose turns take a second:
// whether it is far stronger; whether it takes more than 90 % of the points,
// whose Elo is the lower bound; and whether it wins more than 60 % of the games
// of four.
const (
	farStronger = "200,400"
	nineOfTen   = "382,600"
	sixOfTen    = "71,200"
)

// ladder returns all pairs of a game: every level against the next one, and
// every level against players that do not change between releases, the slowest
// last.
func ladder(game string, levels []string) (all []pair) {
	games := 400
	if game == rings {
		games = 200
	}
	top := levels[len(levels)-1]
	add := func(test string, seats int, players ...string) {
		p := pair{players: players, seats: seats, games: games}
		if players[0] == top {
			p.games, p.test = 100, test
		}
		all = append(all, p)
	}
	for i := len(levels) - 1; i > 0; i-- {
		add("", 0, levels[i], levels[i-1])
	}
	if game == rings {
		add(sixOfTen, 4, top, "greedy", "greedy", "greedy")
	}
	for _, other := range []struct{ name, test string }{
		{"random", ""}, {"child", ""}, {"greedy", ""}, {"depth-2", farStronger}, {"depth-4", farStronger}, {"mc-1000", farStronger}, {"mc-10000", nineOfTen},
	} {
		for i := len(levels) - 1; i >= 0; i-- {
			add(other.test, 0, levels[i], other.name)
		}
	}
	return all
}

// name returns the name of the report.
func (p pair) name() string {
	return strings.Join(p.players, "-")
}

// args returns the command line that plays the pair.
func (p pair) args(game string) []string {
	args := []string{"arena", "--game", game, "--players", strings.Join(p.players, ","), "--games", strconv.Itoa(p.games), "--seed", "1", "--pace", "own"}
	if p.seats > 0 {
		args = append(args, "--seats", strconv.Itoa(p.seats))
	}
	if game == stoneTowers {
		args = append(args, "--balanced")
	}
	if p.test != "" {
		args = append(args, "--sprt", p.test)
	}
	return args
}

// table formats the reports of a game, including incomplete ones.
func table(game string, pairs []pair, folder string) (string, error) {
	var b strings.Builder
	programs := map[string]bool{}
	missing := 0
	b.WriteString("| players | games | points | share | Elo, 95 % | ms a turn |\n|---|--:|--:|--:|---|--:|\n")
	for _, p := range pairs {
		r, err := read(filepath.Join(folder, p.name()+".json"))
		if err != nil || len(r.Summary.Contests) == 0 || r.Summary.Contests[0].Games == 0 {
			missing++
			continue
		}
		programs[r.Program] = true
		b.WriteString(row(p, r))
	}
	if len(programs) == 0 {
		return "Not measured yet: `make ladder GAME=" + game + "`.\n", nil
	}
	if missing > 0 {
		fmt.Fprintf(&b, "\n%d of %d pairs are not measured yet.\n", missing, len(pairs))
	}
	by := slices.Sorted(maps.Keys(programs))
	if len(by) > 1 {
		return "", fmt.Errorf("the reports are of several versions: %s", strings.Join(by, ", "))
	}
	fmt.Fprintf(&b, "\nMeasured by %s.\n", by[0])
	return b.String(), nil
}

// row formats a line of the table.
func row(p pair, r arena.Report) string {
	c := r.Summary.Contests[0]
	first := c.Sides[0]
	elo := fmt.Sprintf("share %.1f – %.1f %%, fair %.0f %%", 100*first.Low, 100*first.High, 100*first.Fair)
	if c.Elo != nil {
		elo = c.Elo.String()
	}
	games := strconv.Itoa(c.Games)
	switch {
	case c.Test != nil && c.Test.Verdict != arena.Open:
		games += ", decided"
		elo += fmt.Sprintf("; SPRT(%g, %g) %s", c.Test.Elo0, c.Test.Elo1, c.Test.Verdict)
	case !r.Complete:
		games += " so far"
	}
	digits, took := 0, 1000*r.Summary.Players[0].SecondsPerTurn
	if took < 10 {
		digits = 1
	}
	return fmt.Sprintf("| %s | %s | %g – %g | %.1f %% | %s | %.*f |\n", strings.Join(p.players, " – "), games,
		first.Points, float64(c.Games)-first.Points, 100*first.Share, elo, digits, took)
}
