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

// What tells a writer which transactions to do and where to wait for its end.
const (
	writerRound = "CASTELLAN_TEST_ROUND"
	writerPause = "CASTELLAN_TEST_PAUSE" // "<number of transaction> <point>", empty for none
)

// runUntilKilled does transactions and says of each "done <id>" when it has been
// acknowledged. At its pause it says so and waits.
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

// However a process is killed, what was acknowledged is there once, and of what
// was not there is all or nothing.
func TestKill(t *testing.T) {
	t.Parallel()
	const each = 10 // rounds with one database
	rounds := count("CASTELLAN_KILLS", 24)
	var path string
	r := rand.New(rand.NewPCG(4, 2026))
	var kept []string // all that must be in the database
	var acknowledged, paused, unheard int
	for round := range rounds {
		if round%each == 0 {
			path, kept = filepath.Join(t.TempDir(), "castellan.db"), nil
			s := open(t, path)
			if err := prepare(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		pause, after := "", r.IntN(6)
		if r.IntN(2) == 0 {
			pause = fmt.Sprint(after, " ", []string{"begun", "half", "written"}[r.IntN(3)])
			paused++
		}
		c := startChild(t, "writer", path, fmt.Sprintf("%s=%d", writerRound, round), writerPause+"="+pause)
		hear := func(line string) {
			id, ok := strings.CutPrefix(line, "done ")
			if !ok && line != "pause" {
				t.Fatalf("round %d: the writer says %q", round, line)
			}
			if ok {
				acknowledged++
				kept = append(kept, id)
			}
		}
		for heard := 0; heard <= after; heard++ {
			line := c.line()
			hear(line)
			if line == "pause" {
				break
			}
		}
		if pause == "" { // into one of the next transactions, or a commit
			for range r.IntN(3000) {
				runtime.Gosched()
			}
		}
		for _, line := range c.kill() {
			hear(line)
		}

		s := open(t, path)
		got, err := audit(s)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if lost := without(kept, got); len(lost) > 0 {
			t.Fatalf("round %d: lost %v", round, lost)
		}
		// At most the transaction that was going on was committed without
		// having been acknowledged.
		extra := without(got, kept)
		if len(extra) > 1 || pause != "" && len(extra) > 0 {
			t.Fatalf("round %d, pause %q: too many: %v", round, pause, extra)
		}
		unheard += len(extra)
		kept = append(kept, extra...)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed %d times, %d of them at a pause inside the transaction: %d transactions acknowledged, 0 lost, 0 doubled, 0 in part; %d committed and not yet acknowledged",
		rounds, paused, acknowledged, unheard)
}

// The write-ahead log is a header and frames, each a header and a page. A frame
// is part of it as far as its salts are the header's
// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
const (
	walHeader   = 32
	frameHeader = 24
	walPageSize = 8  // where the size of a page stands in the header
	walSalts    = 16 // where the salts stand in the header
	frameSalts  = 8  // where they stand in a frame
)

// walEnd is where the frames end that belong to a write-ahead log; what follows
// is left from before it was begun anew.
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

// image is a database as it lies on the disk while it is in use, with what it
// must give when the write-ahead log is damaged.
type image struct {
	name    string
	db, wal []byte
	base    []string // the transactions that are in db
	ids     []string // the transactions that are in wal, in their order
	ends    []int    // where in wal the commit of each of them ends
}

// images is a log that has never been emptied, one that has been begun anew
// over an older one, and one that a huge transaction was writing to.
func images(t *testing.T) []image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	if err := prepare(s); err != nil {
		t.Fatal(err)
	}
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
			if err := d.run(s, noPause); err != nil {
				t.Fatal(err)
			}
			i.ids = append(i.ids, d.id)
			i.ends = append(i.ends, walEnd(readFile(t, path+"-wal")))
		}
	}
	again := func(name string) {
		execute(t, sqlite.Writer(s), "PRAGMA wal_checkpoint(RESTART)")
		i = image{name: name, base: slices.Concat(i.base, i.ids)}
	}
	do(40)
	// Before the first checkpoint the database file holds nothing yet: all of
	// it, the schema too, is in the log.
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
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// expect is the transactions that must be there when the log is another: those whose
// commits end before the first byte that differs.
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

// damage is ways in which a log can be damaged at a place.
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
	{"noise from there on", func(r *rand.Rand, wal []byte, at int) []byte {
		for i := at; i < len(wal); i++ {
			wal[i] = byte(r.Uint32())
		}
		return wal
	}},
	{"an earlier piece again", func(r *rand.Rand, wal []byte, at int) []byte {
		copy(wal[at:], wal[r.IntN(at+1):at])
		return wal
	}},
}

// Whatever becomes of the write-ahead log, the database is as after some of the
// transactions, from the first to the last one before the damage, each whole.
// Undamaged it loses nothing.
func TestTornLog(t *testing.T) {
	t.Parallel()
	tries := count("CASTELLAN_TORN", 16) // of each image
	var torn, cost, commits int
	for _, i := range images(t) {
		reopened(t, i, i.wal, slices.Concat(i.base, i.ids), true)
		r := rand.New(rand.NewPCG(11, uint64(len(i.wal))))
		last := i.ends[len(i.ends)-1]
		for try := range tries {
			// Mostly where the commits are, and now and then behind them.
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
			reopened(t, i, wal, want, try%7 == 0) // a commit waits for the disk: some are enough
			if t.Failed() {
				t.Fatalf("%s, %s at %d of %d", i.name, kind.name, at, len(i.wal))
			}
			torn++
			commits += len(i.ids)
			cost += len(i.base) + len(i.ids) - len(want)
		}
	}
	t.Logf("log damaged %d times: the database opened and was sound each time; of %d transactions in the logs %d stood behind the damage and were gone, 0 before it, 0 in part",
		torn, commits, cost)
}

// reopened opens a database as it lay on a disk, and may do one more transaction.
func reopened(t *testing.T, i image, wal []byte, want []string, goesOn bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "castellan.db")
	write(t, path, i.db)
	write(t, path+"-wal", wal)
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantTransactions(t, s, want)
	if !goesOn {
		return
	}
	// It goes on from there.
	if err := (transaction{id: "next", matches: []storage.MatchID{1}, entries: 2}).run(s, noPause); err != nil {
		t.Error(err)
	}
	wantTransactions(t, s, append(slices.Clone(want), "next"))
}
