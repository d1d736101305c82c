package bot

import (
	"errors"

	"castellan/bot/host"
	"castellan/engine/match"
)

// explainTime is about limits, and about times that have not come or are over.
func explainTime(r *Request, v *host.View, err error) (string, bool) {
	var flood *floodError
	if errors.As(err, &flood) {
		if flood.channel {
			return r.Say.T("error.flood.channel", "Again", relative(flood.again)), true
		}
		return r.Say.T("error.flood.person", "Again", relative(flood.again)), true
	}
	var limit *host.LimitError
	if errors.As(err, &limit) {
		return explainLimit(r, limit), true
	}
	if errors.Is(err, host.ErrExpired) {
		return r.Say.T("error.expired"), true
	}
	var early *host.EarlyError
	switch {
	case errors.Is(err, match.ErrOwnTurn) && (v == nil || v.Claimable()):
		return r.Say.T("error.owing"), true
	case v == nil:
		return "", false
	case errors.As(err, &early):
		s := r.Say.T("error.early", "Who", escape(v.Person(v.Match.Seat()).Name), "When", exact(early.At))
		if v.WouldAbort() {
			s += " " + r.Say.T("error.early.off")
		}
		return s, true
	case errors.Is(err, match.ErrOwnTurn) && !v.AbandonAt().IsZero():
		return r.Say.T("error.own.computer", "When", exact(v.AbandonAt())), true
	case errors.Is(err, match.ErrOwnTurn):
		return r.Say.T("error.own", "When", exact(v.ClaimableAt())), true
	}
	return "", false
}

// explainLimit says what there is too much of, and when there is room again.
func explainLimit(r *Request, e *host.LimitError) string {
	if e.Limit == host.LimitRunning && e.Person.ID != r.Person.ID {
		return r.Say.T("error.crowded", "Who", escape(e.Person.Name), "Most", e.Max)
	}
	again := r.Say.T("time.later")
	if !e.RetryAt.IsZero() {
		again = relative(e.RetryAt)
	}
	return r.Say.T("error.limit."+string(e.Limit), "Most", e.Max, "Again", again)
}
