package storagetest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"castellan/storage"
)

var transactionTests = []test{
	{"AnUpdateIsKeptWhenItReturnsNil", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		if m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }); m.ID != id {
			t.Errorf("match %d is read as %+v", id, m)
		}
	}},
	{"AnUpdateThatFailsLeavesNothing", func(t *testing.T, s storage.Store) {
		kept := insertMatch(t, s, newMatch("c", 0, alice, bob))
		reason := errors.New("no")
		err := s.Update(context.Background(), func(tx storage.Tx) error {
			everything(t, tx, kept)
			return reason
		})
		if err != reason {
			t.Errorf("the error is %v, want fn's own", err)
		}
		nothing(t, s, kept)
	}},
	{"AnUpdateThatPanicsLeavesNothing", func(t *testing.T, s storage.Store) {
		kept := insertMatch(t, s, newMatch("c", 0, alice, bob))
		func() {
			defer func() {
				if r := recover(); r != "oh" {
					t.Errorf("recovered %v, want fn's panic", r)
				}
			}()
			_ = s.Update(context.Background(), func(tx storage.Tx) error {
				everything(t, tx, kept)
				panic("oh")
			})
		}()
		nothing(t, s, kept)
	}},
	{"AnUpdateWhoseGoroutineEndsLeavesNothing", func(t *testing.T, s storage.Store) {
		kept := insertMatch(t, s, newMatch("c", 0, alice, bob))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = s.Update(context.Background(), func(tx storage.Tx) error {
				everything(t, tx, kept)
				runtime.Goexit() // what t.FailNow does
				return nil
			})
		}()
		<-done
		nothing(t, s, kept)
	}},
	{"AViewThatPanicsLeavesTheStoreUsable", func(t *testing.T, s storage.Store) {
		for range 20 { // more than any pool has connections
			func() {
				defer func() { _ = recover() }()
				_ = s.View(context.Background(), func(storage.Reader) error { panic("oh") })
			}()
		}
		insertMatch(t, s, newMatch("c", 0, alice, bob))
		if all := view(t, s, storage.Reader.AllRunning); len(all) != 1 {
			t.Errorf("%d matches are running, want 1", len(all))
		}
	}},
	{"AViewReturnsTheErrorOfItsFunction", func(t *testing.T, s storage.Store) {
		reason := errors.New("no")
		if err := s.View(context.Background(), func(storage.Reader) error { return reason }); err != reason {
			t.Errorf("the error is %v, want fn's own", err)
		}
	}},
	{"ARefusedWriteFailsTheUpdateEvenIfItIsIgnored", func(t *testing.T, s storage.Store) {
		kept := insertMatch(t, s, newMatch("c", 0, alice, bob))
		for name, do := range map[string]func(tx storage.Tx) error{
			"a board of no match": func(tx storage.Tx) error {
				_, err := tx.InsertBoard(storage.Board{Match: kept + 1000})
				return err
			},
			"a match of no challenge": func(tx storage.Tx) error {
				m := newMatch("c", 0, alice, bob)
				m.Challenge = 1000
				_, err := tx.InsertMatch(m)
				return err
			},
			"an entry without a time": func(tx storage.Tx) error {
				return tx.Append(kept, 1, []storage.Entry{{Seq: 2, Kind: "action"}})
			},
			"an entry of a wrong number": func(tx storage.Tx) error {
				return tx.Append(kept, 1, entries(7, 1, 0))
			},
		} {
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				everything(t, tx, kept)
				if err := do(tx); err == nil {
					t.Errorf("%s is accepted", name)
				}
				return nil
			})
			if err == nil {
				t.Errorf("%s: the update is committed", name)
			}
			nothing(t, s, kept)
		}
	}},
	{"AnUpdateSeesItsOwnWrites", func(t *testing.T, s storage.Store) {
		update(t, s, func(tx storage.Tx) error {
			id, err := tx.InsertMatch(newMatch("c", 0, alice, bob))
			if err != nil {
				return err
			}
			if err := tx.Append(id, 0, entries(0, 2, 1)); err != nil {
				return err
			}
			m, err := tx.Match(id)
			if err != nil || m.Seq != 2 {
				t.Errorf("the match is at %d (%v), want 2", m.Seq, err)
			}
			log, err := tx.Entries(id)
			if err != nil || len(log) != 2 {
				t.Errorf("the log has %d entries (%v), want 2", len(log), err)
			}
			return nil
		})
	}},
	{"ACancelledContextKeepsItFromBeginning", func(t *testing.T, s storage.Store) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := s.Update(ctx, func(storage.Tx) error {
			t.Error("the update runs")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("update: %v, want context.Canceled", err)
		}
		err = s.View(ctx, func(storage.Reader) error {
			t.Error("the view runs")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("view: %v, want context.Canceled", err)
		}
	}},
	{"ACancelledContextNeverStopsItInTheMiddle", func(t *testing.T, s storage.Store) {
		ctx, cancel := context.WithCancel(context.Background())
		var id storage.MatchID
		err := s.Update(ctx, func(tx storage.Tx) (err error) {
			if id, err = tx.InsertMatch(newMatch("c", 0, alice, bob)); err != nil {
				return err
			}
			cancel()
			return tx.Append(id, 0, entries(0, 3, 1))
		})
		if err != nil {
			t.Fatalf("update: %v", err)
		}
		if m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }); m.Seq != 3 {
			t.Errorf("the match is at %d, want 3", m.Seq)
		}
		ctx, cancel = context.WithCancel(context.Background())
		err = s.View(ctx, func(r storage.Reader) error {
			cancel()
			_, err := r.Match(id)
			return err
		})
		if err != nil {
			t.Errorf("view: %v", err)
		}
	}},
	{"ACancelledContextEndsTheWait", func(t *testing.T, s storage.Store) {
		begun, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			first <- s.Update(context.Background(), func(storage.Tx) error {
				close(begun)
				<-release
				return nil
			})
		}()
		<-begun
		ctx, cancel := context.WithCancel(context.Background())
		second := make(chan error, 1)
		go func() {
			second <- s.Update(ctx, func(storage.Tx) error {
				t.Error("the second update runs")
				return nil
			})
		}()
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("the second update: %v, want context.Canceled", err)
		}
		close(release)
		if err := <-first; err != nil {
			t.Errorf("the first update: %v", err)
		}
	}},
	{"UpdatesRunOneAfterAnother", func(t *testing.T, s storage.Store) {
		const writers, each = 8, 12
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		var inside atomic.Int32
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range each {
					err := s.Update(context.Background(), func(tx storage.Tx) error {
						if inside.Add(1) != 1 {
							t.Error("two updates run at a time")
						}
						defer inside.Add(-1)
						m, err := tx.Match(id)
						if err != nil {
							return err
						}
						runtime.Gosched()
						return tx.Append(id, m.Seq, entries(m.Seq, 1, m.Seq))
					})
					if err != nil {
						t.Errorf("update: %v", err)
					}
				}
			})
		}
		wg.Wait()
		if log := view(t, s, func(r storage.Reader) ([]storage.Entry, error) { return r.Entries(id) }); len(log) != writers*each {
			t.Errorf("the log has %d entries, want %d", len(log), writers*each)
		}
	}},
	{"AViewSeesOneMoment", func(t *testing.T, s storage.Store) {
		// Every update moves both matches, so at any moment they are level.
		one := insertMatch(t, s, newMatch("c", 0, alice, bob))
		two := insertMatch(t, s, newMatch("c", 0, alice, bob))
		const updates = 40
		var wg sync.WaitGroup
		done := make(chan struct{})
		for range 3 {
			wg.Go(func() {
				for last := 0; ; {
					err := s.View(context.Background(), func(r storage.Reader) error {
						m, err := r.Match(one)
						if err != nil {
							return err
						}
						runtime.Gosched()
						log, err := r.Entries(two)
						if err != nil {
							return err
						}
						if len(log) != m.Seq {
							t.Errorf("one match is at %d, the other at %d", m.Seq, len(log))
						}
						if m.Seq < last {
							t.Errorf("time goes back from %d to %d", last, m.Seq)
						}
						last = m.Seq
						return nil
					})
					if err != nil {
						t.Errorf("view: %v", err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		for n := range updates {
			update(t, s, func(tx storage.Tx) error {
				if err := tx.Append(one, n, entries(n, 1, n)); err != nil {
					return err
				}
				runtime.Gosched()
				return tx.Append(two, n, entries(n, 1, n))
			})
		}
		close(done)
		wg.Wait()
	}},
	{"AViewSeesWhatWasUpdatedBefore", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch("c", 0, alice, bob))
		for n := range 30 {
			appendTo(t, s, id, n, 1, n)
			if m := view(t, s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) }); m.Seq != n+1 {
				t.Fatalf("after entry %d the match is at %d", n+1, m.Seq)
			}
		}
	}},
}

// everything writes a record of each kind and changes match kept.
func everything(t *testing.T, tx storage.Tx, kept storage.MatchID) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Errorf("write: %v", err)
		}
	}
	_, err := tx.InsertMatch(newMatch("c", 1, alice, bob))
	check(err)
	check(tx.Append(kept, 0, entries(0, 1, 1)))
	check(tx.EndMatch(kept, "rules", minute(2)))
	_, err = tx.InsertBoard(storage.Board{Match: kept, Seq: 1})
	check(err)
	_, err = tx.InsertChallenge(newChallenge())
	check(err)
	check(tx.MarkProcessed(storage.ProcessedInteraction{Interaction: "written", At: minute(1)}))
}

