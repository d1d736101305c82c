package ai

import (
	"strconv"

	"castellan/engine"
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

// bookMove returns the book's move in a position, and whether there is one.
func bookMove(p *trails.Position, s *State) (d trails.Direction, ok bool) {
	for i := range solved {
		b := &solved[i]
		if b.line == "" || b.Size != p.Size() || int(b.Winner) != int(p.Seat()) {
			continue
		}
		start, err := b.start()
		if err != nil || !sameTowers(start.Towers(), p.Towers()) {
			continue
		}
		state, err := New(start)
		if err != nil {
			continue
		}
		f := bookFinder{state: state, target: s, line: b.line, winner: uint8(b.Winner - 1), turns: p.Turns()}
		f.find(0)
		return f.found, f.ok
	}
	return 0, false
}

// sameTowers reports whether towers stand on the same squares.
func sameTowers(a, b []trails.Tower) bool {
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

// bookFinder looks for a position along a book line.
type bookFinder struct {
	state, target *State
	line          string
	winner        uint8
	turns         int // until the position
	found         trails.Direction
	ok            bool
}

// find consumes the part of the line that begins at a position.
func (f *bookFinder) find(turns int) {
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
		if turns == f.turns && s.Hash() == f.target.Hash() {
			f.found, f.ok = d, true
			return
		}
		s.Make(move(uint8(d), s.destination(uint8(d))))
		f.find(turns + 1)
		s.Unmake()
		return
	}
	for _, d := range order {
		if s.legal>>d&1 != 0 && !f.ok {
			s.Make(move(uint8(d), s.destination(uint8(d))))
			f.find(turns + 1)
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

// start returns the first position of a match on the board.
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
