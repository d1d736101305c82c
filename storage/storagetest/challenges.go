package storagetest

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"castellan/storage"
)

// newChallenge is an open challenge of Alice to Bob.
func newChallenge() storage.Challenge {
	return storage.Challenge{
		Place:      storage.Place{Guild: "g", Channel: "c"},
		Challenger: alice,
		Opponent:   bob,
		Game:       "a-game",
		Options:    "size=11",
		First:      "random",
		Seed:       5,
		State:      storage.ChallengeOpen,
		CreatedAt:  epoch,
	}
}

func insertChallenge(t fataler, s storage.Store, c storage.Challenge) storage.ChallengeID {
	t.Helper()
	return insert(t, s, func(tx storage.Tx) (storage.ChallengeID, error) { return tx.InsertChallenge(c) })
}

func challengeOf(t fataler, s storage.Store, id storage.ChallengeID) storage.Challenge {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.Challenge, error) { return r.Challenge(id) })
}

var challengeTests = []test{
	{"NoSuchChallenge", func(t *testing.T, s storage.Store) {
		for _, do := range []func(tx storage.Tx) error{
			func(tx storage.Tx) error { _, err := tx.Challenge(9); return err },
			func(tx storage.Tx) error { return tx.AnswerChallenge(9, storage.ChallengeDeclined, 0, minute(1)) },
			func(tx storage.Tx) error { return tx.ChallengeShown(9, "m", storage.ChallengeOpen) },
			func(tx storage.Tx) error { return tx.ChallengeFailed(9, minute(1)) },
		} {
			wantError(t, s, storage.ErrNotFound, do)
		}
	}},
	{"AChallengeComesBackAsItWas", func(t *testing.T, s storage.Store) {
		full := storage.Challenge{
			ID: 99, Place: storage.Place{Channel: "c"}, Challenger: storage.Person{ID: "1", Name: awkward[1]},
			Opponent: storage.Person{Name: awkward[3]}, Game: "g", Options: awkward[9], First: "me", Seed: math.MaxUint64,
			State: storage.ChallengeOpen, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 7200)),
			Message: "m", ShownState: storage.ChallengeOpen, Tries: 2, Next: minute(3),
		}
		for _, c := range []storage.Challenge{newChallenge(), full} {
			id := insertChallenge(t, s, c)
			if id <= 0 {
				t.Errorf("identifier %d is not positive", id)
			}
			c.ID, c.CreatedAt = id, c.CreatedAt.UTC()
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, c) {
				t.Errorf("challenge\n%+v is read as\n%+v", c, got)
			}
		}
	}},
	{"NoStateMeansOpen", func(t *testing.T, s storage.Store) {
		c := newChallenge()
		c.State = ""
		if got := challengeOf(t, s, insertChallenge(t, s, c)); got.State != storage.ChallengeOpen {
			t.Errorf("it is %q", got.State)
		}
	}},
	{"AChallengeIsAnsweredOnce", func(t *testing.T, s storage.Store) {
		answers := []storage.ChallengeState{storage.ChallengeAccepted, storage.ChallengeDeclined, storage.ChallengeCancelled}
		for _, answer := range answers {
			id := insertChallenge(t, s, newChallenge())
			var match storage.MatchID
			if answer == storage.ChallengeAccepted {
				m := newMatch("c", 0, alice, bob)
				m.Challenge = id
				match = insertMatch(t, s, m)
			}
			update(t, s, func(tx storage.Tx) error {
				if err := tx.ChallengeShown(id, "m", storage.ChallengeOpen); err != nil {
					return err
				}
				return tx.ChallengeFailed(id, minute(8))
			})
			update(t, s, func(tx storage.Tx) error { return tx.AnswerChallenge(id, answer, match, minute(4)) })
			want := newChallenge()
			want.ID, want.State, want.Match, want.AnsweredAt = id, answer, match, minute(4)
			want.Message, want.ShownState = "m", storage.ChallengeOpen
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("the challenge is\n%+v, want\n%+v", got, want)
			}
			for _, second := range answers {
				wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error {
					return tx.AnswerChallenge(id, second, 0, minute(5))
				})
			}
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("after a second answer the challenge is\n%+v, want\n%+v", got, want)
			}
		}
	}},
	{"ShowingAChallenge", func(t *testing.T, s storage.Store) {
		id := insertChallenge(t, s, newChallenge())
		want := newChallenge()
		want.ID = id
		steps := []struct {
			message string
			state   storage.ChallengeState
		}{
			{"m1", storage.ChallengeOpen},
			{"", storage.ChallengeCancelled},
			{"m2", storage.ChallengeDeclined},
		}
		for _, step := range steps {
			update(t, s, func(tx storage.Tx) error { return tx.ChallengeFailed(id, minute(2)) })
			want.Tries, want.Next = 1, minute(2)
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("after a failure the challenge is\n%+v, want\n%+v", got, want)
			}
			update(t, s, func(tx storage.Tx) error { return tx.ChallengeShown(id, step.message, step.state) })
			want.ShownState, want.Tries, want.Next = step.state, 0, time.Time{}
			if step.message != "" {
				want.Message = step.message
			}
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("shown as %q the challenge is\n%+v, want\n%+v", step.state, got, want)
			}
		}
	}},
}

