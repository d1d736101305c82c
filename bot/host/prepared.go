package host

import (
	"context"
	"fmt"
	"slices"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/storage"
)

// Plan is what the player of a seat has prepared.
type Plan struct {
	Tree     prepared.Tree // as far as it can still apply
	Draft    string        // the line that the person is composing, in the form of the caller
	Revision int           // changes with the plan
}

// maxDraft is the largest size of a draft in bytes.
const maxDraft = 4000

// Plan returns what the player of a seat has prepared. Nobody else may see it.
func (v *View) Plan(seat engine.Seat) (p Plan) {
	public, err := v.Match.PublicAt(v.Match.PublicSeq())
	if err != nil {
		return p
	}
	turns := len(public.Turns())
	p.Tree.Turns = turns
	for _, rec := range v.prepared {
		if rec.Seat != int(seat) {
			continue
		}
		p.Revision = rec.Revision
		if tree, err := prepared.Parse(rec.Turns, rec.Text); err == nil {
			p.Tree = tree.At(public, seat)
		}
		if rec.Turns == turns {
			p.Draft = rec.Draft
		}
	}
	return p
}

// Confirms reports whether the player of a seat wants to confirm their turns.
func (v *View) Confirms(seat engine.Seat) bool {
	return int(seat) <= len(v.preferences) && v.preferences[seat-1].ConfirmTurn
}

// Unplayable returns the turn that the player to move had prepared, and why it
// cannot be played; nil if there is none.
func (v *View) Unplayable() (turn string, why error) {
	public, err := v.Match.PublicAt(v.Match.PublicSeq())
	if err != nil {
		return "", nil
	}
	if turn, ok := v.reply(public); ok {
		_, why := prepared.Play(public, turn, match.Cause{})
		return turn, why
	}
	return "", nil
}

// reply returns the turn that is prepared for the seat to move in m, which is the
// match of the view or has more turns.
func (v *View) reply(m *match.Match) (turn string, ok bool) {
	for _, rec := range v.prepared {
		if rec.Seat != int(m.Seat()) {
			continue
		}
		if tree, err := prepared.Parse(rec.Turns, rec.Text); err == nil {
			return tree.Reply(m)
		}
	}
	return "", false
}

// Prepare replaces what a person has prepared. seq is the public sequence number
// and revision that of the plan which they changed; AnySeq stands for any. Prepare
// fails with ErrNoMatch, ErrNotSeated, match.ErrOver, match.ErrNotPlaying, ErrStale
// or prepared.ErrTooMuch.
func (h *Host) Prepare(ctx context.Context, a Actor, id storage.MatchID, seq, revision int, p Plan) (*View, error) {
	return h.onMatch(ctx, a, id, func(tx storage.Tx, before *View) (*View, error) {
		seat := before.SeatOf(a.Person.ID)
		if err := before.checkPrepare(seat, seq, revision, p); err != nil {
			return nil, before.refuse(err)
		}
		public, err := before.Match.PublicAt(before.Match.PublicSeq())
		if err != nil {
			return nil, err
		}
		v, err := h.setPrepared(tx, before, storage.Prepared{Seat: int(seat), Turns: len(public.Turns()), Text: p.Tree.String(), Draft: p.Draft})
		if err != nil {
			return nil, err
		}
		h.committed(v)
		return v, tx.MarkProcessed(h.processed(a, v))
	})
}

// checkPrepare returns why a seat cannot replace its plan.
func (v *View) checkPrepare(seat engine.Seat, seq, revision int, p Plan) error {
	now := v.Plan(seat)
	switch err := v.CheckPlaying(seat); {
	case err != nil:
		return err
	case seq != AnySeq && seq != v.Match.PublicSeq() || revision != AnySeq && revision != now.Revision:
		return ErrStale
	case len(p.Draft) > maxDraft:
		return prepared.ErrTooMuch
	case !p.Tree.Empty() && p.Tree.Turns != now.Tree.Turns: // it follows other turns
		return ErrStale
	}
	_, err := prepared.Parse(p.Tree.Turns, p.Tree.String())
	return err
}

// setPrepared replaces the record of a seat, and returns the view afterwards.
func (h *Host) setPrepared(tx storage.MatchStore, v *View, rec storage.Prepared) (*View, error) {
	after := *v
	after.prepared = slices.Clone(v.prepared)
	i := slices.IndexFunc(after.prepared, func(r storage.Prepared) bool { return r.Seat == rec.Seat })
	if i < 0 {
		i = len(after.prepared)
		after.prepared = append(after.prepared, storage.Prepared{})
	}
	rec.Revision = after.prepared[i].Revision + 1
	after.prepared[i] = rec
	return &after, tx.SetPrepared(v.Record.ID, rec)
}

// playPrepared returns the match after the prepared turns that follow new entries
// of the log, and those entries with theirs. A turn that is not legal is not
// played: its player is notified of their turn as usual.
func (v *View) playPrepared(m *match.Match, entries []match.Entry, cause match.Cause) (*match.Match, []match.Entry, error) {
	if !isNewTurn(v.Match, m) || slices.ContainsFunc(entries, func(e match.Entry) bool { return e.Kind == match.KindTakeback }) {
		return m, entries, nil
	}
	for {
		turn, ok := v.reply(m)
		if !ok {
			return m, entries, nil
		}
		cause.Interaction = fmt.Sprintf("%s%d-%d", match.PreparedBy, v.Record.ID, m.Seq())
		more, err := prepared.Play(m, turn, cause)
		if err != nil {
			return m, entries, nil //nolint:nilerr // the person is asked instead
		}
		if m, err = m.With(more...); err != nil {
			return nil, nil, err
		}
		entries = append(entries, more...)
	}
}

// dropPrepared removes the records of seats that have left, and those that follow
// or have played turns that were just taken back. A takeback is for thinking
// again: nothing that it undid is played again by itself.
func (h *Host) dropPrepared(tx storage.MatchStore, v *View) (_ *View, err error) {
	if _, over := v.Match.Over(); over {
		return v, nil // see storage.Tx.EndMatch
	}
	undone := v.Match.TookBackPrepared(v.Match.Seq())
	for _, rec := range v.prepared {
		seat := engine.Seat(rec.Seat)
		if (rec.Text != "" || rec.Draft != "") && (!v.Match.Playing(seat) || rec.Turns > len(v.Match.Turns()) || slices.Contains(undone, seat)) {
			v, err = h.setPrepared(tx, v, storage.Prepared{Seat: rec.Seat})
			if err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
