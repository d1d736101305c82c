package enginetest

import (
	"fmt"
	"slices"

	"castellan/engine"
)

// checkEnd looks at the result of a game that is over.
func (r *runner) checkEnd(p engine.Position, gone map[engine.Seat]bool) error {
	result, _ := p.Result()
	if _, ok := r.texts[r.game.Key()+".reason."+result.Reason]; !ok || result.Reason == "" {
		return fmt.Errorf("the reason %q has no text", result.Reason)
	}
	if len(result.Ranks) != r.seats {
		return fmt.Errorf("%d seats have %d ranks", r.seats, len(result.Ranks))
	}
	if err := r.checkWinners(result, gone); err != nil {
		return err
	}
	for i, rank := range result.Ranks {
		if rank < 1 || rank > r.seats {
			return fmt.Errorf("seat %d has rank %d of %d", i+1, rank, r.seats)
		}
		for j, other := range result.Ranks {
			if gone[engine.Seat(i+1)] && !gone[engine.Seat(j+1)] && rank <= other {
				return fmt.Errorf("seat %d has retired but does not rank below seat %d", i+1, j+1)
			}
		}
	}
	return r.checkScores(result, gone)
}

// checkWinners: the winners are those of rank 1; in a draw nobody is alone at
// the top.
func (r *runner) checkWinners(result engine.Result, gone map[engine.Seat]bool) error {
	var first []engine.Seat
	for i, rank := range result.Ranks {
		if rank == 1 {
			first = append(first, engine.Seat(i+1))
		}
	}
	switch {
	case len(first) == 0:
		return fmt.Errorf("nobody has rank 1: %v", result.Ranks)
	case len(result.Winners) == 0 && len(first) == 1:
		return fmt.Errorf("it is a draw, but seat %d alone has rank 1", first[0])
	case len(result.Winners) > 0 && !slices.Equal(result.Winners, first):
		return fmt.Errorf("the winners are %v, but rank 1 have %v", result.Winners, first)
	}
	for _, w := range result.Winners {
		if gone[w] {
			return fmt.Errorf("seat %d has retired and wins", w)
		}
	}
	return nil
}

// checkScores: all or no results have scores, and among those who have not
// retired more points rank before fewer.
func (r *runner) checkScores(result engine.Result, gone map[engine.Seat]bool) error {
	scored := result.Scores != nil
	if r.scored == nil {
		r.scored = &scored
	}
	if *r.scored != scored {
		return fmt.Errorf("some results have scores, others have none")
	}
	if !scored {
		return nil
	}
	if len(result.Scores) != r.seats {
		return fmt.Errorf("%d seats have %d scores", r.seats, len(result.Scores))
	}
	for i, a := range result.Scores {
		for j, b := range result.Scores {
			if gone[engine.Seat(i+1)] || gone[engine.Seat(j+1)] {
				continue
			}
			if (a > b) != (result.Ranks[i] < result.Ranks[j]) {
				return fmt.Errorf("scores %v do not go with ranks %v", result.Scores, result.Ranks)
			}
		}
	}
	return nil
}

// retire lets a random seat leave at the start of a turn.
func (r *runner) retire(s snapshot, gone map[engine.Seat]bool) (engine.Position, engine.Seat, error) {
	p, ok := s.position.(engine.Retirer)
	if !ok {
		return nil, 0, fmt.Errorf("the first position of the game is an engine.Retirer, a later one is not")
	}
	seat := engine.Seat(1 + r.random.IntN(r.seats))
	for gone[seat] {
		seat = seat%engine.Seat(r.seats) + 1
	}
	next, err := p.Retire(seat)
	if err != nil {
		return nil, 0, fmt.Errorf("seat %d cannot retire: %w", seat, err)
	}
	if err := s.unchanged(); err != nil {
		return nil, 0, fmt.Errorf("by the retirement of seat %d: %w", seat, err)
	}
	after := snapshotOf(next)
	switch {
	case after.turns != s.turns:
		return nil, 0, fmt.Errorf("the retirement of seat %d counts as a turn", seat)
	case after.hash == s.hash:
		return nil, 0, fmt.Errorf("the retirement of seat %d leaves the hash as it was", seat)
	case !after.over && seat != s.seat && after.seat != s.seat:
		return nil, 0, fmt.Errorf("the retirement of seat %d takes the turn of seat %d", seat, s.seat)
	}
	again, ok := next.(engine.Retirer)
	if !ok {
		return nil, 0, fmt.Errorf("after a retirement nobody else can retire")
	}
	if _, err := again.Retire(seat); err == nil || err.Error() == "" {
		return nil, 0, fmt.Errorf("seat %d can retire twice", seat)
	}
	if after.over {
		for other := range engine.Seat(r.seats) {
			if _, err := again.Retire(other + 1); err == nil {
				return nil, 0, fmt.Errorf("seat %d can retire though the game is over", other+1)
			}
		}
	}
	r.retirements++
	return next, seat, nil
}
