package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	cause   match.Cause
	confirm bool // the actor wants to confirm turns
}

// Act plays an action or a whole turn for a person. seq is the number of log
// entries of the match in which they chose it, or AnySeq. It fails with
// ErrNoMatch, ErrNotSeated, ErrTimeUp, ErrStale, or an error of match.Act.
func (h *Host) Act(ctx context.Context, a Actor, id storage.MatchID, seq int, text string) (*View, error) {
	return h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		return d.view.Match.Act(d.seat, text, d.cause)
	})
}

// Draft is a turn that a person has to confirm before it is played.
type Draft struct {
	Turn  string       // canonical tokens, separated by spaces
	Match *match.Match // after the turn
	Risk  match.Risk   // why it has to be confirmed; NoRisk if the person confirms every turn
}

// Errors that stop ActOrConfirm from playing a turn.
var (
	errUnconfirmed = errors.New("the turn has to be confirmed")
	errUnforeseen  = errors.New("it is not known yet whether the next seat can win")
)

// ActOrConfirm plays like Act, unless the turn has a risk, or the person
// confirms their turns and this text would end their turn without an explicit
// end. Then it changes nothing and returns the match with a draft of the turn.
// Whether the turn is a risk is searched for outside of the transaction, see
// foresight; the transaction stops with errUnforeseen if that does not fit any more.
func (h *Host) ActOrConfirm(ctx context.Context, a Actor, id storage.MatchID, seq int, text string) (*View, *Draft, error) {
	remembered, _ := h.cache.get(id)
	m, head := remembered.Match, remembered.Head
	if m == nil {
		if v, err := h.Match(ctx, id); err == nil {
			m, head = v.Match, v.Record.Head
		}
	}
	var known foresight
	if m != nil {
		if after, _, err := m.Try(m.Seat(), text, match.Cause{}); err == nil {
			known = h.foresee(m, head, after)
		}
	}
	for {
		var draft *Draft
		var unknown *match.Match
		v, err := h.change(ctx, a, id, seq, func(d decision) (entries []match.Entry, err error) {
			draft, unknown = nil, nil
			m := d.view.Match
			if entries, err = m.Act(d.seat, text, d.cause); err != nil {
				return nil, err
			}
			after, err := m.With(entries...)
			if err != nil {
				return nil, err
			}
			canWin := func(engine.Position) bool {
				if known.before != d.view.Record.Head || known.after != after.Seq() {
					unknown = after
				}
				return known.canWin
			}
			if d.view.engine.CanWin == nil {
				canWin = nil
			}
			risk := m.Risk(d.seat, after, canWin)
			switch {
			case unknown != nil:
				return nil, errUnforeseen
			case risk == match.NoRisk && (!d.confirm || !endsSilently(m, after)):
				return entries, nil
			}
			// The draft includes the forced actions, which are played on confirmation.
			after, tokens, err := m.Try(d.seat, text, match.Cause{At: d.cause.At, Interaction: a.Interaction})
			if err != nil {
				return nil, err
			}
			draft = &Draft{Turn: strings.Join(tokens, " "), Match: after, Risk: risk}
			return nil, errUnconfirmed
		})
		var refusal *Refusal
		switch errors.As(err, &refusal); {
		case errors.Is(err, errUnforeseen):
			known = h.foresee(refusal.View.Match, refusal.View.Record.Head, unknown)
			continue
		case errors.Is(err, errUnconfirmed):
			return refusal.View, draft, nil
		}
		return v, nil, err
	}
}

// foresight tells whether the seat to act can win at once after a turn of the seat
// before. A search finds that out, during which nobody else could write. So
// ActOrConfirm searches before its transaction, in the match as this process knows
// it, and starts again if the match has changed meanwhile.
type foresight struct {
	before storage.Digest // of the log before the turn
	after  int            // entries after it
	canWin bool
}

func (h *Host) foresee(m *match.Match, head storage.Digest, after *match.Match) foresight {
	f := foresight{before: head, after: after.Seq()}
	f.canWin = m.Risk(m.Seat(), after, h.engines[m.Game().Key()].CanWin) == match.Exposes
	return f
}

