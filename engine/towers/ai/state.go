package ai

import (
	"errors"
	"fmt"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
)

// piece is what stands on a cell: its height in the lower bits, whether the
// master is in it and, in the highest bit, whose it is. 0 is an empty cell.
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

// rules is the specific rules in force that matter after the start.
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

// ending is how the game ended.
type ending uint8

const (
	open   ending = iota
	struck        // the player whose turn it is has taken the master
	drawn
)

// State is a position that actions are played in and taken back. A move is one
// action.
type State struct {
	board [cells]piece
	frame
	undo  []undo
	stood []uint64 // the positions between turns that the game has gone through
	walls set
	size  uint8
	rules rules
	moves []search.Move // room of Playout
}

// frame is what is taken back as a whole.
type frame struct {
	own    [2]set
	tall   set // where something higher than 1 stands
	locked set // with all walls

	boardKey uint64 // of what stands where
	lockKey  uint64 // of what is locked
	startKey uint64 // boardKey at the start of the turn

	master  [2]cell
	reserve [2]uint8
	points  uint8 // move points left
	budget  uint8 // move points at the start of the turn
	mover   uint8 // 0 or 1; whose turn it was when the master fell
	ending  ending

	moved    bool // the turn has an action other than imports
	acted    bool // the turn has an action
	passed   bool // the turn before was a pass
	repeated bool // the position at the start of the turn had stood before
	fewer    bool // pawns have left the game in this turn

	turns int32 // the number of positions in stood
	since int32 // the first of them that can stand again
}

// undo is what an action changed.
type undo struct {
	frame
	from, to   cell
	left, into piece // what stood there
}

var (
	_ search.Evaluator = (*State)(nil)
	_ search.Playouter = (*State)(nil)
)

var errNoTowers = errors.New("towers/ai plays towers")

// NewState is a position of Towers to search in.
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
	s := &State{size: uint8(t.Size()), walls: wallsOf(t.Size())}
	for _, name := range t.Rules() {
		s.rules |= ruleBits[name]
	}
	earlier := t.History()
	// Room for the actions of a long search, and of games played out, that is
	// not made again and again.
	s.undo = make([]undo, 0, 512)
	s.stood = make([]uint64, 0, 512+len(earlier))
	s.moves = make([]search.Move, 0, 512)
	for i := len(earlier) - 1; i >= 0; i-- {
		s.set(earlier[i])
		s.stand()
	}
	s.startKey = s.boardKey
	pawns := s.pawns()
	s.set(t)
	s.fewer = s.pawns() != pawns
	return s, nil
}

// pawns is the number of pawns in the game.
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

// set makes the board, the reserves, the locks and the turn those of a
// position.
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
		s.mover, s.ending = uint8(r.Winners[0]-1), struck
	}
}

// stand notes the position at the start of a turn, and whether it had stood
// before.
func (s *State) stand() {
	key := s.turnKey()
	s.stood = append(s.stood[:s.turns], key)
	s.repeated = false
	// Only every other position has the same player to move.
	for i := s.turns - 2; i >= s.since; i -= 2 {
		if s.stood[i] == key {
			s.repeated = true
			break
		}
	}
	s.turns++
}

// Seat is whose action is next, from 0, or -1.
func (s *State) Seat() int {
	if s.ending != open {
		return -1
	}
	return int(s.mover)
}

// Seats is two.
func (s *State) Seats() int { return 2 }

// Share gives the win to who took the master, and half to each in a draw.
func (s *State) Share(values []float64) {
	if s.ending == drawn {
		values[0], values[1] = 0.5, 0.5
		return
	}
	values[s.mover&1], values[s.mover&1^1] = 1, 0
}

// key is the number of a piece on a cell, in the sum that tells positions
// apart (Zobrist, 1970), computed instead of kept in a table.
func key(c cell, p piece) uint64 {
	if p == 0 {
		return 0
	}
	return search.Mix(uint64(c)<<8 | uint64(p))
}

// turnKey is the number of what the rules call a position: what stands where,
// the reserves and who is to move.
func (s *State) turnKey() uint64 {
	return s.boardKey ^ reserveKey(s.reserve, s.mover)
}

func reserveKey(reserve [2]uint8, mover uint8) uint64 {
	return search.Mix(1<<32 | uint64(reserve[0])<<16 | uint64(reserve[1])<<8 | uint64(mover))
}

// Hash covers what stands where, what is locked, the reserves, whose turn it is
// with how many move points, and what the passes of the game ask for: how the
// turn began and whether the one before it was a pass. It leaves out what stood
// before that, which only matters to draws by repetition.
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

// take empties a cell that is not.
func (s *State) take(c cell) {
	p := s.board[c&(cells-1)]
	s.board[c&(cells-1)] = 0
	s.own[p.player()&1].remove(c)
	s.tall.remove(c)
	s.boardKey ^= key(c, p)
}

// change puts one piece of a player instead of another of his.
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

// Make plays one of the moves.
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

// span is the number of cells between two in a straight line.
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
				s.ending = struck
			}
			if p.isMaster() {
				p += target & heightBits
			} else {
				s.fewer = true
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
	if s.fewer {
		s.since, s.fewer = s.turns, false
	}
	again := s.repeated
	s.stand()
	if again && s.repeated && s.ending == open {
		s.ending = drawn
	}
}
