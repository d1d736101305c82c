package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"castellan/cmd/internal/cli"
	"castellan/cmd/lab/internal/arena"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
)

type ladderCommand struct {
	Game    string `required:"" help:"Key of the game: ${games}."`
	Reports string `default:"strength" help:"Folder of the reports (${default})." placeholder:"FOLDER"`
	Doc     string `default:"docs/reference/strength/levels.md" help:"Page whose table is rewritten (${default}); all pairs are in a file beside it, such as trails.csv." placeholder:"FILE"`
	Only    string `help:"Play only pairs whose name matches, such as mc-10000$." placeholder:"REGEXP"`
	Games   int    `help:"Play at most so many games of each pair for now." placeholder:"N"`
	Play    bool   `default:"true" negatable:"" help:"Play; otherwise only write the table."`
}

// Run plays the pairs of a game and writes their table.
func (c ladderCommand) Run(ctx context.Context, s cli.Streams) error {
	chosen, err := regexp.Compile(c.Only)
	if err != nil {
		return cli.Usage(fmt.Errorf("--only: %w", err))
	}
	if c.Games < 0 {
		return cli.Usage(fmt.Errorf("--games %d: it is a number of games, or 0 for all", c.Games))
	}
	ai, err := engineOf(c.Game)
	if err != nil {
		return err
	}
	pairs := ladder(c.Game, ai.Keys())
	reports := filepath.Join(c.Reports, c.Game)
	if !slices.ContainsFunc(pairs, func(p pair) bool { return chosen.MatchString(p.name()) }) {
		return cli.Usage(fmt.Errorf("--only %s matches none of the %d pairs, from %s to %s", c.Only, len(pairs), pairs[0].name(), pairs[len(pairs)-1].name()))
	}
	if err := os.MkdirAll(reports, 0o755); err != nil {
		return err
	}
	for i, p := range pairs {
		if !c.Play || !chosen.MatchString(p.name()) {
			continue
		}
		if c.Games > 0 {
			p.games = min(p.games, c.Games)
		}
		fmt.Fprintf(s.Errs, "pair %d of %d: %s\n", i+1, len(pairs), p.name())
		if err := p.play(ctx, s, c.Game, reports); err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
	}
	data := filepath.Join(filepath.Dir(c.Doc), c.Game+".csv")
	old, err := readRows(data)
	if err != nil {
		return err
	}
	rows, fewer := ladderRows(pairs, reports, old, func(player string) bool {
		_, err := arena.ParseEntrant(ai, player, 0)
		return err == nil
	})
	for _, name := range fewer {
		fmt.Fprintf(s.Errs, "%s: %s has fewer games now than before\n", data, name)
	}
	if err := writeRows(data, rows); err != nil {
		return err
	}
	written, err := rewrite(c.Doc, c.Game, table(c.Game, ai.Keys(), rows))
	if written {
		fmt.Fprintf(s.Errs, "%s has a new table of %s\n", c.Doc, c.Game)
	}
	return err
}

