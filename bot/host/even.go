package host

import (
	"errors"
	"math"
	"slices"

	"castellan/engine/search"
	"castellan/storage"
)

// EvenLevel is the level of a computer in a challenge until the start of the match
// decides on one of the game.
const EvenLevel = "even"

var errNoLevels = errors.New("the computer does not play the game any more")

// unrated is the level that counts as the strength of people without a rating.
const unrated = "beginner"

// pickEvenLevel replaces every computer of the level EvenLevel among the players of a game by
// the computer at the level nearest to the mean rating of the people. Of two
// equally near levels it takes the weaker.
func pickEvenLevel(r storage.RatingReader, game search.Engine, players []storage.Person, computer func(Level) storage.Person) error {
	switch {
	case !slices.ContainsFunc(players, isEven):
		return nil
	case len(game.Levels) == 0:
		return errNoLevels
	}
	sum, n := 0.0, 0
	for _, p := range players {
		if !IsComputer(p) {
			strength, err := strength(r, game, p)
			if err != nil {
				return err
			}
			sum += strength
			n++
		}
	}
	nearest := slices.MinFunc(numberLevels(game), func(a, b Level) int {
		mean := sum / float64(max(n, 1))
		return int(math.Copysign(1, math.Abs(a.Rating-mean)-math.Abs(b.Rating-mean)))
	})
	for i, p := range players {
		if isEven(p) {
			players[i] = computer(nearest)
		}
	}
	return nil
}

func isEven(p storage.Person) bool { return p.Level == EvenLevel }

// strength returns a person's rating against the computer, or else among people.
// Without either they are as strong as the level unrated.
func strength(r storage.RatingReader, game search.Engine, p storage.Person) (float64, error) {
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

// setRematchComputers replaces the computers among the opponents of a rematch by the one that
// is given. Without one, those of the level EvenLevel in the challenge of the match
// before have that level again.
func setRematchComputers(r storage.ChallengeReader, before storage.Match, opponents []storage.Person, given ...storage.Person) error {
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
		case !IsComputer(p):
		case len(given) > 0:
			opponents[i] = given[0]
		case at >= 0 && !contains(joined, p):
			opponents[i] = joined[at]
		}
	}
	return nil
}
