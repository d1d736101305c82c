package trails_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/trails"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	enginetest.Conformance(t, trails.Game{},
		"", "size=5 towers=1", "size=7 towers=4 distance=0", "size=21 towers=9 distance=1")
}

func TestPlaythrough(t *testing.T) {
	enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "size=9 towers=3 distance=1", Seed: 4, Update: *update,
	}.Run(t, trails.Game{})
}
