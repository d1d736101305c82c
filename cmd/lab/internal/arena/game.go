package arena

import (
	"context"
	"fmt"
	"strings"
	"time"

	"castellan/cmd/lab/internal/protocol"
	"castellan/engine"
	"castellan/engine/search"
)

// Game is a finished game. Reports store its JSON form.
type Game struct {
	// Contest, Set and Seating identify the game, each counted from 0.
	Contest int `json:"contest"`
	Set     int `json:"set"`
	Seating int `json:"seating"`
	// Players holds names by seat.
	Players []string `json:"players"`
	// Opening and Actions hold the whole game: the random part and the
	// players'.
	Opening string `json:"opening"`
	Actions string `json:"actions"`
	// Turns is the number of turns, including the opening.
	Turns int `json:"turns"`
	// Payoffs holds each seat's share of the win, 1 in total.
	Payoffs []float64 `json:"shares"`
	// Scores holds each seat's score, in games that have scores.
	Scores []int `json:"scores,omitempty"`
	// Reason tells why it ended: the game's reason, ReasonFault or
	// ReasonLength.
	Reason string `json:"reason"`
	// Fault is the error of the player who lost by it.
	Fault *Fault `json:"fault,omitempty"`
	// Usage holds each seat's time and nodes.
	Usage []SeatUsage `json:"spent"`
}

// Reasons besides the game's own.
const (
	ReasonFault  = "fault"
	ReasonLength = "length" // no result after MaxTurns turns
)

// MaxTurns is the number of turns after which a game is a draw.
const MaxTurns = 2000

// Fault is an error of a player.
type Fault struct {
	Seat   int    `json:"seat"` // from 1
	Player string `json:"player"`
	Reason string `json:"why"`
}

// SeatUsage holds the time and the nodes of a seat in a game.
type SeatUsage struct {
	Turns      int     `json:"turns"`
	Seconds    float64 `json:"seconds"` // in total
	MaxSeconds float64 `json:"most"`    // for one turn
	Nodes      int64   `json:"nodes"`   // in total
}

// gameID identifies a game of a tournament.
type gameID struct{ contest, set, seating int }

func (g Game) id() gameID { return gameID{g.Contest, g.Set, g.Seating} }

// play plays a game. It fails only if the context ends.
func (t *Tournament) play(ctx context.Context, which gameID, c contest, o opening) (Game, error) {
	seating := c.seatings[which.seating]
	g := Game{
		Contest: which.contest, Set: which.set, Seating: which.seating, Opening: protocol.FormatActions(o.line.Actions),
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
	g.Actions = protocol.FormatActions(line.Actions[len(o.line.Actions):])
	g.Turns = p.Turns()
	t.scoreGame(&g, p)
	return g, nil
}

func (t *Tournament) playTurn(ctx context.Context, e Entrant, p engine.Position, l protocol.History, chance uint64, spent *SeatUsage) (engine.Position, []engine.Action, error) {
	limits := e.Limits
	limits.Seed = chance
	inner := ctx
	if e.Time > 0 {
		var end context.CancelFunc
		inner, end = context.WithTimeout(ctx, e.Time)
		defer end()
	}
	began := time.Now()
	d, err := thinkRecovering(inner, e.playerAt(l), p, limits)
	took := time.Since(began).Seconds()
	spent.Turns++
	spent.Seconds += took
	spent.MaxSeconds = max(spent.MaxSeconds, took)
	spent.Nodes += d.Nodes
	switch {
	case err != nil:
		return nil, nil, err
	case e.TimeForfeit && inner.Err() != nil:
		return nil, nil, fmt.Errorf("took %.1f s instead of %s", took, e.Time.Round(time.Millisecond))
	}
	next, err := d.Apply(p)
	return next, d.Actions, err
}

// thinkRecovering calls Think and turns a panic into an error.
func thinkRecovering(ctx context.Context, who search.Player, p engine.Position, limits search.Limits) (t search.Decision, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return who.Think(ctx, p, limits)
}

// scoreGame sets payoffs, scores and reason.
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

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
