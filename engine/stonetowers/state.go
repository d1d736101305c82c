package stonetowers

import "castellan/engine"

// pass is the move that stands for no square. A move is otherwise the cell on which
// a castle is built or fortified: a square never offers both.
const pass Cell = 0

// State is a mutable position, which [Position] wraps and searches use. Copies are
// independent. Players count from 0: Red, then Blue.
type State struct {
	At    [MaxCells]Content
	Owned [2]int16 // squares by player
	Left  int16    // turns left, of both players together
	total int16    // turns of a whole game, an even number
	*Board
}

func newState(b *Board, turns int) State {
	s := State{Board: b, Left: int16(2 * turns), total: int16(2 * turns)}
	for c := range s.At {
		s.At[c] = even | Content(Outside)<<ownerShift
	}
	for _, c := range b.Cells {
		s.At[c] = even | Content(b.placeOf(b.Square(c)))<<placeShift
	}
	return s
}

func (s *State) Player() int { return int(s.Left) & 1 }

// MustPass reports whether the player to move can neither build nor fortify.
func (s *State) MustPass() bool {
	open := Playable(s.Player())
	for _, c := range s.Cells {
		if open[s.At[c]&(Contents-1)] {
			return false
		}
	}
	return true
}

// Action returns the action of a legal move.
func (s *State) Action(c Cell) Action {
	switch {
	case c == pass:
		return Action{Kind: Pass}
	case s.At[c].Level() > 0:
		return Action{Fortify, s.Square(c)}
	}
	return Action{Build, s.Square(c)}
}

// seat returns the seat to act, or Nobody when the game is over.
func (s *State) seat() engine.Seat {
	if s.Left == 0 {
		return engine.Nobody
	}
	return engine.Seat(s.Player() + 1)
}

// Play plays a legal move that is not to be taken back.
func (s *State) Play(c Cell) {
	if c != pass {
		q, player := s.At[c], s.Player()
		if q.Owner() == Free {
			s.Owned[player]++
		}
		s.At[c] = q.raised(player)
		s.spread(c, player)
	}
	s.Left--
}

// spread raises the player's influence on a cell that they own and its neighbours by
// one, and gives them the squares where it is greater now. Castles of the opponent
// there fall, which does the same around them for each of their levels: the domino
// effect. The order does not matter, because every step favours the player.
func (s *State) spread(c Cell, player int) {
	steps := &steps[player]
	s.At[c] += Content(Sign(player))
	// Without a loop, as the neighbours are independent of each other.
	below, above, left, right := c-1, c+1, c-s.Stride, c+s.Stride
	atBelow := steps[s.At[below]&(Contents-1)]
	atAbove := steps[s.At[above]&(Contents-1)]
	atLeft := steps[s.At[left]&(Contents-1)]
	atRight := steps[s.At[right]&(Contents-1)]
	s.At[below], s.At[above], s.At[left], s.At[right] = Content(atBelow), Content(atAbove), Content(atLeft), Content(atRight)
	sum := atBelow + atAbove + atLeft + atRight
	s.Owned[player] += int16(sum / stepWon & 15)
	s.Owned[1-player] -= int16(sum / stepLost & 15)
	if sum < stepFell {
		return
	}
	for i, n := range [...]Cell{below, above, left, right} {
		for range [...]step{atBelow, atAbove, atLeft, atRight}[i] / stepFell {
			s.spread(n, player)
		}
	}
}

// Change is a change of one cell. A move may change a cell more than once.
type Change struct {
	At       Cell
	Was, Now Content
}

// History holds what Unmake needs of the moves made.
type History struct {
	changes []Change
	moves   []move
}

// move is where the changes of a move begin, and the squares owned before it.
type move struct {
	from  int32
	owned [2]int16
}

// NewHistory returns a history with room for most searches; append grows it.
func NewHistory() History { return History{make([]Change, 0, 4096), make([]move, 0, 256)} }

func (h *History) Last() []Change { return h.changes[h.moves[len(h.moves)-1].from:] }

// Make plays a legal move, to be taken back by Unmake.
func (s *State) Make(c Cell, h *History) {
	h.moves = append(h.moves, move{int32(len(h.changes)), s.Owned})
	if c != pass {
		q, player := s.At[c], s.Player()
		if q.Owner() == Free {
			s.Owned[player]++
		}
		s.At[c] = q.raised(player) + Content(Sign(player))
		h.changes = append(h.changes, Change{c, q, s.At[c]})
		s.spreadAround(c, 1, player, h)
	}
	s.Left--
}

// spreadAround does the same as spread, for several levels at once and without the
// cell in the middle, and notes the changes. It does without the table of steps, which
// would displace those of the evaluation from the cache.
func (s *State) spreadAround(c Cell, levels, player int, h *History) {
	up, flips := Content(levels*Sign(player)), &flips[player]
	var fallen [4]fall
	n, changes := 0, h.changes
	for _, c := range [...]Cell{c - 1, c + 1, c - s.Stride, c + s.Stride} {
		q := s.At[c]
		if q.Owner() == Outside {
			continue
		}
		next := q + up
		if flips[next&(Contents-1)] {
			s.Owned[player]++
			next = next.With(OwnerOf(player), 0)
			if q.Owner() != Free {
				s.Owned[1-player]--
				if level := q.Level(); level > 0 {
					fallen[n] = fall{c, uint8(level)}
					n++
					next += Content(level * Sign(player))
				}
			}
		}
		s.At[c] = next
		changes = append(changes, Change{c, q, next})
	}
	h.changes = changes
	for _, f := range fallen[:n] {
		s.spreadAround(f.at, int(f.level), player, h)
	}
}

// fall is a castle that has fallen, whose influence around it is still to be replaced.
type fall struct {
	at    Cell
	level uint8
}

func (s *State) Unmake(h *History) {
	last := len(h.moves) - 1
	m := h.moves[last]
	for i := len(h.changes) - 1; i >= int(m.from); i-- {
		s.At[h.changes[i].At] = h.changes[i].Was
	}
	h.changes, h.moves = h.changes[:m.from], h.moves[:last]
	s.Owned = m.owned
	s.Left++
}
