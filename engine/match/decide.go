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

// maxFormalities is the most formalities in a row. It keeps a game with broken
// rules from hanging its host.
const maxFormalities = 1000

// Act returns the entries of one or more actions of a turn, given as tokens in
// canonical or short form and separated by white space. Formalities may be left
// out. After the tokens it plays the formalities that follow, also those of the
// next seats, up to the first seat that has a choice or confirms its
// formalities.
//
// It fails with ErrOver, ErrNotPlaying, a *TurnError, ErrNoTurn or a
// *TokenError.
func (m *Match) Act(seat engine.Seat, text string, mo Moment) ([]Entry, error) {
	if err := m.checkPlaying(seat); err != nil {
		return nil, err
	}
	d := m.draft(mo)
	// Formalities of other seats are pending only at the start of a match, or if
	// a seat no longer confirms its own.
	if err := d.playFormalities(seat); err != nil {
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
	if err := d.playFormalities(engine.Nobody); err != nil {
		return nil, err
	}
	return d.entries(), nil
}

// Undo returns the entry that takes back the last action of the seat's open turn.
// It fails with ErrOver, ErrNotPlaying, a *TurnError or ErrNothingToUndo.
func (m *Match) Undo(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindUndo, seat, "", mo)
}

// Takeback returns the entry that takes back the request by which the seat ended
// its last turn. Takebacks of one interaction can follow each other, the last turn
// first. It fails with ErrOver, ErrNotPlaying or ErrNoTakeback.
func (m *Match) Takeback(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindTakeback, seat, "", mo)
}

// Resign returns the entries by which a seat gives up, at any time. If two are
// playing, the other wins; if more are, the seat retires, and the formalities
// that follow are played. It fails with ErrOver or ErrNotPlaying.
func (m *Match) Resign(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindResign, seat, "", mo)
}

// Claim returns the entries by which a seat claims that the seat to act has
// missed its deadline, which the caller must have checked. If two are playing,
// the claimant wins; if more are, the seat to act retires as by Resign. It fails
// with ErrOver, ErrNotPlaying or ErrOwnTurn.
func (m *Match) Claim(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindClaim, seat, "", mo)
}

// Timeout returns the entries by which the seat to act loses because it has run
// out of time, which the caller must have checked. If two are playing, the other
// wins, or the match ends without a result if one of them has not completed a
// turn; if more are, the seat retires as by Resign. It fails with ErrOver, a
// *TurnError, or if the match has no clock.
func (m *Match) Timeout(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindTimeout, seat, "", mo)
}

// Abort returns the entry that calls the match off. It fails with ErrOver,
// ErrNotPlaying or, once every seat has completed a turn, ErrTooLate.
func (m *Match) Abort(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindAbort, seat, "", mo)
}

// AgreeAbort returns the entry that calls the match off because all seats have
// agreed on that. It fails with ErrOver, ErrNotPlaying or, unless CanAgreeAbort,
// ErrTooLate.
func (m *Match) AgreeAbort(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindAbort, seat, Agreed, mo)
}

// AgreeDraw returns the entry that ends a match of two seats in a draw. seat is
// the last to agree. It fails with ErrOver or ErrTwoSeats.
func (m *Match) AgreeDraw(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindDraw, seat, "", mo)
}

// AgreeTakeback returns the entry that takes back the last turn in which the seat
// had a choice, and all turns that followed. All clocks go back to the beginning
// of that turn, which begins again. It fails with ErrOver, ErrNotPlaying or, if
// there is no such turn since the last retirement, ErrNoTakeback.
func (m *Match) AgreeTakeback(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindTakeback, seat, Agreed, mo)
}

// GiveTime returns the entry by which a seat gives the seat to act time for its
// turn, in whole seconds. Time above the cap of the clock is lost after the turn. It
// fails with ErrOver, ErrNotPlaying, ErrNoClock, ErrOwnTurn or ErrTooMuchTime.
func (m *Match) GiveTime(seat engine.Seat, d time.Duration, mo Moment) ([]Entry, error) {
	return m.decide(KindTime, seat, clockTime(d), mo)
}

