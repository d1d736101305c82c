package ai

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/trails"
)

// Solver finds the winner of a position under perfect play by depth-first
// proof-number search (Nagai, 2002) with thresholds that grow by a quarter
// (Pawlewicz and Lew, 2007). Because positions are reached in many ways, a
// disproof number is the maximum plus the count of the others, not the sum
// (Ueda, Hashimoto, Hashimoto and Iida, 2008).
//
// No position recurs in a match, so table entries hold whatever led to the
// position.
type Solver struct {
	table     []proof
	mask      uint64
	state     *State
	nodes     int64
	maxNodes  int64
	cancelled *atomic.Bool // of this call of Solve
	aborted   bool
}

// proof holds the proof numbers of a position for its mover: how many positions
// at least must be proven for a win, and for a loss. When one is 0, the other
// is infinite.
type proof struct {
	key                   uint64
	winNumber, lossNumber uint32
	work                  uint32 // positions visited
	_                     uint32
}

// solveSteps is the number of moves that the estimates of the solver look ahead. With 3
// it visits 35 % more positions than with all, in less than half the time.
const solveSteps = 3

const (
	proofSize = 24
	infinite  = 1 << 28
	ways      = 4 // associativity of the table
)

// NewSolver returns a solver with a table of at most memory bytes.
func NewSolver(memory int64) *Solver {
	room := uint64(max(memory, 1<<12)) / proofSize
	room = 1 << (bits.Len64(room) - 1)
	return &Solver{table: make([]proof, room), mask: room - ways}
}

// Verdict is the result of a Solver.
type Verdict struct {
	// Winner is 0 or 1, or -1 if unknown.
	Winner int
	// Wins holds moves proven to win, at least one if the mover wins. Loses
	// holds moves proven to lose.
	Wins, Loses []trails.Direction
	// Nodes is the number of positions visited.
	Nodes int64
}

// Solve searches until the winner is known, the nodes (0 for no limit) are used
// up or the context ends. It keeps its table for the next position.
func (v *Solver) Solve(ctx context.Context, s *State, nodes int64) Verdict {
	v.state, v.nodes, v.maxNodes, v.aborted = s, 0, nodes, false
	cancelled := new(atomic.Bool)
	v.cancelled = cancelled
	defer context.AfterFunc(ctx, func() { cancelled.Store(true) })()
	if winner := s.winner(); winner >= 0 {
		return Verdict{Winner: winner}
	}
	var after [directions]proof
	p, found := v.search(infinite, infinite, &after), Verdict{Winner: -1}
	switch {
	case p.winNumber == 0:
		found.Winner = s.Seat()
	case p.lossNumber == 0:
		found.Winner = 1 - s.Seat()
	}
	for i, m := range s.Moves(nil) {
		switch a := after[i]; {
		case a.lossNumber == 0:
			found.Wins = append(found.Wins, trails.Direction(m&3))
		case a.winNumber == 0:
			found.Loses = append(found.Loses, trails.Direction(m&3))
		}
	}
	found.Nodes = v.nodes
	return found
}

// childProof returns the proof numbers after a move.
func (v *Solver) childProof() proof {
	winner, _ := v.state.Outcome()
	switch winner {
	case engine.Nobody:
		return v.probe()
	case v.state.Mover():
		return proof{lossNumber: infinite}
	}
	return proof{winNumber: infinite}
}

// probe returns the table's entry of the position. If there is none, it stores
// an estimate from the evaluation: both numbers are 4 in an even position, and
// each changes by a factor of e for every sharp of advantage.
func (v *Solver) probe() proof {
	const sharp, most, scale = 120, 6, 3
	s := v.state
	key := s.Hash()
	at := key & v.mask
	for i := range uint64(ways) {
		if e := &v.table[at+i]; e.key == key && e.work != 0 {
			return *e
		}
	}
	w := math.Exp(max(-most, min(float64(s.evaluate(solveSteps))/sharp, most)))
	p := proof{key: key, winNumber: uint32(1 + scale/w), lossNumber: uint32(1 + scale*w), work: 1}
	v.store(p)
	return p
}

// store replaces the entry of the position, an empty one, or that with the
// least work.
func (v *Solver) store(p proof) {
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

// search expands the position until one of its proof numbers reaches its
// threshold. It fills in the proofs of the children.
func (v *Solver) search(win, loss uint32, after *[directions]proof) proof {
	s := v.state
	v.nodes++
	if v.maxNodes > 0 && v.nodes > v.maxNodes || v.nodes&255 == 0 && v.cancelled.Load() {
		v.aborted = true
	}
	begin := v.nodes
	p := proof{key: s.Hash()}
	var (
		moves [directions]search.Move
		below [directions]proof
	)
	list := s.Moves(moves[:0])
	*after = [directions]proof{{winNumber: 1, lossNumber: 1}, {winNumber: 1, lossNumber: 1}, {winNumber: 1, lossNumber: 1}, {winNumber: 1, lossNumber: 1}}
	for i, m := range list {
		s.Make(m)
		after[i] = v.childProof()
		s.Unmake()
		if after[i].lossNumber == 0 {
			p.lossNumber, p.work = infinite, 1
			v.store(p)
			return p
		}
	}
	for {
		best, second := -1, uint32(infinite)
		p.winNumber, p.lossNumber = infinite, 0
		others := uint32(0)
		for i := range list {
			a := &after[i]
			if a.lossNumber < p.winNumber || best < 0 {
				if best >= 0 {
					second = min(second, p.winNumber)
				}
				best, p.winNumber = i, a.lossNumber
			} else {
				second = min(second, a.lossNumber)
			}
			if a.winNumber != 0 {
				others++
				p.lossNumber = max(p.lossNumber, a.winNumber)
			}
		}
		switch {
		case p.winNumber == 0:
			p.lossNumber = infinite
		case p.lossNumber < infinite && others > 0:
			p.lossNumber = min(p.lossNumber+others-1, infinite-1)
		case p.lossNumber == 0:
			p.winNumber = infinite
		}
		if p.winNumber >= win || p.lossNumber >= loss || v.aborted {
			break
		}
		// Continue with the best child until it is worse than the
		// second best.
		most := min(win, second+second/4+1)
		least := min(loss-(others-1), infinite)
		s.Make(list[best])
		after[best] = v.search(least, most, &below)
		s.Unmake()
	}
	p.work = uint32(min(v.nodes-begin+1, 1<<32-1))
	if !v.aborted {
		v.store(p)
	}
	return p
}
