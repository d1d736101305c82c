package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// cause returns the moment of decision number n. The given seats confirm their
// forced actions.
func moment(n int, confirm ...engine.Seat) match.Cause {
	return match.Cause{
		At:          epoch.Add(time.Duration(n) * time.Minute),
		Interaction: fmt.Sprintf("interaction-%d", n),
		Confirms:    func(s engine.Seat) bool { return slices.Contains(confirm, s) },
	}
}

func settings(t enginetest.T, g engine.Game, seats int, options string) match.Settings {
	t.Helper()
	o, err := g.Options().Parse(options)
	if err != nil {
		t.Fatalf("options %q: %v", options, err)
	}
	return match.Settings{Game: g.Key(), Version: g.Version(), Options: o, Seats: seats}
}

func start(t enginetest.T, g engine.Game, seats int, options string) *match.Match {
	t.Helper()
	m, err := match.Start(g, settings(t, g, seats, options))
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	return m
}

// counters starts a match of the sample game.
func counters(t enginetest.T, seats int, options string) *match.Match {
	t.Helper()
	return start(t, sample.Game{}, seats, options)
}

// with returns m after a decision.
func with(t enginetest.T, m *match.Match, entries []match.Entry, err error) *match.Match {
	t.Helper()
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	next, err := m.With(entries...)
	if err != nil {
		t.Fatalf("with %s: %v", format(entries), err)
	}
	return next
}

// after returns a function that applies a decision on m: after(t, m)(m.Undo(…)).
func after(t enginetest.T, m *match.Match) func([]match.Entry, error) *match.Match {
	return func(entries []match.Entry, err error) *match.Match {
		t.Helper()
		return with(t, m, entries, err)
	}
}

// act plays lines such as "1: a2 b1 end".
func act(t enginetest.T, m *match.Match, lines ...string) *match.Match {
	t.Helper()
	for _, line := range lines {
		seat, text := split(t, line)
		m = after(t, m)(m.Act(seat, text, moment(m.Seq())))
	}
	return m
}

func split(t enginetest.T, line string) (engine.Seat, string) {
	t.Helper()
	var seat engine.Seat
	who, text, _ := strings.Cut(line, ":")
	if _, err := fmt.Sscan(who, &seat); err != nil {
		t.Fatalf("line %q: %v", line, err)
	}
	return seat, text
}

// format returns entries as text: "1 action a2, 1 undo".
func format(entries []match.Entry) string {
	var parts []string
	for _, e := range entries {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Seat, e.Kind, e.Text)))
	}
	return strings.Join(parts, ", ")
}

// turns returns the completed turns as text: "1: a2 end".
func turns(m *match.Match) []string {
	var out []string
	for _, turn := range m.Turns() {
		out = append(out, fmt.Sprintf("%d: %s", turn.Seat, turn))
	}
	return out
}

func wantTurns(t *testing.T, m *match.Match, want ...string) {
	t.Helper()
	if got := turns(m); !slices.Equal(got, want) {
		t.Errorf("the turns are\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
