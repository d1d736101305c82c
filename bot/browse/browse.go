// Package browse answers questions about many matches: lists of matches,
// leaderboards, profiles and the history of a rating. It only reads. What changes
// a match, and the running matches among which a command finds its own, are in
// package host.
package browse

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"castellan/bot/host"
	"castellan/storage"
)

// Service answers the questions. It keeps no state and is safe for concurrent use.
type Service struct{ host *host.Host }

// New returns a service that reads through a host.
func New(h *host.Host) *Service { return &Service{h} }

// Page is a page of a list of matches.
type Page struct {
	Matches []*host.View
	Page    int // from 1
	Pages   int // at least 1
	Total   int // length of the list
	// Open holds the person's own open challenges, oldest first; of ListOwn.
	Open []storage.Challenge
}

// views rebuilds matches. It leaves out those that cannot be replayed.
func (s *Service) views(r storage.Reader, records []storage.Match) (views []*host.View, err error) {
	for _, rec := range records {
		v, err := s.host.ReadMatch(r, rec.ID)
		if errors.Is(err, host.ErrCannotReplay) {
			continue
		}
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// ListOwn returns a page of the matches that a person plays. Those in which it is
// their turn come first, the oldest turn first. The others follow, the newest turn
// first. The page has the person's open challenges, too.
func (s *Service) ListOwn(ctx context.Context, person string, page, size int) (Page, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (Page, error) {
		all, err := s.host.ReadRunning(r, person, "")
		if err != nil {
			return Page{}, err
		}
		all = slices.DeleteFunc(all, func(v *host.View) bool { return !v.Match.Playing(v.SeatOf(person)) })
		slices.SortStableFunc(all, func(a, b *host.View) int {
			oldestFirst := cmp.Or(a.Since().Compare(b.Since()), cmp.Compare(a.Record.ID, b.Record.ID))
			switch aToMove, bToMove := a.WaitsFor(person), b.WaitsFor(person); {
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
		if p.Open, err = s.host.ReadOwnChallenges(r, person); err != nil {
			return Page{}, err
		}
		for _, v := range all[offset:min(offset+size, len(all))] {
			if v, err = s.host.ReadMatch(r, v.Record.ID); err != nil {
				return Page{}, err
			}
			p.Matches = append(p.Matches, v)
		}
		return p, nil
	})
}

// ListWaiting returns up to limit matches in which it is a person's turn, the one
// that has waited longest first.
func (s *Service) ListWaiting(ctx context.Context, person string, limit int) (waiting []*host.View, err error) {
	p, err := s.ListOwn(ctx, person, 1, limit)
	for _, v := range p.Matches {
		if v.WaitsFor(person) {
			waiting = append(waiting, v)
		}
	}
	return waiting, err
}

// NextWaiting returns the match in which it has been a person's turn for longest. It
// skips the match other, and returns nil if there is none.
func (s *Service) NextWaiting(ctx context.Context, person string, other storage.MatchID) (*host.View, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (*host.View, error) {
		all, err := s.host.ReadRunning(r, person, "")
		if err != nil {
			return nil, err
		}
		var next *host.View
		for _, v := range all {
			if v.Record.ID != other && v.WaitsFor(person) && (next == nil || v.Since().Before(next.Since())) {
				next = v
			}
		}
		if next == nil {
			return nil, nil
		}
		return s.host.ReadMatch(r, next.Record.ID)
	})
}

// ListChannel returns a page of the running matches of a channel, the one with
// the newest entry first.
func (s *Service) ListChannel(ctx context.Context, channel string, page, size int) (Page, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (Page, error) {
		records, err := r.RunningInChannel(channel)
		if err != nil {
			return Page{}, err
		}
		p, offset := newPage(page, size, len(records))
		p.Matches, err = s.views(r, records[offset:min(offset+size, len(records))])
		return p, err
	})
}

// ListFinished returns a page of the matches of a person that have ended, the
// newest first.
func (s *Service) ListFinished(ctx context.Context, person string, page, size int) (Page, error) {
	return host.Report(ctx, s.host, func(r storage.Reader) (Page, error) {
		_, total, err := r.EndedMatches(person, 0, 0)
		if err != nil {
			return Page{}, err
		}
		p, offset := newPage(page, size, total)
		records, _, err := r.EndedMatches(person, offset, size)
		if err != nil {
			return Page{}, err
		}
		p.Matches, err = s.views(r, records)
		return p, err
	})
}

// LatestEnded returns up to limit matches of a person that have ended, the newest
// first. It replays none.
func (s *Service) LatestEnded(ctx context.Context, person string, limit int) (latest []storage.Match, err error) {
	return host.Read(ctx, s.host, func(r storage.Reader) ([]storage.Match, error) {
		latest, _, err := r.EndedMatches(person, 0, limit)
		return latest, err
	})
}

// HasPlayed reports whether a person has a match, running or ended.
func (s *Service) HasPlayed(ctx context.Context, person string) (bool, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (bool, error) {
		if running, err := r.CountRunning(person); err != nil || running > 0 {
			return running > 0, err
		}
		_, ended, err := r.EndedMatches(person, 0, 0)
		return ended > 0, err
	})
}

// HasFinished reports whether a person has finished a match of a game.
func (s *Service) HasFinished(ctx context.Context, person, game string) (bool, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (bool, error) {
		counts, err := r.ResultCounts(person)
		return slices.ContainsFunc(counts, func(c storage.ResultCount) bool { return c.Game == game }), err
	})
}

// LastEnded returns the match of a person in a channel that ended last, or in
// any channel if channel is empty. Without a person it returns anybody's in the
// channel. It fails with host.ErrNoFinishedMatch.
func (s *Service) LastEnded(ctx context.Context, person, channel string) (*host.View, error) {
	return host.Read(ctx, s.host, func(r storage.Reader) (*host.View, error) {
		rec, err := r.LastEnded(person, channel)
		if errors.Is(err, storage.ErrNotFound) {
			return nil, &host.Refusal{Err: host.ErrNoFinishedMatch}
		}
		if err != nil {
			return nil, err
		}
		return s.host.ReadMatch(r, rec.ID)
	})
}

// newPage returns the page nearest to the requested one, without matches, and
// the offset at which it begins.
func newPage(page, size, total int) (p Page, offset int) {
	p = Page{Pages: max(1, (total+size-1)/size), Total: total}
	p.Page = min(max(page, 1), p.Pages)
	return p, (p.Page - 1) * size
}
