package searchtest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
	"castellan/engine/search/searchtest"
	"castellan/engine/trails"
)

// quick is enough to find what is wrong everywhere.
var quick = searchtest.Suite{Games: 2, Decisions: 1, Nodes: 20, Allocates: true}

func watch(s searchtest.Suite, b search.Engine, positions ...engine.Position) *enginetest.Recorder {
	return enginetest.Record(func(t enginetest.T) { s.Run(t, b, positions...) })
}

// small returns a game with short turns of several actions, or a short game
// with turns of one action.
func small(t *testing.T, g engine.Game, options string, seats int) engine.Position {
	return enginetest.Start[engine.Position](t, g, options, seats)
}

func TestRunPasses(t *testing.T) {
	for _, c := range []struct {
		game    engine.Game
		options string
		seats   []int
	}{
		{sample.Game{}, "piles=2 counters=4", []int{2, 3}},
		{trails.Game{}, "size=5 towers=1", []int{2}},
	} {
		for _, seats := range c.seats {
			r := watch(quick, search.Generic(c.game), small(t, c.game, c.options, seats))
			if r.Failed || !strings.Contains(r.Said(), "decisions") {
				t.Errorf("%s, %d seats: %s", c.game.Key(), seats, r.Said())
			}
		}
	}
}

// brokenState is a state with one fault.
type brokenState struct {
	*search.PositionState
	evaluate  int
	hash      func(*search.PositionState) uint64
	seat      func(*search.PositionState) int
	seats     int
	moves     func(*search.PositionState, []search.Move) []search.Move
	unmake    func(*search.PositionState)
	share     float64
	playout   bool // leaves a move made
	biased    bool // seat 1 wins every playout
	allocates bool
}

var sink []byte

func (b *brokenState) Evaluate() int { return b.evaluate }
func (b *brokenState) Hash() uint64 {
	if b.allocates {
		sink = make([]byte, 64)
	}
	if b.hash != nil {
		return b.hash(b.PositionState)
	}
	return b.PositionState.Hash()
}
func (b *brokenState) Seat() int {
	if b.seat != nil {
		return b.seat(b.PositionState)
	}
	return b.PositionState.Seat()
}
func (b *brokenState) Seats() int { return b.PositionState.Seats() + b.seats }
func (b *brokenState) Moves(to []search.Move) []search.Move {
	if b.moves != nil {
		return b.moves(b.PositionState, to)
	}
	return b.PositionState.Moves(to)
}
func (b *brokenState) Unmake() {
	if b.unmake != nil {
		b.unmake(b.PositionState)
		return
	}
	b.PositionState.Unmake()
}
func (b *brokenState) Payoffs(values []float64) {
	b.PositionState.Payoffs(values)
	values[0] += b.share
}
func (b *brokenState) Playout(random *rand.PCG, values []float64) {
	b.PositionState.Playout(random, values)
	if b.playout {
		b.Make(0)
	}
	if b.biased {
		values[0], values[1] = 1, 0
	}
}

// wrongMoveEvaluator evaluates all moves alike.
type wrongMoveEvaluator struct {
	search.Evaluator
	value     int32
	evenAtEnd bool // says so even of moves that may end the game
}

func (f wrongMoveEvaluator) EvaluateMoves(_ []search.Move, values []int32) bool {
	for i := range values {
		values[i] = f.value
	}
	return f.evenAtEnd
}

// wrongReplyEvaluator always returns the same best reply.
type wrongReplyEvaluator struct {
	search.Evaluator
	value     int
	evenAtEnd bool // says so even where a move may end the game
}

func (g wrongReplyEvaluator) EvaluateBestReply(int) (int, search.Move, bool) {
	return g.value, g.Moves(nil)[0], g.evenAtEnd
}

// wrongMoveCounter always counts the same.
type wrongMoveCounter struct {
	search.Evaluator
	left int
}