var appliedTests = []test{
	{"AnInteractionIsAppliedOnce", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		challenge := insertChallenge(t, s, newChallenge())
		first := storage.Applied{Interaction: "1234", At: time.Date(2026, 1, 1, 0, 0, 0, 5, time.FixedZone("", -3600)), Match: match, Challenge: challenge, Seq: 7}
		update(t, s, func(tx storage.Tx) error { return tx.Apply(first) })
		wantError(t, s, storage.ErrApplied, func(tx storage.Tx) error {
			return tx.Apply(storage.Applied{Interaction: "1234", At: minute(2), Seq: 8})
		})
		first.At = first.At.UTC()
		got := view(t, s, func(r storage.Reader) (storage.Applied, error) { return r.Applied("1234") })
		if got != first {
			t.Errorf("the note is %+v, want %+v", got, first)
		}
		none := storage.Applied{Interaction: "5678", At: minute(1)}
		update(t, s, func(tx storage.Tx) error { return tx.Apply(none) })
		if got := view(t, s, func(r storage.Reader) (storage.Applied, error) { return r.Applied("5678") }); got != none {
			t.Errorf("the note is %+v, want %+v", got, none)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.Applied("123"); return err })
	}},
	{"ARepeatedDeliveryLeavesTheTransactionWhole", func(t *testing.T, s storage.Store) {
		update(t, s, func(tx storage.Tx) error { return tx.Apply(storage.Applied{Interaction: "1", At: minute(0)}) })
		update(t, s, func(tx storage.Tx) error {
			if err := tx.Apply(storage.Applied{Interaction: "1", At: minute(1)}); !errors.Is(err, storage.ErrApplied) {
				t.Errorf("again: %v, want ErrApplied", err)
			}
			return tx.Apply(storage.Applied{Interaction: "2", At: minute(1)})
		})
		view(t, s, func(r storage.Reader) (storage.Applied, error) { return r.Applied("2") })
	}},
	{"OldNotesAreForgotten", func(t *testing.T, s storage.Store) {
		for n, interaction := range []string{"a", "b", "c", "d"} {
			update(t, s, func(tx storage.Tx) error { return tx.Apply(storage.Applied{Interaction: interaction, At: minute(n)}) })
		}
		forget := func() int {
			return insert(t, s, func(tx storage.Tx) (int, error) { return tx.ForgetApplied(minute(2)) })
		}
		if n := forget(); n != 2 {
			t.Errorf("%d are forgotten, want 2", n)
		}
		if n := forget(); n != 0 {
			t.Errorf("%d more are forgotten, want 0", n)
		}
		for interaction, want := range map[string]error{"a": storage.ErrNotFound, "b": storage.ErrNotFound, "c": nil, "d": nil} {
			wantError(t, s, want, func(tx storage.Tx) error { _, err := tx.Applied(interaction); return err })
		}
		// One that is forgotten can be noted anew.
		update(t, s, func(tx storage.Tx) error { return tx.Apply(storage.Applied{Interaction: "a", At: minute(9)}) })
	}},
}

