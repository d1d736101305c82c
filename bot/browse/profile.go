package browse

import (
	"context"

	"castellan/bot/host"
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
	Recent []*host.View
}

// recentMatches is how many matches a profile lists.
const recentMatches = 5

// Profile returns the profile of a person for a viewer in a guild, or outside
// of any if guild is empty.
func (s *Service) Profile(ctx context.Context, viewer, guild, person string) (Profile, error) {
	return host.Report(ctx, s.host, func(r storage.Reader) (Profile, error) {
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
		p.Games = s.gameProfiles(results, ratings)
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
		p.Recent, err = s.views(r, records)
		return p, err
	})
}

// gameProfiles returns a person's record by game, the one played last first. It
// leaves out games that are no longer hosted.
func (s *Service) gameProfiles(results []storage.ResultCount, ratings []storage.Rating) (all []GameProfile) {
	now := s.host.Now()
	for _, c := range results {
		game, ok := s.host.Games().Lookup(c.Game)
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
func (s *Service) RatingHistory(ctx context.Context, game string, list storage.RatingList, person string) ([]storage.RatingChange, error) {
	return host.Report(ctx, s.host, func(r storage.Reader) ([]storage.RatingChange, error) {
		return r.RatingHistory(game, list, person, historyLength)
	})
}

// LastRatedGame returns the key of the game in which a person's rating changed
// last, or "".
func (s *Service) LastRatedGame(ctx context.Context, person string) (string, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (string, error) {
		ratings, err := r.Ratings(person)
		if err != nil || len(ratings) == 0 {
			return "", err
		}
		return ratings[0].Game, nil
	})
}

// Leaders is a page of a leaderboard.
type Leaders struct {
	Game   engine.Game
	List   storage.RatingList
	Guild  string // empty for all guilds
	Rows   []storage.LeaderboardRow
	OwnRow *storage.LeaderboardRow // of the person who asked; nil if they have none
	Page   int                     // from 1
	Pages  int                     // at least 1
	Total  int                     // rows of the leaderboard
}

// Leaders returns a page of the leaderboard of a game, of one guild, or of all
// if guild is empty. It fails with host.ErrUnknownGame.
func (s *Service) Leaders(ctx context.Context, person, game string, list storage.RatingList, guild string, page, size int) (Leaders, error) {
	g, ok := s.host.Games().Lookup(game)
	if !ok {
		return Leaders{}, &host.Refusal{Err: host.ErrUnknownGame}
	}
	query := storage.LeaderboardQuery{
		Game: game, List: list, Guild: guild, Person: person, Offset: (max(page, 1) - 1) * size, Limit: size,
	}
	return host.Report(ctx, s.host, func(r storage.Reader) (Leaders, error) {
		p, err := r.Leaderboard(query)
		l := Leaders{
			Game: g, List: list, Guild: guild, Rows: p.Rows, Total: p.Total,
			Page: p.Offset/size + 1, Pages: max(1, (p.Total+size-1)/size),
		}
		if p.Own.Person.ID != "" {
			l.OwnRow = &p.Own
		}
		return l, err
	})
}
