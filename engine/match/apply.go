package match

import (
	"fmt"
	"slices"
	"strings"

	"castellan/engine"
)

// apply adds an entry to m, which must be a fresh clone. After an error m is
// invalid.
func (m *Match) apply(e Entry) error {
	if want := len(m.log) + 1; e.Seq != want {
		return fmt.Errorf("match: entry %d: want entry %d", e.Seq, want)
	}
	if err := m.perform(e); err != nil {
		return fmt.Errorf("match: entry %d (%s of seat %d): %w", e.Seq, e.Kind, e.Seat, err)
	}
	m.log = append(m.log, e)
	m.addCheckpoint()
	return nil
}

// perform carries out an entry without adding it to the log.
func (m *Match) perform(e Entry) error {
	if e.Kind.organises() {
		return m.organise(e)
	}
	if err := m.checkPlaying(e.Seat); err != nil {
		return err
	}
	agreed := e.Text == Agreed && (e.Kind == KindTakeback || e.Kind == KindAbort)
	unplayed := e.Text == Unplayed && e.Kind == KindAbort
	if e.Kind != KindAction && e.Kind != KindTime && !agreed && !unplayed && e.Text != "" {
		return errText(e)
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
		// A log has canonical tokens only.
		if action.String() != e.Text {
			return fmt.Errorf("%q is not canonical, %q is", e.Text, action)
		}
		return m.play(action, e)
	case KindUndo:
		return m.undo(e.Seat)
	case KindTakeback:
		if agreed {
			return m.agreedTakeback(e)
		}
		return m.takeback(e)
	case KindDraw:
		if m.settings.Seats != 2 {
			return ErrTwoSeats
		}
		m.end(Outcome{Ending: ByAgreement, Result: engine.Result{Ranks: []int{1, 1}}, By: e.Seat}, e)
		return nil
	case KindTime:
		return m.giveTime(e)
	case KindResign:
		return m.removeSeat(e, e.Seat)
	case KindClaim:
		if e.Seat == m.open.Seat {
			return ErrOwnTurn
		}
		return m.removeSeat(e, m.open.Seat)
	case KindTimeout:
		switch {
		case m.settings.Clock == Clock{}:
			return ErrNoClock
		case e.Seat != m.open.Seat:
			return &TurnError{m.open.Seat}
		case m.CanAbort() && len(m.playing()) == 2: // a win needs an opponent who has played
			m.end(Outcome{Ending: ByAbort, TimedOut: e.Seat}, e)
			return nil
		}
		return m.removeSeat(e, e.Seat)
	case KindAbort:
		if unplayed {
			if e.Seat != m.open.Seat {
				return &TurnError{m.open.Seat}
			}
			m.end(Outcome{Ending: ByAbort, TimedOut: e.Seat}, e)
			return nil
		}
		if !agreed && !m.CanAbort() || agreed && !m.CanAgreeAbort() {
			return ErrTooLate
		}
		m.end(Outcome{Ending: ByAbort, By: e.Seat}, e)
		return nil
	}
	return fmt.Errorf("there is no entry of kind %q", e.Kind)
}

func errText(e Entry) error { return fmt.Errorf("the text is %q", e.Text) }

// startTurn opens the turn at a position that e led to, or ends the match if the
// game is over there.
func (m *Match) startTurn(p engine.Position, e Entry) {
	m.position = p
	m.open = Turn{Number: len(m.turns) + 1, Seat: p.Seat(), Before: p, BeganAt: e.At, Follows: e.Kind == KindAction}
	m.publicSeq = e.Seq
	if result, ok := p.Result(); ok {
		m.end(Outcome{Ending: ByRules, Result: result}, e)
	}
}

// end ends the match with entry e and discards the open turn.
func (m *Match) end(o Outcome, e Entry) {
	o.At = e.At
	m.outcome = &o
	m.position = m.open.Before
	m.open = Turn{}
	m.publicSeq = e.Seq
}

// play adds an action to the open turn and ends the turn if the action does.
func (m *Match) play(a engine.Action, e Entry) error {
	next, err := m.position.Apply(a)
	if err != nil {
		return err
	}
	ended := turnEnded(m.position, next)
	m.position = next
	m.open.Actions = append(m.open.Actions, a)
	if ended {
		m.open.lag = e.At.Sub(Pressed(e.Interaction, e.At))
		m.open.EndedAt, m.open.Prepared = e.At, strings.HasPrefix(e.Interaction, PreparedBy) && !m.open.forced()
		m.moved = m.moved.with(m.open.Seat)
		m.turns = append(m.turns, m.open)
		m.startTurn(next, e)
	}
	return nil
}

// turnEnded reports whether a turn ended between two positions. The end of the
// game is also the end of the turn.
func turnEnded(before, after engine.Position) bool {
	if after.Turns() > before.Turns() {
		return true
	}
	_, over := after.Result()
	return over
}

// undo removes the last action of the open turn and replays the others.
func (m *Match) undo(seat engine.Seat) error {
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
			return fmt.Errorf("replay %s: %w", a, err)
		}
	}
	m.position = p
	m.open.Actions = slices.Clip(kept) // clones share the array
	return nil
}

// takeback restores the match before the request that ended the seat's last
// turn.
func (m *Match) takeback(e Entry) error {
	from, ok := m.takebackFrom(e.Seat, e.Interaction)
	if !ok {
		return ErrNoTakeback
	}
	before, err := m.At(from)
	if err != nil {
		return err
	}
	m.position, m.open, m.turns, m.moved, m.publicSeq = before.position, before.open, before.turns, before.moved, e.Seq
	return nil
}