// Undo takes back the last action of a person's open turn. If they have no open
// turn and View.CanTakeBack, it takes back the request that ended their last
// turn. It fails with the errors of Act and match.Undo.
func (h *Host) Undo(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		if entries, err := d.view.takeback(d.seat, d.cause); err == nil {
			return entries, nil
		}
		return d.view.Match.Undo(d.seat, d.cause)
	})
}

// Resign gives a match up for a person, or calls it off if View.WouldAbort. If
// three or more are playing, the others play on. It fails like Act, and with
// the errors of match.Resign.
func (h *Host) Resign(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.change(ctx, a, id, seq, func(d decision) ([]match.Entry, error) {
		return d.view.resign(d.seat, d.cause)
	})
}

// change carries out a use case that appends entries to a log.
func (h *Host) change(ctx context.Context, a Actor, id storage.MatchID, seq int,
	decide func(decision) ([]match.Entry, error),
) (*View, error) {
	stale := func(m *match.Match) bool {
		return seq == AnySeq && m.IsOvertaken(a.Interaction) || seq != AnySeq && !m.IsCurrent(seq)
	}
	return h.changeWith(ctx, a, id, stale, func(tx storage.Tx, d decision, failIfDue func() error) (*View, error) {
		entries, err := decide(d)
		if err != nil {
			return nil, d.view.refuse(err)
		}
		if err := failIfDue(); err != nil {
			return nil, err
		}
		return h.appendEntries(tx, d.view, entries, d.cause, &a)
	})
}

// changeWith carries out a use case that changes a match, for one of its players.
// stale reports whether the match has moved on since they chose that. do calls
// failIfDue before it changes anything.
func (h *Host) changeWith(ctx context.Context, a Actor, id storage.MatchID, stale func(*match.Match) bool,
	do func(tx storage.Tx, d decision, failIfDue func() error) (*View, error),
) (*View, error) {
	return h.withNewBoard(ctx, func(failIfDue func(*View) error) (*View, error) {
		return h.onMatch(ctx, a, id, func(tx storage.Tx, before *View) (*View, error) {
			d := decision{view: before, seat: before.SeatOf(a.Person.ID)}
			if d.seat == engine.Nobody {
				return nil, before.refuse(ErrNotSeated)
			}
			if stale(before.Match) {
				return nil, before.refuse(ErrStale)
			}
			if err := h.checkTime(tx, a, before); err != nil {
				return nil, err
			}
			d.cause, d.confirm = h.cause(a, before)
			return do(tx, d, func() error { return failIfDue(before) })
		})
	})
}

// onMatch runs a use case of a person in a match, in one transaction and once for an
// interaction. It returns the view that do has committed.
func (h *Host) onMatch(ctx context.Context, a Actor, id storage.MatchID, do func(storage.Tx, *View) (*View, error)) (v *View, err error) {
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if processed != nil {
			v, err = h.repeated(tx, processed.Match)
			return err
		}
		before, err := h.view(tx, id)
		if err == nil {
			v, err = do(tx, before)
		}
		return err
	})
	return h.remember(v, err)
}

// pendingBoardError reports that a due board has to be posted first.
type pendingBoardError struct{ view *View }

func (*pendingBoardError) Error() string { return "a board of the match is due" }

