package host

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"castellan/engine"
	"castellan/storage"
)

// Page is a page of a list of matches.
type Page struct {
	Matches []*View
	Page    int // from 1
	Pages   int // at least 1
	Total   int // length of the list
}

// Running returns the running matches of a person, in one channel, or in all if
// channel is empty; the one with the newest entry first. The views have neither
// boards nor rating changes.
func (h *Host) Running(ctx context.Context, person, channel string) ([]*View, error) {
	return read(ctx, h, func(r storage.Reader) ([]*View, error) { return h.running(r, person, channel) })
}

func (h *Host) running(r storage.Reader, person, channel string) (views []*View, err error) {
	records, err := r.RunningMatches(person, channel)
	if err != nil {
		return nil, err
	}
	for _, rec := range records {
		m, err := h.match(r, rec)
		if isBroken(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		views = append(views, &View{Record: rec, Game: m.Game(), Match: m, ReadAt: h.Now()})
	}
	return views, nil
}

// RunningIn returns the records of the running matches of a channel, the one
// with the newest entry first.
func (h *Host) RunningIn(ctx context.Context, channel string) ([]storage.Match, error) {
	return read(ctx, h, func(r storage.Reader) ([]storage.Match, error) { return r.RunningInChannel(channel) })
}

// NewestIn returns the running match of a channel with the newest entry. It
// fails with ErrNoMatch.
func (h *Host) NewestIn(ctx context.Context, channel string) (*View, error) {
	return read(ctx, h, func(r storage.Reader) (*View, error) {
		records, err := r.RunningInChannel(channel)
		if err != nil {
			return nil, err
		}
		for _, rec := range records {
			if v, err := h.rebuild(r, rec); !isBroken(err) {
				return v, err
			}
		}
		return nil, &Refusal{Err: ErrNoMatch}
	})
}

// views rebuilds matches, without those that cannot be replayed.
func (h *Host) views(r storage.Reader, records []storage.Match) (views []*View, err error) {
	for _, rec := range records {
		v, err := h.rebuild(r, rec)
		if isBroken(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// isBroken reports whether a match could not be replayed. Lists leave such a
// match out.
func isBroken(err error) bool { return errors.Is(err, ErrCannotReplay) }

// ListOwn returns a page of the matches that a person plays: first those in
// which it is their turn, the one that has waited longest first; then the
// others, the newest turn first.
func (h *Host) ListOwn(ctx context.Context, person string, page, size int) (Page, error) {
	return read(ctx, h, func(r storage.Reader) (Page, error) {
		all, err := h.running(r, person, "")
		if err != nil {
			return Page{}, err
		}
		all = slices.DeleteFunc(all, func(v *View) bool { return !v.Match.Playing(v.SeatOf(person)) })
		slices.SortStableFunc(all, func(a, b *View) int {
			oldestFirst := cmp.Or(a.Since().Compare(b.Since()), cmp.Compare(a.Record.ID, b.Record.ID))
			switch aToMove, bToMove := a.isToMove(person), b.isToMove(person); {
			case aToMove && bToMove:
				return oldestFirst
			case aToMove:
				return -1
			case bToMove:
				return 1
			}
			return -oldestFirst
		})
		p, offset := newPage(page, size, len(all))
		for _, v := range all[offset:min(offset+size, len(all))] {
			if v, err = h.complete(r, v.Record, v.Match); err != nil {
				return Page{}, err
			}
			p.Matches = append(p.Matches, v)
		}
		return p, nil
	})
}

// NextWaiting returns, of the matches in which it is a person's turn, the one that
// has waited longest. It leaves out one match, and returns nil if none is left.
func (h *Host) NextWaiting(ctx context.Context, person string, other storage.MatchID) (*View, error) {
	return read(ctx, h, func(r storage.Reader) (*View, error) {
		all, err := h.running(r, person, "")
		if err != nil {
			return nil, err
		}
		var next *View
		for _, v := range all {
			if v.Record.ID != other && v.isToMove(person) && (next == nil || v.Since().Before(next.Since())) {
				next = v
			}
		}
		if next == nil {
			return nil, nil
		}
		return h.complete(r, next.Record, next.Match)
	})
}

func (v *View) isToMove(person string) bool {
	p, ok := v.ToMove()
	return ok && p.ID == person
}

// ListChannel returns a page of the running matches of a channel, the one with
// the newest entry first.
func (h *Host) ListChannel(ctx context.Context, channel string, page, size int) (Page, error) {
	return read(ctx, h, func(r storage.Reader) (Page, error) {
		records, err := r.RunningInChannel(channel)
		if err != nil {
			return Page{}, err
		}
		p, offset := newPage(page, size, len(records))
		p.Matches, err = h.views(r, records[offset:min(offset+size, len(records))])
		return p, err
	})
}

// ListFinished returns a page of the matches of a person that have ended, the
// newest first.
func (h *Host) ListFinished(ctx context.Context, person string, page, size int) (Page, error) {
	return report(ctx, h, func(r storage.Reader) (Page, error) {
		_, total, err := r.EndedMatches(person, 0, 0)
		if err != nil {
			return Page{}, err
		}
		p, offset := newPage(page, size, total)
		records, _, err := r.EndedMatches(person, offset, size)
		if err != nil {
			return Page{}, err
		}
		p.Matches, err = h.views(r, records)
		return p, err
	})
}

// HasPlayed reports whether a person has a match, running or ended.
func (h *Host) HasPlayed(ctx context.Context, person string) (bool, error) {
	return read(ctx, h, func(r storage.Reader) (bool, error) {
		if running, err := r.CountRunning(person); err != nil || running > 0 {
			return running > 0, err
		}
		_, ended, err := r.EndedMatches(person, 0, 0)
		return ended > 0, err
	})
}

// LastEnded returns the match of a person in a channel that ended last, or in
// any channel if channel is empty. It fails with ErrNoFinishedMatch.
func (h *Host) LastEnded(ctx context.Context, person, channel string) (*View, error) {
	return read(ctx, h, func(r storage.Reader) (*View, error) {
		rec, err := r.LastEnded(person, channel)
		if errors.Is(err, storage.ErrNotFound) {
			return nil, &Refusal{Err: ErrNoFinishedMatch}
		}
		if err != nil {
			return nil, err
		}
		return h.rebuild(r, rec)
	})
}

// newPage returns the page nearest to the requested one, without matches, and
// the offset at which it begins.
func newPage(page, size, total int) (p Page, offset int) {
	p = Page{Pages: max(1, (total+size-1)/size), Total: total}
	p.Page = min(max(page, 1), p.Pages)
	return p, (p.Page - 1) * size
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
// if guild is empty. It fails with ErrUnknownGame.
func (h *Host) Leaders(ctx context.Context, person, game string, list storage.RatingList, guild string, page, size int) (Leaders, error) {
	g, ok := h.games.Lookup(game)
	if !ok {
		return Leaders{}, &Refusal{Err: ErrUnknownGame}
	}
	query := storage.LeaderboardQuery{
		Game: game, List: list, Guild: guild, Person: person, Offset: (max(page, 1) - 1) * size, Limit: size,
	}
	return report(ctx, h, func(r storage.Reader) (Leaders, error) {
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
