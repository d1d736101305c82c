package trails_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	enginetest.Run(t, trails.Game{})
}

func TestPlaythrough(t *testing.T) {
	enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "size=9 towers=3 distance=1", Seed: 4, Update: *update,
	}.Run(t, trails.Game{})
}
