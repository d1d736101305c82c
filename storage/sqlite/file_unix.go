//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"castellan/storage"
)

// The system errors for a full disk and for a read-only one. Missing permission
// is fs.ErrPermission on every system.
var (
	diskFullErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	readOnlyErrors = []syscall.Errno{syscall.EROFS}
)

// acquireLock takes the lock or fails with storage.ErrLocked at once. The lock ends
// with the process; the file that a killed process leaves does not matter.
func acquireLock(name string) (unlock, error) {
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, storage.ErrLocked
			}
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
		same, err := isNamed(f, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		if !same {
			// The previous holder removed the file between the two calls, and
			// the next one will create another: this lock excludes nobody.
			f.Close()
			continue
		}
		return func() error {
			// Remove the file before unlocking it, or this could remove the
			// file of the next holder. Somebody may have removed it already.
			var err error
			if same, _ := isNamed(f, name); same {
				err = os.Remove(name)
			}
			return errors.Join(err, f.Close())
		}, nil
	}
}

// lockFile locks the database itself, whatever its name, or fails with
// storage.ErrLocked at once.
//
// Only Linux keeps flock apart from the locks that SQLite takes with fcntl
// (flock(2), Interaction with fcntl locking); elsewhere it would lock SQLite
// out, and nothing is locked.
func lockFile(path string) (unlock, error) {
	if runtime.GOOS != "linux" {
		return func() error { return nil }, nil
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, notWritable(err)
	}
	switch err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		// The descriptor stays open. If the holder is in this process, closing
		// it would drop the locks of SQLite (https://www.sqlite.org/howtocorrupt.html, 2.2).
		return nil, storage.ErrLocked
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), syscall.Close(fd))
	}
	return func() error {
		// Closing alone would leave the lock to the copies of the descriptor in
		// processes that are just being started.
		return errors.Join(syscall.Flock(fd, syscall.LOCK_UN), syscall.Close(fd))
	}, nil
}

// isNamed reports whether name still is the name of an open file.
func isNamed(f *os.File, name string) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(open, named), err
}
