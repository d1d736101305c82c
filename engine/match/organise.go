package match

import (
	"errors"
	"slices"
	"strconv"

	"castellan/engine"
)

// What organisers, who have no seat, decide about a match. Their entries have the seat
// Nobody. The log does not say who they are.

// Verdict is how an organiser ends a match: the number of the seat that wins, or one of
// the constants.
type Verdict string

// The verdicts without a winner, as they are stored.
const (
	VerdictDraw Verdict = "draw" // of two seats
	VerdictNone Verdict = "none" // the match ends without a result
)

// VerdictWin returns the verdict that a seat wins.
func VerdictWin(seat engine.Seat) Verdict { return Verdict(strconv.Itoa(int(seat))) }

// ErrNoRevert: the last entry is no decision of an organiser.
var ErrNoRevert = errors.New("there is no decision of an organiser to take back")

// ErrNoVoid: the match has no result, or it is void already.
var ErrNoVoid = errors.New("there is no result that could be void")

// Adjudicate returns the entry by which an organiser ends the match with a verdict. The
// actions of the open turn do not count. It fails with ErrOver, ErrNotPlaying for a
// winner who does not play, or ErrTwoSeats.
func (m *Match) Adjudicate(v Verdict, cause Cause) ([]Entry, error) {
	return m.decide(KindAdjudicate, engine.Nobody, string(v), cause)
}

// Void returns the entry by which an organiser takes the result of a finished match out
// of the ratings. It fails with ErrNoVoid.
func (m *Match) Void(cause Cause) ([]Entry, error) {
	return m.decide(KindVoid, engine.Nobody, "", cause)
}

// Revert returns the entry that takes back the decision of an organiser that is the last
// entry. A match that was adjudicated goes on where it was, with the actions of its open
// turn. It fails with ErrNoRevert.
func (m *Match) Revert(cause Cause) ([]Entry, error) {
	return m.decide(KindRevert, engine.Nobody, "", cause)
}

// Voided reports whether the result of the match is out of the ratings.
func (m *Match) Voided() bool { return m.voided }

// ByOrganiser returns entry seq if it is a decision of an organiser.
func (m *Match) ByOrganiser(seq int) (e Entry, ok bool) {
	if seq < 1 || seq > len(m.log) {
		return e, false
	}
	e = m.log[seq-1]
	return e, e.Kind.organises()
}

// Organised reports whether organisers have decided anything.
func (m *Match) Organised() bool {
	return slices.ContainsFunc(m.log, func(e Entry) bool { return e.Kind.organises() })
}

// Stood returns the times during which the match was over and then went on, in order. All
// clocks stood still.
func (m *Match) Stood() []Span { return slices.Clone(m.stood) }

func (k Kind) organises() bool { return k == KindAdjudicate || k == KindVoid || k == KindRevert }

// organise carries out a decision of an organiser.
func (m *Match) organise(e Entry) error {
	switch {
	case e.Seat != engine.Nobody:
		return ErrNotPlaying
	case e.Kind == KindAdjudicate:
		return m.adjudicate(e)
	case e.Text != "":
		return errText(e)
	case e.Kind == KindVoid:
		if m.outcome == nil || len(m.outcome.Result.Ranks) == 0 || m.voided {
			return ErrNoVoid
		}
		m.voided, m.publicSeq = true, e.Seq
		return nil
	}
	return m.revert(e)
}

func (m *Match) adjudicate(e Entry) error {
	if m.outcome != nil {
		return ErrOver
	}
	switch v := Verdict(e.Text); v {
	case VerdictNone:
		m.end(Outcome{Ending: ByAbort}, e)
	case VerdictDraw:
		if m.settings.Seats != 2 {
			return ErrTwoSeats
		}
		m.end(Outcome{Ending: ByAdjudication, Result: engine.Result{Ranks: []int{1, 1}}}, e)
	default:
		n, err := strconv.Atoi(e.Text)
		winner := engine.Seat(n)
		if err != nil || VerdictWin(winner) != v {
			return errText(e)
		}
		if !m.Playing(winner) {
			return ErrNotPlaying
		}
		// The others who play share the second place, before those who have retired.
		ranks := make([]int, m.settings.Seats)
		for i := range ranks {
			ranks[i] = 2
		}
		ranks[winner-1] = 1
		for i, s := range m.retired {
			ranks[s-1] = m.settings.Seats - i
		}
		m.end(Outcome{Ending: ByAdjudication, Result: engine.Result{Winners: []engine.Seat{winner}, Ranks: ranks}}, e)
	}
	return nil
}

func (m *Match) revert(e Entry) error {
	last, ok := m.ByOrganiser(len(m.log))
	switch {
	case !ok || last.Kind == KindRevert:
		return ErrNoRevert
	case last.Kind == KindVoid:
		m.voided = false
	default:
		before, err := m.At(len(m.log) - 1)
		if err != nil {
			return err
		}
		m.position, m.open, m.outcome = before.position, before.open, nil
		m.open.Actions = slices.Clip(m.open.Actions)
		m.stood = append(m.stood, Span{From: last.At, To: e.At})
	}
	m.publicSeq = e.Seq
	return nil
}
