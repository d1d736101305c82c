package arena

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/protocol"
)

// Entrant is a player as it enters.
type Entrant struct {
	// Name is what it is called in the report.
	Name string
	// Player chooses its turns; Follow does where that is set, which makes a
	// player that must be told how the position came about.
	Player      search.Player
	PlayerAfter func(protocol.History) search.Player
	// Limits bounds its thoughts. The seed is the arena's.
	Limits search.Limits
	// Time is what it has for a turn, after which its context ends; 0 for any.
	Time time.Duration
	// Strict says that it has lost once Time is up.
	TimeForfeit bool
}

// at is the player that is asked about a position.
func (e Entrant) playerAt(l protocol.History) search.Player {
	if e.PlayerAfter != nil {
		return e.PlayerAfter(l)
	}
	return e.Player
}

// level is a Limits of a level; others know none.
func levelEntrant(l search.Level, name string) Entrant {
	return Entrant{Name: name, Player: l.Player, Limits: l.Limits}
}

// Named is one of the players that every game has: a level, “top” for the
// strongest, “random”, “greedy”, “depth-4” for alpha-beta that many moves deep,
// “mc-1000” for plain Monte-Carlo tree search with that many playouts a turn.
// “master@5000” is a level with another number of nodes. Levels whose own
// number is above most have that; 0 is no bound.
func ParseEntrant(b search.Engine, name string, most int64) (Entrant, error) {
	base, nodes, other := strings.Cut(name, "@")
	l, isLevel := b.Level(base)
	if base == "top" {
		l, isLevel = b.Strongest(), true
	}
	if isLevel {
		e := levelEntrant(l, name)
		if most > 0 {
			e.Limits.Nodes = min(e.Limits.Nodes, most)
		}
		if other {
			n, err := parsePositive(nodes, math.MaxInt64)
			if err != nil {
				return Entrant{}, fmt.Errorf("%q: a number of nodes from 1 follows the @, not %q", name, nodes)
			}
			e.Limits.Nodes = n
		}
		return e, nil
	}
	kind, value, _ := strings.Cut(name, "-")
	n, err := parsePositive(value, math.MaxInt32)
	switch {
	case name == "random":
		return Entrant{Name: name, Player: search.Random{}}, nil
	case name == "greedy":
		return Entrant{Name: name, Player: b.Greedy}, nil
	case kind == "depth" && err == nil:
		return Entrant{Name: name, Player: b.FixedDepth(int(n))}, nil
	case kind == "mc" && err == nil:
		return Entrant{Name: name, Player: monteCarlo(b), Limits: search.Limits{Nodes: n}}, nil
	}
	return Entrant{}, fmt.Errorf("there is no player %q; there is %s, top, any of these with its number of nodes such as top@1000, random, greedy, depth-N, mc-N, and cmd:PROGRAM ARGUMENTS", name, strings.Join(b.Keys(), ", "))
}

// Quick is a number of nodes that keeps a turn of any level to about 50 ms, so
// that hundreds of games can be played: a sixteenth of the strongest's, whose
// turns may take a second and more.
func QuickNodes(b search.Engine) int64 { return max(b.Strongest().Limits.Nodes/16, 1) }

// number reads a number from 1.
func parsePositive(text string, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < 1 || n > most) {
		err = strconv.ErrRange
	}
	return n, err
}

// monteCarlo is plain Monte-Carlo tree search: with the playouts of the state
// that the game has, and otherwise by its positions.
func monteCarlo(b search.Engine) search.Player {
	return plainMonteCarlo{
		fast: search.MonteCarlo{State: b.State},
		slow: search.MonteCarlo{State: search.Generic(b.Game).State},
		made: b.State,
	}
}

// plain chooses between two states by whether one plays games out.
type plainMonteCarlo struct {
	fast, slow search.Player
	made       func(engine.Position) (search.State, error)
}

func (m plainMonteCarlo) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	s, err := m.made(p)
	if err != nil {
		return search.Decision{}, err
	}
	if _, ok := s.(search.Playouter); ok {
		return m.fast.Think(ctx, p, limits)
	}
	return m.slow.Think(ctx, p, limits)
}
