package sqlite_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

// The environment variables that tell a writer which transactions to run and where
// to wait for being killed.
const (
	writerRound = "CASTELLAN_TEST_ROUND"
	writerPause = "CASTELLAN_TEST_PAUSE" // "<number of transaction> <point>", empty for none
)

// runUntilKilled runs transactions and prints "done <id>" after each. At its pause
// it prints "pause" and waits.
func runUntilKilled(path string) error {
	round, err := strconv.ParseUint(os.Getenv(writerRound), 10, 64)
	if err != nil {
		return err
	}
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(round, 1))
	for n := 0; ; n++ {
		d := randomTransaction(r, fmt.Sprintf("%d.%d", round, n))
		if r.IntN(12) == 0 {
			d = hugeTransaction(d.id)
		}
		err := d.run(s, func(point string) {
			if os.Getenv(writerPause) == fmt.Sprint(n, " ", point) {
				fmt.Println("pause")
				select {}
			}
		})
		if err != nil {
			return err
		}
		fmt.Println("done", d.id)
	}
}

// After a kill, acknowledged transactions are there exactly once, and others are
// complete or missing.
func TestKill(t *testing.T) {
	t.Parallel()
	const each = 10 // rounds with one database
	rounds := count("CASTELLAN_KILLS", 24)
	var path string
	r := rand.New(rand.NewPCG(4, 2026))
	var kept []string // transactions that must be in the database
	var acknowledged, paused, unacknowledged int
	for round := range rounds {
		if round%each == 0 {
			path, kept = filepath.Join(t.TempDir(), "castellan.db"), nil
			s := open(t, path)
			must(t, prepare(s))
			must(t, s.Close())
		}
		pause, after := "", r.IntN(6)
		if r.IntN(2) == 0 {
			pause = fmt.Sprint(after, " ", []string{"begun", "half", "written"}[r.IntN(3)])
			paused++
		}
		c := startChild(t, "writer", path, fmt.Sprintf("%s=%d", writerRound, round), writerPause+"="+pause)
		note := func(line string) {
			id, ok := strings.CutPrefix(line, "done ")
			if !ok && line != "pause" {
				t.Fatalf("round %d: the writer prints %q", round, line)
			}
			if ok {
				acknowledged++
				kept = append(kept, id)
			}
		}
		for n := 0; n <= after; n++ {
			line := c.line()
			note(line)
			if line == "pause" {
				break
			}
		}
		if pause == "" { // during one of the next transactions or commits
			for range r.IntN(3000) {
				runtime.Gosched()
			}
		}
		for _, line := range c.kill() {
			note(line)
		}

		s := open(t, path)
		got, err := audit(s)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if lost := without(kept, got); len(lost) > 0 {
			t.Fatalf("round %d: lost %v", round, lost)
		}
		// At most the running transaction was committed without having been
		// acknowledged.
		extra := without(got, kept)
		if len(extra) > 1 || pause != "" && len(extra) > 0 {
			t.Fatalf("round %d, pause %q: too many: %v", round, pause, extra)
		}
		unacknowledged += len(extra)
		kept = append(kept, extra...)
		must(t, s.Close())
	}
	t.Logf("killed %d times, %d of them at a pause inside the transaction: %d transactions acknowledged, 0 lost, 0 duplicated, 0 partial; %d committed and not yet acknowledged",
		rounds, paused, acknowledged, unacknowledged)
}

// The write-ahead log is a header followed by frames, each a header and a page. A
// frame is valid if its salts equal those of the log header
// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
const (
	walHeader   = 32
	frameHeader = 24
	walPageSize = 8  // offset of the page size in the log header
	walSalts    = 16 // offset of the salts in the log header
	frameSalts  = 8  // offset of the salts in a frame
)

// walEnd returns the end of the valid frames of a write-ahead log; the rest is left
// from before the log was restarted.
func walEnd(wal []byte) int {
	if len(wal) < walHeader {
		return 0
	}
	frame := frameHeader + int(binary.BigEndian.Uint32(wal[walPageSize:]))
	salts := string(wal[walSalts : walSalts+8])
	end := walHeader
	for end+frame <= len(wal) && string(wal[end+frameSalts:end+frameSalts+8]) == salts {
		end += frame
	}
	return end
}

// image is a database in use as it is on the disk, with the transactions that it
// holds.
type image struct {
	name    string
	db, wal []byte
	base    []string // the transactions in db
	ids     []string // the transactions in wal, in order
	ends    []int    // the end of the commit of each of them in wal
}

