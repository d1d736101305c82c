package board

import (
	"slices"

	"castellan/engine/grid"
)

// Ending says how a game ended.
type Ending uint8

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

func (e Ending) IsDraw() bool { return e >= Passes }

// Piece is the content of a cell: the height in the low bits, a bit for the
// master, and the owner in the highest bit. 0 is an empty cell. No tower is
// higher than all pawns of the largest game, 2*(20+6).
type Piece uint8

const (
	heightBits Piece = 1<<6 - 1
	MasterBit  Piece = 1 << 6
	RedBit     Piece = 1 << 7
	Wall       Piece = 1<<8 - 1
)

func (p Piece) Height() int    { return int(p & heightBits) }
func (p Piece) IsMaster() bool { return p&MasterBit != 0 }

// Player returns 0 for Blue and 1 for Red.
func (p Piece) Player() uint8 { return uint8(p >> 7) }

func Pawn(player uint8) Piece { return 1 | Piece(player)<<7 }

// Rules is a set of specific rules, a bit for each in the order of the rules
// page.
type Rules uint8

const (
	TowerOut          Rules = 1 << iota // any own tower gives pawns
	LockAfterMove                       // lock every target, empty ones too
	LockSplitTower                      // taking a pawn out locks the tower
	ImportFirst                         // imports only before any other action of the turn
	NoFirstLockMaster                   // seat 1's master is not locked in the first turn
	MasterAtCorner                      // the masters start in opposite corners
	NoMasterWin                         // a master cannot capture the enemy master
)

// State is a mutable position. A plain copy would share what Make and Play
// append to: use After or CopyFrom.
type State struct {
	Board [Cells]Piece
	frame
	Walls Set
	Size  uint8
	Rules Rules
	undo  []undo
	past  []uint64 // keys of the positions between turns
}

// frame holds the values that Unmake restores together.
type frame struct {
	Own    [2]Set
	Single Set // cells with a piece of height 1, and perhaps empty cells
	Locked Set // including all walls

	BoardKey uint64 // hash of the pieces
	LockKey  uint64 // hash of the locks
	StartKey uint64 // BoardKey at the start of the turn

	Master  [2]Cell
	Reserve [2]uint8
	Points  uint8 // move points left
	Budget  uint8 // move points, and reserve, at the start of the turn
	Mover   uint8 // 0 or 1; the winner after a master was taken
	Ending  Ending

	Moved     bool // the turn has an action other than imports
	Passed    bool // the last turn was a pass
	Repeated  bool // the position at the start of the turn occurred before
	pawnsLost bool // pawns have left the game in this turn

	turns           int32 // length of past
	firstRepeatable int32 // index in past of the first position that can recur
}

// undo holds the values that Unmake restores.
type undo struct {
	frame
	from, to   Cell
	left, into Piece // their contents
}

// New returns the starting position: "Setup" of the rules page.
func New(size int, r Rules) *State {
	s := NewEmpty(size, r)
	for x := range Cell(size) {
		for y := range Cell(2) {
			s.Put(y*Stride+x, Pawn(0))
			s.Put((Cell(size)-1-y)*Stride+x, Pawn(1))
		}
	}
	blue, red := Cell(size/2), Cell((size-1)/2)
	if r&MasterAtCorner != 0 {
		blue, red = Cell(size-1), 0
	}
	red += Cell(size-1) * Stride
	s.change(blue, s.Board[blue]|MasterBit)
	s.change(red, s.Board[red]|MasterBit)
	s.Reserve = [2]uint8{uint8(size - 4), uint8(size - 4)}
	s.BeginTurn()
	if r&NoFirstLockMaster == 0 {
		// A decision of the rules page, to offset moving first.
		s.Lock(blue)
	}
	return s
}

// NewEmpty returns a board without pieces. The caller puts them, sets the
// reserves and calls BeginTurn.
func NewEmpty(size int, r Rules) *State {
	s := &State{Size: uint8(size), Rules: r, Walls: walls(size)}
	for c := range Cell(Cells) {
		if s.Walls.Has(c) {
			s.Board[c] = Wall
		}
	}
	s.Locked, s.Master = s.Walls, [2]Cell{Nowhere, Nowhere}
	return s
}

