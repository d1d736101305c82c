package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

// Errors of playing against the computer.
var (
	ErrNoComputer       = errors.New("the computer does not play this game")
	ErrUnknownLevel     = errors.New("there is no such level")
	ErrComputerTurn     = errors.New("it is the computer's turn")
	ErrNotChallenger    = errors.New("only the challenger can give seats to computers")
	ErrNoComputerSeated = errors.New("no computer has a seat in this challenge")
	ErrRatedMatch       = errors.New("there are no hints in a rated match")
	errIncompleteTurn   = errors.New("the turn is not complete")
)

// ComputerPlayer returns the computer at a level. It is the same player in all
// games and seats, so that a level has one rating per game.
func ComputerPlayer(level, name string) storage.Person {
	return storage.Person{ID: "level-" + level, Name: name, Level: level}
}

// IsComputer reports whether a player is a computer.
func IsComputer(p storage.Person) bool { return p.Level != "" }

func computers(players []storage.Person) []storage.Person {
	return slices.DeleteFunc(slices.Clone(players), func(p storage.Person) bool { return !IsComputer(p) })
}

func people(players []storage.Person) []storage.Person {
	return slices.DeleteFunc(slices.Clone(players), IsComputer)
}

// checkLevel fails with the errors of level unless people can choose the level.
func (h *Host) checkLevel(game, key string) error {
	if key == EvenLevel && len(h.engines[game].Levels) > 0 {
		return nil
	}
	_, err := h.level(game, key)
	return err
}

// level returns a level of a game. It fails with ErrNoComputer or
// ErrUnknownLevel.
func (h *Host) level(game, key string) (search.Level, error) {
	players, ok := h.engines[game]
	if !ok {
		return search.Level{}, fmt.Errorf("%w: %s", ErrNoComputer, game)
	}
	level, ok := players.Level(key)
	if !ok {
		return search.Level{}, fmt.Errorf("%w: %s", ErrUnknownLevel, key)
	}
	return level, nil
}

// weakestComputer returns the active computer that resigns first when no person
// plays on: the weakest, and of equals the last in the order of play.
func (v *View) weakestComputer() (weakest engine.Seat) {
	strength := func(seat engine.Seat) int { return slices.Index(search.LevelKeys, v.Person(seat).Level) }
	for _, seat := range v.ActiveSeats() {
		if weakest == engine.Nobody || strength(seat) <= strength(weakest) {
			weakest = seat
		}
	}
	return weakest
}

// computerTurnSince returns since when a computer has been to move, or the zero
// time.
func (v *View) computerTurnSince() time.Time {
	if _, computer := v.ComputerToMove(); computer {
		return v.Since()
	}
	return time.Time{}
}

// A computer chooses its turn between two transactions. The turn names the log
// entry that it follows, so that a turn that arrives twice or too late changes
// nothing. Its seed depends on the match and that entry, so that an interrupted
// search repeats with the same result unless it may visit fewer nodes because
// many wait. The log holds the turn, not how it was found: a replay never
// searches.

// ComputerTurn is the turn that a computer has chosen.
type ComputerTurn struct {
	Match storage.MatchID
	Seq   int // of the log entry that it follows
	Seat  engine.Seat
	Text  string // tokens of the turn
	// Lease is checked when the turn is played, unless it is nil.
	Lease *storage.Lease
	// WithoutBoard says that the caller keeps the board that is due from being posted:
	// the one after the turn takes its place.
	WithoutBoard bool
}

// maxAttempts is how often the level may fail to choose a turn before a random
// legal turn is played, because the other players are waiting.
const maxAttempts = 3

// maxHintTime limits the search for a hint.
const maxHintTime = time.Second

// ComputerTurns returns at most limit matches in which a computer is to move,
// the one that has waited longest first.
func (h *Host) ComputerTurns(ctx context.Context, limit int) ([]storage.MatchID, error) {
	return Read(ctx, h, func(r storage.Reader) ([]storage.MatchID, error) { return r.ComputerTurns(limit) })
}

// ChooseTurn has the computer that is to move choose its turn, within the time
// of its level. attempts is the number of failed attempts at this turn. share is
// the share of the level's nodes that the search may visit: less than 1 if many
// matches wait. ChooseTurn changes nothing. It fails with ErrNoMatch, with
// ErrStale if no computer is to move, and if the context ends.
func (h *Host) ChooseTurn(ctx context.Context, id storage.MatchID, attempts int, share float64) (t ComputerTurn, err error) {
	v, err := h.Match(ctx, id)
	if err != nil {
		return t, err
	}
	p, ok := v.ComputerToMove()
	if !ok {
		return t, v.refuse(ErrStale)
	}
	level := search.Level{Player: search.Random{}}
	if attempts < maxAttempts {
		if level, err = h.level(v.Record.Game, p.Level); err != nil {
			return t, err
		}
	}
	level.Limits.Nodes = int64(math.Ceil(float64(level.Limits.Nodes) * share))
	t = ComputerTurn{Match: id, Seq: v.Match.Seq(), Seat: v.Match.Seat()}
	t.Text, err = searchTokens(ctx, v.Match, v.Record.Seed, level, level.MoveTime)
	return t, err
}

