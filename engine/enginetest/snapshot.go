package enginetest

import (
	"fmt"
	"reflect"

	"castellan/engine"
)

// snapshot holds everything that a position says at one moment.
type snapshot struct {
	position engine.Position
	seat     engine.Seat
	turns    int
	legal    []engine.Action
	hash     uint64
	result   engine.Result
	over     bool
	status   engine.Phrase
	summary  engine.Phrase
	describe []engine.Phrase
}

func snapshotOf(p engine.Position) snapshot {
	s := snapshot{
		position: p, seat: p.Seat(), turns: p.Turns(), legal: p.Legal(), hash: p.Hash(),
		status: p.Status(), summary: p.Summary(), describe: p.Describe(),
	}
	s.result, s.over = p.Result()
	return s
}

// checkUnchanged compares the position with its snapshot.
func (s snapshot) checkUnchanged() error {
	if err := s.compare(snapshotOf(s.position)); err != nil {
		return fmt.Errorf("a position has changed: %w", err)
	}
	return nil
}

// compare returns an error that names the first difference of two snapshots.
func (s snapshot) compare(t snapshot) error {
	for _, c := range []struct {
		what string
		a, b any
	}{
		{"seat", s.seat, t.seat},
		{"number of turns", s.turns, t.turns},
		{"legal actions", engine.Tokens(s.legal), engine.Tokens(t.legal)},
		{"hash", s.hash, t.hash},
		{"result", s.result, t.result},
		{"end", s.over, t.over},
		{"status", s.status, t.status},
		{"summary", s.summary, t.summary},
		{"description", s.describe, t.describe},
	} {
		if !reflect.DeepEqual(c.a, c.b) {
			return fmt.Errorf("%s: %v and %v", c.what, c.a, c.b)
		}
	}
	return nil
}
