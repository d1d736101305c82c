package storage

import (
	"fmt"
	"time"
)

// Act is what an operator did with the bot as a whole, or an organiser in their guild: a
// line of the audit log. Bans and freezes are nothing else than their acts, so none is
// without its line.
type Act struct {
	At       time.Time
	Guild    string // of an organiser; empty for operators
	Operator string // the person
	Kind     ActKind
	// Target is a person or a guild, for organisers a match or challenge (see MatchTarget);
	// empty if the act concerns all.
	Target string
	Note   string // the reason, the text of a notice, a match.Verdict, or the hours of a freeze
}

// MatchTarget returns the Target of an act about a match.
func MatchTarget(id MatchID) string { return fmt.Sprintf("match %d", id) }

// ChallengeTarget returns the Target of an act about a challenge.
func ChallengeTarget(id ChallengeID) string { return fmt.Sprintf("challenge %d", id) }

// MaxFreeze is how long one act stops the clocks of a guild at most.
const MaxFreeze = 48 * time.Hour

// ActKind says what an operator or an organiser did.
type ActKind string

// The kinds of acts. Databases contain their text.
const (
	ActBan        ActKind = "ban"        // Target can no longer use the bot
	ActUnban      ActKind = "unban"      // Target can use it again
	ActLeave      ActKind = "leave"      // the bot was told to leave a guild
	ActNotice     ActKind = "notice"     // boards show Note for some time, or no notice if it is empty
	ActStatistics ActKind = "statistics" // looked at

	ActStart      ActKind = "start"      // a match began for others
	ActAdjudicate ActKind = "adjudicate" // a match was ended
	ActVoid       ActKind = "void"       // a result was taken out of the ratings
	ActRevert     ActKind = "revert"     // the act before, about the same match, was taken back
	ActWithdraw   ActKind = "withdraw"   // a challenge was withdrawn
	ActFreeze     ActKind = "freeze"     // the clocks of the guild stand still for Note hours
	ActThaw       ActKind = "thaw"       // they go on
)

// AuditReader reads what operators and organisers did.
type AuditReader interface {
	// Acts returns the acts of the organisers of a guild, or without a guild those of
	// operators, from a time on and in the order in which they were added.
	Acts(guild string, from time.Time) ([]Act, error)
	// Freezes returns the freezes of a guild from a time on, and what ended them, in the
	// order in which they were added.
	Freezes(guild string, from time.Time) ([]Act, error)
	// Banned returns the people and guilds whose last ban was not withdrawn, in
	// order.
	Banned() ([]string, error)
}

// AuditStore adds to the audit log, of which nothing is ever removed. ForgetPerson
// replaces the person there, except as the target of a ban that lasts.
type AuditStore interface {
	AuditReader

	// AddAct appends an act. The Target of a ban and an unban must not be empty.
	AddAct(Act) error
}
