package host

import (
	"time"

	"castellan/bot/host/internal/limits"
	"castellan/storage"
)

// The limits and the error of a limit that is reached.
type (
	Limits     = limits.Limits
	Limit      = limits.Limit
	LimitError = limits.LimitError
)

// The limits that a request can exceed.
const (
	LimitMadeByPerson  = limits.LimitMadeByPerson
	LimitMadeInChannel = limits.LimitMadeInChannel
	LimitOpenByPerson  = limits.LimitOpenByPerson
	LimitOpenInChannel = limits.LimitOpenInChannel
	LimitRunning       = limits.LimitRunning
)

// DefaultLimits returns the defaults.
func DefaultLimits() Limits { return limits.DefaultLimits() }

// AllLimits returns all limits.
func AllLimits() []Limit { return limits.AllLimits() }

// checkLimits returns which limit prevents a person from creating a challenge.
func (h *Host) checkLimits(r storage.Reader, p storage.Person, channel string, now time.Time) error {
	activity, err := r.ChallengeActivity(p.ID, channel, now.Add(-h.limits.Window), now)
	if err != nil {
		return err
	}
	if e := h.limits.Challenges(activity, p, now); e != nil {
		return &Refusal{Err: e}
	}
	return h.checkRunning(r, p)
}

// checkRunning returns which of the players has as many running matches as they
// may. Computers have no limit.
func (h *Host) checkRunning(r storage.Reader, players ...storage.Person) error {
	for _, p := range people(players) {
		n, err := r.CountRunning(p.ID)
		if err != nil {
			return err
		}
		if e := h.limits.Matches(n, p); e != nil {
			return &Refusal{Err: e}
		}
	}
	return nil
}
