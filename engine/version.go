package engine

import (
	"fmt"
	"slices"
)

// Versioned is a game whose rules have changed since people first played it.
// A new match is played under the newest version; a match that has begun is
// played, shown and replayed under the version it began with. So an earlier
// version is never removed, and its rules, options and notation never change.
type Versioned interface {
	Game

	// Earlier returns the versions of the rules before this one, oldest first,
	// starting with version 1 and without gaps. Version 1 returns none.
	Earlier() []Game
}

// Versions returns a game and its earlier versions, oldest first. The caller
// may keep and change the slice.
func Versions(g Game) []Game {
	if v, ok := g.(Versioned); ok {
		return append(slices.Clip(v.Earlier()), g)
	}
	return []Game{g}
}

// AtVersion returns a game under the given version of its rules, which is that
// of g or an earlier one. It fails with a *VersionError.
func AtVersion(g Game, version int) (Game, error) {
	if g.Version() == version {
		return g, nil
	}
	all := Versions(g)
	i := slices.IndexFunc(all, func(v Game) bool { return v.Version() == version })
	if i < 0 {
		return nil, &VersionError{Game: g.Key(), Version: version, Newest: g.Version()}
	}
	return all[i], nil
}

// CheckVersions returns an error unless the versions of a game are numbered
// from 1 without gaps and all have the key of the game.
func CheckVersions(g Game) error {
	for i, v := range Versions(g) {
		if v.Key() != g.Key() {
			return fmt.Errorf("an earlier version of %s has the key %s", g.Key(), v.Key())
		}
		if v.Version() != i+1 {
			return fmt.Errorf("%s offers version %d of its rules where version %d should be", g.Key(), v.Version(), i+1)
		}
	}
	return nil
}

// VersionError reports a version of a game's rules that does not exist.
type VersionError struct {
	Game            string
	Version, Newest int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("there is no version %d of the rules of %s; the newest is version %d", e.Version, e.Game, e.Newest)
}
