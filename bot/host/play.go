package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"castellan/bot/host/internal/boards"
	"castellan/bot/host/internal/stored"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// AnySeq stands for the sequence number in a request that does not name one, such as
// a typed command. It is valid unless match.IsOvertaken.
const AnySeq = -1

// decision is the input for deciding which entries a use case appends.
type decision struct {
	view    *View
	seat    engine.Seat // of the actor
	moment  match.Moment
	confirm bool // the actor wants to confirm turns
}

// Act plays an action or a whole turn for a person. seq is the number of log
// entries of the match in which they chose it, or AnySeq. It fails with
// ErrNoMatch, ErrNotSeated, ErrTimeUp, ErrStale, or an error of match.Act.
func (h *Host) Act(ctx context.Context, a Actor, id storage.MatchID, seq int, text string) (*View, error) {
	return h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		return d.view.Match.Act(d.seat, text, d.moment)
	})
}

// Draft is a turn that a person has to confirm before it is played.
type Draft struct {
	Turn  string       // canonical tokens, separated by spaces
	Match *match.Match // after the turn
	Risk  match.Risk   // why it has to be confirmed; NoRisk if the person confirms every turn
}

// errUnconfirmed stops ActOrConfirm from playing a draft.
var errUnconfirmed = errors.New("the turn has to be confirmed")

// ActOrConfirm plays like Act, unless the turn has a risk, or the person
// confirms their turns and this text would end their turn without an explicit
// end. Then it changes nothing and returns the match with a draft of the turn.
func (h *Host) ActOrConfirm(ctx context.Context, a Actor, id storage.MatchID, seq int, text string) (*View, *Draft, error) {
	var draft *Draft
	v, err := h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		draft = nil
		m := d.view.Match
		entries, err := m.Act(d.seat, text, d.moment)
		if err != nil {
			return nil, err
		}
		after, err := m.With(entries...)
		if err != nil {
			return nil, err
		}
		risk := d.view.Risk(d.seat, after)
		if risk == match.NoRisk && (!d.confirm || !boards.EndsSilently(m, after)) {
			return entries, nil
		}
		// The draft includes the formalities, which are played on confirmation.
		after, tokens, err := m.Try(d.seat, text, match.Moment{At: d.moment.At, Interaction: a.Interaction})
		if err != nil {
			return nil, err
		}
		draft = &Draft{Turn: strings.Join(tokens, " "), Match: after, Risk: risk}
		return nil, errUnconfirmed
	})
	var refusal *Refusal
	if errors.Is(err, errUnconfirmed) && errors.As(err, &refusal) {
		return refusal.View, draft, nil
	}
	return v, nil, err
}

// Undo takes back the last action of a person's open turn. If they have no open
// turn and View.CanTakeBack, it takes back the request that ended their last
// turn. It fails with the errors of Act and match.Undo.
func (h *Host) Undo(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		if entries, err := d.view.takeback(d.seat, d.moment); err == nil {
			return entries, nil
		}
		return d.view.Match.Undo(d.seat, d.moment)
	})
}

// Resign gives a match up for a person, or calls it off if View.WouldAbort. If
// three or more are playing, the others play on. It fails like Act, and with
// the errors of match.Resign.
func (h *Host) Resign(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		return d.view.resign(d.seat, d.moment)
	})
}

// change carries out a use case that appends entries to a log.
func (h *Host) change(ctx context.Context, a Actor, id storage.MatchID, seq int,
	decide func(decision) ([]match.Entry, error),
) (*View, error) {
	stale := func(m *match.Match) bool {
		return seq == AnySeq && m.IsOvertaken(a.Interaction) || seq != AnySeq && !m.IsCurrent(seq)
	}
	return h.changeWith(ctx, a, id, stale, func(tx storage.Tx, d decision, mayChange func() error) (*View, error) {
		entries, err := decide(d)
		if err != nil {
			return nil, &Refusal{Err: err, View: d.view}
		}
		if err := mayChange(); err != nil {
			return nil, err
		}
		return h.appendEntries(tx, d.view, entries, d.moment, &a)
	})
}

// changeWith carries out a use case that changes a match, for one of its players.
// stale reports whether the match has moved on since they chose that. do calls
// mayChange before it changes anything.
func (h *Host) changeWith(ctx context.Context, a Actor, id storage.MatchID, stale func(*match.Match) bool,
	do func(tx storage.Tx, d decision, mayChange func() error) (*View, error),
) (*View, error) {
	return h.flushing(ctx, func(mayChange func(*View) error) (v *View, err error) {
		err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
			if processed != nil {
				v, err = h.repeated(tx, processed.Match)
				return err
			}
			before, err := h.view(tx, id)
			if err != nil {
				return err
			}
			d := decision{view: before, seat: before.SeatOf(a.Person.ID)}
			if d.seat == engine.Nobody {
				return &Refusal{Err: ErrNotSeated, View: before}
			}
			if stale(before.Match) {
				return &Refusal{Err: ErrStale, View: before}
			}
			if err := h.checkTime(tx, before); err != nil {
				return err
			}
			d.moment, d.confirm = h.moment(a, before)
			v, err = do(tx, d, func() error { return mayChange(before) })
			return err
		})
		return h.remember(v, err)
	})
}

