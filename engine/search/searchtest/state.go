package searchtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"castellan/engine"
	"castellan/engine/search"
)

// checkState checks a state that reached the position by moves against the
// rules and against a state made from the position.
func (r *runner) checkState(p engine.Position, s search.State, fresh bool) {
	checkSeat(p, s)
	other := r.state(p)
	require(other.Seats() == s.Seats() && s.Seats() >= engine.MinSeats, "the state has %d seats, a fresh one %d", s.Seats(), other.Seats())
	if p.Seat() == engine.Nobody {
		return
	}
	a, b := takeSnapshot(s), takeSnapshot(other)
	require(a.hash == b.hash, "the hash differs from that of a fresh state")
	require(a.value == b.value, "the evaluation is %d, that of a fresh state %d", a.value, b.value)
	require(a.value >= -search.MaxValue && a.value <= search.MaxValue, "the evaluation %d exceeds %d", a.value, search.MaxValue)
	require(fresh || r.suite.Rooted || slices.Equal(sorted(a.moves), sorted(b.moves)), "the moves are %v, those of a fresh state %v", a.moves, b.moves)
	r.checkMoves(p, s, a)
	checkPredictions(s, a)
	r.checkPlayout(s, a)
	r.checkAllocations(s)
}

// checkSeat checks the seat to move and, after the end, the payoffs.
func checkSeat(p engine.Position, s search.State) {
	require(s.Seat() == int(p.Seat())-1, "the state says seat %d, the position %d, counted from 0", s.Seat(), int(p.Seat())-1)
	result, over := p.Result()
	if !over {
		return
	}
	require(len(result.Ranks) == s.Seats(), "the state has %d seats, the game %d", s.Seats(), len(result.Ranks))
	got, want := unset(s), unset(s)
	s.Payoffs(got)
	search.Payoffs(result, want)
	for i := range got {
		require(math.Abs(got[i]-want[i]) < 1e-9, "the payoffs are %v, by the result %v", got, want)
	}
}

// unset returns a value for each seat that is not one, so that every element
// must be set.
func unset(s search.State) []float64 { return slices.Repeat([]float64{math.NaN()}, s.Seats()) }

// snapshot holds everything that the methods of a state return.
type snapshot struct {
	seat  int
	hash  uint64
	moves []search.Move
	value int // of an Evaluator
}

func takeSnapshot(s search.State) snapshot {
	v := snapshot{seat: s.Seat(), hash: s.Hash()}
	if v.seat < 0 {
		return v
	}
	v.moves = s.Moves(nil)
	if e, ok := s.(search.Evaluator); ok {
		v.value = e.Evaluate()
	}
	return v
}

func (v snapshot) check(s search.State, after string) {
	now := takeSnapshot(s)
	require(now.seat == v.seat, "after %s the seat was %d and is %d", after, v.seat, now.seat)
	require(now.hash == v.hash, "after %s the hash was %#x and is %#x", after, v.hash, now.hash)
	require(now.value == v.value, "after %s the evaluation was %d and is %d", after, v.value, now.value)
	require(slices.Equal(now.moves, v.moves), "after %s the moves were %v and are %v", after, v.moves, now.moves)
}

func sorted(moves []search.Move) []search.Move { return slices.Sorted(slices.Values(moves)) }

// checkMoves checks every move: it is legal, leads where the rules lead, and is
// taken back completely.
func (r *runner) checkMoves(p engine.Position, s search.State, before snapshot) {
	moves := before.moves
	require(len(moves) > 0, "there are no moves before the end of the game")
	require(len(slices.Compact(sorted(moves))) == len(moves), "%v has a duplicate move", moves)
	require(!slices.Contains(moves, search.NoMove), "NoMove is among the moves")
	single := map[string]bool{}
	for _, m := range moves {
		if actions := s.Actions(m); len(actions) == 1 {
			single[actions[0].String()] = true
		}
	}
	require(r.suite.Rooted || len(single) < len(moves) || len(single) == len(p.Legal()), "%d of %d legal actions are moves", len(single), len(p.Legal()))
	prefix := s.Moves([]search.Move{7})
	require(prefix[0] == 7 && slices.Equal(prefix[1:], moves), "method Moves does not append")
	for _, m := range moves[:min(len(moves), 41)] { // the first of many suffice
		actions := s.Actions(m)
		require(len(actions) > 0, "the move %d has no actions", m)
		what := fmt.Sprintf("move %d", m)
		last := play(p, what, actions[:len(actions)-1])
		require(last.Turns() == p.Turns() && last.Seat() != engine.Nobody, "%s, %v, goes on after its turn", what, actions)
		s.Make(m)
		r.moves++
		checkSeat(play(last, what, actions[len(actions)-1:]), s)
		s.Unmake()
		before.check(s, "Make and Unmake of "+what)
	}
	r.checkLine(s)
}

// checkLine makes many moves in a row and takes them back.
func (r *runner) checkLine(s search.State) {
	var line []snapshot
	for range 1 + r.random.IntN(40) {
		now := takeSnapshot(s)
		if now.seat < 0 {
			break
		}
		require(len(now.moves) > 0, "after %d moves there are no moves, but the game is not over", len(line))
		line = append(line, now)
		s.Make(now.moves[r.random.IntN(len(now.moves))])
		r.moves++
	}
	for i, was := range slices.Backward(line) {
		s.Unmake()
		was.check(s, fmt.Sprintf("Unmake of %d moves down to %d", len(line), i))
	}
}

