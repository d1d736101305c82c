package trails_test

import (
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
)

// A path has the squares on which moves ended, and not those that they crossed.
func TestPath(t *testing.T) {
	t.Parallel()
	p := enginetest.Play(t, position(t, "size=11"), "down up down up down")
	for i, want := range [][]string{{"a11", "a10", "a8", "a5"}, {"k1", "k2", "k4"}} {
		var got []string
		for _, s := range p.Path(engine.Seat(i + 1)) {
			got = append(got, s.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("the path of seat %d is %v, not %v", i+1, got, want)
		}
	}
}
