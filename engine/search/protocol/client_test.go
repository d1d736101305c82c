package protocol_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/search/protocol"
	"castellan/engine/trails"
)

// patient never finds a program late.
var patient = protocol.ClientConfig{After: func(time.Duration) <-chan time.Time { return nil }}

// hasty finds every program late.
var hasty = protocol.ClientConfig{After: func(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}}

// dial connects a client to a program, which is a function of its streams.
func dial(t *testing.T, g engine.Game, s protocol.ClientConfig, program func(io.Reader, io.Writer)) (*protocol.Client, error) {
	t.Helper()
	theirIn, out := io.Pipe()
	in, theirOut := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		program(theirIn, theirOut)
		theirIn.Close()
		theirOut.Close()
	}()
	t.Cleanup(func() {
		out.Close()
		in.Close()
		<-ended
	})
	return protocol.Dial(g, in, out, s)
}

// A program that speaks the protocol plays the same as its player does
// directly.
func TestClientPlays(t *testing.T) {
	for _, g := range []engine.Game{trails.Game{}, sample.Game{}} {
		e := server(g)
		c, err := dial(t, g, patient, func(in io.Reader, out io.Writer) { e.Serve(t.Context(), in, out) })
		if err != nil {
			t.Fatal(err)
		}
		if c.Name != e.Name {
			t.Errorf("it is called %q", c.Name)
		}
		limits := search.Limits{Nodes: 5}
		l, p, err := protocol.ParseHistory(g, "start")
		if err != nil {
			t.Fatal(err)
		}
		for turns := 0; turns < 6 && p.Seat() != engine.Nobody; turns++ {
			limits.Seed = uint64(turns) << 62
			theirs, err := c.Player(l).Think(t.Context(), p, limits)
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
		if err := c.Quit(); err != nil {
			t.Error(err)
		}
		c.Drain()
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

func TestDialErrors(t *testing.T) {
	for answer, said := range map[string]string{
		"die":                                      "exited",
		"error what?":                              "what?",
		"protocol 2":                               "version",
		"protocol 1\ngame chess\ncastellanok":      "chess",
		"protocol 1\ncastellanok":                  "trails",
		strings.Repeat("x", 2*protocol.MaxLine):    "exited",
		"id name Other\nprotocol 1\ngame trails\n": "does not answer",
	} {
		s := patient
		if said == "does not answer" {
			s = hasty
		}
		if _, err := dial(t, trails.Game{}, s, script(map[string]string{"castellan": answer})); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%.40q: %v", answer, err)
		}
	}
}

// An error of the program is reported with what it did, then and at every later
// call.
func TestClientErrors(t *testing.T) {
	for answer, said := range map[string]string{
		"bestturn sideways":    "sideways",
		"bestturn":             "not a whole turn",
		"bestturn right right": "after its end",
		"error I am lost":      "I am lost",
		"info depth 1 nodes":   "stop", // and no turn
		"die":                  "exited",
	} {
		s := patient
		ctx, cancel := context.WithCancel(t.Context())
		c, err := dial(t, trails.Game{}, s, script(map[string]string{"castellan": greeting, "go": answer}))
		if err != nil {
			t.Fatal(err)
		}
		if said == "stop" {
			c, err = dial(t, trails.Game{}, graceForHandshake(), script(map[string]string{"castellan": greeting, "go": answer}))
			if err != nil {
				t.Fatal(err)
			}
			cancel()
		}
		l, p, err := protocol.ParseHistory(trails.Game{}, "start")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Player(l).Think(ctx, p, search.Limits{})
		if err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v", answer, err)
		}
		if _, again := c.Player(l).Think(ctx, p, search.Limits{}); !errors.Is(again, err) {
			t.Errorf("%q: then %v", answer, again)
		}
		cancel()
	}
}

// graceForHandshake never times out on the handshake.
func graceForHandshake() protocol.ClientConfig {
	first := true
	return protocol.ClientConfig{After: func(d time.Duration) <-chan time.Time {
		if first {
			first = false
			return nil
		}
		return hasty.After(d)
	}}
}

// The program is asked for the caller's limits.
func TestClientLimits(t *testing.T) {
	for want, limits := range map[string]search.Limits{
		"go":                 {},
		"go nodes 7":         {Nodes: 7},
		"go nodes 7 depth 2": {Nodes: 7, Depth: 2},
		"go movetime 50":     {},
	} {
		s := patient
		if strings.Contains(want, "movetime") {
			s.MoveTime = 50 * time.Millisecond
		}
		var heard []string
		c, err := dial(t, trails.Game{}, s, func(in io.Reader, out io.Writer) {
			lines := bufio.NewScanner(in)
			for lines.Scan() {
				heard = append(heard, lines.Text())
				switch word, _, _ := strings.Cut(lines.Text(), " "); word {
				case "castellan":
					io.WriteString(out, greeting+"\n")
				case "go":
					io.WriteString(out, "info depth 3 nodes 12 values 0.5 0.5 pv right 9 nodes 4\nbestturn right\n")
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		l, p, err := protocol.ParseHistory(trails.Game{}, "start")
		if err != nil {
			t.Fatal(err)
		}
		decision, err := c.Player(l).Think(t.Context(), p, limits)
		if err != nil || decision.Depth != 3 || decision.Nodes != 12 {
			t.Errorf("%+v, %v", decision, err)
		}
		if got := heard[len(heard)-1]; got != want || heard[1] != "position "+l.String() {
			t.Errorf("it hears %q, not %q", heard, want)
		}
	}
}
