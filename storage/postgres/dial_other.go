//go:build !unix

package postgres

func setOption(uintptr, int, int) error { return nil }
