package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"castellan/storage"
)

// newChallenge is an open challenge of Alice to Bob, as it is read after it was
// inserted.
func newChallenge() storage.Challenge {
	return storage.Challenge{
		Place:         storage.Place{Guild: "g", Channel: "c"},
		Challenger:    alice,
		Seats:         2,
		Joined:        []storage.Person{alice},
		Invited:       []storage.Person{bob},
		Game:          "a-game",
		Options:       "size=11",
		First:         "random",
		Seed:          5,
		State:         storage.ChallengeOpen,
		CreatedAt:     epoch,
		ShownRevision: -1,
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
			func(tx storage.Tx) error { return tx.ResolveChallenge(9, storage.ChallengeDeclined, 0, minute(1)) },
			func(tx storage.Tx) error { return tx.MarkChallengeShown(9, "m", 0) },
			func(tx storage.Tx) error { return tx.SetChallengePlayers(9, 0, []storage.Person{alice}, nil) },
			func(tx storage.Tx) error { return tx.PostponeChallenge(9, minute(1)) },
		} {
			wantError(t, s, storage.ErrNotFound, do)
		}
	}},
	{"AChallengeComesBackAsItWas", func(t *testing.T, s storage.Store) {
		full := storage.Challenge{
			ID: 99, Place: storage.Place{Channel: "c"}, Challenger: storage.Person{ID: "1", Name: awkward[1]},
			Seats: 6, Joined: []storage.Person{{ID: "1", Name: awkward[1]}, carol, {Name: awkward[3]}},
			Invited: []storage.Person{bob, {ID: "9", Name: awkward[1]}}, Game: "g", Options: awkward[9], First: "me", Seed: math.MaxUint64,
			State: storage.ChallengeOpen, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 7200)),
			ExpiresAt: minute(1), Message: "m", ShownRevision: -1, Attempts: 2, NextAttempt: minute(3),
		}
		alone := newChallenge()
		alone.Seats, alone.Invited = 4, nil
		for _, c := range []storage.Challenge{newChallenge(), full, alone} {
			given := c
			given.Revision, given.ShownRevision = 7, 3 // which it has not come to yet
			id := insertChallenge(t, s, given)
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
		answers := []storage.ChallengeState{storage.ChallengeAccepted, storage.ChallengeDeclined, storage.ChallengeCancelled, storage.ChallengeExpired}
		for _, answer := range answers {
			id := insertChallenge(t, s, newChallenge())
			var match storage.MatchID
			if answer == storage.ChallengeAccepted {
				m := newMatch("c", 0, alice, bob)
				m.Challenge = id
				match = insertMatch(t, s, m)
			}
			update(t, s, func(tx storage.Tx) error {
				if err := tx.MarkChallengeShown(id, "m", 0); err != nil {
					return err
				}
				return tx.PostponeChallenge(id, minute(8))
			})
			update(t, s, func(tx storage.Tx) error { return tx.ResolveChallenge(id, answer, match, minute(4)) })
			want := newChallenge()
			want.ID, want.State, want.Match, want.ResolvedAt = id, answer, match, minute(4)
			want.Message, want.ShownRevision, want.Revision = "m", 0, 1
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("the challenge is\n%+v, want\n%+v", got, want)
			}
			for _, second := range answers {
				wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error {
					return tx.ResolveChallenge(id, second, 0, minute(5))
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
			message  string
			revision int
		}{
			{"m1", 0},
			{"", 3},
			{"m2", 1}, // the message of a slower answer
		}
		for _, step := range steps {
			update(t, s, func(tx storage.Tx) error { return tx.PostponeChallenge(id, minute(2)) })
			want.Attempts, want.NextAttempt = 1, minute(2)
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("after a failure the challenge is\n%+v, want\n%+v", got, want)
			}
			update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(id, step.message, step.revision) })
			want.ShownRevision, want.Attempts, want.NextAttempt = step.revision, 0, time.Time{}
			if step.message != "" {
				want.Message = step.message
			}
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
				t.Errorf("shown as %d the challenge is\n%+v, want\n%+v", step.revision, got, want)
			}
		}
	}},
	{"PeopleJoinAndLeaveInOrder", func(t *testing.T, s storage.Store) {
		other := insertChallenge(t, s, newChallenge())
		c := newChallenge()
		c.Seats = 4
		id := insertChallenge(t, s, c)
		c.ID = id
		people := func(all ...storage.Person) []storage.Person { return all }
		for n, step := range []struct{ joined, invited []storage.Person }{
			{people(alice, carol), people(bob)},
			{people(alice, carol, bob), nil},
			{people(alice, bob), nil},
			{people(alice, bob, carol), nil},
			{people(alice), people(carol, bob)},
			{nil, nil},
			{people(carol, alice, bob), nil},
		} {
			update(t, s, func(tx storage.Tx) error { return tx.PostponeChallenge(id, minute(n)) })
			update(t, s, func(tx storage.Tx) error { return tx.SetChallengePlayers(id, n, step.joined, step.invited) })
			c.Joined, c.Invited, c.Revision = step.joined, step.invited, n+1
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, c) {
				t.Errorf("step %d: the challenge is\n%+v, want\n%+v", n, got, c)
			}
			wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error {
				return tx.SetChallengePlayers(id, n, people(bob), people(alice))
			})
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, c) {
				t.Errorf("step %d, with an old revision: the challenge is\n%+v, want\n%+v", n, got, c)
			}
		}
		want := newChallenge()
		want.ID = other
		if got := challengeOf(t, s, other); !reflect.DeepEqual(got, want) {
			t.Errorf("the other challenge is\n%+v, want\n%+v", got, want)
		}
	}},
	{"NobodyIsSeatedOnceAChallengeIsAnswered", func(t *testing.T, s storage.Store) {
		id := insertChallenge(t, s, newChallenge())
		update(t, s, func(tx storage.Tx) error { return tx.ResolveChallenge(id, storage.ChallengeCancelled, 0, minute(1)) })
		before := challengeOf(t, s, id)
		for revision := range 3 {
			wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error {
				return tx.SetChallengePlayers(id, revision, []storage.Person{alice, bob}, nil)
			})
		}
		if got := challengeOf(t, s, id); !reflect.DeepEqual(got, before) {
			t.Errorf("the challenge is\n%+v, want\n%+v", got, before)
		}
	}},
	{"NobodyStandsTwiceInAChallenge", func(t *testing.T, s storage.Store) {
		id := insertChallenge(t, s, newChallenge())
		before := challengeOf(t, s, id)
		for name, do := range map[string]func(tx storage.Tx) error{
			"joined twice": func(tx storage.Tx) error {
				return tx.SetChallengePlayers(id, 0, []storage.Person{alice, alice}, nil)
			},
			"joined and invited": func(tx storage.Tx) error {
				return tx.SetChallengePlayers(id, 0, []storage.Person{alice}, []storage.Person{{ID: alice.ID, Name: "another"}})
			},
			"from the start": func(tx storage.Tx) error {
				c := newChallenge()
				c.Invited = []storage.Person{bob, bob}
				_, err := tx.InsertChallenge(c)
				return err
			},
		} {
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				_ = do(tx) // which fails the update all the same
				return nil
			})
			if err == nil {
				t.Errorf("%s: the update is committed", name)
			}
			if got := challengeOf(t, s, id); !reflect.DeepEqual(got, before) {
				t.Errorf("%s: the challenge is\n%+v, want\n%+v", name, got, before)
			}
		}
	}},
	{"OfTwoWhoTakeASeatOneIsTold", func(t *testing.T, s storage.Store) {
		c := newChallenge()
		c.Seats = 6
		id := insertChallenge(t, s, c)
		const people = 8
		var seated atomic.Int32
		var wg sync.WaitGroup
		for n := range people {
			wg.Go(func() {
				err := s.Update(context.Background(), func(tx storage.Tx) error {
					// All of them have read the same revision.
					return tx.SetChallengePlayers(id, 0, []storage.Person{alice, {ID: fmt.Sprint(n)}}, nil)
				})
				switch {
				case err == nil:
					seated.Add(1)
				case !errors.Is(err, storage.ErrConflict):
					t.Errorf("seat: %v", err)
				}
			})
		}
		wg.Wait()
		if got := challengeOf(t, s, id); seated.Load() != 1 || len(got.Joined) != 2 || got.Revision != 1 {
			t.Errorf("%d are told that they have the seat, the challenge is %+v", seated.Load(), got)
		}
	}},
}