// checkPredictions checks MoveEvaluator, MoveCounter and BestReplyEvaluator
// against the positions after each move.
func checkPredictions(s search.State, before snapshot) {
	left := math.MaxInt
	counter, counts := s.(search.MoveCounter)
	if counts {
		left = counter.MovesLeft()
		require(left >= 1, "MovesLeft is %d before the end of the game", left)
	}
	evaluator, evaluates := s.(search.MoveEvaluator)
	values := make([]int32, len(before.moves))
	evaluates = evaluates && evaluator.EvaluateMoves(before.moves, values)
	before.check(s, "EvaluateMoves")
	actual, over := make([]int, len(before.moves)), false
	for i, m := range before.moves {
		s.Make(m)
		if next := s.Seat(); next < 0 {
			over = true
			require(!evaluates, "EvaluateMoves evaluates the move %d although it ends the game", m)
		} else {
			if e, ok := s.(search.Evaluator); ok {
				if actual[i] = e.Evaluate(); next != before.seat {
					actual[i] = -actual[i]
				}
			}
			require(!evaluates || actual[i] == int(values[i]), "after the move %d the evaluation is %d, by EvaluateMoves %d", m, actual[i], values[i])
			if counts {
				require(counter.MovesLeft() < left, "the move %d: MovesLeft is %d before it and %d after it", m, left, counter.MovesLeft())
			}
		}
		s.Unmake()
	}
	reply, ok := s.(search.BestReplyEvaluator)
	if !ok {
		return
	}
	best := slices.Max(actual)
	for _, beta := range []int{math.MaxInt, best + 1, best, best - 30, math.MinInt} {
		value, move, found := reply.EvaluateBestReply(beta)
		before.check(s, "EvaluateBestReply")
		if !found {
			continue
		}
		require(!over, "EvaluateBestReply returns a value although a move ends the game")
		at := slices.Index(before.moves, move)
		require(at >= 0 && actual[at] == value && value >= min(best, beta),
			"EvaluateBestReply(%d) returns move %d with %d, which is not the best of moves %v with values %v", beta, move, value, before.moves, actual)
	}
}

// checkPlayout plays out twice with the same seed.
func (r *runner) checkPlayout(s search.State, before snapshot) {
	player, ok := s.(search.Playouter)
	if !ok {
		return
	}
	seed := r.random.Uint64()
	payoffs := [2][]float64{unset(s), unset(s)}
	for _, values := range payoffs {
		player.Playout(rand.NewPCG(seed, 1), values)
		before.check(s, "Playout")
		checkValues(values, "method Playout", s.Seats())
	}
	require(slices.Equal(payoffs[0], payoffs[1]), "method Playout gives %v and %v with the same seed", payoffs[0], payoffs[1])
}

// checkPlayouts checks that playouts end like random games by the rules: the
// mean payoffs of many lie within five standard deviations of each other.
func (r *runner) checkPlayouts(p engine.Position) {
	s := r.state(p)
	fast, ok := s.(search.Playouter)
	if !ok || s.Seat() < 0 {
		return
	}
	r.checkPlayout(s, takeSnapshot(s))
	const many, few = 1000, 300
	mean := func(s search.Playouter, games int) []float64 {
		sum, values := make([]float64, s.Seats()), make([]float64, s.Seats())
		random := rand.NewPCG(r.suite.Seed, uint64(games))
		for range games {
			s.Playout(random, values)
			for i, v := range values {
				sum[i] += v / float64(games)
			}
		}
		return sum
	}
	got, want := mean(fast, many), mean(search.NewPositionState(p, s.Seats()), few)
	for i := range got {
		require(math.Abs(got[i]-want[i]) < 5*math.Sqrt(0.25/many+0.25/few), "of playouts the seats win %.2f, of random games by the rules %.2f", got, want)
	}
}

func checkValues(values []float64, what string, seats int) {
	require(len(values) == seats, "%s has %d values for %d seats", what, len(values), seats)
	sum := 0.0
	for _, v := range values {
		require(v >= 0 && v <= 1, "%s: %v has a value that is not from 0 to 1", what, values)
		sum += v
	}
	require(math.Abs(sum-1) <= 1e-6, "%s: the values %v do not add up to 1", what, values)
}

// checkAllocations makes moves with large buffers. Growth on first use does not
// count.
func (r *runner) checkAllocations(s search.State) {
	if r.suite.Allocates || r.positions%16 != 1 {
		return
	}
	moves := make([]search.Move, 0, 1<<16)
	n := allocations(func() {
		made := 0
		for ; made < 8 && s.Seat() >= 0; made++ {
			moves = s.Moves(moves[:0])
			s.Make(moves[len(moves)/2])
			s.Hash()
			if e, ok := s.(search.Evaluator); ok && s.Seat() >= 0 {
				e.Evaluate()
			}
		}
		for range made {
			s.Unmake()
		}
	})
	require(n == 0, "eight moves with Make and Unmake allocate %g times", n)
	values := make([]float64, s.Seats())
	if e, ok := s.(search.Estimator); ok {
		n := allocations(func() { e.Estimate(values) })
		require(n == 0, "method Estimate allocates %g times", n)
		checkValues(values, "method Estimate", s.Seats())
	}
	if player, ok := s.(search.Playouter); ok {
		random := rand.NewPCG(r.random.Uint64(), 1)
		n := allocations(func() { player.Playout(random, values) })
		require(n == 0, "method Playout allocates %g times", n)
	}
}

// allocations returns how often a function allocates: the least of several
// counts, since other goroutines are counted too.
func allocations(do func()) float64 {
	least := math.Inf(1)
	for range 3 {
		if least = min(least, testing.AllocsPerRun(3, do)); least == 0 {
			break
		}
	}
	return least
}
