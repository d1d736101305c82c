package sample_test

import (
	"flag"
	"testing"

	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
)

var update = flag.Bool("update", false, "write the golden files")

func TestConformance(t *testing.T) {
	enginetest.Run(t, sample.Game{})
}

func TestPlaythrough(t *testing.T) {
	p := enginetest.Playthrough{
		File: "testdata/playthrough.txt", Options: "piles=2 counters=3 most=2", Seats: 3, Seed: 1, Update: *update,
	}
	p.Run(t, sample.Game{})
	p.File, p.Options = "testdata/playthrough-1.txt", "piles=2 counters=3 limit=2"
	p.Run(t, sample.V1)
}