var appliedTests = []test{
	{"AnInteractionIsAppliedOnce", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		challenge := insertChallenge(t, s, newChallenge())
		first := storage.ProcessedInteraction{Interaction: "1234", At: time.Date(2026, 1, 1, 0, 0, 0, 5, time.FixedZone("", -3600)), Match: match, Challenge: challenge, Seq: 7}
		update(t, s, func(tx storage.Tx) error { return tx.MarkProcessed(first) })
		wantError(t, s, storage.ErrAlreadyProcessed, func(tx storage.Tx) error {
			return tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "1234", At: minute(2), Seq: 8})
		})
		first.At = first.At.UTC()
		got := view(t, s, func(r storage.Reader) (storage.ProcessedInteraction, error) { return r.ProcessedInteraction("1234") })
		if got != first {
			t.Errorf("the note is %+v, want %+v", got, first)
		}
		none := storage.ProcessedInteraction{Interaction: "5678", At: minute(1)}
		update(t, s, func(tx storage.Tx) error { return tx.MarkProcessed(none) })
		if got := view(t, s, func(r storage.Reader) (storage.ProcessedInteraction, error) { return r.ProcessedInteraction("5678") }); got != none {
			t.Errorf("the note is %+v, want %+v", got, none)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { _, err := tx.ProcessedInteraction("123"); return err })
	}},
	{"ARepeatedDeliveryLeavesTheTransactionWhole", func(t *testing.T, s storage.Store) {
		update(t, s, func(tx storage.Tx) error {
			return tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "1", At: minute(0)})
		})
		update(t, s, func(tx storage.Tx) error {
			if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "1", At: minute(1)}); !errors.Is(err, storage.ErrAlreadyProcessed) {
				t.Errorf("again: %v, want ErrApplied", err)
			}
			return tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "2", At: minute(1)})
		})
		view(t, s, func(r storage.Reader) (storage.ProcessedInteraction, error) { return r.ProcessedInteraction("2") })
	}},
	{"OldNotesAreForgotten", func(t *testing.T, s storage.Store) {
		for n, interaction := range []string{"a", "b", "c", "d"} {
			update(t, s, func(tx storage.Tx) error {
				return tx.MarkProcessed(storage.ProcessedInteraction{Interaction: interaction, At: minute(n)})
			})
		}
		forget := func() int {
			return insert(t, s, func(tx storage.Tx) (int, error) { return tx.PruneProcessed(minute(2)) })
		}
		if n := forget(); n != 2 {
			t.Errorf("%d are forgotten, want 2", n)
		}
		if n := forget(); n != 0 {
			t.Errorf("%d more are forgotten, want 0", n)
		}
		for interaction, want := range map[string]error{"a": storage.ErrNotFound, "b": storage.ErrNotFound, "c": nil, "d": nil} {
			wantError(t, s, want, func(tx storage.Tx) error { _, err := tx.ProcessedInteraction(interaction); return err })
		}
		// One that is forgotten can be noted anew.
		update(t, s, func(tx storage.Tx) error {
			return tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "a", At: minute(9)})
		})
	}},
}

