package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"castellan/storage"
)

// The system errors for a full disk (ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL,
// ERROR_DISK_QUOTA_EXCEEDED) and for a read-only one (ERROR_WRITE_PROTECT).
var (
	diskFullErrors = []syscall.Errno{39, 112, 1295}
	readOnlyErrors = []syscall.Errno{19}
)

// Constants of Windows that package syscall lacks.
const (
	errSharingViolation   syscall.Errno = 32
	fileFlagDeleteOnClose               = 0x04000000
)

// acquireLock takes the lock or fails with storage.ErrLocked at once: it opens the
// file without sharing, and the system removes it when it is closed or the
// process ends.
func acquireLock(name string) (unlock, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	const noSharing = 0
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, noSharing, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|fileFlagDeleteOnClose, 0)
	if errors.Is(err, errSharingViolation) {
		return nil, storage.ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() error { return syscall.CloseHandle(h) }, nil
}

// lockFile locks nothing: an open file can be neither removed nor replaced here,
// and acquireLock keeps other processes away.
func lockFile(string) (unlock, error) {
	return func() error { return nil }, nil
}
