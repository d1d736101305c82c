package host

import (
	"context"
	"errors"
	"fmt"
	"time"

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
func ClockChoices() []string {
	return []string{"", "2m", "5m+10s/15m", "10m+20s/30m", "30m+30s/1h", "12h", "1d", "3d", "7d", "2d+1h/4d", "7d+12h/14d"}
}

// Live reports whether the match has a clock for players who are there at the same time.
// Neither vacations nor quiet hours count in it.
func (v *View) Live() bool { return v.Match.Settings().Clock.Live() }

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
func (v *View) timeUp(m *match.Match) bool { return v.timeUpAt(m, v.ReadAt) }

func (v *View) timeUpAt(m *match.Match, now time.Time) bool {
	at := v.timeoutAt(m)
	return !at.IsZero() && !now.Before(at)
}

// reminderAt returns when the player to move is reminded: when a quarter of their time
// is left, but at least liveWarning on a live clock, or before the quiet hours in which their time runs out; without a clock, when
// the match can be claimed. It returns the zero time if they are not.
func (v *View) reminderAt() time.Time {
	at := v.TimeoutAt()
	if at.IsZero() {
		return v.ClaimableAt()
	}
	quarter := (v.TimeLeft(v.Match.Seat()) / 4).Truncate(time.Second)
	if v.Live() {
		return at.Add(-max(quarter, liveWarning))
	}
	remind := at.Add(-quarter)
	prefs, _ := v.Preferences(v.Match.Seat())
	if before := prefs.QuietSince(remind).Add(-beforeQuiet); before.After(v.Since()) && !prefs.QuietUntil(remind).Before(at) {
		return before.UTC().Truncate(time.Second)
	}
	return remind
}

// beforeQuiet is how long before their quiet hours players are reminded whose time runs
// out in them.
const beforeQuiet = 15 * time.Minute

// liveWarning is how long before the end of their time players are reminded at least on a
// live clock.
const liveWarning = 20 * time.Second

// schedule sets when ProcessDeadline has to look at a match whose turn or deadline has
// changed. A reminder whose time has passed, as after a takeback, is left out.
func (v *View) schedule() {
	at := v.reminderAt()
	v.Record.Reminded = !at.IsZero() && !v.ReadAt.Before(at)
	v.Record.CheckAt = v.checkAt()
}

// checkAt returns when ProcessDeadline has to look at the match next.
func (v *View) checkAt() time.Time {
	switch remind := v.reminderAt(); {
	case !v.Record.PausedAt.IsZero():
		return v.ExpireAt()
	case !v.Record.Reminded && !remind.IsZero():
		if look := v.memberAt(); v.ReadAt.Before(look) && look.Before(remind) {
			return look
		}
		return remind
	case v.Timed(), v.activePeople() < 2:
		return v.deadline()
	}
	return v.ExpireAt()
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
		if err := tx.SetCheckAt(rec.ID, v.checkAt()); err != nil {
			return err
		}
	}
	return nil
}

// checkTime fails with ErrTimeUp if the time of the player to move was up when
// somebody acted: on a live clock when they pressed, otherwise when that arrived. An
// action is contact with Discord, so an outage has ended by now.
func (h *Host) checkTime(tx storage.ClusterStore, a Actor, v *View) error {
	acted := v.ReadAt
	if v.Live() {
		acted = match.Pressed(a.Interaction, v.ReadAt)
	}
	if !v.timeUpAt(v.Match, acted) {
		return nil
	}
	if err := recordContact(tx, h.Now()); err != nil {
		return err
	}
	if err := v.readOutages(tx); err != nil {
		return err
	}
	if v.timeUpAt(v.Match, acted) {
		return v.refuse(ErrTimeUp)
	}
	return nil
}

