package host

import (
	"context"

	"castellan/engine"
	"castellan/storage"
)

// Tally counts results.
type Tally struct{ Won, Shared, Drawn, Lost int }

// Total returns the number of matches.
func (t Tally) Total() int { return t.Won + t.Shared + t.Drawn + t.Lost }

// Streak is a number of equal results in a row.
type Streak struct {
	Result storage.Result // Won (including shared wins), Drawn or Lost; empty without a match
	Length int
}

// GameProfile is a person's record in one game, against people or against
// computers.
type GameProfile struct {
	Game        engine.Game
	List        storage.RatingList
	Tally       Tally
	Rating      *storage.Rating // nil without a rated match
	Provisional bool            // now
}

// Profile is a person's record as another person may see it.
type Profile struct {
	Person        string
	Games         []GameProfile // the one played last first
	CurrentStreak Streak        // against people
	BestStreak    int           // longest streak of wins against people
	// HeadToHead is the person's record against the viewer; zero if they are
	// the same person.
	HeadToHead Tally
	// Recent lists the last matches that have ended, the newest first, if the
	// viewer played in them or they were played in the viewer's guild.
	Recent []*View
}

// recentMatches is how many matches a profile lists.
const recentMatches = 5

// Profile returns the profile of a person for a viewer in a guild, or outside
// of any if guild is empty.
func (h *Host) Profile(ctx context.Context, viewer, guild, person string) (Profile, error) {
	return report(ctx, h, func(r storage.Reader) (Profile, error) {
		p := Profile{Person: person}
		results, err := r.ResultCounts(person)
		if err != nil {
			return p, err
		}
		ratings, err := r.Ratings(person)
		if err != nil {
			return p, err
		}
		streaks, err := r.Streaks(person)
		if err != nil {
			return p, err
		}
		p.CurrentStreak, p.BestStreak = Streak{streaks.Result, streaks.Length}, streaks.Best
		p.Games = h.gameProfiles(results, ratings)
		if viewer != person {
			met, err := r.HeadToHead(person, viewer)
			if err != nil {
				return p, err
			}
			p.HeadToHead = Tally{Won: met.Ahead, Drawn: met.Level, Lost: met.Behind}
		}
		records, err := r.RecentMatches(storage.RecentQuery{Person: person, Viewer: viewer, Guild: guild, Limit: recentMatches})
		if err != nil {
			return p, err
		}
		p.Recent, err = h.views(r, records)
		return p, err
	})
}

// gameProfiles returns a person's record by game, the one played last first. It
// leaves out games that are no longer hosted.
func (h *Host) gameProfiles(results []storage.ResultCount, ratings []storage.Rating) (all []GameProfile) {
	now := h.Now()
	for _, c := range results {
		game, ok := h.games.Lookup(c.Game)
		if !ok {
			continue
		}
		p := GameProfile{Game: game, List: c.List, Tally: Tally{c.Won, c.Shared, c.Drawn, c.Lost}}
		for _, r := range ratings {
			if r.Game == c.Game && r.List == c.List {
				p.Rating, p.Provisional = &r, !r.EstablishedUntil.After(now)
			}
		}
		all = append(all, p)
	}
	return all
}

// historyLength is how many changes of a rating are plotted.
const historyLength = 100

// RatingHistory returns the last changes of a person's rating, the oldest first.
func (h *Host) RatingHistory(ctx context.Context, game string, list storage.RatingList, person string) ([]storage.RatingChange, error) {
	return report(ctx, h, func(r storage.Reader) ([]storage.RatingChange, error) {
		return r.RatingHistory(game, list, person, historyLength)
	})
}

// LastRatedGame returns the key of the game in which a person's rating changed
// last, or "".
func (h *Host) LastRatedGame(ctx context.Context, person string) (string, error) {
	return read(ctx, h, func(r storage.Reader) (string, error) {
		ratings, err := r.Ratings(person)
		if err != nil || len(ratings) == 0 {
			return "", err
		}
		return ratings[0].Game, nil
	})
}

// Preferences returns a person's preferences.
func (h *Host) Preferences(ctx context.Context, person string) (storage.Preferences, error) {
	return read(ctx, h, func(r storage.Reader) (storage.Preferences, error) { return r.Preferences(person) })
}

// Side returns the seat from whose side a person wants to see a match in private
// pictures, Nobody if they do not mind.
func (h *Host) Side(ctx context.Context, v *View, person string) (engine.Seat, error) {
	seat := v.SeatOf(person)
	if seat == engine.Nobody {
		return seat, nil
	}
	var p storage.Preferences
	var err error
	if len(v.preferences) > 0 {
		p = v.preferences[seat-1]
	} else {
		p, err = h.Preferences(ctx, person)
	}
	if !p.OwnSide {
		seat = engine.Nobody
	}
	return seat, err
}

// SetPreferences replaces a person's preferences.
func (h *Host) SetPreferences(ctx context.Context, p storage.Preferences) error {
	return h.write(ctx, func(tx storage.Tx) error { return tx.SetPreferences(p) })
}
