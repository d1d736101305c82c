package enginetest

import (
	"slices"

	"castellan/engine"
)

// checkResult checks the result of a game from which some seats have retired:
// the winners are the seats of rank 1, of which there are several after a draw.
func (r *runner) checkResult(result engine.Result, retired map[engine.Seat]bool) {
	_, ok := r.texts[r.game.Key()+".reason."+result.Reason]
	Require(ok && result.Reason != "", "the reason %q has no text", result.Reason)
	Require(len(result.Ranks) == r.seats, "%d seats have %d ranks", r.seats, len(result.Ranks))
	var first []engine.Seat
	for i, rank := range result.Ranks {
		Require(rank >= 1 && rank <= r.seats, "seat %d has rank %d of %d", i+1, rank, r.seats)
		for j, other := range result.Ranks {
			Require(!retired[engine.Seat(i+1)] || retired[engine.Seat(j+1)] || rank > other, "seat %d has retired but does not rank below seat %d", i+1, j+1)
		}
		if rank == 1 {
			first = append(first, engine.Seat(i+1))
		}
	}
	_, decisive := r.game.(engine.Decisive)
	Require(!decisive || len(result.Winners) > 0, "the game is Decisive, but ends in a draw")
	Require(len(first) > 0, "no seat has rank 1: %v", result.Ranks)
	Require(len(result.Winners) > 0 || len(first) > 1, "the game is drawn, but seat %d alone has rank 1", first[0])
	Require(len(result.Winners) == 0 || slices.Equal(result.Winners, first), "the winners are %v, but rank 1 have %v", result.Winners, first)
	r.checkScores(result, retired)
}

// checkScores checks that either all results have scores or none has, and that
// seats which have not retired are ranked by score.
func (r *runner) checkScores(result engine.Result, retired map[engine.Seat]bool) {
	scored := result.Scores != nil
	if r.scored == nil {
		r.scored = &scored
	}
	Require(*r.scored == scored, "some results have scores, others have none")
	Require(!scored || len(result.Scores) == r.seats, "%d seats have %d scores", r.seats, len(result.Scores))
	for i, a := range result.Scores {
		for j, b := range result.Scores {
			bothStayed := !retired[engine.Seat(i+1)] && !retired[engine.Seat(j+1)]
			Require(!bothStayed || (a > b) == (result.Ranks[i] < result.Ranks[j]), "scores %v do not go with ranks %v", result.Scores, result.Ranks)
		}
	}
}

// retire retires a random seat at the start of a turn and checks the position
// after it.
func (r *runner) retire(s snapshot, retired map[engine.Seat]bool) (after snapshot, seat engine.Seat) {
	seat = engine.Seat(1 + r.random.IntN(r.seats))
	for retired[seat] {
		seat = seat%engine.Seat(r.seats) + 1
	}
	p, ok := s.position.(engine.Retirer)
	Require(ok, "the first position of the game is an engine.Retirer, this one is not")
	next, err := p.Retire(seat)
	Require(err == nil, "seat %d retires: it cannot: %v", seat, err)
	s.checkUnchanged("after a retirement")
	after = snapshotOf(next)
	Require(after.turns == s.turns, "the retirement of seat %d counts as a turn", seat)
	Require(after.hash != s.hash, "the retirement of seat %d does not change the hash", seat)
	Require(after.over || seat == s.seat || after.seat == s.seat, "the retirement of seat %d takes the turn of seat %d", seat, s.seat)
	again, ok := next.(engine.Retirer)
	Require(ok, "the position after the retirement of seat %d is not an engine.Retirer", seat)
	for other := engine.Seat(1); int(other) <= r.seats; other++ {
		if other == seat || after.over {
			_, err := again.Retire(other)
			Require(err != nil && err.Error() != "", "after the retirement of seat %d, seat %d can retire, though it has retired already or the game is over", seat, other)
		}
	}
	r.retirements++
	return after, seat
}
