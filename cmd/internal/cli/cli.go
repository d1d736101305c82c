// Package cli is what the programs share: how a command line is run, its exit
// codes, outputs and errors, signals, and the version.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes. A second signal kills the process, which shells report as 128 plus
// the signal's number.
const (
	ExitOK    = 0 // success, or shut down by a signal
	ExitError = 1 // failure
	ExitUsage = 2 // mistake in the command line or the configuration
)

// Program is a program with subcommands.
type Program struct {
	Name        string
	Description string
	Commands    any       // pointer to a struct with the commands, as kong describes it
	Vars        kong.Vars // for the texts of the commands
}

// Main runs a program with the command line, outputs and signals of this process, and
// returns its exit code.
func Main(p Program) int {
	return withSignals(func(ctx context.Context) int { return p.Run(ctx, os.Args[1:], os.Stdout, os.Stderr) })
}

// Run executes a command line and returns the exit code. Call it once.
func (p Program) Run(ctx context.Context, args []string, out, errs io.Writer) (code int) {
	type exit int
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exit:
			code = int(r)
		default:
			panic(r)
		}
	}()
	parser, err := kong.New(p.Commands,
		kong.Name(p.Name), kong.Description(p.Description), kong.UsageOnError(),
		kong.Writers(out, errs), kong.Exit(func(n int) { panic(exit(n)) }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(Streams{out, errs}), p.Vars,
	)
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\n", p.Name, err)
		return ExitError
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(errs, "%s: %v\nTry %[1]s --help.\n", p.Name, err)
		return ExitUsage
	}
	if err := chosen.Run(); err != nil {
		fmt.Fprintf(errs, "%s: %v\n", p.Name, err)
		var usage *usageError
		if errors.As(err, &usage) {
			return ExitUsage
		}
		return ExitError
	}
	return ExitOK
}

// Streams holds the outputs of a command: results go to Out, everything else to
// Errs.
type Streams struct{ Out, Errs io.Writer }

// Print prints a report as JSON, or as text for people.
func (s Streams) Print(asJSON bool, report fmt.Stringer) error {
	if !asJSON {
		_, err := io.WriteString(s.Out, report.String())
		return err
	}
	e := json.NewEncoder(s.Out)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// Count formats a number with its noun in the singular or plural.
func Count(n int, singular, plural string) string {
	if n == 1 {
		plural = singular
	}
	return fmt.Sprintf("%d %s", n, plural)
}

// usageError reports a mistake in the command line or the configuration.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// Usage returns an error that ends the program with ExitUsage: a mistake in the
// command line or the configuration.
func Usage(err error) error { return &usageError{err} }

// withSignals calls a function with a context that the first SIGTERM or
// interrupt cancels. After that, signals have their default effect, so that a
// second one ends the process.
func withSignals(do func(context.Context) int) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			// Restore the default effect before the shutdown becomes visible.
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return do(ctx)
}
