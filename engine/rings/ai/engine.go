package ai

import (
	"time"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Engine returns the computer players of Rings.
func Engine() search.Engine {
	return search.Engine{
		Game:   rings.Game{},
		Levels: levels(),
		State:  func(p engine.Position) (search.State, error) { return NewState(p) },
		Greedy: Greedy{},
		FixedDepth: func(turns int) search.Player {
			// Shallow searches need few entries, and clearing a full table
			// would take as long as searching.
			return search.Limited{Player: AlphaBeta{FullWidth: true}, Limits: search.Limits{Depth: turns, Memory: 4 << 20}}
		},
	}
}

// levels returns the levels. The lower ones search one ply with noise, the
// upper ones a Monte-Carlo tree. The settings were measured so that each wins
// three of four games against the one before, with two seats on the largest
// board; the last one, which knows combinations, wins more, and the first three
// are further apart: a child can beat the first. Games are long,
// so a small difference decides them. Settings in between must be measured too: a
// small tree gains strength in leaps, and 20 nodes are 150 Elo weaker than 23, 9 no
// stronger than 7.
func levels() []search.Level {
	onePly := func(noise int) search.Level {
		return search.Level{
			Player:   AlphaBeta{Noise: noise},
			Limits:   search.Limits{Nodes: 1_000, Depth: 1},
			MoveTime: 200 * time.Millisecond,
		}
	}
	tree := func(two, more int64, moveTime time.Duration) search.Level {
		return search.Level{Player: TreeSearch{TwoSeatNodes: two}, Limits: search.Limits{Nodes: more}, MoveTime: moveTime}
	}
	master := tree(60_000, 60_000, 2*time.Second)
	master.Player = TreeSearch{TwoSeatNodes: 60_000, Learned: true}
	all := []search.Level{
		onePly(450),
		onePly(150),
		onePly(55),
		tree(7, 16, 200*time.Millisecond),
		tree(22, 36, 200*time.Millisecond),
		tree(48, 72, 200*time.Millisecond),
		tree(200, 260, 200*time.Millisecond),
		tree(1_500, 1_500, 500*time.Millisecond),
		master,
	}
	keys := [...]string{"newcomer", "learner", "beginner", "casual", "regular", "skilled", "advanced", "expert", "master"}
	ratings := [...]float64{-178, 426, 1030, 1500, 1705, 1887, 2064, 2248, 2483}
	for i := range all {
		all[i].Rating = ratings[i]
		all[i].Key = keys[i]
		all[i].Player = search.Limited{Player: all[i].Player, Limits: all[i].Limits}
	}
	return all
}
