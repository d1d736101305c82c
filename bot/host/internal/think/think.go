// Package think has a level choose a turn, or judge a position, outside of any
// transaction.
package think

import (
	"context"
	"fmt"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
)

// Turn has a level choose the rest of the open turn, as text. See About.
func Turn(ctx context.Context, m *match.Match, seed uint64, level search.Level, limit time.Duration) (turn string, err error) {
	thought, err := About(ctx, m, seed, level, limit)
	return strings.Join(engine.Tokens(thought.Actions), " "), err
}

// About has a level choose the rest of the open turn of a match with a seed. limit
// bounds the time if it is positive. A panic of the level is an error.
func About(ctx context.Context, m *match.Match, seed uint64, level search.Level, limit time.Duration) (thought search.Decision, err error) {
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
