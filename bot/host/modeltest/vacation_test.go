package modeltest

import (
	"math"
	"slices"
	"time"

	"castellan/bot/account"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// awayUntil returns when the vacation of a person ends, zero if they are not on one.
func (m *model) awayUntil(p storage.Person) time.Time {
	for _, s := range m.vacations[p.ID] {
		if !m.now.Before(s.From) && m.now.Before(s.To) {
			return s.To
		}
	}
	return time.Time{}
}

// daysTaken returns the days of the vacations that a person began in a year.
func (m *model) daysTaken(p storage.Person, year int) int {
	hours := 0.0
	for _, s := range m.vacations[p.ID] {
		if s.From.UTC().Year() == year {
			hours += s.To.Sub(s.From).Hours()
		}
	}
	return int(math.Floor(hours / 24))
}

// awayUntil returns when the vacation of a player ends, zero if they are not on one
// that counts in the match.
func (g *game) awayUntil(seat engine.Seat) time.Time {
	if until := g.m.awayUntil(g.player(seat)); until.After(g.created) && !g.live() {
		return until
	}
	return time.Time{}
}

// vacation has somebody begin a vacation or end it.
func (w *world) vacation() {
	p := one(w, everyone...)
	if timed := w.matches(func(g *game) bool { return g.timed() && !g.timeoutAt().IsZero() }); len(timed) > 0 && w.chance(2) {
		g := one(w, timed...)
		p = g.player(g.seat())
	}
	s, until, days := account.New(w.host), w.awayUntil(p), one(w, 1, 1, 2, 3, 7, 20, 21, 0)
	spans, from := w.vacations[p.ID], w.now.Truncate(time.Second)
	year := w.now.UTC().Year()
	before := map[*game]*host.View{}
	for _, g := range w.matches(running) {
		before[g] = w.view(g)
	}
	var want error
	begins := until.IsZero() == !w.chance(8)
	if begins {
		if days < 1 || w.daysTaken(p, year)+days > account.VacationDays || slices.ContainsFunc(spans, func(s match.Span) bool { return s.To.After(from) }) {
			want = account.ErrNoVacation
		} else {
			spans = append(slices.Clone(spans), match.Span{From: from, To: from.Add(time.Duration(days) * 24 * time.Hour)})
		}
		w.Logf("%s begins a vacation of %d days, expecting %v", p.Name, days, want)
		w.expect(s.StartVacation(w.ctx(), p.ID, days), want)
	} else {
		if spans = slices.Clone(spans); until.IsZero() {
			want = account.ErrNoVacation
		}
		for i := range spans {
			if spans[i].To.Equal(until) {
				spans[i].To = w.now
			}
		}
		spans = slices.DeleteFunc(spans, func(s match.Span) bool { return !s.To.After(s.From) })
		w.Logf("%s ends a vacation, expecting %v", p.Name, want)
		w.expect(s.EndVacation(w.ctx(), p.ID), want)
	}
	if want == nil {
		w.vacations[p.ID] = spans
		w.figures["vacations begun or ended"]++
		for _, g := range w.matches(running) {
			w.showVacation(g, p)
			w.checkGain(g, p, before[g], begins)
		}
	}
	v, err := s.Vacation(w.ctx(), p.ID)
	w.must(err)
	taken := w.daysTaken(p, year)
	if taken > account.VacationDays || v.Left != account.VacationDays-taken || !v.Until.Equal(w.awayUntil(p)) {
		w.Fatalf("%s has taken %d days until %s, and stands at %+v", p.Name, taken, clock(w.awayUntil(p)), v)
	}
	w.checkAll()
	if begins && want == nil && w.chance(2) {
		w.tick()
		w.waitUntil(w.now.Add(time.Duration(w.r.Int64N(int64(26 * time.Hour)))))
		w.tick()
	}
}

// showVacation has a match that waits for a person show their vacation.
func (w *world) showVacation(g *game, p storage.Person) {
	if g.player(g.seat()).ID != p.ID {
		return
	}
	w.figures["vacations in a turn"]++
	if g.timed() || g.playingPeople() > 1 {
		g.show(false)
	}
	g.look = g.next()
}

// checkGain fails if the beginning of a vacation took time from somebody, if its end
// took time that had not been won by it, or if another player's deadline moved.
func (w *world) checkGain(g *game, p storage.Person, before *host.View, begins bool) {
	w.Helper()
	after := w.view(g)
	for i, q := range g.players {
		if seat := engine.Seat(i + 1); g.timed() && (q.ID != p.ID || begins) && after.TimeLeft(seat) < before.TimeLeft(seat) {
			w.Fatalf("match %d: seat %d had %s and has %s", g.id, seat, before.TimeLeft(seat), after.TimeLeft(seat))
		}
	}
	for _, at := range [][2]time.Time{{before.TimeoutAt(), after.TimeoutAt()}, {before.ClaimableAt(), after.ClaimableAt()}, {before.AbandonAt(), after.AbandonAt()}} {
		mine := g.player(g.seat()).ID == p.ID
		if at[1].Before(at[0]) && (begins || !mine) || at[1].After(at[0]) && (!begins || !mine) ||
			at[1].Before(at[0]) && at[1].Before(w.now.Truncate(time.Second)) {
			w.Fatalf("match %d: a deadline of %s moves from %s to %s", g.id, g.player(g.seat()).Name, clock(at[0]), clock(at[1]))
		}
	}
}

// checkTimeout fails if a time is up of which the last second was a vacation.
func (w *world) checkTimeout(g *game) {
	w.Helper()
	at := w.view(g).TimeoutAt()
	for _, s := range w.vacations[g.player(g.seat()).ID] {
		if g.live() {
			break // where vacations do not count
		}
		if last := at.Add(-time.Second); !last.Before(s.From.Truncate(time.Second)) && !at.After(s.To.Truncate(time.Second)) {
			w.Fatalf("match %d is lost at %s, in a vacation from %s to %s", g.id, clock(at), clock(s.From), clock(s.To))
		}
	}
	if len(w.vacations[g.player(g.seat()).ID]) > 0 {
		w.figures["timeouts of people with vacations"]++
	}
}
