package engine_test

import (
	"errors"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/trails"
)

func TestRegistry(t *testing.T) {
	r, err := engine.NewRegistry(trails.Game{}, sample.Game{})
	if err != nil {
		t.Fatal(err)
	}
	games := r.Games()
	if len(games) != 2 || games[0].Key() != "trails" || games[1].Key() != "sample" {
		t.Fatalf("games %v are in another order", games)
	}
	games[0] = nil
	if r.Games()[0] == nil {
		t.Error("a change of the slice reaches into the registry")
	}
	if g, ok := r.Lookup("sample"); !ok || g.Key() != "sample" {
		t.Errorf("sample is %v, %t", g, ok)
	}
	if g, ok := r.Lookup("chess"); ok || g != nil {
		t.Errorf("chess is %v, %t", g, ok)
	}
	if _, err := engine.NewRegistry(trails.Game{}, trails.Game{}); err == nil {
		t.Error("two games with the same key are accepted")
	}
	if empty, err := engine.NewRegistry(); err != nil || len(empty.Games()) != 0 {
		t.Errorf("an empty registry: %v, %v", empty, err)
	}
}

func TestCheckSeats(t *testing.T) {
	for _, c := range []struct {
		game  engine.Game
		seats int
		want  string
	}{
		{trails.Game{}, 2, ""},
		{trails.Game{}, 1, "trails is played by 2, not by 1"},
		{trails.Game{}, 3, "trails is played by 2, not by 3"},
		{sample.Game{}, 6, ""},
		{sample.Game{}, 7, "sample is played by 2 to 6, not by 7"},
	} {
		err := engine.CheckSeats(c.game, c.seats)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s by %d: %v", c.game.Key(), c.seats, err)
			}
			continue
		}
		var refused *engine.SeatsError
		if !errors.As(err, &refused) || err.Error() != c.want {
			t.Errorf("%s by %d: %v, want %q", c.game.Key(), c.seats, err, c.want)
		}
	}
}

func TestForcedAction(t *testing.T) {
	play := func(options, tokens string) engine.Position {
		return enginetest.Play(t, enginetest.Start[engine.Position](t, sample.Game{}, options, 2), tokens)
	}
	const one = "piles=1 counters=1 most=1"
	for _, c := range []struct {
		name string
		p    engine.Position
		want string
	}{
		{"one action that is neither", play(one, ""), ""},
		{"an end alone", play(one, "a"), engine.End},
		{"a pass alone", play(one, "a end"), engine.Pass},
		{"nothing, after the end of the game", play(one, "a end pass pass"), ""},
		{"an end among others", play("piles=1 counters=2 most=1", "a"), ""},
	} {
		a, ok := engine.ForcedAction(c.p)
		if ok != (c.want != "") || ok && a.String() != c.want {
			t.Errorf("%s: %v, %t, want %q", c.name, a, ok, c.want)
		}
	}
}
