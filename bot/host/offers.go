package host

import (
	"context"
	"errors"
	"slices"
	"time"

	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// ErrComputerAsked reports that only a computer can answer an offer.
var ErrComputerAsked = errors.New("only a computer can answer this offer")

// Offers returns the offers since the last turn.
func (v *View) Offers() offers.List { return offers.Parse(v.Record.Offers, v.Match.PublicSeq()) }

// Asked returns the seats whose answer to an offer is still missing.
func (v *View) Asked(o offers.Offer) []engine.Seat {
	return slices.DeleteFunc(v.ActiveSeats(), func(s engine.Seat) bool { return o.Agreed(s) || IsComputer(v.Person(s)) })
}

// MoreTime returns how much time is given at once: a day, or the bank of the clock
// if that is less.
func (v *View) MoreTime() time.Duration { return min(24*time.Hour, v.Match.Settings().Clock.Bank) }

// CheckPlaying returns why a seat cannot decide anything: ErrNotSeated, match.ErrOver
// or match.ErrNotPlaying.
func (v *View) CheckPlaying(seat engine.Seat) error {
	_, over := v.Match.Over()
	switch {
	case seat == engine.Nobody:
		return ErrNotSeated
	case over:
		return match.ErrOver
	case !v.Match.Playing(seat):
		return match.ErrNotPlaying
	}
	return nil
}

// CheckOffer returns why a seat cannot make an offer, or do the same without asking.
func (v *View) CheckOffer(seat engine.Seat, kind offers.Kind) error {
	if err := v.CheckPlaying(seat); err != nil || v.needsNobody(seat, kind) {
		return err
	}
	return v.Offers().Check(v.Match, seat, kind, v.Rated() && len(computers(v.Record.Seats)) > 0)
}

// needsNobody reports whether a seat can do without asking what it would offer.
func (v *View) needsNobody(seat engine.Seat, kind offers.Kind) bool {
	return kind == offers.Takeback && v.CanTakeBack(seat) || kind == offers.Abort && v.WouldAbort()
}

// MakeOffer makes an offer for a person. If nobody has to be asked, or everybody
// has agreed already, it takes effect at once. seq is the public sequence number
// when the person chose it, or AnySeq. MakeOffer fails with ErrNoMatch, ErrStale,
// ErrTimeUp, an error of View.CheckOffer, or with ErrComputerAsked for a draw that
// only a computer can answer; see DrawWithComputer.
func (h *Host) MakeOffer(ctx context.Context, a Actor, id storage.MatchID, seq int, kind offers.Kind) (*View, error) {
	return h.offer(ctx, a, id, seq, func(tx storage.Tx, d decision) (*View, error) {
		v := d.view
		if err := v.CheckOffer(d.seat, kind); err != nil {
			return nil, v.refuse(err)
		}
		if v.needsNobody(d.seat, kind) {
			if seq == AnySeq && v.Match.IsOvertaken(a.Interaction) { // it was delivered again, or late
				return nil, v.refuse(ErrStale)
			}
			entries, err := v.takeback(d.seat, d.cause)
			if kind == offers.Abort {
				entries, err = v.Match.Abort(d.seat, d.cause)
			}
			if err != nil {
				return nil, v.refuse(err)
			}
			return h.appendEntries(tx, v, entries, d.cause, &a)
		}
		if o, ok := v.Offers().Accepts(d.seat, kind); ok {
			return h.agree(tx, a, d, o.Agree(d.seat))
		}
		l, o := v.Offers().Add(kind, d.seat, offers.Open)
		switch {
		case len(v.Asked(o)) > 0:
			return h.changeOffers(tx, a, v, l, storage.Board{Offer: o.Number})
		case kind == offers.Draw:
			return nil, v.refuse(ErrComputerAsked)
		}
		return h.agree(tx, a, d, o)
	})
}

// AnswerOffer answers an offer that was made after entry seq. It fails with
// ErrNoMatch, ErrNotSeated, ErrTimeUp or an error of offers.List.Answer.
func (h *Host) AnswerOffer(ctx context.Context, a Actor, id storage.MatchID, seq, number int, answer offers.Answer) (*View, error) {
	return h.offer(ctx, a, id, AnySeq, func(tx storage.Tx, d decision) (*View, error) {
		o, err := d.view.Offers().Answer(seq, number, d.seat, answer)
		switch {
		case err != nil:
			return nil, d.view.refuse(err)
		case !d.view.Match.Playing(d.seat):
			return nil, d.view.refuse(match.ErrNotPlaying)
		case answer == offers.Accept:
			return h.agree(tx, a, d, o)
		}
		return h.changeOffers(tx, a, d.view, d.view.Offers().Replace(o), storage.Board{Edit: true})
	})
}

// agree records that the actor agrees to an offer, which takes effect unless others
// have to agree as well.
func (h *Host) agree(tx storage.Tx, a Actor, d decision, o offers.Offer) (*View, error) {
	v := d.view
	if len(v.Asked(o)) > 0 {
		return h.changeOffers(tx, a, v, v.Offers().Replace(o), storage.Board{Edit: true})
	}
	entries, err := o.Entries(v.Match, d.seat, v.MoreTime(), d.cause)
	switch {
	case err != nil:
		return nil, v.refuse(err)
	case o.Kind == offers.Time:
		return h.appendTime(tx, a, d, entries)
	}
	return h.appendEntries(tx, v, entries, d.cause, &a)
}

// GiveTime gives the player to move more time in a match of two, for the person who
// waits. seq is the public sequence number when they chose that, or AnySeq. It
// fails with ErrNoMatch, ErrStale, ErrTimeUp or an error of View.CheckGiveTime.
func (h *Host) GiveTime(ctx context.Context, a Actor, id storage.MatchID, seq int) (*View, error) {
	return h.offer(ctx, a, id, seq, func(tx storage.Tx, d decision) (*View, error) {
		if err := d.view.CheckGiveTime(d.seat); err != nil {
			return nil, d.view.refuse(err)
		}
		return h.agree(tx, a, d, offers.Offer{Kind: offers.Time, Seat: d.view.Match.Seat()}.Agree(d.seat))
	})
}

// CheckGiveTime returns why a seat cannot give the player to move time: an error of
// CheckPlaying, offers.ErrComputersTime, match.ErrTwoSeats or an error of
// match.GiveTime. It returns nil if it can.
func (v *View) CheckGiveTime(seat engine.Seat) error {
	_, computer := v.ComputerToMove()
	switch err := v.CheckPlaying(seat); {
	case err != nil:
		return err
	case computer:
		return offers.ErrComputersTime
	case len(v.ActiveSeats()) > 2:
		return match.ErrTwoSeats
	}
	_, err := v.Match.GiveTime(seat, v.MoreTime(), match.Cause{})
	return err
}

// appendTime appends entries that give time. An open offer to give it is accepted
// thereby. The board is edited, because nobody has to be notified.
func (h *Host) appendTime(tx storage.Tx, a Actor, d decision, entries []match.Entry) (*View, error) {
	v, err := h.appendEntries(tx, d.view, entries, d.cause, &a)
	if err != nil {
		return nil, err
	}
	l := v.Offers()
	if o, ok := l.Open(); ok && o.Kind == offers.Time {
		o.State = offers.Accepted
		l = l.Replace(o)
	}
	return v, h.setOffers(tx, v, l, storage.Board{Edit: true})
}

// changeOffers replaces the offers of a match, makes a board due that shows them,
// and marks the interaction as processed.
func (h *Host) changeOffers(tx storage.Tx, a Actor, v *View, l offers.List, b storage.Board) (*View, error) {
	after := *v
	if err := h.setOffers(tx, &after, l, b); err != nil {
		return nil, err
	}
	h.committed(&after)
	return &after, tx.MarkProcessed(h.processed(a, &after))
}

// setOffers replaces the offers of a match, and makes a board like b due unless b is
// zero.
func (h *Host) setOffers(tx storage.Tx, v *View, l offers.List, b storage.Board) error {
	v.Record.Offers = l.String()
	if err := tx.SetOffers(v.Record.ID, v.Record.Offers); err != nil || b == (storage.Board{}) {
		return err
	}
	return h.insertBoard(tx, v, b)
}

// offer carries out a use case of offers.
func (h *Host) offer(ctx context.Context, a Actor, id storage.MatchID, seq int,
	do func(storage.Tx, decision) (*View, error),
) (*View, error) {
	stale := func(m *match.Match) bool { return seq != AnySeq && seq != m.PublicSeq() }
	return h.changeWith(ctx, a, id, stale, func(tx storage.Tx, d decision, failIfDue func() error) (*View, error) {
		if err := failIfDue(); err != nil {
			return nil, err
		}
		return do(tx, d)
	})
}

// DrawWithComputer ends a match against a computer in a draw if the strongest level
// agrees. v is the match as the person sees it. It fails with the errors of
// View.CheckOffer, with offers.ErrPlaysOn if the computer declines, and with
// ErrStale if a turn has ended meanwhile.
func (h *Host) DrawWithComputer(ctx context.Context, a Actor, v *View) (*View, error) {
	seat, agrees := v.SeatOf(a.Person.ID), false
	if err := v.CheckOffer(seat, offers.Draw); err != nil {
		return nil, v.refuse(err)
	}
	if !offers.TooYoung(v.Match, seat) {
		top := h.engines[v.Record.Game].Strongest()
		d, err := searchTurn(ctx, v.Match, v.Record.Seed, top, min(top.MoveTime, maxHintTime))
		if err != nil {
			return nil, err
		}
		agrees = offers.AgreesToDraw(d, seat)
	}
	after, err := h.offer(ctx, a, v.Record.ID, v.Match.PublicSeq(), func(tx storage.Tx, d decision) (*View, error) {
		if err := d.view.CheckOffer(d.seat, offers.Draw); err != nil {
			return nil, d.view.refuse(err)
		}
		l, o := d.view.Offers().Add(offers.Draw, d.seat, offers.Declined)
		if agrees {
			return h.agree(tx, a, d, o)
		}
		return h.changeOffers(tx, a, d.view, l, storage.Board{})
	})
	if err == nil && after.Match.Seat() != engine.Nobody {
		return nil, after.refuse(offers.ErrPlaysOn)
	}
	return after, err
}