// searchTokens has a level choose the rest of the open turn, as text. See searchTurn.
func searchTokens(ctx context.Context, m *match.Match, seed uint64, level search.Level, limit time.Duration) (turn string, err error) {
	thought, err := searchTurn(ctx, m, seed, level, limit)
	return strings.Join(engine.Tokens(thought.Actions), " "), err
}

// searchTurn has a level choose the rest of the open turn of a match with a seed. limit
// bounds the time if it is positive. A panic of the level is an error.
func searchTurn(ctx context.Context, m *match.Match, seed uint64, level search.Level, limit time.Duration) (thought search.Decision, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("level %s panics: %v", level.Key, p)
		}
	}()
	limits := level.Limits
	limits.Seed = turnSeed(m, seed)
	bounded := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	thought, err = level.Player.Think(bounded, m.Position(), limits)
	if err != nil {
		return search.Decision{}, fmt.Errorf("level %s: %w", level.Key, err)
	}
	if err := ctx.Err(); err != nil { // an interrupted search may differ from a complete one
		return search.Decision{}, err
	}
	return thought, nil
}

// turnSeed returns the seed of a computer's turn, given that of the match. It is the
// same whenever the turn is searched.
func turnSeed(m *match.Match, seed uint64) uint64 {
	return seed ^ uint64(m.Seq()+1)*0x9e3779b97f4a7c15 // 2⁶⁴ divided by the golden ratio, to spread the bits
}

// CheckHint returns why a person cannot get a hint: ErrNotSeated,
// match.ErrOver, match.ErrNotPlaying, ErrRatedMatch, ErrNoComputer or a
// *match.TurnError. It returns nil if they can.
func (h *Host) CheckHint(v *View, person string) error {
	seat := v.SeatOf(person)
	_, plays := h.engines[v.Record.Game]
	switch err := v.CheckPlaying(seat); {
	case err != nil:
		return err
	case v.Rated():
		return ErrRatedMatch
	case !plays:
		return ErrNoComputer
	case v.Match.Seat() != seat:
		return &match.TurnError{Seat: v.Match.Seat()}
	}
	return nil
}

// Hint returns how the strongest level would continue a person's turn. It fails
// with the errors of CheckHint.
func (h *Host) Hint(ctx context.Context, v *View, person string) (turn string, err error) {
	if err := h.CheckHint(v, person); err != nil {
		return "", v.refuse(err)
	}
	top := h.engines[v.Record.Game].Strongest()
	return searchTokens(ctx, v.Match, v.Record.Seed, top, min(top.MoveTime, maxHintTime))
}

// PlayComputerTurn plays a computer's turn. It fails with ErrNoMatch, with
// ErrStale if the match has moved on, with storage.ErrFenced if another process has
// got the lease, and if the turn is not legal.
func (h *Host) PlayComputerTurn(ctx context.Context, t ComputerTurn) (*View, error) {
	a := Actor{Interaction: fmt.Sprintf("thought-%d-%d", t.Match, t.Seq)}
	failed := func(err error) error { return fmt.Errorf("match %d: the computer plays %q: %w", t.Match, t.Text, err) }
	return h.withNewBoard(ctx, func(failIfDue func(*View) error) (v *View, err error) {
		err = h.Write(ctx, func(tx storage.Tx) error {
			if t.Lease != nil {
				if err := tx.CheckLease(*t.Lease); err != nil {
					return err
				}
			}
			before, err := h.view(tx, t.Match)
			if err != nil {
				return err
			}
			if _, ok := before.ComputerToMove(); !ok || before.Match.Seq() != t.Seq || before.Match.Seat() != t.Seat {
				return before.refuse(ErrStale)
			}
			cause, _ := h.cause(a, before)
			entries, err := before.Match.Act(t.Seat, t.Text, cause)
			if err != nil {
				return failed(err)
			}
			skips := t.WithoutBoard && before.Board.State == storage.BoardDue && before.Board.Attempts == 0
			if !skips {
				if err := failIfDue(before); err != nil {
					return err
				}
			}
			if v, err = h.appendEntries(tx, before, entries, cause, nil); err != nil {
				return err
			}
			if skips { // nobody need look for its message
				if err := tx.MarkBoardCollapsed(before.Board.ID); err != nil {
					return err
				}
				v.setBoards(slices.DeleteFunc(slices.Clone(v.Boards), func(b storage.Board) bool { return b.ID == before.Board.ID }))
			}
			if len(v.Match.Turns()) == len(before.Match.Turns()) {
				return failed(errIncompleteTurn)
			}
			return nil
		})
		return h.remember(v, err)
	})
}
