package host

import (
	"context"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Preferences is what a person has chosen about their own play.
func (h *Host) Preferences(ctx context.Context, person string) (p storage.Preferences, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		p, err = r.Preferences(person)
		return err
	})
	return p, err
}

// SetPreferences replaces what a person has chosen. Doing it again changes
// nothing.
func (h *Host) SetPreferences(ctx context.Context, p storage.Preferences) error {
	return h.store.Update(ctx, func(tx storage.Tx) error { return tx.SetPreferences(p) })
}

// moment is the circumstances of a decision in a match: the formalities of who
// ends their turns themselves, or confirms them, are not played for them.
func (h *Host) moment(r storage.Reader, c Cause, v *View) (match.Moment, error) {
	own := map[engine.Seat]bool{}
	for i, person := range v.Record.Seats {
		if IsComputer(person) {
			continue
		}
		p, err := r.Preferences(person.ID)
		if err != nil {
			return match.Moment{}, err
		}
		own[engine.Seat(i+1)] = p.ManualEndTurn || p.ConfirmTurn
	}
	return match.Moment{
		At: h.now(), Interaction: c.Interaction,
		Confirms: func(seat engine.Seat) bool { return own[seat] },
	}, nil
}

// Ends reports whether a turn that a person writes would end their turn
// without their having said so: the last action that they wrote is not the end
// of a turn. Nothing is played. It fails as Act does.
func (h *Host) Ends(ctx context.Context, c Cause, id storage.MatchID, text string) (ends bool, v *View, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		if v, err = h.view(r, id); err != nil {
			return err
		}
		seat := v.SeatOf(c.Person.ID)
		if seat == engine.Nobody {
			return &Refusal{Err: ErrNotSeated, View: v}
		}
		mo, err := h.moment(r, c, v)
		if err != nil {
			return err
		}
		entries, err := v.Match.Act(seat, text, mo)
		if err != nil {
			return &Refusal{Err: err, View: v}
		}
		after, err := v.Match.With(entries...)
		if err != nil {
			return err
		}
		if len(after.Turns()) > len(v.Match.Turns()) {
			turn := after.Turns()[len(v.Match.Turns())]
			ends = len(turn.Actions) == 0 || turn.Actions[len(turn.Actions)-1].String() != engine.End
		}
		return nil
	})
	return ends, v, err
}
