package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ending is a test that records how it would have ended.
type ending struct {
	testing.TB
	skip, fatal string
}

func (e *ending) Helper() {}

func (e *ending) Skipf(format string, args ...any) {
	e.skip = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (e *ending) Fatalf(format string, args ...any) {
	e.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (e *ending) Fatal(args ...any) {
	e.fatal = fmt.Sprint(args...)
	runtime.Goexit()
}

func loaded(t *testing.T, file string) *ending {
	e := &ending{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		load(e, file)
	}()
	<-done
	return e
}

func TestWithoutADescriptionTheTestIsSkipped(t *testing.T) {
	t.Setenv("CI", "")
	e := loaded(t, filepath.Join(t.TempDir(), "none.json"))
	if e.fatal != "" || e.skip == "" || strings.Contains(e.skip, "\n") {
		t.Errorf("skip %q, fatal %q: want one line of skip", e.skip, e.fatal)
	}
}

func TestWithoutADescriptionCIFails(t *testing.T) {
	t.Setenv("CI", "true")
	if e := loaded(t, filepath.Join(t.TempDir(), "none.json")); e.fatal == "" || e.skip != "" {
		t.Errorf("skip %q, fatal %q: want a failure", e.skip, e.fatal)
	}
}

func TestABrokenDescriptionIsNeverSkipped(t *testing.T) {
	t.Setenv("CI", "")
	file := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := loaded(t, file); e.fatal == "" || e.skip != "" {
		t.Errorf("skip %q, fatal %q: want a failure", e.skip, e.fatal)
	}
}