// CopyFrom makes s a copy of t, in the memory that s has, from where t stands:
// Unmake of the copy cannot go back further.
func (s *State) CopyFrom(t *State) {
	past, undone := s.past[:0], s.undo[:0]
	*s = *t
	s.past, s.undo = append(past, t.past...), undone
}

// After returns the state after a legal move and leaves s as it is.
func (s *State) After(m Move) State {
	next := *s
	next.past, next.undo = slices.Clip(s.past[:s.turns]), nil
	next.Play(m)
	return next
}

// key returns the hash of a piece on a cell (Zobrist, 1970). It is computed,
// not looked up.
func key(c Cell, p Piece) uint64 {
	if p == 0 {
		return 0
	}
	return grid.Mix(uint64(c)<<8 | uint64(p))
}

// TurnKey returns the hash of what the rules call a position: the pieces, the
// reserves and the side to move.
func (s *State) TurnKey() uint64 { return s.BoardKey ^ reserveKey(s.Reserve, s.Mover) }

func reserveKey(reserve [2]uint8, mover uint8) uint64 {
	return grid.Mix(1<<32 | uint64(reserve[0])<<16 | uint64(reserve[1])<<8 | uint64(mover))
}

// EndKey returns what TurnKey will be after the end of the turn.
func (s *State) EndKey() uint64 {
	m := s.Mover & 1
	at := s.Master[m]
	p := s.Board[at&(Cells-1)]
	reserve := s.Reserve
	reserve[m] += uint8(p.Height() - 1)
	return s.BoardKey ^ key(at, p) ^ key(at, p&^heightBits|1) ^ reserveKey(reserve, m^1)
}

// Draws reports whether ending the turn draws the game. end is EndKey.
func (s *State) Draws(end uint64) bool {
	if !s.Passed && !s.Repeated || s.pawnsLost {
		return false
	}
	if s.Passed && s.changesNothing(end) {
		return true
	}
	for i := s.turns - 2; s.Repeated && i >= s.firstRepeatable; i -= 2 {
		if s.past[i] == end {
			return true
		}
	}
	return false
}

func (s *State) Acted() bool { return s.Points != s.Budget }

// Passes reports whether ending the turn now is a pass.
func (s *State) Passes() bool { return s.changesNothing(s.EndKey()) }

// changesNothing reports whether a turn with that EndKey leaves the cells and
// reserves as they were at its start.
func (s *State) changesNothing(end uint64) bool {
	start := s.Reserve
	start[s.Mover&1] = s.Budget
	return end == s.StartKey^reserveKey(start, s.Mover&1^1)
}

func (s *State) Put(c Cell, p Piece) {
	s.Board[c&(Cells-1)] = p
	s.Own[p.Player()&1].Add(c)
	s.BoardKey ^= key(c, p)
	s.mark(c, p)
}

// mark records the height of a piece and the place of a master.
func (s *State) mark(c Cell, p Piece) {
	if p&heightBits == 1 {
		s.Single.Add(c)
	} else {
		s.Single.Remove(c)
	}
	if p.IsMaster() {
		s.Master[p.Player()&1] = c
	}
}

func (s *State) take(c Cell) {
	p := s.Board[c&(Cells-1)]
	s.Board[c&(Cells-1)] = 0
	s.Own[p.Player()&1].Remove(c)
	s.BoardKey ^= key(c, p)
}

// change replaces a piece by another of the same player.
func (s *State) change(c Cell, p Piece) {
	s.BoardKey ^= key(c, s.Board[c&(Cells-1)]) ^ key(c, p)
	s.Board[c&(Cells-1)] = p
	s.mark(c, p)
}

// Lock locks a cell until the end of the turn.
func (s *State) Lock(c Cell) {
	if !s.Locked.Has(c) {
		s.Locked.Add(c)
		s.LockKey ^= key(c, Wall)
	}
}

