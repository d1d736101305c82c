package host_test

import (
	"context"
	"errors"
	"testing"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
)

// What is stored and what is thought decide alone: killed at any moment the
// computer plays the same turn, and once.
func TestAThoughtIsThoughtAgainAsItWas(t *testing.T) {
	w := newWorld(t)
	v := w.against("trails", casual)
	v = w.act(v, "right")
	first, err := w.host.Think(t.Context(), v.Record.ID, 0)
	must(t, err)
	again, err := w.host.Think(t.Context(), v.Record.ID, 0)
	must(t, err)
	if first != again {
		t.Errorf("%+v, then %+v", first, again)
	}
	after, err := w.host.PlayThought(t.Context(), first)
	must(t, err)
	if last, _ := after.Match.Last(); last.Seat != 2 || last.String() != first.Text {
		t.Errorf("it played %s, thought was %s", last, first.Text)
	}
	w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
		_, err := w.host.PlayThought(t.Context(), again)
		refused(t, err, host.ErrStale)
	})
}

func TestAThoughtThatComesTooLateChangesNothing(t *testing.T) {
	for name, meanwhile := range map[string]func(*world, *host.View){
		"the person resigns": func(w *world, v *host.View) {
			_, err := w.host.Resign(w.t.Context(), w.by(anna), v.Record.ID, host.Anywhere)
			must(w.t, err)
		},
		"another process plays": func(w *world, v *host.View) { w.replies(v) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.act(w.against("trails", casual), "right")
			thought, err := w.host.Think(t.Context(), v.Record.ID, 0)
			must(t, err)
			meanwhile(w, v)
			w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
				_, err := w.host.PlayThought(t.Context(), thought)
				refused(t, err, host.ErrStale)
			})
			_, err = w.host.Think(t.Context(), v.Record.ID, 0)
			refused(t, err, host.ErrStale)
		})
	}
}

// A level that fails, panics or plays what is none plays at random in the end.
func TestALevelThatFails(t *testing.T) {
	wrong := func(actions ...engine.Action) thinker {
		return func(context.Context, engine.Position, search.Limits) (search.Decision, error) {
			return search.Decision{Actions: actions}, nil
		}
	}
	for name, p := range map[string]search.Player{
		"fails": thinker(func(context.Context, engine.Position, search.Limits) (search.Decision, error) {
			return search.Decision{}, errors.New("as planned")
		}),
		"panics":            thinker(func(context.Context, engine.Position, search.Limits) (search.Decision, error) { panic("as planned") }),
		"plays nothing":     wrong(),
		"plays what is not": wrong(sample.Action{Pile: 3, N: 3}),
		"plays half a turn": wrong(sample.Action{N: 1}),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.act(w.against("sample", casual), "a1 end")
			w.player = p
			w.unchanged(t, v.Record.ID, v.Record.Challenge, func() {
				for tries := range 3 {
					thought, err := w.host.Think(t.Context(), v.Record.ID, tries)
					if err == nil {
						_, err = w.host.PlayThought(t.Context(), thought)
					}
					if refusal := new(host.Refusal); err == nil || errors.As(err, &refusal) {
						t.Errorf("try %d: %v", tries, err)
					}
				}
			})
			thought, err := w.host.Think(t.Context(), v.Record.ID, 3)
			must(t, err)
			v, err = w.host.PlayThought(t.Context(), thought)
			must(t, err)
			if _, ok := v.Computer(); ok {
				t.Error("somebody waits for ever")
			}
		})
	}
}

// A thought that is cut short by the end of the program is none; one whose time
// is up is played.
func TestTheEndOfAThought(t *testing.T) {
	w := newWorld(t)
	v := w.act(w.against("trails", casual), "right")
	ctx, cancel := context.WithCancel(t.Context())
	w.player = thinker(func(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("it may think for ever")
		}
		cancel()
		<-ctx.Done()
		return search.Random{}.Think(ctx, p, l)
	})
	if _, err := w.host.Think(ctx, v.Record.ID, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
