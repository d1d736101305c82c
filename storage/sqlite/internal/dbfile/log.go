package dbfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"castellan/storage"
)

// Format of the write-ahead log (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
	walMagic        = 0x377f0682 // plus 1 if checksums are big-endian
)

// HasLog reports whether a database has a write-ahead log with content.
func HasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > walHeaderSize
}

// FirstLoggedCommit returns the number of the first transaction in a log, or 0
// if SQLite would apply no numbered transaction. page is the page of the number.
func FirstLoggedCommit(log string, page uint32) (int64, error) {
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

// Files remembers the files of an open database.
type Files struct {
	path string
	at   map[string]fs.FileInfo // by suffix
}

// Watch remembers the files of a database that has just been opened.
func Watch(path string) (*Files, error) {
	w := &Files{path: path, at: map[string]fs.FileInfo{}}
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			return nil, err
		}
		w.at[suffix] = info
	}
	return w, nil
}

// Check fails with storage.ErrReplaced if a name no longer leads to the file
// that was opened. SQLite would go on to write to a file that nobody can find.
func (w *Files) Check() error {
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
