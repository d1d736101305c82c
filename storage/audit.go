package storage

import "time"

// Act is what an operator did with the bot as a whole: a line of the audit log. Bans
// are nothing else than their acts, so none is without its line.
type Act struct {
	At       time.Time
	Operator string // the person
	Kind     ActKind
	Target   string // a person or a guild; empty if it concerns all
	Note     string // the reason, or the text of a notice
}

// ActKind says what an operator did.
type ActKind string

// The kinds of acts. Databases contain their text.
const (
	ActBan        ActKind = "ban"        // Target can no longer use the bot
	ActUnban      ActKind = "unban"      // Target can use it again
	ActLeave      ActKind = "leave"      // the bot was told to leave a guild
	ActNotice     ActKind = "notice"     // boards show Note for some time, or no notice if it is empty
	ActStatistics ActKind = "statistics" // looked at
)

// AuditReader reads what operators did.
type AuditReader interface {
	// Acts returns the acts from a time on, in the order in which they were added.
	Acts(from time.Time) ([]Act, error)
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
