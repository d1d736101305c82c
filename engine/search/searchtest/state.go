package searchtest

import (
	"errors"
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
func (r *runner) checkState(p engine.Position, s search.State, fresh bool) error {
	if got, want := s.Seat(), int(p.Seat())-1; got != want {
		return fmt.Errorf("the state says seat %d, the position %d, counted from 0", got, want)
	}
	other, err := r.engine.State(p)
	if err != nil {
		return fmt.Errorf("making a state: %w", err)
	}
	if other.Seats() != s.Seats() || s.Seats() < engine.MinSeats {
		return fmt.Errorf("the state has %d seats, a fresh one %d", s.Seats(), other.Seats())
	}
	if p.Seat() == engine.Nobody {
		return checkPayoffs(p, s)
	}
	a, b := takeSnapshot(s), takeSnapshot(other)
	if a.hash != b.hash {
		return errors.New("the hash differs from that of a fresh state")
	}
	if a.value != b.value {
		return fmt.Errorf("the evaluation is %d, that of a fresh state %d", a.value, b.value)
	}
	if a.value < -search.MaxValue || a.value > search.MaxValue {
		return fmt.Errorf("the evaluation %d exceeds %d", a.value, search.MaxValue)
	}
	if !fresh && !r.suite.Rooted && !slices.Equal(sorted(a.moves), sorted(b.moves)) {
		return fmt.Errorf("the moves are %v, those of a fresh state %v", a.moves, b.moves)
	}
	if err := r.checkMoves(p, s, a); err != nil {
		return err
	}
	if err := checkPredictions(s, a); err != nil {
		return err
	}
	if err := r.checkPlayout(s, a); err != nil {
		return err
	}
	return r.checkAllocations(s)
}

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

// diff returns an error if a state differs from its snapshot.
func (v snapshot) diff(s search.State) error {
	now := takeSnapshot(s)
	switch {
	case now.seat != v.seat:
		return fmt.Errorf("the seat was %d and is %d", v.seat, now.seat)
	case now.hash != v.hash:
		return fmt.Errorf("the hash was %#x and is %#x", v.hash, now.hash)
	case now.value != v.value:
		return fmt.Errorf("the evaluation was %d and is %d", v.value, now.value)
	case !slices.Equal(now.moves, v.moves):
		return fmt.Errorf("the moves were %v and are %v", v.moves, now.moves)
	}
	return nil
}

func sorted(moves []search.Move) []search.Move { return slices.Sorted(slices.Values(moves)) }

// checkMoves checks every move: it is legal, leads where the rules lead, and is
// taken back completely.
func (r *runner) checkMoves(p engine.Position, s search.State, before snapshot) error {
	moves := before.moves
	if len(moves) == 0 {
		return errors.New("there are no moves before the end of the game")
	}
	if again := sorted(moves); len(slices.Compact(again)) != len(moves) {
		return fmt.Errorf("%v has a duplicate move", moves)
	}
	if slices.Contains(moves, search.NoMove) {
		return errors.New("NoMove is among the moves")
	}
	if prefix := s.Moves([]search.Move{7}); prefix[0] != 7 || !slices.Equal(prefix[1:], moves) {
		return errors.New("method Moves does not append")
	}
	turns := p.Turns()
	for i, m := range moves {
		q := p
		actions := s.Actions(m)
		if len(actions) == 0 {
			return fmt.Errorf("the move %d has no actions", m)
		}
		for n, a := range actions {
			if n > 0 && (q.Seat() == engine.Nobody || q.Turns() != turns) {
				return fmt.Errorf("the move %d, %v, goes on after its turn", m, actions)
			}
			next, err := q.Apply(a)
			if err != nil {
				return fmt.Errorf("the move %d, %v, is not legal: %w", m, actions, err)
			}
			q = next
		}
		if err := r.checkMade(q, s, m); err != nil {
			return fmt.Errorf("after the move %d, %v: %w", m, actions, err)
		}
		if err := before.diff(s); err != nil {
			return fmt.Errorf("method Unmake of move %d, %v: %w", m, actions, err)
		}
		if i == 40 { // the first of many suffice
			break
		}
	}
	return r.checkLine(s, before)
}

// checkMade makes a move that leads to the position, and takes it back.
func (r *runner) checkMade(p engine.Position, s search.State, m search.Move) error {
	s.Make(m)
	defer s.Unmake()
	r.moves++
	if got, want := s.Seat(), int(p.Seat())-1; got != want {
		return fmt.Errorf("the state says seat %d, the position %d, counted from 0", got, want)
	}
	if p.Seat() == engine.Nobody {
		return checkPayoffs(p, s)
	}
	return nil
}

// checkLine makes many moves in a row and takes them back.
func (r *runner) checkLine(s search.State, before snapshot) error {
	var line []snapshot
	for range 1 + r.random.IntN(40) {
		now := takeSnapshot(s)
		if now.seat < 0 {
			break
		}
		if len(now.moves) == 0 {
			return fmt.Errorf("after %d moves there are no moves, but the game is not over", len(line))
		}
		line = append(line, now)
		s.Make(now.moves[r.random.IntN(len(now.moves))])
		r.moves++
	}
	for i := len(line) - 1; i >= 0; i-- {
		s.Unmake()
		if err := line[i].diff(s); err != nil {
			return fmt.Errorf("method Unmake of %d moves down to %d: %w", len(line), i, err)
		}
	}
	return nil
}

// checkPredictions checks MoveEvaluator and MoveCounter against the positions
// after each move.
func checkPredictions(s search.State, before snapshot) error {
	left := math.MaxInt
	counter, counts := s.(search.MoveCounter)
	if counts {
		if left = counter.MovesLeft(); left < 1 {
			return fmt.Errorf("MovesLeft is %d before the end of the game", left)
		}
	}
	evaluator, evaluates := s.(search.MoveEvaluator)
	values := make([]int32, len(before.moves))
	evaluates = evaluates && evaluator.EvaluateMoves(before.moves, values)
	if err := before.diff(s); err != nil {
		return fmt.Errorf("EvaluateMoves changes the state: %w", err)
	}
	actual, over := make([]int, len(before.moves)), false
	for i, m := range before.moves {
		s.Make(m)
		if next := s.Seat(); next < 0 {
			over = true
		} else if e, ok := s.(search.Evaluator); ok {
			if actual[i] = e.Evaluate(); next != before.seat {
				actual[i] = -actual[i]
			}
		}
		var err error
		switch next := s.Seat(); {
		case next < 0 && evaluates:
			err = errors.New("EvaluateMoves evaluates it although it ends the game")
		case next >= 0 && evaluates && actual[i] != int(values[i]):
			err = fmt.Errorf("the evaluation is %d, by EvaluateMoves %d", actual[i], values[i])
		}
		if counts && err == nil && s.Seat() >= 0 && counter.MovesLeft() >= left {
			err = fmt.Errorf("MovesLeft is %d before it and %d after it", left, counter.MovesLeft())
		}
		s.Unmake()
		if err != nil {
			return fmt.Errorf("the move %d: %w", m, err)
		}
	}
	return checkBestReply(s, before, actual, over)
}

// checkBestReply checks a BestReplyEvaluator against the values of all moves;
// over tells that one of them may end the game.
func checkBestReply(s search.State, before snapshot, values []int, over bool) error {
	evaluator, ok := s.(search.BestReplyEvaluator)
	if !ok {
		return nil
	}
	best := slices.Max(values)
	for _, beta := range []int{math.MaxInt, best + 1, best, best - 30, math.MinInt} {
		value, move, found := evaluator.EvaluateBestReply(beta)
		if err := before.diff(s); err != nil {
			return fmt.Errorf("EvaluateBestReply changes the state: %w", err)
		}
		if !found {
			continue
		}
		if over {
			return errors.New("EvaluateBestReply returns a value although a move ends the game")
		}
		if at := slices.Index(before.moves, move); at < 0 || values[at] != value || value < min(best, beta) {
			return fmt.Errorf("EvaluateBestReply(%d) returns move %d with %d, which is not the best of moves %v with values %v", beta, move, value, before.moves, values)
		}
	}
	return nil
}

// checkPayoffs checks the payoffs against the result.
func checkPayoffs(p engine.Position, s search.State) error {
	result, _ := p.Result()
	got, want := make([]float64, s.Seats()), make([]float64, s.Seats())
	if len(result.Ranks) != s.Seats() {
		return fmt.Errorf("the state has %d seats, the game %d", s.Seats(), len(result.Ranks))
	}
	for i := range got {
		got[i] = math.NaN() // every element must be set
	}
	s.Payoffs(got)
	search.Payoffs(result, want)
	for i := range got {
		if !(math.Abs(got[i]-want[i]) < 1e-9) {
			return fmt.Errorf("the payoffs are %v, by the result %v", got, want)
		}
	}
	return nil
}

// checkPlayout plays out twice with the same seed.
func (r *runner) checkPlayout(s search.State, before snapshot) error {
	player, ok := s.(search.Playouter)
	if !ok {
		return nil
	}
	seed := r.random.Uint64()
	var payoffs [2][]float64
	for i := range payoffs {
		payoffs[i] = make([]float64, s.Seats())
		for j := range payoffs[i] {
			payoffs[i][j] = math.NaN()
		}
		player.Playout(rand.NewPCG(seed, 1), payoffs[i])
		if err := before.diff(s); err != nil {
			return fmt.Errorf("method Playout: %w", err)
		}
		if err := checkValues(payoffs[i], s.Seats()); err != nil {
			return fmt.Errorf("method Playout: %w", err)
		}
	}
	if !slices.Equal(payoffs[0], payoffs[1]) {
		return fmt.Errorf("method Playout gives %v and %v with the same seed", payoffs[0], payoffs[1])
	}
	return nil
}

// checkValues checks that values are payoffs.
func checkValues(values []float64, seats int) error {
	if len(values) != seats {
		return fmt.Errorf("there are %d values for %d seats", len(values), seats)
	}
	sum := 0.0
	for _, v := range values {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%v has a value that is not from 0 to 1", values)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("the values %v do not add up to 1", values)
	}
	return nil
}

// checkAllocations makes moves with large beta slices. Growth on first use
// does not count.
func (r *runner) checkAllocations(s search.State) error {
	if r.suite.Allocates || r.positions%16 != 1 {
		return nil
	}
	moves := make([]search.Move, 0, 1<<16)
	if n := allocations(func() {
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
	}); n > 0 {
		return fmt.Errorf("eight moves with Make and Unmake allocate %g times", n)
	}
	player, ok := s.(search.Playouter)
	if !ok {
		return nil
	}
	random, values := rand.NewPCG(r.random.Uint64(), 1), make([]float64, s.Seats())
	if n := allocations(func() { player.Playout(random, values) }); n > 0 {
		return fmt.Errorf("method Playout allocates %g times", n)
	}
	return nil
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
