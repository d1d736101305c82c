package main

import (
	"path/filepath"
	"slices"
	"testing"

	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/imaging"
)

// hostSample makes a version of the sample game the only game until the test
// ends.
func hostSample(t *testing.T, g sample.Game) {
	t.Helper()
	all := games
	t.Cleanup(func() { games = all })
	games = slices.Clone(games[:1])
	games[0].rules, games[0].engine = g, search.Generic(g)
	games[0].painter = imaging.Plain(sample.Key, 400, 300, func(d *imaging.Drawing, p *sample.Position) {
		d.SetColor(d.Theme.Neutral)
		d.DrawCircle(100, 100, float64(p.Hash()%90))
		d.Fill()
	})
}

// Matches of an earlier version of the rules are verified, rated, rendered and
// recorded by a program that has a later one.
func TestEarlierVersionOfTheRules(t *testing.T) {
	hostSample(t, sample.V1)
	file := filepath.Join(t.TempDir(), "castellan.db")
	if err := played(t, file).Close(); err != nil {
		t.Fatal(err)
	}

	hostSample(t, sample.Game{})
	ok := func(args ...string) {
		t.Helper()
		if got := castellan(t, args...); got.code != exitOK {
			t.Errorf("%v: exit code %d: %s", args, got.code, got.errs)
		}
	}
	ok("verify", "--db", file)
	ok("ratings", "rebuild", "--db", file, "--check")
	ok("ratings", "rebuild", "--db", file)
	ok("arena", "--game", sample.Key, "--players", "random,greedy", "--games", "2", "--openings", "0")

	picture := filepath.Join(t.TempDir(), "a.png")
	draw := func(args ...string) string {
		t.Helper()
		out := filepath.Join(t.TempDir(), "a.png")
		ok(append([]string{"render", "--out", out}, args...)...)
		return out
	}
	record := recordFile(t, "Castellan record 1\nGame: sample\nRules: 1\nOptions: piles=1 counters=4 limit=2\n\n1. blue: a2 end\n2. red: a1 end\n")
	byRecord := draw("--record", record)
	byTurns := draw("--game", sample.Key, "--rules", "1", "-o", "piles=1", "-o", "counters=4", "-o", "limit=2", "--turns", "a2 end a1 end")
	newest := draw("--game", sample.Key, "-o", "piles=1", "-o", "counters=4", "-o", "most=2", "--turns", "a2 end a1 end")
	if differ(t, byRecord, byTurns) {
		t.Error("the picture of the record differs")
	}
	if !differ(t, byRecord, newest) {
		t.Error("the version of the rules makes no difference")
	}
	castellan(t, "render", "--out", picture, "--game", sample.Key, "--rules", "3").
		refusal(t, exitUsage, "no version 3 of the rules of sample")
	castellan(t, "render", "--out", picture, "--record", record, "--rules", "1").
		refusal(t, exitUsage, "--rules go with --game")
}