func (c wrongMoveCounter) MovesLeft() int { return c.left }

type player func(context.Context, engine.Position, search.Limits) (search.Decision, error)

func (f player) Think(ctx context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
	if p.Seat() == engine.Nobody {
		return search.Decision{}, search.ErrOver
	}
	if _, ok := p.(*trails.Position); !ok {
		return search.Decision{}, errors.New("another game")
	}
	return f(ctx, p, l)
}

// Run detects and names every violation of the contract.
func TestRunFails(t *testing.T) {
	g := trails.Game{}
	start := small(t, g, "size=5 towers=1", 2)
	made := 0
	state := func(said string, b brokenState) (string, func(*search.Engine)) {
		return said, func(e *search.Engine) {
			sound := e.State
			e.State = func(p engine.Position) (search.State, error) {
				if _, err := sound(p); err != nil {
					return nil, err
				}
				made++
				s := b
				s.PositionState = search.NewPositionState(p, 2)
				return &s, nil
			}
		}
	}
	thinks := func(said string, f player) (string, func(*search.Engine)) {
		return said, func(b *search.Engine) { b.Greedy = f }
	}
	level := func(said string, change func(*search.Level)) (string, func(*search.Engine)) {
		return said, func(b *search.Engine) { change(&b.Levels[2]) }
	}
	var calls atomic.Int64
	type fault struct {
		said  string
		spoil func(*search.Engine)
	}
	one := func(said string, spoil func(*search.Engine)) fault { return fault{said, spoil} }
	faults := map[string]fault{
		"the seat": one(state("says seat", brokenState{seat: func(s *search.PositionState) int { return 1 - s.Seat() }})),
		"an end":   one(state("the game is not over", brokenState{seat: func(s *search.PositionState) int { return max(s.Seat(), 0) }})),
		"the hash": one(state("hash", brokenState{hash: func(s *search.PositionState) uint64 { made++; return uint64(made) }})),
		"no moves": one(state("no moves", brokenState{moves: func(_ *search.PositionState, to []search.Move) []search.Move { return to }})),
		"NoMove": one(state("NoMove", brokenState{moves: func(s *search.PositionState, to []search.Move) []search.Move {
			return append(s.Moves(to), search.NoMove)
		}})),
		"one twice":    one(state("duplicate", brokenState{moves: func(s *search.PositionState, to []search.Move) []search.Move { return append(s.Moves(to), 0) }})),
		"overwritten":  one(state("append", brokenState{moves: func(s *search.PositionState, to []search.Move) []search.Move { return s.Moves(to[:0]) }})),
		"not legal":    one(state("panic", brokenState{moves: func(_ *search.PositionState, to []search.Move) []search.Move { return append(to, 99) }})),
		"not undone":   one(state("Unmake", brokenState{unmake: func(*search.PositionState) {}})),
		"too good":     one(state("exceeds", brokenState{evaluate: search.MaxValue + 1})),
		"shares":       one(state("payoffs", brokenState{share: 0.5})),
		"a playout":    one(state("Playout", brokenState{playout: true})),
		"a biased one": one(state("random games by the rules", brokenState{biased: true})),
		"a move left out": one(state("legal actions are moves", brokenState{moves: func(s *search.PositionState, to []search.Move) []search.Move {
			to = s.Moves(to)
			return to[:max(1, len(to)-1)]
		}})),
		"a third seat": one(state("3 seats", brokenState{seats: 1})),
		"nothing to play": one(thinks("no actions", func(context.Context, engine.Position, search.Limits) (search.Decision, error) {
			return search.Decision{}, nil
		})),
		"too long a turn": one(thinks("after its end", func(_ context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
			a := p.Legal()[:1]
			return search.Decision{Actions: append(a, a...)}, nil
		})),
		"not the same": one(thinks("same seed", func(_ context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
			return search.Decision{Actions: p.Legal()[:1], Nodes: calls.Add(1)}, nil
		})),
		"values": one(thinks("add up", func(_ context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
			return search.Decision{Actions: p.Legal()[:1], Values: []float64{1, 1}}, nil
		})),
		"news": one(thinks("Info", func(_ context.Context, p engine.Position, l search.Limits) (search.Decision, error) {
			if l.Info != nil {
				l.Info(search.Decision{})
			}
			return search.Decision{Actions: p.Legal()[:1]}, nil
		})),
		"the end of its context": one(thinks("cancelled context", func(ctx context.Context, p engine.Position, _ search.Limits) (search.Decision, error) {
			return search.Decision{Actions: p.Legal()[:1]}, ctx.Err()
		})),
		"another game": one("accepts a position of another game", func(b *search.Engine) { b.Greedy = search.Random{} }),
		"no other game": one("another game", func(b *search.Engine) {
			b.State = func(p engine.Position) (search.State, error) { return search.NewPositionState(p, 2), nil }
		}),
		"no nodes":     one(level("Nodes", func(l *search.Level) { l.Limits.Nodes = 0 })),
		"no time":      one(level("MoveTime", func(l *search.Level) { l.MoveTime = 0 })),
		"another name": one(level("levels are", func(l *search.Level) { l.Key = "wizard" })),
		"a seed":       one(level("Seed", func(l *search.Level) { l.Limits.Seed = 1 })),
		"no greedy":    one("lacks", func(b *search.Engine) { b.Greedy = nil }),
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			b := search.Generic(g)
			f.spoil(&b)
			r := watch(quick, b, start)
			if !r.Failed || !strings.Contains(r.Said(), f.said) {
				t.Errorf("failed %t: %s", r.Failed, r.Said())
			}
		})
	}
	for said, spoil := range map[string]func(search.State) search.State{
		"by EvaluateMoves":     func(s search.State) search.State { return wrongMoveEvaluator{s.(search.Evaluator), 1, true} },
		"it ends the game":     func(s search.State) search.State { return wrongMoveEvaluator{s.(search.Evaluator), 0, true} },
		"":                     func(s search.State) search.State { return wrongMoveEvaluator{s.(search.Evaluator), 0, false} },
		"not the best":         func(s search.State) search.State { return wrongReplyEvaluator{s.(search.Evaluator), 1, true} },
		"a move ends the game": func(s search.State) search.State { return wrongReplyEvaluator{s.(search.Evaluator), 0, true} },
		"before it and":        func(s search.State) search.State { return wrongMoveCounter{s.(search.Evaluator), 7} },
		"MovesLeft is 0":       func(s search.State) search.State { return wrongMoveCounter{s.(search.Evaluator), 0} },
	} {
		t.Run("predictions: "+said, func(t *testing.T) {
			b := search.Generic(g)
			sound := b.State
			b.State = func(p engine.Position) (search.State, error) {
				s, err := sound(p)
				if err != nil {
					return nil, err
				}
				return spoil(s), nil
			}
			if r := watch(quick, b, start); r.Failed != (said != "") || !strings.Contains(r.Said(), said) {
				t.Errorf("failed %t: %s", r.Failed, r.Said())
			}
		})
	}
	t.Run("allocation", func(t *testing.T) {
		b := search.Generic(g)
		_, spoil := state("", brokenState{allocates: true})
		spoil(&b)
		s := quick
		s.Allocates = false
		if r := watch(s, b, start); !r.Failed || !strings.Contains(r.Said(), "allocate") {
			t.Errorf("failed %t: %s", r.Failed, r.Said())
		}
	})
}

// Without positions, games begin at the start for every number of seats.
func TestRunAllSeats(t *testing.T) {
	s := quick
	s.Games, s.Actions = 1, 3
	if r := watch(s, search.Generic(sample.Game{})); r.Failed || !strings.Contains(r.Said(), " 10 games") {
		t.Errorf("failed %t: %s", r.Failed, r.Said())
	}
}
