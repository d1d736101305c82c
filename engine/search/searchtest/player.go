package searchtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"castellan/engine"
	"castellan/engine/enginetest"
	"castellan/engine/enginetest/sample"
	"castellan/engine/search"
)

// named is a player with a name for messages.
type named struct {
	name   string
	player search.Player
	nodes  int64 // node limit, 0 for none
}

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

// minLevels is the least number of levels.
const minLevels = 6

func (r *runner) checkEngine() {
	b := r.engine
	require(b.Game != nil && b.State != nil && b.Greedy != nil && b.FixedDepth != nil, "the engine lacks Game, State, Greedy or FixedDepth")
	for _, l := range b.Levels {
		require(l.Player != nil && l.Limits.Nodes > 0 && l.MoveTime > 0, "the level %s lacks Player, Limits.Nodes or MoveTime", l.Key)
		require(l.Limits.Info == nil && l.Limits.Seed == 0, "the level %s sets Seed or Info, which belong to the caller", l.Key)
	}
	keys, all := b.Keys(), search.LevelKeys
	known := slices.DeleteFunc(slices.Clone(all), func(key string) bool { return !slices.Contains(keys, key) })
	require(slices.Equal(keys, known) && len(keys) >= minLevels && keys[0] == all[0],
		"the levels are %v, not at least %d of %v in this order, including the first", keys, minLevels, all)
	for _, key := range []string{"casual", "master"} {
		require(slices.Contains(keys, key), "there is no level %s among %v", key, keys)
	}
	r.checkForeign()
}

// checkForeign asks about a position of another game.
func (r *runner) checkForeign() {
	g, key := sample.Game{}, r.engine.Game.Key()
	if key == g.Key() {
		return
	}
	foreign, err := g.New(g.Options().Defaults(), engine.MinSeats)
	require(err == nil, "%v", err)
	_, err = r.engine.State(foreign)
	require(err != nil, "method State accepts a position of another game")
	text := letters(err.Error())
	require(strings.Contains(text, letters(key)) && strings.Contains(text, g.Key()), "%q does not name both games, %s and %s", err, key, g.Key())
	for _, n := range r.players() {
		_, err := n.player.Think(context.Background(), foreign, search.Limits{Nodes: 1})
		require(err != nil, "%s accepts a position of another game", n.name)
	}
}

// letters returns the letters of a text in lower case.
func letters(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) }), "")
}

// checkPlayer asks a player about a position twice at the same time, which must
// give the same decision, and with a context that is cancelled before or during
// the search.
func (r *runner) checkPlayer(p engine.Position, seats int, n named) {
	limits := search.Limits{Nodes: r.suite.Nodes, Seed: r.random.Uint64(), Memory: 1 << 20}
	if n.nodes > 0 {
		limits.Nodes = min(limits.Nodes, n.nodes)
	}
	limits.Info = func(t search.Decision) { checkDecision(p, "an Info", seats, t, false) }
	var decisions [2]search.Decision
	var errs [2]error
	var both sync.WaitGroup
	for i := range decisions {
		both.Go(func() {
			errs[i] = enginetest.Catch(func() { decisions[i] = think(context.Background(), n.player, p, "the decision", seats, limits) })
		})
	}
	both.Wait()
	r.decisions += len(decisions)
	require(errors.Join(errs[:]...) == nil, "%v", errors.Join(errs[:]...))
	require(reflect.DeepEqual(decisions[0], decisions[1]), "with the same seed it decides %+v and %+v", decisions[0], decisions[1])
	ctx, cancel := context.WithCancel(context.Background())
	limits.Nodes *= 20
	limits.Info = func(search.Decision) { cancel() }
	think(ctx, n.player, p, "the decision of a search that is cancelled", seats, limits)
	cancel()
	think(ctx, n.player, p, "the decision with a cancelled context", seats, search.Limits{Seed: limits.Seed, Memory: 1 << 20})
}

// Think returns the decision of a player, which must not fail.
func Think(t testing.TB, player search.Player, p engine.Position, limits search.Limits) search.Decision {
	t.Helper()
	d, err := player.Think(t.Context(), p, limits)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// think asks a player and checks the decision.
func think(ctx context.Context, player search.Player, p engine.Position, what string, seats int, limits search.Limits) search.Decision {
	t, err := player.Think(ctx, p, limits)
	require(err == nil, "%s fails: %v", what, err)
	checkDecision(p, what, seats, t, true)
	return t
}

// checkDecision plays a decision. If whole, its actions must be the rest of the
// turn.
func checkDecision(p engine.Position, what string, seats int, t search.Decision, whole bool) {
	require(len(t.Actions) > 0, "%s has no actions", what)
	if _, err := t.Apply(p); whole {
		require(err == nil, "%s: %v", what, err)
	}
	play(p, what, slices.Concat(t.Actions, t.Continuation))
	if t.Values != nil {
		checkValues(t.Values, what, seats)
	}
	require(t.Depth >= 0 && t.Nodes >= 0, "%s has depth %d and %d nodes", what, t.Depth, t.Nodes)
}

// checkOver asks every player about a finished game.
func (r *runner) checkOver(p engine.Position) {
	for _, n := range r.players() {
		_, err := n.player.Think(context.Background(), p, search.Limits{Nodes: 1})
		require(errors.Is(err, search.ErrOver), "%s: after the end of the game it returns %v", n.name, err)
	}
}