// processClock does the work of ProcessDeadline for a match with a clock. It ends the
// match or removes the player to move when the time is up, and otherwise reminds
// them. Without recent contact with Discord it does nothing. It returns the view if
// they want to be reminded directly.
func (h *Host) processClock(tx storage.Tx, v *View) (direct *View, err error) {
	id, at := v.Record.ID, v.TimeoutAt()
	last, err := tx.LastContact()
	switch {
	case err != nil:
		return nil, err
	case at.IsZero():
		return nil, tx.SetCheckAt(id, at)
	case v.ReadAt.Sub(last) > contactGap:
		return nil, nil
	case v.timeUp(v.Match):
		return nil, h.timeOut(tx, v)
	}
	return h.remindTimed(tx, v, at)
}

// timeOut ends a match, or removes the player to move, because their time is up.
func (h *Host) timeOut(tx storage.Tx, v *View) error {
	cause, _ := h.cause(Actor{Interaction: fmt.Sprintf("clock-%d-%d", v.Record.ID, v.Match.Seq())}, v)
	entries, err := v.Match.Timeout(v.Match.Seat(), cause)
	if err == nil {
		_, err = h.appendEntries(tx, v, entries, cause, nil)
	}
	return err
}

// remindTimed reminds the player to move, who loses on time at a moment, once a
// turn: when a quarter of their time is left, and not in their quiet hours. It
// returns the view if they want to be reminded directly.
func (h *Host) remindTimed(tx storage.Tx, v *View, at time.Time) (direct *View, err error) {
	id, reminders := v.Record.ID, v.reminders()
	if !v.Record.Reminded {
		quiet := v.QuietUntil(v.Match.Seat())
		switch {
		case v.ReadAt.Before(v.reminderAt()):
			return nil, tx.SetCheckAt(id, v.reminderAt())
		case reminders != storage.RemindNever && !quiet.IsZero():
			if quiet.Before(at) {
				at = quiet
			}
			return nil, tx.SetCheckAt(id, at)
		case reminders == storage.RemindDirectly:
			return v, nil
		}
	}
	// After an outage, a board says until when the player has time now.
	if v.Record.Reminded || reminders == storage.RemindInChannel {
		if err := h.insertBoard(tx, v, storage.Board{Notify: !v.Record.Reminded}); err != nil {
			return nil, err
		}
	}
	return nil, tx.MarkReminded(id, at)
}

// reminders returns how the player to move wants to be reminded.
func (v *View) reminders() storage.Reminders { return v.preferences[v.Match.Seat()-1].Reminders }

// BeginReminder records an attempt to remind the player to move directly, and returns
// when the first one began. needed is false if the turn is not that of the view any
// more, or if they have been reminded.
func (h *Host) BeginReminder(ctx context.Context, v *View) (first time.Time, needed bool, err error) {
	attempt := storage.ProcessedInteraction{
		Interaction: fmt.Sprintf("reminder-%d-%d", v.Record.ID, v.Match.PublicSeq()), At: h.Now(), Match: v.Record.ID, Seq: v.Match.Seq(),
	}
	err = h.Write(ctx, func(tx storage.Tx) error {
		now, err := h.view(tx, v.Record.ID)
		if needed = err == nil && now.awaitsReminder(v); !needed {
			return err
		}
		earlier, err := tx.ProcessedInteraction(attempt.Interaction)
		if errors.Is(err, storage.ErrNotFound) {
			earlier, err = attempt, tx.MarkProcessed(attempt)
		}
		first = earlier.At
		return err
	})
	return first, needed, err
}

// awaitsReminder reports whether the turn is that of an earlier view, and its player
// has not been reminded.
func (v *View) awaitsReminder(earlier *View) bool {
	return !isNewTurn(earlier.Match, v.Match) && !v.Record.Reminded
}

// Reminded records that the player to move was reminded directly, if the turn is
// still that of the view. If they cannot be reached, a board reminds them instead.
func (h *Host) Reminded(ctx context.Context, v *View, reached bool) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		now, err := h.view(tx, v.Record.ID)
		if err != nil || !now.awaitsReminder(v) {
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
