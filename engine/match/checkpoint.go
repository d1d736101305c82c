package match

import (
	"fmt"
	"slices"

	"castellan/engine"
)

// checkpoint is a match right after a public entry. At starts from it, so that
// it applies only the private entries that follow.
type checkpoint struct {
	seq      int
	position engine.Position
	open     Turn
	turns    []Turn // completed; a takeback removes one
	retired  []engine.Seat
	timedOut seats
	moved    seats
	outcome  *Outcome
	voided   bool
	stood    []Span
}

// addCheckpoint adds a checkpoint if the last entry was public.
func (m *Match) addCheckpoint() {
	if m.publicSeq != len(m.log) {
		return
	}
	open := m.open
	open.Actions = slices.Clip(open.Actions)
	m.checkpoints = append(m.checkpoints, checkpoint{
		seq: m.publicSeq, position: m.position, open: open, turns: slices.Clip(m.turns), retired: slices.Clip(m.retired),
		timedOut: m.timedOut, moved: m.moved, outcome: m.outcome, voided: m.voided, stood: slices.Clip(m.stood),
	})
}

// At returns the match as it stood after entry seq, 0 for the start. It shares
// positions, turns and log with m.
func (m *Match) At(seq int) (*Match, error) {
	if seq < 0 || seq > len(m.log) {
		return nil, fmt.Errorf("match: there is no entry %d, the log has %d", seq, len(m.log))
	}
	i, found := slices.BinarySearchFunc(m.checkpoints, seq, func(c checkpoint, seq int) int { return c.seq - seq })
	if !found {
		i--
	}
	c := m.checkpoints[i]
	at := &Match{
		game: m.game, settings: m.settings,
		log: m.log[:c.seq:c.seq], position: c.position, open: c.open,
		turns: c.turns, retired: c.retired,
		timedOut: c.timedOut, moved: c.moved, publicSeq: c.seq, outcome: c.outcome, voided: c.voided, stood: c.stood,
		checkpoints: m.checkpoints[: i+1 : i+1],
	}
	for _, e := range m.log[c.seq:seq] {
		if err := at.apply(e); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// PublicAt returns what everybody sees of the match as it stood after entry seq: the
// match without the actions of its open turn, which are private. At keeps actions
// during which another seat has retired.
func (m *Match) PublicAt(seq int) (*Match, error) {
	at, err := m.At(seq)
	if err == nil && len(at.open.Actions) > 0 {
		at.position, at.open.Actions = at.open.Before, nil
	}
	return at, err
}