// Make plays a legal move that Unmake can take back.
func (s *State) Make(m Move) {
	from, to := m.From(), m.To()
	if m.Kind() >= Import {
		from, to = s.Master[s.Mover&1], Nowhere
	}
	n := len(s.undo)
	if n == cap(s.undo) {
		s.undo = slices.Grow(s.undo, 1)
	}
	s.undo = s.undo[:n+1]
	u := &s.undo[n]
	u.frame = s.frame
	u.from, u.left = from, s.Board[from&(Cells-1)]
	u.to, u.into = to, s.Board[to&(Cells-1)]
	s.Play(m)
}

func (s *State) Unmake() {
	u := &s.undo[len(s.undo)-1]
	s.Board[u.from&(Cells-1)] = u.left
	s.Board[u.to&(Cells-1)] = u.into
	s.frame = u.frame
	s.undo = s.undo[:len(s.undo)-1]
}

// Play plays a legal move for good.
func (s *State) Play(m Move) {
	from, to := m.From(), m.To()
	switch m.Kind() {
	case Import:
		n := uint8(to)
		from = s.Master[s.Mover&1]
		s.change(from, s.Board[from&(Cells-1)]+Piece(n))
		s.Reserve[s.Mover&1] -= n
		s.Points -= n
	case End:
		s.end()
	case Walk:
		p := s.Board[from&(Cells-1)]
		s.take(from)
		s.Points -= uint8(p.Height() * m.Distance())
		s.arrive(p, to)
	case Out:
		p := s.Board[from&(Cells-1)]
		s.change(from, p-1)
		if s.Rules&LockSplitTower != 0 {
			s.Lock(from)
		}
		s.Points -= uint8(m.Distance())
		s.arrive(1|p&RedBit, to)
	}
}

// arrive puts a piece that has left its cell onto its target.
func (s *State) arrive(p Piece, to Cell) {
	if target := s.Board[to&(Cells-1)]; target != 0 {
		s.Lock(to)
		s.take(to)
		switch {
		case target.Player() != p.Player():
			if target.IsMaster() {
				s.Master[target.Player()&1] = Nowhere
				s.Ending = Master
			}
			if p.IsMaster() {
				p += target & heightBits
			} else {
				s.pawnsLost = true
			}
		case p.IsMaster():
			p += target & heightBits
		default:
			p = target + 1
		}
	} else if s.Rules&LockAfterMove != 0 {
		s.Lock(to)
	}
	s.Put(to, p)
	s.Moved = true
}

// end ends the turn: it exports pawns, clears the locks, and ends the game after
// two passes in a row or a second repetition.
func (s *State) end() {
	m := s.Mover & 1
	at := s.Master[m]
	if p := s.Board[at&(Cells-1)]; p.Height() > 1 {
		s.Reserve[m] += uint8(p.Height() - 1)
		s.change(at, p&^heightBits|1)
	}
	pass := s.BoardKey == s.StartKey && s.Reserve[m] == s.Budget
	if pass && s.Passed {
		s.Ending = Passes
	}
	s.Passed = pass
	s.Locked, s.LockKey = s.Walls, 0
	s.Mover ^= 1
	again := s.Repeated
	s.BeginTurn()
	if again && s.Repeated && s.Ending == Ongoing {
		s.Ending = Repetition
	}
}

// BeginTurn gives the player to move their points, and records the position and
// whether it is a repetition.
func (s *State) BeginTurn() {
	s.Points = s.Reserve[s.Mover&1]
	s.Budget = s.Points
	s.StartKey = s.BoardKey
	s.Moved = false
	if s.pawnsLost {
		// A pawn that has left the game never returns, so no earlier position
		// can occur again.
		s.firstRepeatable, s.pawnsLost = s.turns, false
	}
	key := s.TurnKey()
	s.past = append(s.past[:s.turns], key)
	s.Repeated = false
	// Only every other position has the same side to move.
	for i := s.turns - 2; i >= s.firstRepeatable; i -= 2 {
		if s.past[i] == key {
			s.Repeated = true
			break
		}
	}
	s.turns++
}