// pair is what one report is about: two players, or a line-up. All levels play
// by their own limits.
type pair struct {
	players []string
	seats   int // 0 for the fewest
	games   int
	test    string // SPRT that may end it early, "" for none
}

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
	if game == rings.Key { // its games are long, and more than two can play it
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
	if game == rings.Key {
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

func (p pair) name() string {
	return strings.Join(p.players, "-")
}

// play plays a pair unless its report is complete.
func (p pair) play(ctx context.Context, s cli.Streams, game, folder string) error {
	file := filepath.Join(folder, p.name()+".json")
	r, err := read(file)
	if err == nil && r.Complete && r.GamesWanted >= p.games {
		return nil
	}
	return arenaCommand{ // random openings decide most games of Stone Towers
		Game: game, Players: p.players, Games: p.games, Seed: 1, Pace: "own", Seats: p.seats, Openings: -1, Balanced: game == stonetowers.Key,
		SPRT: p.test, JSON: file, Resume: err == nil,
	}.Run(ctx, s)
}

// ladderRow is what is known about a pair: its players, separated by " – ", games,
// points, share, difference in Elo, milliseconds a turn, and version of the program.
type ladderRow []string

var ladderHead = ladderRow{"players", "games", "points", "share", "Elo, 95 %", "ms a turn", "version"}

// games returns the number of games, 0 if somebody has edited it.
func (r ladderRow) games() int {
	number, _, _ := strings.Cut(r[1], " ")
	n, _ := strconv.Atoi(strings.TrimSuffix(number, ","))
	return n
}

// ladderRows returns the rows of the reports in a folder, including incomplete ones. Old
// rows without a report stay if known reports that their players exist: those of a pair in
// its place, others at the end. It also returns the names of the pairs whose rows had more
// games before.
func ladderRows(pairs []pair, folder string, old []ladderRow, known func(player string) bool) (rows []ladderRow, fewer []string) {
	old = slices.DeleteFunc(slices.Clone(old), func(r ladderRow) bool {
		return slices.ContainsFunc(strings.Split(r[0], " – "), func(p string) bool { return !known(p) })
	})
	for _, p := range pairs {
		r, err := read(filepath.Join(folder, p.name()+".json"))
		i := slices.IndexFunc(old, func(o ladderRow) bool { return o[0] == strings.Join(p.players, " – ") })
		switch {
		case err == nil && len(r.Summary.Contests) > 0 && r.Summary.Contests[0].Games > 0:
			rows = append(rows, row(p, r))
			if i >= 0 && old[i].games() > r.Summary.Contests[0].Games {
				fewer = append(fewer, p.name())
			}
		case i >= 0:
			rows = append(rows, old[i])
		}
		if i >= 0 {
			old = slices.Delete(old, i, i+1)
		}
	}
	return append(rows, old...), fewer
}

// readRows reads a file of [writeRows]; without a file there are no rows.
func readRows(file string) ([]ladderRow, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(ladderHead)
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var rows []ladderRow
	for _, record := range records[min(1, len(records)):] {
		rows = append(rows, record)
	}
	return rows, nil
}

// writeRows writes rows as comma-separated values, with a head.
func writeRows(file string, rows []ladderRow) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, r := range append([]ladderRow{ladderHead}, rows...) {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	w.Flush()
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// table formats the rows of each level against the one below it.
func table(game string, levels []string, rows []ladderRow) string {
	var b strings.Builder
	line := func(r ladderRow) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r[0], r[1], r[3], r[4], r[5])
	}
	line(ladderHead)
	b.WriteString("|---|--:|--:|---|--:|\n")
	measured := 0
	for i := len(levels) - 1; i > 0; i-- {
		if at := slices.IndexFunc(rows, func(r ladderRow) bool { return r[0] == levels[i]+" – "+levels[i-1] }); at >= 0 {
			line(rows[at])
			measured++
		}
	}
	switch missing := len(levels) - 1 - measured; {
	case measured == 0:
		return "Not measured yet: `make ladder GAME=" + game + "`.\n"
	case missing > 0:
		fmt.Fprintf(&b, "\n%d of %d steps are not measured yet.\n", missing, len(levels)-1)
	}
	return b.String()
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

// row returns what a report says.
func row(p pair, r arena.Report) ladderRow {
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
	return ladderRow{
		strings.Join(p.players, " – "), games, fmt.Sprintf("%g – %g", first.Points, float64(c.Games)-first.Points),
		fmt.Sprintf("%.1f %%", 100*first.Share), elo, fmt.Sprintf("%.*f", digits, took), shortVersion(r.Program),
	}
}

// rewrite replaces the text between the marks of a game in a file by a table, and reports
// whether that changes it.
func rewrite(file, game, table string) (bool, error) {
	old, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	begin, end := fmt.Sprintf("<!-- ladder %s -->\n", game), fmt.Sprintf("<!-- end %s -->\n", game)
	head, rest, found := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return false, fmt.Errorf("%s has no place for %s, between %q and %q", file, game, begin, end)
	}
	written := []byte(head + begin + "\n" + table + "\n" + end + after)
	if slices.Equal(written, old) {
		return false, nil
	}
	return true, os.WriteFile(file, written, 0o644)
}
