package ai

import (
	"strconv"

	"castellan/engine"
	"castellan/engine/trails"
)

// Solved is a board of which it is known who wins if nobody errs.
type Solved struct {
	// Size, Towers and Distance are the options of the match.
	Size, Towers, Distance int
	// Winner is who wins, seat 1 or 2.
	Winner engine.Seat
	// line is how the winner begins, as far as it takes longer to find out
	// than a turn may: a letter for each of his moves, and behind it what
	// follows every legal reply, in the order right, down, left, up; a stop
	// where the solver takes over. Where the winner moves second, all his
	// answers to the first move stand one behind the other.
	line string
}

// letters name the directions in lines.
const (
	letters = "udlr"
	stop    = '.'
)

// order is how the replies of a line follow each other.
var order = [directions]trails.Direction{trails.Right, trails.Down, trails.Left, trails.Up}

// Boards is the boards that are solved, by size, towers and distance. What
// they say was found by Solver; TestSolvedBoards works it out anew.
func Boards() []Solved { return append([]Solved(nil), solved...) }

// opening is what the line of a solved board plays in a position; ok is false
// where it does not get there.
func opening(p *trails.Position, s *State) (d trails.Direction, ok bool) {
	for i := range solved {
		b := &solved[i]
		if b.line == "" || b.Size != p.Size() || int(b.Winner) != int(p.Seat()) {
			continue
		}
		start, err := b.start()
		if err != nil || !alike(start.Towers(), p.Towers()) {
			continue
		}
		walk, err := New(start)
		if err != nil {
			continue
		}
		w := finder{state: walk, sought: s, line: b.line, winner: uint8(b.Winner - 1), turns: p.Turns()}
		w.look(0)
		return w.found, w.ok
	}
	return 0, false
}

// alike reports whether towers stand on the same squares.
func alike(a, b []trails.Tower) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Square != b[i].Square {
			return false
		}
	}
	return true
}

// finder follows a line in search of a position.
type finder struct {
	state, sought *State
	line          string
	winner        uint8
	turns         int // until the position
	found         trails.Direction
	ok            bool
}

// look takes the part of the line that begins with a position off it.
func (f *finder) look(turns int) {
	s := f.state
	if s.winner >= 0 || f.ok {
		return
	}
	if s.mover == f.winner {
		c := f.line[0]
		f.line = f.line[1:]
		if c == stop {
			return
		}
		d := fromLetter(c)
		if turns == f.turns && s.Hash() == f.sought.Hash() {
			f.found, f.ok = d, true
			return
		}
		s.Make(move(uint8(d), s.reach(uint8(d))))
		f.look(turns + 1)
		s.Unmake()
		return
	}
	for _, d := range order {
		if s.legal>>d&1 != 0 && !f.ok {
			s.Make(move(uint8(d), s.reach(uint8(d))))
			f.look(turns + 1)
			s.Unmake()
		}
	}
}

func fromLetter(c byte) trails.Direction {
	for i := range letters {
		if letters[i] == c {
			return trails.Direction(i)
		}
	}
	return trails.Up
}

// start is the position at the start of a match on the board.
func (b *Solved) start() (*trails.Position, error) {
	g := trails.Game{}
	o, err := g.Options().Options(map[string]string{
		"size": strconv.Itoa(b.Size), "towers": strconv.Itoa(b.Towers), "distance": strconv.Itoa(b.Distance),
	})
	if err != nil {
		return nil, err
	}
	p, err := g.New(o, 2)
	if err != nil {
		return nil, err
	}
	return p.(*trails.Position), nil
}
