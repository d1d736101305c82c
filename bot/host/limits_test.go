package host_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

func somebody(n int) storage.Person {
	return storage.Person{ID: fmt.Sprint(1000 + n), Name: fmt.Sprintf("P%d", n)}
}

func (w *world) challenges(by, to storage.Person, channel string) (storage.Challenge, error) {
	return w.Host.CreateChallenge(context.Background(), w.Actor(by), host.Proposal{
		Place: storage.Place{Guild: "1", Channel: channel}, Opponents: []storage.Person{to}, Game: "trails", First: host.FirstMe,
	})
}

// limited fails unless an error is that limit with that time.
func limited(t *testing.T, err error, limit host.Limit, most int, again time.Time) *host.LimitError {
	t.Helper()
	var e *host.LimitError
	if refused := new(host.Refusal); !errors.As(err, &refused) || !errors.As(err, &e) {
		t.Fatalf("%T %v, want the limit %q", err, err, limit)
	}
	if e.Limit != limit || e.Max != most || !e.RetryAt.Equal(again) {
		t.Fatalf("limit %q of %d until %s, want %q of %d until %s", e.Limit, e.Max, e.RetryAt, limit, most, again)
	}
	return e
}

func TestMadeByPersonLimit(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: 2, Window: time.Minute})
	w.Advance(500 * time.Millisecond)
	first := w.Now()
	var last storage.Challenge
	for range 2 {
		var err error
		last, err = w.challenges(anna, ben, "2")
		must(t, err)
		w.Advance(10 * time.Second)
	}
	// Cancelled challenges count, and so do those in other channels.
	_, err := w.Host.Cancel(t.Context(), w.Actor(anna), last.ID)
	must(t, err)
	again := first.Add(time.Minute).Truncate(time.Second).Add(time.Second)
	w.unchanged(t, 1, last.ID, func() {
		_, err := w.challenges(anna, ben, "3")
		if e := limited(t, err, host.LimitMadeByPerson, 2, again); e.Person != anna {
			t.Errorf("it is the limit of %v", e.Person)
		}
	})
	_, err = w.challenges(ben, anna, "2") // others have their own
	must(t, err)
	w.Advance(again.Sub(w.Now())) // "again" holds
	_, err = w.challenges(anna, ben, "2")
	must(t, err)
}

func TestMadeInGuildLimit(t *testing.T) {
	w := newWorld(t, host.Limits{MadeInGuild: 3, Window: time.Minute})
	for n := range 3 {
		_, err := w.challenges(somebody(n), ben, "2")
		must(t, err)
	}
	_, err := w.challenges(anna, ben, "2") // her first
	must(t, err)
	_, err = w.challenges(anna, ben, "3")
	limited(t, err, host.LimitMadeInGuild, 3, w.Now().Add(time.Minute))
	w.Advance(-48 * time.Hour) // the clock was ahead when they were made
	_, err = w.challenges(anna, ben, "2")
	must(t, err)
}

func TestOpenChallengeLimits(t *testing.T) {
	w := newWorld(t, host.Limits{OpenByPerson: 2, OpenInGuild: 3})
	one, err := w.challenges(anna, ben, "2")
	must(t, err)
	w.Advance(time.Hour)
	_, err = w.challenges(anna, ben, "3")
	must(t, err)
	w.Advance(time.Hour)
	_, err = w.challenges(anna, ben, "4")
	limited(t, err, host.LimitOpenByPerson, 2, one.ExpiresAt)
	_, _, err = w.Host.Accept(t.Context(), w.Actor(ben), one.ID) // an answer makes room
	must(t, err)
	two, err := w.challenges(somebody(1), ben, "4")
	must(t, err)
	_, err = w.challenges(somebody(2), ben, "4")
	must(t, err)
	_, err = w.challenges(anna, ben, "4") // her second
	limited(t, err, host.LimitOpenInGuild, 3, two.ExpiresAt.Add(-time.Hour))
	_, err = w.challenges(somebody(9), ben, "4") // everybody may have one
	must(t, err)
	// Expired challenges do not count, even before Expire has recorded them.
	w.Advance(host.ChallengeLifetime)
	_, err = w.challenges(somebody(9), ben, "4")
	must(t, err)
}

func TestRunningLimit(t *testing.T) {
	w := newWorld(t, host.Limits{Running: 2})
	free, err := w.challenges(chloe, anna, "2") // while she had room
	must(t, err)
	mine, err := w.challenges(anna, chloe, "2")
	must(t, err)
	var last *host.View
	for n := range 2 {
		ch, err := w.challenges(anna, somebody(n), "2")
		must(t, err)
		last = w.accept(somebody(n), ch)
	}
	_, err = w.challenges(anna, ben, "2")
	limited(t, err, host.LimitRunning, 2, time.Time{})
	w.unchanged(t, 0, free.ID, func() {
		_, _, err := w.Host.Accept(t.Context(), w.Actor(anna), free.ID)
		limited(t, err, host.LimitRunning, 2, time.Time{})
	})
	w.unchanged(t, 0, mine.ID, func() {
		_, _, err := w.Host.Accept(t.Context(), w.Actor(chloe), mine.ID)
		if e := limited(t, err, host.LimitRunning, 2, time.Time{}); e.Person != anna {
			t.Errorf("it is the limit of %v", e.Person)
		}
	})
	// Resigning is never limited, and makes room.
	w.resign(anna, last)
	w.accept(chloe, mine)
}

func TestNoLimit(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: -1, MadeInGuild: -1, OpenByPerson: -1, OpenInGuild: -1, Running: -1})
	for n := range 60 {
		ch, err := w.challenges(anna, ben, "2")
		must(t, err)
		if n%2 == 0 {
			w.accept(ben, ch)
		}
	}
}

// A repeated delivery of a challenge is not limited.
func TestRepeatedChallengeIgnoresLimits(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: 1, OpenByPerson: 1})
	actor := w.Actor(anna)
	offer := host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails"}
	first, err := w.Host.CreateChallenge(t.Context(), actor, offer)
	must(t, err)
	again, err := w.Host.CreateChallenge(t.Context(), actor, offer)
	must(t, err)
	if again.ID != first.ID {
		t.Errorf("challenge %d, then %d", first.ID, again.ID)
	}
}

// Limits hold for concurrent requests.
func TestConcurrentLimits(t *testing.T) {
	w := newWorld(t, host.Limits{OpenByPerson: 3})
	made := make(chan bool, 20)
	atOnce(20, func(int) {
		_, err := w.challenges(anna, ben, "2")
		made <- err == nil
	})
	n := 0
	for range 20 {
		if <-made {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d got through", n)
	}
}
