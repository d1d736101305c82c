package engine

import "fmt"

// Registry is the games that a program knows, in the order in which people
// see them. It is a value: nothing registers itself.
type Registry struct {
	games []Game
	byKey map[string]Game
}

// NewRegistry is a registry of the games. Two games of one key are an error.
func NewRegistry(games ...Game) (*Registry, error) {
	r := &Registry{byKey: make(map[string]Game, len(games))}
	for _, g := range games {
		if _, dup := r.byKey[g.Key()]; dup {
			return nil, fmt.Errorf("engine: two games are called %s", g.Key())
		}
		r.byKey[g.Key()] = g
		r.games = append(r.games, g)
	}
	return r, nil
}

// Games is every game in order. The caller may keep and change the slice.
func (r *Registry) Games() []Game { return append([]Game(nil), r.games...) }

// Lookup is the game of that key.
func (r *Registry) Lookup(key string) (Game, bool) {
	g, ok := r.byKey[key]
	return g, ok
}
