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

// games lists the games that this program hosts, each with its painter and its
// computer player, in the order in which people see them.
var games = []struct {
	rules   engine.Game
	painter imaging.Painter
	brain   search.Brain
}{
	{stonetowers.Game{}, stonetowerspainter.Painter(), stonetowersai.Brain()},
	{towers.Game{}, towerspainter.Painter(), towersai.Brain()},
	{rings.Game{}, ringspainter.Painter(), ringsai.Brain()},
	{trails.Game{}, trailspainter.Painter(), trailsai.Brain()},
}

// registry returns the games' rules.
func registry() (*engine.Registry, error) {
	var all []engine.Game
	for _, g := range games {
		all = append(all, g.rules)
	}
	return engine.NewRegistry(all...)
}

// pictures returns a renderer with the games' painters.
func pictures() (*imaging.Renderer, error) {
	var all []imaging.Painter
	for _, g := range games {
		all = append(all, g.painter)
	}
	return imaging.New(all...)
}

// brains returns the games' computer players by the keys of the games.
func brains() map[string]search.Brain {
	all := map[string]search.Brain{}
	for _, g := range games {
		all[g.rules.Key()] = g.brain
	}
	return all
}
