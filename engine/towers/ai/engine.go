package ai

import (
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// Engine returns the computer players of Towers. FixedDepth counts single
// actions, of which a turn has several.
func Engine() search.Engine {
	return search.Engine{
		Game:       towers.Game{},
		Levels:     levels(),
		State:      NewState,
		Greedy:     greedy{},
		FixedDepth: search.FixedDepth(NewState),
		CanWin:     canWin,
	}
}

// canWin reports whether the seat to act can take the master within its turn.
func canWin(p engine.Position) bool {
	s, err := NewState(p)
	if err != nil {
		return false
	}
	own := s.(*State)
	return own.Ending == board.Ongoing && own.strikeNow() <= int(own.Points)
}

// The contempt is how much less a draw is worth to a player than an even position, in
// the units of the evaluation. With contemptMax, the levels below the master draw only if
// every other turn loses: against a weak opponent, who passes where it finds nothing to
// take, they mostly win although they are behind. The master, which also gives hints and
// answers offers, has contemptLow: it passes for a draw rather than play a turn that
// loses.
const (
	contemptLow = 60
	contemptMax = 4_000
)

// levels returns the levels, weakest first, between 150 and 250 Elo apart on
// the default board. There the number of turns searched matters more than the
// depth: a narrow search gains little from 500 to 4,000 nodes, so the levels
// below the expert differ by noise and temperature. The beginner plays any safe
// turn and takes the master when possible; the newcomer often not even that.
func levels() (all []search.Level) {
	settings := []struct {
		nodes  int64
		player turnPlayer
	}{
		{300, turnPlayer{
			beams: &broadBeams, depth: 1, noise: 300, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 3_000, Temperature: 2_000}, blunderRate: 0.45, restless: true,
		}},
		{400, turnPlayer{
			beams: &broadBeams, depth: 1, noise: 300, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 3_000, Temperature: 2_000}, restless: true,
		}},
		{500, turnPlayer{
			beams: &narrowBeams, depth: 1, noise: 186, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 400, Temperature: 198}, restless: true,
		}},
		{700, turnPlayer{
			beams: &narrowBeams, depth: 1, noise: 97, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 194, Temperature: 97}, restless: true,
		}},
		{1_500, turnPlayer{
			beams: &narrowBeams, depth: 2, noise: 129, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 155, Temperature: 80},
		}},
		{4_000, turnPlayer{
			beams: &narrowBeams, depth: 2, noise: 100, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 95, Temperature: 48},
		}},
		{20_000, turnPlayer{beams: &narrowBeams, contempt: contemptMax}},
		{2_000_000, turnPlayer{
			beams: &wideBeams, contempt: contemptLow, quick: true, weights: &masterWeights,
		}},
	}
	ratings := [...]float64{1098, 1356, 1500, 1697, 1902, 2051, 2211, 2379}
	keys := [...]string{"newcomer", "beginner", "casual", "regular", "skilled", "advanced", "expert", "master"}
	for i, s := range settings {
		all = append(all, search.Level{
			Key: keys[i], Player: s.player,
			Limits: search.Limits{Nodes: s.nodes}, MoveTime: 2 * time.Second, Rating: ratings[i],
		})
	}
	return all
}

// With enough nodes, searching more turns gains more than searching deeper.
// Broad beams generate as many turns as narrow ones but without selection, for
// players who cannot tell good ones.
var (
	broadBeams = beams{
		root: beam{400, 400}, last: beam{4, 100}, inner: beam{6, 200},
		turns: 8, fullDepth: 4, rootTurns: 20,
	}
	narrowBeams = beams{
		root: beam{12, 400}, last: beam{4, 100}, inner: beam{6, 200},
		turns: 8, fullDepth: 4, rootTurns: 20,
	}
	wideBeams = beams{
		root: beam{200, 20_000}, last: beam{16, 800}, inner: beam{24, 1_600},
		turns: 32, fullDepth: 8, rootTurns: 120,
	}
)
