package match

import (
	"fmt"
	"strings"

	"castellan/engine"
)

// nearest is how many legal spellings a TokenError offers.
const nearest = 3

// maxFormalities is how many formalities are played in a row at most. Every
// game ends long before; one that does not is broken, and must not hang its
// host.
const maxFormalities = 1000

// Act is the entries of one action or of a whole turn: tokens separated by
// white space, in canonical or short form. Formalities, [engine.End] and
// [engine.Pass] where nothing else is legal, may be left out. When the tokens
// are played, the formalities that follow are played at once, into the turns
// of the next seats, up to the first seat that has a choice or confirms its
// own.
//
// It fails with ErrOver, ErrNotPlaying, a *TurnError, ErrNoTurn, or with a
// *TokenError; then nothing is played.
func (m *Match) Act(seat engine.Seat, text string, mo Moment) ([]Entry, error) {
	if err := m.checkPlaying(seat); err != nil {
		return nil, err
	}
	d := m.draft(mo)
	// Formalities of others wait only where there was no moment to play
	// them: at the start, or since somebody gave up confirming his own.
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
			return nil, &TokenError{Index: i, Token: token, Err: ErrTurnOver}
		}
		if err := d.token(i, token); err != nil {
			return nil, err
		}
	}
	if err := d.playFormalities(engine.Nobody); err != nil {
		return nil, err
	}
	return d.entries(), nil
}

// Undo is the entry that takes back the last action of the seat's open turn.
// It fails with ErrOver, ErrNotPlaying, a *TurnError or ErrNothingToUndo.
func (m *Match) Undo(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindUndo, seat, mo)
}

// Resign is the entries by which a seat gives up, at any time. Where two are
// playing the other wins; where more are, the seat retires, and formalities of
// those who play on follow. It fails with ErrOver or ErrNotPlaying.
func (m *Match) Resign(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindResign, seat, mo)
}

// Claim is the entries by which a seat says that whoever is to act has been
// silent too long. Where two are playing it wins; where more are, the silent
// seat retires as by Resign. Whether the time has come is for the caller to
// judge: the log does not say when the match was made. It fails with ErrOver,
// ErrNotPlaying or ErrOwnTurn.
func (m *Match) Claim(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindClaim, seat, mo)
}

// Abort is the entry that calls the match off. It fails with ErrOver,
// ErrNotPlaying, or ErrTooLate once everybody who is playing has completed a
// turn.
func (m *Match) Abort(seat engine.Seat, mo Moment) ([]Entry, error) {
	return m.decide(KindAbort, seat, mo)
}

// decide is an entry without a text, and what follows from it.
func (m *Match) decide(kind Kind, seat engine.Seat, mo Moment) ([]Entry, error) {
	d := m.draft(mo)
	e := d.entry(kind, seat, "")
	if err := d.match.perform(e); err != nil {
		return nil, err
	}
	d.match.log = append(d.match.log, e)
	if kind == KindResign || kind == KindClaim {
		if err := d.playFormalities(engine.Nobody); err != nil {
			return nil, err
		}
	}
	return d.entries(), nil
}

// draft is a match in which a decision is tried out.
type draft struct {
	match  *Match
	from   int // entries before the decision
	moment Moment
}

func (m *Match) draft(mo Moment) *draft {
	return &draft{match: m.clone(), from: m.Seq(), moment: mo}
}

// entries is what the decision has added.
func (d *draft) entries() []Entry { return d.match.log[d.from:] }

// entry is the next entry of the log.
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

// confirms reports whether the seat to act plays its formalities itself.
func (d *draft) confirms() bool {
	return d.moment.Confirms != nil && d.moment.Confirms(d.match.Seat())
}

// play plays an action for the seat to act.
func (d *draft) play(a engine.Action) error {
	e := d.entry(KindAction, d.match.Seat(), a.String())
	if err := d.match.play(a, e); err != nil {
		return err
	}
	d.match.log = append(d.match.log, e)
	return nil
}

// token plays one token of a written turn, and before it the formalities that
// were left out.
func (d *draft) token(i int, token string) error {
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
			refused.Nearest = engine.Nearest(p.Legal(), token, nearest)
			return refused
		}
		after, err := p.Apply(formality)
		if err != nil {
			return fmt.Errorf("match: play %s: %w", formality, err)
		}
		if turnEnded(p, after) {
			// The formality ends the turn. It would have been played
			// after the tokens before this one, if there were any, and
			// the turn would have been over.
			if i > 0 && !d.confirms() {
				refused.Err = ErrTurnOver
			} else {
				refused.Nearest = engine.Nearest(p.Legal(), token, nearest)
			}
			return refused
		}
		if err := d.play(formality); err != nil {
			return fmt.Errorf("match: play %s: %w", formality, err)
		}
	}
	return d.tooManyFormalities()
}

// settle plays the formalities of seats that do not confirm their own, as far
// as the turn of the seat until, or as far as they go.
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
