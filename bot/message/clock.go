package message

import (
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// ClockName describes a clock as match.ParseClock reads it.
func ClockName(say *catalogue.Printer, text string) string {
	c, err := match.ParseClock(text)
	switch {
	case err != nil || c == match.Clock{}:
		return say.T("clock.none")
	case c.PerTurn():
		return say.T("clock.turn", "Time", timeText(say, c.Bank))
	}
	return say.T("clock.bank", "Bank", timeText(say, c.Bank), "Increment", timeText(say, c.Increment), "Cap", timeText(say, c.Cap))
}

// clockChoice describes a clock in a menu, without the most that can be saved.
func clockChoice(say *catalogue.Printer, text string) string {
	c, err := match.ParseClock(text)
	if err != nil || c.PerTurn() {
		return ClockName(say, text)
	}
	return say.T("clock.choice", "Bank", timeText(say, c.Bank), "Increment", timeText(say, c.Increment))
}

// timeText returns a time in its two largest units: "2 days 5 hours". From two minutes
// on, seconds are left out. Less than a second is rounded up.
func timeText(say *catalogue.Printer, d time.Duration) string {
	const day = 24 * time.Hour
	var parts []string
	add := func(key string, unit time.Duration) {
		if n := d / unit; n > 0 && len(parts) < 2 {
			parts = append(parts, say.T(key, "Count", int(n)))
		}
		d %= unit
	}
	d = max(d, time.Second)
	seconds := d < 2*time.Minute
	add("clock.days", day)
	add("clock.hours", time.Hour)
	add("clock.minutes", time.Minute)
	if seconds {
		add("clock.seconds", time.Second)
	}
	return say.Join(parts...)
}

// since says since when a match has been waiting for the player to move, or when it
// ended. In a match with a clock, it says when their time runs out.
func since(say *catalogue.Printer, v *host.View) string {
	if at := v.TimeoutAt(); !at.IsZero() {
		return say.T("clock.until", "Ago", discord.RelativeTime(at))
	}
	if v.Match.Seat() == engine.Nobody {
		return discord.RelativeTime(v.Since())
	}
	return beganText(say, v.Match, v.Since())
}

// beganText says when the open turn of m began.
func beganText(say *catalogue.Printer, m *match.Match, at time.Time) string {
	key := "clock.moved"
	if len(m.Turns()) == 0 {
		key = "clock.begun"
	}
	return say.T(key, "Ago", discord.RelativeTime(at))
}

// banks returns how much time the other players have, if the clock has a bank.
func banks(say *catalogue.Printer, v *host.View) (texts []string) {
	if !v.Timed() || v.Match.Settings().Clock.PerTurn() {
		return nil
	}
	for _, seat := range v.ActiveSeats() {
		if seat != v.Match.Seat() && !host.IsComputer(v.Person(seat)) {
			texts = append(texts, say.T("clock.left", "Mark", mark(v, seat), "Who", Name(say, v.Person(seat)), "Time", timeText(say, v.TimeLeft(seat))))
		}
	}
	return texts
}

// shortBank returns how much time the player to move in m had when their turn began,
// if that is short: less than a quarter of what a seat has at the start, and less
// than a day. Otherwise it returns 0, as it does unless m shows the present turn.
func shortBank(v *host.View, m *match.Match) time.Duration {
	if v.TimeoutAt().IsZero() || m.Seat() != v.Match.Seat() || len(m.Turns()) != len(v.Match.Turns()) {
		return 0
	}
	if left := v.TimeLeft(v.Match.Seat()); left < min(v.Match.Settings().Clock.Bank/4, 24*time.Hour) {
		return max(left, 1)
	}
	return 0
}

// away returns who is on vacation, and until when.
func away(say *catalogue.Printer, v *host.View) (texts []string) {
	for _, seat := range v.ActiveSeats() {
		if back := v.VacationUntil(seat); !back.IsZero() {
			texts = append(texts, say.T("vacation.board", "Mark", mark(v, seat), "Who", Name(say, v.Person(seat)), "Date", discord.DateTime(back)))
		}
	}
	return texts
}

// Reminder tells the player to move, directly, that their time runs out.
func Reminder(say *catalogue.Printer, v *host.View) discord.Message {
	return discord.TextMessage(say.T("clock.reminder", append(whichMatch(say, v), "Ago", discord.RelativeTime(v.TimeoutAt()), "Link", BoardLink(say, v))...))
}

// Unreachable tells the player to move, directly, that the channel of the match is gone.
func Unreachable(say *catalogue.Printer, v *host.View) discord.Message {
	return discord.TextMessage(say.T("board.unreachable", append(whichMatch(say, v), "Number", int64(v.Record.ID))...))
}

// whichMatch returns the arguments that name a match to the player to move.
func whichMatch(say *catalogue.Printer, v *host.View) []any {
	var others []string
	for i, p := range v.Record.Seats {
		if seat := engine.Seat(i + 1); seat != v.Match.Seat() {
			others = append(others, Name(say, p))
		}
	}
	return []any{"Match", say.T("board.match", "Match", int64(v.Record.ID)), "Game", gameName(say, v.Game), "Others", say.List(others...)}
}
