package arena_test

import (
	"reflect"
	"strings"
	"testing"

	"castellan/cmd/lab/internal/arena"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

func reportOf(t *testing.T, to *arena.Tournament) arena.Report {
	t.Helper()
	games := run(t, to, nil)
	var names []string
	for _, e := range to.Entrants {
		names = append(names, e.Name)
	}
	return arena.Report{
		Version: arena.ReportVersion, Program: "castellan test", GamesWanted: to.Games, Complete: true, Games: games, Summary: summarize(t, to, games),
		Terms: arena.Terms{Game: to.Game.Key(), Rules: 1, Options: to.Options.String(), Seats: to.Seats, Players: names, Seed: to.Seed, OpeningTurns: to.OpeningTurns},
	}
}

func TestReportRoundTrip(t *testing.T) {
	r := reportOf(t, tournament(t, trails.Game{}, small, 2, "top", "random"))
	for _, games := range [][]arena.Game{r.Games, nil} {
		r.Games = games
		var b strings.Builder
		if err := r.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := arena.ReadReport(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Games) == 0 {
			got.Games = nil
		}
		if !reflect.DeepEqual(got, r) {
			t.Errorf("%+v, not %+v", got, r)
		}
		if n := strings.Count(b.String(), `{"contest"`); n != len(games) {
			t.Errorf("%d lines of %d games:\n%s", n, len(games), b.String())
		}
	}
	for _, text := range []string{"", "hello", "{}", `{"version": 99}`} {
		if _, err := arena.ReadReport(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a report", text)
		}
	}
}

func TestTable(t *testing.T) {
	table := reportOf(t, tournament(t, trails.Game{}, small, 2, "top", "random")).Table()
	for _, part := range []string{"trails size=5 towers=1", "2 seats, seed 7", "top – random  8", "Elo (95 %)", "s a turn"} {
		if !strings.Contains(table, part) {
			t.Errorf("it does not say %q:\n%s", part, table)
		}
	}
	table = reportOf(t, tournament(t, sample.Game{}, "piles=2 counters=4", 4, "top", "random", "random", "random")).Table()
	for _, part := range []string{"4 seats", "fair", "25.0 %", "75.0 %"} {
		if !strings.Contains(table, part) {
			t.Errorf("it does not say %q:\n%s", part, table)
		}
	}
	to := tournament(t, sample.Game{}, "piles=1 counters=2 most=1", 2, "top", "random")
	to.OpeningTurns = 1
	if table := reportOf(t, to).Table(); !strings.Contains(table, "openings differ") {
		t.Errorf("it does not say that openings are alike:\n%s", table)
	}
}

func TestEloEstimateString(t *testing.T) {
	ten, minus, little := 10.2, -55.0, -0.1
	for want, d := range map[string]*arena.EloEstimate{
		"+10 (−55 … +∞)": {Value: &ten, Low: &minus},
		"+∞ (+10 … +∞)":  {Low: &ten},
		"−∞ (−∞ … −55)":  {High: &minus},
		"0 (−55 … +10)":  {Value: &little, Low: &minus, High: &ten},
		"–":              nil,
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
