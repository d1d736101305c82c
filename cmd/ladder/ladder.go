package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"castellan/engine/search"
	"castellan/engine/search/arena"
)

// pair is what one report is of: two players, or a line-up.
type pair struct {
	players []string
	seats   int // 0 for the fewest
	games   int
	own     bool // the levels play by their own limits
}

// rings is the one game in which more than two play, for whom it has rows of
// its own, and whose games are long.
const rings = "rings"

// ladder is every pair of a game: the levels against their neighbours, the
// strongest by its own limits, and every level against those that stay the same
// from one release to the next.
func ladder(game string) (all []pair) {
	levels := search.LevelKeys
	games := 400
	if game == rings {
		games = 200
	}
	for i := len(levels) - 1; i > 0; i-- {
		all = append(all, pair{players: []string{levels[i], levels[i-1]}, games: games})
	}
	fixed := []string{"random", "greedy", "depth-2", "depth-4", "mc-1000", "mc-10000"}
	top, next := levels[len(levels)-1], levels[len(levels)-2]
	for _, other := range append([]string{next}, fixed...) {
		all = append(all, pair{players: []string{top, other}, games: 100, own: true})
	}
	if game == rings {
		all = append(all, pair{players: []string{top, "greedy", "greedy", "greedy"}, seats: 4, games: 100, own: true})
	}
	for i := len(levels) - 1; i >= 0; i-- {
		for _, other := range fixed {
			all = append(all, pair{players: []string{levels[i], other}, games: games})
		}
	}
	return all
}

// name is the name of the report.
func (p pair) name() string {
	name := strings.Join(p.players, "-")
	if p.own {
		name += "-own"
	}
	return name
}

// args is the command line that plays the pair.
func (p pair) args(game string) []string {
	args := []string{"arena", "--game", game, "--players", strings.Join(p.players, ","), "--games", strconv.Itoa(p.games), "--seed", "1"}
	if p.seats > 0 {
		args = append(args, "--seats", strconv.Itoa(p.seats))
	}
	if p.own {
		args = append(args, "--pace", "own")
	}
	return args
}

// table is what the reports of a game say, with those that are not complete as
// far as they are.
func table(game string, pairs []pair, folder string) (string, error) {
	var b strings.Builder
	programs := map[string]bool{}
	missing := 0
	b.WriteString("| players | pace | games | points | share | Elo, 95 % | ms a turn |\n|---|---|--:|--:|--:|---|--:|\n")
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
	var by []string
	for program := range programs {
		by = append(by, program)
	}
	if len(by) > 1 {
		return "", fmt.Errorf("the reports are of several versions: %s", strings.Join(by, ", "))
	}
	fmt.Fprintf(&b, "\nMeasured by %s.\n", by[0])
	return b.String(), nil
}

// row is a line of the table.
func row(p pair, r arena.Report) string {
	c := r.Summary.Contests[0]
	first := c.Sides[0]
	pace := "quick"
	if p.own {
		pace = "own"
	}
	elo := fmt.Sprintf("share %.1f – %.1f %%, fair %.0f %%", 100*first.Low, 100*first.High, 100*first.Fair)
	if c.Elo != nil {
		elo = c.Elo.String()
	}
	games := strconv.Itoa(c.Games)
	if !r.Complete {
		games += " so far"
	}
	return fmt.Sprintf("| %s | %s | %s | %g – %g | %.1f %% | %s | %.0f |\n", strings.Join(p.players, " – "), pace, games,
		first.Points, float64(c.Games)-first.Points, 100*first.Share, elo, 1000*r.Summary.Players[0].Seconds)
}
