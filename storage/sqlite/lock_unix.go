//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"castellan/storage"
)

// acquire takes the lock or fails with storage.ErrLocked at once. The lock goes
// with the process, so a file that a killed one has left is no hindrance.
func acquire(name string) (*lock, error) {
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
		same, err := still(f, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		if !same {
			// Whoever held it has removed it between our two calls, and
			// the next one makes another: this one locks nobody out.
			f.Close()
			continue
		}
		return &lock{release: func() error {
			// Removed while it is held, so that nobody else's is.
			return errors.Join(os.Remove(name), f.Close())
		}}, nil
	}
}

// still reports whether name is the name of the open file.
func still(f *os.File, name string) (bool, error) {
	ours, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(ours, named), err
}
