package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"castellan/storage"
)

// unlock ends a lock that reserves a database for one process. SQLite's own locks last only for a
// transaction, so two bots could use one database, and both would post every
// board.
//
// The lock is on a file of its own, because it has to exist before the database
// does. On Linux the database is locked as well, so that removing that file, or
// another name of the database, lets nobody in.
type unlock func() error

// locate returns the absolute path of a file, with links resolved, and its size,
// 0 if it does not exist.
func locate(path string) (string, int64, error) {
	if path == "" {
		return "", 0, errors.New(`the name of the file is empty; name a file, or ":memory:"`)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", 0, err
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return "", 0, fmt.Errorf("the folder %s does not exist; make it or name another file", folder)
	case err != nil:
		return "", 0, err
	case !info.IsDir():
		return "", 0, fmt.Errorf("%s is not a folder; name another file", folder)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if to, err := os.Readlink(path); err == nil {
			return "", 0, fmt.Errorf("it is a link to %s, which does not exist; name that file", to)
		}
		return path, 0, nil
	case err != nil:
		return "", 0, err
	case info.IsDir():
		return "", 0, errors.New("it is a folder; name a file in it")
	case !info.Mode().IsRegular():
		return "", 0, errors.New("it is not a regular file; name another file")
	}
	// Two names of one file are one database with one lock.
	path, err = filepath.EvalSymlinks(path)
	return path, info.Size(), err
}

// checkWritable fails if a file cannot be written. SQLite does not report that: it
// opens such a file for reading, and leaves files beside it that it cannot remove.
// Nothing else in this process has the file open (see unlock), so closing it drops
// no lock.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return notWritable(err)
	}
	return f.Close()
}

// notWritable reports that the file of a database cannot be opened for writing.
func notWritable(err error) error {
	return fmt.Errorf("the file cannot be read and written; change its permissions, or name another file (%w)", classifyWrite(err))
}

// cannotWriteIn reports that a file cannot be written in a folder.
func cannotWriteIn(folder string, err error) error {
	if errors.Is(writeError(err), storage.ErrDiskFull) {
		return fmt.Errorf("%w; make room in %s, or name a file elsewhere (%w)", storage.ErrDiskFull, folder, err)
	}
	return fmt.Errorf("nothing can be written in the folder %s; change its permissions, or name another file (%w)", folder, classifyWrite(err))
}

// classifyWrite wraps a system error of writing in the error of package storage that
// it amounts to, if there is one.
func classifyWrite(err error) error {
	kind := writeError(err)
	if kind == nil {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// writeError classifies a system error of writing; nil if it is something else.
func writeError(err error) error {
	is := func(target syscall.Errno) bool { return errors.Is(err, target) }
	switch {
	case slices.ContainsFunc(diskFullErrors, is):
		return storage.ErrDiskFull
	case errors.Is(err, fs.ErrPermission), slices.ContainsFunc(readOnlyErrors, is):
		return storage.ErrReadOnly
	}
	return nil
}

// probeSize is how much probe writes: more than the write-ahead log or its index
// grows by at a time.
const probeSize = 64 << 10

// probe writes to the disk of a database as SQLite does, to find out why SQLite
// failed. It creates a file beside a database and writes at the offset where the
// database's own files end. It never opens those, because closing them would
// drop SQLite's locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
func probe(path string) (err error) {
	var end int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			end = max(end, info.Size())
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-probe-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	data := make([]byte, probeSize)
	for i := range data {
		data[i] = byte(i) // some file systems do not store zeros
	}
	if _, err := f.WriteAt(data, end); err != nil {
		return err
	}
	return f.Sync()
}
