package match

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"castellan/engine"
)

// Match is a match after some entries of its log. It is immutable and safe for
// concurrent use.
type Match struct {
	game     engine.Game
	settings Settings

	log       []Entry
	position  engine.Position // with the actions of the open turn
	open      Turn            // zero if the match is over
	turns     []Turn          // completed
	retired   []engine.Seat   // in order
	timedOut  seats           // retired because of a claim or its clock
	moved     seats           // that have completed a turn
	publicSeq int             // see PublicSeq
	outcome   *Outcome        // nil until it is over
	voided    bool            // the result is out of the ratings
	stood     []Span          // see Stood

	checkpoints []checkpoint // by seq, the first at the start
}

// seats is a set of seats, bit n for seat n.
type seats uint32

func (s seats) with(seat engine.Seat) seats    { return s | 1<<uint(seat) }
func (s seats) contains(seat engine.Seat) bool { return s&(1<<uint(seat)) != 0 }

// Start returns a match without entries. It fails if the settings are not of
// this game and this version of its rules, with the errors of engine.CheckSeats
// and engine.Game.New, and for three or more seats if positions of the game are
// not an engine.Retirer.
//
// Forced actions at the start are not played yet, because Start has no Cause for
// their entries: the first action plays them.
func Start(game engine.Game, s Settings) (*Match, error) {
	if err := checkSettings(game, s); err != nil {
		return nil, fmt.Errorf("match: start: %w", err)
	}
	position, err := game.New(s.Options, s.Seats)
	if err != nil {
		return nil, fmt.Errorf("match: start: %w", err)
	}
	if _, ok := position.(engine.Retirer); !ok && s.Seats > 2 {
		return nil, fmt.Errorf("match: start: %s for %d is not an engine.Retirer", s.Game, s.Seats)
	}
	m := &Match{game: game, settings: s}
	m.startTurn(position, Entry{})
	m.addCheckpoint()
	return m, nil
}

func checkSettings(game engine.Game, s Settings) error {
	if s.Game != game.Key() {
		return fmt.Errorf("the match is of the game %q, not of %q", s.Game, game.Key())
	}
	if s.Version != game.Version() {
		return fmt.Errorf("the match is played under version %d of the rules of %s, not under version %d", s.Version, s.Game, game.Version())
	}
	if err := engine.CheckSeats(game, s.Seats); err != nil {
		return err
	}
	// Options of another game, or the zero value, would panic when they are read.
	options, err := game.Options().Parse(s.Options.String())
	if err != nil {
		return fmt.Errorf("options: %w", err)
	}
	if options.String() != s.Options.String() {
		return fmt.Errorf("options %q are not options of %s, such as %q", s.Options, s.Game, options)
	}
	if clock, err := ParseClock(s.Clock.String()); err != nil || clock != s.Clock {
		return errClock
	}
	return nil
}

// Replay returns the match after a log. It applies the entries exactly as they
// are, and fails with an error that names the first one that it cannot apply.
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

