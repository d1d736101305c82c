package match

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"castellan/engine"
)

// nearest is the number of legal tokens that a TokenError suggests.
const nearest = 3

// maxForcedActions is the most forced actions in a row. It keeps a game with broken
// rules from hanging its host.
const maxForcedActions = 1000

// Act returns the entries of one or more actions of a turn, given as tokens in
// canonical or short form and separated by white space. Forced actions may be left
// out. After the tokens it plays the forced actions that follow, also those of the
// next seats, up to the first seat that has a choice or confirms its
// forced actions.
//
// It fails with ErrOver, ErrNotPlaying, a *TurnError, ErrNoTurn or a
// *TokenError.
func (m *Match) Act(seat engine.Seat, text string, cause Cause) ([]Entry, error) {
	if err := m.checkPlaying(seat); err != nil {
		return nil, err
	}
	d := m.draft(cause)
	// Forced actions of other seats are pending only at the start of a match, or if
	// a seat no longer confirms its own.
	if err := d.playForcedActions(seat); err != nil {
		return nil, err
	}
	if d.match.Seat() != seat {
		return nil, &TurnError{m.Seat()}
	}
	tokens := strings.Fields(text)
	if len(tokens) == 0 {
		return nil, ErrNoTurn
	}
	turn := d.match.open.Number
	for i, token := range tokens {
		if d.match.open.Number != turn {
			return nil, &TokenError{Index: i, Before: tokens[:i], Token: token, Err: ErrTurnOver}
		}
		if err := d.playToken(i, token); err != nil {
			var wrong *TokenError
			if errors.As(err, &wrong) {
				wrong.Before = tokens[:i]
			}
			return nil, err
		}
	}
	if err := d.playForcedActions(engine.Nobody); err != nil {
		return nil, err
	}
	return d.entries(), nil
}

// Undo returns the entry that takes back the last action of the seat's open turn.
// It fails with ErrOver, ErrNotPlaying, a *TurnError or ErrNothingToUndo.
func (m *Match) Undo(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindUndo, seat, "", cause)
}

// Takeback returns the entry that takes back the request by which the seat ended
// its last turn. Takebacks of one interaction can follow each other, the last turn
// first. It fails with ErrOver, ErrNotPlaying or ErrNoTakeback.
func (m *Match) Takeback(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindTakeback, seat, "", cause)
}

// Resign returns the entries by which a seat gives up, at any time. If two are
// playing, the other wins; if more are, the seat retires, and the forced actions
// that follow are played. It fails with ErrOver or ErrNotPlaying.
func (m *Match) Resign(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindResign, seat, "", cause)
}

// Claim returns the entries by which a seat claims that the seat to act has
// missed its deadline, which the caller must have checked. If two are playing,
// the claimant wins; if more are, the seat to act retires as by Resign. It fails
// with ErrOver, ErrNotPlaying or ErrOwnTurn.
func (m *Match) Claim(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindClaim, seat, "", cause)
}

// Timeout returns the entries by which the seat to act loses because it has run
// out of time, which the caller must have checked. If two are playing, the other
// wins, or the match ends without a result if one of them has not completed a
// turn; if more are, the seat retires as by Resign. It fails with ErrOver, a
// *TurnError, or if the match has no clock.
func (m *Match) Timeout(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindTimeout, seat, "", cause)
}

// Abort returns the entry that calls the match off. It fails with ErrOver,
// ErrNotPlaying or, once every seat has completed a turn, ErrTooLate.
func (m *Match) Abort(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindAbort, seat, "", cause)
}

// AgreeAbort returns the entry that calls the match off because all seats have
// agreed on that. It fails with ErrOver, ErrNotPlaying or, unless CanAgreeAbort,
// ErrTooLate.
func (m *Match) AgreeAbort(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindAbort, seat, Agreed, cause)
}

// Expire returns the entry that ends the match without a result, because the seat to
// act has not played for long. It fails with ErrOver.
func (m *Match) Expire(cause Cause) ([]Entry, error) {
	return m.decide(KindAbort, m.Seat(), Unplayed, cause)
}

// AgreeDraw returns the entry that ends a match of two seats in a draw. seat is
// the last to agree. It fails with ErrOver or ErrTwoSeats.
func (m *Match) AgreeDraw(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindDraw, seat, "", cause)
}

