package storage

import "time"

// Identifiers made by the store. They are positive and never used twice in one
// database.
type (
	MatchID     int64
	ChallengeID int64
	BoardID     int64
)

// Person is somebody who plays: the identifier never changes, the name is how
// they were called when the record was made.
type Person struct {
	ID   string
	Name string
	// Level is how strong a computer in a seat is, such as "casual"; empty for
	// a person. The identifier is then that of the level, the same for all
	// seats of that level. Seats of matches and of challenges keep it, ratings
	// do not.
	Level string
}

// Place is where a match or a challenge lives. Guild is empty in direct
// messages.
type Place struct {
	Guild   string
	Channel string
}

// Match is one match without its log.
type Match struct {
	ID           MatchID
	Challenge    ChallengeID // 0 where it did not come from one
	Place        Place
	Game         string // key of the game
	RulesVersion int    // version of its rules
	Options      string // as engine.Options prints them
	Seed         uint64 // what decided anything random about it
	Seats        []Person
	Unrated      bool // it leaves the ratings as they are
	CreatedAt    time.Time

	// Seq is the number of entries in its log.
	Seq int
	// Shown is the shown_seq: the sequence number up to which a board has
	// been confirmed as shown, -1 before the first.
	ShownSeq int
	// Ending is how it ended, in the words of engine/match; empty while it
	// goes on. EndedAt is zero then.
	Ending  string
	EndedAt time.Time
	// Deadline is when to look whether whoever is to move has been silent too
	// long; zero where that is not needed, and once the match has ended.
	Deadline time.Time
	// Thinking is since when a computer is to move; zero where a person is, and
	// once the match has ended.
	ComputerTurnSince time.Time
	// EndNumber is the match's place in the order in which matches ended, from
	// 1; 0 while it goes on. Clocks can go back, this cannot.
	EndNumber int
	// Results is how it ended for each seat; nil while it goes on, and where
	// it has no result.
	Results []SeatResult
}

// Entry is one line of a match's log.
type Entry struct {
	Seq         int // from 1, without gaps
	Kind        string
	Seat        int
	Text        string
	At          time.Time
	Interaction string // what caused it; may stand on several entries
}

// BoardState is how far a board message has come.
type BoardState string

const (
	// BoardDue is to be posted.
	BoardDue BoardState = "due"
	// BoardPosted is the current board message.
	BoardPosted BoardState = "posted"
	// BoardStale was posted, a newer one is due or posted: it is to be
	// collapsed to one line.
	BoardStale BoardState = "stale"
	// BoardCollapsed is collapsed, or was found deleted.
	BoardCollapsed BoardState = "collapsed"
	// BoardSkipped was not confirmed as posted and is not wanted any more.
	// While its Next is set it is to be looked for: its message may stand in
	// the channel all the same.
	BoardSkipped BoardState = "skipped"
)

// Board is one public board message of a match, posted or to be posted. At
// most one board of a match is due or posted.
type Board struct {
	ID      BoardID
	Match   MatchID
	Seq     int // the entry after which it shows the match
	Place   Place
	Message string // identifier of the message, empty before it was posted
	// Notify asks for the mention of the next player.
	Notify bool
	State  BoardState
	// Tries is how often posting or collapsing has failed; Next is when to
	// try, or try again; zero is at once.
	Attempts    int
	NextAttempt time.Time
}

// ChallengeState is what has become of a challenge.
type ChallengeState string

const (
	ChallengeOpen      ChallengeState = "open"
	ChallengeAccepted  ChallengeState = "accepted"
	ChallengeDeclined  ChallengeState = "declined"
	ChallengeCancelled ChallengeState = "cancelled"
	ChallengeExpired   ChallengeState = "expired"
)

// Challenge is an offer to play.
type Challenge struct {
	ID         ChallengeID
	Place      Place
	Challenger Person
	Seats      int // how many are to play
	// Joined is who has taken a seat, in the order in which they came.
	// Invited is for whom a seat is kept, in the order in which they were
	// named. No person stands twice in them; a computer's level may.
	Joined     []Person
	Invited    []Person
	Game       string
	Options    string
	Unrated    bool   // the match is to leave the ratings as they are
	First      string // who moves first: "me", "them" or "random", as the challenger sees it
	Seed       uint64
	State      ChallengeState
	CreatedAt  time.Time
	ExpiresAt  time.Time // from then on it cannot be answered; zero where it never expires
	ResolvedAt time.Time // zero while open
	Match      MatchID   // 0 unless accepted

	// Message is the message that shows it, empty before it was posted.
	Message string
	// Revision is the number of changes to its people and its state; Shown is
	// the revision that the message is confirmed to show, -1 before it was
	// posted. The challenge is behind while they differ.
	Revision      int
	ShownRevision int
	Attempts      int
	NextAttempt   time.Time
}

// Applied is the note that an interaction has been carried out, so that a
// repeated delivery is not.
type ProcessedInteraction struct {
	Interaction string
	At          time.Time
	Match       MatchID     // 0 where it concerned none
	Challenge   ChallengeID // 0 where it concerned none
	Seq         int         // of the match afterwards
}

// Preferences is what a person has chosen about their own play. The zero value
// but for the person is what holds for who has chosen nothing.
type Preferences struct {
	Person string
	// Ends says that they end their turns themselves, even where nothing else
	// is left to do.
	ManualEndTurn bool
	// Confirms says that a turn of theirs counts only when they have seen it
	// and confirmed it.
	ConfirmTurn bool
}

// Overdue is what waits for a time that has come, at most as many of each as
// were asked for, the longest overdue first.
type Overdue struct {
	Challenges []ChallengeID // open, and past their ExpiresAt
	Matches    []MatchID     // running, and past their Deadline
}

// Offers is the challenges of a person, and those of everybody in a channel.
type ChallengeActivity struct {
	// MadeBy and MadeIn are when they were made, oldest first, whatever has
	// become of them.
	MadeBy, MadeIn []time.Time
	// OpenBy and OpenIn are when those expire that can still be answered, the
	// soonest first; zero times, at the end, are of those that never do.
	OpenBy, OpenIn []time.Time
}

// Work is what is behind: posts and edits that have not been confirmed and
// whose time to try has come.
type PendingPosts struct {
	Boards     []Board     // due, stale, or skipped and to be looked for
	Challenges []Challenge // whose Shown differs from Revision
}
