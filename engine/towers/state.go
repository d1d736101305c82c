package towers

import (
	"castellan/engine"
)

// Ending says how a game ended.
type Ending uint8

// The endings.
const (
	Ongoing    Ending = iota // the game goes on
	Master                   // a master was taken
	Passes                   // both players passed, one after the other
	Repetition               // two successive positions both occurred before
)

// String returns the reason in a result; it is empty while the game goes on.
func (e Ending) String() string {
	return [...]string{"", "master", "passes", "repetition"}[e&3]
}

// piece is the content of a cell: the height in the low bits, a bit for the
// master, and the owner in the highest bit. 0 is an empty cell. No tower is
// higher than all pawns of the largest game, 2*(20+6).
type piece uint8

const (
	heightBits piece = 1<<6 - 1
	masterBit  piece = 1 << 6
	redBit     piece = 1 << 7
	wall       piece = 1<<8 - 1
)

func (p piece) height() int    { return int(p & heightBits) }
func (p piece) isMaster() bool { return p&masterBit != 0 }

// player returns 0 for Blue and 1 for Red.
func (p piece) player() uint8 { return uint8(p >> 7) }

// pawn returns a single pawn of a player.
func pawn(player uint8) piece { return 1 | piece(player)<<7 }

// State is a mutable position that plays actions without allocation. It takes
// about 350 bytes and has no pointers: to take actions back, keep a copy. It
// does not know the draw by repetition, which depends on the history of the
// game.
type State struct {
	board  [cells]piece
	before [cells]piece // cells at the start of the turn
	own    [2]set
	single set // cells with a piece of height 1, and perhaps empty cells
	locked set // including all walls
	walls  set

	master  [2]cell
	reserve [2]uint8
	points  uint8 // move points left
	budget  uint8 // move points, and reserve, at the start of the turn
	mover   uint8 // 0 or 1; the winner after a master was taken
	size    uint8
	rules   rules
	ending  Ending
	acted   bool // the turn has an action
	moved   bool // the turn has an action other than imports
	passed  bool // the last turn was a pass
}

// newState returns the starting position: "Setup" of the rules page.
func newState(size int, r rules) State {
	s := State{size: uint8(size), rules: r, walls: walls(size)}
	for c := range cell(cells) {
		if s.walls.has(c) {
			s.board[c] = wall
		}
	}
	for x := range size {
		for _, y := range []int{0, 1} {
			s.put(Square{x, y}.cell(), pawn(0))
			s.put(Square{x, size - 1 - y}.cell(), pawn(1))
		}
	}
	blue, red := size/2, (size-1)/2
	if r&masterAtCorner != 0 {
		blue, red = size-1, 0
	}
	s.put(Square{blue, 0}.cell(), pawn(0)|masterBit)
	s.put(Square{red, size - 1}.cell(), pawn(1)|masterBit)
	s.reserve = [2]uint8{uint8(size - 4), uint8(size - 4)}
	s.locked = s.walls
	s.beginTurn()
	if r&noFirstLockMaster == 0 {
		// A decision of the rules page, to offset moving first.
		s.locked.add(s.master[0])
	}
	return s
}

// put places a piece on an empty cell, or replaces one of the same player.
func (s *State) put(c cell, p piece) {
	s.board[c&(cells-1)] = p
	s.own[p.player()&1].add(c)
	if p&heightBits == 1 {
		s.single.add(c)
	} else {
		s.single.remove(c)
	}
	if p.isMaster() {
		s.master[p.player()&1] = c
	}
}

// Seat returns the seat to act, or Nobody when the game is over.
func (s *State) Seat() engine.Seat {
	if s.ending != Ongoing {
		return engine.Nobody
	}
	return engine.Seat(s.mover + 1)
}

// Outcome returns the winner and the reason: Nobody and Ongoing during the
// game, Nobody and the reason after a draw.
func (s *State) Outcome() (winner engine.Seat, why Ending) {
	if s.ending == Master {
		return engine.Seat(s.mover + 1), Master
	}
	return engine.Nobody, s.ending
}

// Play plays a legal action.
func (s *State) Play(a Action) {
	switch a.kind {
	case Import:
		at := s.master[s.mover&1]
		s.put(at, s.board[at&(cells-1)]+piece(a.count))
		s.reserve[s.mover&1] -= a.count
		s.points -= a.count
		s.acted = true
	case Move:
		p := s.board[a.from&(cells-1)]
		s.board[a.from&(cells-1)] = 0
		s.own[s.mover&1].remove(a.from)
		s.points -= uint8(p.height()) * distance(a)
		s.arrive(p, a.to)
	case TakeOut:
		s.put(a.from, s.board[a.from&(cells-1)]-1)
		if s.rules&lockSplitTower != 0 {
			s.locked.add(a.from)
		}
		s.points -= distance(a)
		s.arrive(pawn(s.mover), a.to)
	default:
		s.end()
	}
}

// distance returns the number of cells that a straight action covers.
func distance(a Action) uint8 {
	d := a.to - a.from
	if a.to < a.from {
		d = a.from - a.to
	}
	if d >= stride {
		d /= stride
	}
	return uint8(d)
}

// arrive puts a piece that has left its cell onto its target.
func (s *State) arrive(p piece, to cell) {
	target := s.board[to&(cells-1)]
	if target != 0 {
		s.locked.add(to)
		if target.player() != p.player() {
			s.attack(p, target, to)
		}
		switch {
		case p.isMaster(): // moves onto an own pawn, or captures
			p += target & heightBits
		case target.player() == p.player():
			p = target + 1
		}
	} else if s.rules&lockAfterMove != 0 {
		s.locked.add(to)
	}
	s.put(to, p)
	s.acted, s.moved = true, true
}

// attack removes an enemy piece from the board.
func (s *State) attack(p, target piece, at cell) {
	s.own[target.player()].remove(at)
	if target.isMaster() {
		s.master[target.player()] = nowhere
		s.ending = Master
	}
}

// end ends the turn: it exports pawns, clears locks, and ends the game after
// two passes in a row.
func (s *State) end() {
	m := s.mover & 1
	master := s.board[s.master[m]&(cells-1)]
	s.reserve[m] += uint8(master&heightBits) - 1
	s.put(s.master[m], master&^heightBits|1)
	pass := !s.acted || s.reserve[m] == s.budget && s.board == s.before
	if pass && s.passed {
		s.ending = Passes
	}
	s.passed = pass
	s.locked = s.walls
	s.mover ^= 1
	s.beginTurn()
}

// passes reports whether ending the turn now is a pass.
func (s *State) passes() bool {
	after := *s
	after.end()
	return after.passed
}

// beginTurn gives the player to move their points.
func (s *State) beginTurn() {
	s.points = s.reserve[s.mover&1]
	s.budget = s.points
	s.before = s.board
	s.acted, s.moved = false, false
}
