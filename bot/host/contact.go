package host

import (
	"context"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// contactInterval is how often contact is recorded while a match with a clock is
// running. More than contactGap without contact is an outage.
const (
	contactInterval = 10 * time.Second
	contactGap      = 2 * contactInterval
)

// recordContact records contact at now, and the outage before. Time is counted as an
// outage once, even if the clock is set back.
func recordContact(tx storage.ClusterStore, now time.Time) error {
	last, err := tx.LastContact()
	if err != nil {
		return err
	}
	if !last.IsZero() && now.Sub(last) > contactGap {
		earlier, err := tx.Outages(last)
		if err != nil {
			return err
		}
		if n := len(earlier); n > 0 {
			last = earlier[n-1].To
		}
		if last.Before(now) {
			if err := tx.InsertOutage(storage.Outage{From: last, To: now}); err != nil {
				return err
			}
		}
	}
	return tx.RecordContact(now)
}

// pauses returns in which times the clocks of a match stand still: every clock in
// an outage, in a freeze, while players cannot be reached and while the match was over, and that of a player on their vacations.
func pauses(outages []storage.Outage, vacations []storage.Vacation, players []storage.Person) (spans []match.Span) {
	for _, o := range outages {
		spans = append(spans, match.Span{From: o.From, To: o.To})
	}
	for _, away := range vacations {
		for i, p := range players {
			if p.ID == away.Person {
				spans = append(spans, match.Span{From: away.From, To: away.To, Seat: engine.Seat(i + 1)})
			}
		}
	}
	slices.SortFunc(spans, func(a, b match.Span) int { return a.From.Compare(b.From) })
	return spans
}

// readOutages reads when the clock of the match stood still.
func (v *View) readOutages(r storage.ClusterReader) (err error) {
	var all []storage.Outage
	if v.Timed() {
		all, err = r.Outages(v.Record.CreatedAt)
	}
	v.setSpans(all, v.vacations)
	return err
}

// setSpans sets in which times clocks stood still. A pause that goes on lasts until
// the view was made, so that the time left stays the same.
func (v *View) setSpans(outages []storage.Outage, vacations []storage.Vacation) {
	v.outages, v.vacations = outages, vacations
	stood := slices.Concat(outages, v.Record.Pauses)
	for _, f := range freezesOf(v.freezes) {
		if f.Until.After(v.Record.CreatedAt) {
			stood = append(stood, storage.Outage{From: f.From, To: f.Until})
		}
	}
	if at := v.Record.PausedAt; !at.IsZero() && at.Before(v.ReadAt) {
		stood = append(stood, storage.Outage{From: at, To: v.ReadAt})
	}
	if v.Live() {
		vacations = nil
	}
	for _, s := range v.Match.Stood() {
		stood = append(stood, storage.Outage{From: s.From, To: s.To})
	}
	v.spans = pauses(stood, vacations, v.Record.Seats)
}

// Contact records that the bot is in contact with Discord, unless that was done
// a moment ago or no match with a clock is running.
func (h *Host) Contact(ctx context.Context) error {
	now := h.Now()
	if last := h.contact.Load(); last != nil {
		if since := now.Sub(*last); since >= 0 && since < contactInterval {
			return nil
		}
	}
	if clocks, err := Read(ctx, h, storage.Reader.HasClocks); err != nil || !clocks {
		return err
	}
	err := h.Write(ctx, func(tx storage.Tx) error { return recordContact(tx, now) })
	if err == nil {
		h.contact.Store(&now)
	}
	return err
}