// decide returns an entry that is no action, and the formalities that follow.
func (m *Match) decide(kind Kind, seat engine.Seat, text string, mo Moment) ([]Entry, error) {
	d := m.draft(mo)
	e := d.entry(kind, seat, text)
	if err := d.match.perform(e); err != nil {
		return nil, err
	}
	d.match.log = append(d.match.log, e)
	if kind == KindResign || kind == KindClaim || kind == KindTimeout {
		if err := d.playFormalities(engine.Nobody); err != nil {
			return nil, err
		}
	}
	return d.entries(), nil
}

// draft is a clone of a match on which a decision is tried out.
type draft struct {
	match  *Match
	from   int // number of entries before the decision
	moment Moment
}

func (m *Match) draft(mo Moment) *draft {
	return &draft{match: m.clone(), from: m.Seq(), moment: mo}
}

// entries returns the entries of the decision.
func (d *draft) entries() []Entry { return d.match.log[d.from:] }

// entry returns the next entry of the log.
func (d *draft) entry(kind Kind, seat engine.Seat, text string) Entry {
	return Entry{
		Seq:         d.match.Seq() + 1,
		Kind:        kind,
		Seat:        seat,
		Text:        text,
		At:          d.moment.At,
		Interaction: d.moment.Interaction,
	}
}

// confirms reports whether the seat to act confirms its formalities.
func (d *draft) confirms() bool {
	return d.moment.Confirms != nil && d.moment.Confirms(d.match.Seat())
}

// play plays an action of the seat to act.
func (d *draft) play(a engine.Action) error {
	e := d.entry(KindAction, d.match.Seat(), a.String())
	if err := d.match.play(a, e); err != nil {
		return err
	}
	d.match.log = append(d.match.log, e)
	return nil
}

// playToken plays token i of a turn. If it is refused, formalities that were left
// out are played before it.
func (d *draft) playToken(i int, token string) error {
	for range maxFormalities {
		p := d.match.position
		a, err := p.Parse(token)
		if err == nil {
			err = d.play(a)
		}
		if err == nil {
			return nil
		}
		refused := &TokenError{Index: i, Token: token, Err: err}
		formality, ok := engine.Formality(p)
		if !ok {
			refused.Nearest = nearestTo(p, a, token)
			return refused
		}
		after, err := p.Apply(formality)
		if err != nil {
			return fmt.Errorf("match: play %s: %w", formality, err)
		}
		if turnEnded(p, after) {
			// The formality ends the turn, unless the seat confirms it.
			if i == 0 || d.confirms() {
				refused.Nearest = nearestTo(p, a, token)
			}
			return refused
		}
		if err := d.play(formality); err != nil {
			return fmt.Errorf("match: play %s: %w", formality, err)
		}
	}
	return d.tooManyFormalities()
}

// nearestTo returns the tokens of legal actions that a player may have meant:
// those nearest to the action on the board, or in spelling if the token is none.
func nearestTo(p engine.Position, a engine.Action, token string) []string {
	if a != nil {
		return engine.NearestOnBoard(p, a, nearest)
	}
	return engine.Nearest(engine.Tokens(p.Legal()), token, nearest)
}

// playFormalities plays formalities up to the next action of the seat until, or
// of any seat that has a choice or confirms its formalities.
func (d *draft) playFormalities(until engine.Seat) error {
	for range maxFormalities {
		if d.match.outcome != nil || d.match.Seat() == until {
			return nil
		}
		formality, ok := engine.Formality(d.match.position)
		if !ok || d.confirms() {
			return nil
		}
		if err := d.play(formality); err != nil {
			return fmt.Errorf("match: play %s: %w", formality, err)
		}
	}
	return d.tooManyFormalities()
}

func (d *draft) tooManyFormalities() error {
	return fmt.Errorf("match: %s has more than %d formalities in a row", d.match.settings.Game, maxFormalities)
}
