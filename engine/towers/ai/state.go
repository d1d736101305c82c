package ai

import (
	"errors"
	"fmt"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
)

// piece is the content of a cell: its height in the lower bits, a bit for the
// master, and the player in the highest bit. 0 is an empty cell.
type piece uint8

const (
	heightBits piece = 1<<6 - 1
	masterBit  piece = 1 << 6
	redBit     piece = 1 << 7
	wall       piece = 1<<8 - 1
)

func (p piece) height() int    { return int(p & heightBits) }
func (p piece) isMaster() bool { return p&masterBit != 0 }
func (p piece) player() uint8  { return uint8(p >> 7) }

// rules is the set of optional rules that matter after the start.
type rules uint8

const (
	towerOut rules = 1 << iota
	lockAfterMove
	lockSplitTower
	importFirst
	noMasterWin
)

var ruleBits = map[string]rules{
	"tower-out": towerOut, "lock-after-move": lockAfterMove, "lock-split-tower": lockSplitTower,
	"import-first": importFirst, "no-master-win": noMasterWin,
}

// ending tells how the game ended.
type ending uint8

const (
	open        ending = iota
	masterTaken        // the side to move has taken the master
	drawn
)

// State is the search state. A move is one action.
type State struct {
	board [cells]piece
	frame
	undo     []undo
	pastKeys []uint64 // of positions between turns
	walls    set
	size     uint8
	rules    rules
	weights  *weights
	moves    []search.Move // buffer of Playout
}

// frame holds the values that Unmake restores together.
type frame struct {
	own    [2]set
	tall   set // pieces higher than 1
	locked set // including all walls

	boardKey uint64 // hash of the pieces
	lockKey  uint64 // hash of the locks
	startKey uint64 // boardKey at the start of the turn

	master  [2]cell
	reserve [2]uint8
	points  uint8 // move points left
	budget  uint8 // move points at the start of the turn
	mover   uint8 // 0 or 1; after the end, the last to move
	ending  ending

	moved     bool // the turn has an action other than imports
	acted     bool // the turn has an action
	passed    bool // the turn before was a pass
	repeated  bool // the position at the start of the turn is a repetition
	pawnsLost bool // pawns have left the game in this turn

	turns           int32 // length of pastKeys
	firstRepeatable int32 // index of the first position that can recur
}

