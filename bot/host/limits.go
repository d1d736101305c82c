package host

import (
	"fmt"
	"time"

	"castellan/storage"
)

// Limits bounds what people can ask for, so that nobody fills a channel or the
// database. They are judged from what is stored, the same by every process. Of
// each number 0 means the default, and one below it no limit. Nothing here
// ever stands in the way of leaving something: declining, withdrawing,
// resigning and claiming have no limit.
type Limits struct {
	// Window is the time in which challenges are counted for the two limits
	// below; 10 minutes where 0.
	Window time.Duration
	// MadeByPerson is how many challenges a person may make within the window;
	// 10 where 0. Refused or withdrawn ones count.
	MadeByPerson int
	// MadeInChannel is the same of everybody in a channel together; 30 where 0.
	MadeInChannel int
	// OpenByPerson is how many challenges of a person may wait for an answer;
	// 10 where 0.
	OpenByPerson int
	// OpenInChannel is the same of everybody in a channel together; 50 where 0.
	OpenInChannel int
	// Running is in how many matches that have not ended a person may sit; 25
	// where 0, as many as a list of suggestions can show.
	Running int
}

// The defaults of Limits.
const (
	defaultWindow        = 10 * time.Minute
	defaultMadeByPerson  = 10
	defaultMadeInChannel = 30
	defaultOpenByPerson  = 10
	defaultOpenInChannel = 50
	defaultRunning       = 25
)

// DefaultLimits is what holds where Limits says nothing.
func DefaultLimits() Limits { return Limits{}.complete() }

// complete is the limits with the defaults in place.
func (l Limits) complete() Limits {
	if l.Window <= 0 {
		l.Window = defaultWindow
	}
	for _, one := range []struct {
		limit    *int
		standard int
	}{
		{&l.MadeByPerson, defaultMadeByPerson},
		{&l.MadeInChannel, defaultMadeInChannel},
		{&l.OpenByPerson, defaultOpenByPerson},
		{&l.OpenInChannel, defaultOpenInChannel},
		{&l.Running, defaultRunning},
	} {
		if *one.limit == 0 {
			*one.limit = one.standard
		}
	}
	return l
}

// Limit is what there is too much of.
type Limit string

// The limits that a request can meet.
const (
	LimitMadeByPerson  Limit = "made"    // challenges of a person within the window
	LimitMadeInChannel Limit = "busy"    // challenges in a channel within the window
	LimitOpenByPerson  Limit = "open"    // challenges of a person without an answer
	LimitOpenInChannel Limit = "full"    // challenges in a channel without an answer
	LimitRunning       Limit = "running" // matches of a person that have not ended
)

// AllLimits is every limit.
func AllLimits() []Limit {
	return []Limit{LimitMadeByPerson, LimitMadeInChannel, LimitOpenByPerson, LimitOpenInChannel, LimitRunning}
}

// LimitError says that a limit is reached.
type LimitError struct {
	Limit Limit
	Most  int
	// Person is whose limit it is; of the limits of a channel nobody's.
	Person storage.Person
	// Again is when the limit lets something through at the latest, to the
	// second; zero where that depends on people alone.
	Again time.Time
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the limit %q of %d is reached", e.Limit, e.Most)
}

// reached reports whether a number has come to a limit.
func reached(n, limit int) bool { return limit >= 0 && n >= limit }

// second is the first whole second that is not before a time: when somebody is
// told a time in seconds, it holds from then on.
func second(t time.Time) time.Time {
	whole := t.Truncate(time.Second)
	if whole.Before(t) {
		whole = whole.Add(time.Second)
	}
	return whole
}

// mayOffer says which limit keeps a person from making one more challenge.
func (h *Host) mayOffer(r storage.Reader, p storage.Person, channel string, now time.Time) error {
	l := h.limits
	offers, err := r.ChallengeActivity(p.ID, channel, now.Add(-l.Window), now)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		limit  Limit
		person storage.Person
		times  []time.Time
		most   int
		plus   time.Duration // from such a time to when it does not count any more
	}{
		{LimitOpenByPerson, p, offers.OpenBy, l.OpenByPerson, 0},
		{LimitOpenInChannel, storage.Person{}, offers.OpenIn, l.OpenInChannel, 0},
		{LimitMadeByPerson, p, offers.MadeBy, l.MadeByPerson, l.Window},
		{LimitMadeInChannel, storage.Person{}, offers.MadeIn, l.MadeInChannel, l.Window},
	} {
		if !reached(len(one.times), one.most) {
			continue
		}
		e := &LimitError{Limit: one.limit, Most: one.most, Person: one.person}
		// As many must go as are too many with the one that was asked for.
		if n := len(one.times) - one.most; n < len(one.times) && !one.times[n].IsZero() {
			e.Again = second(one.times[n].Add(one.plus))
		}
		return &Refusal{Err: e}
	}
	return h.mayPlay(r, p)
}

// mayPlay says which of people plays as many matches as they may. Computers may
// play any number.
func (h *Host) mayPlay(r storage.Reader, people ...storage.Person) error {
	for _, p := range persons(people) {
		n, err := r.CountRunning(p.ID)
		if err != nil {
			return err
		}
		if reached(n, h.limits.Running) {
			return &Refusal{Err: &LimitError{Limit: LimitRunning, Most: h.limits.Running, Person: p}}
		}
	}
	return nil
}
