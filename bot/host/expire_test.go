package host_test

import (
	"context"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// To the second: the last moment is still in time, the next is not, whether or
// not anybody has recorded it.
func TestAChallengeIsAnsweredBeforeItExpires(t *testing.T) {
	answers := map[string]func(w *world, ch storage.Challenge) error{
		"accept": func(w *world, ch storage.Challenge) error {
			_, _, err := w.host.Accept(context.Background(), w.by(ben), ch.ID)
			return err
		},
		"join": func(w *world, ch storage.Challenge) error {
			_, _, err := w.host.Join(context.Background(), w.by(ben), ch.ID)
			return err
		},
		"decline": func(w *world, ch storage.Challenge) error {
			_, err := w.host.Decline(context.Background(), w.by(ben), ch.ID)
			return err
		},
		"cancel": func(w *world, ch storage.Challenge) error {
			_, err := w.host.Cancel(context.Background(), w.by(anna), ch.ID)
			return err
		},
		"leave": func(w *world, ch storage.Challenge) error {
			_, err := w.host.Leave(context.Background(), w.by(anna), ch.ID)
			return err
		},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.pass(700 * time.Millisecond)
			ch := w.offer("trails", "", nil)
			if want := w.clock.Add(host.OpenFor).Truncate(time.Second); !ch.ExpiresAt.Equal(want) {
				t.Fatalf("it expires at %s, want %s", ch.ExpiresAt, want)
			}
			w.pass(ch.ExpiresAt.Sub(w.clock))
			w.unchanged(t, 1, ch.ID, func() {
				r := refused(t, answer(w, ch), host.ErrExpired)
				if r.Challenge == nil || r.Challenge.ID != ch.ID {
					t.Errorf("the refusal is about %+v", r.Challenge)
				}
			})
			must(t, w.host.Expire(t.Context(), ch.ID))
			w.unchanged(t, 1, ch.ID, func() { refused(t, answer(w, ch), host.ErrExpired) })

			other := w.offer("trails", "", nil)
			w.pass(other.ExpiresAt.Sub(w.clock) - time.Nanosecond)
			must(t, answer(w, other))
		})
	}
}

// A table cannot be started, either.
func TestATableExpires(t *testing.T) {
	w := newWorld(t)
	ch := w.table(4)
	_, err := w.does("Ben joins", ch.ID)
	must(t, err)
	w.pass(host.OpenFor)
	_, _, err = w.host.Start(t.Context(), w.by(anna), ch.ID)
	refused(t, err, host.ErrExpired)
}

// Recording it is idempotent, brings the message up to date once, and waits
// for its time.
func TestExpireRecordsIt(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", "", nil)
	must(t, w.host.ChallengeShown(t.Context(), ch.ID, "m", ch.Revision))
	due := func() []storage.ChallengeID {
		o, err := w.host.Overdue(t.Context(), 10)
		must(t, err)
		return o.Challenges
	}
	w.pass(host.OpenFor - time.Nanosecond)
	w.unchanged(t, 1, ch.ID, func() { must(t, w.host.Expire(t.Context(), ch.ID)) })
	if got := due(); len(got) != 0 {
		t.Errorf("due before its time: %v", got)
	}
	w.pass(time.Hour)
	if got := due(); len(got) != 1 || got[0] != ch.ID {
		t.Fatalf("due: %v", got)
	}
	must(t, w.host.Expire(t.Context(), ch.ID))
	after, err := w.host.FindChallenge(t.Context(), ch.ID)
	must(t, err)
	if after.State != storage.ChallengeExpired || !after.ResolvedAt.Equal(ch.ExpiresAt) || after.Revision != ch.Revision+1 {
		t.Errorf("it is %+v", after)
	}
	work, err := w.host.Work(t.Context(), 10)
	must(t, err)
	if len(work.Challenges) != 1 || len(due()) != 0 {
		t.Errorf("to be shown: %v, due: %v", work.Challenges, due())
	}
	w.unchanged(t, 1, ch.ID, func() { must(t, w.host.Expire(t.Context(), ch.ID)) })
	refused(t, w.host.Expire(t.Context(), 99), host.ErrNoChallenge)
}

// An answer that was delivered before is repeated as ever.
func TestARepeatedAnswerOutlivesTheChallenge(t *testing.T) {
	w := newWorld(t)
	ch := w.offer("trails", "", nil)
	cause := w.by(ben)
	_, v, err := w.host.Accept(t.Context(), cause, ch.ID)
	must(t, err)
	w.pass(2 * host.OpenFor)
	_, again, err := w.host.Accept(t.Context(), cause, ch.ID)
	must(t, err)
	if !again.Repeated || again.Record.ID != v.Record.ID {
		t.Errorf("the second delivery gives %+v", again)
	}
	must(t, w.host.Expire(t.Context(), ch.ID)) // it was accepted: nothing to do
	if ch, _ := w.host.FindChallenge(t.Context(), ch.ID); ch.State != storage.ChallengeAccepted {
		t.Errorf("it is %s", ch.State)
	}
}
