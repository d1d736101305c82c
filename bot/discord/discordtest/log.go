package discordtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// Log is a slog.Handler whose records a test reads. A token in a record fails
// the test.
type Log struct {
	attrs  []slog.Attr
	shared *logState
}

type logState struct {
	mu    sync.Mutex
	t     testing.TB
	lines []string
}

// NewLog returns an empty log.
func NewLog(t testing.TB) *Log { return &Log{shared: &logState{t: t}} }

// SetTB makes failures those of another test.
func (l *Log) SetTB(t testing.TB) {
	l.shared.mu.Lock()
	defer l.shared.mu.Unlock()
	l.shared.t = t
}

// Enabled implements slog.Handler.
func (l *Log) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l *Log) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	full := ""
	add := func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value.Any())
		full += fmt.Sprintf("%v %+v", a.Value.Any(), a.Value.Any())
		for err, _ := a.Value.Any().(error); err != nil; err = errors.Unwrap(err) {
			full += err.Error()
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	l.shared.mu.Lock()
	defer l.shared.mu.Unlock()
	if strings.Contains(full, Token) || strings.Contains(full, InteractionToken) {
		l.shared.t.Errorf("a token is in the log: %s", line)
	}
	l.shared.lines = append(l.shared.lines, strings.ReplaceAll(line, "\n", `\n`))
	return nil
}

// WithAttrs implements slog.Handler.
func (l *Log) WithAttrs(a []slog.Attr) slog.Handler {
	return &Log{append(l.attrs[:len(l.attrs):len(l.attrs)], a...), l.shared}
}

// WithGroup implements slog.Handler.
func (l *Log) WithGroup(string) slog.Handler { return l }

// Take returns the records since the last call, a line each, the level first.
func (l *Log) Take() string {
	l.shared.mu.Lock()
	defer l.shared.mu.Unlock()
	defer func() { l.shared.lines = nil }()
	return strings.Join(l.shared.lines, "\n")
}
