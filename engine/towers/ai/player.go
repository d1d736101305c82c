package ai

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/engine/towers"
	"castellan/engine/towers/internal/board"
)

// turnPlayer searches turn by turn. Its nodes are positions that a turn could end
// in, its depth counts turns.
type turnPlayer struct {
	beams *beams
	// depth is the greatest depth in turns, 0 for no limit.
	depth int
	// noise adds up to that much to every evaluation, in either direction. It is
	// determined by seed and position.
	noise int
	// contempt is how much worse than even a draw is.
	contempt int
	softmax  search.Softmax
	// quick spends fewer nodes and less time on turns that do not matter: it
	// tries known turns before generating others, and at the last turn it looks for
	// strikes only where they can matter.
	quick   bool
	weights *weights // nil for fittedWeights
	// restless passes only if every other turn loses the master at once, as people do who
	// do not see what a pass is good for.
	restless bool
	// blunderRate is the probability of a random turn, whatever it or the reply
	// may capture.
	blunderRate float64
}

// tableShare and bestLinesShare divide the memory: the table and the best lines
// get one part in so many. The rest is for the lists of turns. A position at the
// start of a turn costs hundreds of nodes, so the table need not be large.
const (
	tableShare     = 4
	bestLinesShare = 8
)

// In the first turns of a game draws count much less: on the smallest board
// moving first may well be worse than passing, and nobody wants a game that ends
// after two passes. A little noise makes games differ.
const (
	varietyTurns    = 10
	varietyContempt = 150
	varietyNoise    = 6
)

func (t turnPlayer) Think(ctx context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	state, err := newState(p)
	if err != nil {
		return search.Decision{}, err
	}
	memory := cmp.Or(limits.Memory, search.DefaultMemory)
	s := &searcher{
		state: state, table: search.NewTable(memory/tableShare, limits.Nodes), nodeLimit: limits.Nodes,
		noise: t.noise, seed: limits.Seed, beams: t.beams, contempt: t.contempt,
	}
	defer s.table.Release()
	if t.quick {
		s.quick, s.best = true, newBestLines(limits.Nodes, memory/bestLinesShare)
	}
	state.weights = cmp.Or(t.weights, &fittedWeights)
	if p.Turns() < varietyTurns {
		s.contempt, s.noise = max(s.contempt, varietyContempt), max(s.noise, varietyNoise)
	}
	defer context.AfterFunc(ctx, func() { s.cancelled.Store(true) })()
	if t.blunderRate > 0 && float64(search.Mix(limits.Seed^state.Hash())>>11)/(1<<53) < t.blunderRate {
		return s.randomTurn(t.restless), nil
	}
	if state.strikeNow() <= int(state.Points) {
		return s.strikeTurn(limits.Info)
	}
	return s.bestTurn(t, limits), nil
}

func (s *searcher) randomTurn(restless bool) search.Decision {
	l := &s.plies[0].list
	l.keySets, l.drawValue = &s.sets, int32(s.drawValue(0))
	s.nodes += l.generate(s.state, s.beams.root, func(*turnEnd) bool { return s.cancelled.Load() })
	n := uint64(len(l.ends))
	i := search.Mix(s.seed^s.state.Hash()^1) % n
	if restless && len(l.path(l.ends[i].node)) == 0 {
		i = (i + 1) % n
	}
	e := &l.ends[i]
	return s.decision(int(e.value), 0, append(l.path(e.node), moveEnd))
}

// strikeTurn returns the turn that takes the master, which must be possible. Every
// action keeps it possible as cheaply as it can.
func (s *searcher) strikeTurn(info func(search.Decision)) (search.Decision, error) {
	st := s.state
	var (
		line  []search.Move
		moves []board.Move
	)
	for st.Ending == board.Ongoing {
		moves = st.singleActions(moves[:0])
		best, cheapest, before := search.NoMove, never, int(st.Points)
		for _, m := range moves {
			st.State.Make(m)
			s.nodes++
			cost := 0
			if st.Ending == board.Ongoing {
				if cost = st.strikeNow(); cost <= int(st.Points) {
					cost += before - int(st.Points)
				} else {
					cost = never
				}
			}
			st.Unmake()
			if cost < cheapest {
				best, cheapest = search.Move(m), cost
			}
		}
		if best == search.NoMove {
			return search.Decision{}, errors.New("towers/ai: found no actions for a strike")
		}
		st.Make(best)
		line = append(line, best)
	}
	unmake(st, len(line))
	d := s.decision(search.WinValue-1, 1, line)
	if info != nil {
		info(d)
	}
	return d, nil
}

