package host

import (
	"context"
	"slices"

	"castellan/engine"
	"castellan/storage"
)

// Tally is how many matches ended how.
type Tally struct{ Won, Shared, Drawn, Lost int }

// All is how many matches there were.
func (t Tally) All() int { return t.Won + t.Shared + t.Drawn + t.Lost }

func (t *Tally) add(r storage.Result) {
	switch r {
	case storage.Won:
		t.Won++
	case storage.Shared:
		t.Shared++
	case storage.Drawn:
		t.Drawn++
	case storage.Lost:
		t.Lost++
	}
}

// Streak is how many matches in a row ended alike for a person.
type Streak struct {
	// Result is Won, which shared wins are too, Drawn or Lost; empty where
	// there is no match.
	Result storage.Result
	Length int
}

// GameProfile is what is known of a person in one game: among people, or
// against the computer.
type GameProfile struct {
	Game  engine.Game
	List  storage.RatingList
	Tally Tally
	// Rating is nil where no match of the game was rated; its Settled says
	// until when it is not provisional.
	Rating      *storage.Rating
	Provisional bool // now
}

// Profile is what is known of a person.
type Profile struct {
	Person string
	// Games is every game of which the person has a result, on each list by
	// itself, the one played last first.
	Games []GameProfile
	// Now is the present streak among people, Best the longest of wins.
	Now  Streak
	Best int
	// Against is how the person did against who asked, Won being that the
	// person came out ahead; zero where it is the same person.
	Against Tally
	// Recent is the last matches that have ended, the newest first: of those
	// that concern who asked, for they sat in them or are in the server.
	Recent []*View
}

// recently is how many matches a profile shows.
const recently = 5

// Profile is what a person, in a server or outside of any, may see of another
// or of themselves.
func (h *Host) Profile(ctx context.Context, viewer, guild, person string) (p Profile, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		p = Profile{Person: person}
		scores, err := r.Results(person)
		if err != nil {
			return err
		}
		ratings, err := r.Ratings(person)
		if err != nil {
			return err
		}
		p.Now, p.Best = streaks(scores)
		p.Games = h.gameProfiles(scores, ratings)
		if viewer != person {
			met, err := r.Encounters(person, viewer)
			if err != nil {
				return err
			}
			p.Against = against(met)
		}
		q := storage.EndedQuery{Person: person, Viewer: viewer, Guild: guild, Limit: recently}
		records, _, err := r.EndedMatches(q)
		if err != nil {
			return err
		}
		p.Recent, err = h.views(r, records)
		return err
	})
	return p, err
}

// gameProfiles is a person's results and ratings by game, the game of the last
// match first. Games that are not hosted any more are left out.
func (h *Host) gameProfiles(scores []storage.MatchResult, ratings []storage.Rating) []GameProfile {
	var all []GameProfile
	for _, s := range slices.Backward(scores) {
		i := slices.IndexFunc(all, func(p GameProfile) bool { return p.Game.Key() == s.Game && p.List == s.List })
		if i < 0 {
			game, ok := h.games.Lookup(s.Game)
			if !ok {
				continue
			}
			i, all = len(all), append(all, GameProfile{Game: game, List: s.List})
		}
		all[i].Tally.add(s.Result)
	}
	now := h.now()
	for i := range all {
		for _, r := range ratings {
			if r.Game == all[i].Game.Key() && r.List == all[i].List {
				all[i].Rating, all[i].Provisional = &r, !r.EstablishedUntil.After(now)
			}
		}
	}
	return all
}

// streaks is the present streak and the longest of wins, among people.
func streaks(scores []storage.MatchResult) (now Streak, best int) {
	for _, s := range scores {
		if s.List != storage.PeopleList {
			continue
		}
		kind := s.Result
		if kind == storage.Shared {
			kind = storage.Won
		}
		if kind != now.Result {
			now = Streak{Result: kind}
		}
		now.Length++
		if kind == storage.Won {
			best = max(best, now.Length)
		}
	}
	return now, best
}

func against(met []storage.Encounter) (t Tally) {
	for _, e := range met {
		switch {
		case e.Place < e.OpponentPlace:
			t.Won++
		case e.Place > e.OpponentPlace:
			t.Lost++
		default:
			t.Drawn++
		}
	}
	return t
}

// RatingHistory is what every rated match of a game did to a person's rating on
// a list, the oldest first.
func (h *Host) RatingHistory(ctx context.Context, game string, list storage.RatingList, person string) (all []storage.RatingChange, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		all, err = r.RatingHistory(game, list, person)
		return err
	})
	return all, err
}

// LastRated is the key of the game in which a person's rating changed last;
// empty where they have none.
func (h *Host) LastRated(ctx context.Context, person string) (game string, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		ratings, err := r.Ratings(person)
		if len(ratings) > 0 {
			game = ratings[0].Game
		}
		return err
	})
	return game, err
}
