package ai

import (
	"testing"

	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// canStrike tries every way to play the rest of the turn.
func canStrike(s *State, seen map[uint64]bool) bool {
	if s.Ending == board.Master {
		return true
	}
	if s.Points == 0 || seen[s.Hash()] {
		return false
	}
	seen[s.Hash()] = true
	for _, m := range s.Moves(nil) {
		if m == moveEnd {
			continue
		}
		s.Make(m)
		found := canStrike(s, seen)
		s.Unmake()
		if found {
			return true
		}
	}
	return false
}

func TestStrike(t *testing.T) {
	asked, found := 0, 0
	most := uint8(3)
	if share == 1 {
		most = 4
	}
	randomGames(t, gameCount(10), func(p *towers.Position, s *State) {
		if s.Ending != board.Ongoing || s.Points == 0 || s.Points > most {
			return
		}
		asked++
		want := canStrike(s, map[uint64]bool{})
		if want {
			found++
		}
		if got := s.strikeNow() <= int(s.Points); got != want {
			t.Errorf("%v rules %v: strike %v, in truth %v, with %d points in\n%s", p.Turns(), p.Rules(), got, want, s.Points, p.Text())
		}
	})
	if found == 0 || found == asked {
		t.Errorf("a strike in %d of %d positions", found, asked)
	}
}
