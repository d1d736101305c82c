package towers_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/towers"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	// Games are long and have many actions to ask about: two for each set of
	// options are some 3,000 positions.
	enginetest.Conformance(t, towers.Game{},
		"", "size=6 rules=tower-out+lock-after-move+lock-split-tower+import-first+no-master-win")
}

func TestPlaythrough(t *testing.T) {
	enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "size=6 rules=tower-out", Seed: 4, Update: *update,
	}.Run(t, towers.Game{})
}
