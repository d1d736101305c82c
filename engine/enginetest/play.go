package enginetest

import (
	"fmt"
	"sync"

	"castellan/engine"
)

// maxKept is how many positions of a game are looked at again when it is over.
const maxKept = 200

// play plays one random game and checks all that can be checked on the way.
func (r *runner) play(options engine.Options, seats int, start engine.Position, retire bool, byHash map[uint64]string) error {
	r.options, r.seats, r.log = options, seats, nil
	r.games++
	if start.Turns() != 0 {
		return fmt.Errorf("a game starts after %d turns, not 0", start.Turns())
	}
	var (
		kept   []snapshot
		p      = start
		fresh  = true // at the start of a turn
		gone   = map[engine.Seat]bool{}
		over   = false
		broken bool
	)
	for {
		s := take(p)
		if len(kept) < maxKept {
			kept = append(kept, s)
		}
		if err := r.checkPosition(s, gone, byHash); err != nil {
			return err
		}
		if over = s.over; over {
			break
		}
		if broken = len(r.log) >= r.suite.MaxActions; broken {
			break
		}
		if retire && fresh && seats-len(gone) > 2 && r.random.IntN(6) == 0 {
			next, seat, err := r.retire(s, gone)
			if err != nil {
				return err
			}
			gone[seat] = true
			p = next
			r.log = append(r.log, entry{retired: seat})
			continue
		}
		a := s.legal[r.random.IntN(len(s.legal))]
		next, err := r.apply(s, a)
		if err != nil {
			return err
		}
		fresh = next.Turns() > p.Turns()
		r.log = append(r.log, entry{token: a.String()})
		p = next
	}
	if over {
		r.ended++
		if err := r.checkEnd(p, gone); err != nil {
			return err
		}
	}
	for i, s := range kept {
		if err := s.unchanged(); err != nil {
			return fmt.Errorf("position %d of the game: %w", i, err)
		}
	}
	return r.replay(take(p))
}

// apply makes a legal action and looks at what has changed.
func (r *runner) apply(s snapshot, a engine.Action) (engine.Position, error) {
	next, err := s.position.Apply(a)
	if err != nil {
		return nil, fmt.Errorf("the legal action %s is refused: %w", a, err)
	}
	if next == nil {
		return nil, fmt.Errorf("the legal action %s gives no position", a)
	}
	if err := s.unchanged(); err != nil {
		return nil, fmt.Errorf("by applying %s: %w", a, err)
	}
	after := take(next)
	again, err := s.position.Apply(a)
	if err != nil {
		return nil, fmt.Errorf("the legal action %s is refused the second time: %w", a, err)
	}
	if err := after.same(take(again)); err != nil {
		return nil, fmt.Errorf("%s applied twice to one position: %w", a, err)
	}
	switch d := after.turns - s.turns; {
	case d != 0 && d != 1:
		return nil, fmt.Errorf("%s changes the number of turns from %d to %d", a, s.turns, after.turns)
	case d == 0 && !after.over && after.seat != s.seat:
		return nil, fmt.Errorf("%s gives the turn to seat %d but does not count a turn", a, after.seat)
	case d == 0 && r.game.Direct() != nil:
		return nil, fmt.Errorf("%s does not end the turn, though the game has Direct", a)
	}
	if after.hash == s.hash {
		return nil, fmt.Errorf("%s leaves the hash as it was", a)
	}
	return next, nil
}

// replay plays the log again from the tokens and expects the same position.
func (r *runner) replay(want snapshot) error {
	p, err := r.game.New(r.options, r.seats)
	if err != nil {
		return fmt.Errorf("starting the game again: %w", err)
	}
	for i, e := range r.log {
		if e.retired != engine.Nobody {
			if p, err = p.(engine.Retirer).Retire(e.retired); err != nil {
				return fmt.Errorf("entry %d of the log, played again: %w", i, err)
			}
			continue
		}
		a, err := p.Parse(e.token)
		if err != nil {
			return fmt.Errorf("entry %d of the log, played again: %w", i, err)
		}
		if p, err = p.Apply(a); err != nil {
			return fmt.Errorf("entry %d of the log, played again: %w", i, err)
		}
	}
	got := take(p)
	if err := want.same(got); err != nil {
		return fmt.Errorf("the log played again leads elsewhere: %w", err)
	}
	// A position is safe for concurrent use; the race detector listens.
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() { errs[i] = caught(got.unchanged) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("read by several at once: %w", err)
		}
	}
	return nil
}
