package ai

import (
	"slices"

	"castellan/engine/search"
	"castellan/engine/towers/internal/board"
)

// turnEnd is a position that a turn can end in.
type turnEnd struct {
	key   uint64 // of the position after the turn
	value int32  // for the player who ends the turn
	order int32  // sort key
	node  int32  // index of the last action, -1 if there is none before the end
	lost  bool   // the master can be taken at once
	drawn bool   // the game is drawn by it
}

// node is an action on the way through a turn.
type node struct {
	parent int32
	move   search.Move
	order  int32 // priority for further actions
}

// turnList holds the ends of a turn from one position. Its buffers are reused.
type turnList struct {
	ends    []turnEnd
	nodes   []node
	layer   []int32 // nodes to continue from
	next    []int32
	moveBuf []board.Move
	pathBuf []search.Move
	*keySets
	drawValue int32 // for the player who ends the turn
}

// beam is the width of a beam search.
type beam struct {
	width int // nodes that each layer continues from
	limit int // positions in total
}

// pointValue is the value of an unused point in the priority of a node.
const pointValue = 6

// generate lists the ends of the open turn by a beam search over actions. It
// returns early if stop does. It returns the number of positions evaluated.
func (l *turnList) generate(s *State, b beam, stop func(*turnEnd) bool) (visited int64) {
	l.ends = l.ends[:0]
	if l.keySets == nil {
		l.keySets = new(keySets)
	}
	l.found.clear()
	return l.walk(s, b, func(at int32) (int32, bool) {
		f := l.addEnd(s, at)
		return f.value, stop(f)
	})
}

// walk visits positions that the open turn can end in, by a beam search over
// actions, none twice and none in which the master is taken; test for strikes
// first. visit gets the node of the state's position, -1 for the first, and
// returns its value, and whether to stop. walk returns the number of positions.
func (l *turnList) walk(s *State, b beam, visit func(at int32) (value int32, stop bool)) (visited int64) {
	l.nodes, l.layer = l.nodes[:0], l.layer[:0]
	l.seen.clear()
	l.seen.add(s.openKey())
	visited++
	if _, stop := visit(-1); stop || s.Points == 0 {
		return visited
	}
	l.layer = append(l.layer, -1)
	for len(l.layer) > 0 {
		if len(l.layer) > b.width {
			slices.SortFunc(l.layer, func(x, y int32) int { return int(l.nodes[y].order) - int(l.nodes[x].order) })
			l.layer = l.layer[:b.width]
		}
		l.next = l.next[:0]
		for _, from := range l.layer {
			made := l.makePath(s, from)
			l.moveBuf = s.singleActions(l.moveBuf[:0])
			for _, m := range l.moveBuf {
				s.State.Make(m)
				if s.Ending == board.Ongoing && l.seen.add(s.openKey()) {
					at := int32(len(l.nodes))
					l.nodes = append(l.nodes, node{parent: from, move: search.Move(m)})
					visited++
					value, stop := visit(at)
					l.nodes[at].order = value + pointValue*int32(s.Points)
					if s.Points > 0 {
						l.next = append(l.next, at)
					}
					if stop || len(l.nodes) >= b.limit {
						unmake(s, made+1)
						return visited
					}
				}
				s.Unmake()
			}
			unmake(s, made)
		}
		l.layer, l.next = l.next, l.layer
	}
	return visited
}

// addEnd lists the end of the turn after a node, unless it is listed already.
func (l *turnList) addEnd(s *State, at int32) *turnEnd {
	key := s.EndKey()
	if i, new := l.found.insert(key, int32(len(l.ends))); !new {
		return &l.ends[i]
	}
	f := s.turnEnd(key, int(l.drawValue))
	f.node, f.order = at, f.value
	l.ends = append(l.ends, f)
	return &l.ends[len(l.ends)-1]
}

// sort sorts the ends, most promising first.
func (l *turnList) sort() {
	slices.SortFunc(l.ends, func(x, y turnEnd) int {
		switch {
		case x.before(&y):
			return -1
		case y.before(&x):
			return 1
		}
		return 0
	})
}

// turnEnd evaluates the end of the turn in this position, whose endKey is key.
func (s *State) turnEnd(key uint64, drawValue int) turnEnd {
	e := turnEnd{key: key}
	if s.Draws(key) {
		e.drawn, e.value = true, int32(drawValue)
		return e
	}
	value, lost := s.evaluateTurnEnd()
	e.value, e.lost = int32(value), lost
	return e
}