// withNewBoard runs a use case that makes a new board due in a match.
//
// If the board before it is still due, its message may be in the channel already: the
// process stopped before it recorded the post, or Discord's answer was lost. Once
// superseded it would be looked for only later, and the channel would show two boards
// with buttons meanwhile. So it has to be posted first, under the nonce that returns a
// message that is there. Discord must not be called inside the transaction, and
// only the transaction knows whether the use case will change anything. Hence fn runs
// up to two times: it calls failIfDue before its first change and returns its error
// if a board is due; then the board is posted, and fn runs again and changes the match
// whether or not the post has succeeded.
func (h *Host) withNewBoard(ctx context.Context, fn func(failIfDue func(*View) error) (*View, error)) (*View, error) {
	v, err := fn(func(v *View) error {
		if h.postPending != nil && v.Board.State == storage.BoardDue {
			return &pendingBoardError{v}
		}
		return nil
	})
	var pending *pendingBoardError
	if errors.As(err, &pending) {
		h.postPending(ctx, pending.view)
		v, err = fn(func(*View) error { return nil })
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (h *Host) processed(a Actor, v *View) storage.ProcessedInteraction {
	return storage.ProcessedInteraction{Interaction: a.Interaction, At: h.Now(), Match: v.Record.ID, Seq: v.Match.Seq()}
}

// repeated returns the view for an interaction that was processed before.
func (h *Host) repeated(r storage.MatchReader, id storage.MatchID) (*View, error) {
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
func (h *Host) appendEntries(tx storage.Tx, v *View, entries []match.Entry, cause match.Cause, a *Actor) (*View, error) {
	id := v.Record.ID
	after := *v
	m, err := v.Match.With(entries...)
	if err == nil {
		m, entries, err = v.playPrepared(m, entries, cause)
	}
	for err == nil && m.Seat() != engine.Nobody {
		after.Match = m
		if after.activePeople() > 0 {
			break
		}
		var more []match.Entry
		if more, err = after.resign(after.weakestComputer(), cause); err == nil {
			entries = append(entries, more...)
			m, err = m.With(more...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("match %d: applying new entries: %w", id, err)
	}
	stored := storedEntries(entries)
	after.Match, after.Record.Seq, after.Record.Head = m, m.Seq(), v.Record.Head.After(stored)
	out, over := m.Over()
	_, wasOver := v.Match.Over()
	if wasOver && !over {
		after.setSpans(v.outages, v.vacations)
	}
	paused := !v.Record.PausedAt.IsZero() && m.PublicSeq() > v.Match.PublicSeq()
	if paused { // they have been reached elsewhere
		if err := h.endPause(tx, &after); err != nil {
			return nil, err
		}
	}
	if !over {
		// A deadline that stays the same keeps its CheckAt, which is later
		// once the player has been reminded. Nobody is reminded twice for a turn.
		switch moved := !after.deadline().Equal(v.deadline()); {
		case isNewTurn(v.Match, m), moved && !v.Record.Reminded:
			after.schedule()
		case moved, paused:
			after.Record.CheckAt = after.checkAt()
		}
		after.Record.ComputerTurnSince = after.computerTurnSince()
	}
	advance := storage.Advance{
		Match: id, After: v.Record.Head, Entries: stored,
		CheckAt: after.Record.CheckAt, Reminded: after.Record.Reminded, ComputerTurnSince: after.Record.ComputerTurnSince,
	}
	if a != nil {
		processed := h.processed(*a, &after)
		advance.Processed = &processed
	}
	if m.PublicSeq() > v.Match.PublicSeq() {
		toMove, _ := after.ToMove()
		own := m.TookBack(m.Seq()) || m.TookBackByAgreement(m.Seq()) && a != nil && a.Person.ID == toMove.ID
		board := h.newBoard(&after, (isNewTurn(v.Match, m) || mustNotify(v)) && shouldNotify(v.Record, m) && !own)
		board.Edit = m.TookBack(m.Seq())
		advance.Board = &board
		if a != nil { // the caller shows it
			advance.Lease = LeaseTime
			if _, computer := after.ComputerToMove(); computer && h.computerToMove != nil {
				h.computerToMove(id)
			}
		}
	}
	advanced, err := tx.Advance(advance)
	if err != nil {
		return nil, err
	}
	if advance.Board != nil {
		after.setBoards(addBoard(after.Boards, *advance.Board, advanced.Board))
		after.Lease = advanced.Lease
	}
	if over && !wasOver {
		if after.Record, err = h.finish(tx, id, after.Match, out); err != nil {
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

// cause returns the circumstances of a decision, and whether the actor wants
// to confirm their turns. Forced actions are not played for people who end or
// confirm their own turns.
func (h *Host) cause(a Actor, v *View) (cause match.Cause, confirm bool) {
	manual := map[engine.Seat]bool{}
	for i, p := range v.preferences {
		manual[engine.Seat(i+1)] = p.ManualEndTurn || p.ConfirmTurn
		confirm = confirm || p.ConfirmTurn && p.Person == a.Person.ID
	}
	return match.Cause{
		At: h.Now(), Interaction: a.Interaction,
		Confirms: func(seat engine.Seat) bool { return manual[seat] },
	}, confirm
}
