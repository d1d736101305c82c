// Package contact records when the bot was in contact with Discord, and the
// outages between. Clocks stand still during an outage.
package contact

import (
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Interval is how often contact is recorded while a match with a clock is
// running. More than Gap without contact is an outage.
const (
	Interval = 30 * time.Second
	Gap      = 2 * Interval
)

// Record records contact at now, and the outage before. Time is counted as an
// outage once, even if the clock is set back.
func Record(tx storage.Tx, now time.Time) error {
	last, err := tx.LastContact()
	if err != nil {
		return err
	}
	if !last.IsZero() && now.Sub(last) > Gap {
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

// Spans returns in which times the clocks of a match stand still: every clock in
// an outage, and that of a player on their vacations.
func Spans(outages []storage.Outage, vacations []storage.Vacation, players []storage.Person) (spans []match.Span) {
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
