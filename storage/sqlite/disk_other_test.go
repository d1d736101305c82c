//go:build !linux

package sqlite_test

import "errors"

// fillUpToALimit is played on Linux only.
func fillUpToALimit(string) error { return errors.ErrUnsupported }
