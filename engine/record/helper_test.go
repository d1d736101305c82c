package record_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/match"
	"castellan/engine/record"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
)

// games returns all games and the sample game, which has an earlier version of
// its rules.
func games(t enginetest.T) *engine.Registry {
	t.Helper()
	all, err := engine.NewRegistry(stonetowers.Game{}, towers.Game{}, rings.Game{}, trails.Game{}, sample.Game{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return all
}

func written(t enginetest.T, r *record.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := record.Write(&b, r); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

func read(t enginetest.T, text string) *record.Record {
	t.Helper()
	r, err := record.Read(strings.NewReader(text), games(t))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return r
}

func withoutDigest(text string) string { return digestLine.ReplaceAllString(text, "") }

var digestLine = regexp.MustCompile(`(?m)^(Checksum|Digest): .*\n`)

// view returns everything that a record keeps of a match.
func view(m *match.Match) string {
	var b strings.Builder
	s := m.Settings()
	fmt.Fprintln(&b, s.Game, s.Version, s.Options, s.Seats)
	for _, turn := range m.Turns() {
		fmt.Fprintf(&b, "%d %d %s %x\n", turn.Number, turn.Seat, turn, turn.Before.Hash())
	}
	p := m.Position()
	if open := m.Open(); open.Before != nil {
		p = open.Before
	}
	fmt.Fprintf(&b, "at %x %d\n", p.Hash(), p.Turns())
	for seat := engine.Seat(1); int(seat) <= s.Seats; seat++ {
		fmt.Fprint(&b, m.Playing(seat), m.TimedOut(seat), " ")
	}
	out, over := m.Over()
	out.At = time.Time{}
	fmt.Fprintf(&b, "%v %+v\n", over, out)
	return b.String()
}

// anyMatch returns a random match of any game, with undos, resignations, claims
// and aborts.
func anyMatch(t *rapid.T) *match.Match {
	g := rapid.SampledFrom(games(t).Games()).Draw(t, "game")
	g = rapid.SampledFrom(engine.Versions(g)).Draw(t, "version")
	m := anyStart(t, g)
	now := match.Cause{At: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Interaction: "x"}
	for range rapid.IntRange(0, 150).Draw(t, "steps") {
		if m.Seat() == engine.Nobody {
			break
		}
		var entries []match.Entry
		var err error
		switch kind := rapid.IntRange(0, 99).Draw(t, "kind"); {
		case kind < 8 && m.CanUndo(m.Seat()):
			entries, err = m.Undo(m.Seat(), now)
		case kind == 8 && m.CanAbort():
			entries, err = m.Abort(m.Seat(), now)
		case kind == 9:
			seat := engine.Seat(rapid.IntRange(1, m.Settings().Seats).Draw(t, "who"))
			if !m.Playing(seat) {
				continue
			}
			if seat != m.Seat() && rapid.Bool().Draw(t, "claims") {
				entries, err = m.Claim(seat, now)
			} else {
				entries, err = m.Resign(seat, now)
			}
		default:
			action := rapid.SampledFrom(m.Position().Legal()).Draw(t, "action")
			entries, err = m.Act(m.Seat(), action.String(), now)
		}
		if err == nil {
			m, err = m.With(entries...)
		}
		if err != nil {
			t.Fatalf("playing: %v", err)
		}
	}
	return m
}

// anyStart returns a match of the game with random options that go together.
func anyStart(t *rapid.T, g engine.Game) *match.Match {
	least, most := g.Seats()
	s := match.Settings{Game: g.Key(), Version: g.Version(), Seats: rapid.IntRange(least, most).Draw(t, "seats")}
	for range 20 {
		values := map[string]string{}
		for _, o := range g.Options() {
			values[o.Key] = anyValue(t, o)
		}
		var err error
		if s.Options, err = g.Options().Options(values); err != nil {
			t.Fatalf("options: %v", err)
		}
		if m, err := match.Start(g, s); err == nil {
			return m
		}
	}
	s.Options = g.Options().Defaults()
	m, err := match.Start(g, s)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	return m
}

func anyValue(t *rapid.T, o engine.Option) string {
	switch o.Kind {
	case engine.Int:
		return fmt.Sprint(rapid.SampledFrom(o.Ints()).Draw(t, o.Key))
	case engine.Bool:
		return fmt.Sprint(rapid.Bool().Draw(t, o.Key))
	case engine.Choice:
		return rapid.SampledFrom(o.Choices).Draw(t, o.Key)
	}
	in := slices.DeleteFunc(slices.Clone(o.Choices), func(string) bool { return rapid.Bool().Draw(t, o.Key) })
	if len(in) == 0 {
		return engine.None
	}
	return strings.Join(in, "+")
}
