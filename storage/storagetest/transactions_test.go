package storagetest_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"castellan/storage"
	"castellan/storage/storagetest"
)

var transactionTests = []test{
	{"FailedUpdate", func(t *testing.T, s storage.Store) {
		reason := errors.New("the function fails")
		for name, end := range map[string]func() error{
			"error":  func() error { return reason },
			"panic":  func() error { panic(reason) },
			"goexit": func() error { runtime.Goexit(); return nil }, // what t.FailNow does
		} {
			var result any
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() {
					if r := recover(); r != nil {
						result = r
					}
				}()
				result = s.Update(context.Background(), func(tx storage.Tx) error {
					if _, err := tx.InsertMatch(newMatch()); err != nil {
						return err
					}
					return end()
				})
			})
			wg.Wait()
			if name != "goexit" && result != reason {
				t.Errorf("%s: got %v, want %v", name, result, reason)
			}
			if left := view(t, s, func(r storage.Reader) ([]storage.Match, error) { return r.MatchesAfter(0, 1) }); len(left) > 0 {
				t.Errorf("%s: left is %+v", name, left)
			}
		}
		insertMatch(t, s, newMatch()) // the store still works
	}},
	{"FailedView", func(t *testing.T, s storage.Store) {
		reason := errors.New("the function fails")
		for range 20 { // more than any pool has connections
			func() {
				defer func() { _ = recover() }()
				_ = s.View(context.Background(), func(storage.Reader) error { panic(reason) })
			}()
		}
		if err := s.View(context.Background(), func(storage.Reader) error { return reason }); err != reason {
			t.Errorf("error %v, want that of the function", err)
		}
		insertMatch(t, s, newMatch())
	}},
	{"RefusedWriteFailsUpdate", func(t *testing.T, s storage.Store) {
		id := insertMatch(t, s, newMatch())
		ended := insertMatch(t, s, newMatch())
		update(t, s, func(tx storage.Tx) error { return tx.EndMatch(ended, "rules", minute(1)) })
		challenge := insert(t, s, func(tx storage.Tx) (storage.ChallengeID, error) { return tx.InsertChallenge(newChallenge()) })
		noTime := []storage.Entry{{Seq: 1, Kind: "action"}}
		for name, write := range map[string]func(tx storage.Tx) error{
			"board of a missing match": func(tx storage.Tx) error { return errorOf(tx.InsertBoard(storage.Board{Match: missing})) },
			"match of a missing challenge": func(tx storage.Tx) error {
				m := newMatch()
				m.Challenge = missing
				return errorOf(tx.InsertMatch(m))
			},
			"entry without a time": func(tx storage.Tx) error { return storagetest.Append(tx, id, noTime) },
			"entries with a gap": func(tx storage.Tx) error {
				return storagetest.Append(tx, id, append(newEntries(0, 1), newEntries(7, 1)...))
			},
			"advance without entries":             func(tx storage.Tx) error { return errorOf(tx.Advance(storage.Advance{Match: id})) },
			"end at a time that cannot be stored": func(tx storage.Tx) error { return tx.EndMatch(id, "rules", tooLate) },
			"end without an ending":               func(tx storage.Tx) error { return tx.EndMatch(id, "", minute(0)) },
			"too few results": func(tx storage.Tx) error {
				return tx.RecordResults(ended, []storage.SeatResult{{Place: 1, Result: storage.Won}})
			},
			"place 0":           func(tx storage.Tx) error { return tx.RecordResults(ended, make([]storage.SeatResult, 2)) },
			"resolving to open": func(tx storage.Tx) error { return tx.ResolveChallenge(challenge, storage.ChallengeOpen, 0, minute(1)) },
			"a person joined twice": func(tx storage.Tx) error {
				return tx.SetChallengePlayers(challenge, 0, []storage.Person{alice, alice}, nil)
			},
			"a person joined and is invited": func(tx storage.Tx) error {
				return tx.SetChallengePlayers(challenge, 0, []storage.Person{alice}, []storage.Person{{ID: alice.ID, Name: "another"}})
			},
			"rating change without a time": func(tx storage.Tx) error {
				return tx.AddRatingChanges([]storage.RatingChange{{Match: ended, Seat: 1, Place: 1, Game: "a", List: storage.PeopleList}})
			},
		} {
			before := matchOf(t, s, id)
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				if err := tx.SetCheckAt(id, minute(5)); err != nil {
					t.Error(err)
				}
				if err := write(tx); err == nil {
					t.Errorf("%s: the write is accepted", name)
				}
				_ = tx.SetCheckAt(id, minute(6))
				return nil
			})
			if err == nil || matchOf(t, s, id).CheckAt != before.CheckAt {
				t.Errorf("%s: the update is committed", name)
			}
		}
	}},
	{"UnstorableTimeFailsRead", func(t *testing.T, s storage.Store) {
		for name, read := range map[string]func(r storage.Reader) error{
			"overdue": func(r storage.Reader) error { return errorOf(r.Overdue(tooLate, 1)) },
			"pending": func(r storage.Reader) error { return errorOf(r.PendingPosts(tooLate, 1)) },
			"counts":  func(r storage.Reader) error { return errorOf(r.Counts(tooLate)) },
		} {
			if err := s.View(context.Background(), read); err == nil {
				t.Errorf("%s: a time that cannot be stored is accepted", name)
			}
		}
	}},
	{"CancelledContext", func(t *testing.T, s storage.Store) {
		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		wantClass(t, "update", s.Update(cancelled, func(storage.Tx) error { t.Error("the update runs"); return nil }), context.Canceled)
		wantClass(t, "view", s.View(cancelled, func(storage.Reader) error { t.Error("the view runs"); return nil }), context.Canceled)

		// A transaction that has begun is not interrupted.
		ctx, cancel := context.WithCancel(context.Background())
		var id storage.MatchID
		err := s.Update(ctx, func(tx storage.Tx) (err error) {
			if id, err = tx.InsertMatch(newMatch()); err != nil {
				return err
			}
			cancel()
			return storagetest.Append(tx, id, newEntries(0, 3))
		})
		wantClass(t, "cancelled update", err, nil)
		ctx, cancel = context.WithCancel(context.Background())
		err = s.View(ctx, func(r storage.Reader) error {
			cancel()
			_, err := r.Match(id)
			return err
		})
		wantClass(t, "cancelled view", err, nil)
		if seq := matchOf(t, s, id).Seq; seq != 3 {
			t.Errorf("the match is at %d, want 3", seq)
		}
	}},
	{"ViewSeesOneSnapshot", func(t *testing.T, s storage.Store) {
		// Every update advances both matches, so in any snapshot they are level.
		one, two := insertMatch(t, s, newMatch()), insertMatch(t, s, newMatch())
		done := make(chan struct{})
		var wg sync.WaitGroup
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
						if len(log) != m.Seq || m.Seq < last {
							t.Errorf("the matches are at %d and %d, one was at %d before", m.Seq, len(log), last)
						}
						last = m.Seq
						return err
					})
					wantClass(t, "view", err, nil)
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		for n := range 40 {
			update(t, s, func(tx storage.Tx) error {
				if err := storagetest.Append(tx, one, newEntries(n, 1)); err != nil {
					return err
				}
				runtime.Gosched()
				return storagetest.Append(tx, two, newEntries(n, 1))
			})
			if seq := matchOf(t, s, one).Seq; seq != n+1 {
				t.Fatalf("a view after the update sees entry %d, want %d", seq, n+1)
			}
		}
		close(done)
		wg.Wait()
	}},
	{"Close", func(t *testing.T, s storage.Store) {
		release, first := blockWriter(s)
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		runtime.Gosched()
		select {
		case err := <-closed:
			t.Errorf("the store is closed during an update: %v", err)
		default:
		}
		close(release)
		wantClass(t, "update", <-first, nil)
		wantClass(t, "close", <-closed, nil)
		wantClass(t, "second close", s.Close(), nil)
		wantClass(t, "update", s.Update(context.Background(), func(storage.Tx) error { return nil }), storage.ErrClosed)
		wantClass(t, "view", s.View(context.Background(), func(storage.Reader) error { return nil }), storage.ErrClosed)
	}},
}

// tooLate is a time that no driver has to store.
var tooLate = minute(0).AddDate(9999, 0, 0)

// errorOf returns the error of a call with a result.
func errorOf[T any](_ T, err error) error { return err }

// blockWriter begins an update that ends when release is closed.
func blockWriter(s storage.Store) (release chan struct{}, result chan error) {
	begun := make(chan struct{})
	release, result = make(chan struct{}), make(chan error, 1)
	go func() {
		result <- s.Update(context.Background(), func(tx storage.Tx) error {
			close(begun)
			<-release
			_, err := tx.InsertMatch(newMatch())
			return err
		})
	}()
	<-begun
	return release, result
}
