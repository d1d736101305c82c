package protocol

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/towers"
	"castellan/engine/trails"
)

// bestTurn checks that the answers end with a whole turn, and plays it.
func bestTurn(t *testing.T, p engine.Position, said []string) engine.Position {
	t.Helper()
	for _, l := range said {
		if strings.HasPrefix(l, "error") {
			t.Fatalf("it says %q", said)
		}
	}
	turn, ok := strings.CutPrefix(said[len(said)-1], "bestturn ")
	if !ok {
		t.Fatalf("it ends with %q", said[len(said)-1])
	}
	turns := p.Turns()
	p = enginetest.Play(t, p, turn)
	if p.Turns() == turns && p.Seat() != engine.Nobody {
		t.Fatalf("%q is not a whole turn", turn)
	}
	return p
}

// Whatever the limits, the answer is the rest of the turn.
func TestBestTurn(t *testing.T) {
	for _, c := range []struct {
		game     engine.Game
		position string
	}{
		{trails.Game{}, "start options size=5 towers=1 turns right left"},
		{sample.Game{}, "start seats 3 options piles=2 counters=4 turns a2"},
		{towers.Game{}, "start"},
	} {
		_, p, err := ParseHistory(c.game, c.position)
		if err != nil {
			t.Fatal(err)
		}
		for _, limits := range []string{"", "nodes 3", "depth 2", "movetime 5", "level casual", "level newcomer nodes 2", "infinite"} {
			said := talk(t, server(c.game), "position "+c.position, "go "+limits)
			bestTurn(t, p, said)
			if n := len(said); n < 2 || !strings.HasPrefix(said[n-2], "info ") || !strings.Contains(said[n-2], " nodes ") {
				t.Errorf("%s, go %s: %q", c.game.Key(), limits, said)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ line, said string }{
		{"frobnicate", "position"},
		{"go fast", "movetime"},
		{"go nodes", "a number"},
		{"go nodes -1", "a number"},
		{"go depth 99999999999999999999", "a number"},
		{"go level wizard", "newcomer"},
		{"go infinite nodes 3", "excludes other limits"},
		{"setoption level master", "setoption name NAME value VALUE"},
		{"setoption name colour value red", "seed"},
		{"setoption name level value wizard", "newcomer"},
		{"setoption name memory value 0", "4096"},
		{"setoption name memory value 1e3", "4096"},
		{"setoption name seed value -1", "18446744073709551615"},
		{"position", "start"},
		{"position end", "start"},
		{"position start size=5", "unexpected"},
		{"position start seats two", "number"},
		{"position start seats 3", "played by 2"},
		{"position start options size=4", "size"},
		{"position start options colour=red", "colour"},
		{"position start turns sideways", "sideways"},
		{"position start turns rigt", "right"},
		{"position record sometimes\n.", "turn N"},
		{"position record\nnonsense\n.", "Castellan record"},
		{"position record turn 7\nCastellan record 1\nGame: trails\n\n1. right\n.", "no turn 7"},
		{strings.Repeat("x", MaxLine+1), "at most"},
		{"go \xff\x00", "no limit"},
	} {
		before := talk(t, server(trails.Game{}), "position start options size=5 towers=1", "go nodes 4")
		said := talk(t, server(trails.Game{}), "position start options size=5 towers=1", c.line, "go nodes 4")
		if !strings.HasPrefix(said[0], "error ") || !strings.Contains(said[0], c.said) {
			t.Errorf("%.60q is answered by %q", c.line, said[0])
		}
		if !slices.Equal(said[1:], before) {
			t.Errorf("%.60q has changed something: %q, not %q", c.line, said[1:], before)
		}
	}
	over := talk(t, server(sample.Game{}), "position start seats 2 options piles=1 counters=1 most=1 turns a end pass pass", "go nodes 1")
	if len(over) != 1 || !strings.HasPrefix(over[0], "error the game is over") {
		t.Errorf("%q", over)
	}
}

// A record sets the position after any of its turns, by default the last.
func TestPositionRecord(t *testing.T) {
	record := "Castellan record 1\nGame: trails\nOptions: size=7 towers=1\n\n1. right\n2. left\n3. down\n."
	for _, c := range []struct{ record, start string }{
		{"position record\n" + record, "right left down"},
		{"position record turn 2\n" + record, "right left"},
		{"position record turn 0\n" + record, ""},
	} {
		a := talk(t, server(trails.Game{}), c.record, "go nodes 8")
		b := talk(t, server(trails.Game{}), strings.TrimSuffix("position start options size=7 towers=1 turns "+c.start, " turns "), "go nodes 8")
		if !slices.Equal(a, b) || !strings.HasPrefix(a[len(a)-1], "bestturn") {
			t.Errorf("%q and %q", a, b)
		}
	}
}

func TestStop(t *testing.T) {
	e, w := server(trails.Game{}), blockingPlayer{make(chan struct{}, 1)}
	e.Engine.Levels[len(e.Engine.Levels)-1].Player = w
	c := converse(t, e)
	c.say("stop") // there is nothing to stop, which may happen
	c.say("go infinite")
	<-w.begun
	for _, line := range []string{"go", "position start", "newgame", "setoption name seed value 1", "position record\nx\n."} {
		c.say(line)
		if said := c.hear("error"); !strings.Contains(said, "stop") {
			t.Errorf("%q is answered by %q", line, said)
		}
	}
	c.say("isready") // is answered in the meantime
	c.hear("readyok")
	c.say("stop")
	c.hear("bestturn")
	c.say("position start") // may come at once
	c.say("go nodes 1 level newcomer")
	c.hear("bestturn")
	c.say("quit")
}

// At the end of input the server finishes bounded searches and stops others;
// "quit" stops all.
func TestEndOfInput(t *testing.T) {
	for _, lines := range [][]string{{"go infinite"}, {"go depth 3"}, {"go", "quit"}} {
		e, w := server(trails.Game{}), blockingPlayer{make(chan struct{}, 1)}
		e.Engine.Levels[len(e.Engine.Levels)-1].Player = w
		bestTurn(t, start(t, trails.Game{}), talk(t, e, lines...))
	}
	nodes := func(said []string) bool { return strings.Contains(said[len(said)-2], " nodes 6 ") }
	if said := talk(t, server(trails.Game{}), "go nodes 6"); !nodes(said) {
		t.Errorf("it does not finish: %q", said)
	}
}

func start(t *testing.T, g engine.Game) engine.Position {
	least, _ := g.Seats()
	return enginetest.Start[engine.Position](t, g, "", least)
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Serve fails if reading or writing does, and for a level that does not exist. It ends
// with its context.
func TestServeErrors(t *testing.T) {
	wizard := server(trails.Game{})
	wizard.Level = "wizard"
	if err := wizard.Serve(t.Context(), strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), search.LevelKeys[0]) {
		t.Errorf("an unknown level: %v", err)
	}
	if err := server(trails.Game{}).Serve(t.Context(), strings.NewReader("isready\nisready\n"), failingWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("writing: %v", err)
	}
	if err := server(trails.Game{}).Serve(t.Context(), iotest.ErrReader(io.ErrUnexpectedEOF), io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, never := io.Pipe()
	defer never.Close()
	cancel()
	if err := server(trails.Game{}).Serve(ctx, in, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestHistoryRoundTrip(t *testing.T) {
	for _, text := range []string{"start", "start seats 3", "start seats 2 options piles=1", "start options piles=1 counters=3 turns a2 a end"} {
		l, p, err := ParseHistory(sample.Game{}, text)
		if err != nil {
			t.Fatal(err)
		}
		again, q, err := ParseHistory(sample.Game{}, l.String())
		if err != nil || again.String() != l.String() || p.Hash() != q.Hash() {
			t.Errorf("%q gives %q: %v", text, l, err)
		}
	}
}

// Whatever it reads, the server answers in known lines, and ends at the end of
// input.
func FuzzEngine(f *testing.F) {
	for _, s := range []string{
		"castellan\nisready\ngo nodes 5\nstop\nquit", "position start options size=5 towers=1 turns right left\ngo",
		"position record turn 1\nCastellan record 1\nGame: trails\n\n1. right\n.\ngo depth 2", "go infinite\ngo\nposition start\nstop\nstop",
		"setoption name level value casual\nsetoption name memory value 1\nsetoption name seed value 7\nnewgame\ngo movetime 1",
		"position start turns right rigt\n\x00\xff\r\n.\nposition record\n", "go level newcomer nodes 3 depth 1\ngo level",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		asked := strings.Count(text, "go")
		for _, l := range talk(t, server(trails.Game{}), text) {
			word, _, _ := strings.Cut(l, " ")
			if !slices.Contains([]string{"id", "protocol", "game", "setup", "option", "castellanok", "readyok", "info", "bestturn", "error"}, word) {
				t.Fatalf("it says %q", l)
			}
			if word == "bestturn" {
				if asked--; asked < 0 {
					t.Fatal("it answers what was not asked")
				}
			}
		}
	})
}
