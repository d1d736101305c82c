package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/cmd/internal/games"
	"castellan/cmd/lab/internal/arena"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// The ladder pairs every level with its neighbour and with the fixed players,
// and the strongest by its own limits.
func TestLadder(t *testing.T) {
	for _, game := range games.Keys() {
		var names []string
		ai, err := engineOf(game)
		if err != nil {
			t.Fatal(err)
		}
		levels := ai.Keys()
		top := levels[len(levels)-1]
		for _, p := range ladder(game, levels) {
			names = append(names, p.name())
			least := 400
			switch {
			case p.players[0] == top:
				least = 100
			case game == rings.Key:
				least = 200
			}
			if p.games < least {
				t.Errorf("%s: %d games", p.name(), p.games)
			}
			if p.players[0] != top && p.test != "" {
				t.Errorf("%s %s: test %q", game, p.name(), p.test)
			}
		}
		for i, level := range levels {
			if i > 0 && !slices.Contains(names, level+"-"+levels[i-1]) {
				t.Errorf("%s does not meet its neighbour", level)
			}
			for _, other := range []string{"random", "child", "greedy", "depth-2", "depth-4", "mc-1000", "mc-10000"} {
				if !slices.Contains(names, level+"-"+other) {
					t.Errorf("%s does not meet %s", level, other)
				}
			}
		}
		if slices.Contains(names, top+"-greedy-greedy-greedy") != (game == rings.Key) {
			t.Errorf("%s: %v", game, names)
		}
		if slices.Sort(names); len(slices.Compact(names)) != len(names) {
			t.Errorf("%s: a pair stands twice", game)
		}
	}
}

func sprtResult(p pair) *arena.SPRTResult {
	if p.test == "" {
		return nil
	}
	return &arena.SPRTResult{SPRT: arena.SPRT{Elo0: 382, Elo1: 600}, Verdict: arena.Accepted}
}

// The file has the reports, and the rows of the file before that have none; the table of
// the page has the steps between neighbours.
func TestTable(t *testing.T) {
	folder := t.TempDir()
	pairs := ladder("trails", search.LevelKeys)
	known := func(player string) bool { return player != "divine" }
	if text := table("trails", search.LevelKeys, nil); !strings.Contains(text, "Not measured yet") {
		t.Fatalf("%q", text)
	}
	ten, nine, eleven := 120.0, 90.0, 151.0
	keep := func(p pair, program string, complete bool) {
		t.Helper()
		r := arena.Report{Version: arena.ReportVersion, Program: program, Complete: complete, GamesWanted: p.games, Summary: arena.Summary{
			Contests: []arena.ContestResult{{Sets: 200, Games: 400, Elo: &arena.EloEstimate{Value: &ten, Low: &nine, High: &eleven},
				Sides: []arena.SideResult{{Player: p.players[0], Points: 266.5, Share: 0.66625}, {Player: p.players[1]}},
				Test:  sprtResult(p)}},
			Players: []arena.PlayerStats{{Player: p.players[0], SecondsPerTurn: 0.0123}},
		}}
		f, err := os.Create(filepath.Join(folder, p.name()+".json"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := r.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	keep(pairs[0], "castellan 1.2 0123456789ab", true)
	keep(pairs[1], "castellan (devel) 0123456789ab", false)
	keep(pairs[len(pairs)-len(search.LevelKeys)], "castellan 1.3 0123456789ab", true)
	data, doc := filepath.Join(folder, "trails.csv"), filepath.Join(folder, "levels.md")
	if old, err := readRows(data); err != nil || old != nil {
		t.Fatalf("rows without a file: %v, %v", old, err)
	}
	old := []ladderRow{
		{"divine – expert", "400", "300 – 100", "75.0 %", "+191", "1", "0.9"},
		{"mc-77 – expert", "400", "300 – 100", "75.0 %", "+191", "1", "0.7"},
		{strings.Join(pairs[2].players, " – "), "400", "300 – 100", "75.0 %", "+191", "1", "0.8"},
		{strings.Join(pairs[0].players, " – "), "500, decided", "0 – 500", "0.0 %", "−∞", "1", "0.8"},
	}
	for _, want := range [][]string{{"champion-grandmaster"}, nil} { // which rows had more games before
		rows, fewer := ladderRows(pairs, folder, old, known)
		if !slices.Equal(fewer, want) {
			t.Errorf("fewer games than before: %v, not %v", fewer, want)
		}
		if err := writeRows(data, rows); err != nil {
			t.Fatal(err)
		}
		var err error
		if old, err = readRows(data); err != nil || len(old) != 5 {
			t.Fatalf("%d rows: %v", len(old), err)
		}
	}
	written, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(doc, []byte("above\n<!-- ladder trails -->\nold\n<!-- end trails -->\nbelow\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, changed := range []bool{true, false} {
		if got, err := rewrite(doc, "trails", table("trails", search.LevelKeys, old)); err != nil || got != changed {
			t.Errorf("changed %v, not %v: %v", got, changed, err)
		}
	}
	page, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for part, text := range map[string]string{
		"champion – grandmaster,400,266.5 – 133.5,66.6 %,+120 (+90 … +151),12,1.2\n":                                                                string(written),
		"grandmaster – master,400 so far,266.5 – 133.5,66.6 %,+120 (+90 … +151),12,0123456789ab\nmaster – expert,400,300 – 100,75.0 %,+191,1,0.8\n": string(written),
		"\"400, decided\",266.5 – 133.5,66.6 %,\"+120 (+90 … +151); SPRT(382, 600) accepted\",12,1.3\nmc-77 – expert,400,300":                       string(written),
		"above\n<!-- ladder trails -->\n\n| players | games |":                                                                                      string(page),
		"| champion – grandmaster | 400 | 66.6 % | +120 (+90 … +151) | 12 |\n| grandmaster – master | 400 so far | 66.6 % | +120 (+90 … +151) | 12 |\n| master – expert | 400 | 75.0 % | +191 | 1 |\n\n10 of 13 steps are not measured yet.\n\n<!-- end trails -->\nbelow\n": string(page),
	} {
		if strings.Count(text, part) != 1 {
			t.Errorf("it does not say %q once:\n%s", part, text)
		}
	}
	for _, part := range []string{"old", "divine", "0 – 500", "mc-"} {
		if strings.Contains(string(page), part) || part != "mc-" && strings.Contains(string(written), part) {
			t.Errorf("%q is still there:\n%s", part, page)
		}
	}
	if _, err := rewrite(doc, "towers", "x"); err == nil {
		t.Error("there is a place for a game that has none")
	}
}
