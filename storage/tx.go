package storage

// Tx reads and writes within one transaction and sees its own writes. Methods
// that name a missing record fail with ErrNotFound. Times are kept to the
// nanosecond and returned in UTC; a time must not be zero unless its comment
// allows that. Text is UTF-8 without NUL; a call with any other text fails.
//
// After ErrConflict, ErrAlreadyProcessed, and ErrNotFound from a method that
// changes a record, nothing was written and the transaction can go on. Any other
// failed write fails the Update as a whole, even if fn returns nil, and so can a
// failed read.
//
// Drivers implement all of it. Other packages name the parts that they use.
type Tx interface {
	MatchStore
	BoardQueue
	ChallengeStore
	TournamentStore
	RatingStore
	PeopleStore
	ClusterStore
	AuditStore
}

// Reader reads within one transaction. Methods that return one record fail with
// ErrNotFound if it does not exist, unless they say otherwise; methods that
// return a slice return an empty one. A limit below zero counts as zero.
type Reader interface {
	MatchReader
	BoardReader
	ChallengeReader
	TournamentReader
	RatingReader
	PeopleReader
	ClusterReader
	AuditReader
}
