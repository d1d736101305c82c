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

// somebody returns the person with a number.
func somebody(n int) storage.Person {
	return storage.Person{ID: fmt.Sprint(1000 + n), Name: fmt.Sprintf("P%d", n)}
}

// challenges has a person challenge another in a channel.
func (w *world) challenges(by, to storage.Person, channel string) (storage.Challenge, error) {
	return w.host.CreateChallenge(context.Background(), w.by(by), host.Proposal{
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
	w.pass(500 * time.Millisecond)
	first := w.clock
	var last storage.Challenge
	for range 2 {
		var err error
		last, err = w.challenges(anna, ben, "2")
		must(t, err)
		w.pass(10 * time.Second)
	}
	// Cancelled challenges count, and so do those in other channels.
	_, err := w.host.Cancel(t.Context(), w.by(anna), last.ID)
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
	w.pass(again.Sub(w.clock)) // "again" holds
	_, err = w.challenges(anna, ben, "2")
	must(t, err)
}

func TestMadeInChannelLimit(t *testing.T) {
	w := newWorld(t, host.Limits{MadeInChannel: 3, Window: time.Minute})
	for n := range 3 {
		_, err := w.challenges(somebody(n), ben, "2")
		must(t, err)
	}
	_, err := w.challenges(anna, ben, "2")
	limited(t, err, host.LimitMadeInChannel, 3, w.clock.Add(time.Minute))
	_, err = w.challenges(anna, ben, "3")
	must(t, err)
	w.pass(-48 * time.Hour) // the clock was ahead when they were made
	_, err = w.challenges(anna, ben, "2")
	must(t, err)
}

func TestOpenChallengeLimits(t *testing.T) {
	w := newWorld(t, host.Limits{OpenByPerson: 2, OpenInChannel: 3})
	one, err := w.challenges(anna, ben, "2")
	must(t, err)
	w.pass(time.Hour)
	_, err = w.challenges(anna, ben, "3")
	must(t, err)
	w.pass(time.Hour)
	_, err = w.challenges(anna, ben, "4")
	limited(t, err, host.LimitOpenByPerson, 2, one.ExpiresAt)
	_, _, err = w.host.Accept(t.Context(), w.by(ben), one.ID) // an answer makes room
	must(t, err)
	four, err := w.challenges(anna, ben, "4")
	must(t, err)
	for n := range 2 {
		_, err = w.challenges(somebody(n), ben, "4")
		must(t, err)
	}
	_, err = w.challenges(somebody(9), ben, "4")
	limited(t, err, host.LimitOpenInChannel, 3, four.ExpiresAt)
	// Expired challenges do not count, even before Expire has recorded them.
	w.pass(host.ChallengeLifetime)
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
		_, _, err := w.host.Accept(t.Context(), w.by(anna), free.ID)
		limited(t, err, host.LimitRunning, 2, time.Time{})
	})
	w.unchanged(t, 0, mine.ID, func() {
		_, _, err := w.host.Accept(t.Context(), w.by(chloe), mine.ID)
		if e := limited(t, err, host.LimitRunning, 2, time.Time{}); e.Person != anna {
			t.Errorf("it is the limit of %v", e.Person)
		}
	})
	// Resigning is never limited, and makes room.
	w.resign(anna, last)
	w.accept(chloe, mine)
}

func TestNoLimit(t *testing.T) {
	w := newWorld(t, host.Limits{MadeByPerson: -1, MadeInChannel: -1, OpenByPerson: -1, OpenInChannel: -1, Running: -1})
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
	actor := w.by(anna)
	offer := host.Proposal{Place: here, Opponents: []storage.Person{ben}, Game: "trails"}
	first, err := w.host.CreateChallenge(t.Context(), actor, offer)
	must(t, err)
	again, err := w.host.CreateChallenge(t.Context(), actor, offer)
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
