package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"castellan/storage"
)

// errSharingViolation is ERROR_SHARING_VIOLATION, which package syscall does
// not name.
const errSharingViolation syscall.Errno = 32

// fileFlagDeleteOnClose is FILE_FLAG_DELETE_ON_CLOSE.
const fileFlagDeleteOnClose = 0x04000000

// acquire takes the lock or fails with storage.ErrLocked at once: the file is
// opened without sharing, and the system removes it when it is closed or the
// process ends.
func acquire(name string) (*lock, error) {
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
	return &lock{release: func() error { return syscall.CloseHandle(h) }}, nil
}
