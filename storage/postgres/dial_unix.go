//go:build unix

package postgres

import "syscall"

func setOption(socket uintptr, option, value int) error {
	return syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, option, value)
}
