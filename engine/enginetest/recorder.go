package enginetest

import (
	"fmt"
	"runtime"
	"strings"
)

// Recorder is a T that records failures, to test suites.
type Recorder struct {
	Failed bool
	lines  []string
}

// Record runs a test and returns what it has recorded.
func Record(test func(T)) *Recorder {
	r, done := &Recorder{}, make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r
}

func (r *Recorder) Helper() {}

func (r *Recorder) Logf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *Recorder) Errorf(format string, args ...any) {
	r.Failed = true
	r.Logf(format, args...)
}

func (r *Recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Said returns all messages.
func (r *Recorder) Said() string { return strings.Join(r.lines, "\n") }
