//go:build linux || darwin || freebsd

package main

import "syscall"

// freeSpace returns the bytes that are free on the disk of a folder.
func freeSpace(folder string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
