package storagetest

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"castellan/storage"
)

func overdue(t fataler, s storage.Store, now time.Time, limit int) storage.Overdue {
	t.Helper()
	return view(t, s, func(r storage.Reader) (storage.Overdue, error) { return r.Overdue(now, limit) })
}

// expiring is a challenge that expires at a minute.
func expiring(n int) storage.Challenge {
	c := newChallenge()
	c.ExpiresAt = minute(n)
	return c
}

var deadlineTests = []test{
	{"ChallengesExpireAtTheirTime", func(t *testing.T, s storage.Store) {
		late := insertChallenge(t, s, expiring(20))
		soon := insertChallenge(t, s, expiring(10))
		insertChallenge(t, s, newChallenge()) // which never does
		check := func(now time.Time, limit int, want ...storage.ChallengeID) {
			t.Helper()
			if got := overdue(t, s, now, limit).Challenges; !slices.Equal(got, want) {
				t.Errorf("at %s, limit %d: %v expire, want %v", now, limit, got, want)
			}
		}
		check(minute(10).Add(-1), 10)
		check(minute(10), 10, soon)
		check(minute(20), 10, soon, late)
		check(minute(20), 1, soon)
		check(minute(20), 0)
		check(minute(20), -1)
		// Seats that are taken change nothing, an answer does.
		update(t, s, func(tx storage.Tx) error { return tx.SetChallengePlayers(soon, 0, []storage.Person{alice, bob}, nil) })
		check(minute(30), 10, soon, late)
		update(t, s, func(tx storage.Tx) error {
			return tx.ResolveChallenge(soon, storage.ChallengeExpired, 0, minute(10))
		})
		check(minute(30), 10, late)
		update(t, s, func(tx storage.Tx) error {
			return tx.ResolveChallenge(late, storage.ChallengeCancelled, 0, minute(15))
		})
		check(minute(30), 10)
		got := challengeOf(t, s, soon)
		if got.State != storage.ChallengeExpired || got.Revision != 2 || !got.ResolvedAt.Equal(minute(10)) {
			t.Errorf("it is %+v", got)
		}
	}},
	{"MatchesAreOverdueAtTheirDeadline", func(t *testing.T, s storage.Store) {
		var all []storage.MatchID
		for _, n := range []int{30, 10, 20} {
			m := newMatch("c", 0, alice, bob)
			m.Deadline = minute(n)
			all = append(all, insertMatch(t, s, m))
		}
		none := insertMatch(t, s, newMatch("c", 0, alice, bob))
		check := func(now time.Time, limit int, want ...storage.MatchID) {
			t.Helper()
			if got := overdue(t, s, now, limit).Matches; !slices.Equal(got, want) {
				t.Errorf("at %s, limit %d: %v are overdue, want %v", now, limit, got, want)
			}
		}
		check(minute(10).Add(-1), 10)
		check(minute(10), 10, all[1])
		check(minute(30), 10, all[1], all[2], all[0])
		check(minute(30), 2, all[1], all[2])
		check(minute(30), -1)
		update(t, s, func(tx storage.Tx) error {
			if err := tx.SetDeadline(all[1], minute(40)); err != nil {
				return err
			}
			return tx.SetDeadline(none, minute(5))
		})
		update(t, s, func(tx storage.Tx) error { return tx.SetDeadline(all[2], time.Time{}) })
		check(minute(30), 10, none, all[0])
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(none, "rules", minute(6)) })
		check(minute(50), 10, all[0], all[1])
		want := newMatch("c", 0, alice, bob)
		want.ID, want.ShownSeq, want.Ending, want.EndedAt, want.EndNumber = none, -1, "rules", minute(6), 1
		if got := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(none) }); !reflect.DeepEqual(got, want) {
			t.Errorf("the match that ended is\n%+v, want\n%+v", got, want)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.SetDeadline(99, minute(1)) })
	}},
	{"TheDeadlineOfAMatchIsRead", func(t *testing.T, s storage.Store) {
		m := newMatch("c", 0, alice)
		m.Deadline = time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 7200))
		id := insertMatch(t, s, m)
		for _, want := range []time.Time{m.Deadline, minute(7), {}} {
			if !want.Equal(m.Deadline) {
				update(t, s, func(tx storage.Tx) error { return tx.SetDeadline(id, want) })
			}
			for _, got := range view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.RunningMatches(alice.ID, "") }) {
				if !got.Deadline.Equal(want) || got.Deadline.Location() != time.UTC {
					t.Errorf("the deadline is %s, want %s", got.Deadline, want)
				}
			}
		}
	}},
	{"ATimeThatIsMissing", func(t *testing.T, s storage.Store) {
		err := s.View(context.Background(), func(r storage.Reader) error {
			_, err := r.Overdue(time.Time{}, 10)
			return err
		})
		if err == nil {
			t.Error("no time is taken for a time")
		}
	}},
}

