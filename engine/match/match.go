package match

import (
	"fmt"
	"slices"

	"castellan/engine"
)

// Match is a match after some entries of its log. A value never changes and is
// safe for concurrent use.
type Match struct {
	game     engine.Game
	settings Settings

	log      []Entry
	position engine.Position // with the actions of the open turn
	open     Turn            // zero when over
	turns    []Turn          // completed
	retired  []engine.Seat   // in the order in which they left
	silent   seats           // those of them that left by a claim
	moved    seats           // those that have completed a turn
	public   int             // see PublicSeq
	outcome  *Outcome        // nil while it goes on
}

// seats is a set of seats, bit n for seat n.
type seats uint32

func (s seats) with(seat engine.Seat) seats    { return s | 1<<uint(seat) }
func (s seats) contains(seat engine.Seat) bool { return s&(1<<uint(seat)) != 0 }

// Start is a match without entries. It fails where the settings are not of
// this game and this version of its rules, with an *engine.SeatsError where
// the game is not played by that many, with the error of engine.Game.New, and
// where a game for three or more cannot let a seat retire.
//
// Formalities at the very start are not played, for a new match has no moment
// to play them at; the first action brings them with it.
func Start(game engine.Game, s Settings) (*Match, error) {
	if err := check(game, s); err != nil {
		return nil, fmt.Errorf("match: start: %w", err)
	}
	position, err := game.New(s.Options, s.Seats)
	if err != nil {
		return nil, fmt.Errorf("match: start: %w", err)
	}
	if _, ok := position.(engine.Retirer); !ok && s.Seats > 2 {
		return nil, fmt.Errorf("match: start: %s for %d has no way for a seat to retire (engine.Retirer)", s.Game, s.Seats)
	}
	m := &Match{game: game, settings: s}
	m.begin(position, Entry{})
	return m, nil
}

// check compares settings with a game.
func check(game engine.Game, s Settings) error {
	if s.Game != game.Key() {
		return fmt.Errorf("the match is one of %q, the game is %q", s.Game, game.Key())
	}
	if s.Version != game.Version() {
		return fmt.Errorf("the match is played by version %d of the rules of %s, the game has version %d", s.Version, s.Game, game.Version())
	}
	if err := engine.CheckSeats(game, s.Seats); err != nil {
		return err
	}
	// Options do not say whose they are: those of another game, or the zero
	// value, would be found out only by a panic of theirs.
	options, err := game.Options().Parse(s.Options.String())
	if err != nil {
		return fmt.Errorf("options: %w", err)
	}
	if options.String() != s.Options.String() {
		return fmt.Errorf("options %q are not those of %s, such as %q", s.Options, s.Game, options)
	}
	return nil
}

// Replay is the match after a whole log. The log is the truth: entries are
// applied exactly as they stand, and one that cannot be gives an error that
// names it.
func Replay(game engine.Game, s Settings, log []Entry) (*Match, error) {
	m, err := Start(game, s)
	if err != nil {
		return nil, err
	}
	for _, e := range log {
		if err := m.apply(e); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// With is the match after further entries; m is unchanged. Nothing but the
// new entries is applied.
func (m *Match) With(entries ...Entry) (*Match, error) {
	next := m.clone()
	for _, e := range entries {
		if err := next.apply(e); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// At is the match as it stood after the entry of that number, 0 for the start.
func (m *Match) At(seq int) (*Match, error) {
	if seq < 0 || seq > len(m.log) {
		return nil, fmt.Errorf("match: there is no entry %d, the log has %d", seq, len(m.log))
	}
	return Replay(m.game, m.settings, m.log[:seq])
}

// clone is a copy that can be written to: appending to a clipped slice makes a
// new one, so that m keeps its own.
func (m *Match) clone() *Match {
	c := *m
	c.log = slices.Clip(c.log)
	c.turns = slices.Clip(c.turns)
	c.retired = slices.Clip(c.retired)
	c.open.Actions = slices.Clip(c.open.Actions)
	return &c
}

// Settings is what the match is played by.
func (m *Match) Settings() Settings { return m.settings }

// Game is the rules of the match.
func (m *Match) Game() engine.Game { return m.game }

// Seq is the number of entries.
func (m *Match) Seq() int { return len(m.log) }

// Log is the entries, oldest first. The caller may keep and change the slice.
func (m *Match) Log() []Entry { return slices.Clone(m.log) }

// PublicSeq is the number of the last entry that changed what everybody sees:
// the end of a turn, a resignation, a claim, an abort; 0 before the first. Actions of
// an open turn and taking them back are private.
func (m *Match) PublicSeq() int { return m.public }

// Position is the position with the actions of the open turn. A resignation, a
// claim or an abort that ends the match leaves the open turn out of it.
func (m *Match) Position() engine.Position { return m.position }

// Seat is whose action is next, or Nobody when the match is over.
func (m *Match) Seat() engine.Seat { return m.open.Seat }

// Playing reports whether the seat is of this match and has not retired, and
// the match has not ended.
func (m *Match) Playing(seat engine.Seat) bool {
	return m.outcome == nil && seat >= 1 && int(seat) <= m.settings.Seats && !slices.Contains(m.retired, seat)
}

// Silent reports whether the seat has retired because it was silent too long,
// and not because it resigned.
func (m *Match) TimedOut(seat engine.Seat) bool {
	return seat >= 1 && int(seat) <= m.settings.Seats && m.silent.contains(seat)
}

// playing is every seat that is playing, in order.
func (m *Match) playing() []engine.Seat {
	var in []engine.Seat
	for s := engine.Seat(1); int(s) <= m.settings.Seats; s++ {
		if m.Playing(s) {
			in = append(in, s)
		}
	}
	return in
}

// Open is the open turn. It has no actions at its start, and is zero when the
// match is over.
func (m *Match) Open() Turn { return m.open.clone() }

// Turns is the completed turns, oldest first. The caller may keep and change
// the slice.
func (m *Match) Turns() []Turn {
	turns := make([]Turn, len(m.turns))
	for i, t := range m.turns {
		turns[i] = t.clone()
	}
	return turns
}

// Last is the last completed turn; ok is false before the first.
func (m *Match) Last() (last Turn, ok bool) {
	if len(m.turns) == 0 {
		return Turn{}, false
	}
	return m.turns[len(m.turns)-1].clone(), true
}

func (t Turn) clone() Turn {
	t.Actions = slices.Clone(t.Actions)
	return t
}

// Over is how the match ended; ok is false while it goes on.
func (m *Match) Over() (outcome Outcome, ok bool) {
	if m.outcome == nil {
		return Outcome{}, false
	}
	o := *m.outcome
	o.Result.Winners = slices.Clone(o.Result.Winners)
	o.Result.Ranks = slices.Clone(o.Result.Ranks)
	o.Result.Scores = slices.Clone(o.Result.Scores)
	return o, true
}

// CanAbort reports whether the match can be called off: it is not over and
// somebody who is playing has not completed a turn.
func (m *Match) CanAbort() bool {
	return slices.ContainsFunc(m.playing(), func(s engine.Seat) bool { return !m.moved.contains(s) })
}

// CanUndo reports whether the seat has an action to take back.
func (m *Match) CanUndo(seat engine.Seat) bool {
	return seat != engine.Nobody && seat == m.open.Seat && len(m.open.Actions) > 0
}

// admit says why a seat cannot decide anything in this match.
func (m *Match) admit(seat engine.Seat) error {
	if m.outcome != nil {
		return ErrOver
	}
	if !m.Playing(seat) {
		return ErrNotPlaying
	}
	return nil
}
