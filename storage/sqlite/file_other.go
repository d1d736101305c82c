//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package sqlite

import "syscall"

// See sys_unix.go.
var (
	diskFullErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	readOnlyErrors = []syscall.Errno{syscall.EROFS}
)

// acquireLock takes no lock: the system has none that ends with the process. SQLite's
// own locks still keep the database intact.
func acquireLock(string) (unlock, error) {
	return func() error { return nil }, nil
}

// lockFile locks nothing, see acquireLock.
func lockFile(path string) (unlock, error) { return acquireLock(path) }
