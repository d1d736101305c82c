package storage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the zones of Preferences, also where the system has none
)

// PeopleReader reads what people and guilds have chosen.
type PeopleReader interface {
	// Preferences returns the preferences of a person, the zero value if they
	// have none on record.
	Preferences(person string) (Preferences, error)
	// Vacations returns the vacations of a person that end after a time, in order.
	Vacations(person string, after time.Time) ([]Vacation, error)
	// MatchVacations returns the vacations of the people of a match that end after
	// it was created, by person, in order.
	MatchVacations(MatchID) ([]Vacation, error)
	// GuildSettings returns the settings of a guild, the zero value if it has
	// none on record.
	GuildSettings(guild string) (GuildSettings, error)
	// PlayedIn reports whether a person has a seat in an ended match of a guild.
	PlayedIn(person, guild string) (bool, error)
	// Departure returns when it was noticed that a person had left a guild; zero if they
	// are not known to have left it.
	Departure(guild, person string) (time.Time, error)
	// Locale returns the locale in which Discord last showed itself to a person,
	// or of a guild, "" if none is on record.
	Locale(id string) (string, error)
	// DailyMessage returns the record of a person's daily message.
	DailyMessage(person string) (DailyMessage, error)
	// Blocks returns whom a person has blocked, longest first.
	Blocks(person string) ([]Block, error)
	// HasBlock reports whether one of two people has blocked the other.
	HasBlock(person, other string) (bool, error)
	// PersonData returns everything that the database holds about a person, by
	// table: their records, what they did in matches, and what was counted of it.
	// Who has blocked them is not included.
	PersonData(person string) ([]PersonTable, error)
	// PersonCounts returns the number of rows of each table that PersonData would
	// return.
	PersonCounts(person string) (map[string]int, error)
}