// pendingBoardError reports that a due board has to be posted first.
type pendingBoardError struct{ view *View }

func (*pendingBoardError) Error() string { return "a board of the match is due" }

// flushing runs a use case that supersedes the board of a match. The use case
// calls mayChange before it changes anything. If a board is due, the use case
// is stopped there, the board is posted, and the use case runs again.
func (h *Host) flushing(ctx context.Context, fn func(mayChange func(*View) error) (*View, error)) (*View, error) {
	v, err := fn(func(v *View) error {
		if h.flush != nil && v.Board.State == storage.BoardDue {
			return &pendingBoardError{v}
		}
		return nil
	})
	var pending *pendingBoardError
	if errors.As(err, &pending) {
		h.flush(ctx, pending.view)
		v, err = fn(func(*View) error { return nil })
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// processed returns the record that the interaction of an actor was processed.
func (h *Host) processed(a Actor, v *View) storage.ProcessedInteraction {
	return storage.ProcessedInteraction{Interaction: a.Interaction, At: h.Now(), Match: v.Record.ID, Seq: v.Match.Seq()}
}

// repeated returns the view for an interaction that was processed before.
func (h *Host) repeated(r storage.Reader, id storage.MatchID) (*View, error) {
	v, err := h.view(r, id)
	if err == nil {
		v.Repeated = true
	}
	return v, err
}

// appendEntries appends entries to the log of a match and updates what depends
// on them: the prepared turns that follow, the deadline, whether a computer is to
// move, the board, the result and ratings. If no person plays on, the computers
// resign as well. If a is not nil, its interaction is marked as processed.
// appendEntries returns the view afterwards.
func (h *Host) appendEntries(tx storage.Tx, v *View, entries []match.Entry, mo match.Moment, a *Actor) (*View, error) {
	id := v.Record.ID
	after := *v
	m, err := v.Match.With(entries...)
	if err == nil {
		m, entries, err = v.playPrepared(m, entries, mo)
	}
	for err == nil && m.Seat() != engine.Nobody {
		after.Match = m
		if after.activePeople() > 0 {
			break
		}
		var more []match.Entry
		if more, err = after.resign(after.weakestComputer(), mo); err == nil {
			entries = append(entries, more...)
			m, err = m.With(more...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("match %d: applying new entries: %w", id, err)
	}
	after.Match, after.Record.Seq = m, m.Seq()
	out, over := m.Over()
	if !over {
		// A deadline that stays the same keeps its record: Remind removes it
		// there once it has reminded. Nobody is reminded twice for a turn.
		switch moved := !after.deadline().Equal(v.deadline()); {
		case boards.IsNewTurn(v.Match, m), moved && !v.Record.Reminded:
			after.schedule()
		case moved:
			after.Record.Deadline = after.deadline()
		}
		after.Record.ComputerTurnSince = after.computerTurnSince()
	}
	advance := storage.Advance{
		Match: id, After: v.Match.Seq(), Entries: stored.Records(entries),
		Deadline: after.Record.Deadline, Reminded: after.Record.Reminded, ComputerTurnSince: after.Record.ComputerTurnSince,
	}
	if a != nil {
		processed := h.processed(*a, &after)
		advance.Processed = &processed
	}
	if m.PublicSeq() > v.Match.PublicSeq() {
		toMove, _ := after.ToMove()
		own := m.TookBack(m.Seq()) || m.TookBackByAgreement(m.Seq()) && a != nil && a.Person.ID == toMove.ID
		board := h.newBoard(&after, (boards.IsNewTurn(v.Match, m) || mustNotify(v)) && boards.ShouldNotify(v.Record, m) && !own)
		board.Edit = m.TookBack(m.Seq())
		advance.Board = &board
		if a != nil { // the caller shows it
			advance.Lease = LeaseTime
		}
	}
	advanced, err := tx.Advance(advance)
	if err != nil {
		return nil, err
	}
	if advance.Board != nil {
		after.setBoards(boards.Add(after.Boards, *advance.Board, advanced.Board))
		after.Lease = advanced.Lease
	}
	if over {
		if after.Record, err = h.finish(tx, id, out); err != nil {
			return nil, err
		}
		if after.RatingChanges, err = tx.RatingChanges(id); err != nil {
			return nil, err
		}
	}
	done, err := h.dropPrepared(tx, &after)
	if err != nil {
		return nil, err
	}
	h.committed(done)
	return done, nil
}

// moment returns the circumstances of a decision, and whether the actor wants
// to confirm their turns. Formalities are not played for people who end or
// confirm their own turns.
func (h *Host) moment(a Actor, v *View) (mo match.Moment, confirm bool) {
	manual := map[engine.Seat]bool{}
	for i, p := range v.preferences {
		manual[engine.Seat(i+1)] = p.ManualEndTurn || p.ConfirmTurn
		confirm = confirm || p.ConfirmTurn && p.Person == a.Person.ID
	}
	return match.Moment{
		At: h.Now(), Interaction: a.Interaction,
		Confirms: func(seat engine.Seat) bool { return manual[seat] },
	}, confirm
}
