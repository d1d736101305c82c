package host

import (
	"context"
	"time"

	"castellan/storage"
)

// memberAt returns from when on somebody who does not move may have left the guild; the
// zero time if that would concern nobody.
func (v *View) memberAt() time.Time {
	if _, computer := v.ComputerToMove(); computer || v.Record.Place.Guild == "" || v.activePeople() < 2 {
		return time.Time{}
	}
	return v.Since().Truncate(time.Second).Add(LeaveGrace)
}

// MayHaveLeft reports whether the player to move has not moved for so long that they may
// have left the guild, which concerns other people.
func (v *View) MayHaveLeft() bool {
	at := v.memberAt()
	return !at.IsZero() && !v.ReadAt.Before(at)
}

// HasLeft reports whether it was noticed that a person has left a guild.
func (h *Host) HasLeft(ctx context.Context, guild, person string) (bool, error) {
	noticed, err := Read(ctx, h, func(r storage.Reader) (time.Time, error) { return r.Departure(guild, person) })
	return !noticed.IsZero(), err
}

// NoteMember records whether a person is a member of a guild. If that is news, a new
// board is due in each match of the guild in which they are to move. It says so, and
// notifies the others if the person has left. NoteMember reports whether it was news.
func (h *Host) NoteMember(ctx context.Context, guild, person string, member bool) (news bool, err error) {
	if left, err := h.HasLeft(ctx, guild, person); err != nil || left != member {
		return false, err
	}
	err = h.Write(ctx, func(tx storage.Tx) error {
		noticed := time.Time{}
		if !member {
			noticed = h.Now()
		}
		if err := tx.SetDeparture(guild, person, noticed); err != nil {
			return err
		}
		records, err := tx.RunningMatches(person, "")
		if err != nil {
			return err
		}
		for _, rec := range records {
			if rec.Place.Guild != guild {
				continue
			}
			v, err := h.view(tx, rec.ID)
			if isBroken(err) {
				continue
			}
			if err != nil {
				return err
			}
			if !v.WaitsFor(person) || v.activePeople() < 2 {
				continue
			}
			if err := h.insertBoard(tx, v, storage.Board{Notify: !member}); err != nil {
				return err
			}
			h.committed(v)
			if err := tx.SetCheckAt(rec.ID, v.checkAt()); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil, err
}
