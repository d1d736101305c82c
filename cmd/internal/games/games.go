// Package games lists every game that the programs know, with its painter and its
// computer players. A new game is a line in All.
package games

import (
	"castellan/engine"
	"castellan/engine/rings"
	ringsai "castellan/engine/rings/ai"
	"castellan/engine/search"
	"castellan/engine/stonetowers"
	stonetowersai "castellan/engine/stonetowers/ai"
	"castellan/engine/towers"
	towersai "castellan/engine/towers/ai"
	"castellan/engine/trails"
	trailsai "castellan/engine/trails/ai"
	"castellan/imaging"
	ringspainter "castellan/imaging/rings"
	stonetowerspainter "castellan/imaging/stonetowers"
	towerspainter "castellan/imaging/towers"
	trailspainter "castellan/imaging/trails"
)

// Game is a game with its painter and its computer players.
type Game struct {
	Rules   engine.Game
	Painter imaging.Painter
	Engine  search.Engine
}

// All holds the games in the order in which people see them.
var All = []Game{
	{stonetowers.Game{}, stonetowerspainter.Painter(), stonetowersai.Engine()},
	{towers.Game{}, towerspainter.Painter(), towersai.Engine()},
	{rings.Game{}, ringspainter.Painter(), ringsai.Engine()},
	{trails.Game{}, trailspainter.Painter(), trailsai.Engine()},
}

// Keys returns the keys of the games.
func Keys() []string { return collect(func(g Game) string { return g.Rules.Key() }) }

// Registry returns the rules of the games.
func Registry() (*engine.Registry, error) {
	return engine.NewRegistry(collect(func(g Game) engine.Game { return g.Rules })...)
}

// Renderer returns a renderer with the painters of the games.
func Renderer() (*imaging.Renderer, error) {
	return imaging.New(collect(func(g Game) imaging.Painter { return g.Painter })...)
}

// Engines returns the computer players of the games.
func Engines() []search.Engine { return collect(func(g Game) search.Engine { return g.Engine }) }

func collect[T any](of func(Game) T) (all []T) {
	for _, g := range All {
		all = append(all, of(g))
	}
	return all
}
