package protocol

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"castellan/engine"
	"castellan/engine/search"
)

// Engine answers for the computer players of one game.
type Server struct {
	// Brain is who plays.
	Engine search.Engine
	// Name and Author are what it calls itself.
	Name, Author string
	// Level, Memory in bytes and Seed are what its options are set to at
	// first: the strongest level and search.DefaultMemory where they are zero.
	Level  string
	Memory int64
	Seed   uint64
	// Clock tells the time.
	Clock Clock
}

// Clock is all that knows the time.
type Clock struct {
	// Now is the time, of which only differences count.
	Now func() time.Time
	// Timeout is a context that ends after a time, as context.WithTimeout.
	Timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Limits of what is read.
const (
	// MaxLine is the most bytes that a line may have.
	MaxLine = 1 << 20
	// MaxMemory is the most that the option memory may be set to, in MiB.
	MaxMemory = 4096
)

// Serve answers until it is told to quit, the context ends, or there is nothing
// more to read. It then ends what it is thinking about; only where the lines
// just stop, it finishes first a thought that nodes, a level or a time bound.
//
// Nothing that is read makes it fail: what is wrong is answered by a line that
// begins with "error". It fails where reading or writing does. When the context
// ends, one read may be left behind, waiting.
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

// session is one conversation.
type session struct {
	Server
	ctx   context.Context
	games *engine.Registry
	out   io.Writer
	done  sync.WaitGroup // thoughts

	mutex    sync.Mutex // of all that follows, and of writing
	failed   error      // of writing
	level    search.Level
	position engine.Position
	thinking *activeSearch
	record   *recordLines // that are being read
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
	if s.Memory == 0 {
		s.Memory = search.DefaultMemory
	}
	if _, s.position, err = ParseHistory(e.Engine.Game, "start"); err != nil {
		return nil, err
	}
	return s, nil
}

func (e Server) unknownLevel(key string) error {
	return fmt.Errorf("there is no level %q; there is %s", key, strings.Join(e.Engine.Keys(), ", "))
}

// say writes a line. The mutex is held.
func (s *session) writef(format string, args ...any) {
	if s.failed != nil {
		return
	}
	line := strings.Map(sanitize, fmt.Sprintf(format, args...))
	if _, err := io.WriteString(s.out, line+"\n"); err != nil {
		s.failed = fmt.Errorf("writing a line: %w", err)
	}
}

// printable is a character of a line.
func sanitize(c rune) rune {
	if c < ' ' || c == 0x7f || c == '\u2028' || c == '\u2029' {
		return ' '
	}
	return c
}

// writing is why nothing can be written any more.
func (s *session) writeError() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.failed
}

// end ends the thought, or lets it finish where it is bounded.
func (s *session) stopThinking(patient bool) {
	s.mutex.Lock()
	if t := s.thinking; t != nil && (!patient || !t.bounded) {
		t.cancel()
	}
	s.mutex.Unlock()
	s.done.Wait()
}
