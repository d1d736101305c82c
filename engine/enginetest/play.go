package enginetest

import (
	"fmt"
	"sync"

	"castellan/engine"
)

// maxKept is the number of positions of a game that are checked again after it.
const maxKept = 200

// event is an action or a retirement.
type event struct {
	token   string
	retired engine.Seat
}

func (e event) String() string {
	if e.retired != engine.Nobody {
		return fmt.Sprintf("[seat %d retires]", e.retired)
	}
	return e.token
}

// play plays one random game and checks every position on the way.
func (r *runner) play(options engine.Options, seats int, start engine.Position, retire bool, byHash map[uint64]string) error {
	r.options, r.seats, r.log = options, seats, nil
	r.games++
	if start.Turns() != 0 {
		return fmt.Errorf("a game starts after %d turns, not 0", start.Turns())
	}
	var kept []snapshot
	next, atTurnStart, retired := snapshotOf(start), true, map[engine.Seat]bool{}
	for {
		s := next
		if len(kept) < maxKept {
			kept = append(kept, s)
		}
		if err := r.checkPosition(s, retired, byHash); err != nil {
			return err
		}
		if s.over {
			r.ended++
			if err := r.checkResult(s.result, retired); err != nil {
				return err
			}
			break
		}
		if len(r.log) >= r.suite.MaxActions {
			break
		}
		var err error
		if retire && atTurnStart && seats-len(retired) > 2 && r.random.IntN(6) == 0 {
			var seat engine.Seat
			if next, seat, err = r.retire(s, retired); err != nil {
				return err
			}
			retired[seat] = true
			r.log = append(r.log, event{retired: seat})
			continue
		}
		a := s.legal[r.random.IntN(len(s.legal))]
		if next, err = r.apply(s, a); err != nil {
			return err
		}
		atTurnStart = next.turns > s.turns
		r.log = append(r.log, event{token: a.String()})
	}
	for i, s := range kept {
		if err := s.checkUnchanged(); err != nil {
			return fmt.Errorf("position %d of the game: %w", i, err)
		}
	}
	return r.replay(next)
}

// apply applies a legal action and checks the position after it.
func (r *runner) apply(s snapshot, a engine.Action) (after snapshot, err error) {
	next, err := s.position.Apply(a)
	if err != nil {
		return after, fmt.Errorf("the legal action %s is refused: %w", a, err)
	}
	if next == nil {
		return after, fmt.Errorf("the legal action %s gives no position", a)
	}
	after = snapshotOf(next)
	if r.thorough() {
		if err := s.checkUnchanged(); err != nil {
			return after, fmt.Errorf("after applying %s: %w", a, err)
		}
		again, err := s.position.Apply(a)
		if err != nil {
			return after, fmt.Errorf("the legal action %s is refused the second time: %w", a, err)
		}
		if err := after.compare(snapshotOf(again)); err != nil {
			return after, fmt.Errorf("%s applied twice to the same position: %w", a, err)
		}
	}
	switch d := after.turns - s.turns; {
	case d != 0 && d != 1:
		return after, fmt.Errorf("%s changes the number of turns from %d to %d", a, s.turns, after.turns)
	case d == 0 && !after.over && after.seat != s.seat:
		return after, fmt.Errorf("%s gives the turn to seat %d but does not count a turn", a, after.seat)
	case d == 0 && r.game.Direct() != nil:
		return after, fmt.Errorf("%s does not end the turn, though the game has Direct", a)
	}
	if after.hash == s.hash {
		return after, fmt.Errorf("%s does not change the hash", a)
	}
	return after, nil
}

// replay plays the log from its tokens and checks that it leads to the same
// position, which several goroutines can read at once.
func (r *runner) replay(want snapshot) error {
	p, err := r.game.New(r.options, r.seats)
	if err != nil {
		return fmt.Errorf("method New fails the second time: %w", err)
	}
	for i, e := range r.log {
		if p, err = e.apply(p); err != nil {
			return fmt.Errorf("entry %d of the log, replayed: %w", i, err)
		}
	}
	got := snapshotOf(p)
	if err := want.compare(got); err != nil {
		return fmt.Errorf("the log replays to another position: %w", err)
	}
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() { errs[i] = CatchPanic(got.checkUnchanged) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("concurrent reads: %w", err)
		}
	}
	return nil
}

// apply returns the position after an event.
func (e event) apply(p engine.Position) (engine.Position, error) {
	if e.retired != engine.Nobody {
		return p.(engine.Retirer).Retire(e.retired)
	}
	a, err := p.Parse(e.token)
	if err != nil {
		return nil, err
	}
	return p.Apply(a)
}
