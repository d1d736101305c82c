package ai

import (
	"math/rand/v2"
	"testing"

	"castellan/engine/trails"
)

// swapPlayers returns the position with the players exchanged: mirrored in the
// diagonal of the towers.
func swapPlayers(s *State) *State {
	other := *s
	other.made = nil
	other.free, other.tower = board{}, board{}
	turn := func(c cell) cell { return cell(int(c)%s.geo.size*s.geo.size + int(c)/s.geo.size) }
	for c := range cell(s.geo.cells) {
		if s.free.has(c) {
			other.free.set(turn(c))
		}
		if s.tower.has(c) {
			other.tower.set(turn(c))
		}
	}
	for i, p := range s.sides {
		p.head = turn(p.head)
		p.dir = [...]uint8{trails.Up: uint8(trails.Right), trails.Down: uint8(trails.Left),
			trails.Left: uint8(trails.Down), trails.Right: uint8(trails.Up), none: none}[p.dir]
		other.sides[1-i] = p
	}
	other.mover ^= 1
	other.legal = other.legalFor(&other.sides[other.mover])
	return &other
}

// With the players exchanged the evaluation is the same.
func TestEvaluateSymmetry(t *testing.T) {
	for _, options := range boards {
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 5))
			s := stateOf(t, randomPosition(t, options, r.IntN(40), r))
			if s.winner >= 0 {
				continue
			}
			if got, want := swapPlayers(s).Evaluate(), s.Evaluate(); got != want {
				t.Errorf("%s seed %d: %d, and %d with the players exchanged", options, seed, want, got)
			}
		}
	}
}

// A tower in reach raises the evaluation.
func TestEvaluateTowerInReach(t *testing.T) {
	s := stateOf(t, position(t, "size=9 towers=1"))
	even := s.Evaluate()
	c := cell(4*9 + 4)
	s.sides[0] = side{head: c - 2, dir: uint8(trails.Right)} // the next run takes it
	s.free.drop(c - 2)
	if near := s.Evaluate(); near <= even+100 {
		t.Errorf("%d beside the tower, %d at the start", near, even)
	}
}
