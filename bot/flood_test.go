package bot

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"castellan/storage"
)

// asks is a request of a person in a channel.
func asks(k kind, person, channel, path string) *Request {
	return &Request{Person: storage.Person{ID: person}, Place: storage.Place{Channel: channel}, kind: k, path: path}
}

func TestFlood(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 300_000_000, time.UTC)
	g := newGuard(Flood{Burst: 3, Rate: 0.5, ChannelBurst: 5, ChannelRate: 1})
	admitted := func(r *Request, at time.Time, n int) {
		t.Helper()
		for i := range n {
			if err := g.admit(r, at); err != nil {
				t.Fatalf("request %d: %v", i+1, err)
			}
		}
	}
	refused := func(r *Request, at time.Time, channel bool) time.Time {
		t.Helper()
		var e *floodError
		if err := g.admit(r, at); !errors.As(err, &e) || e.channel != channel {
			t.Fatalf("%v, want a refusal", err)
		}
		if e.again.Nanosecond() != 0 || !e.again.After(at) {
			t.Fatalf("to try again at %s, now %s", e.again, at)
		}
		return e.again
	}
	anna := asks(onCommand, "1", "c", "move")
	admitted(anna, now, 3)
	var again time.Time
	for range 5 { // being refused does not make it later
		again = refused(anna, now, false)
	}
	if want := now.Add(2 * time.Second).Truncate(time.Second).Add(time.Second); !again.Equal(want) {
		t.Errorf("again at %s, want %s", again, want)
	}
	// Leaving and suggestions have their own accounts.
	admitted(asks(onCommand, "1", "c", "resign"), now, 1)
	admitted(asks(onClick, "1", "c", "match/1/2/claimed"), now, 1)
	admitted(asks(onClick, "1", "c", "challenge/1/cancel"), now, 1)
	refused(asks(onClick, "1", "c", "match/1/2/resign"), now, false)
	admitted(asks(onSuggest, "1", "c", "move/turn"), now, 3*suggesting)
	refused(asks(onSuggest, "1", "c", "resign/match"), now, false)
	// Others have their own, until the channel has had enough.
	admitted(asks(onClick, "2", "c", "match/1/2/turn"), now, 2)
	refused(asks(onClick, "2", "c", "match/1/2/turn"), now, true)
	admitted(asks(onClick, "3", "d", "match/1/2/turn"), now, 1)
	admitted(asks(onClick, "2", "c", "challenge/1/decline"), now, 1)
	// What was said holds.
	admitted(anna, again, 1)
}

// The memory is bounded, and who is active is not forgotten.
func TestFloodForgetsTheLongestUnused(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	g := newGuard(Flood{Burst: 1, Rate: 0.001, ChannelBurst: 1 << 30, Most: 10})
	if err := g.admit(asks(onClick, "anna", "c", "x"), now); err != nil {
		t.Fatal(err)
	}
	for n := range 1000 {
		if err := g.admit(asks(onClick, fmt.Sprint(n), "c", "x"), now); err != nil {
			t.Fatal(err)
		}
		if err := g.admit(asks(onClick, "anna", "c", "x"), now); err == nil {
			t.Fatalf("after %d others Anna has a new account", n+1)
		}
	}
	if len(g.accounts) != 10 || g.used.Len() != 10 {
		t.Errorf("%d accounts are kept", len(g.accounts))
	}
}

func TestNoFloodGuard(t *testing.T) {
	g := newGuard(Flood{Burst: -1})
	for range 1000 {
		if err := g.admit(asks(onClick, "1", "c", "x"), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFloodDefaults(t *testing.T) {
	want := Flood{Burst: 30, Rate: 2, ChannelBurst: 150, ChannelRate: 15, Most: 20_000}
	if got := (Flood{}).complete(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := want.complete(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
