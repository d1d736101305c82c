package ai

import (
	"testing"

	"castellan/engine"
	"castellan/engine/search/searchtest"
)

func TestConformance(t *testing.T) {
	var positions []engine.Position
	for _, size := range sizes {
		positions = append(positions, start(t, size))
	}
	searchtest.Run(t, Engine(), positions...)
}
