package host

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
	// MadeInGuild is the same for all people of a guild; 30 if 0. Beyond it, people
	// may still create their first challenge within the window.
	MadeInGuild int
	// OpenByPerson is how many open challenges a person may have; 10 if 0.
	OpenByPerson int
	// OpenInGuild is the same for all people of a guild; 50 if 0. Beyond it, people
	// may still have one, so that nobody can stop all challenges of others.
	OpenInGuild int
	// Running is how many running matches a person may have; 25 if 0, as many
	// as autocomplete can show.
	Running int
}

// DefaultLimits returns the defaults.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

// withDefaults returns the limits with the defaults for zero fields.
func (l Limits) withDefaults() Limits {
	if l.Window <= 0 {
		l.Window = 10 * time.Minute
	}
	l.MadeByPerson = cmp.Or(l.MadeByPerson, 10)
	l.MadeInGuild = cmp.Or(l.MadeInGuild, 30)
	l.OpenByPerson = cmp.Or(l.OpenByPerson, 10)
	l.OpenInGuild = cmp.Or(l.OpenInGuild, 50)
	l.Running = cmp.Or(l.Running, 25)
	return l
}

// Limit names one of the limits.
type Limit string

// The limits that a request can exceed.
const (
	LimitMadeByPerson Limit = "made"    // challenges by a person within the window
	LimitMadeInGuild  Limit = "busy"    // challenges in a guild within the window
	LimitOpenByPerson Limit = "open"    // open challenges by a person
	LimitOpenInGuild  Limit = "full"    // open challenges in a guild
	LimitRunning      Limit = "running" // running matches of a person
)

// AllLimits returns all limits.
func AllLimits() []Limit {
	return []Limit{LimitMadeByPerson, LimitMadeInGuild, LimitOpenByPerson, LimitOpenInGuild, LimitRunning}
}

// LimitError reports that a limit is reached.
type LimitError struct {
	Limit  Limit
	Max    int
	Person storage.Person // who reached it; the zero value for a guild
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

// checkChallenges returns which limit prevents a person from creating a challenge in
// a guild, or nil.
func (l Limits) checkChallenges(activity storage.ChallengeActivity, p storage.Person, now time.Time) *LimitError {
	// Ignore challenges from the future: the clock was ahead when they were made.
	activity.MadeBy = slices.DeleteFunc(activity.MadeBy, now.Before)
	activity.MadeIn = slices.DeleteFunc(activity.MadeIn, now.Before)
	for _, c := range []struct {
		limit  Limit
		person storage.Person
		times  []time.Time
		most   int
		lasts  time.Duration // how long after its time a challenge counts
		first  bool          // the person has none that counts
	}{
		{LimitOpenByPerson, p, activity.OpenBy, l.OpenByPerson, 0, false},
		{LimitOpenInGuild, storage.Person{}, activity.OpenIn, l.OpenInGuild, 0, len(activity.OpenBy) == 0},
		{LimitMadeByPerson, p, activity.MadeBy, l.MadeByPerson, l.Window, false},
		{LimitMadeInGuild, storage.Person{}, activity.MadeIn, l.MadeInGuild, l.Window, len(activity.MadeBy) == 0},
	} {
		if c.first || !reached(len(c.times), c.most) {
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

// checkLimits returns which limit prevents a person from creating a challenge.
func (h *Host) checkLimits(r storage.Reader, p storage.Person, guild string, now time.Time) error {
	activity, err := r.ChallengeActivity(p.ID, guild, now.Add(-h.limits.Window), now)
	if err != nil {
		return err
	}
	if guild == "" { // direct messages have nothing in common
		activity.MadeIn, activity.OpenIn = nil, nil
	}
	if e := h.limits.checkChallenges(activity, p, now); e != nil {
		return &Refusal{Err: e}
	}
	return nil
}

// checkRunning returns which of the players has as many running matches as they
// may. Computers have no limit.
func (h *Host) checkRunning(r storage.MatchReader, players ...storage.Person) error {
	for _, p := range people(players) {
		n, err := r.CountRunning(p.ID)
		if err != nil {
			return err
		}
		if reached(n, h.limits.Running) {
			return &Refusal{Err: &LimitError{Limit: LimitRunning, Max: h.limits.Running, Person: p}}
		}
	}
	return nil
}