// PeopleStore writes what people and guilds have chosen.
type PeopleStore interface {
	PeopleReader

	// SetPreferences replaces the preferences of a person.
	SetPreferences(Preferences) error
	// SetVacation adds a vacation, or replaces the one of the same person and From.
	// A To that is not after From removes it. Vacations of a person must not
	// overlap.
	SetVacation(Vacation) error
	// SetGuildSettings replaces the settings of a guild. The order of Channels is
	// not kept.
	SetGuildSettings(GuildSettings) error
	// SetDeparture replaces what Departure returns. Who has left a guild is not on its
	// leaderboards. Zero says that they are back, and puts them there again if they have
	// results in it.
	SetDeparture(guild, person string, noticedAt time.Time) error
	// SetLocale records the locale of a person or a guild. "" removes it.
	SetLocale(id, locale string) error
	// SetDailyMessage replaces the record of a person's daily message. One with a
	// zero DueAt removes it.
	SetDailyMessage(DailyMessage) error
	// SetBlock records a block. If there is one, it keeps its time.
	SetBlock(Block) error
	// DeleteBlock removes a block, if there is one.
	DeleteBlock(person, blocked string) error
	// ForgetPerson replaces a person by another in matches, challenges, results and
	// ratings, as Pseudonymize does, and deletes their other records and every
	// block of them. The place of a match or challenge in direct messages, in which
	// no other people were, loses its channel, and its posts count as confirmed.
	// Posted boards that show the person have to be redrawn and the messages of their
	// challenges get another revision, both with the NextAttempt now. Processed
	// interactions stay.
	//
	// Once no transaction reads, the files of a SQLite database hold nothing of the
	// person: neither in free space nor in a log. A PostgreSQL server is asked to free
	// the old rows at once. Their bytes remain in its files until the space is used
	// again, and in its write-ahead log until that is recycled.
	ForgetPerson(person string, as Person, now time.Time) error
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

// Location returns the person's time zone. An unknown zone counts as UTC.
func (p Preferences) Location() *time.Location {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// QuietUntil returns when the quiet hours end in which now lies. It returns the zero
// time outside of them.
func (p Preferences) QuietUntil(now time.Time) (end time.Time) {
	// Hour by hour, because the clock of the zone may be put forward or back.
	for at := now.In(p.Location()); p.quiet(at); end = at {
		at = at.Add(time.Hour - sinceHour(at))
	}
	return end
}

// QuietSince returns when the quiet hours began in which now lies. It returns the zero
// time outside of them.
func (p Preferences) QuietSince(now time.Time) (begin time.Time) {
	for at := now.In(p.Location()); p.quiet(at); at = at.Add(-1) {
		at = at.Add(-sinceHour(at))
		begin = at
	}
	return begin
}

func (p Preferences) quiet(at time.Time) bool {
	hour := at.Hour()
	if p.QuietFrom <= p.QuietTo {
		return p.QuietFrom <= hour && hour < p.QuietTo
	}
	return p.QuietFrom <= hour || hour < p.QuietTo
}

func sinceHour(at time.Time) time.Duration {
	return time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second + time.Duration(at.Nanosecond())
}

// Vacation is a time during which the clocks of a person stand still.
type Vacation struct {
	Person   string
	From, To time.Time
}

// Includes reports whether a time lies in the vacation.
func (v Vacation) Includes(at time.Time) bool { return !at.Before(v.From) && at.Before(v.To) }

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
	// Organiser is the role of those who may organise matches; empty for those who
	// manage the guild.
	Organiser string
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

// Next returns the record after the message has been dealt with: it is due again at
// the same time of day in the zone of its person, or in a day if the clock was ahead.
func (d DailyMessage) Next(now time.Time, zone *time.Location) DailyMessage {
	due := now.In(zone).AddDate(0, 0, 1)
	if since := now.Sub(d.DueAt); !d.DueAt.IsZero() && since >= 0 {
		first := d.DueAt.In(zone)
		days := int(since / day)
		for due = first.AddDate(0, 0, days); !due.After(now); days++ { // a day has 23 to 25 hours
			due = first.AddDate(0, 0, days+1)
		}
	}
	due = due.UTC()
	return DailyMessage{Person: d.Person, DueAt: due, NextAttempt: due}
}

// longestDay is a day on which a clock is put back.
const longestDay = 26 * time.Hour

// IsDue reports whether a daily message is to be dealt with at now: its time has
// come, or lies more than a day ahead because the clock was ahead.
func (d DailyMessage) IsDue(now time.Time) bool {
	return !d.NextAttempt.After(now) || d.NextAttempt.Sub(now) > longestDay
}

// Block records that a person wants to have nothing to do with another.
type Block struct {
	Person  string
	Blocked Person // named as when they were blocked
	At      time.Time
}

// FormerPrefix begins the identifiers of people whose data was deleted. The
// identifiers of Discord are numbers.
const FormerPrefix = "former-"

// IsFormer reports whether a player is a person whose data was deleted.
func (p Person) IsFormer() bool { return strings.HasPrefix(p.ID, FormerPrefix) }

// PersonTable holds the rows of one table that concern a person, see
// Reader.PersonData.
type PersonTable struct {
	Name string
	// Rows hold the values by column: nil, bool, int64, float64, string or
	// time.Time.
	Rows []map[string]any
}

// Pseudonymize returns a match and its whole log without a person: another
// sits in their seats, and the identifiers of their interactions are replaced.
// The digests are computed again. A digest that did not fit stays as it is, so
// that CheckLog still finds what was altered before.
func Pseudonymize(m Match, log []Entry, person string, as Person) (Match, []Entry) {
	before, fits := m.Root, m.Root == Root(m)
	own := map[int]bool{} // seats
	m.Seats = slices.Clone(m.Seats)
	for i, p := range m.Seats {
		if p.ID == person {
			m.Seats[i], own[i+1] = as, true
		}
	}
	if fits {
		m.Root = Root(m)
	}
	replaced := map[string]string{}
	for _, e := range log {
		if own[e.Seat] && e.Interaction != "" && replaced[e.Interaction] == "" {
			replaced[e.Interaction] = fmt.Sprint(FormerPrefix, e.Seq)
		}
	}
	log = slices.Clone(log)
	after := m.Root
	for i := range log {
		e := &log[i]
		stored := e.Digest
		fits = before.Next(*e) == stored
		e.Interaction = cmp.Or(replaced[e.Interaction], e.Interaction)
		if fits {
			e.Digest = after.Next(*e)
		}
		before, after = stored, e.Digest
	}
	if m.Head == before {
		m.Head = after
	}
	return m, log
}
