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
		return fmt.Errorf("a state of a position of the game: %w", err)
	}
	if other.Seats() != s.Seats() || s.Seats() < engine.MinSeats {
		return fmt.Errorf("the state has %d seats, one made here %d", s.Seats(), other.Seats())
	}
	if p.Seat() == engine.Nobody {
		return checkPayoffs(p, s)
	}
	a, b := takeSnapshot(s), takeSnapshot(other)
	if a.hash != b.hash {
		return errors.New("the hash is not that of a state made here")
	}
	if a.value != b.value {
		return fmt.Errorf("the evaluation is %d, that of a state made here %d", a.value, b.value)
	}
	if a.value < -search.MaxValue || a.value > search.MaxValue {
		return fmt.Errorf("the evaluation %d is beyond %d", a.value, search.MaxValue)
	}
	if !fresh && !r.suite.Rooted && !slices.Equal(sorted(a.moves), sorted(b.moves)) {
		return fmt.Errorf("the moves are %v, those of a state made here %v", a.moves, b.moves)
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

// snapshot is what a state tells of itself.
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

func sorted(moves []search.Move) []search.Move {
	moves = slices.Clone(moves)
	slices.Sort(moves)
	return moves
}

// checkMoves checks every move: it is legal, leads where the rules lead, and is
// taken back completely.
func (r *runner) checkMoves(p engine.Position, s search.State, before snapshot) error {
	moves := before.moves
	if len(moves) == 0 {
		return errors.New("there are no moves, and the game is not over")
	}
	if again := sorted(moves); len(slices.Compact(again)) != len(moves) {
		return fmt.Errorf("a move stands twice in %v", moves)
	}
	if slices.Contains(moves, search.NoMove) {
		return errors.New("NoMove is among the moves")
	}
	if prefix := s.Moves([]search.Move{7}); prefix[0] != 7 || !slices.Equal(prefix[1:], moves) {
		return errors.New("the moves are not appended to what is there")
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
				return fmt.Errorf("the move %d, %v, goes on beyond its turn", m, actions)
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
			return fmt.Errorf("the move %d, %v, was made and taken back: %w", m, actions, err)
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
			return fmt.Errorf("%d moves on there are no moves, and the state does not say that the game is over", len(line))
		}
		line = append(line, now)
		s.Make(now.moves[r.random.IntN(len(now.moves))])
		r.moves++
	}
	for i := len(line) - 1; i >= 0; i-- {
		s.Unmake()
		if err := line[i].diff(s); err != nil {
			return fmt.Errorf("%d moves were made, and taken back down to %d: %w", len(line), i, err)
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
			return fmt.Errorf("%d moves are left, and the game is not over", left)
		}
	}
	foreseer, foresees := s.(search.MoveEvaluator)
	values := make([]int32, len(before.moves))
	foresees = foresees && foreseer.EvaluateMoves(before.moves, values)
	if err := before.diff(s); err != nil {
		return fmt.Errorf("it was asked what it foresees: %w", err)
	}
	worths, over := make([]int, len(before.moves)), false
	for i, m := range before.moves {
		s.Make(m)
		if next := s.Seat(); next < 0 {
			over = true
		} else if e, ok := s.(search.Evaluator); ok {
			if worths[i] = e.Evaluate(); next != before.seat {
				worths[i] = -worths[i]
			}
		}
		var err error
		switch next := s.Seat(); {
		case next < 0 && foresees:
			err = errors.New("it ends the game, and a worth of it was foreseen")
		case next >= 0 && foresees && worths[i] != int(values[i]):
			err = fmt.Errorf("it is worth %d, and %d was foreseen", worths[i], values[i])
		}
		if counts && err == nil && s.Seat() >= 0 && counter.MovesLeft() >= left {
			err = fmt.Errorf("%d moves were left before it and are %d after it", left, counter.MovesLeft())
		}
		s.Unmake()
		if err != nil {
			return fmt.Errorf("the move %d: %w", m, err)
		}
	}
	return checkBestReply(s, before, worths, over)
}

// checkBestReply checks a BestReplyEvaluator against the values of all moves;
// over tells that one of them may end the game.
func checkBestReply(s search.State, before snapshot, worths []int, over bool) error {
	glancer, ok := s.(search.BestReplyEvaluator)
	if !ok {
		return nil
	}
	best := slices.Max(worths)
	for _, enough := range []int{math.MaxInt, best + 1, best, best - 30, math.MinInt} {
		value, move, seen := glancer.EvaluateBestReply(enough)
		if err := before.diff(s); err != nil {
			return fmt.Errorf("it was glanced at: %w", err)
		}
		if !seen {
			continue
		}
		if over {
			return errors.New("a move ends the game, and a glance was enough")
		}
		if at := slices.Index(before.moves, move); at < 0 || worths[at] != value || value < min(best, enough) {
			return fmt.Errorf("where %d is enough, the move %d is worth %d at a glance; of the moves %v, worth %v, it is not the best", enough, move, value, before.moves, worths)
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
			return fmt.Errorf("the shares are %v, by the result %v", got, want)
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
	var shares [2][]float64
	for i := range shares {
		shares[i] = make([]float64, s.Seats())
		for j := range shares[i] {
			shares[i][j] = math.NaN()
		}
		player.Playout(rand.NewPCG(seed, 1), shares[i])
		if err := before.diff(s); err != nil {
			return fmt.Errorf("a game was played out: %w", err)
		}
		if err := checkValues(shares[i], s.Seats()); err != nil {
			return fmt.Errorf("a game was played out: %w", err)
		}
	}
	if !slices.Equal(shares[0], shares[1]) {
		return fmt.Errorf("games played out from one seed give %v and %v", shares[0], shares[1])
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
			return fmt.Errorf("a value of %v is not from 0 to 1", values)
		}
		sum += v
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("the values %v are not 1 in all", values)
	}
	return nil
}

// checkAllocations makes moves with large enough slices. Growth on first use
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
		return fmt.Errorf("eight moves made and taken back allocate %g times", n)
	}
	player, ok := s.(search.Playouter)
	if !ok {
		return nil
	}
	random, values := rand.NewPCG(r.random.Uint64(), 1), make([]float64, s.Seats())
	if n := allocations(func() { player.Playout(random, values) }); n > 0 {
		return fmt.Errorf("playing out allocates %g times", n)
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
