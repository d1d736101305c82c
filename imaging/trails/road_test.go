package trails

import (
	"fmt"
	"slices"
	"testing"

	"castellan/engine/trails"
)

// A road touches every square of its seat once, and leads over others by bridges.
func TestRoads(t *testing.T) {
	t.Parallel()
	for _, turns := range []string{"", middle, taking} {
		p := scene(t, "size=11", turns).Position.(*trails.Position)
		for i, r := range roads(p) {
			seat, own := seats[i], 0
			for x := range p.Size() {
				for y := range p.Size() {
					if p.Owner(trails.Square{X: x, Y: y}) == seat {
						own++
					}
				}
			}
			seen := map[trails.Square]bool{}
			for _, at := range r.ground {
				if p.Owner(at) != seat {
					t.Errorf("the road of seat %d touches %s", seat, at)
				}
				seen[at] = true
			}
			if len(r.ground) != own || len(seen) != own {
				t.Errorf("the road of seat %d touches %d squares, %d of them different, of %d", seat, len(r.ground), len(seen), own)
			}
		}
	}
}

// Jumps are bridges.
func TestBridges(t *testing.T) {
	t.Parallel()
	p := scene(t, "size=11", middle).Position.(*trails.Position)
	var bridges []string
	for i, r := range roads(p) {
		r.eachPiece(seats[i], 0, func(part piece, at trails.Square) {
			if part.distance > 0 {
				bridges = append(bridges, fmt.Sprint(at, part.distance))
			}
		})
	}
	if want := []string{"b8 2", "c2 2"}; !slices.Equal(bridges, want) {
		t.Errorf("the bridges are %q, not %q", bridges, want)
	}
}