var workTests = []test{
	{"NothingIsBehind", func(t *testing.T, s storage.Store) {
		work := view(t, s, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(epoch, 10) })
		if len(work.Boards)+len(work.Challenges) != 0 {
			t.Errorf("the work is %+v", work)
		}
	}},
	{"BoardsThatAreDueOrStaleAreBehind", func(t *testing.T, s storage.Store) {
		for _, state := range boardStates {
			id := inState(t, s, state)
			work := view(t, s, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(epoch, 100) })
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
			if err := tx.PostponeBoard(all[0], minute(20)); err != nil {
				return err
			}
			return tx.PostponeBoard(all[2], minute(10))
		})
		check := func(now, limit int, want ...storage.BoardID) {
			t.Helper()
			work := view(t, s, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(minute(now), limit) })
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
	{"ChallengesWhoseMessageIsOfAnotherRevisionAreBehind", func(t *testing.T, s storage.Store) {
		behind := func(now, limit int) []storage.ChallengeID {
			work := view(t, s, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(minute(now), limit) })
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
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(one, "m", 0) })
		check("one posted", 0, 10, two)
		update(t, s, func(tx storage.Tx) error { return tx.PostponeChallenge(two, minute(5)) })
		check("two failed", 4, 10)
		check("two again", 5, 10, two)
		update(t, s, func(tx storage.Tx) error { return tx.ResolveChallenge(one, storage.ChallengeDeclined, 0, minute(6)) })
		check("one answered", 6, 10, one, two)
		update(t, s, func(tx storage.Tx) error { return tx.ResolveChallenge(two, storage.ChallengeCancelled, 0, minute(6)) })
		check("an answer is due at once", 0, 10, one, two)
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(one, "", 1) })
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(two, "m", 0) })
		check("a message that is late", 9, 10, two)
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(two, "", 1) })
		check("all shown", 9, 10)
		three := insertChallenge(t, s, newChallenge())
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(three, "m", 0) })
		check("another is posted", 9, 10)
		update(t, s, func(tx storage.Tx) error { return tx.SetChallengePlayers(three, 0, []storage.Person{alice, bob}, nil) })
		check("somebody has joined", 0, 10, three)
		update(t, s, func(tx storage.Tx) error { return tx.MarkChallengeShown(three, "", 1) })
		check("which is shown", 9, 10)
	}},
}
