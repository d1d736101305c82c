// Package limits bounds the challenges that people make and the matches that they
// play.
package limits

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"castellan/storage"
)

// Limits bounds what people can ask for, so that nobody fills a channel or the
// database. They are checked against the store, so all processes agree. In each
// number 0 means the default, and a negative value no limit. Leaving is never
// limited: declining, cancelling, resigning and claiming.
type Limits struct {
	// Window is the period of the two limits below; 10 minutes if 0.
	Window time.Duration
	// MadeByPerson is how many challenges a person may create within the
	// window, including declined and cancelled ones; 10 if 0.
	MadeByPerson int
	// MadeInChannel is the same for all people in a channel; 30 if 0.
	MadeInChannel int
	// OpenByPerson is how many open challenges a person may have; 10 if 0.
	OpenByPerson int
	// OpenInChannel is the same for all people in a channel; 50 if 0.
	OpenInChannel int
	// Running is how many running matches a person may have; 25 if 0, as many
	// as autocomplete can show.
	Running int
}

// DefaultLimits returns the defaults.
func DefaultLimits() Limits { return Limits{}.WithDefaults() }

// WithDefaults returns the limits with the defaults for zero fields.
func (l Limits) WithDefaults() Limits {
	if l.Window <= 0 {
		l.Window = 10 * time.Minute
	}
	l.MadeByPerson = cmp.Or(l.MadeByPerson, 10)
	l.MadeInChannel = cmp.Or(l.MadeInChannel, 30)
	l.OpenByPerson = cmp.Or(l.OpenByPerson, 10)
	l.OpenInChannel = cmp.Or(l.OpenInChannel, 50)
	l.Running = cmp.Or(l.Running, 25)
	return l
}

// Limit names one of the limits.
type Limit string

// The limits that a request can exceed.
const (
	LimitMadeByPerson  Limit = "made"    // challenges by a person within the window
	LimitMadeInChannel Limit = "busy"    // challenges in a channel within the window
	LimitOpenByPerson  Limit = "open"    // open challenges by a person
	LimitOpenInChannel Limit = "full"    // open challenges in a channel
	LimitRunning       Limit = "running" // running matches of a person
)

// AllLimits returns all limits.
func AllLimits() []Limit {
	return []Limit{LimitMadeByPerson, LimitMadeInChannel, LimitOpenByPerson, LimitOpenInChannel, LimitRunning}
}

// LimitError reports that a limit is reached.
type LimitError struct {
	Limit  Limit
	Max    int
	Person storage.Person // who reached it; the zero value for a channel
	// RetryAt is when the request is possible at the latest, in whole seconds,
	// or the zero time if that depends on people alone.
	RetryAt time.Time
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the limit %q of %d is reached", e.Limit, e.Max)
}

func reached(n, limit int) bool { return limit >= 0 && n >= limit }

// roundUp rounds a time up to whole seconds, as people are told.
func roundUp(t time.Time) time.Time {
	whole := t.Truncate(time.Second)
	if whole.Before(t) {
		whole = whole.Add(time.Second)
	}
	return whole
}

// Challenges returns which limit prevents a person from creating a challenge in a
// channel, or nil.
func (l Limits) Challenges(activity storage.ChallengeActivity, p storage.Person, now time.Time) *LimitError {
	// Ignore challenges from the future: the clock was ahead when they were made.
	activity.MadeBy = slices.DeleteFunc(activity.MadeBy, now.Before)
	activity.MadeIn = slices.DeleteFunc(activity.MadeIn, now.Before)
	for _, c := range []struct {
		limit  Limit
		person storage.Person
		times  []time.Time
		most   int
		lasts  time.Duration // how long after its time a challenge counts
	}{
		{LimitOpenByPerson, p, activity.OpenBy, l.OpenByPerson, 0},
		{LimitOpenInChannel, storage.Person{}, activity.OpenIn, l.OpenInChannel, 0},
		{LimitMadeByPerson, p, activity.MadeBy, l.MadeByPerson, l.Window},
		{LimitMadeInChannel, storage.Person{}, activity.MadeIn, l.MadeInChannel, l.Window},
	} {
		if !reached(len(c.times), c.most) {
			continue
		}
		e := &LimitError{Limit: c.limit, Max: c.most, Person: c.person}
		// There is room once all but c.most-1 of them have stopped counting.
		if n := len(c.times) - c.most; n < len(c.times) && !c.times[n].IsZero() {
			e.RetryAt = roundUp(c.times[n].Add(c.lasts))
		}
		return e
	}
	return nil
}

// Matches returns whether a player has as many running matches as they may, or nil.
func (l Limits) Matches(running int, p storage.Person) *LimitError {
	if reached(running, l.Running) {
		return &LimitError{Limit: LimitRunning, Max: l.Running, Person: p}
	}
	return nil
}
