package host_test

import (
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// over is a match of Anna, who moved first, and Ben that has ended.
func (w *world) over() *host.View {
	w.t.Helper()
	v := w.start("trails", map[string]string{"size": "7", "towers": "1"})
	v, err := w.host.Resign(w.t.Context(), w.by(ben), v.Record.ID, host.AnySeq)
	must(w.t, err)
	return v
}

func (w *world) rematch(p storage.Person, id storage.MatchID) (storage.Challenge, *host.View, error) {
	w.t.Helper()
	return w.host.Rematch(w.t.Context(), w.by(p), id, there, false)
}

func TestARematchExchangesTheSeats(t *testing.T) {
	for _, asks := range []storage.Person{anna, ben} {
		w := newWorld(t)
		last := w.over()
		ch, v, err := w.rematch(asks, last.Record.ID)
		must(t, err)
		if v != nil || ch.Place != there || ch.Challenger != asks || len(ch.Invited) != 1 || ch.Options != last.Record.Options {
			t.Fatalf("%+v %v", ch, v)
		}
		if again, err := w.host.IsRematch(t.Context(), ch.ID); !again || err != nil {
			t.Errorf("a rematch: %v %v", again, err)
		}
		_, v, err = w.host.Accept(t.Context(), w.by(ch.Invited[0]), ch.ID)
		must(t, err)
		if v.Record.Seats[0] != ben || v.Record.Seats[1] != anna {
			t.Errorf("%s asks: %v", asks.Name, v.Record.Seats)
		}
	}
}

func TestWhoAsksSecondAccepts(t *testing.T) {
	w := newWorld(t)
	last := w.over()
	ch, _, err := w.rematch(anna, last.Record.ID)
	must(t, err)
	_, _, err = w.rematch(anna, last.Record.ID)
	refused(t, err, host.ErrRematchPending)

	cause := w.by(ben)
	now, v, err := w.host.Rematch(t.Context(), cause, last.Record.ID, here, false)
	must(t, err)
	if v == nil || v.Repeated || now.ID != ch.ID || now.State != storage.ChallengeAccepted || v.Record.Challenge != ch.ID || v.Record.Place != there {
		t.Fatalf("%+v %+v", now, v)
	}
	_, again, err := w.host.Rematch(t.Context(), cause, last.Record.ID, here, false)
	if err != nil || again == nil || !again.Repeated || again.Record.ID != v.Record.ID {
		t.Errorf("delivered again: %+v %v", again, err)
	}
	for _, p := range []storage.Person{anna, ben} {
		_, _, err = w.rematch(p, last.Record.ID)
		if r := refused(t, err, host.ErrRematchStarted); r.View == nil || r.View.Record.ID != v.Record.ID {
			t.Errorf("%+v", r)
		}
	}
}

func TestARematchIsAskedForAnew(t *testing.T) {
	for name, end := range map[string]func(*world, storage.Challenge) error{
		"declined": func(w *world, ch storage.Challenge) error {
			_, err := w.host.Decline(w.t.Context(), w.by(ben), ch.ID)
			return err
		},
		"cancelled": func(w *world, ch storage.Challenge) error {
			_, err := w.host.Cancel(w.t.Context(), w.by(anna), ch.ID)
			return err
		},
		"expired": func(w *world, ch storage.Challenge) error { w.pass(host.ChallengeLifetime); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			last := w.over()
			ch, _, err := w.rematch(anna, last.Record.ID)
			must(t, err)
			must(t, end(w, ch))
			next, v, err := w.rematch(ben, last.Record.ID)
			if err != nil || v != nil || next.ID == ch.ID || next.Challenger != ben {
				t.Errorf("%+v %+v %v", next, v, err)
			}
		})
	}
}

func TestRematchRefused(t *testing.T) {
	w := newWorld(t)
	running := w.start("trails", nil)
	_, _, err := w.rematch(anna, running.Record.ID)
	refused(t, err, host.ErrNotOver)
	last := w.over()
	_, _, err = w.rematch(chloe, last.Record.ID)
	refused(t, err, host.ErrNotSeated)
	_, _, err = w.rematch(anna, 99)
	refused(t, err, host.ErrNoMatch)
	_, err = w.host.LastEnded(t.Context(), chloe.ID, here.Channel)
	refused(t, err, host.ErrNoFinishedMatch)
	if v, err := w.host.LastEnded(t.Context(), anna.ID, here.Channel); err != nil || v.Record.ID != last.Record.ID {
		t.Errorf("%+v %v", v, err)
	}
	full := newWorld(t, host.Limits{OpenByPerson: 1})
	last = full.over()
	full.offer("trails", "", nil)
	_, _, err = full.rematch(anna, last.Record.ID)
	if r, ok := err.(*host.Refusal); !ok || r.Err.(*host.LimitError).Limit != host.LimitOpenByPerson {
		t.Errorf("%v", err)
	}
}

// A table for those who sat at the last one: a seat that one of them gives up
// is for nobody else.
func TestARematchOfThree(t *testing.T) {
	w := newWorld(t)
	dora := storage.Person{ID: "44", Name: "Dora"}
	ch, err := w.host.CreateChallenge(t.Context(), w.by(anna), host.Proposal{Place: here, Opponents: []storage.Person{ben, chloe}, Game: "sample"})
	must(t, err)
	_, _, err = w.host.Accept(t.Context(), w.by(ben), ch.ID)
	must(t, err)
	_, v, err := w.host.Accept(t.Context(), w.by(chloe), ch.ID)
	must(t, err)
	for range 2 {
		p, _ := v.ToMove()
		v, err = w.host.Resign(t.Context(), w.by(p), v.Record.ID, host.AnySeq)
		must(t, err)
		w.pass(time.Second)
	}
	next, none, err := w.rematch(ben, v.Record.ID)
	must(t, err)
	if none != nil || next.Seats != 3 || len(next.Invited) != 2 || next.First != host.FirstRandom {
		t.Fatalf("%+v", next)
	}
	_, err = w.host.Decline(t.Context(), w.by(anna), next.ID)
	must(t, err)
	_, _, err = w.host.Join(t.Context(), w.by(dora), next.ID)
	refused(t, err, host.ErrDidNotPlay)
	now, none, err := w.rematch(chloe, v.Record.ID)
	if err != nil || none != nil || len(now.Joined) != 2 {
		t.Errorf("%+v %v", now, err)
	}
	_, begun, err := w.host.Join(t.Context(), w.by(anna), next.ID) // who has thought better of it
	if err != nil || begun == nil || len(begun.Record.Seats) != 3 {
		t.Errorf("%+v %v", begun, err)
	}
}
