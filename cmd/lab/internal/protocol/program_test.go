package protocol

import (
	"bufio"
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// connect starts a program, which is a function of its streams. Grace passes at once
// in bubbles.
func connect(t *testing.T, g engine.Game, moveTime time.Duration, program func(io.Reader, io.Writer)) (*Program, error) {
	t.Helper()
	p, err := newProgram("test", g, moveTime, func() (connection, error) {
		theirIn, out := io.Pipe()
		in, theirOut := io.Pipe()
		go func() {
			program(theirIn, theirOut)
			theirIn.Close()
			theirOut.Close()
		}()
		return connection{in, out, func(drain func()) { out.Close(); drain() }}, nil
	})
	if err == nil {
		t.Cleanup(p.Close)
	}
	return p, err
}

// A program that speaks the protocol plays the same as its player does
// directly.
func TestProgramPlays(t *testing.T) {
	for _, g := range []engine.Game{trails.Game{}, sample.Game{}} {
		e := server(g)
		program, err := connect(t, g, 0, func(in io.Reader, out io.Writer) { e.Serve(t.Context(), in, out) })
		if err != nil {
			t.Fatal(err)
		}
		limits := search.Limits{Nodes: 5}
		l, p, err := ParseHistory(g, "start")
		if err != nil {
			t.Fatal(err)
		}
		for turns := 0; turns < 6 && p.Seat() != engine.Nobody; turns++ {
			limits.Seed = uint64(turns) << 62
			theirs, err := program.Follow(l).Think(t.Context(), p, limits)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := e.Engine.Strongest().Player.Think(t.Context(), p, limits)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(theirs.Actions, ours.Actions) || theirs.Nodes != ours.Nodes {
				t.Errorf("%s: it plays %v, not %v", g.Key(), theirs, ours)
			}
			p = enginetest.Apply(t, p, theirs.Actions...)
			l.Actions = append(l.Actions, theirs.Actions...)
		}
	}
}

// script is a program that answers some words with fixed lines.
func script(answers map[string]string) func(io.Reader, io.Writer) {
	return func(in io.Reader, out io.Writer) {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			word, _, _ := strings.Cut(lines.Text(), " ")
			answer, ok := answers[word]
			if answer == "die" {
				return
			}
			if ok {
				io.WriteString(out, answer+"\n")
			}
		}
	}
}

const greeting = "id name Other\nwhatever it likes\nprotocol 1\ngame trails rules 1 seats 2 2\ncastellanok"

// A program that does not speak the protocol is refused at once, and one that plays
// wrongly is ended.
func TestProgramErrors(t *testing.T) {
	for answer, said := range map[string]string{
		"die":                                 "exited",
		"error what?":                         "what?",
		"protocol 2":                          "version",
		"protocol 1\ngame chess\ncastellanok": "chess",
		"protocol 1\ncastellanok":             "trails",
		strings.Repeat("x", 2*MaxLine):        "more than",
		"id name Other\nprotocol 1\ngame trails\n": "does not answer",
	} {
		synctest.Test(t, func(t *testing.T) {
			if _, err := connect(t, trails.Game{}, 0, script(map[string]string{"castellan": answer})); err == nil || !strings.Contains(err.Error(), said) {
				t.Errorf("%.40q: %v", answer, err)
			}
		})
	}
	for answer, said := range map[string]string{
		"bestturn sideways":    "sideways",
		"bestturn":             "not a whole turn",
		"bestturn right right": "after its end",
		"error I am lost":      "I am lost",
		"info depth 1 nodes":   "does not answer", // and no turn
		"die":                  "exited",
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := connect(t, trails.Game{}, 0, script(map[string]string{"castellan": greeting, "go": answer}))
			if err != nil {
				t.Fatal(err)
			}
			l, p, err := ParseHistory(trails.Game{}, "start")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := c.Follow(l).Think(ctx, p, search.Limits{}); err == nil || !strings.Contains(err.Error(), said) || len(c.all) != 0 {
				t.Errorf("%q: %v, %d processes", answer, err, len(c.all))
			}
		})
	}
}

// The program is asked for the caller's limits.
func TestProgramLimits(t *testing.T) {
	for want, limits := range map[string]search.Limits{
		"go":                 {},
		"go nodes 7":         {Nodes: 7},
		"go nodes 7 depth 2": {Nodes: 7, Depth: 2},
		"go movetime 50":     {},
	} {
		var moveTime time.Duration
		if strings.Contains(want, "movetime") {
			moveTime = 50 * time.Millisecond
		}
		if got := goCommand(limits, moveTime); got != want {
			t.Errorf("%+v: %q, not %q", limits, got, want)
		}
	}
	got := parseInfo("depth 3 nodes 12 values 0.5 0.5 pv right 9 nodes 4", search.Decision{})
	if got.Depth != 3 || got.Nodes != 12 {
		t.Errorf("%+v", got)
	}
}
