package ai

import (
	"context"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// TreeSearch plays by Monte-Carlo tree search with static leaves: every seat
// maximizes its own payoff.
type TreeSearch struct {
	// TwoSeatNodes, if not 0, is the node limit with two seats, for whom
	// fewer nodes reach as deep.
	TwoSeatNodes int64
	// Learned uses the learned evaluation.
	Learned bool
	// tables, patterns and seatPatterns replace those in use, unless they are nil.
	tables       *tables
	patterns     *patterns
	seatPatterns *seatPatterns
}

// varietyTurns is the number of turns per seat in which the seed orders nearly
// equal points. On an empty board nearly all are, and every game would open
// alike.
const varietyTurns = 3

func (t TreeSearch) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	player := search.MonteCarlo{
		State: func(p engine.Position) (search.State, error) {
			s, err := newState(p, t.tables)
			if err == nil && p.Turns() < varietyTurns*s.seats {
				s.tieSeed = search.Mix(limits.Seed) | 1
			}
			switch {
			case err != nil || !t.Learned:
			case s.seats == 2:
				if s.patterns = t.patterns; s.patterns == nil {
					s.patterns = learnedPatterns()
				}
			default:
				if s.seatPatterns = t.seatPatterns; s.seatPatterns == nil {
					s.seatPatterns = learnedSeatPatterns()
				}
			}
			return s, err
		},
		StaticLeaves: true, Exploration: 0.15, Widening: 1, MaxChildren: 24,
	}
	// With more seats fewer moves can be searched well.
	if p, ok := p.(*rings.Position); ok && p.Seats() > 2 {
		player.Exploration, player.Widening, player.MaxChildren = 0.2, 0.5, 12
	} else if t.TwoSeatNodes > 0 && (limits.Nodes <= 0 || limits.Nodes > t.TwoSeatNodes) {
		limits.Nodes = t.TwoSeatNodes
	}
	return player.Think(ctx, p, limits)
}
