package enginetest

import (
	"errors"
	"fmt"
	"slices"

	"castellan/engine"
)

// checkResult checks the result of a game from which some seats have retired.
func (r *runner) checkResult(result engine.Result, retired map[engine.Seat]bool) error {
	if _, ok := r.texts[r.game.Key()+".reason."+result.Reason]; !ok || result.Reason == "" {
		return fmt.Errorf("the reason %q has no text", result.Reason)
	}
	if len(result.Ranks) != r.seats {
		return fmt.Errorf("%d seats have %d ranks", r.seats, len(result.Ranks))
	}
	for i, rank := range result.Ranks {
		if rank < 1 || rank > r.seats {
			return fmt.Errorf("seat %d has rank %d of %d", i+1, rank, r.seats)
		}
		for j, other := range result.Ranks {
			if retired[engine.Seat(i+1)] && !retired[engine.Seat(j+1)] && rank <= other {
				return fmt.Errorf("seat %d has retired but does not rank below seat %d", i+1, j+1)
			}
		}
	}
	if err := checkWinners(result); err != nil {
		return err
	}
	return r.checkScores(result, retired)
}

// checkWinners checks that the winners are the seats of rank 1, and that more
// than one seat has that rank after a draw.
func checkWinners(result engine.Result) error {
	var first []engine.Seat
	for i, rank := range result.Ranks {
		if rank == 1 {
			first = append(first, engine.Seat(i+1))
		}
	}
	switch {
	case len(first) == 0:
		return fmt.Errorf("no seat has rank 1: %v", result.Ranks)
	case len(result.Winners) == 0 && len(first) == 1:
		return fmt.Errorf("the game is drawn, but seat %d alone has rank 1", first[0])
	case len(result.Winners) > 0 && !slices.Equal(result.Winners, first):
		return fmt.Errorf("the winners are %v, but rank 1 have %v", result.Winners, first)
	}
	return nil
}

// checkScores checks that either all results have scores or none has, and that
// seats which have not retired are ranked by score.
func (r *runner) checkScores(result engine.Result, retired map[engine.Seat]bool) error {
	scored := result.Scores != nil
	if r.scored == nil {
		r.scored = &scored
	}
	if *r.scored != scored {
		return errors.New("some results have scores, others have none")
	}
	if !scored {
		return nil
	}
	if len(result.Scores) != r.seats {
		return fmt.Errorf("%d seats have %d scores", r.seats, len(result.Scores))
	}
	for i, a := range result.Scores {
		for j, b := range result.Scores {
			bothStayed := !retired[engine.Seat(i+1)] && !retired[engine.Seat(j+1)]
			if bothStayed && (a > b) != (result.Ranks[i] < result.Ranks[j]) {
				return fmt.Errorf("scores %v do not go with ranks %v", result.Scores, result.Ranks)
			}
		}
	}
	return nil
}

// retire retires a random seat at the start of a turn and checks the position
// after it.
func (r *runner) retire(s snapshot, retired map[engine.Seat]bool) (snapshot, engine.Seat, error) {
	seat := engine.Seat(1 + r.random.IntN(r.seats))
	for retired[seat] {
		seat = seat%engine.Seat(r.seats) + 1
	}
	fail := func(format string, args ...any) (snapshot, engine.Seat, error) {
		return snapshot{}, 0, fmt.Errorf("seat %d retires: "+format, append([]any{seat}, args...)...)
	}
	p, ok := s.position.(engine.Retirer)
	if !ok {
		return fail("the first position of the game is an engine.Retirer, this one is not")
	}
	next, err := p.Retire(seat)
	if err != nil {
		return fail("it cannot: %w", err)
	}
	if err := s.checkUnchanged(); err != nil {
		return fail("%w", err)
	}
	after := snapshotOf(next)
	switch {
	case after.turns != s.turns:
		return fail("that counts as a turn")
	case after.hash == s.hash:
		return fail("that does not change the hash")
	case !after.over && seat != s.seat && after.seat != s.seat:
		return fail("that takes the turn of seat %d", s.seat)
	}
	again, ok := next.(engine.Retirer)
	if !ok {
		return fail("the position after it is not an engine.Retirer")
	}
	for other := engine.Seat(1); int(other) <= r.seats; other++ {
		if other != seat && !after.over {
			continue
		}
		if _, err := again.Retire(other); err == nil || err.Error() == "" {
			return fail("then seat %d can retire, though it has retired already or the game is over", other)
		}
	}
	r.retirements++
	return after, seat, nil
}
