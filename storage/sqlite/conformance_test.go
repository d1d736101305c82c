package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// open opens a database.
func open(t testing.TB, path string, opts ...sqlite.Option) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path, opts...)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestContractFile(t *testing.T) {
	t.Parallel()
	// A copy of an empty database saves the migrations of each store.
	template := filepath.Join(t.TempDir(), "castellan.db")
	must(t, open(t, template).Close())
	empty := readFile(t, template)
	storagetest.Run(t, func(t testing.TB) storage.Store {
		path := filepath.Join(t.TempDir(), "castellan.db")
		write(t, path, empty)
		return open(t, path)
	})
}

func TestContractMemory(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t testing.TB) storage.Store { return open(t, sqlite.Memory) })
}

// An update waits for the one that runs, until its context is done.
func TestUpdatesWait(t *testing.T) {
	t.Parallel()
	s := open(t, sqlite.Memory)
	running, release, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- s.Update(context.Background(), func(storage.Tx) error {
			close(running)
			<-release
			return nil
		})
	}()
	<-running
	ctx, cancel := context.WithCancel(context.Background())
	second := make(chan error, 1)
	go func() {
		second <- s.Update(ctx, func(storage.Tx) error { t.Error("the second update runs"); return nil })
	}()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("second update: %v", err)
	}
	close(release)
	must(t, <-first)
}

// BenchmarkTurn commits one turn: two entries, a due board and the interaction.
func BenchmarkTurn(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "castellan.db"))
	fill(b, s)
	seq := 1
	for b.Loop() {
		err := s.Update(context.Background(), func(tx storage.Tx) error {
			interaction := "interaction-" + strconv.Itoa(seq)
			if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: interaction, At: noon, Match: 1, Seq: seq + 2}); err != nil {
				return err
			}
			err := tx.Append(1, seq, []storage.Entry{
				{Seq: seq + 1, Kind: "action", Seat: 1, Text: "b2-b4", At: noon, Interaction: interaction},
				{Seq: seq + 2, Kind: "action", Seat: 1, Text: "end", At: noon, Interaction: interaction},
			})
			if err != nil {
				return err
			}
			_, err = tx.InsertBoard(storage.Board{Match: 1, Seq: seq + 2, Notify: true})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		seq += 2
	}
}

// BenchmarkMatch reads a match with a thousand entries.
func BenchmarkMatch(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "castellan.db"))
	fill(b, s)
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		for seq := 1; seq < 1000; seq++ {
			err := tx.Append(1, seq, []storage.Entry{{Seq: seq + 1, Kind: "action", Seat: 1, Text: "b2-b4", At: noon}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := s.View(context.Background(), func(r storage.Reader) error {
			if _, err := r.Match(1); err != nil {
				return err
			}
			log, err := r.Entries(1)
			if len(log) != 1000 {
				b.Fatalf("%d entries", len(log))
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// A button press must stay within few statements.
func TestTrace(t *testing.T) {
	t.Parallel()
	counts := map[sqlite.TraceKind]int{}
	s, err := sqlite.Open(t.Context(), sqlite.Memory, sqlite.Trace(func(k sqlite.TraceKind) { counts[k]++ }))
	must(t, err)
	defer s.Close()
	fill(t, s)
	clear(counts)
	must(t, s.Update(t.Context(), func(tx storage.Tx) error {
		state, err := tx.LoadMatch(1, 1)
		if err != nil {
			return err
		}
		_, err = tx.Advance(storage.Advance{
			Match: 1, After: state.Seq,
			Entries:   []storage.Entry{{Seq: 2, Kind: "action", At: noon}, {Seq: 3, Kind: "action", At: noon}},
			Board:     &storage.Board{Match: 1, Seq: 3},
			Processed: &storage.ProcessedInteraction{Interaction: "10", At: noon, Match: 1, Seq: 3},
		})
		return err
	}))
	must(t, s.View(t.Context(), func(r storage.Reader) error {
		_, err := r.ActiveBoards(1)
		return err
	}))
	if counts[sqlite.TraceUpdate] != 1 || counts[sqlite.TraceView] != 1 || counts[sqlite.TraceStatement] != 2+5+1 {
		t.Errorf("counted %v, want 1 update, 1 view and 8 statements", counts)
	}
}

func BenchmarkUpdates(b *testing.B) {
	storagetest.Benchmark(b, func(tb testing.TB) storage.Store { return open(tb, filepath.Join(tb.TempDir(), "castellan.db")) })
}
