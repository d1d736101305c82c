package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"castellan/engine/search"
	"castellan/engine/search/arena"
)

// The ladder pairs every level with its neighbour and with the fixed players,
// and the strongest by its own limits.
func TestLadder(t *testing.T) {
	for _, game := range slices.Sorted(maps.Keys(engines())) {
		var names []string
		levels := engines()[game].Keys()
		for _, p := range ladder(game, levels) {
			names = append(names, p.name())
			least := 400
			switch {
			case p.players[0] == "master":
				least = 100
			case game == rings:
				least = 200
			}
			if p.games < least {
				t.Errorf("%s: %d games", p.name(), p.games)
			}
			if p.players[0] != "master" && p.test != "" {
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
		if slices.Contains(names, "master-greedy-greedy-greedy") != (game == rings) {
			t.Errorf("%s: %v", game, names)
		}
		if slices.Sort(names); len(slices.Compact(names)) != len(names) {
			t.Errorf("%s: a pair stands twice", game)
		}
	}
}

// sprtResult returns the SPRT of a pair, if any.
func sprtResult(p pair) *arena.SPRTResult {
	if p.test == "" {
		return nil
	}
	return &arena.SPRTResult{SPRT: arena.SPRT{Elo0: 382, Elo1: 600}, Verdict: arena.Accepted}
}

// The table depends only on the reports and replaces the previous one.
func TestTable(t *testing.T) {
	folder := t.TempDir()
	pairs := ladder("trails", search.LevelKeys)
	text, err := table("trails", pairs, folder)
	if err != nil || !strings.Contains(text, "Not measured yet") {
		t.Fatalf("%q, %v", text, err)
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
	keep(pairs[0], "castellan 1", true)
	keep(pairs[1], "castellan 1", false)
	keep(pairs[len(pairs)-len(search.LevelKeys)], "castellan 1", true)
	doc := filepath.Join(folder, "strength.md")
	if err := os.WriteFile(doc, []byte("above\n<!-- ladder trails -->\nold\n<!-- end trails -->\nbelow\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if text, err = table("trails", pairs, folder); err != nil {
			t.Fatal(err)
		}
		if err := replace(doc, "trails", text); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"above\n", "| master – expert | 400 | 266.5 – 133.5 | 66.6 % | +120 (+90 … +151) | 12 |\n", "| expert – advanced | 400 so far |",
		"| master – mc-10000 | 400, decided | 266.5 – 133.5 | 66.6 % | +120 (+90 … +151); SPRT(382, 600) accepted | 12 |\n",
		"not measured yet", "Measured by castellan 1.", "<!-- end trails -->\nbelow\n",
	} {
		if strings.Count(string(got), part) != 1 {
			t.Errorf("it does not say %q once:\n%s", part, got)
		}
	}
	if strings.Contains(string(got), "old") {
		t.Errorf("the table before is still there:\n%s", got)
	}
	keep(pairs[2], "castellan 2", true)
	if _, err := table("trails", pairs, folder); err == nil {
		t.Error("reports of two versions make one table")
	}
	if err := replace(doc, "towers", "x"); err == nil {
		t.Error("there is a place for a game that has none")
	}
}
