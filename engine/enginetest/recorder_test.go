package enginetest_test

import (
	"fmt"
	"runtime"
	"strings"
)

// recorder is an enginetest.T that records failures.
type recorder struct {
	failed bool
	lines  []string
}

func (r *recorder) Helper() {}

func (r *recorder) Logf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	r.Logf(format, args...)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// watch runs a test with a recorder.
func watch(test func(*recorder)) *recorder {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r
}

func (r *recorder) said() string { return strings.Join(r.lines, "\n") }
