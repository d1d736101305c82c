package ai

import (
	"time"

	"castellan/engine/search"
	"castellan/engine/trails"
)

// patience is the most time that one turn of any level may take on one core.
const patience = 2 * time.Second

// Brain is all that plays Trails and Towers.
func Engine() search.Engine {
	return search.Engine{
		Game:   trails.Game{},
		Levels: levels(),
		State:  state,
		Greedy: search.Limited{
			// The noise is less than anything that counts: it decides where two
			// moves look alike.
			Player: search.AlphaBeta{State: visible, FullWidth: true, Noise: 1},
			Limits: search.Limits{Depth: 1},
		},
		FixedDepth: func(moves int) search.Player {
			return search.Limited{
				Player: search.AlphaBeta{State: state, FullWidth: true},
				Limits: search.Limits{Depth: moves},
			}
		},
	}
}

// levels is the levels, weakest first. All but the first look at least two
// moves ahead whatever happens, for which 60 nodes are enough: so they take a
// win that is there and give none away that can be kept. The first looks at its
// own move alone, and takes nearly any that does not end the game.
func levels() []search.Level {
	of := [...]struct {
		key   string
		nodes int64
		ahead int // moves, 0 for any number
		noise int
		soft  search.Softmax
	}{
		{key: "newcomer", nodes: 64, ahead: 1, noise: 800, soft: search.Softmax{MaxLoss: 5000, Temperature: 5000}},
		{key: "beginner", nodes: 64, ahead: 2, noise: 472, soft: search.Softmax{MaxLoss: 1160, Temperature: 815}},
		{key: "casual", nodes: 64, ahead: 2, noise: 622},
		{key: "skilled", nodes: 150, ahead: 4, noise: 478},
		{key: "advanced", nodes: 300, ahead: 6, noise: 345},
		{key: "expert", nodes: 750, noise: 9},
		{key: "master", nodes: 400_000},
	}
	levels := make([]search.Level, len(of))
	for i, l := range of {
		ahead := search.AlphaBeta{State: state, FullWidth: true, Noise: l.noise, Softmax: l.soft}
		levels[i] = search.Level{
			Key:      l.key,
			Player:   ahead,
			Limits:   search.Limits{Nodes: l.nodes, Depth: l.ahead},
			MoveTime: patience,
		}
		if i == len(of)-1 {
			levels[i].Player = exact{ahead}
		}
	}
	return levels
}
