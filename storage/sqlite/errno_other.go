//go:build !windows

package sqlite

import "syscall"

// The errors of the operating system that say that there is no room, and those
// that say that nothing may be written; that it is not permitted is
// fs.ErrPermission everywhere.
var (
	noRoom    = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	noWriting = []syscall.Errno{syscall.EROFS}
)
