package rings_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	// All numbers of seats play on the first board, some on each of the others:
	// every position has up to 217 legal actions, and all are looked at.
	enginetest.Suite{
		Games: 2, Options: []string{"side=3", "side=4", "side=5", "side=6"},
	}.Run(t, rings.Game{})
}

func TestPlaythrough(t *testing.T) {
	enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "side=3", Seats: 3, Seed: 2, Update: *update,
	}.Run(t, rings.Game{})
}