// before reports whether an end is more promising than another.
func (e *turnEnd) before(f *turnEnd) bool {
	return e.order > f.order || e.order == f.order && e.node < f.node
}

// pick moves the most promising of the ends from number i on to number i. It
// sorts as far as needed: most turns are refuted by one of the first replies.
func (l *turnList) pick(i int) *turnEnd {
	best := i
	for j := i + 1; j < len(l.ends); j++ {
		if l.ends[j].before(&l.ends[best]) {
			best = j
		}
	}
	l.ends[i], l.ends[best] = l.ends[best], l.ends[i]
	return &l.ends[i]
}

// path returns the actions that lead to a node, in a buffer that the next call
// reuses.
func (l *turnList) path(at int32) []search.Move {
	l.pathBuf = l.pathBuf[:0]
	for ; at >= 0; at = l.nodes[at].parent {
		l.pathBuf = append(l.pathBuf, l.nodes[at].move)
	}
	slices.Reverse(l.pathBuf)
	return l.pathBuf
}

// makePath makes the actions that lead to a node and returns their number.
func (l *turnList) makePath(s *State, at int32) int {
	path := l.path(at)
	for _, m := range path {
		s.Make(m)
	}
	return len(path)
}

func unmake(s *State, n int) {
	for range n {
		s.Unmake()
	}
}

// singleActions appends the legal actions except the end, and except imports of
// several pawns, which single imports add up to.
func (s *State) singleActions(to []board.Move) []board.Move {
	to = board.AppendPieceMoves(&s.State, to, board.Outward)
	if s.Points > 0 && s.CanImport() {
		to = append(to, board.NewMove(board.Import, 0, 1))
	}
	return to
}

// openKey identifies positions within one turn. The pieces and the points left
// imply the reserve.
func (s *State) openKey() uint64 {
	k := s.BoardKey ^ s.LockKey ^ search.Mix(3<<32|uint64(s.Points))
	if s.Moved && s.Rules&board.ImportFirst != 0 {
		k = ^k
	}
	return k
}

// keySets are the sets that the generation of turns needs. One search shares
// them: no turn is generated while another is.
type keySets struct {
	seen  keySet // positions within the turn
	found keySet // positions after it
}

// keySet is a set of keys with a number each, which is cleared at no cost. It
// grows from small to large tables, so that few keys stay in the cache.
type keySet struct {
	all    []keySetEntry // the table in use, one of tables
	mask   uint64
	count  int
	level  int
	round  uint32
	tables [keySetLevels][]keySetEntry
}

const (
	keySetLevels = 12
	keySetRoom   = 512 // entries of the smallest table; every next has twice as many
)

type keySetEntry struct {
	key   uint64
	round uint32
	value int32
}

func (m *keySet) clear() {
	m.round++
	if m.round == 0 {
		for _, t := range m.tables {
			clear(t)
		}
		m.round = 1
	}
	m.use(0)
}

// use takes the table of a level, which must not be in use in this round.
func (m *keySet) use(level int) {
	if m.tables[level] == nil {
		m.tables[level] = make([]keySetEntry, keySetRoom<<level)
	}
	m.all, m.mask, m.level, m.count = m.tables[level], uint64(keySetRoom<<level-1), level, 0
}

// grow moves the keys to the next larger table.
func (m *keySet) grow() {
	old := m.all
	m.use(m.level + 1)
	for i := range old {
		if old[i].round == m.round {
			m.insert(old[i].key, old[i].value)
		}
	}
}

// insert returns the number of a key and whether it was inserted with that
// number now.
func (m *keySet) insert(key uint64, value int32) (was int32, isNew bool) {
	for i := key & m.mask; ; i = (i + 1) & m.mask {
		e := &m.all[i]
		if e.round != m.round {
			*e = keySetEntry{key, m.round, value}
			if m.count++; 2*m.count > len(m.all) && m.level+1 < keySetLevels {
				m.grow()
			}
			return value, true
		}
		if e.key == key {
			return e.value, false
		}
	}
}

func (m *keySet) add(key uint64) bool {
	_, isNew := m.insert(key, 0)
	return isNew
}
