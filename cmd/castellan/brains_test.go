package main

import (
	"testing"

	"castellan/engine/search/searchtest"
)

// Every game's players keep the contract.
func TestEveryBrainIsSound(t *testing.T) {
	for _, g := range games {
		t.Run(g.rules.Key(), func(t *testing.T) {
			searchtest.Suite{Games: 1, Actions: 60, Thoughts: 1, Nodes: 50}.Run(t, g.brain)
		})
	}
}
