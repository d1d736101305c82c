package searchtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
)

// named is a player with a name for messages.
type named struct {
	name   string
	player search.Player
	nodes  int64 // node limit, 0 for none
}

// players returns all players of the engine.
func (r *runner) players() []named {
	all := []named{{"greedy", r.engine.Greedy, 0}}
	for _, l := range r.engine.Levels {
		all = append(all, named{l.Key, l.Player, l.Limits.Nodes})
	}
	for _, moves := range []int{1, 2} {
		all = append(all, named{fmt.Sprintf("depth %d", moves), r.engine.FixedDepth(moves), 0})
	}
	return all
}

// checkEngine checks that the engine is complete.
func (r *runner) checkEngine() error {
	b := r.engine
	if b.Game == nil || b.State == nil || b.Greedy == nil || b.FixedDepth == nil {
		return errors.New("the engine lacks Game, State, Greedy or FixedDepth")
	}
	for _, l := range b.Levels {
		if l.Player == nil || l.Limits.Nodes <= 0 || l.MoveTime <= 0 {
			return fmt.Errorf("the level %s lacks Player, Limits.Nodes or MoveTime", l.Key)
		}
		if l.Limits.Info != nil || l.Limits.Seed != 0 {
			return fmt.Errorf("the level %s sets Seed or Info, which belong to the caller", l.Key)
		}
	}
	if err := checkKeys(b.Keys()); err != nil {
		return err
	}
	return r.checkForeign()
}

// minLevels is the least number of levels.
const minLevels = 6

// checkKeys checks the keys of the levels.
func checkKeys(keys []string) error {
	known := slices.Clone(search.LevelKeys)
	known = slices.DeleteFunc(known, func(key string) bool { return !slices.Contains(keys, key) })
	last := len(search.LevelKeys) - 1
	if !slices.Equal(keys, known) || len(keys) < minLevels || keys[0] != search.LevelKeys[0] || keys[len(keys)-1] != search.LevelKeys[last] {
		return fmt.Errorf("the levels are %v, not at least %d of %v in this order, including the first and the last", keys, minLevels, search.LevelKeys)
	}
	return nil
}

// checkForeign asks about a position of another game.
func (r *runner) checkForeign() error {
	g := sample.Game{}
	if r.engine.Game.Key() == g.Key() {
		return nil
	}
	foreign, err := g.New(g.Options().Defaults(), engine.MinSeats)
	if err != nil {
		return err
	}
	if _, err := r.engine.State(foreign); err == nil {
		return errors.New("method State accepts a position of another game")
	} else if text := letters(err.Error()); !strings.Contains(text, letters(r.engine.Game.Key())) || !strings.Contains(text, g.Key()) {
		return fmt.Errorf("%q does not name both games, %s and %s", err, r.engine.Game.Key(), g.Key())
	}
	for _, n := range r.players() {
		if _, err := n.player.Think(context.Background(), foreign, search.Limits{Nodes: 1}); err == nil {
			return fmt.Errorf("%s accepts a position of another game", n.name)
		}
	}
	return nil
}

// letters returns the letters of a text in lower case.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if c < 'a' || c > 'z' {
			return -1
		}
		return c
	}, strings.ToLower(s))
}

// checkPlayers asks every player about a position.
func (r *runner) checkPlayers(p engine.Position) error {
	state, err := r.engine.State(p)
	if err != nil {
		return err
	}
	for _, n := range r.players() {
		if err := r.checkPlayer(p, state.Seats(), n); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
	}
	return nil
}

// checkPlayer asks a player twice, which must give the same decision, and once
// with a cancelled context.
func (r *runner) checkPlayer(p engine.Position, seats int, n named) error {
	var infoErr error
	limits := search.Limits{Nodes: r.suite.Nodes, Seed: r.random.Uint64(), Memory: 1 << 20}
	if n.nodes > 0 {
		limits.Nodes = min(limits.Nodes, n.nodes)
	}
	limits.Info = func(t search.Decision) {
		if err := checkDecision(p, seats, t, false); err != nil && infoErr == nil {
			infoErr = fmt.Errorf("an Info: %w", err)
		}
	}
	var decisions [2]search.Decision
	for i := range decisions {
		t, err := n.player.Think(context.Background(), p, limits)
		if err != nil {
			return err
		}
		r.decisions++
		if infoErr != nil {
			return infoErr
		}
		if err := checkDecision(p, seats, t, true); err != nil {
			return err
		}
		decisions[i] = t
	}
	if !reflect.DeepEqual(decisions[0], decisions[1]) {
		return fmt.Errorf("with the same seed it decides %+v, then %+v", decisions[0], decisions[1])
	}
	over, end := context.WithCancel(context.Background())
	end()
	t, err := n.player.Think(over, p, search.Limits{Seed: limits.Seed, Memory: 1 << 20})
	if err != nil {
		return fmt.Errorf("with a cancelled context: %w", err)
	}
	if err := checkDecision(p, seats, t, true); err != nil {
		return fmt.Errorf("with a cancelled context: %w", err)
	}
	return nil
}

// checkDecision plays a decision. If whole, its actions must be the rest of the
// turn.
func checkDecision(p engine.Position, seats int, t search.Decision, whole bool) error {
	if len(t.Actions) == 0 {
		return errors.New("the decision has no actions")
	}
	if whole {
		if _, err := t.Apply(p); err != nil {
			return err
		}
	}
	for _, a := range slices.Concat(t.Actions, t.Continuation) {
		q, err := p.Apply(a)
		if err != nil {
			return fmt.Errorf("%v or its continuation %v is not legal: %w", t.Actions, t.Continuation, err)
		}
		p = q
	}
	if t.Values != nil {
		if err := checkValues(t.Values, seats); err != nil {
			return fmt.Errorf("the decision: %w", err)
		}
	}
	if t.Depth < 0 || t.Nodes < 0 {
		return fmt.Errorf("the decision has depth %d and %d nodes", t.Depth, t.Nodes)
	}
	return nil
}

// checkOver asks every player about a finished game.
func (r *runner) checkOver(p engine.Position) error {
	for _, n := range r.players() {
		if _, err := n.player.Think(context.Background(), p, search.Limits{Nodes: 1}); !errors.Is(err, search.ErrOver) {
			return fmt.Errorf("%s: after the end of the game it returns %v", n.name, err)
		}
	}
	return nil
}
