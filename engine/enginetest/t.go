package enginetest

import "testing"

// T is what the suite needs of a *testing.T, small enough to be played by a
// recorder, so that the suite's own tests can watch it fail.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // does not return
	Skipf(format string, args ...any)  // does not return
}

var _ T = (*testing.T)(nil)
