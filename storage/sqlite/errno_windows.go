package sqlite

import "syscall"

// The errors of the operating system that say that there is no room
// (ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED), and
// those that say that nothing may be written (ERROR_WRITE_PROTECT).
var (
	noRoom    = []syscall.Errno{39, 112, 1295}
	noWriting = []syscall.Errno{19}
)
