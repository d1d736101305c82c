package storage

import (
	"context"
	"time"
)

// Peers connects the processes that use one database. Only a database on a server
// has it; a file belongs to one process.
type Peers interface {
	// Now returns the time of the server, which is the same for all processes
	// whatever their own clocks show.
	Now() time.Time

	// Listen calls handle with the signals of the other processes, one at a time and
	// in the order of each process, until ctx is done. Whenever signals may have been
	// missed, also at the beginning, it calls handle with SignalsLost.
	Listen(ctx context.Context, handle func(Signal))

	// Notify sends a signal to the other processes some milliseconds later, unless the
	// server does not answer. It does not block. Updates send those of what they have
	// changed by themselves.
	Notify(s Signal)

	// ShareRequests divides the requests that Discord allows among the processes.
	ShareRequests(ctx context.Context, u RequestUse) (RequestShare, error)
}

// RequestUse says what a process has used, and wants, of the requests to Discord that
// all processes may send together. Each gets slots: with a slot, a process sends one
// request in any window, which is a little more than a second.
type RequestUse struct {
	Limit   int           // slots of all processes
	Window  time.Duration // see above
	Wanted  int           // slots
	Invalid int           // requests since the last call that count towards a ban
	Paused  time.Duration // for how long Discord wants no requests; usually 0
}

// RequestShare is what a process may use.
type RequestShare struct {
	Slots     int
	For       time.Duration // how long, from before the call
	Invalid   int           // requests of other processes in the last ten minutes that count towards a ban
	Paused    time.Duration // for how long Discord wants no requests
	Processes int           // that have asked within a minute
}

// Signal tells other processes what one has done. It repeats what the database says,
// or is about something that need not be exact, so nothing depends on its arrival for
// long.
type Signal struct {
	Kind SignalKind `json:"kind"`
	ID   string     `json:"id,omitempty"`
	N    int64      `json:"n,omitempty"`
}

// SignalKind says what a signal is about, and what its ID is.
type SignalKind string

// The kinds of signals. Those that end in Changed, and PersonForgotten, are sent
// exactly if the update is committed.
const (
	SignalsLost        SignalKind = "lost"
	PostsDue           SignalKind = "posts"       // what had failed in a guild is to be tried again; the guild
	ComputerToMove     SignalKind = "computer"    // in some match
	PreferencesChanged SignalKind = "preferences" // a person
	SettingsChanged    SignalKind = "settings"    // a guild
	LocaleChanged      SignalKind = "locale"      // a person or a guild
	ActsChanged        SignalKind = "acts"        // of operators
	PersonForgotten    SignalKind = "forgotten"   // a person
	BudgetSpent        SignalKind = "spent"       // a budget against floods; N is how much was taken
	ChannelRefused     SignalKind = "refused"     // Discord refused a request in a channel; the channel, its code and N, the permissions that it takes
	RequestsPaused     SignalKind = "paused"      // Discord wants no requests; N is until when, in milliseconds
)

// SignalKinds returns all kinds of signals.
func SignalKinds() []SignalKind {
	return []SignalKind{SignalsLost, PostsDue, ComputerToMove, PreferencesChanged, SettingsChanged, LocaleChanged, ActsChanged, PersonForgotten, BudgetSpent, ChannelRefused, RequestsPaused}
}

// WithCommit reports whether updates send a signal in their transaction. Other
// signals are sent after it, because transactions that send one commit one by one.
func (k SignalKind) WithCommit() bool {
	switch k {
	case PreferencesChanged, SettingsChanged, LocaleChanged, PersonForgotten:
		return true
	}
	return false
}
