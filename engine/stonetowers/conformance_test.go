package stonetowers_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/stonetowers"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	enginetest.Conformance(t, stonetowers.Game{},
		"", "width=4 height=4 turns=14", "width=4 height=16 turns=10", "width=16 height=16 turns=5", "width=5 height=6 turns=30")
}

func TestPlaythrough(t *testing.T) {
	enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "width=4 height=4 turns=14", Seed: 611, Update: *update,
	}.Run(t, stonetowers.Game{})
}
