// Package clitest runs programs in tests.
package clitest

import (
	"os"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
)

// Self is the environment variable that makes a test binary run as its program with its
// command line, if its TestMain calls Main.
const Self = "CASTELLAN_TEST_SELF"

// Main runs the tests, or the program in a process that a test has started.
func Main(m *testing.M, p cli.Program) {
	if os.Getenv(Self) == "" {
		os.Exit(m.Run())
	}
	os.Exit(cli.Main(p))
}

// Result is the outcome of a command line.
type Result struct {
	Code      int
	Out, Errs string
	program   string
}

// Run executes a command line.
func Run(t *testing.T, p cli.Program, args ...string) Result {
	t.Helper()
	var out, errs strings.Builder
	code := p.Run(t.Context(), args, &out, &errs)
	return Result{code, out.String(), errs.String(), p.Name}
}

// Refused checks for an exit code and a single line of error that contains all
// the parts.
func (r Result) Refused(t *testing.T, code int, parts ...string) {
	t.Helper()
	text, _, _ := strings.Cut(r.Errs, "\nTry "+r.program+" --help.")
	text = strings.TrimSuffix(text, "\n")
	if r.Code != code || r.Out != "" || !strings.HasPrefix(text, r.program+": ") || strings.Contains(text, "\n") {
		t.Errorf("exit %d, want %d, out %q, errors %q", r.Code, code, r.Out, r.Errs)
	}
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not say %q", text, p)
		}
	}
	for _, inner := range []string{"match: ", "imaging: ", "sqlite: ", "storage: ", "%!", "goroutine"} {
		if strings.Contains(text, inner) {
			t.Errorf("%q shows internals", text)
		}
	}
}
