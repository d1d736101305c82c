package cli_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"castellan/cmd/internal/cli"
	"castellan/cmd/internal/clitest"
)

// failing is a command that fails.
type failing struct {
	Usage bool
}

func (c failing) Run() error {
	err := errors.New("it has failed")
	if c.Usage {
		return cli.Usage(err)
	}
	return err
}

func program() cli.Program {
	return cli.Program{Name: "thing", Description: "A thing.", Commands: &struct {
		Fail    failing            `cmd:"" help:"Fail."`
		Version cli.VersionCommand `cmd:""`
	}{}}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		part string
	}{
		{"fail", cli.ExitError, "it has failed"},
		{"fail --usage", cli.ExitUsage, "it has failed"},
		{"--nope", cli.ExitUsage, "unknown flag --nope"},
		{"frobnicate", cli.ExitUsage, "frobnicate"},
		{"version extra", cli.ExitUsage, "extra"},
	} {
		got := clitest.Run(t, program(), strings.Fields(c.args)...)
		got.Refused(t, c.code, c.part)
		if hint := strings.HasSuffix(got.Errs, "\nTry thing --help.\n"); hint == strings.HasPrefix(c.args, "fail") {
			t.Errorf("%s: %q", c.args, got.Errs)
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"-h"}} {
		if got := clitest.Run(t, program(), args...); got.Code != cli.ExitOK || got.Errs != "" || !strings.Contains(got.Out, "A thing.") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestVersion(t *testing.T) {
	got := clitest.Run(t, program(), "version")
	want := regexp.MustCompile(`^thing \S+( [0-9a-f]{40})? ` + regexp.QuoteMeta(runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH) + "\n$")
	if got.Code != cli.ExitOK || got.Errs != "" || !want.MatchString(got.Out) {
		t.Errorf("%+v", got)
	}
}

// closedWriter rejects all output.
type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestOutputError(t *testing.T) {
	var errs strings.Builder
	if code := program().Run(context.Background(), []string{"version"}, closedWriter{}, &errs); code != cli.ExitError || errs.Len() == 0 {
		t.Errorf("exit %d, errors %q", code, errs.String())
	}
}
