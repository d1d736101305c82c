package storagetest

import (
	"reflect"
	"testing"
	"time"

	"castellan/storage"
)

func repost(t fataler, s storage.Store, id storage.ChallengeID, next time.Time) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error { return tx.RepostChallenge(id, next) })
}

// boardAt is a board of a match of its own in a place.
func boardAt(t fataler, s storage.Store, p storage.Place) storage.BoardID {
	t.Helper()
	return insertBoard(t, s, storage.Board{Match: insertMatch(t, s, newMatch("c", 0, alice, bob)), Place: p})
}

// challengeAt is a plain challenge in a place, made at a minute.
func challengeAt(p storage.Place, made int) storage.Challenge {
	ch := newChallenge()
	ch.Place, ch.CreatedAt = p, minute(made)
	return ch
}

var repairTests = []test{
	{"ASkippedBoardIsLookedForAtTheTimeOfTheNewOne", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		skipped := insertBoard(t, s, storage.Board{Match: match, Seq: 1, NextAttempt: minute(1)})
		stale := insertBoard(t, s, storage.Board{Match: match, Seq: 2, NextAttempt: minute(2)})
		posted(t, s, stale, "m")
		due := insertBoard(t, s, storage.Board{Match: match, Seq: 3, NextAttempt: minute(3)})
		behind := func(now int, want ...storage.BoardID) {
			t.Helper()
			work := view(t, s, func(r storage.Reader) (storage.PendingPosts, error) { return r.PendingPosts(minute(now), 10) })
			got := []storage.BoardID{}
			for _, b := range work.Boards {
				got = append(got, b.ID)
			}
			if !reflect.DeepEqual(got, append([]storage.BoardID{}, want...)) {
				t.Errorf("at %d: %v, want %v", now, got, want)
			}
		}
		behind(1)
		behind(2, skipped)
		behind(3, skipped, stale, due)
		if b := boardOf(t, s, stale); b.State != storage.BoardStale || b.NextAttempt != minute(3) {
			t.Errorf("the stale one is %+v", b)
		}
		update(t, s, func(tx storage.Tx) error { return tx.MarkBoardCollapsed(skipped) })
		behind(3, stale, due)
		if b := boardOf(t, s, skipped); b.State != storage.BoardSkipped || !b.NextAttempt.IsZero() {
			t.Errorf("the one that was not found is %+v", b)
		}
	}},
	{"ASkippedBoardThatIsFoundIsStale", func(t *testing.T, s storage.Store) {
		match := insertMatch(t, s, newMatch("c", 0, alice, bob))
		skipped := insertBoard(t, s, storage.Board{Match: match, Seq: 1, NextAttempt: minute(1)})
		insertBoard(t, s, storage.Board{Match: match, Seq: 2, NextAttempt: minute(2)})
		posted(t, s, skipped, "found")
		if b := boardOf(t, s, skipped); b.State != storage.BoardStale || b.Message != "found" || !b.NextAttempt.IsZero() {
			t.Errorf("it is %+v", b)
		}
	}},
	{"WhatIsToBePostedInAPlaceIsHastened", func(t *testing.T, s storage.Store) {
		here, there := storage.Place{Guild: "g", Channel: "here"}, storage.Place{Guild: "g", Channel: "there"}
		abroad, private := storage.Place{Guild: "h", Channel: "abroad"}, storage.Place{Channel: "private"}
		places := []storage.Place{here, there, abroad, private}
		var boards []storage.BoardID
		var challenges []storage.ChallengeID
		for _, p := range places {
			boards = append(boards, boardAt(t, s, p))
			challenges = append(challenges, insertChallenge(t, s, challengeAt(p, 0)))
		}
		postpone := func() {
			update(t, s, func(tx storage.Tx) error {
				for i := range places {
					if err := tx.PostponeBoard(boards[i], minute(60)); err != nil {
						return err
					}
					if err := tx.PostponeChallenge(challenges[i], minute(60)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, c := range []struct {
			place storage.Place
			want  []int // of places
		}{
			{here, []int{0}},
			{there, []int{1}},
			{private, []int{3}},
			{storage.Place{Channel: "there"}, []int{1}},
			{storage.Place{Guild: "g"}, []int{0, 1}},
			{storage.Place{Guild: "h"}, []int{2}},
			{storage.Place{Guild: "nowhere"}, nil},
			{storage.Place{}, nil},
		} {
			postpone()
			some := view(t, s, func(r storage.Reader) (bool, error) { return r.HasPostponed(c.place, minute(5)) })
			n := insert(t, s, func(tx storage.Tx) (int, error) { return tx.RetryNow(c.place, minute(5)) })
			if some != (len(c.want) > 0) || n != 2*len(c.want) {
				t.Errorf("%+v: postponed %t, hastened %d, want %v", c.place, some, n, c.want)
			}
			if again := view(t, s, func(r storage.Reader) (bool, error) { return r.HasPostponed(c.place, minute(5)) }); again {
				t.Errorf("%+v: it is still postponed", c.place)
			}
			for i := range places {
				want := minute(60)
				for _, w := range c.want {
					if w == i {
						want = minute(5)
					}
				}
				b, ch := boardOf(t, s, boards[i]), challengeOf(t, s, challenges[i])
				if b.NextAttempt != want || ch.NextAttempt != want || b.Attempts == 0 || ch.Attempts == 0 {
					t.Errorf("%+v: at %+v next is %v and %v, want %v", c.place, places[i], b.NextAttempt, ch.NextAttempt, want)
				}
			}
		}
	}},
	{"WhatIsNotToBePostedIsNotHastened", func(t *testing.T, s storage.Store) {
		place := storage.Place{Guild: "g", Channel: "here"}
		for _, state := range boardStates {
			id := inState(t, s, state)
			if state == storage.BoardDue {
				continue
			}
			update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(id, minute(60)) })
		}
		ch := insertChallenge(t, s, challengeAt(place, 0))
		update(t, s, func(tx storage.Tx) error {
			if err := tx.MarkChallengeShown(ch, "m", 0); err != nil {
				return err
			}
			if err := tx.ResolveChallenge(ch, storage.ChallengeDeclined, 0, minute(1)); err != nil {
				return err
			}
			return tx.PostponeChallenge(ch, minute(60))
		})
		for _, p := range []storage.Place{{}, place, {Guild: "g"}} {
			if view(t, s, func(r storage.Reader) (bool, error) { return r.HasPostponed(p, minute(5)) }) {
				t.Errorf("%+v has postponed posts", p)
			}
		}
		due := boardAt(t, s, place) // not postponed at all
		if n := insert(t, s, func(tx storage.Tx) (int, error) { return tx.RetryNow(place, minute(5)) }); n != 0 || !boardOf(t, s, due).NextAttempt.IsZero() {
			t.Errorf("%d were hastened", n)
		}
	}},
	{"OpenChallenges", func(t *testing.T, s storage.Store) {
		var all []storage.ChallengeID
		for made := range 4 {
			all = append(all, insertChallenge(t, s, challengeAt(storage.Place{Guild: "g", Channel: "c"}, 4-made)))
		}
		update(t, s, func(tx storage.Tx) error {
			return tx.ResolveChallenge(all[1], storage.ChallengeCancelled, 0, minute(9))
		})
		open := view(t, s, func(r storage.Reader) ([]storage.Challenge, error) { return r.OpenChallenges() })
		want := []storage.Challenge{challengeOf(t, s, all[3]), challengeOf(t, s, all[2]), challengeOf(t, s, all[0])}
		if !reflect.DeepEqual(open, want) {
			t.Errorf("open are\n%+v, want\n%+v", open, want)
		}
	}},
	{"AChallengeIsPostedAnew", func(t *testing.T, s storage.Store) {
		id := insertChallenge(t, s, newChallenge())
		update(t, s, func(tx storage.Tx) error {
			if err := tx.MarkChallengeShown(id, "m", 0); err != nil {
				return err
			}
			return tx.PostponeChallenge(id, minute(60))
		})
		want := challengeOf(t, s, id)
		want.Message, want.ShownRevision, want.Attempts, want.NextAttempt = "", -1, 0, minute(3)
		repost(t, s, id, minute(3))
		if got := challengeOf(t, s, id); !reflect.DeepEqual(got, want) {
			t.Errorf("it is\n%+v, want\n%+v", got, want)
		}
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.RepostChallenge(id+1, minute(3)) })
	}},
	{"AMatchMoves", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("old", 0, alice, bob))
		other := insertMatch(t, s, newMatch("old", 0, alice, bob))
		board := insertBoard(t, s, storage.Board{Match: id, Place: storage.Place{Guild: "guild", Channel: "old"}})
		from, to := storage.Place{Guild: "guild", Channel: "old"}, storage.Place{Guild: "another", Channel: "new"}
		update(t, s, func(tx storage.Tx) error { return tx.MoveMatch(id, from, to) })
		m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
		if m.Place != to {
			t.Errorf("it is at %+v", m.Place)
		}
		in := func(channel string) []storage.MatchID {
			return ids(view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.RunningInChannel(channel) }))
		}
		if a, b := in("old"), in("new"); !reflect.DeepEqual(a, []storage.MatchID{other}) || !reflect.DeepEqual(b, []storage.MatchID{id}) {
			t.Errorf("in the old channel %v, in the new one %v", a, b)
		}
		if b := boardOf(t, s, board); b.Place != from {
			t.Errorf("its board went to %+v", b.Place)
		}
		wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error { return tx.MoveMatch(id, from, to) })
		wantError(t, s, storage.ErrConflict, func(tx storage.Tx) error { return tx.MoveMatch(other, storage.Place{Guild: "x", Channel: "old"}, to) })
		wantError(t, s, storage.ErrNotFound, func(tx storage.Tx) error { return tx.MoveMatch(other+99, from, to) })
	}},
}