// AgreeTakeback returns the entry that takes back the last turn in which the seat
// had a choice, and all turns that followed. All clocks go back to the beginning
// of that turn, which begins again. It fails with ErrOver, ErrNotPlaying or, if
// there is no such turn since the last retirement, ErrNoTakeback.
func (m *Match) AgreeTakeback(seat engine.Seat, cause Cause) ([]Entry, error) {
	return m.decide(KindTakeback, seat, Agreed, cause)
}

// GiveTime returns the entry by which a seat gives the seat to act time for its
// turn, in whole seconds. Time above the cap of the clock is lost after the turn. It
// fails with ErrOver, ErrNotPlaying, ErrNoClock, ErrOwnTurn or ErrTooMuchTime.
func (m *Match) GiveTime(seat engine.Seat, d time.Duration, cause Cause) ([]Entry, error) {
	return m.decide(KindTime, seat, clockTime(d), cause)
}

// decide returns an entry that is no action, and the forced actions that follow.
func (m *Match) decide(kind Kind, seat engine.Seat, text string, cause Cause) ([]Entry, error) {
	d := m.draft(cause)
	e := d.entry(kind, seat, text)
	if err := d.match.perform(e); err != nil {
		return nil, err
	}
	d.match.log = append(d.match.log, e)
	if kind == KindResign || kind == KindClaim || kind == KindTimeout {
		if err := d.playForcedActions(engine.Nobody); err != nil {
			return nil, err
		}
	}
	return d.entries(), nil
}

// draft is a clone of a match on which a decision is tried out.
type draft struct {
	match *Match
	from  int // number of entries before the decision
	cause Cause
}

func (m *Match) draft(cause Cause) *draft {
	return &draft{match: m.clone(), from: m.Seq(), cause: cause}
}

func (d *draft) entries() []Entry { return d.match.log[d.from:] }

func (d *draft) entry(kind Kind, seat engine.Seat, text string) Entry {
	return Entry{
		Seq:         d.match.Seq() + 1,
		Kind:        kind,
		Seat:        seat,
		Text:        text,
		At:          d.cause.At,
		Interaction: d.cause.Interaction,
	}
}

// confirms reports whether the seat to act confirms its forced actions.
func (d *draft) confirms() bool {
	return d.cause.Confirms != nil && d.cause.Confirms(d.match.Seat())
}

func (d *draft) play(a engine.Action) error {
	e := d.entry(KindAction, d.match.Seat(), a.String())
	if err := d.match.play(a, e); err != nil {
		return err
	}
	d.match.log = append(d.match.log, e)
	return nil
}

// playToken plays token i of a turn. If it is refused, forced actions that were left
// out are played before it.
func (d *draft) playToken(i int, token string) error {
	for range maxForcedActions {
		p := d.match.position
		a, err := p.Parse(token)
		if err == nil {
			err = d.play(a)
		}
		if err == nil {
			return nil
		}
		refused := &TokenError{Index: i, Token: token, Err: err}
		forced, ok := engine.ForcedAction(p)
		if !ok {
			refused.Nearest = nearestTo(p, a, token)
			return refused
		}
		after, err := p.Apply(forced)
		if err != nil {
			return fmt.Errorf("match: play %s: %w", forced, err)
		}
		if turnEnded(p, after) {
			// The forced action ends the turn, unless the seat confirms it.
			if i == 0 || d.confirms() {
				refused.Nearest = nearestTo(p, a, token)
			}
			return refused
		}
		if err := d.play(forced); err != nil {
			return fmt.Errorf("match: play %s: %w", forced, err)
		}
	}
	return d.tooManyForcedActions()
}

// nearestTo returns the tokens of legal actions that a player may have meant:
// those nearest to the action on the board, or in spelling if the token is none.
func nearestTo(p engine.Position, a engine.Action, token string) []string {
	if a != nil {
		return engine.NearestOnBoard(p, a, nearest)
	}
	return engine.Nearest(engine.Tokens(p.Legal()), token, nearest)
}

// playForcedActions plays forced actions up to the next action of the seat until, or
// of any seat that has a choice or confirms its forced actions.
func (d *draft) playForcedActions(until engine.Seat) error {
	for range maxForcedActions {
		if d.match.outcome != nil || d.match.Seat() == until {
			return nil
		}
		forced, ok := engine.ForcedAction(d.match.position)
		if !ok || d.confirms() {
			return nil
		}
		if err := d.play(forced); err != nil {
			return fmt.Errorf("match: play %s: %w", forced, err)
		}
	}
	return d.tooManyForcedActions()
}

func (d *draft) tooManyForcedActions() error {
	return fmt.Errorf("match: %s has more than %d forced actions in a row", d.match.settings.Game, maxForcedActions)
}
