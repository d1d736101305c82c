package arena

import (
	"context"
	"fmt"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/search/protocol"
)

// Game is one game that was played. Its JSON form stands in files.
type Game struct {
	// Contest is which contest it is of, Set which set of that, and Seating
	// which game of the set, all from 0.
	Contest int `json:"contest"`
	Set     int `json:"set"`
	Seating int `json:"seating"`
	// Players is who sat where.
	Players []string `json:"players"`
	// Opening and Actions are all that was played: at random, and by them.
	Opening string `json:"opening"`
	Actions string `json:"actions"`
	// Turns is how many turns the game had, with those of the opening.
	Turns int `json:"turns"`
	// Shares is the share of the win of each seat, 1 in all.
	Payoffs []float64 `json:"shares"`
	// Scores is the score of each seat in a game that has scores.
	Scores []int `json:"scores,omitempty"`
	// Reason is why it ended: the game's reason, or Erred or TooLong.
	Reason string `json:"reason"`
	// Fault is what a player did wrong, who has lost the game for it.
	Fault *Fault `json:"fault,omitempty"`
	// Spent is the time that each seat has taken.
	Usage []SeatUsage `json:"spent"`
}

// Reasons for the end of a game that are not the game's own.
const (
	ReasonFault  = "fault"
	ReasonLength = "length" // nobody has won after MaxTurns turns
)

// MaxTurns is after how many turns a game is broken off.
const MaxTurns = 2000

// Fault is an error of a player.
type Fault struct {
	Seat   int    `json:"seat"` // from 1
	Player string `json:"player"`
	Reason string `json:"why"`
}

// Spent is the time that a seat has taken in a game.
type SeatUsage struct {
	Turns      int     `json:"turns"`
	Seconds    float64 `json:"seconds"` // in all
	MaxSeconds float64 `json:"most"`    // for one turn
	Nodes      int64   `json:"nodes"`   // visited or played out, in all
}

// id names a game among those of a tournament.
type gameID struct{ contest, set, seating int }

func (g Game) id() gameID { return gameID{g.Contest, g.Set, g.Seating} }

// play plays a game. It fails where the context ends, and only then.
func (t *Tournament) play(ctx context.Context, which gameID, c contest, o opening) (Game, error) {
	seating := c.seatings[which.seating]
	g := Game{
		Contest: which.contest, Set: which.set, Seating: which.seating, Opening: tokens(o.line.Actions),
		Payoffs: make([]float64, t.Seats), Usage: make([]SeatUsage, t.Seats),
	}
	for _, side := range seating {
		g.Players = append(g.Players, t.Entrants[c.sides[side]].Name)
	}
	p, line := o.position, o.line
	line.Actions = line.Actions[:len(line.Actions):len(line.Actions)]
	chance := seed(t.Seed, uint64(which.set), uint64(which.seating)<<16^0xa)
	for p.Seat() != engine.Nobody && p.Turns() < MaxTurns {
		seat := int(p.Seat()) - 1
		e := t.Entrants[c.sides[seating[seat]]]
		next, actions, err := t.playTurn(ctx, e, p, line, seed(chance, uint64(p.Turns()), 0), &g.Usage[seat])
		if ctx.Err() != nil {
			return g, ctx.Err()
		}
		if err != nil {
			g.Fault = &Fault{Seat: seat + 1, Player: e.Name, Reason: firstLine(err.Error())}
			break
		}
		line.Actions = append(line.Actions, actions...)
		p = next
	}
	g.Actions = tokens(line.Actions[len(o.line.Actions):])
	g.Turns = p.Turns()
	t.scoreGame(&g, p)
	return g, nil
}

// turn has a player think, and plays what it has chosen.
func (t *Tournament) playTurn(ctx context.Context, e Entrant, p engine.Position, l protocol.History, chance uint64, spent *SeatUsage) (engine.Position, []engine.Action, error) {
	limits := e.Limits
	limits.Seed = chance
	inner := ctx
	if e.Time > 0 {
		var end context.CancelFunc
		inner, end = t.Clock.Timeout(ctx, e.Time)
		defer end()
	}
	began := t.Clock.Now()
	thought, err := thinkRecovering(inner, e.playerAt(l), p, limits)
	took := t.Clock.Now().Sub(began).Seconds()
	spent.Turns++
	spent.Seconds += took
	spent.MaxSeconds = max(spent.MaxSeconds, took)
	spent.Nodes += thought.Nodes
	switch {
	case err != nil:
		return nil, nil, err
	case e.TimeForfeit && inner.Err() != nil:
		return nil, nil, fmt.Errorf("it took %.1f s, and has %s", took, e.Time.Round(time.Millisecond))
	}
	turns := p.Turns()
	for i, a := range thought.Actions {
		if i > 0 && (p.Seat() == engine.Nobody || p.Turns() != turns) {
			return nil, nil, fmt.Errorf("its turn %s goes on when it has ended", tokens(thought.Actions))
		}
		next, err := p.Apply(a)
		if err != nil {
			return nil, nil, fmt.Errorf("its turn %s: %w", tokens(thought.Actions), err)
		}
		p = next
	}
	if p.Seat() != engine.Nobody && p.Turns() == turns {
		return nil, nil, fmt.Errorf("its turn %q is not a whole turn", tokens(thought.Actions))
	}
	return p, thought.Actions, nil
}

// think asks a player. One that panics has erred as one that fails.
func thinkRecovering(ctx context.Context, who search.Player, p engine.Position, limits search.Limits) (t search.Decision, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return who.Think(ctx, p, limits)
}

// result says what everybody gets.
func (t *Tournament) scoreGame(g *Game, p engine.Position) {
	result, over := p.Result()
	switch {
	case g.Fault != nil:
		g.Reason = ReasonFault
		for i := range g.Payoffs {
			if i != g.Fault.Seat-1 {
				g.Payoffs[i] = 1 / float64(t.Seats-1)
			}
		}
	case !over:
		g.Reason = ReasonLength
		search.Payoffs(engine.Result{}, g.Payoffs)
	default:
		g.Reason, g.Scores = result.Reason, result.Scores
		search.Payoffs(result, g.Payoffs)
	}
}

// words is actions separated by single spaces.
func tokens(actions []engine.Action) string {
	all := make([]string, len(actions))
	for i, a := range actions {
		all[i] = a.String()
	}
	return strings.Join(all, " ")
}

// oneLine is the first line of a text.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
