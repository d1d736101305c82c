package storagetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"castellan/storage"
)

// deliveryTests check the leases of what is shown. One taken for no time has run out at
// once.
var deliveryTests = []test{
	{"ClaimsOfTwo", func(t *testing.T, s storage.Store) { // they share the work, and leave none
		if !givesShowLeases(t, s) {
			return
		}
		const matches, challenges, days = 60, 30, 20
		for i := range matches {
			due(t, s)
			if i < challenges {
				insert(t, s, func(tx storage.Tx) (storage.ChallengeID, error) { return tx.InsertChallenge(newChallenge()) })
			}
			if i < days {
				update(t, s, func(tx storage.Tx) error {
					return tx.SetDailyMessage(storage.DailyMessage{Person: fmt.Sprint(i), DueAt: minute(0), NextAttempt: minute(0)})
				})
			}
		}
		var (
			mu    sync.Mutex
			taken = map[any]int{}
			group sync.WaitGroup
		)
		for range 4 {
			group.Go(func() {
				for range matches + 1 { // a claim may leave out what another one is about to take
					c, err := s.ClaimPosts(context.Background(), minute(1), 4, time.Hour)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for _, b := range c.Boards {
						taken[b.Match]++
						if l := c.MatchLeases[b.Match]; l.Match != b.Match || l.Token == 0 || time.Until(l.Ends) <= 0 {
							t.Errorf("board %+v was claimed with the lease %+v", b, l)
						}
					}
					for _, ch := range c.Challenges {
						taken[ch.ID]++
						if l := c.ChallengeLeases[ch.ID]; l.Challenge != ch.ID || l.Token == 0 || len(ch.Joined) != 1 {
							t.Errorf("challenge %+v was claimed with the lease %+v", ch, l)
						}
					}
					for _, d := range c.Daily {
						taken[d.Person]++
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if len(taken) != matches+challenges+days {
			t.Errorf("claimed %d of %d", len(taken), matches+challenges+days)
		}
		for what, n := range taken {
			if n != 1 {
				t.Errorf("%T %v was claimed %d times", what, what, n)
			}
		}
	}},
	{"ClaimsRunOut", func(t *testing.T, s storage.Store) {
		if !givesShowLeases(t, s) {
			return
		}
		match, _ := due(t, s)
		first := claimed(t, s, match, 0)
		second := claimed(t, s, match, time.Hour)
		if second.Token <= first.Token {
			t.Errorf("the tokens are %d and %d", first.Token, second.Token)
		}
		checkDelivery(t, s, "claimed by another", first, storage.ErrFenced)
		_, err := s.ClaimDelivery(context.Background(), storage.DeliveryLease{Match: match}, time.Hour, false)
		wantClass(t, "claim a held match", err, storage.ErrHeld)
		claimed(t, s, 0, time.Hour)
		checkDelivery(t, s, "held", second, nil)
		if err := s.ReleaseDelivery(context.Background(), first); err != nil {
			t.Error(err)
		}
		claimed(t, s, 0, time.Hour) // the lease is another's
		if err := s.ReleaseDelivery(context.Background(), second); err != nil {
			t.Error(err)
		}
		third := claimed(t, s, match, time.Hour)
		forced, err := s.ClaimDelivery(context.Background(), storage.DeliveryLease{Match: match}, time.Hour, true)
		wantClass(t, "claim by force", err, nil)
		checkDelivery(t, s, "taken by force", third, storage.ErrFenced)
		update(t, s, func(tx storage.Tx) error { return tx.CheckDeliveryLease(forced, true) })
		claimed(t, s, match, 0) // it was released
		if _, err := s.ClaimDelivery(context.Background(), storage.DeliveryLease{Match: missing}, time.Hour, true); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("claiming a missing match by force: %v", err)
		}
	}},
	{"ClaimsFenced", func(t *testing.T, s storage.Store) { // by whatever is to be shown next
		if !givesShowLeases(t, s) {
			return
		}
		match, board := due(t, s)
		advance := func(d time.Duration) (a storage.Advanced) {
			update(t, s, func(tx storage.Tx) (err error) {
				m, err := tx.Match(match)
				if err != nil {
					return err
				}
				a, err = tx.Advance(storage.Advance{
					Match: match, After: m.Head, Entries: newEntries(m.Seq, 1), Lease: d,
					Board: &storage.Board{Match: match, Seq: m.Seq + 1, Place: m.Place, NextAttempt: minute(0)},
				})
				return err
			})
			return a
		}
		poster := claimed(t, s, match, time.Hour)
		turn := advance(time.Hour)
		if turn.Lease.Token <= poster.Token || turn.Lease.Match != match || turn.Board <= board || time.Until(turn.Lease.Ends) <= 0 {
			t.Errorf("after the lease %+v, a turn took %+v", poster, turn)
		}
		err := s.Update(context.Background(), func(tx storage.Tx) error {
			if err := tx.PostponeBoard(turn.Board, minute(5)); err != nil {
				return err
			}
			return tx.CheckDeliveryLease(poster, false)
		})
		wantClass(t, "a fenced result", err, storage.ErrFenced)
		if b := view(t, s, func(r storage.Reader) (storage.Board, error) { return r.Board(turn.Board) }); b.Attempts != 0 {
			t.Errorf("a fenced result wrote %+v", b)
		}
		claimed(t, s, 0, time.Hour)
		advance(0) // of nobody who shows it
		checkDelivery(t, s, "after another turn", turn.Lease, storage.ErrFenced)
		poster = claimed(t, s, match, time.Hour)
		insert(t, s, func(tx storage.Tx) (storage.BoardID, error) {
			return tx.InsertBoard(storage.Board{Match: match, Seq: 2})
		})
		checkDelivery(t, s, "after another board", poster, storage.ErrFenced)
		poster = claimed(t, s, match, time.Hour)
		update(t, s, func(tx storage.Tx) error {
			return tx.MarkForEdit(storage.Board{Match: match, Message: "late", NextAttempt: minute(0)})
		})
		checkDelivery(t, s, "after a late message", poster, storage.ErrFenced)

		ch := insert(t, s, func(tx storage.Tx) (storage.ChallengeID, error) { return tx.InsertChallenge(newChallenge()) })
		shows, err := s.ClaimDelivery(context.Background(), storage.DeliveryLease{Challenge: ch}, time.Hour, false)
		wantClass(t, "claim a challenge", err, nil)
		checkDelivery(t, s, "held", shows, nil)
		update(t, s, func(tx storage.Tx) error { return tx.ReviseChallenge(ch) })
		checkDelivery(t, s, "after another revision", shows, storage.ErrFenced)
	}},
	{"ClaimsAndClocks", func(t *testing.T, s storage.Store) { // leases end by the database's clock
		if !givesShowLeases(t, s) {
			return
		}
		match, board := due(t, s)
		update(t, s, func(tx storage.Tx) error { return tx.PostponeBoard(board, minute(60)) })
		for _, now := range []time.Time{minute(0), minute(-300)} { // not due; the clock has gone back by less than the longest delay
			if c, err := s.ClaimPosts(context.Background(), now, 9, time.Hour); err != nil || len(c.Boards) != 0 {
				t.Errorf("claimed %+v before the time (%v)", c.Boards, err)
			}
		}
		for _, now := range []time.Time{minute(-400), minute(60), minute(1e6)} {
			c, err := s.ClaimPosts(context.Background(), now, 9, 0)
			if err != nil || len(c.Boards) != 1 || c.Boards[0].Match != match {
				t.Errorf("at %v, claimed %+v (%v)", now, c.Boards, err)
			}
		}
		held, err := s.ClaimDelivery(context.Background(), storage.DeliveryLease{Match: match}, time.Hour, false)
		wantClass(t, "claim", err, nil)
		for _, now := range []time.Time{minute(-400), minute(1e6)} {
			if c, err := s.ClaimPosts(context.Background(), now, 9, time.Hour); err != nil || len(c.Boards) != 0 {
				t.Errorf("at %v, claimed what is held: %+v (%v)", now, c.Boards, err)
			}
		}
		checkDelivery(t, s, "held", held, nil)
	}},
}

// givesShowLeases reports whether a store gives out leases. One that does not claims
// the same posts each time.
func givesShowLeases(t *testing.T, s storage.Store) bool {
	t.Helper()
	match, board := due(t, s)
	l, err := s.ClaimDelivery(context.Background(), storage.DeliveryLease{Match: match}, time.Hour, false)
	if err != nil {
		t.Fatal(err)
	}
	if l.Token == 0 {
		for range 2 {
			if c, err := s.ClaimPosts(context.Background(), minute(1), 9, time.Hour); err != nil || len(c.Boards) != 1 || len(c.MatchLeases) != 0 {
				t.Errorf("claimed %+v (%v)", c, err)
			}
		}
		return false
	}
	update(t, s, func(tx storage.Tx) error { return tx.MarkBoardPosted(board, "m") })
	return true
}

// due adds a match with a board that is due.
func due(t *testing.T, s storage.Store) (match storage.MatchID, board storage.BoardID) {
	t.Helper()
	update(t, s, func(tx storage.Tx) (err error) {
		if match, err = tx.InsertMatch(newMatch()); err == nil {
			board, err = tx.InsertBoard(storage.Board{Match: match, Place: newMatch().Place, NextAttempt: minute(0)})
		}
		return err
	})
	return match, board
}

// claimed claims posts and returns the lease of the only match that it must get, or
// expects none if match is 0.
func claimed(t *testing.T, s storage.Store, match storage.MatchID, d time.Duration) storage.DeliveryLease {
	t.Helper()
	c, err := s.ClaimPosts(context.Background(), minute(1), 9, d)
	if err != nil {
		t.Fatal(err)
	}
	if want := min(int(match), 1); len(c.MatchLeases) != want || want == 1 && c.MatchLeases[match].Match != match {
		t.Fatalf("claimed %+v, want match %d", c.Boards, match)
	}
	return c.MatchLeases[match]
}

func checkDelivery(t *testing.T, s storage.Store, what string, l storage.DeliveryLease, want error) {
	t.Helper()
	wantClass(t, what, s.Update(context.Background(), func(tx storage.Tx) error { return tx.CheckDeliveryLease(l, false) }), want)
}
