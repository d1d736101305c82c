package main

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

// games is every game that this program hosts, with its painter and its
// computer players, in the order in which people see them.
var games = []struct {
	rules   engine.Game
	painter imaging.Painter
	engine  search.Engine
}{
	{stonetowers.Game{}, stonetowerspainter.Painter(), stonetowersai.Engine()},
	{towers.Game{}, towerspainter.Painter(), towersai.Engine()},
	{rings.Game{}, ringspainter.Painter(), ringsai.Engine()},
	{trails.Game{}, trailspainter.Painter(), trailsai.Engine()},
}

// registry is the games' rules.
func registry() (*engine.Registry, error) {
	var all []engine.Game
	for _, g := range games {
		all = append(all, g.rules)
	}
	return engine.NewRegistry(all...)
}

// pictures is a renderer with the games' painters.
func pictures() (*imaging.Renderer, error) {
	var all []imaging.Painter
	for _, g := range games {
		all = append(all, g.painter)
	}
	return imaging.New(all...)
}

// brains is the games' computer players by the keys of the games.
func engines() map[string]search.Engine {
	all := map[string]search.Engine{}
	for _, g := range games {
		all[g.rules.Key()] = g.engine
	}
	return all
}
