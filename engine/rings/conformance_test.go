package rings_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/rings"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	enginetest.Suite{
		Games: enginetest.Sample(1, 2), Options: []string{"side=3", "side=4", "side=5", "side=6"}[:enginetest.Sample(1, 4)],
	}.Run(t, rings.Game{})
}

func TestPlaythrough(t *testing.T) {
	enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "side=3", Seats: 3, Seed: 2, Update: *update,
	}.Run(t, rings.Game{})
}
