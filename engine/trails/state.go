package trails

import "castellan/engine"

// Ending says how a game ended.
type Ending uint8

// The endings, in the order in which they are checked after a move.
const (
	Ongoing       Ending = iota // the game goes on
	Towers                      // the mover has taken more than half of the towers
	OpponentStuck               // the opponent of the mover has no legal move
	SelfStuck                   // the mover has no legal move for the next turn
)

// String returns the reason in a result; it is empty while the game goes on.
func (e Ending) String() string {
	return [...]string{"", "towers", "opponent-stuck", "self-stuck"}[e&3]
}

// noDirection is the last direction of a player who has not moved.
const noDirection Direction = 4

// side is the state of one player. What depends only on their own last move is
// computed when they make it.
type side struct {
	head     cell
	straight straightMove // next move in the last direction; leads to the head, which is never free, if impossible
	bit      Moves        // last direction, empty before the first move
	boost    uint8        // after the last move
	taken    uint8
}

func (p *side) last() Direction { return lastOf[p.bit&15] }

var lastOf = [16]Direction{0: noDirection, toUp: Up, toDown: Down, toLeft: Left, toRight: Right}

// state is what Position and State share: the board and both players. It knows
// which squares are free but not who occupies the others, because no rule needs
// that. Copies are independent.
type state struct {
	field  field
	sides  [2]side
	geo    *geometry
	moves  Moves // legal moves of the player to move
	mover  uint8 // 0 or 1; the player to move, or who would move if the game is over
	need   uint8 // towers that win
	ending Ending
}

// State is a mutable position that plays moves without allocation, for the
// computer players, who keep a copy to take moves back.
type State struct{ state }

func (s *State) Play(d Direction) { s.play(d) }

// newState returns the starting position; the towers must fit.
func newState(g *geometry, towers []Square) state {
	s := state{geo: g, need: uint8(len(towers)/2 + 1)}
	for y := range g.size {
		for x := range g.size {
			s.field.setFree(g.cell(Square{X: x, Y: y}))
		}
	}
	for _, t := range towers {
		c := g.cell(t)
		s.field.occupy(c)
		s.field.setTower(c)
	}
	for i := range s.sides {
		c := g.cell(base(g.size, i))
		s.field.occupy(c)
		s.sides[i] = side{head: c, straight: straightMove{c, freeBit}}
	}
	s.moves = s.movesFor(&s.sides[0])
	return s
}

// base returns the starting square of a player; 0 is Blue.
func base(size, player int) Square {
	if player == 0 {
		return Square{X: 0, Y: size - 1}
	}
	return Square{X: size - 1, Y: 0}
}

func (s *state) side(seat engine.Seat) *side { return &s.sides[seat-1] }

func (s *state) Size() int { return s.geo.size }

// Head returns the last square that seat 1 or 2 occupied.
func (s *state) Head(seat engine.Seat) Square { return s.geo.square(s.side(seat).head) }

// Base returns the corner in which seat 1 or 2 started.
func (s *state) Base(seat engine.Seat) Square { return base(s.geo.size, int(seat)-1) }

func (s *state) Boost(seat engine.Seat) int { return int(s.side(seat).boost) }

// LastDirection returns the direction of the last move of seat 1 or 2; ok is
// false before its first move.
func (s *state) LastDirection(seat engine.Seat) (d Direction, ok bool) {
	if d = s.side(seat).last(); d == noDirection {
		return 0, false
	}
	return d, true
}

func (s *state) Taken(seat engine.Seat) int { return int(s.side(seat).taken) }

// TowersToWin returns the number of towers that win: more than half of them.
func (s *state) TowersToWin() int { return int(s.need) }

// Target returns the square that a move of the seat to act would reach; ok is
// false if it is illegal.
func (s *state) Target(d Direction) (target Square, ok bool) {
	if d >= noDirection || !s.moves.Has(d) {
		return Square{}, false
	}
	return s.geo.square(s.target(d)), true
}

func (s *state) target(d Direction) cell {
	m := &s.sides[s.mover&1]
	if m.last() == d {
		return m.straight.to
	}
	return m.head + delta[d&3]
}

// Mover returns the seat to act or, when the game is over, the one that would.
func (s *State) Mover() engine.Seat { return engine.Seat(s.mover + 1) }

func (s *state) Seat() engine.Seat {
	if s.ending != Ongoing {
		return engine.Nobody
	}
	return engine.Seat(s.mover + 1)
}

// LegalMoves returns the legal moves, empty exactly when the game is over.
func (s *State) LegalMoves() Moves { return s.moves }

// MovesOf returns the moves that seat 1 or 2 would have in its turn.
func (s *State) MovesOf(seat engine.Seat) Moves { return s.movesFor(s.side(seat)) }

// Outcome returns the winner and the reason, or Nobody and Ongoing.
func (s *state) Outcome() (winner engine.Seat, why Ending) {
	switch s.ending {
	case Ongoing:
		return engine.Nobody, Ongoing
	case SelfStuck:
		return engine.Seat(s.mover + 1), SelfStuck
	default: // the last player to move wins
		return engine.Seat(2 - s.mover), s.ending
	}
}

// movesFor returns the moves that a player would have in their turn. Every
// direction except their last one leads one square, onto a free square only.
func (s *state) movesFor(p *side) Moves {
	hit := s.field[p.straight.to&(cells-1)] >> (p.straight.bit & 7) & 1
	return s.field.freeNeighbours(p.head)&^p.bit | p.bit&-Moves(hit)
}

func (s *state) play(d Direction) {
	g := s.geo
	p, other := &s.sides[s.mover&1], &s.sides[s.mover&1^1]
	d &= 3
	step := delta[d]

	to := p.head + step
	if p.bit != bitOf[d] {
		p.straight, p.boost, p.bit = g.afterTurn[d][to&(cells-1)], 0, bitOf[d]
	} else {
		for ; to != p.straight.to; to += step {
			s.field.occupyFree(to)
		}
		if s.field.tower(to) {
			if p.taken++; p.taken == s.need {
				s.ending = Towers
			}
		}
		p.boost++
		p.straight = g.straightAfter(d, to, p.boost)
	}
	s.field.occupy(to)
	p.head = to

	s.mover ^= 1
	s.moves = s.movesFor(other)
	switch {
	case s.ending == Towers:
		s.moves = 0
	case s.moves == 0:
		s.ending = OpponentStuck
	case s.movesFor(p) == 0:
		s.ending, s.moves = SelfStuck, 0
	}
}
