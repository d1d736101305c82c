package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"castellan/bot/host/internal/boards"
	"castellan/bot/host/internal/contact"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Errors of matches with a clock.
var (
	ErrTimeUp  = errors.New("the time of the player to move is up")
	ErrTimed   = errors.New("the match has a clock, which decides when it is lost")
	ErrNoClock = errors.New("there is no such clock")
)

// ClockChoices returns the clocks to choose from, as match.ParseClock reads them;
// the first, empty, is none.
func ClockChoices() []string { return []string{"", "1d", "3d", "7d", "2d+1h/4d", "7d+12h/14d"} }

// Timed reports whether the match has a clock.
func (v *View) Timed() bool { return v.Record.Clock != "" }

// TimeoutAt returns when the player to move loses on time, in whole seconds. It
// returns the zero time if the match has no clock or is over, or if a computer is
// to move.
func (v *View) TimeoutAt() time.Time { return v.timeoutAt(v.Match) }

func (v *View) timeoutAt(m *match.Match) time.Time {
	if seat := m.Seat(); seat == engine.Nobody || IsComputer(v.Person(seat)) {
		return time.Time{}
	}
	return m.Deadline(v.Record.CreatedAt, v.spans)
}

// TimeLeft returns the time that a seat had when the open turn began.
func (v *View) TimeLeft(seat engine.Seat) time.Duration {
	return v.Match.TimeLeft(v.Record.CreatedAt, v.spans)[seat-1]
}

// timeUp reports whether the player to move in m had run out of time when the
// view was made.
func (v *View) timeUp(m *match.Match) bool {
	at := v.timeoutAt(m)
	return !at.IsZero() && !v.ReadAt.Before(at)
}

// reminderAt returns when a quarter of the time of the player to move is left.
func (v *View) reminderAt() time.Time {
	return v.TimeoutAt().Add(-(v.TimeLeft(v.Match.Seat()) / 4).Truncate(time.Second))
}

// schedule sets when Remind has to look at a match whose turn or deadline has
// changed. A reminder whose time has passed, as after a takeback, is left out.
func (v *View) schedule() {
	v.Record.Deadline, v.Record.Reminded = v.deadline(), false
	switch {
	case v.Claimable():
		v.Record.Deadline = time.Time{}
	case v.TimeoutAt().IsZero():
	case v.ReadAt.Before(v.reminderAt()):
		v.Record.Deadline = v.reminderAt()
	default:
		v.Record.Reminded = true
	}
}

// readOutages reads when the clock of the match stood still.
func (v *View) readOutages(r storage.Reader) (err error) {
	var all []storage.Outage
	if v.Timed() {
		all, err = r.Outages(v.Record.CreatedAt)
	}
	v.setSpans(all, v.vacations)
	return err
}

// setSpans sets in which times clocks stood still: every clock in an outage, and
// that of a person on their vacations.
func (v *View) setSpans(outages []storage.Outage, vacations []storage.Vacation) {
	v.outages, v.vacations, v.spans = outages, vacations, contact.Spans(outages, vacations, v.Record.Seats)
}

// ShowVacation has the matches in which a person is to move say that their vacation
// has begun or ended, and judges again when to look at them: a vacation puts
// deadlines off, and its early end brings them back. Matches against computers alone
// get no new board unless they have a clock.
func (h *Host) ShowVacation(tx storage.Tx, person string) error {
	records, err := tx.RunningMatches(person, "")
	if err != nil {
		return err
	}
	for _, rec := range records {
		v, err := h.view(tx, rec.ID)
		if isBroken(err) {
			continue
		}
		if err != nil {
			return err
		}
		if p, ok := v.ToMove(); !ok || p.ID != person {
			continue
		}
		if v.Timed() || v.activePeople() > 1 {
			if err := h.insertBoard(tx, v, storage.Board{}); err != nil {
				return err
			}
			h.committed(v)
		}
		next := v.deadline()
		if v.Timed() && !v.Record.Reminded {
			next = v.reminderAt()
		}
		if v.Record.Deadline.IsZero() && !v.Timed() {
			continue // it can be claimed already
		}
		if err := tx.SetDeadline(rec.ID, next); err != nil {
			return err
		}
	}
	return nil
}

