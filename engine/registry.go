package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// Registry holds the games that a program hosts, in the order in which people
// see them. It is a value: nothing registers itself.
type Registry struct {
	games []Game
	byKey map[string]Game
}

// NewRegistry returns a registry of games, each in its newest version. It fails
// if two games have the same key, or if CheckVersions refuses one of them.
func NewRegistry(games ...Game) (*Registry, error) {
	r := &Registry{byKey: make(map[string]Game, len(games))}
	for _, g := range games {
		if _, dup := r.byKey[g.Key()]; dup {
			return nil, fmt.Errorf("engine: two games have the key %s", g.Key())
		}
		if err := CheckVersions(g); err != nil {
			return nil, fmt.Errorf("engine: %w", err)
		}
		r.byKey[g.Key()] = g
		r.games = append(r.games, g)
	}
	return r, nil
}

// Games returns the newest version of every game, in order. The caller may
// keep and change the slice.
func (r *Registry) Games() []Game { return append([]Game(nil), r.games...) }

// Ref returns a reference to a version of a game that is short enough for a
// custom ID: the key for the newest version, "key@version" for an earlier one.
func (r *Registry) Ref(g Game) string {
	if newest, ok := r.Lookup(g.Key()); ok && newest.Version() != g.Version() {
		return g.Key() + "@" + strconv.Itoa(g.Version())
	}
	return g.Key()
}

func (r *Registry) ByRef(ref string) (Game, bool) {
	key, version, earlier := strings.Cut(ref, "@")
	g, ok := r.Lookup(key)
	if !ok || !earlier {
		return g, ok
	}
	n, err := strconv.Atoi(version)
	if err == nil {
		g, err = AtVersion(g, n)
	}
	return g, err == nil
}

// Lookup returns the newest version of the game with that key.
func (r *Registry) Lookup(key string) (Game, bool) {
	g, ok := r.byKey[key]
	return g, ok
}
