package ai

import (
	"time"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Brain is all that plays Rings.
func Engine() search.Engine {
	return search.Engine{
		Game:   rings.Game{},
		Levels: levels(),
		State:  func(p engine.Position) (search.State, error) { return NewState(p) },
		Greedy: Greedy{},
		FixedDepth: func(turns int) search.Player {
			// Few turns ahead leave few positions to remember: to clear a whole
			// table would take as long as to think.
			return search.Limited{Player: AlphaBeta{FullWidth: true}, Limits: search.Limits{Depth: turns, Memory: 4 << 20}}
		},
	}
}

// levels is the levels. The lower ones look at every turn once, with a blurred
// eye, and the upper ones grow a tree of so many positions: the settings are
// those at which each wins three of four games against the one before, with two
// seats on the largest board. The games are long, so that a little is a lot.
// What is between two settings has to be measured: a small tree grows stronger
// by leaps, and 20 positions are 150 Elo weaker than 23, 9 no stronger than 7.
func levels() []search.Level {
	look := func(noise int) search.Level {
		return search.Level{
			Player:   AlphaBeta{Noise: noise},
			Limits:   search.Limits{Nodes: 1_000, Depth: 1},
			MoveTime: 200 * time.Millisecond,
		}
	}
	tree := func(two, more int64, patience time.Duration) search.Level {
		return search.Level{Player: TreeSearch{TwoSeatNodes: two}, Limits: search.Limits{Nodes: more}, MoveTime: patience}
	}
	all := []search.Level{
		look(32),
		look(5),
		tree(7, 16, 200*time.Millisecond),
		tree(22, 36, 200*time.Millisecond),
		tree(48, 72, 200*time.Millisecond),
		tree(200, 260, 200*time.Millisecond),
		tree(1_500, 1_500, 500*time.Millisecond),
		tree(60_000, 60_000, 2*time.Second),
	}
	for i := range all {
		all[i].Key = search.LevelKeys[i]
		all[i].Player = search.Limited{Player: all[i].Player, Limits: all[i].Limits}
	}
	return all
}