// Contact records that the bot is in contact with Discord, unless that was done
// a moment ago or no match with a clock is running.
func (h *Host) Contact(ctx context.Context) error {
	now := h.Now()
	if last := h.contact.Load(); last != nil {
		if since := now.Sub(*last); since >= 0 && since < contact.Interval {
			return nil
		}
	}
	if clocks, err := Read(ctx, h, storage.Reader.HasClocks); err != nil || !clocks {
		return err
	}
	err := h.Write(ctx, func(tx storage.Tx) error { return contact.Record(tx, now) })
	if err == nil {
		h.contact.Store(&now)
	}
	return err
}

// checkTime fails with ErrTimeUp if the time of the player to move is up when
// somebody acts. An action is contact with Discord, so an outage has ended by now.
func (h *Host) checkTime(tx storage.Tx, v *View) error {
	if !v.timeUp(v.Match) {
		return nil
	}
	if err := contact.Record(tx, h.Now()); err != nil {
		return err
	}
	if err := v.readOutages(tx); err != nil {
		return err
	}
	if v.timeUp(v.Match) {
		return &Refusal{Err: ErrTimeUp, View: v}
	}
	return nil
}

// remindTimed does the work of Remind for a match with a clock. It reminds the
// player to move once a turn, when a quarter of their time is left, and ends the
// match or removes the player when the time is up. Without recent contact with
// Discord it does nothing.
func (h *Host) remindTimed(tx storage.Tx, v *View) (direct bool, err error) {
	id, at := v.Record.ID, v.TimeoutAt()
	last, err := tx.LastContact()
	switch {
	case err != nil:
		return false, err
	case at.IsZero():
		return false, tx.SetDeadline(id, at)
	case v.ReadAt.Sub(last) > contact.Gap:
		return false, nil
	case v.timeUp(v.Match):
		mo, _ := h.moment(Actor{Interaction: fmt.Sprintf("clock-%d-%d", id, v.Match.Seq())}, v)
		entries, err := v.Match.Timeout(v.Match.Seat(), mo)
		if err == nil {
			_, err = h.appendEntries(tx, v, entries, mo, nil)
		}
		return false, err
	case !v.Record.Reminded && v.ReadAt.Before(v.reminderAt()):
		return false, tx.SetDeadline(id, v.reminderAt())
	case !v.Record.Reminded && v.reminders() != storage.RemindNever && !v.QuietUntil(v.Match.Seat()).IsZero():
		if quiet := v.QuietUntil(v.Match.Seat()); quiet.Before(at) {
			at = quiet
		}
		return false, tx.SetDeadline(id, at)
	case !v.Record.Reminded && v.reminders() == storage.RemindDirectly:
		return true, nil
	}
	// After an outage, a board says until when the player has time now.
	if v.Record.Reminded || v.reminders() == storage.RemindInChannel {
		if err := h.insertBoard(tx, v, storage.Board{Notify: !v.Record.Reminded}); err != nil {
			return false, err
		}
	}
	return false, tx.MarkReminded(id, at)
}

// reminders returns how the player to move wants to be reminded.
func (v *View) reminders() storage.Reminders { return v.preferences[v.Match.Seat()-1].Reminders }

// Reminded records that the player to move was reminded directly, if the turn is
// still that of the view. If they cannot be reached, a board reminds them instead.
func (h *Host) Reminded(ctx context.Context, v *View, reached bool) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		now, err := h.view(tx, v.Record.ID)
		if err != nil || boards.IsNewTurn(v.Match, now.Match) || now.Record.Reminded {
			return err
		}
		defer h.committed(now)
		if !reached {
			if err := h.insertBoard(tx, now, storage.Board{Notify: true}); err != nil {
				return err
			}
		}
		return tx.MarkReminded(v.Record.ID, now.TimeoutAt())
	})
}
