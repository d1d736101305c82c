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
	"strconv"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// A transaction is one transaction of the tests that take a database to its limits:
// entries for one match or two, some small, some large. Each entry says of
// which transaction it is, its place in it and how many there are, so that afterwards
// every transaction can be told to be there whole, in part or not at all.
type transaction struct {
	id      string // without spaces
	matches []storage.MatchID
	entries int // to each match
	size    int // of an entry's text, in bytes
}

// testMatches is the matches that transactions are for.
const testMatches = 4

func randomTransaction(r *rand.Rand, id string) transaction {
	d := transaction{id: id, entries: 1 + r.IntN(4), size: r.IntN(2000)}
	for _, m := range r.Perm(testMatches)[:1+r.IntN(2)] {
		d.matches = append(d.matches, storage.MatchID(m+1))
	}
	return d
}

// hugeTransaction is more than SQLite's cache takes (2 MB): part of it is in the
// write-ahead log before the commit.
func hugeTransaction(id string) transaction {
	return transaction{id: id, matches: []storage.MatchID{1, 2}, entries: 400, size: 4000}
}

// prepare makes the matches in a new database.
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

// run does a transaction. pause is called in the transaction at each of its
// points: "begun", "half" after the first match, "written" before the commit.
func (d transaction) run(s *sqlite.Store, pause func(point string)) error {
	return s.Update(context.Background(), func(tx storage.Tx) error {
		pause("begun")
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
			if err := tx.Append(id, m.Seq, entries); err != nil {
				return err
			}
			pause("half")
		}
		pause("written")
		return nil
	})
}

func noPause(string) {}

// audit is the transactions that a database holds, in no order. It fails where one is
// there in part or twice, where a log has a gap, or where the database is not
// sound.
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

// holds fails the test unless a database holds just these transactions.
func wantTransactions(t *testing.T, s *sqlite.Store, want []string) {
	t.Helper()
	got, err := audit(s)
	if err != nil {
		t.Fatal(err)
	}
	if lost, extra := without(want, got), without(got, want); len(lost)+len(extra) > 0 {
		t.Errorf("lost %v, too many %v", lost, extra)
	}
}

// without is those of a that are not in b.
func without(a, b []string) []string {
	has := map[string]bool{}
	for _, x := range b {
		has[x] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return has[x] })
}

// The variables that make the test program play a part instead of testing, and
// name its database.
const (
	childPart = "CASTELLAN_TEST_CHILD"
	childPath = "CASTELLAN_TEST_DATABASE"
)

// children is the parts that another process can play.
var children = map[string]func(path string) error{
	"writer": runUntilKilled,
	"locker": holdWriteLock,
}

// child is another process that plays a part.
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
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &child{t, cmd, in, bufio.NewScanner(out)}
}

// line is the next line that it prints, "" at its end.
func (c *child) line() string {
	if !c.out.Scan() {
		return ""
	}
	return c.out.Text()
}

// kill ends it as SIGKILL does, in the middle of whatever it does, and returns
// the lines that it had printed and nobody had read.
func (c *child) kill() (rest []string) {
	c.t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		c.t.Fatal(err)
	}
	for l := c.line(); l != ""; l = c.line() {
		rest = append(rest, l)
	}
	c.cmd.Wait() // its error is that it was killed
	return rest
}

// count returns the number in an environment variable, or a default.
func count(variable string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return usual
}
