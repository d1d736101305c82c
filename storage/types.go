package storage

import (
	"time"
	_ "time/tzdata" // the zones of Preferences, also where the system has none
)

// Identifiers assigned by the store. They are positive and never reused within
// a database.
type (
	MatchID     int64
	ChallengeID int64
	BoardID     int64
)

// Person is a player: a person or a computer.
type Person struct {
	// ID never changes. Name is the one at the time of the record.
	ID   string
	Name string
	// Level is the playing strength of a computer, such as "casual"; empty for
	// people. All computers of one level share an ID. Seats and challenges
	// store the level, ratings do not.
	Level string
}

// Place is the channel of a match or challenge. Guild is empty in direct
// messages.
type Place struct {
	Guild   string
	Channel string
}

// ProcessedInteraction records that an interaction was processed, so that a
// repeated delivery is not processed again.
type ProcessedInteraction struct {
	Interaction string
	At          time.Time
	Match       MatchID     // 0 if it concerned none
	Challenge   ChallengeID // 0 if it concerned none
	Seq         int         // of the match afterwards
}

// Preferences are the settings of a person. Their zero values are the
// defaults.
type Preferences struct {
	Person string
	// ManualEndTurn keeps a turn open until its player ends it, even if nothing
	// else is left to do.
	ManualEndTurn bool
	// ConfirmTurn makes a turn count only after its player has confirmed it.
	ConfirmTurn bool
	Reminders   Reminders
	// OwnSide shows the board from the person's side in private pictures.
	OwnSide bool
	// Theme is the theme of private pictures; empty for the default.
	Theme string
	// Locale is the language of private messages by Discord's code, such as "de";
	// empty for the language of the person's client.
	Locale string
	// Zone is the person's time zone by its IANA name; empty for UTC.
	Zone string
	// QuietFrom and QuietTo are full hours of the day in the zone, from 0 to 23.
	// In between, the person is not reminded of anything. There are no quiet hours
	// if they are equal.
	QuietFrom, QuietTo int
}

// QuietUntil returns when the quiet hours end in which now lies. It returns the zero
// time outside of them. An unknown zone counts as UTC.
func (p Preferences) QuietUntil(now time.Time) (end time.Time) {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		zone = time.UTC
	}
	quiet := func(hour int) bool {
		if p.QuietFrom <= p.QuietTo {
			return p.QuietFrom <= hour && hour < p.QuietTo
		}
		return p.QuietFrom <= hour || hour < p.QuietTo
	}
	// Hour by hour, because the clock of the zone may be put forward or back.
	for at := now.In(zone); quiet(at.Hour()); end = at {
		sinceHour := time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second + time.Duration(at.Nanosecond())
		at = at.Add(time.Hour - sinceHour)
	}
	return end
}

// Vacation is a time during which the clocks of a person stand still.
type Vacation struct {
	Person   string
	From, To time.Time
}

// Includes reports whether a time lies in the vacation.
func (v Vacation) Includes(at time.Time) bool { return !at.Before(v.From) && at.Before(v.To) }

// Days returns the length of the vacation, in days that have begun.
func (v Vacation) Days() int { return int((v.To.Sub(v.From) + day - 1) / day) }

// GuildSettings are the settings of a guild. Their zero values are the defaults.
type GuildSettings struct {
	Guild string
	// Channels lists the channels in which matches may be started; none means all.
	Channels []string
	// Clock, Unrated and NoThreads are the defaults of new challenges.
	Clock              string
	Unrated, NoThreads bool
	// Theme is the theme of public pictures; empty for the default.
	Theme string
	// Locale is the language of public messages by Discord's code; empty for the
	// language of the guild.
	Locale      string
	Leaderboard LeaderboardAccess
}

// LeaderboardAccess says who may see the leaderboards of a guild.
type LeaderboardAccess string

// The choices of who may see leaderboards. Databases contain their text.
const (
	LeaderboardForAll     LeaderboardAccess = ""
	LeaderboardForPlayers LeaderboardAccess = "players" // people with a finished match in the guild
	LeaderboardForNobody  LeaderboardAccess = "nobody"
)

// Reminders is how a person is reminded of a turn whose time runs out.
type Reminders string

// The ways of reminding. Databases contain their text.
const (
	RemindInChannel Reminders = ""
	RemindDirectly  Reminders = "direct" // in a direct message
	RemindNever     Reminders = "none"
)

// Outage is a time during which nobody could play, because the bot did not run or
// had no contact with Discord.
type Outage struct{ From, To time.Time }

// DailyMessage is the direct message that a person gets once a day, at the same
// time of day, if it is their turn in any match.
type DailyMessage struct {
	Person string
	// DueAt is when the next one is due, NextAttempt when to try to send it:
	// then, or later after failed attempts.
	DueAt, NextAttempt time.Time
	// Attempts counts the failed attempts.
	Attempts int
	// SendingSince is the time of the first attempt whose outcome is not known, so
	// that the message may have been sent; zero without one.
	SendingSince time.Time
}

const day = 24 * time.Hour

// Next returns the record after the message has been dealt with: it is due again
// a whole number of days later, or in a day if the clock was ahead.
func (d DailyMessage) Next(now time.Time) DailyMessage {
	due := now.Add(day)
	if since := now.Sub(d.DueAt); !d.DueAt.IsZero() && since >= 0 {
		due = d.DueAt.Add((since/day + 1) * day)
	}
	return DailyMessage{Person: d.Person, DueAt: due, NextAttempt: due}
}

// IsDue reports whether a daily message is to be dealt with at now: its time has
// come, or lies more than a day ahead because the clock was ahead.
func (d DailyMessage) IsDue(now time.Time) bool {
	return !d.NextAttempt.After(now) || d.NextAttempt.Sub(now) > day
}

// Overdue lists matches and challenges whose deadline has passed, longest
// overdue first.
type Overdue struct {
	Challenges []ChallengeID // open and past ExpiresAt
	Matches    []MatchID     // running and past Deadline
}

// LongestDelay is the longest time by which a failed post or edit may be
// postponed.
const LongestDelay = 6 * time.Hour

// IsDue reports whether a post or edit is to be tried at now, after a number of
// failed attempts. A first attempt has no delay. A next attempt further ahead
// than LongestDelay is due at once, because the clock must have gone back since
// it was set.
func IsDue(next time.Time, attempts int, now time.Time) bool {
	return attempts == 0 || !next.After(now) || next.Sub(now) > LongestDelay
}

// PendingPosts lists messages that have to be sent, edited or searched for.
type PendingPosts struct {
	Boards     []Board     // due, stale, outdated, or skipped with a NextAttempt
	Challenges []Challenge // with ShownRevision different from Revision
	Daily      []DailyMessage
}

// Counts holds numbers of records.
type Counts struct {
	// Matches counts matches by game and ending, without zeros.
	Matches map[GameEnding]int
	// OpenChallenges counts challenges in the state open.
	OpenChallenges int
	// PendingBoards and PendingChallenges count what PendingPosts
	// returns without a limit.
	PendingBoards, PendingChallenges int
	// ComputerTurns counts the matches in which a computer is to move.
	ComputerTurns int
}

// GameEnding is a game with a way in which its matches end; Ending is empty for
// matches that go on.
type GameEnding struct {
	Game   string
	Ending string
}
