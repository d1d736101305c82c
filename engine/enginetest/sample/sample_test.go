package sample_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	enginetest.Run(t, sample.Game{})
}

func TestPlaythrough(t *testing.T) {
	p := enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "piles=2 counters=3 most=2", Seats: 3, Seed: 1, Update: *update,
	}
	p.Run(t, sample.Game{})
	p.File, p.Options = "testdata/playthrough-1.txt", "piles=2 counters=3 limit=2"
	p.Run(t, sample.V1)
}

// play returns the position after some tokens; "retire2" is a retirement.
func play(t *testing.T, g sample.Game, options string, seats int, line string) engine.Position {
	t.Helper()
	p := enginetest.Start[engine.Position](t, g, options, seats)
	for token := range strings.FieldsSeq(line) {
		seat, ok := strings.CutPrefix(token, "retire")
		if !ok {
			p = enginetest.Play(t, p, token)
			continue
		}
		var err error
		if p, err = p.(engine.Retirer).Retire(engine.Seat(seat[0] - '0')); err != nil {
			t.Fatalf("%s: %v", token, err)
		}
	}
	return p
}

func legal(p engine.Position) string { return strings.Join(engine.Tokens(p.Legal()), " ") }

func TestTurns(t *testing.T) {
	const small = "piles=2 counters=2 most=2"
	for _, c := range []struct {
		name, line string
		seats      int
		legal      string
		seat       engine.Seat
		formality  bool
	}{
		{"a turn starts with a taking", "", 2, "a1 a2 b1 b2", 1, false},
		{"after one taking the turn can end", "a2", 2, "b1 b2 end", 1, false},
		{"after two takings it must", "a b", 2, "end", 1, true},
		{"the end gives the turn to the next seat", "a b end", 2, "a1 b1", 2, false},
		{"with nothing left after the first taking the turn must end", "a2 b end b", 2, "end", 2, true},
		{"with nothing left only a pass is legal", "a2 b2 end", 2, "pass", 2, true},
		{"the turn skips who has retired", "retire2 a1 end", 3, "a1 b1 b2", 3, false},
		{"a retirement in one's own turn gives it to the next", "retire1", 3, "a1 a2 b1 b2", 2, false},
		{"the game is over when all have passed", "a2 b2 end pass pass", 2, "", engine.Nobody, false},
		{"a pass of the retired is not needed", "a2 b2 end pass retire3 pass", 3, "", engine.Nobody, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, sample.Game{}, small, c.seats, c.line)
			if got := legal(p); got != c.legal || p.Seat() != c.seat {
				t.Errorf("seat %d, legal %q, want %d, %q", p.Seat(), got, c.seat, c.legal)
			}
			if _, ok := engine.Formality(p); ok != c.formality {
				t.Errorf("formality is %t", ok)
			}
		})
	}
}

// In version 1 a turn is a single taking, so its end is a formality.
func TestTurnsOfVersion1(t *testing.T) {
	for line, want := range map[string]string{
		"":                        "a1 a2 b1 b2",
		"a2":                      "end",
		"a2 end":                  "b1 b2",
		"a2 end b2 end":           "pass",
		"a2 end b2 end pass pass": "",
	} {
		if got := legal(play(t, sample.V1, "piles=2 counters=2 limit=2", 2, line)); got != want {
			t.Errorf("after %q legal is %q, want %q", line, got, want)
		}
	}
	first, second := play(t, sample.V1, "", 2, ""), play(t, sample.Game{}, "", 2, "")
	if first.Hash() == second.Hash() {
		t.Error("positions of two versions have the same hash")
	}
	_, err := play(t, sample.V1, "", 2, "a1").Apply(sample.Action{N: 1})
	if err == nil || err.Error() != "You have taken in this turn: end it." {
		t.Errorf("a second taking: %v", err)
	}
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		name, line string
		seats      int
		want       string
	}{
		{"the highest score wins", "a2 b1 end b1 end pass pass", 2, "winners [1] ranks [1 2] scores [3 1] passes"},
		{"level seats share the win", "a2 end b2 end pass pass", 2, "winners [1 2] ranks [1 1] scores [2 2] passes"},
		{"the retired rank last, the first of them at the very end",
			"a2 b end retire3 retire1 b end pass pass", 4, "winners [2] ranks [3 1 4 2] scores [3 1 0 0] passes"},
		{"the last to stay wins", "a2 end retire1 retire2", 3, "winners [3] ranks [3 2 1] scores [2 0 0] alone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, sample.Game{}, "piles=2 counters=2 most=2", c.seats, c.line)
			r, ok := p.Result()
			if !ok {
				t.Fatalf("the game goes on: %s", legal(p))
			}
			if got := format(r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func format(r engine.Result) string {
	return fmt.Sprintf("winners %v ranks %v scores %v %s", r.Winners, r.Ranks, r.Scores, r.Reason)
}
