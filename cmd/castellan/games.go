package main

import (
	"castellan/engine"
	"castellan/engine/rings"
	"castellan/engine/stonetowers"
	"castellan/engine/towers"
	"castellan/engine/trails"
	"castellan/imaging"
)

// games is every game that this program hosts, with its painter, in the order
// in which people see them.
var games = []struct {
	rules   engine.Game
	painter imaging.Painter
}{
	{stonetowers.Game{}, imaging.StoneTowers()},
	{towers.Game{}, imaging.Towers()},
	{rings.Game{}, imaging.Rings()},
	{trails.Game{}, imaging.Trails()},
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
