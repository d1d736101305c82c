package record_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/record"
)

// Whole games to their end by the rules, each game at its defaults and with
// every number of seats: the record has the result, and is far below the limits.
func TestRecordsOfWholeGames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	now := match.Moment{Confirms: func(engine.Seat) bool { return true }}
	for _, g := range games(t).Games() {
		least, most := g.Seats()
		longest, turns := 0, 0
		for seats := least; seats <= most; seats++ {
			m, err := match.Start(g, match.Settings{Game: g.Key(), Version: g.Version(), Options: g.Options().Defaults(), Seats: seats})
			if err != nil {
				t.Fatal(err)
			}
			for m.Seat() != engine.Nobody {
				legal := m.Position().Legal()
				entries, err := m.Act(m.Seat(), legal[random.IntN(len(legal))].String(), now)
				if err == nil {
					m, err = m.With(entries...)
				}
				if err != nil {
					t.Fatalf("%s: %v", g.Key(), err)
				}
			}
			text := written(t, &record.Record{Match: m, Date: time.Unix(1e9, 0)})
			if got := read(t, text).Match; view(got) != view(m) {
				t.Errorf("%s of %d: another match\n%s", g.Key(), seats, text)
			}
			if !strings.Contains(text, ", by rules: ") {
				t.Errorf("%s of %d has no result:\n%s", g.Key(), seats, text)
			}
			out, _ := m.Over()
			if scores := strings.Contains(text, "\nScores: "); scores != (out.Result.Scores != nil) {
				t.Errorf("%s of %d: scores %v are written: %v", g.Key(), seats, out.Result.Scores, scores)
			}
			if len(text) > record.MaxBytes/8 || len(m.Turns()) > record.MaxTurns/8 {
				t.Errorf("%s of %d: %d turns, %d bytes", g.Key(), seats, len(m.Turns()), len(text))
			}
			longest, turns = max(longest, len(text)), max(turns, len(m.Turns()))
		}
		t.Logf("%s: up to %d turns in %d bytes", g.Key(), turns, longest)
	}
}