// undo holds the values that Unmake restores.
type undo struct {
	frame
	from, to   cell
	left, into piece // their contents
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

var errNoTowers = errors.New("towers/ai plays towers")

// NewState returns the search state of a position. It fails for positions of
// other games.
func NewState(p engine.Position) (search.State, error) {
	s, err := newState(p)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func newState(p engine.Position) (*State, error) {
	t, ok := p.(*towers.Position)
	if !ok {
		return nil, fmt.Errorf("%w, not a position of type %T", errNoTowers, p)
	}
	s := &State{size: uint8(t.Size()), walls: wallsOf(t.Size()), weights: &fittedWeights}
	for _, name := range t.Rules() {
		s.rules |= ruleBits[name]
	}
	earlier := t.History()
	// Enough for long searches and playouts.
	s.undo = make([]undo, 0, 512)
	s.pastKeys = make([]uint64, 0, 512+len(earlier))
	s.moves = make([]search.Move, 0, 512)
	for i := len(earlier) - 1; i >= 0; i-- {
		s.set(earlier[i])
		s.recordPosition()
	}
	s.startKey = s.boardKey
	pawns := s.pawns()
	s.set(t)
	s.pawnsLost = s.pawns() != pawns
	return s, nil
}

// pawns returns the number of pawns in the game.
func (s *State) pawns() int {
	n := int(s.reserve[0]) + int(s.reserve[1])
	for p := range 2 {
		for all := s.own[p]; !all.empty(); {
			c := all.first()
			all.remove(c)
			n += s.board[c&(cells-1)].height()
		}
	}
	return n
}

// set copies board, reserves, locks and turn of a position.
func (s *State) set(t *towers.Position) {
	s.own, s.tall, s.locked = [2]set{}, set{}, s.walls
	s.boardKey, s.lockKey = 0, 0
	s.master = [2]cell{nowhere, nowhere}
	for c := range cell(cells) {
		if s.walls.has(c) {
			s.board[c] = wall
			continue
		}
		s.board[c] = 0
		at := t.At(c.square())
		if at.Owner == engine.Nobody {
			continue
		}
		p := piece(at.Height) | piece(at.Owner-1)<<7
		if at.Master {
			p |= masterBit
		}
		s.put(c, p)
		if t.Locked(c.square()) {
			s.lock(c)
		}
	}
	s.reserve = [2]uint8{uint8(t.Reserve(1)), uint8(t.Reserve(2))}
	left, of := t.MovePoints()
	s.points, s.budget = uint8(left), uint8(of)
	s.moved, s.passed = t.Moved(), t.PreviousPassed()
	s.acted = s.points != s.budget
	switch r, over := t.Result(); {
	case !over:
		s.mover = uint8(t.Seat() - 1)
	case len(r.Winners) == 0:
		s.ending = drawn
	default:
		s.mover, s.ending = uint8(r.Winners[0]-1), masterTaken
	}
}

// recordPosition records the position at the start of a turn and whether it is
// a repetition.
func (s *State) recordPosition() {
	key := s.turnKey()
	s.pastKeys = append(s.pastKeys[:s.turns], key)
	s.repeated = false
	// Only every other position has the same side to move.
	for i := s.turns - 2; i >= s.firstRepeatable; i -= 2 {
		if s.pastKeys[i] == key {
			s.repeated = true
			break
		}
	}
	s.turns++
}

// Seat returns the seat to move, counted from 0, or -1.
func (s *State) Seat() int {
	if s.ending != open {
		return -1
	}
	return int(s.mover)
}

// Seats returns 2.
func (s *State) Seats() int { return 2 }

// Payoffs gives the win to the player who took the master, or half to each in a
// draw.
func (s *State) Payoffs(values []float64) {
	if s.ending == drawn {
		values[0], values[1] = 0.5, 0.5
		return
	}
	values[s.mover&1], values[s.mover&1^1] = 1, 0
}

// key returns the hash of a piece on a cell (Zobrist, 1970). It is computed,
// not looked up.
func key(c cell, p piece) uint64 {
	if p == 0 {
		return 0
	}
	return search.Mix(uint64(c)<<8 | uint64(p))
}

// turnKey returns the hash of what the rules call a position: the pieces, the
// reserves and the side to move.
func (s *State) turnKey() uint64 {
	return s.boardKey ^ reserveKey(s.reserve, s.mover)
}

func reserveKey(reserve [2]uint8, mover uint8) uint64 {
	return search.Mix(1<<32 | uint64(reserve[0])<<16 | uint64(reserve[1])<<8 | uint64(mover))
}

// Hash covers the pieces, the locks, the reserves, the side to move and its
// points, the start of the turn and whether the turn before was a pass. It
// leaves out earlier positions, which matter only to draws by repetition.
func (s *State) Hash() uint64 {
	flags := uint64(s.ending) << 2
	if s.passed {
		flags |= 1
	}
	if s.moved && s.rules&importFirst != 0 {
		flags |= 2
	}
	return s.turnKey() ^ s.lockKey ^ search.Mix(2<<32|uint64(s.budget)<<16|uint64(s.points)<<8|flags) ^ search.Mix(s.startKey^1<<63)
}

// put places a piece on an empty cell.
func (s *State) put(c cell, p piece) {
	s.board[c&(cells-1)] = p
	s.own[p.player()&1].add(c)
	if p&heightBits > 1 {
		s.tall.add(c)
	}
	if p.isMaster() {
		s.master[p.player()&1] = c
	}
	s.boardKey ^= key(c, p)
}

// take empties a cell.
func (s *State) take(c cell) {
	p := s.board[c&(cells-1)]
	s.board[c&(cells-1)] = 0
	s.own[p.player()&1].remove(c)
	s.tall.remove(c)
	s.boardKey ^= key(c, p)
}

// change replaces a piece by another of the same player.
func (s *State) change(c cell, p piece) {
	s.boardKey ^= key(c, s.board[c&(cells-1)]) ^ key(c, p)
	s.board[c&(cells-1)] = p
	if p&heightBits > 1 {
		s.tall.add(c)
	} else {
		s.tall.remove(c)
	}
}

func (s *State) lock(c cell) {
	if !s.locked.has(c) {
		s.locked.add(c)
		s.lockKey ^= key(c, wall)
	}
}

// Make plays one action.
func (s *State) Make(m search.Move) {
	kind, from, to := parts(m)
	u := undo{frame: s.frame, from: nowhere, to: nowhere, left: wall, into: wall}
	switch kind {
	case kindImport:
		from = s.master[s.mover&1]
		u.from, u.left = from, s.board[from&(cells-1)]
		s.change(from, u.left+piece(to))
		s.reserve[s.mover&1] -= uint8(to)
		s.points -= uint8(to)
		s.acted = true
	case kindEnd:
		at := s.master[s.mover&1]
		u.from, u.left = at, s.board[at&(cells-1)]
		s.end()
	default:
		u.from, u.left = from, s.board[from&(cells-1)]
		u.to, u.into = to, s.board[to&(cells-1)]
		goer := u.left
		if kind == kindMove {
			s.take(from)
			s.points -= uint8(goer.height() * span(from, to))
		} else {
			s.change(from, goer-1)
			if s.rules&lockSplitTower != 0 {
				s.lock(from)
			}
			goer = 1 | goer&redBit
			s.points -= uint8(span(from, to))
		}
		s.arrive(goer, to)
	}
	s.undo = append(s.undo, u)
}

// Unmake takes back the last action.
func (s *State) Unmake() {
	u := &s.undo[len(s.undo)-1]
	s.board[u.from&(cells-1)] = u.left
	s.board[u.to&(cells-1)] = u.into
	s.frame = u.frame
	s.undo = s.undo[:len(s.undo)-1]
}

// span returns the number of steps between two cells of a row or column.
func span(from, to cell) int {
	d := int(to) - int(from)
	if d < 0 {
		d = -d
	}
	if d >= stride {
		d /= stride
	}
	return d
}

// arrive puts a piece that has left its cell on its target.
func (s *State) arrive(p piece, to cell) {
	if target := s.board[to&(cells-1)]; target != 0 {
		s.lock(to)
		s.take(to)
		switch {
		case target.player() != p.player():
			if target.isMaster() {
				s.master[target.player()&1] = nowhere
				s.ending = masterTaken
			}
			if p.isMaster() {
				p += target & heightBits
			} else {
				s.pawnsLost = true
			}
		case p.isMaster():
			p += target & heightBits
		default:
			p = target + 1
		}
	} else if s.rules&lockAfterMove != 0 {
		s.lock(to)
	}
	s.put(to, p)
	s.acted, s.moved = true, true
}

// end ends the turn.
func (s *State) end() {
	m := s.mover & 1
	at := s.master[m]
	p := s.board[at&(cells-1)]
	s.reserve[m] += uint8(p.height() - 1)
	s.change(at, p&^heightBits|1)
	pass := s.boardKey == s.startKey && s.reserve[m] == s.budget
	if pass && s.passed {
		s.ending = drawn
	}
	s.passed = pass
	s.locked, s.lockKey = s.walls, 0
	s.mover ^= 1
	s.points = s.reserve[s.mover&1]
	s.budget = s.points
	s.startKey = s.boardKey
	s.moved, s.acted = false, false
	if s.pawnsLost {
		s.firstRepeatable, s.pawnsLost = s.turns, false
	}
	again := s.repeated
	s.recordPosition()
	if again && s.repeated && s.ending == open {
		s.ending = drawn
	}
}