// With returns the match after further entries. It replays nothing.
func (m *Match) With(entries ...Entry) (*Match, error) {
	next := m.clone()
	for _, e := range entries {
		if err := next.apply(e); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// clone returns a copy that can change. Its slices are clipped, so that appending
// to them leaves those of m alone.
func (m *Match) clone() *Match {
	c := *m
	c.log = slices.Clip(c.log)
	c.turns = slices.Clip(c.turns)
	c.retired = slices.Clip(c.retired)
	c.open.Actions = slices.Clip(c.open.Actions)
	c.checkpoints = slices.Clip(c.checkpoints)
	c.stood = slices.Clip(c.stood)
	return &c
}

func (m *Match) Settings() Settings { return m.settings }

// Game returns the rules of the match, in the version it is played under.
func (m *Match) Game() engine.Game { return m.game }

func (m *Match) Seq() int { return len(m.log) }

// Log returns the entries. The caller may keep and change the slice.
func (m *Match) Log() []Entry { return slices.Clone(m.log) }

// PublicSeq returns the number of the last entry that changed the position that
// everybody sees, which is an end of a turn, a takeback, a resignation, a claim, a
// timeout, a draw, an abort or a decision of an organiser; 0 before the first. The
// actions of an open turn are private, and time that is given changes no position.
func (m *Match) PublicSeq() int { return m.publicSeq }

// Position returns the position after the actions of the open turn. A
// resignation, a claim, a timeout, a draw, an abort or an adjudication that ends the
// match discards them.
func (m *Match) Position() engine.Position { return m.position }

// Seat returns the seat to act, or Nobody if the match is over.
func (m *Match) Seat() engine.Seat { return m.open.Seat }

// Playing reports whether the match is not over and the seat has not retired.
func (m *Match) Playing(seat engine.Seat) bool {
	return m.outcome == nil && seat >= 1 && int(seat) <= m.settings.Seats && !slices.Contains(m.retired, seat)
}

// TimedOut reports whether the seat has retired because it missed its deadline,
// by a claim or by its clock.
func (m *Match) TimedOut(seat engine.Seat) bool {
	return seat >= 1 && int(seat) <= m.settings.Seats && m.timedOut.contains(seat)
}

func (m *Match) playing() []engine.Seat {
	var in []engine.Seat
	for s := engine.Seat(1); int(s) <= m.settings.Seats; s++ {
		if m.Playing(s) {
			in = append(in, s)
		}
	}
	return in
}

// Open returns the open turn, which may have no actions yet. It is zero if the
// match is over.
func (m *Match) Open() Turn { return m.open.clone() }

// Turns returns the completed turns. The caller may keep and change the slice.
func (m *Match) Turns() []Turn { return cloneTurns(m.turns) }

// Last returns the last completed turn; ok is false before the first.
func (m *Match) Last() (last Turn, ok bool) {
	if len(m.turns) == 0 {
		return Turn{}, false
	}
	return m.turns[len(m.turns)-1].clone(), true
}

// Since returns the completed turns after the last one of a seat, oldest first.
func (m *Match) Since(seat engine.Seat) []Turn {
	first := len(m.turns)
	for first > 0 && m.turns[first-1].Seat != seat {
		first--
	}
	return cloneTurns(m.turns[first:])
}

func cloneTurns(turns []Turn) []Turn {
	all := make([]Turn, len(turns))
	for i, t := range turns {
		all[i] = t.clone()
	}
	return all
}

func (t Turn) clone() Turn {
	t.Actions = slices.Clone(t.Actions)
	return t
}

// Over returns how the match ended; ok is false until it has.
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

// CanAbort reports whether the match can be called off: some seat that is playing
// has not completed a turn.
func (m *Match) CanAbort() bool {
	return slices.ContainsFunc(m.playing(), func(s engine.Seat) bool { return !m.moved.contains(s) })
}

// agreedAbortTurns is the number of turns after which a seat can no longer agree
// to call the match off.
const agreedAbortTurns = 3

// CanAgreeAbort reports whether all seats can agree to call the match off: some
// seat that is playing has completed less than three turns.
func (m *Match) CanAgreeAbort() bool {
	return slices.ContainsFunc(m.playing(), func(s engine.Seat) bool {
		n := 0
		for _, t := range m.turns {
			if t.Seat == s {
				n++
			}
		}
		return n < agreedAbortTurns
	})
}

// LastChoice returns the turn that an agreed takeback of a seat takes back; ok is
// false if there is none, see AgreeTakeback.
func (m *Match) LastChoice(seat engine.Seat) (t Turn, ok bool) {
	n := m.lastChoice(seat)
	if !m.Playing(seat) || n < 0 {
		return Turn{}, false
	}
	return m.turns[n].clone(), true
}

// CanAgreeTakeback reports whether all seats can agree that the seat takes back
// its last turn.
func (m *Match) CanAgreeTakeback(seat engine.Seat) bool {
	_, ok := m.LastChoice(seat)
	return ok
}

// IsCurrent reports whether nothing has happened since entry seq, apart from time
// that was given. What people chose after that entry is still valid then.
func (m *Match) IsCurrent(seq int) bool {
	return seq >= 0 && seq <= len(m.log) && !slices.ContainsFunc(m.log[seq:], func(e Entry) bool { return e.Kind != KindTime })
}

// maxDelivery is how long after a request was sent it can still arrive.
const maxDelivery = 15 * time.Minute

// IsOvertaken reports whether a request that was sent after this one has changed
// the match, apart from time that was given. What was chosen before that is no
// longer valid. interaction is the ID of this request. IDs are compared if they are
// Discord's: they grow with time, and count milliseconds above their lowest 22 bits.
func (m *Match) IsOvertaken(interaction string) bool {
	sent, err := strconv.ParseUint(interaction, 10, 64)
	return err == nil && slices.ContainsFunc(m.log, func(e Entry) bool {
		later, err := strconv.ParseUint(e.Interaction, 10, 64)
		return err == nil && e.Kind != KindTime && later > sent && later>>22-sent>>22 < uint64(maxDelivery.Milliseconds())
	})
}

// CanUndo reports whether the seat has an action to take back.
func (m *Match) CanUndo(seat engine.Seat) bool {
	return seat != engine.Nobody && seat == m.open.Seat && len(m.open.Actions) > 0
}

// CanTakeBack reports whether the seat can take back the request that ended its
// last turn: until anybody has played or prepared a turn. All games here are
// open and without chance, so nothing has been revealed meanwhile.
func (m *Match) CanTakeBack(seat engine.Seat) bool {
	_, ok := m.takebackFrom(seat, "")
	return ok
}

// TookBack reports whether by entry seq a seat took its own turn back. The board
// of that turn is corrected then, and nobody is notified.
func (m *Match) TookBack(seq int) bool {
	return seq > 0 && seq <= len(m.log) && m.log[seq-1].Kind == KindTakeback && m.log[seq-1].Text == ""
}

// TookBackByAgreement reports whether entry seq is an agreed takeback.
func (m *Match) TookBackByAgreement(seq int) bool {
	return seq > 0 && seq <= len(m.log) && m.log[seq-1].Kind == KindTakeback && m.log[seq-1].Text == Agreed
}

// TookBackPrepared returns the seats whose prepared turns were taken back by entry
// seq, of either kind.
func (m *Match) TookBackPrepared(seq int) (seats []engine.Seat) {
	if !m.TookBack(seq) && !m.TookBackByAgreement(seq) {
		return nil
	}
	before, err := m.At(seq - 1)
	after, err2 := m.At(seq)
	if err != nil || err2 != nil {
		return nil
	}
	for _, t := range before.turns[len(after.turns):] {
		if t.Prepared && !slices.Contains(seats, t.Seat) {
			seats = append(seats, t.Seat)
		}
	}
	return seats
}

// checkPlaying returns an error if the seat cannot decide anything.
func (m *Match) checkPlaying(seat engine.Seat) error {
	if m.outcome != nil {
		return ErrOver
	}
	if !m.Playing(seat) {
		return ErrNotPlaying
	}
	return nil
}