var workTests = []test{
	{"NothingIsBehind", func(t *testing.T, s storage.Store) {
		work := view(t, s, func(r storage.Reader) (storage.Work, error) { return r.Work(epoch, 10) })
		if len(work.Boards)+len(work.Challenges) != 0 {
			t.Errorf("the work is %+v", work)
		}
	}},
	{"BoardsThatAreDueOrStaleAreBehind", func(t *testing.T, s storage.Store) {
		for _, state := range boardStates {
			id := inState(t, s, state)
			work := view(t, s, func(r storage.Reader) (storage.Work, error) { return r.Work(epoch, 100) })
			got := slices.ContainsFunc(work.Boards, func(b storage.Board) bool { return b.ID == id })
			if want := state == storage.BoardDue || state == storage.BoardStale; got != want {
				t.Errorf("a %s board is behind: %t, want %t", state, got, want)
			}
		}
	}},
	{"BoardsWaitForTheirTime", func(t *testing.T, s storage.Store) {
		var all []storage.BoardID
		for range 4 {
			match := insertMatch(t, s, newMatch("c", 0, alice, bob))
			all = append(all, insertBoard(t, s, storage.Board{Match: match}))
		}
		// 0 failed and is to be tried last, 1 and 3 have not been tried, 2 failed.
		update(t, s, func(tx storage.Tx) error {
			if err := tx.BoardFailed(all[0], minute(20)); err != nil {
				return err
			}
			return tx.BoardFailed(all[2], minute(10))
		})
		check := func(now, limit int, want ...storage.BoardID) {
			t.Helper()
			work := view(t, s, func(r storage.Reader) (storage.Work, error) { return r.Work(minute(now), limit) })
			got := []storage.BoardID{}
			for _, b := range work.Boards {
				got = append(got, b.ID)
			}
			if !slices.Equal(got, append([]storage.BoardID{}, want...)) {
				t.Errorf("at %d, limit %d: %v, want %v", now, limit, got, want)
			}
		}
		check(0, 10, all[1], all[3])
		check(9, 10, all[1], all[3])
		check(10, 10, all[1], all[3], all[2]) // not after now
		check(20, 10, all[1], all[3], all[2], all[0])
		check(20, 3, all[1], all[3], all[2])
		check(20, 1, all[1])
		check(20, 0)
		check(20, -1)
	}},
	{"ChallengesWhoseMessageIsOfAnotherStateAreBehind", func(t *testing.T, s storage.Store) {
		behind := func(now, limit int) []storage.ChallengeID {
			work := view(t, s, func(r storage.Reader) (storage.Work, error) { return r.Work(minute(now), limit) })
			got := []storage.ChallengeID{}
			for _, c := range work.Challenges {
				if want := challengeOf(t, s, c.ID); !reflect.DeepEqual(c, want) {
					t.Errorf("the work has %+v, want %+v", c, want)
				}
				got = append(got, c.ID)
			}
			return got
		}
		check := func(step string, now, limit int, want ...storage.ChallengeID) {
			t.Helper()
			if got := behind(now, limit); !slices.Equal(got, append([]storage.ChallengeID{}, want...)) {
				t.Errorf("%s: %v are behind, want %v", step, got, want)
			}
		}
		one := insertChallenge(t, s, newChallenge())
		two := insertChallenge(t, s, newChallenge())
		check("not posted", 0, 10, one, two)
		check("limit", 0, 1, one)
		update(t, s, func(tx storage.Tx) error { return tx.ChallengeShown(one, "m", storage.ChallengeOpen) })
		check("one posted", 0, 10, two)
		update(t, s, func(tx storage.Tx) error { return tx.ChallengeFailed(two, minute(5)) })
		check("two failed", 4, 10)
		check("two again", 5, 10, two)
		update(t, s, func(tx storage.Tx) error { return tx.AnswerChallenge(one, storage.ChallengeDeclined, 0, minute(6)) })
		check("one answered", 6, 10, one, two)
		update(t, s, func(tx storage.Tx) error { return tx.AnswerChallenge(two, storage.ChallengeCancelled, 0, minute(6)) })
		check("an answer is due at once", 0, 10, one, two)
		update(t, s, func(tx storage.Tx) error { return tx.ChallengeShown(one, "", storage.ChallengeDeclined) })
		update(t, s, func(tx storage.Tx) error { return tx.ChallengeShown(two, "m", storage.ChallengeOpen) })
		check("a message that is late", 9, 10, two)
		update(t, s, func(tx storage.Tx) error { return tx.ChallengeShown(two, "", storage.ChallengeCancelled) })
		check("all shown", 9, 10)
	}},
}