// nothing checks that there is nothing but match kept as it was inserted.
func nothing(t *testing.T, s storage.Store, kept storage.MatchID) {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) error {
		running, err := r.AllRunning()
		if err != nil {
			return err
		}
		if len(running) != 1 || running[0].ID != kept || running[0].Seq != 0 {
			t.Errorf("the matches are %+v, want the one from before", running)
		}
		log, err := r.Entries(kept)
		if err != nil || len(log) != 0 {
			t.Errorf("the log is %+v (%v), want none", log, err)
		}
		boards, err := r.Boards(kept)
		if err != nil || len(boards) != 0 {
			t.Errorf("the boards are %+v (%v), want none", boards, err)
		}
		work, err := r.PendingPosts(minute(1000), 10)
		if err != nil || len(work.Boards)+len(work.Challenges) != 0 {
			t.Errorf("the work is %+v (%v), want none", work, err)
		}
		if _, err := r.ProcessedInteraction("written"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("the interaction: %v, want ErrNotFound", err)
		}
		return nil
	})
	if err != nil {
		t.Errorf("view: %v", err)
	}
}

var closingTests = []test{
	{"AClosedStoreRefuses", func(t *testing.T, s storage.Store) {
		for range 2 { // the second does nothing
			if err := s.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
		}
		err := s.Update(context.Background(), func(storage.Tx) error {
			t.Error("the update runs")
			return nil
		})
		if !errors.Is(err, storage.ErrClosed) {
			t.Errorf("update: %v, want ErrClosed", err)
		}
		err = s.View(context.Background(), func(storage.Reader) error {
			t.Error("the view runs")
			return nil
		})
		if !errors.Is(err, storage.ErrClosed) {
			t.Errorf("view: %v, want ErrClosed", err)
		}
	}},
	{"ClosingWaitsForWhatHasBegun", func(t *testing.T, s storage.Store) {
		begun, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		var ended atomic.Bool
		go func() {
			first <- s.Update(context.Background(), func(tx storage.Tx) error {
				close(begun)
				<-release
				_, err := tx.InsertMatch(newMatch("c", 0, alice, bob))
				ended.Store(true)
				return err
			})
		}()
		<-begun
		closed := make(chan error, 1)
		go func() {
			err := s.Close()
			if !ended.Load() {
				t.Error("the store is closed in the middle of an update")
			}
			closed <- err
		}()
		runtime.Gosched()
		close(release)
		if err := <-first; err != nil {
			t.Errorf("the update: %v", err)
		}
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
	}},
}
