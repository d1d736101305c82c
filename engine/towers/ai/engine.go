package ai

import (
	"time"

	"castellan/engine/search"
	"castellan/engine/towers"
)

// Brain is the computer players of Towers. Depth looks ahead by single actions,
// of which a turn is several.
func Engine() search.Engine {
	return search.Engine{
		Game:   towers.Game{},
		Levels: levels(),
		State:  NewState,
		Greedy: greedy{},
		FixedDepth: func(moves int) search.Player {
			return search.Limited{
				Player: search.AlphaBeta{State: NewState, FullWidth: true},
				Limits: search.Limits{Depth: moves},
			}
		},
	}
}

// What a draw is worth less than a game that stands even. Who is weak takes one
// only where nothing else is left: a beginner who ends his turn after the other
// has ended his without an action learns nothing. The strongest plays on though
// he is six or seven pawns worse off: he expects to win. From positions in which
// he passed for a draw against who takes what he sees, he won all of sixteen
// games instead.
const (
	contemptLow  = 30
	contemptHigh = 1_000
	contemptMax  = 4_000
)

// levels is the levels, weakest first, between 150 and 250 Elo apart on the
// board that is the default. There it matters more how many turns are looked at
// than how far ahead: a narrow search gains little from 500 nodes to 4,000, so
// that the levels below the expert differ by how blurred they see and how
// carefully they choose. The beginner plays any turn at all that is safe, and
// takes the master where he can; the newcomer often does not even that.
func levels() (all []search.Level) {
	settings := []struct {
		nodes  int64
		player turnPlayer
	}{
		{300, turnPlayer{
			shape: &broadBeams, depth: 1, noise: 300, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 3_000, Temperature: 2_000}, blunderRate: 0.45,
		}},
		{400, turnPlayer{
			shape: &broadBeams, depth: 1, noise: 300, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 3_000, Temperature: 2_000},
		}},
		{500, turnPlayer{
			shape: &narrowBeams, depth: 1, noise: 186, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 400, Temperature: 198},
		}},
		{700, turnPlayer{
			shape: &narrowBeams, depth: 1, noise: 97, contempt: contemptMax,
			softmax: search.Softmax{MaxLoss: 194, Temperature: 97},
		}},
		{1_500, turnPlayer{
			shape: &narrowBeams, depth: 2, noise: 129, contempt: contemptLow,
			softmax: search.Softmax{MaxLoss: 155, Temperature: 80},
		}},
		{4_000, turnPlayer{
			shape: &narrowBeams, depth: 2, noise: 100, contempt: contemptLow,
			softmax: search.Softmax{MaxLoss: 95, Temperature: 48},
		}},
		{20_000, turnPlayer{shape: &narrowBeams, contempt: contemptLow}},
		{2_000_000, turnPlayer{shape: &wideBeams, contempt: contemptHigh}},
	}
	for i, s := range settings {
		all = append(all, search.Level{
			Key: search.LevelKeys[i], Player: s.player,
			Limits: search.Limits{Nodes: s.nodes}, MoveTime: 2 * time.Second,
		})
	}
	return all
}

// The shapes of searches that have few nodes, and many. To look at more turns is
// worth more than to look further ahead, as soon as there are the nodes for it.
// Broad lists as many turns as narrow, but takes them as they come: it is for
// who does not see which are good.
var (
	broadBeams = beams{
		root: beam{400, 400}, last: beam{4, 100}, inner: beam{6, 200},
		tried: 8, first: 4, rooted: 20,
	}
	narrowBeams = beams{
		root: beam{12, 400}, last: beam{4, 100}, inner: beam{6, 200},
		tried: 8, first: 4, rooted: 20,
	}
	wideBeams = beams{
		root: beam{200, 20_000}, last: beam{16, 800}, inner: beam{24, 1_600},
		tried: 32, first: 8, rooted: 120,
	}
)