// bestTurn searches by iterative deepening and chooses a turn.
func (s *searcher) bestTurn(t turnPlayer, limits search.Limits) search.Decision {
	root, turns, lost := s.rootMoves()
	if t.restless && len(root) > 1 {
		root = slices.DeleteFunc(root, func(m search.RootMove) bool { return len(turns[m.Move]) == 1 }) // only its end
	}
	deepest := maxDepth
	for _, depth := range []int{limits.Depth, t.depth} {
		if depth > 0 {
			deepest = min(deepest, depth)
		}
	}
	if lost || len(root) == 1 || s.count(0) {
		deepest = 1
	}
	describe := func(m search.RootMove, depth int) search.Decision {
		return s.decision(m.Value, depth, turns[m.Move], m.PV...)
	}
	report := func(m search.RootMove, depth int) {
		if limits.Info != nil {
			limits.Info(describe(m, depth))
		}
	}
	report(root[0], 1)
	r := search.RootSearch{
		Search: func(m *search.RootMove, i, depth, alpha, beta int) {
			line := turns[m.Move]
			for _, a := range line {
				s.state.Make(a)
			}
			if i == 0 || t.softmax.MaxLoss == 0 {
				m.Value = s.searchTurn(i, depth, alpha, beta, 0)
			} else { // values down to MaxLoss below the best must be exact, and no bound as good
				m.Value = s.searchTurn(0, depth, max(alpha-t.softmax.MaxLoss-1, -search.WinValue), beta, 0)
			}
			unmake(s.state, len(line))
			if i == 0 || m.Value > alpha {
				m.PV = append([]search.Move(nil), s.plies[1].pv...)
			}
		},
		Aborted: func() bool { return s.aborted },
		Report:  report,
		Final: func(m search.RootMove, depth int) bool {
			v := max(m.Value, -m.Value)
			return v >= search.ProvenWin && search.WinValue-v <= depth+1 || s.count(0)
		},
		Softmax: t.softmax, Seed: limits.Seed ^ s.state.Hash(),
	}
	return describe(r.Run(root, min(len(root), s.beams.rootTurns), 2, deepest))
}

// rootMoves returns the turns to choose from, most promising first, and their
// actions by the number of the move. Turns that lose the master at once are left
// out; lost reports that there are no others.
func (s *searcher) rootMoves() (root []search.RootMove, turns [][]search.Move, lost bool) {
	l := &s.plies[0].list
	b := s.beams.root
	if s.nodeLimit > 0 {
		b.limit = min(b.limit, int(s.nodeLimit))
	}
	lost = true
	for {
		// Even when cancelled, the list begins with the turn that just ends.
		s.nodes += s.generate(l, b, 0)
		for i := range l.ends {
			lost = lost && l.ends[i].lost
		}
		exhausted := len(l.nodes) < b.limit && len(l.ends) > 0 && b.width >= thoroughWidth
		if !lost || exhausted || b.limit >= thoroughLimit || s.cancelled.Load() {
			break
		}
		// Only a wide search shows that no turn saves the master.
		b = beam{thoroughWidth, min(4*b.limit, thoroughLimit)}
	}
	l.sort()
	for _, e := range l.ends {
		if e.lost && !lost {
			continue
		}
		value := int(e.value)
		if e.lost {
			value = -search.WinValue + 2
		}
		root = append(root, search.RootMove{Move: search.Move(len(turns)), Value: value})
		turns = append(turns, append(append([]search.Move(nil), l.path(e.node)...), moveEnd))
	}
	return root, turns, lost
}

// The widest search for a turn that does not lose the master at once.
const (
	thoroughWidth = 1 << 20
	thoroughLimit = 20_000
)

func (s *searcher) decision(value, depth int, moves []search.Move, continuation ...search.Move) search.Decision {
	mover := int(s.state.Mover)
	d := search.Decision{Values: make([]float64, 2), Depth: depth, Nodes: s.nodes}
	d.Values[mover] = search.ExpectedPayoff(value)
	d.Values[1-mover] = 1 - d.Values[mover]
	d.Actions, d.Continuation = actionsOf(moves), actionsOf(continuation)
	return d
}

// actionsOf returns the actions of moves, with consecutive imports as one.
func actionsOf(moves []search.Move) (all []engine.Action) {
	for i := 0; i < len(moves); i++ {
		m := board.Move(moves[i])
		for m.Kind() == board.Import && i+1 < len(moves) && board.Move(moves[i+1]).Kind() == board.Import {
			i++
			m += board.Move(board.Move(moves[i]).To())
		}
		all = append(all, towers.ActionOf(m))
	}
	return all
}

// greedy plays action by action what leaves it most on the board and in
// reserve. It ignores threats, which would be looking ahead.
type greedy struct{}

// Think plays the best action until ending the turn is best. The seed breaks
// ties.
func (greedy) Think(_ context.Context, p engine.Position, limits search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	s, err := newState(p)
	if err != nil {
		return search.Decision{}, err
	}
	var t search.Decision
	for mover := s.Mover; s.Ending == board.Ongoing && s.Mover == mover; {
		best, most := moveEnd, int64(math.MinInt64)
		for _, m := range s.Moves(nil) {
			value := int64(s.material()) // ending the turn changes no material
			if m != moveEnd {
				s.Make(m)
				value = int64(s.material())
				if s.Ending == board.Master {
					value = search.WinValue
				}
				s.Unmake()
			}
			t.Nodes++
			// The low bits break ties.
			value = value<<32 | int64(search.Mix(limits.Seed^uint64(m)^s.Hash())>>32)
			if value > most {
				best, most = m, value
			}
		}
		s.Make(best)
		t.Actions = append(t.Actions, actionOf(best))
	}
	return t, nil
}
