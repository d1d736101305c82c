package ai

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"castellan/engine/search"
	"castellan/engine/trails"
)

// Solver finds out who wins from a position whatever the other does, by
// depth-first proof-number search (Nagai, 2002) with thresholds that grow by a
// quarter (Pawlewicz and Lew, 2007), and, of what must be disproved, the
// largest number and the count of the others in place of the sum, for here many
// ways lead to one position (Ueda, Hashimoto, Hashimoto and Iida, 2008).
//
// No position comes again in a match, so that what the table says of a position
// holds whatever led to it.
type Solver struct {
	table   []proof
	mask    uint64
	state   *State
	nodes   int64
	most    int64
	stopped atomic.Bool
	over    bool
}

// proof is how far the mover of a position is from having proved that he wins,
// and from its having been proved that he loses: numbers of positions that must
// still be proved, as far as is known. One is 0 when the other is without end.
type proof struct {
	key       uint64
	win, loss uint32
	work      uint32 // positions looked at
	_         uint32
}

const (
	proofSize = 24
	endless   = 1 << 28
	ways      = 4 // places for a position
)

// NewSolver is a solver with a table of at most that many bytes.
func NewSolver(memory int64) *Solver {
	room := uint64(max(memory, 1<<12)) / proofSize
	room = 1 << (bits.Len64(room) - 1)
	return &Solver{table: make([]proof, room), mask: room - ways}
}

// Verdict is what a Solver found out about a position.
type Verdict struct {
	// Winner is who wins, 0 or 1, or -1 where that is not known.
	Winner int
	// Wins is moves that are proved to win; there is one if the player to move
	// wins. Loses is moves that are proved to lose.
	Wins, Loses []trails.Direction
	// Nodes is how many positions were looked at.
	Nodes int64
}

// Solve looks for the winner until it is known, or that many nodes (0 for any
// number) have been looked at, or the context ends. What it learns it keeps for
// the next position.
func (v *Solver) Solve(ctx context.Context, s *State, nodes int64) Verdict {
	v.state, v.nodes, v.most, v.over = s, 0, nodes, false
	v.stopped.Store(false)
	defer context.AfterFunc(ctx, func() { v.stopped.Store(true) })()
	if s.winner >= 0 {
		return Verdict{Winner: int(s.winner)}
	}
	var after [directions]proof
	p, found := v.search(endless, endless, &after), Verdict{Winner: -1}
	switch {
	case p.win == 0:
		found.Winner = int(s.mover)
	case p.loss == 0:
		found.Winner = int(s.mover ^ 1)
	}
	for i, m := range s.Moves(nil) {
		switch a := after[i]; {
		case a.loss == 0:
			found.Wins = append(found.Wins, trails.Direction(m&3))
		case a.win == 0:
			found.Loses = append(found.Loses, trails.Direction(m&3))
		}
	}
	found.Nodes = v.nodes
	return found
}

// after is what is known of the position after a move.
func (v *Solver) after() proof {
	switch s := v.state; {
	case s.winner < 0:
		return v.known()
	case uint8(s.winner) == s.mover:
		return proof{loss: endless}
	}
	return proof{win: endless}
}

// known is what the table says of the position, or else a guess, which is put
// there: the better the evaluation, the less is left to prove. The numbers of a
// position that is even are both 4; they differ by the factor 2.7 for each
// sharp of the evaluation.
func (v *Solver) known() proof {
	const sharp, most, scale = 120, 6, 3
	s := v.state
	key := s.Hash()
	at := key & v.mask
	for i := range uint64(ways) {
		if e := &v.table[at+i]; e.key == key && e.work != 0 {
			return *e
		}
	}
	w := math.Exp(max(-most, min(float64(s.Evaluate())/sharp, most)))
	p := proof{key: key, win: uint32(1 + scale/w), loss: uint32(1 + scale*w), work: 1}
	v.keep(p)
	return p
}

// keep puts an entry in the place of the one that took the least work.
func (v *Solver) keep(p proof) {
	at := p.key & v.mask
	best := &v.table[at]
	for i := range uint64(ways) {
		e := &v.table[at+i]
		if e.key == p.key || e.work == 0 {
			best = e
			break
		}
		if e.work < best.work {
			best = e
		}
	}
	*best = p
}

// search goes on with the position until one of its numbers reaches its bound.
// It fills in what is known of the positions after its moves.
func (v *Solver) search(win, loss uint32, after *[directions]proof) proof {
	s := v.state
	v.nodes++
	if v.most > 0 && v.nodes > v.most || v.nodes&255 == 0 && v.stopped.Load() {
		v.over = true
	}
	begin := v.nodes
	p := proof{key: s.Hash()}
	var (
		moves [directions]search.Move
		below [directions]proof
	)
	list := s.Moves(moves[:0])
	*after = [directions]proof{{win: 1, loss: 1}, {win: 1, loss: 1}, {win: 1, loss: 1}, {win: 1, loss: 1}}
	for i, m := range list {
		s.Make(m)
		after[i] = v.after()
		s.Unmake()
		if after[i].loss == 0 {
			p.loss, p.work = endless, 1
			v.keep(p)
			return p
		}
	}
	for {
		best, second := -1, uint32(endless)
		p.win, p.loss = endless, 0
		others := uint32(0)
		for i := range list {
			a := &after[i]
			if a.loss < p.win || best < 0 {
				if best >= 0 {
					second = min(second, p.win)
				}
				best, p.win = i, a.loss
			} else {
				second = min(second, a.loss)
			}
			if a.win != 0 {
				others++
				p.loss = max(p.loss, a.win)
			}
		}
		switch {
		case p.win == 0:
			p.loss = endless
		case p.loss < endless && others > 0:
			p.loss = min(p.loss+others-1, endless-1)
		case p.loss == 0:
			p.win = endless
		}
		if p.win >= win || p.loss >= loss || v.over {
			break
		}
		// What the best of the moves may cost before another one is better.
		most := min(win, second+second/4+1)
		least := min(loss-(others-1), endless)
		s.Make(list[best])
		after[best] = v.search(least, most, &below)
		s.Unmake()
	}
	p.work = uint32(min(v.nodes-begin+1, 1<<32-1))
	if !v.over {
		v.keep(p)
	}
	return p
}