// images returns a database with an old log, one whose log was restarted over an
// older one, and one to which a huge transaction was being written.
func images(t *testing.T) []image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	r := rand.New(rand.NewPCG(7, 7))
	var all []image
	i := image{name: "first"}
	take := func() {
		i.db, i.wal = readFile(t, path), readFile(t, path+"-wal")
		all = append(all, i)
	}
	do := func(n int) {
		for range n {
			d := randomTransaction(r, fmt.Sprintf("%s-%d", i.name, len(i.ids)))
			must(t, d.run(s, noPause))
			i.ids = append(i.ids, d.id)
			i.ends = append(i.ends, walEnd(readFile(t, path+"-wal")))
		}
	}
	again := func(name string) {
		execute(t, sqlite.Writer(s), "PRAGMA wal_checkpoint(RESTART)")
		i = image{name: name, base: slices.Concat(i.base, i.ids)}
	}
	do(40)
	// Before the first checkpoint everything, even the schema, is in the log.
	execute(t, sqlite.Writer(s), "PRAGMA wal_checkpoint(RESTART)")
	i = image{name: "old", base: i.ids}
	do(40)
	take()
	again("new")
	do(15)
	take()
	again("huge")
	do(5)
	if err := hugeTransaction("never").run(s, func(point string) {
		if point == "written" {
			take()
		}
	}); err != nil {
		t.Fatal(err)
	}
	if last := all[len(all)-1]; walEnd(last.wal) < last.ends[len(last.ends)-1]+1<<20 {
		t.Fatal("the huge transaction is not in the log before its commit")
	}
	return all
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return data
}

// expect returns the transactions that must be there with a damaged log: those
// whose commits end before the first changed byte.
func (i image) expect(wal []byte) []string {
	same := 0
	for same < min(len(wal), len(i.wal)) && wal[same] == i.wal[same] {
		same++
	}
	if same == len(i.wal) {
		same = len(wal)
	}
	n := 0
	for n < len(i.ends) && i.ends[n] <= same {
		n++
	}
	return slices.Concat(i.base, i.ids[:n])
}

// damage lists ways to damage a log at an offset.
var damage = []struct {
	name string
	do   func(r *rand.Rand, wal []byte, at int) []byte
}{
	{"cut", func(_ *rand.Rand, wal []byte, at int) []byte { return wal[:at] }},
	{"bit", func(r *rand.Rand, wal []byte, at int) []byte {
		wal[at] ^= 1 << r.IntN(8)
		return wal
	}},
	{"sector of zeros", func(_ *rand.Rand, wal []byte, at int) []byte {
		at -= at % 512
		clear(wal[at:min(at+512, len(wal))])
		return wal
	}},
	{"noise from the offset on", func(r *rand.Rand, wal []byte, at int) []byte {
		for i := at; i < len(wal); i++ {
			wal[i] = byte(r.Uint32())
		}
		return wal
	}},
	{"an earlier piece repeated", func(r *rand.Rand, wal []byte, at int) []byte {
		copy(wal[at:], wal[r.IntN(at+1):at])
		return wal
	}},
}

// With a damaged write-ahead log, the database holds the complete transactions before
// the damage. Undamaged it loses nothing.
func TestTornLog(t *testing.T) {
	t.Parallel()
	tries := count("CASTELLAN_TORN", 16) // of each image
	var torn, cost, commits int
	for _, i := range images(t) {
		reopened(t, i, i.wal, slices.Concat(i.base, i.ids), true)
		r := rand.New(rand.NewPCG(11, uint64(len(i.wal))))
		last := i.ends[len(i.ends)-1]
		for try := range tries {
			// Mostly within the commits, sometimes after them.
			at := r.IntN(last)
			if try%8 == 0 {
				at = r.IntN(len(i.wal))
			}
			if try%16 == 1 {
				at = r.IntN(walHeader)
			}
			kind := damage[try%len(damage)]
			wal := kind.do(r, slices.Clone(i.wal), at)
			want := i.expect(wal)
			reopened(t, i, wal, want, try%7 == 0) // not always, because commits are slow
			if t.Failed() {
				t.Fatalf("%s, %s at %d of %d", i.name, kind.name, at, len(i.wal))
			}
			torn++
			commits += len(i.ids)
			cost += len(i.base) + len(i.ids) - len(want)
		}
	}
	t.Logf("log damaged %d times: the database opened undamaged each time; of %d transactions in the logs %d came after the damage and were lost, 0 before it, 0 partial",
		torn, commits, cost)
}

// reopened opens an image with a log and may run one more transaction.
func reopened(t *testing.T, i image, wal []byte, want []string, goesOn bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "castellan.db")
	write(t, path, i.db)
	write(t, path+"-wal", wal)
	s, err := sqlite.Open(context.Background(), path)
	must(t, err)
	defer s.Close()
	wantTransactions(t, s, want)
	if !goesOn {
		return
	}
	if err := (transaction{id: "next", matches: []storage.MatchID{1}, entries: 2}).run(s, noPause); err != nil {
		t.Error(err)
	}
	wantTransactions(t, s, append(slices.Clone(want), "next"))
}