var offerTests = []test{
	{"NothingIsOffered", func(t *testing.T, s storage.Store) {
		got := view(t, s, func(r storage.Reader) (storage.ChallengeActivity, error) {
			return r.ChallengeActivity(alice.ID, "c", minute(0), minute(0))
		})
		if !reflect.DeepEqual(got, storage.ChallengeActivity{}) {
			t.Errorf("the offers are %+v", got)
		}
	}},
	{"OffersOfAPersonAndInAChannel", func(t *testing.T, s storage.Store) {
		put := func(by storage.Person, channel string, made, expires int) storage.ChallengeID {
			c := newChallenge()
			c.Challenger, c.Place.Channel, c.Joined, c.Invited = by, channel, []storage.Person{by}, nil
			c.CreatedAt = minute(made)
			if expires > 0 {
				c.ExpiresAt = minute(expires)
			}
			return insertChallenge(t, s, c)
		}
		put(alice, "c", 1, 0)
		put(alice, "d", 2, 90)
		put(alice, "c", 3, 60)
		put(bob, "c", 4, 50)
		put(bob, "d", 5, 50)
		gone := put(alice, "c", 6, 70)
		update(t, s, func(tx storage.Tx) error {
			return tx.ResolveChallenge(gone, storage.ChallengeDeclined, 0, minute(7))
		})
		minutes := func(all ...int) (times []time.Time) {
			for _, n := range all {
				if n == 0 {
					times = append(times, time.Time{})
				} else {
					times = append(times, minute(n))
				}
			}
			return times
		}
		for _, tt := range []struct {
			person, channel string
			after, now      int
			want            storage.ChallengeActivity
		}{
			{alice.ID, "c", 0, 10, storage.ChallengeActivity{
				MadeBy: minutes(1, 2, 3, 6), MadeIn: minutes(1, 3, 4, 6), OpenBy: minutes(60, 90, 0), OpenIn: minutes(50, 60, 0),
			}},
			{alice.ID, "d", 2, 60, storage.ChallengeActivity{MadeBy: minutes(3, 6), MadeIn: minutes(5), OpenBy: minutes(90, 0), OpenIn: minutes(90)}},
			{bob.ID, "c", 5, 50, storage.ChallengeActivity{MadeIn: minutes(6), OpenIn: minutes(60, 0)}},
			{carol.ID, "x", 0, 10, storage.ChallengeActivity{}},
		} {
			got := view(t, s, func(r storage.Reader) (storage.ChallengeActivity, error) {
				return r.ChallengeActivity(tt.person, tt.channel, minute(tt.after), minute(tt.now))
			})
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s in %s after %d at %d:\n%+v, want\n%+v", tt.person, tt.channel, tt.after, tt.now, got, tt.want)
			}
		}
	}},
	{"RunningMatchesAreCounted", func(t *testing.T, s storage.Store) {
		count := func(p storage.Person) int {
			return view(t, s, func(r storage.Reader) (int, error) { return r.CountRunning(p.ID) })
		}
		if n := count(alice); n != 0 {
			t.Errorf("%d in an empty store", n)
		}
		insertMatch(t, s, newMatch("c", 0, alice, bob))
		insertMatch(t, s, newMatch("d", 0, bob, carol, alice))
		ended := insertMatch(t, s, newMatch("c", 0, alice, carol))
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(ended, "rules", minute(1)) })
		for p, want := range map[storage.Person]int{alice: 2, bob: 2, carol: 1} {
			if n := count(p); n != want {
				t.Errorf("%s plays %d, want %d", p.Name, n, want)
			}
		}
	}},
}
