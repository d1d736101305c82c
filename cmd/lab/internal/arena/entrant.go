package arena

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"castellan/cmd/lab/internal/protocol"
	"castellan/engine"
	"castellan/engine/search"
)

// Entrant is a player in a tournament.
type Entrant struct {
	// Name is shown in the report.
	Name string
	// Player chooses its turns, unless PlayerAfter is set: for players that
	// must be told the history of the position.
	Player      search.Player
	PlayerAfter func(protocol.History) search.Player
	// Limits bounds its searches. The arena sets the seed.
	Limits search.Limits
	// Time is its time per turn, after which the context ends; 0 means no
	// limit.
	Time time.Duration
	// TimeForfeit makes it lose the game when Time is exceeded.
	TimeForfeit bool
}

func (e Entrant) playerAt(l protocol.History) search.Player {
	if e.PlayerAfter != nil {
		return e.PlayerAfter(l)
	}
	return e.Player
}

// ParseEntrant returns a player of a game by its name: a level, “top” for the
// strongest, “random”, “greedy”, “child” for greedy that plays half of its turns at
// random, “depth-4” for full-width alpha-beta of that
// depth, or “mc-1000” for plain Monte-Carlo tree search with that many playouts
// per turn. “master@5000” is a level with another number of nodes. Other levels
// get at most maxNodes, unless that is 0.
func ParseEntrant(ai search.Engine, name string, maxNodes int64) (Entrant, error) {
	base, nodes, other := strings.Cut(name, "@")
	l, isLevel := ai.Level(base)
	if base == "top" {
		l, isLevel = ai.Strongest(), true
	}
	if isLevel {
		e := Entrant{Name: name, Player: l.Player, Limits: l.Limits}
		if maxNodes > 0 {
			e.Limits.Nodes = min(e.Limits.Nodes, maxNodes)
		}
		if other {
			n, err := parsePositive(nodes, math.MaxInt64)
			if err != nil {
				return Entrant{}, fmt.Errorf("%q: @ must be followed by a number of nodes from 1, not %q", name, nodes)
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
		return Entrant{Name: name, Player: ai.Greedy}, nil
	case name == "child":
		return Entrant{Name: name, Player: child{ai.Greedy}}, nil
	case kind == "depth" && err == nil:
		return Entrant{Name: name, Player: ai.FixedDepth(int(n))}, nil
	case kind == "mc" && err == nil:
		return Entrant{Name: name, Player: monteCarlo(ai), Limits: search.Limits{Nodes: n}}, nil
	}
	return Entrant{}, fmt.Errorf("this game has no player %q; it has the levels %s and top, each also with a node limit such as top@1000; random; greedy; child; depth-N and mc-N, with N from 1; and cmd:PROGRAM ARGUMENTS", name, strings.Join(ai.Keys(), ", "))
}

// child plays half of its turns at random and the others like another player.
type child struct{ other search.Player }

// Think chooses by a throw of the seed which it is.
func (c child) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if search.Mix(limits.Seed^search.Mix(p.Hash()))&1 == 0 {
		return search.Random{}.Think(ctx, p, limits)
	}
	return c.other.Think(ctx, p, limits)
}

// QuickNodes returns a node limit that keeps a turn of any level to about 50
// ms, for matches of hundreds of games: a sixteenth of the strongest level's,
// whose turns can take over a second.
func QuickNodes(ai search.Engine) int64 { return max(ai.Strongest().Limits.Nodes/16, 1) }

func parsePositive(text string, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < 1 || n > most) {
		err = strconv.ErrRange
	}
	return n, err
}

// monteCarlo returns plain Monte-Carlo tree search, with the playouts of the
// game's state if it has them, or else by positions.
func monteCarlo(ai search.Engine) search.Player {
	generic := search.Generic(ai.Game)
	return search.MonteCarlo{State: func(p engine.Position) (search.State, error) {
		s, err := ai.State(p)
		if _, ok := s.(search.Playouter); ok || err != nil {
			return s, err
		}
		return generic.State(p)
	}}
}
