package enginetest

import (
	"fmt"
	"reflect"
	"sync"

	"castellan/engine"
)

// maxKept is the number of positions of a game that are checked again after it.
const maxKept = 200

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
func (r *runner) play(options engine.Options, seats int, start engine.Position, retire bool, byHash map[uint64]string) {
	r.options, r.seats, r.log = options, seats, nil
	r.games++
	Require(start.Turns() == 0, "a game starts after %d turns, not 0", start.Turns())
	var kept []snapshot
	s, atTurnStart, retired := snapshotOf(start), true, map[engine.Seat]bool{}
	for {
		if len(kept) < maxKept {
			kept = append(kept, s)
		}
		r.checkPosition(s, retired, byHash)
		if s.over {
			r.ended++
			r.checkResult(s.result, retired)
		}
		if s.over || len(r.log) >= r.suite.MaxActions {
			break
		}
		if retire && atTurnStart && seats-len(retired) > 2 && r.random.IntN(6) == 0 {
			next, seat := r.retire(s, retired)
			retired[seat] = true
			r.log = append(r.log, event{retired: seat})
			s = next
			continue
		}
		a := s.legal[r.random.IntN(len(s.legal))]
		next := r.apply(s, a)
		atTurnStart = next.turns > s.turns
		r.log = append(r.log, event{token: a.String()})
		s = next
	}
	for i, k := range kept {
		k.checkUnchanged(fmt.Sprintf("position %d after the game", i))
	}
	r.replay(s)
}

// apply applies a legal action and checks the position after it.
func (r *runner) apply(s snapshot, a engine.Action) snapshot {
	next, err := s.position.Apply(a)
	Require(err == nil, "the legal action %s is refused: %v", a, err)
	Require(next != nil, "the legal action %s gives no position", a)
	after := snapshotOf(next)
	if r.thorough() {
		s.checkUnchanged("after an action is applied")
		again, err := s.position.Apply(a)
		Require(err == nil, "the legal action %s is refused the second time: %v", a, err)
		diff := after.compare(snapshotOf(again))
		Require(diff == "", "%s applied twice to the same position: %s", a, diff)
	}
	d := after.turns - s.turns
	Require(d == 0 || d == 1, "%s changes the number of turns from %d to %d", a, s.turns, after.turns)
	Require(d == 1 || after.over || after.seat == s.seat, "%s gives the turn to seat %d but does not count a turn", a, after.seat)
	Require(d == 1 || r.game.Direct() == nil, "%s does not end the turn, though the game has Direct", a)
	Require(after.hash != s.hash, "%s does not change the hash", a)
	return after
}

// replay plays the log from its tokens and checks that it leads to the same
// position, which several goroutines can read at once.
func (r *runner) replay(want snapshot) {
	p, err := r.game.New(r.options, r.seats)
	Require(err == nil, "method New fails the second time: %v", err)
	for i, e := range r.log {
		p, err = e.apply(p)
		Require(err == nil, "entry %d of the log, replayed: %v", i, err)
	}
	got := snapshotOf(p)
	diff := want.compare(got)
	Require(diff == "", "the log, replayed, leads to another position: %s", diff)
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() { errs[i] = Catch(func() { got.checkUnchanged("read concurrently") }) })
	}
	wait.Wait()
	for _, err := range errs {
		Require(err == nil, "%v", err)
	}
}

func (e event) apply(p engine.Position) (engine.Position, error) {
	if e.retired != engine.Nobody {
		return p.(engine.Retirer).Retire(e.retired)
	}
	return Try(p, e.token)
}

// snapshot holds everything that a position says at one moment.
type snapshot struct {
	position engine.Position
	seat     engine.Seat
	turns    int
	legal    []engine.Action
	hash     uint64
	result   engine.Result
	over     bool
	status   engine.Phrase
	summary  engine.Phrase
	describe []engine.Phrase
}

func snapshotOf(p engine.Position) snapshot {
	s := snapshot{
		position: p, seat: p.Seat(), turns: p.Turns(), legal: p.Legal(), hash: p.Hash(),
		status: p.Status(), summary: p.Summary(), describe: p.Describe(),
	}
	s.result, s.over = p.Result()
	return s
}

func (s snapshot) checkUnchanged(when string) {
	diff := s.compare(snapshotOf(s.position))
	Require(diff == "", "a position has changed, %s: %s", when, diff)
}

// compare returns the first difference of two snapshots, empty if there is none.
func (s snapshot) compare(t snapshot) string {
	for _, c := range []struct {
		what string
		a, b any
	}{
		{"seat", s.seat, t.seat},
		{"number of turns", s.turns, t.turns},
		{"legal actions", engine.Tokens(s.legal), engine.Tokens(t.legal)},
		{"hash", s.hash, t.hash},
		{"result", s.result, t.result},
		{"end", s.over, t.over},
		{"status", s.status, t.status},
		{"summary", s.summary, t.summary},
		{"description", s.describe, t.describe},
	} {
		if !reflect.DeepEqual(c.a, c.b) {
			return fmt.Sprintf("%s: %v and %v", c.what, c.a, c.b)
		}
	}
	return ""
}
