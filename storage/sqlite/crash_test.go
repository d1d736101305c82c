package sqlite_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"castellan/storage"
	"castellan/storage/sqlite"
)

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

// image is a database in use as it is on the disk, with the transactions in its log.
type image struct {
	db, wal []byte
	ids     []string // the transactions in wal, in order
	ends    []int    // the end of the commit of each of them in wal
}

// newImage returns a database whose log was restarted: complete transactions are
// followed by a huge one that is being written, and by the rest of an older log.
func newImage(t *testing.T) (i image) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "castellan.db")
	s := open(t, path)
	must(t, prepare(s))
	for _, id := range []string{"old-1", "old-2"} {
		must(t, hugeTransaction(id).run(s))
	}
	execute(t, sqlite.Writer(s), "PRAGMA wal_checkpoint(RESTART)")
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 40 {
		d := randomTransaction(r, fmt.Sprint("new-", n))
		must(t, d.run(s))
		i.ids, i.ends = append(i.ids, d.id), append(i.ends, walEnd(readFile(t, path+"-wal")))
	}
	must(t, hugeTransaction("never").run(s, func() { i.db, i.wal = readFile(t, path), readFile(t, path+"-wal") }))
	if end := walEnd(i.wal); end < i.ends[len(i.ends)-1]+1<<20 || end == len(i.wal) {
		t.Fatal("the log lacks the huge transaction or the rest of the older log")
	}
	return i
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return data
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
		clear(wal[at:min(at+512, len(wal))])
		return wal
	}},
	{"an earlier piece repeated", func(r *rand.Rand, wal []byte, at int) []byte {
		copy(wal[at:], wal[r.IntN(at+1):at])
		return wal
	}},
}

// With a damaged write-ahead log, the database holds the complete transactions before
// the damage, and goes on. Undamaged it loses nothing.
func TestTornLog(t *testing.T) {
	t.Parallel()
	i, r := newImage(t), rand.New(rand.NewPCG(11, 11))
	tries := 24
	if n, err := strconv.Atoi(os.Getenv("CASTELLAN_TORN")); err == nil {
		tries = n
	}
	lost := 0
	for try := range tries + 1 {
		at, name, wal := len(i.wal), "undamaged", slices.Clone(i.wal)
		if try > 0 { // mostly within the commits, sometimes in the header or after them
			at = r.IntN(i.ends[len(i.ends)-1])
			switch try % 8 {
			case 0:
				at = r.IntN(len(i.wal))
			case 1:
				at = r.IntN(walHeader)
			}
			kind := damage[r.IntN(len(damage))]
			name, wal = kind.name, kind.do(r, wal, at)
		}
		first := 0 // the first byte that has changed
		for first < len(wal) && wal[first] == i.wal[first] {
			first++
		}
		kept, _ := slices.BinarySearch(i.ends, first+1) // commits that end before it
		want := append([]string{"old-1", "old-2"}, i.ids[:kept]...)
		lost += len(i.ids) - kept

		path := filepath.Join(t.TempDir(), "castellan.db")
		write(t, path, i.db)
		write(t, path+"-wal", wal)
		s := open(t, path)
		wantTransactions(t, s, want)
		if try%7 == 0 { // not always, because commits are slow
			must(t, (transaction{id: "next", matches: []storage.MatchID{1}, entries: 2}).run(s))
			wantTransactions(t, s, append(want, "next"))
		}
		must(t, s.Close())
		if t.Failed() {
			t.Fatalf("%s at %d of %d", name, at, len(i.wal))
		}
	}
	t.Logf("log damaged %d times: the database opened undamaged each time; of %d transactions in the logs %d came after the damage and were lost, 0 before it, 0 partial",
		tries, tries*len(i.ids), lost)
}
