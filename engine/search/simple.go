package search

import (
	"context"
	"math/rand/v2"

	"castellan/engine"
)

// Random plays any legal actions, each as likely as the others. It plays every
// game.
type Random struct{}

// Think draws actions until the turn has ended.
func (Random) Think(_ context.Context, p engine.Position, limits Limits) (t Decision, err error) {
	if p.Seat() == engine.Nobody {
		return Decision{}, ErrOver
	}
	r := rand.New(rand.NewPCG(Mix(limits.Seed), p.Hash()))
	for turns := p.Turns(); p.Seat() != engine.Nobody && p.Turns() == turns; {
		legal := p.Legal()
		a := legal[r.IntN(len(legal))]
		if p, err = p.Apply(a); err != nil {
			return Decision{}, err
		}
		t.Actions = append(t.Actions, a)
	}
	return t, nil
}

// Capped is a player who never goes beyond limits of his own, whatever he is
// asked: a level, or a search of a fixed depth.
type Limited struct {
	Player Player
	Limits Limits
}

// Think thinks within both limits.
func (c Limited) Think(ctx context.Context, p engine.Position, limits Limits) (Decision, error) {
	limits.Nodes = least(limits.Nodes, c.Limits.Nodes)
	limits.Depth = int(least(int64(limits.Depth), int64(c.Limits.Depth)))
	limits.Memory = least(limits.Memory, c.Limits.Memory)
	return c.Player.Think(ctx, p, limits)
}

// least is the smaller limit, of which 0 is none.
func least(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
