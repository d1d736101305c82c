package protocol

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"castellan/engine"
	"castellan/engine/search"
)

// Version is the version of the protocol. It rises with incompatible changes.
const Version = 1

// Server answers for the computer players of one game.
type Server struct {
	// Engine has the players.
	Engine search.Engine
	// Name and Author identify the program.
	Name, Author string
	// Level, Memory in bytes and Seed are the initial values of the
	// options. Zero values mean the strongest level and
	// search.DefaultMemory.
	Level  string
	Memory int64
	Seed   uint64
}

const (
	// MaxLine is the greatest length of a line in bytes.
	MaxLine = 1 << 20
	// MaxMemory is the greatest value of the option memory, in MiB.
	MaxMemory = 4096
)

// Serve answers until it reads "quit", the context ends, or the input ends. It
// then stops its search; but at the end of input, it finishes a search that is
// bounded by nodes, level or time.
//
// Wrong input is answered by a line that begins with "error", and never makes
// it fail. It fails if reading or writing does. When the context ends, one
// blocked read may remain.
func (e Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s, err := newSession(ctx, e, out)
	if err != nil {
		return err
	}
	lines := readLines(ctx, in)
	for s.writeError() == nil {
		select {
		case <-ctx.Done():
			s.stopThinking(false)
			return nil
		case l, more := <-lines:
			switch {
			case !more, l.err != nil:
				s.stopThinking(true)
				if l.err != nil {
					return fmt.Errorf("reading a line: %w", l.err)
				}
				return s.writeError()
			case s.handle(l):
				s.stopThinking(false)
				return s.writeError()
			}
		}
	}
	s.stopThinking(false)
	return s.writeError()
}

type session struct {
	Server
	ctx   context.Context
	games *engine.Registry
	out   io.Writer
	done  sync.WaitGroup // running searches

	mutex    sync.Mutex // protects the following and writes
	failed   error      // the first error of a write
	level    search.Level
	position engine.Position
	thinking *activeSearch
	record   *recordLines // being read, or nil
}

func newSession(ctx context.Context, e Server, out io.Writer) (*session, error) {
	games, err := engine.NewRegistry(e.Engine.Game)
	if err != nil {
		return nil, err
	}
	s := &session{Server: e, ctx: ctx, games: games, out: out, level: e.Engine.Strongest()}
	if e.Level != "" {
		l, ok := e.Engine.Level(e.Level)
		if !ok {
			return nil, e.unknownLevel(e.Level)
		}
		s.level = l
	}
	s.Memory = cmp.Or(s.Memory, search.DefaultMemory)
	if _, s.position, err = ParseHistory(e.Engine.Game, "start"); err != nil {
		return nil, err
	}
	return s, nil
}

func (e Server) unknownLevel(key string) error {
	return fmt.Errorf("there is no level %q; there is %s", key, strings.Join(e.Engine.Keys(), ", "))
}

// writef writes a line. The mutex must be held.
func (s *session) writef(format string, args ...any) {
	if s.failed != nil {
		return
	}
	line := strings.Map(sanitize, fmt.Sprintf(format, args...))
	if _, err := io.WriteString(s.out, line+"\n"); err != nil {
		s.failed = fmt.Errorf("writing a line: %w", err)
	}
}

// sanitize replaces characters that would break a line.
func sanitize(c rune) rune {
	if c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' {
		return ' '
	}
	return c
}

func (s *session) writeError() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.failed
}

// stopThinking waits for the search to end. It stops it first unless
// finishBounded is set and the search is bounded.
func (s *session) stopThinking(finishBounded bool) {
	s.mutex.Lock()
	if t := s.thinking; t != nil && (!finishBounded || !t.bounded) {
		t.cancel()
	}
	s.mutex.Unlock()
	s.done.Wait()
}
