package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

// A computer's turn is thought out between two transactions. What comes of it
// names the entry that it follows, so that a thought that comes twice, or too
// late, changes nothing; and its chance comes from the match and that entry, so
// that one that was cut short is thought again as it was.

// Thought is the turn that a computer has chosen.
type Thought struct {
	Match storage.MatchID
	Seq   int         // of the last entry of the match that it follows
	Seat  engine.Seat // whose turn it is
	Text  string      // the turn, as people write it
}

// carelessAfter is after how many tries in vain a computer plays anything that
// is legal: somebody waits for it.
const carelessAfter = 3

// Thinking is at most limit matches in which a computer is to act, the one that
// has waited longest first.
func (h *Host) Thinking(ctx context.Context, limit int) (all []storage.MatchID, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		all, err = r.Thinking(limit)
		return err
	})
	return all, err
}

// Think has the computer that is to act in a match choose its turn, for as long
// as its level may. tries is how often that has failed in this match. Nothing
// is changed. It is refused with ErrNoMatch, and with ErrStale where no
// computer is to act, and fails where the context ends.
func (h *Host) Think(ctx context.Context, id storage.MatchID, tries int) (t Thought, err error) {
	v, err := h.Match(ctx, id)
	if err != nil {
		return t, err
	}
	p, ok := v.Computer()
	if !ok {
		return t, &Refusal{Err: ErrStale, View: v}
	}
	level := search.Level{Player: search.Random{}}
	if tries < carelessAfter {
		if level, err = h.level(v.Record.Game, p.Level); err != nil {
			return t, err
		}
	}
	t = Thought{Match: id, Seq: v.Match.Seq(), Seat: v.Match.Seat()}
	t.Text, err = h.ponder(ctx, v, level, level.MoveTime)
	return t, err
}

// hintWithin is how long a hint is thought about at most.
const hintWithin = time.Second

// MayHint says why a person can get no hint in a match: ErrNotSeated,
// match.ErrOver, match.ErrNotPlaying, ErrRated, ErrNoComputer or a
// *match.TurnError; nil where they can.
func (h *Host) MayHint(v *View, person string) error {
	seat := v.SeatOf(person)
	_, over := v.Match.Over()
	_, plays := h.engines[v.Record.Game]
	switch {
	case seat == engine.Nobody:
		return ErrNotSeated
	case over:
		return match.ErrOver
	case !v.Match.Playing(seat):
		return match.ErrNotPlaying
	case v.Rated():
		return ErrRated
	case !plays:
		return ErrNoComputer
	case v.Match.Seat() != seat:
		return &match.TurnError{Seat: v.Match.Seat()}
	}
	return nil
}

// Hint is how the strongest level would go on with a person's turn, as people
// write it. It is refused as MayHint says.
func (h *Host) Hint(ctx context.Context, v *View, person string) (turn string, err error) {
	if err := h.MayHint(v, person); err != nil {
		return "", &Refusal{Err: err, View: v}
	}
	top := h.engines[v.Record.Game].Strongest()
	return h.ponder(ctx, v, top, min(top.MoveTime, hintWithin))
}

// ponder has a level choose the rest of the open turn. A level that panics has
// failed.
func (h *Host) ponder(ctx context.Context, v *View, level search.Level, within time.Duration) (turn string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("level %s panics: %v", level.Key, p)
		}
	}()
	limits := level.Limits
	limits.Seed = seedOf(v)
	bounded := ctx
	if within > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	thought, err := level.Player.Think(bounded, v.Match.Position(), limits)
	if err != nil {
		return "", fmt.Errorf("level %s: %w", level.Key, err)
	}
	if err := ctx.Err(); err != nil { // it was cut short, and would play another turn than the next time
		return "", err
	}
	tokens := make([]string, len(thought.Actions))
	for i, a := range thought.Actions {
		tokens[i] = a.String()
	}
	return strings.Join(tokens, " "), nil
}

// seedOf decides what is chance in a computer's turn: the match and how far it
// has come, the same whenever the turn is thought about.
func seedOf(v *View) uint64 {
	return v.Record.Seed ^ uint64(v.Match.Seq()+1)*0x9e3779b97f4a7c15 // the golden ratio, which spreads the numbers
}

// errHalfTurn says that a computer's turn does not end.
var errHalfTurn = errors.New("the turn does not end with it")

// PlayThought plays a computer's turn. It is refused with ErrNoMatch, and with
// ErrStale where the match has moved on; it fails where the turn is not legal.
func (h *Host) PlayThought(ctx context.Context, t Thought) (v *View, err error) {
	c := Cause{Interaction: fmt.Sprintf("thought-%d-%d", t.Match, t.Seq)}
	err = h.store.Update(ctx, func(tx storage.Tx) error {
		if v, err = h.view(tx, t.Match); err != nil {
			return err
		}
		if _, ok := v.Computer(); !ok || v.Match.Seq() != t.Seq || v.Match.Seat() != t.Seat {
			return &Refusal{Err: ErrStale, View: v}
		}
		mo, err := h.moment(tx, c, v)
		if err != nil {
			return err
		}
		entries, err := v.Match.Act(t.Seat, t.Text, mo)
		if err != nil {
			return fmt.Errorf("match %d: the computer plays %q: %w", t.Match, t.Text, err)
		}
		after, err := h.add(tx, v, entries, mo)
		if err != nil {
			return err
		}
		if len(after.Turns()) == len(v.Match.Turns()) {
			return fmt.Errorf("match %d: the computer plays %q: %w", t.Match, t.Text, errHalfTurn)
		}
		v, err = h.view(tx, t.Match)
		return err
	})
	return v, err
}
