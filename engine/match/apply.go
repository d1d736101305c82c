package match

import (
	"errors"
	"fmt"

	"castellan/engine"
)

// apply adds one entry to m, which nobody else has seen yet. After an error m
// is not to be used any more.
func (m *Match) apply(e Entry) error {
	if want := len(m.log) + 1; e.Seq != want {
		return fmt.Errorf("match: entry %d: entry %d was to come", e.Seq, want)
	}
	if err := m.effect(e); err != nil {
		return fmt.Errorf("match: entry %d (%s of seat %d): %w", e.Seq, e.Kind, e.Seat, err)
	}
	m.log = append(m.log, e)
	return nil
}

// effect does what an entry says, without noting it in the log.
func (m *Match) effect(e Entry) error {
	if err := m.admit(e.Seat); err != nil {
		return err
	}
	if e.Kind != KindAction && e.Text != "" {
		return errors.New("only an action has a text")
	}
	switch e.Kind {
	case KindAction:
		if e.Seat != m.open.Seat {
			return &TurnError{m.open.Seat}
		}
		action, err := m.position.Parse(e.Text)
		if err != nil {
			return err
		}
		// A log holds canonical tokens only. Another spelling is a record
		// of other rules, or a damaged one.
		if action.String() != e.Text {
			return fmt.Errorf("%q is written %q", e.Text, action)
		}
		return m.play(action, e)
	case KindUndo:
		return m.takeBack(e.Seat)
	case KindResign:
		return m.leave(e, e.Seat)
	case KindClaim:
		if e.Seat == m.open.Seat {
			return ErrOwnTurn
		}
		return m.leave(e, m.open.Seat)
	case KindAbort:
		if !m.CanAbort() {
			return ErrTooLate
		}
		m.finish(Outcome{Ending: ByAbort, By: e.Seat}, e)
		return nil
	}
	return fmt.Errorf("there is no entry of kind %q", e.Kind)
}

// begin opens the turn at a position, or ends the match where the game is over
// there. e is the entry that led to it.
func (m *Match) begin(p engine.Position, e Entry) {
	m.position = p
	m.open = Turn{Number: len(m.turns) + 1, Seat: p.Seat(), Before: p, BeganAt: e.At}
	m.public = e.Seq
	if result, ok := p.Result(); ok {
		m.finish(Outcome{Ending: ByRules, Result: result}, e)
	}
}

// finish ends the match with entry e. What has been played of an open turn is
// nobody's business any more: the position is the one that everybody saw.
func (m *Match) finish(o Outcome, e Entry) {
	o.At = e.At
	m.outcome = &o
	m.position = m.open.Before
	m.open = Turn{}
	m.public = e.Seq
}

// play adds an action to the open turn. An action that ends the game ends the
// turn as well.
func (m *Match) play(a engine.Action, e Entry) error {
	next, err := m.position.Apply(a)
	if err != nil {
		return err
	}
	ended := ends(m.position, next)
	m.position = next
	m.open.Actions = append(m.open.Actions, a)
	if ended {
		m.open.EndedAt = e.At
		m.moved = m.moved.with(m.open.Seat)
		m.turns = append(m.turns, m.open)
		m.begin(next, e)
	}
	return nil
}

// ends reports whether a turn ended between two positions.
func ends(before, after engine.Position) bool {
	if after.Turns() > before.Turns() {
		return true
	}
	_, over := after.Result()
	return over
}

// takeBack removes the last action of the open turn and plays the others again
// from its start.
func (m *Match) takeBack(seat engine.Seat) error {
	if seat != m.open.Seat {
		return &TurnError{m.open.Seat}
	}
	if len(m.open.Actions) == 0 {
		return ErrNothingToUndo
	}
	kept := m.open.Actions[:len(m.open.Actions)-1]
	p := m.open.Before
	for _, a := range kept {
		var err error
		if p, err = p.Apply(a); err != nil {
			return fmt.Errorf("play %s again: %w", a, err)
		}
	}
	m.position = p
	m.open.Actions = kept[:len(kept):len(kept)] // the next action must not write into another match's turn
	return nil
}

// leave lets a seat go, which has resigned or against which the match was
// claimed. Where two are playing the other wins; where more are, the seat
// retires and the others play on: "a player who resigns or runs out of time
// while three or more are playing is retired" (rules/rings.md).
func (m *Match) leave(e Entry, seat engine.Seat) error {
	playing := m.playing()
	if len(playing) == 2 {
		winner := playing[0]
		if winner == seat {
			winner = playing[1]
		}
		out := Outcome{Ending: ByResignation, Result: m.wonBy(winner, seat), By: e.Seat}
		if e.Kind == KindClaim {
			out.Ending, out.TimedOut = ByClaim, seat
		}
		m.finish(out, e)
		return nil
	}

	before, ok := m.open.Before.(engine.Retirer)
	if !ok {
		return fmt.Errorf("no seat of %s can retire", m.settings.Game)
	}
	base, err := before.Retire(seat)
	if err != nil {
		return fmt.Errorf("retire: %w", err)
	}
	turn := m.open
	m.retired = append(m.retired, seat)
	if e.Kind == KindClaim {
		m.silent = m.silent.with(seat)
	}
	m.begin(base, e)
	if m.open.Seat == turn.Seat && m.open.Number == turn.Number {
		m.open.BeganAt = turn.BeganAt
	}
	// The open turn of the one who left is taken back. Somebody else's goes
	// on. Should the rules make one of its actions illegal now that the seat
	// has left, it and what followed are taken back: nobody's draft can keep
	// another from resigning.
	for _, a := range turn.Actions {
		if m.open.Seat != turn.Seat || m.open.Number != turn.Number {
			break
		}
		if err := m.play(a, e); err != nil {
			break
		}
	}
	return nil
}

// wonBy is the result where only the winner is left: then comes who left last,
// and whoever left earlier ranks below, as rules/rings.md has it.
func (m *Match) wonBy(winner, loser engine.Seat) engine.Result {
	ranks := make([]int, m.settings.Seats)
	ranks[winner-1] = 1
	ranks[loser-1] = 2
	for i, s := range m.retired {
		ranks[s-1] = 2 + len(m.retired) - i
	}
	return engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks}
}
