package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"castellan/storage"
	"castellan/storage/sqlite/internal/dbfile"
)

// Format of the write-ahead log (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
	walMagic        = 0x377f0682 // plus 1 if checksums are big-endian
)

// hasLog reports whether a database has a write-ahead log with content.
func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > walHeaderSize
}

// create creates a missing database for its owner alone; SQLite gives the files
// beside it the same permissions. It refuses to if there is a log: SQLite would
// discard the newest changes of the database that is missing.
func create(path string) error {
	if hasLog(path) {
		name := filepath.Base(path)
		return fmt.Errorf("%[1]s-wal is there and %[1]s is not: it holds the newest changes of the missing database; put %[1]s back, or move %[1]s-wal and %[1]s-shm elsewhere to begin with an empty database", name)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return dbfile.CannotWriteIn(filepath.Dir(path), err)
	}
	return f.Close()
}

// checkAdoption decides whether SQLite may apply the write-ahead log beside a
// database. SQLite itself applies any log whose checksums are right, and so
// destroys an older database that was put in the place of the one the log
// belongs to.
//
// checkAdoption reads through connections that change neither file: one that
// ignores the log, and one that recovers it in shared memory. It needs no copy,
// for which there may be no room. Like dbfile.CheckWritable it opens and closes
// the file, so nothing else in this process may have the file open.
func checkAdoption(ctx context.Context, path string, c config) error {
	name := filepath.Base(path)
	if rollback, err := inRollbackMode(path); err != nil {
		return err
	} else if rollback {
		return fmt.Errorf("%[1]s-wal beside it belongs to the database that was here before; move %[1]s-wal and %[1]s-shm elsewhere", name)
	}
	has, page, err := readCommits(ctx, path, c, url.Values{"immutable": {"1"}})
	if err != nil || page == 0 { // another program's database, or damaged, or older; inspect reports that
		return nil
	}
	first, err := firstLoggedCommit(path+"-wal", page)
	if err != nil {
		return fmt.Errorf("%s-wal cannot be read: %w", name, err)
	}
	last, _, err := readCommits(ctx, path, c, url.Values{})
	if err != nil && !errors.Is(classify(path, err), storage.ErrCorrupt) {
		return err
	}
	if first > 0 && (err != nil || has < first-1 || has > last) {
		return fmt.Errorf("%[1]s-wal does not belong to this %[1]s: the log continues from change %[2]d, the file holds change %[3]d; put back the %[1]s that belongs to the log, or move %[1]s-wal and %[1]s-shm elsewhere to start with this file, without the changes in the log", name, first-1, has)
	}
	return nil
}

// inRollbackMode reports whether a database is not in WAL mode, as a backup is
// not (see copyInto). It cannot have a log with content then, because SQLite
// sets the mode, byte 18 of the header, before it writes the first frame
// (https://www.sqlite.org/fileformat.html#the_database_header).
func inRollbackMode(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var header [20]byte
	if n, err := f.ReadAt(header[:], 0); n < len(header) && err != io.EOF {
		return false, err
	}
	return header[18] == 1, nil // 2 is WAL
}

// readCommits returns the number of the last transaction and the page that it
// is stored on, or 0 and 0 if the schema is too old to have it.
func readCommits(ctx context.Context, path string, c config, params url.Values) (n int64, page uint32, err error) {
	err = readWith(ctx, path, c, params, func(db *sql.DB) error {
		page, err = queryValue[uint32](ctx, db, "SELECT coalesce(max(rootpage), 0) FROM sqlite_schema WHERE name = 'commits'")
		if err == nil && page > 0 {
			n, err = queryValue[int64](ctx, db, "SELECT n FROM commits")
		}
		return err
	})
	return n, page, err
}

