package host

import (
	"fmt"
	"testing"

	"castellan/engine/search"
	"castellan/engine/trails"
	"castellan/storage"
)

// ratedPeople is a store with ratings by list and person.
type ratedPeople struct {
	storage.Reader
	of map[storage.RatingList]map[string]float64
}

func (r ratedPeople) Rating(game string, list storage.RatingList, person string) (storage.Rating, error) {
	mean, ok := r.of[list][person]
	if !ok || game != trails.Key {
		return storage.Rating{}, storage.ErrNotFound
	}
	return storage.Rating{Estimate: storage.Estimate{Mean: mean}}, nil
}

func TestPickEvenLevel(t *testing.T) {
	game := search.Engine{Game: trails.Game{}}
	for i, key := range []string{"newcomer", "beginner", "casual", "master"} {
		game.Levels = append(game.Levels, search.Level{Key: key, Rating: 1000 + 200*float64(i)})
	}
	store := ratedPeople{of: map[storage.RatingList]map[string]float64{
		storage.ComputerList: {"strong": 1900, "low": 400, "both": 1380, "between": 1100},
		storage.PeopleList:   {"both": 1800, "people": 1490, "top": 2600},
	}}
	for _, c := range []struct {
		people []string
		want   string
	}{
		{[]string{"strong"}, "master"},
		{[]string{"low"}, "newcomer"},
		{[]string{"both"}, "casual"},            // the list against the computer comes first
		{[]string{"people"}, "casual"},          // the list of people is the second choice
		{[]string{"nobody"}, "beginner"},        // there is no rating
		{[]string{"between"}, "newcomer"},       // the weaker of two equally near
		{[]string{"strong", "low"}, "beginner"}, // 1150
		{[]string{"top", "nobody"}, "master"},   // 1900
		{[]string{"low", "nobody", "low"}, "newcomer"},
	} {
		players := []storage.Person{{ID: "level-even", Level: EvenLevel}, {ID: "level-casual", Name: "fixed", Level: "casual"}}
		for _, p := range c.people {
			players = append(players, storage.Person{ID: p})
		}
		computer := func(l Level) storage.Person {
			return storage.Person{ID: "level-" + l.Key, Name: fmt.Sprint(l.Number), Level: l.Key}
		}
		if err := pickEvenLevel(store, game, players, computer); err != nil {
			t.Fatal(err)
		}
		if players[0].Level != c.want || players[1].Name != "fixed" || players[2].ID != c.people[0] {
			t.Errorf("%v: %+v, want %s", c.people, players, c.want)
		}
	}
}
