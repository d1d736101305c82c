package protocol

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"castellan/engine"
	"castellan/engine/search"
)

// server returns a server whose players have a small node limit.
func server(g engine.Game) Server {
	b := search.Generic(g)
	for i := range b.Levels {
		b.Levels[i].Player = search.Limited{Player: b.Levels[i].Player, Limits: search.Limits{Nodes: 4 + int64(i)}}
	}
	return Server{Engine: b, Name: "Castellan test", Author: "somebody"}
}

// blockingPlayer thinks until its context ends.
type blockingPlayer struct{ begun chan struct{} }

func (w blockingPlayer) Think(ctx context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
	w.begun <- struct{}{}
	<-ctx.Done()
	return search.Random{}.Think(ctx, p, search.Limits{})
}

// talk sends lines and returns all answers until the server ends. Nothing takes any
// time.
func talk(t *testing.T, e Server, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		if err := e.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
			t.Fatal(err)
		}
	})
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// conversation talks to a server line by line.
type conversation struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
}

func converse(t *testing.T, e Server) conversation {
	t.Helper()
	theirIn, in := io.Pipe()
	out, theirOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- e.Serve(t.Context(), theirIn, theirOut)
		theirOut.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return conversation{t, in, bufio.NewScanner(out)}
}

func (c conversation) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// hear returns the next line whose first word is the given one.
func (c conversation) hear(word string) string {
	c.t.Helper()
	for c.out.Scan() {
		if first, _, _ := strings.Cut(c.out.Text(), " "); first == word {
			return c.out.Text()
		}
	}
	c.t.Fatalf("it says no %s", word)
	return ""
}
