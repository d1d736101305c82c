package sqlite_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

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
	base    []string // the deeds that are in db
	ids     []string // the deeds that are in wal, in their order
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
		i.db, i.wal = slurp(t, path), slurp(t, path+"-wal")
		all = append(all, i)
	}
	do := func(n int) {
		for range n {
			d := someDeed(r, fmt.Sprintf("%s-%d", i.name, len(i.ids)))
			if err := d.carryOut(s, noGate); err != nil {
				t.Fatal(err)
			}
			i.ids = append(i.ids, d.id)
			i.ends = append(i.ends, walEnd(slurp(t, path+"-wal")))
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
	if err := hugeDeed("never").carryOut(s, func(point string) {
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

func slurp(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// expect is the deeds that must be there when the log is another: those whose
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
func TestTornWriteAheadLog(t *testing.T) {
	t.Parallel()
	tries := 70 // of each image
	if testing.Short() || raceEnabled {
		tries = 20
	}
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

// reopened opens a database as it lay on a disk, and may do one more deed.
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
	holds(t, s, want)
	if !goesOn {
		return
	}
	// It goes on from there.
	if err := (deed{id: "next", matches: []storage.MatchID{1}, entries: 2}).carryOut(s, noGate); err != nil {
		t.Error(err)
	}
	holds(t, s, append(slices.Clone(want), "next"))
}
