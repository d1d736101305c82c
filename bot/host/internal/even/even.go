// Package even finds the computer's level that is as strong as the people it plays
// with.
package even

import (
	"errors"
	"math"
	"slices"

	"castellan/engine/search"
	"castellan/storage"
)

// Level is the level of a computer in a challenge until the start of the match
// decides on one of the game.
const Level = "even"

var errNoLevels = errors.New("the computer does not play the game any more")

// unrated is the level that counts as the strength of people without a rating.
const unrated = "beginner"

// Seat replaces every computer of the level Level among the players of a game by
// the computer at the level nearest to the mean rating of the people. Of two
// equally near levels it takes the weaker.
func Seat(r storage.Reader, game search.Engine, players []storage.Person, computer func(level string) storage.Person) error {
	switch {
	case !slices.ContainsFunc(players, isEven):
		return nil
	case len(game.Levels) == 0:
		return errNoLevels
	}
	sum, n := 0.0, 0
	for _, p := range players {
		if p.Level == "" {
			strength, err := strength(r, game, p)
			if err != nil {
				return err
			}
			sum += strength
			n++
		}
	}
	nearest := slices.MinFunc(game.Levels, func(a, b search.Level) int {
		mean := sum / float64(max(n, 1))
		return int(math.Copysign(1, math.Abs(a.Rating-mean)-math.Abs(b.Rating-mean)))
	})
	for i, p := range players {
		if isEven(p) {
			players[i] = computer(nearest.Key)
		}
	}
	return nil
}

func isEven(p storage.Person) bool { return p.Level == Level }

// strength returns a person's rating against the computer, or else among people.
// Without either they are as strong as the level unrated.
func strength(r storage.Reader, game search.Engine, p storage.Person) (float64, error) {
	for _, list := range []storage.RatingList{storage.ComputerList, storage.PeopleList} {
		rating, err := r.Rating(game.Game.Key(), list, p.ID)
		if !errors.Is(err, storage.ErrNotFound) {
			return rating.Mean, err
		}
	}
	level, ok := game.Level(unrated)
	if !ok {
		level = game.Levels[0]
	}
	return level.Rating, nil
}

// Rematch replaces the computers among the opponents of a rematch by the one that
// is given. Without one, those of the level Level in the challenge of the match
// before have that level again.
func Rematch(r storage.Reader, before storage.Match, opponents []storage.Person, given ...storage.Person) error {
	var joined []storage.Person
	if before.Challenge != 0 {
		ch, err := r.Challenge(before.Challenge)
		if err != nil {
			return err
		}
		joined = ch.Joined
	}
	at := slices.IndexFunc(joined, isEven)
	for i, p := range opponents {
		switch {
		case p.Level == "":
		case len(given) > 0:
			opponents[i] = given[0]
		case at >= 0 && !slices.ContainsFunc(joined, func(q storage.Person) bool { return q.ID == p.ID }):
			opponents[i] = joined[at]
		}
	}
	return nil
}