// firstLoggedCommit returns the number of the first transaction in a log, or 0
// if SQLite would apply no numbered transaction. page is the page of the number.
func firstLoggedCommit(log string, page uint32) (int64, error) {
	f, err := os.Open(log)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	header := make([]byte, walHeaderSize)
	if _, err := io.ReadFull(f, header); err != nil {
		return 0, err
	}
	magic, size := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[8:])
	if magic&^1 != walMagic || size < 512 || size > 65536 {
		return 0, nil
	}
	var sum [2]uint32
	var order binary.ByteOrder = binary.LittleEndian
	if magic&1 == 1 {
		order = binary.BigEndian
	}
	add := func(data []byte) {
		for ; len(data) > 0; data = data[8:] {
			sum[0] += order.Uint32(data) + sum[1]
			sum[1] += order.Uint32(data[4:]) + sum[0]
		}
	}
	valid := func(stored []byte) bool {
		return binary.BigEndian.Uint32(stored) == sum[0] && binary.BigEndian.Uint32(stored[4:]) == sum[1]
	}
	if add(header[:24]); !valid(header[24:]) {
		return 0, nil
	}
	var found int64
	for frame := make([]byte, frameHeaderSize+size); ; {
		if _, err := io.ReadFull(f, frame); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
		add(frame[:8])
		add(frame[frameHeaderSize:])
		if !bytes.Equal(frame[8:16], header[16:24]) || !valid(frame[16:24]) {
			return 0, nil
		}
		if binary.BigEndian.Uint32(frame) == page {
			found = rowidOf(frame[frameHeaderSize:])
		}
		if commit := binary.BigEndian.Uint32(frame[4:]) != 0; commit && found > 0 {
			return found, nil
		}
	}
}

// rowidOf returns the row identifier on a page of a table with one row of one
// column, its identifier, or 0 if the page is something else
// (https://www.sqlite.org/fileformat.html#b_tree_pages).
func rowidOf(page []byte) int64 {
	const leaf, payload = 0x0d, 2 // the size of a record of one NULL
	cell := int(binary.BigEndian.Uint16(page[8:]))
	if page[0] != leaf || binary.BigEndian.Uint16(page[3:]) != 1 || cell >= len(page) || page[cell] != payload {
		return 0
	}
	var rowid int64 // too small for a varint of nine bytes, whose last byte is read differently
	for _, b := range page[cell+1 : min(cell+9, len(page))] {
		rowid = rowid<<7 | int64(b&0x7f)
		if b < 0x80 {
			return rowid
		}
	}
	return 0
}

// examineWithLog checks a database as it will be once its log is applied.
func examineWithLog(ctx context.Context, path string, db querier) error {
	findings, err := examineFile(ctx, db, false)
	if err == nil && len(findings) > 0 {
		err = errors.New(strings.Join(findings, "; "))
	}
	if err == nil || !errors.Is(classify(path, err), storage.ErrCorrupt) && len(findings) == 0 {
		return err
	}
	name := filepath.Base(path)
	return fmt.Errorf("%w: with %s-wal applied, %s is not consistent (%w); the log may belong to another file: put back the one that it belongs to, or restore a backup", storage.ErrCorrupt, name, name, err)
}

// files remembers the files of an open database.
type files struct {
	path string
	at   map[string]fs.FileInfo // by suffix
}

// watch remembers the files of a database that has just been opened.
func watch(path string) (*files, error) {
	w := &files{path: path, at: map[string]fs.FileInfo{}}
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			return nil, err
		}
		w.at[suffix] = info
	}
	return w, nil
}

// check fails with storage.ErrReplaced if a name no longer leads to the file
// that was opened. SQLite would go on to write to a file that nobody can find.
func (w *files) check() error {
	for suffix, opened := range w.at {
		now, err := os.Stat(w.path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: %s is gone; move it back, or stop the bot and restore a backup", storage.ErrReplaced, w.path+suffix)
		case err == nil && !os.SameFile(opened, now):
			return fmt.Errorf("%w: %s is another file than the one that was opened; move that one back, or stop the bot to start with the new one", storage.ErrReplaced, w.path+suffix)
		}
	}
	return nil
}
