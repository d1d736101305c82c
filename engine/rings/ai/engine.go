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

// levels returns the levels, weakest first, mostly 150 to 250 Elo apart with two
// seats on the largest board; see docs/reference/strength/levels.md. The lower ones search one ply
// with noise, the upper ones a Monte-Carlo tree, and those above the expert know
// combinations. A child can beat the first. Games are long, so a small difference
// decides them. Settings in between must be measured too: a small tree gains
// strength in leaps. Fewer than five nodes are all the same player, 9 are no
// stronger than 7, and 20 are 150 Elo weaker than 23.
func levels() (all []search.Level) {
	onePly := func(noise int) search.Level {
		return search.Level{
			Player:   AlphaBeta{Noise: noise},
			Limits:   search.Limits{Nodes: 1_000, Depth: 1},
			MoveTime: 200 * time.Millisecond,
		}
	}
	tree := func(two, more int64, learned bool, moveTime time.Duration) search.Level {
		return search.Level{Player: TreeSearch{TwoSeatNodes: two, Learned: learned}, Limits: search.Limits{Nodes: more}, MoveTime: moveTime}
	}
	for _, l := range []struct {
		key    string
		rating float64
		level  search.Level
	}{
		{"newcomer", 1, onePly(450)},
		{"newcomer-plus", 245, onePly(285)},
		{"learner", 543, onePly(170)},
		{"learner-plus", 795, onePly(94)},
		{"beginner", 1023, onePly(50)},
		{"beginner-plus", 1256, onePly(10)},
		{"casual", 1500, tree(7, 16, false, 200*time.Millisecond)},
		{"regular", 1705, tree(22, 36, false, 200*time.Millisecond)},
		{"skilled", 1887, tree(48, 72, false, 200*time.Millisecond)},
		{"advanced", 2064, tree(200, 260, false, 200*time.Millisecond)},
		{"expert", 2248, tree(1_500, 1_500, false, 500*time.Millisecond)},
		{"master", 2468, tree(300, 600, true, 500*time.Millisecond)},
		{"grandmaster", 2636, tree(15_000, 15_000, true, time.Second)},
		{"champion", 2804, tree(60_000, 60_000, true, 2*time.Second)},
	} {
		l.level.Key, l.level.Rating = l.key, l.rating
		l.level.Player = search.Limited{Player: l.level.Player, Limits: l.level.Limits}
		all = append(all, l.level)
	}
	return all
}
