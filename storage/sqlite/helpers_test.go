package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
	"castellan/storage/storagetest"
)

// transaction is a transaction of the tests that break a database: it appends
// entries to one match or two. Each entry names its transaction, its index and the
// number of entries, so that a test can tell whether the transaction is complete,
// partial or missing.
type transaction struct {
	id      string // without spaces
	matches []storage.MatchID
	entries int // to each match
	size    int // of an entry's text, in bytes
}

// testMatches is the number of matches that transactions append to.
const testMatches = 4

func randomTransaction(r *rand.Rand, id string) transaction {
	d := transaction{id: id, entries: 1 + r.IntN(4), size: r.IntN(2000)}
	for _, m := range r.Perm(testMatches)[:1+r.IntN(2)] {
		d.matches = append(d.matches, storage.MatchID(m+1))
	}
	return d
}

// hugeTransaction returns a transaction larger than SQLite's cache (2 MB), so that
// part of it is in the write-ahead log before the commit.
func hugeTransaction(id string) transaction {
	return transaction{id: id, matches: []storage.MatchID{1, 2}, entries: 400, size: 4000}
}

// prepare inserts the matches into a new database.
func prepare(s *sqlite.Store) error {
	return s.Update(context.Background(), func(tx storage.Tx) error {
		for range testMatches {
			_, err := tx.InsertMatch(storage.Match{Game: "trails", CreatedAt: noon, Seats: []storage.Person{{ID: "1"}, {ID: "2"}}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// run runs the transaction, and calls written before the commit.
func (d transaction) run(s *sqlite.Store, written ...func()) error {
	return s.Update(context.Background(), func(tx storage.Tx) error {
		for i, id := range d.matches {
			m, err := tx.Match(id)
			if err != nil {
				return err
			}
			entries := make([]storage.Entry, d.entries)
			for j := range entries {
				text := fmt.Sprintf("%s %d %d ", d.id, i*d.entries+j, d.entries*len(d.matches))
				text += strings.Repeat("x", max(0, d.size-len(text)))
				entries[j] = storage.Entry{Seq: m.Seq + 1 + j, Kind: "action", Seat: 1, Text: text, At: noon, Interaction: d.id}
			}
			if err := storagetest.Append(tx, id, entries); err != nil {
				return err
			}
		}
		for _, do := range written {
			do()
		}
		return nil
	})
}

// audit returns the transactions that a database holds, in no order. It fails if
// one is partial or duplicated, if a log has a gap, or if the database is damaged.
func audit(s *sqlite.Store) (whole []string, err error) {
	findings, err := s.Check(context.Background())
	if err != nil {
		return nil, err
	}
	if len(findings) > 0 {
		return nil, errors.New(strings.Join(findings, "; "))
	}
	type parts struct {
		seen []int
		of   int
	}
	transactions := map[string]*parts{}
	err = s.View(context.Background(), func(r storage.Reader) error {
		records, err := r.MatchesAfter(0, testMatches+1)
		if err != nil {
			return err
		}
		if len(records) != testMatches {
			return fmt.Errorf("there are %d matches, want %d", len(records), testMatches)
		}
		for _, rec := range records {
			log, err := r.Entries(rec.ID)
			if err != nil {
				return err
			}
			if rec.Seq != len(log) {
				return fmt.Errorf("match %d has %d entries, and says %d", rec.ID, len(log), rec.Seq)
			}
			for i, e := range log {
				if e.Seq != i+1 {
					return fmt.Errorf("match %d: entry %d stands where %d belongs", rec.ID, e.Seq, i+1)
				}
				var place, of int
				if _, err := fmt.Sscanf(e.Text, e.Interaction+" %d %d ", &place, &of); err != nil {
					return fmt.Errorf("match %d: entry %d is %q: %w", rec.ID, e.Seq, e.Text, err)
				}
				p := transactions[e.Interaction]
				if p == nil {
					p = &parts{of: of}
					transactions[e.Interaction] = p
				}
				p.seen = append(p.seen, place)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for id, p := range transactions {
		slices.Sort(p.seen)
		if len(p.seen) != p.of || len(slices.Compact(p.seen)) != p.of {
			return nil, fmt.Errorf("of transaction %s there are %d of %d entries", id, len(p.seen), p.of)
		}
		whole = append(whole, id)
	}
	return whole, nil
}

// wantTransactions checks that a database holds exactly these transactions.
func wantTransactions(t *testing.T, s *sqlite.Store, want []string) {
	t.Helper()
	got, err := audit(s)
	must(t, err)
	if lost, extra := without(want, got), without(got, want); len(lost)+len(extra) > 0 {
		t.Errorf("lost %v, too many %v", lost, extra)
	}
}

// without returns the elements of a that are not in b.
func without(a, b []string) []string {
	has := map[string]bool{}
	for _, x := range b {
		has[x] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return has[x] })
}

// The environment variables that make the test program run a child instead of the
// tests, and name its database.
const (
	childPart = "CASTELLAN_TEST_CHILD"
	childPath = "CASTELLAN_TEST_DATABASE"
)

// children are the functions that run in a process of their own.
var children = map[string]func(path string) error{
	"holder": holdStore,
	"locker": holdWriteLock,
}

// child is a running child process.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, part, path string, variables ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childPart+"="+part, childPath+"="+path), variables...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &child{t, cmd, in, bufio.NewScanner(out)}
}

// line returns the next line of output, "" at the end.
func (c *child) line() string {
	if !c.out.Scan() {
		return ""
	}
	return c.out.Text()
}

// kill ends the process with SIGKILL.
func (c *child) kill() {
	c.t.Helper()
	must(c.t, c.cmd.Process.Kill())
	c.cmd.Wait() // fails, because it was killed
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