// agreedTakeback restores the match before the last turn that the seat chose. Its
// turn begins again at the time of the entry. Retirements are not taken back.
func (m *Match) agreedTakeback(e Entry) error {
	n := m.lastChoice(e.Seat)
	if n < 0 {
		return ErrNoTakeback
	}
	t := m.turns[n]
	m.turns, m.moved = m.turns[:n:n], 0
	for _, before := range m.turns {
		m.moved = m.moved.with(before.Seat)
	}
	m.startTurn(t.Before, e)
	m.open.Given, m.open.Follows = t.Given, t.Follows
	return nil
}

// lastChoice returns the index of the last completed turn in which a seat had a
// choice, or -1 if there is none since the last retirement.
func (m *Match) lastChoice(seat engine.Seat) int {
	for n := len(m.turns) - 1; n >= 0; n-- {
		if m.turns[n].Seat != seat || m.turns[n].forced() {
			continue
		}
		i := len(m.checkpoints) - 1
		for len(m.checkpoints[i].turns) > n {
			i--
		}
		if len(m.checkpoints[i].retired) < len(m.retired) {
			return -1
		}
		return n
	}
	return -1
}

// forced reports whether all actions of the turn were forced actions.
func (t Turn) forced() bool {
	p := t.Before
	for _, a := range t.Actions {
		forced, ok := engine.ForcedAction(p)
		next, err := p.Apply(a)
		if !ok || forced != a || err != nil {
			return false
		}
		p = next
	}
	return true
}

// giveTime adds to the time of the open turn.
func (m *Match) giveTime(e Entry) error {
	given, err := ParseClock(e.Text)
	switch {
	case m.settings.Clock == Clock{}:
		return ErrNoClock
	case err != nil || !given.PerTurn() || given == Clock{}:
		return fmt.Errorf("%q is no time", e.Text)
	case e.Seat == m.open.Seat:
		return ErrOwnTurn
	case m.open.Given+given.Bank > maxClockTime:
		return ErrTooMuchTime
	}
	m.open.Given += given.Bank
	return nil
}

// takebackFrom returns the number of entries before the last request, if a seat
// ended its turn by it and nobody has done anything since, apart from what the
// interaction has just taken back.
func (m *Match) takebackFrom(seat engine.Seat, interaction string) (from int, ok bool) {
	n := len(m.log)
	for n > 0 && m.log[n-1].Kind == KindTakeback && m.log[n-1].Interaction == interaction && interaction != "" {
		n--
	}
	for range len(m.log) - n {
		n, _ = m.requestBefore(n)
	}
	from, ok = m.requestBefore(n)
	return from, ok && m.outcome == nil && m.log[from].Seat == seat && m.publicSeq > from && m.Playing(seat) && len(m.open.Actions) == 0
}

// requestBefore returns the number of entries before the request whose last entry
// is n, apart from time that was given since. ok is false if there is none, or if
// it did more than act.
func (m *Match) requestBefore(n int) (from int, ok bool) {
	for n > 0 && m.log[n-1].Kind == KindTime {
		n--
	}
	if n == 0 || m.log[n-1].Interaction == "" {
		return n, false
	}
	for from = n; from > 0 && m.log[from-1].Interaction == m.log[n-1].Interaction; from-- {
		if m.log[from-1].Kind != KindAction {
			return n, false
		}
	}
	return from, true
}

// removeSeat removes a seat that has resigned or timed out. If two are playing,
// the other wins. If more are, the seat retires and the others play on: "a
// player who resigns or runs out of time while three or more are playing is
// retired" (rules/rings.md).
func (m *Match) removeSeat(e Entry, seat engine.Seat) error {
	playing := m.playing()
	if len(playing) == 2 {
		winner := playing[0]
		if winner == seat {
			winner = playing[1]
		}
		out := Outcome{Ending: ByResignation, Result: m.wonBy(winner, seat), By: e.Seat}
		switch e.Kind {
		case KindClaim:
			out.Ending, out.TimedOut = ByClaim, seat
		case KindTimeout:
			out.Ending, out.By, out.TimedOut = ByTimeout, engine.Nobody, seat
		default:
		}
		m.end(out, e)
		return nil
	}

	before, ok := m.open.Before.(engine.Retirer)
	if !ok {
		return fmt.Errorf("seats of %s cannot retire", m.settings.Game)
	}
	without, err := before.Retire(seat)
	if err != nil {
		return fmt.Errorf("retire: %w", err)
	}
	turn := m.open
	m.retired = append(m.retired, seat)
	if e.Kind != KindResign {
		m.timedOut = m.timedOut.with(seat)
	}
	m.startTurn(without, e)
	// The open turn of another seat goes on. If one of its actions is no longer
	// legal without the seat that left, it is taken back with those after it: an
	// open turn cannot keep another seat from resigning.
	goesOn := func() bool { return m.open.Seat == turn.Seat && m.open.Number == turn.Number }
	if goesOn() {
		m.open.BeganAt, m.open.Given, m.open.Follows = turn.BeganAt, turn.Given, turn.Follows
	}
	for _, a := range turn.Actions {
		if !goesOn() {
			break
		}
		if err := m.play(a, e); err != nil {
			break
		}
	}
	return nil
}

// wonBy returns the result if only the winner is left. The loser comes second,
// and the others rank below, the first to retire last (rules/rings.md).
func (m *Match) wonBy(winner, loser engine.Seat) engine.Result {
	ranks := make([]int, m.settings.Seats)
	ranks[winner-1] = 1
	ranks[loser-1] = 2
	for i, s := range m.retired {
		ranks[s-1] = 2 + len(m.retired) - i
	}
	return engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks}
}
