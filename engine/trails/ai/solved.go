package ai

import (
	"fmt"
	"slices"
	"strings"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// Solved is a board whose winner under perfect play is known.
type Solved struct {
	// Size, Towers and Distance are the options of the match.
	Size, Towers, Distance int
	// Winner is seat 1 or 2.
	Winner engine.Seat
	// line is the winner's opening book, as far as the solver takes longer
	// than a turn: a letter for each of the winner's moves, followed by the
	// lines after every legal reply in the order right, down, left, up. A
	// stop leaves the rest to the solver. If the winner moves second, the
	// answers to all first moves follow each other.
	line string
}

// letters name the directions in lines.
const (
	letters = "udlr"
	stop    = '.'
)

// order is the order of replies in lines.
var order = [directions]trails.Direction{trails.Right, trails.Down, trails.Left, trails.Up}

// findInBook looks a position up in the opening books. If its mover wins, it returns their
// move.
func findInBook(p *trails.Position, s *State) (d trails.Direction, won, lost bool) {
	for i := range solved {
		b := &solved[i]
		if b.line == "" || b.Size != p.Size() {
			continue
		}
		start, err := b.start()
		if err != nil || !slices.EqualFunc(start.Towers(), p.Towers(), sameSquare) {
			continue
		}
		state, err := New(start)
		if err != nil {
			continue
		}
		f := bookFinder{state: state, target: s, line: b.line, winner: b.Winner, turns: p.Turns()}
		f.find(0)
		return f.move, f.found && s.Mover() == b.Winner, f.found && s.Mover() != b.Winner
	}
	return 0, false, false
}

func sameSquare(a, b trails.Tower) bool { return a.Square == b.Square }

// bookFinder looks for a position along a book line.
type bookFinder struct {
	state, target *State
	line          string
	winner        engine.Seat
	turns         int // until the position
	found         bool
	move          trails.Direction // there, if the winner is to move
}

// find consumes the part of the line that begins at a position.
func (f *bookFinder) find(turns int) {
	s := f.state
	if s.Seat() < 0 || f.found {
		return
	}
	here := turns == f.turns && s.Hash() == f.target.Hash()
	if s.Mover() == f.winner {
		c := f.line[0]
		f.line = f.line[1:]
		if c == stop {
			return
		}
		d := trails.Direction(strings.IndexByte(letters, c))
		if here {
			f.found, f.move = true, d
			return
		}
		s.Make(search.Move(d))
		f.find(turns + 1)
		s.Unmake()
		return
	}
	if f.found = here; here {
		return
	}
	for _, d := range order {
		if s.LegalMoves().Has(d) && !f.found {
			s.Make(search.Move(d))
			f.find(turns + 1)
			s.Unmake()
		}
	}
}

// start returns the first position of a match on the board.
func (b *Solved) start() (*trails.Position, error) {
	p, err := engine.Start(trails.Game{}, fmt.Sprintf("size=%d towers=%d distance=%d", b.Size, b.Towers, b.Distance), 2)
	if err != nil {
		return nil, err
	}
	return p.(*trails.Position), nil
}
