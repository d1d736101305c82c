package host

import (
	"errors"
	"fmt"
	"slices"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/storage"
)

// DefaultLevel is the strength of a computer of which nobody has said how
// strong it is to be.
const DefaultLevel = "casual"

// Errors of playing against the computer.
var (
	ErrNoComputer    = errors.New("the computer does not play this game")
	ErrNoLevel       = errors.New("there is no such level")
	ErrComputerTurn  = errors.New("it is the computer's turn")
	ErrNotChallenger = errors.New("only the challenger can give seats to computers")
	ErrNoneToRemove  = errors.New("no computer has a seat in this challenge")
	ErrRated         = errors.New("there are no hints in a rated match")
)

// Computer is the computer at a level, as somebody who takes a seat: of all
// games and seats it is one, so that a level has one rating in a game.
func Computer(level, name string) storage.Person {
	return storage.Person{ID: "level-" + level, Name: name, Level: level}
}

// IsComputer reports whether somebody is a computer.
func IsComputer(p storage.Person) bool { return p.Level != "" }

// Levels is the levels at which the computer plays a game, the weakest first;
// none where it does not play it.
func (h *Host) Levels(game string) (levels []string) {
	for _, l := range h.engines[game].Levels {
		levels = append(levels, l.Key)
	}
	return levels
}

// AllLevels is the levels of all games, the weakest first.
func AllLevels() []string { return slices.Clone(search.LevelKeys) }

// level is how a computer plays a game. It fails with ErrNoComputer or
// ErrNoLevel.
func (h *Host) level(game, key string) (search.Level, error) {
	brain, ok := h.engines[game]
	if !ok {
		return search.Level{}, fmt.Errorf("%w: %s", ErrNoComputer, game)
	}
	level, ok := brain.Level(key)
	if !ok {
		return search.Level{}, fmt.Errorf("%w: %s", ErrNoLevel, key)
	}
	return level, nil
}

// Computer is the computer that is to act; ok is false where a person is, and
// when the match is over.
func (v *View) Computer() (p storage.Person, ok bool) {
	p, ok = v.ToMove()
	return p, ok && IsComputer(p)
}

// people is the number of people who play on in a match.
func (v *View) people() (n int) {
	for _, seat := range v.Playing() {
		if !IsComputer(v.Person(seat)) {
			n++
		}
	}
	return n
}

// weakest is the computer of those who play that is the first to give up where
// no person plays any more: the weakest, and of equals the last in the order of
// play.
func (v *View) weakest() (found engine.Seat) {
	strength := func(seat engine.Seat) int { return slices.Index(search.LevelKeys, v.Person(seat).Level) }
	for _, seat := range v.Playing() {
		if found == engine.Nobody || strength(seat) <= strength(found) {
			found = seat
		}
	}
	return found
}

// computers is those among people that are none.
func computers(people []storage.Person) (all []storage.Person) {
	for _, p := range people {
		if IsComputer(p) {
			all = append(all, p)
		}
	}
	return all
}

// persons is those among people that are no computers.
func persons(people []storage.Person) (all []storage.Person) {
	for _, p := range people {
		if !IsComputer(p) {
			all = append(all, p)
		}
	}
	return all
}
