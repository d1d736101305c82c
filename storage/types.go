package storage

import "time"

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
}

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

// PendingPosts lists messages that have to be posted, edited or searched for.
type PendingPosts struct {
	Boards     []Board     // due, stale, or skipped with a NextAttempt
	Challenges []Challenge // with ShownRevision different from Revision
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
