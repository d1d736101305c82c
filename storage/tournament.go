package storage

import "time"

// TournamentReader reads tournaments.
type TournamentReader interface {
	// Tournament returns a tournament with its players and games.
	Tournament(TournamentID) (Tournament, error)
	// Tournaments returns up to limit tournaments of a guild, or of all if guild is empty: those that have not ended,
	// soonest first, then the others, last ended first.
	Tournaments(guild string, limit int) ([]TournamentID, error)
	// DueTournaments returns up to limit tournaments that have to be looked at: those
	// whose CheckAt is not after now, and those with an open game whose match has ended.
	// next is the first CheckAt after now; zero if there is none.
	DueTournaments(now time.Time, limit int) (due []TournamentID, next time.Time, err error)
	// PendingTournaments returns up to limit tournaments whose message is to be posted or
	// edited now, longest waiting first.
	PendingTournaments(now time.Time, limit int) ([]TournamentID, error)
}

// TournamentStore writes tournaments.
type TournamentStore interface {
	TournamentReader

	// InsertTournament adds a tournament without players and games and returns its
	// identifier. It ignores EndedAt, Message, OldMessage, Attempts and NextAttempt, which begin
	// at zero, Revision, which begins at 0, and ShownRevision, which begins at -1.
	InsertTournament(Tournament) (TournamentID, error)
	// SetTournament replaces State, Format, Rounds, StartsAt, CheckAt, CalledAt and EndedAt,
	// increments the revision, and makes the message due. It fails with ErrConflict unless
	// the revision is that of t.
	SetTournament(t Tournament) error
	// PutTournamentPlayer adds a player, or replaces what is recorded of them.
	PutTournamentPlayer(TournamentID, TournamentPlayer) error
	// RemoveTournamentPlayer removes a player who is in no game.
	RemoveTournamentPlayer(tournament TournamentID, person string) error
	// PutTournamentGame adds a game, or replaces its match and its outcome.
	PutTournamentGame(TournamentID, TournamentGame) error
	// RepostTournament has the message posted again. The old one becomes OldMessage.
	RepostTournament(TournamentID) error
	// ClaimTournament counts an attempt to show the message, the next of which is not
	// before next. It fails with ErrConflict unless attempts is how many there were.
	ClaimTournament(tournament TournamentID, attempts int, next time.Time) error
	// MarkTournamentShown records that a message shows a revision, and that the old one is
	// gone.
	MarkTournamentShown(tournament TournamentID, message string, revision int) error
}

// TournamentID identifies a tournament like MatchID a match.
type TournamentID int64

// TournamentState is the state of a tournament.
type TournamentState string

// The states of a tournament. Databases contain their text.
const (
	TournamentOpen      TournamentState = "open" // people can join
	TournamentRunning   TournamentState = "running"
	TournamentEnded     TournamentState = "ended"
	TournamentCancelled TournamentState = "cancelled"
)

// Tournament is an event with its players and games.
type Tournament struct {
	ID        TournamentID
	Place     Place
	Organiser Person
	Name      string
	Game      string
	Options   string // as printed by engine.Options
	Clock     string // as printed by match.Clock
	Unrated   bool
	Thread    bool   // matches are played in threads
	Format    string // a tournament.Format
	Rounds    int    // 0 before the start: as many as the players need
	State     TournamentState
	CreatedAt time.Time
	StartsAt  time.Time
	CheckAt   time.Time // when the host has to look at it; zero if only its matches matter
	CalledAt  time.Time // when the players were asked whether they are there; zero before
	EndedAt   time.Time // zero before

	// Message shows the tournament, empty before it was posted. The others are like those
	// of a challenge.
	Message       string
	OldMessage    string // is to be deleted
	Revision      int
	ShownRevision int
	Attempts      int
	NextAttempt   time.Time

	Players []TournamentPlayer // in the order of their seeds, then of joining
	Games   []TournamentGame   // by round, table and number
}

// TournamentPlayer is somebody who takes part in a tournament.
type TournamentPlayer struct {
	Person   Person
	JoinedAt time.Time
	Here     bool    // they have said that they are there
	Seed     int     // from 1; 0 before the start
	Rating   float64 // at the start
	From     int     // the first round in which they are paired
	Left     int     // the first round in which they are not any more; 0 if they stay
}

// TournamentGame is a game of a tournament. First and Second are seeds; Second is 0 in a
// round without a game.
type TournamentGame struct {
	Round, Table, Number int
	First, Second        int
	Match                MatchID // 0 if none was started
	Outcome              string  // a tournament.Outcome, empty while the game is open
}

// MatchEvent says to which tournament a match belongs; zero if it belongs to none.
type MatchEvent struct {
	Tournament    TournamentID
	Name          string
	Round, Rounds int
}
