package main

import (
	"fmt"
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

// SPRTs that end a pair of the strongest level early, because its turns take a second.
const (
	farStronger = "200,400"
	nineOfTen   = "382,600" // 382 Elo are 90 % of the points
	sixOfTen    = "261,400" // 261 Elo are 60 % of the points where a quarter is fair
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

// table formats the reports of a game, including incomplete ones. Rows of the
// table before without a report stay if known reports that their players exist:
// those of a pair in its place, others at the end. It also returns the names of the
// pairs whose rows had more games before.
func table(game string, pairs []pair, folder, before string, known func(player string) bool) (text string, fewer []string) {
	var b strings.Builder
	old := oldRows(before, known)
	missing := 0
	b.WriteString("| players | games | points | share | Elo, 95 % | ms a turn | version |\n|---|--:|--:|--:|---|--:|---|\n")
	for _, p := range pairs {
		r, err := read(filepath.Join(folder, p.name()+".json"))
		i := slices.IndexFunc(old, func(o oldRow) bool { return slices.Equal(o.players, p.players) })
		switch {
		case err == nil && len(r.Summary.Contests) > 0 && r.Summary.Contests[0].Games > 0:
			b.WriteString(row(p, r))
			if i >= 0 && old[i].games > r.Summary.Contests[0].Games {
				fewer = append(fewer, p.name())
			}
		case i >= 0:
			b.WriteString(old[i].text)
		default:
			missing++
		}
		if i >= 0 {
			old = slices.Delete(old, i, i+1)
		}
	}
	if missing == len(pairs) && len(old) == 0 {
		return "Not measured yet: `make ladder GAME=" + game + "`.\n", nil
	}
	for _, o := range old {
		b.WriteString(o.text)
	}
	if missing > 0 {
		fmt.Fprintf(&b, "\n%d of %d pairs are not measured yet.\n", missing, len(pairs))
	}
	return b.String(), fewer
}

// oldRow is a row of the table before.
type oldRow struct {
	players []string
	games   int
	text    string // with the line break
}

// columns is the number of columns of a table.
const columns = 7

// oldRows returns the rows of a table whose players are all known.
func oldRows(table string, known func(player string) bool) (rows []oldRow) {
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != columns {
			continue
		}
		players := strings.Split(strings.TrimSpace(cells[0]), " – ")
		if len(players) > 1 && !slices.ContainsFunc(players, func(p string) bool { return !known(p) }) {
			number, _, _ := strings.Cut(strings.TrimSpace(cells[1]), " ")
			games, _ := strconv.Atoi(strings.TrimSuffix(number, ",")) // 0 if somebody has edited it
			rows = append(rows, oldRow{players, games, strings.TrimSpace(line) + "\n"})
		}
	}
	return rows
}

// shortVersion returns the version in the name of a program, such as v1.2.0 in
// "castellan v1.2.0 0123456789ab", or its revision if it has no version.
func shortVersion(program string) string {
	words := strings.Fields(strings.TrimPrefix(program, "castellan "))
	if len(words) > 1 && words[0] == "(devel)" {
		return words[1]
	}
	if len(words) == 0 {
		return "unknown"
	}
	return words[0]
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
	return fmt.Sprintf("| %s | %s | %g – %g | %.1f %% | %s | %.*f | %s |\n", strings.Join(p.players, " – "), games,
		first.Points, float64(c.Games)-first.Points, 100*first.Share, elo, digits, took, shortVersion(r.Program))
}
