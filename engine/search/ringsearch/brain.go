package ringsearch

import (
	"time"

	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/search"
)

// Brain is all that plays Rings.
func Brain() search.Brain {
	return search.Brain{
		Game:   rings.Game{},
		Levels: levels(),
		State:  func(p engine.Position) (search.State, error) { return NewState(p) },
		Greedy: Greedy{},
		Depth: func(turns int) search.Player {
			return search.Capped{Player: AlphaBeta{Full: true}, Limits: search.Limits{Depth: turns}}
		},
	}
}

// levels is the levels. A node is a turn that is tried.
func levels() []search.Level {
	soft := func(loss, spread int) search.Soft { return search.Soft{Loss: loss, Spread: spread} }
	all := []struct {
		player   search.Player
		nodes    int64
		depth    int
		patience time.Duration
	}{
		{AlphaBeta{Noise: 200, Soft: search.Soft{Loss: 250, Spread: 120, Careless: 0.2}}, 1_000, 1, 200 * time.Millisecond},
		{AlphaBeta{Noise: 60, Soft: soft(120, 60)}, 1_000, 1, 200 * time.Millisecond},
		{AlphaBeta{Noise: 20, Soft: soft(60, 30)}, 1_000, 1, 200 * time.Millisecond},
		{Tree{}, 100, 0, 500 * time.Millisecond},
		{Tree{}, 1_000, 0, 500 * time.Millisecond},
		{Tree{}, 40_000, 0, 2 * time.Second},
	}
	out := make([]search.Level, len(all))
	for i, l := range all {
		limits := search.Limits{Nodes: l.nodes, Depth: l.depth, Memory: search.DefaultMemory}
		out[i] = search.Level{
			Key:      search.LevelKeys[i],
			Player:   search.Capped{Player: l.player, Limits: limits},
			Limits:   limits,
			Patience: l.patience,
		}
	}
	return out
}
