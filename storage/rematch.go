package storage

// RematchReader reads which challenges ask for another match of the same
// people.
type RematchReader interface {
	// LastEnded is the match of a person in a channel that ended last. An
	// empty channel means everywhere. It fails with ErrNotFound where none has
	// ended there.
	LastEnded(person, channel string) (Match, error)
	// RematchFor is the newest challenge that asks for another match after
	// that one. It fails with ErrNotFound where none does.
	RematchFor(MatchID) (ChallengeID, error)
	// RematchOf is the match after which a challenge asks for another, 0
	// where it asks for none.
	RematchOf(ChallengeID) (MatchID, error)
}

// RematchTx writes it.
type RematchTx interface {
	// NoteRematch records that a challenge asks for another match after that
	// one. It is done once for a challenge.
	RecordRematch(challenge ChallengeID, match MatchID) error
}
