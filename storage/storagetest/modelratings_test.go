package storagetest_test

import (
	"cmp"
	"slices"
	"time"

	"castellan/storage"
)

// results calls visit for every result of a person, in the order of the ends.
func (m *model) results(person string, visit func(e storage.Match, seat int, list storage.RatingList)) {
	for _, e := range m.ended(func(m storage.Match) bool { return m.Results != nil }) {
		list := storage.PeopleList
		if slices.ContainsFunc(e.Seats, func(p storage.Person) bool { return p.Level != "" }) {
			list = storage.ComputerList
		}
		for i, p := range e.Seats {
			if p.ID == person {
				visit(e, i, list)
			}
		}
	}
}

func (m *model) ResultCounts(person string) (counts []storage.ResultCount, err error) {
	m.results(person, func(e storage.Match, seat int, list storage.RatingList) {
		c := storage.ResultCount{Game: e.Game, List: list}
		if i := slices.IndexFunc(counts, func(c storage.ResultCount) bool { return c.Game == e.Game && c.List == list }); i >= 0 {
			c = counts[i]
			counts = slices.Delete(counts, i, i+1)
		}
		*map[storage.Result]*int{storage.Won: &c.Won, storage.Shared: &c.Shared, storage.Drawn: &c.Drawn, storage.Lost: &c.Lost}[e.Results[seat].Result]++
		counts = slices.Insert(counts, 0, c)
	})
	return counts, nil
}

func (m *model) Streaks(person string) (s storage.Streaks, err error) {
	m.results(person, func(e storage.Match, seat int, list storage.RatingList) {
		result := e.Results[seat].Result
		switch {
		case list != storage.PeopleList:
			return
		case result == storage.Shared:
			result = storage.Won
		}
		if s.Length++; result != s.Result {
			s.Result, s.Length = result, 1
		}
		if result == storage.Won {
			s.Best = max(s.Best, s.Length)
		}
	})
	return s, nil
}

func (m *model) HeadToHead(person, other string) (h storage.HeadToHead, err error) {
	m.results(person, func(e storage.Match, seat int, _ storage.RatingList) {
		for i, p := range e.Seats {
			switch place := e.Results[seat].Place; {
			case i == seat || p.ID != other:
			case place < e.Results[i].Place:
				h.Ahead++
			case place > e.Results[i].Place:
				h.Behind++
			default:
				h.Level++
			}
		}
	})
	return h, nil
}

func (m *model) Rating(game string, list storage.RatingList, person string) (storage.Rating, error) {
	return value(find(m.ratings, func(r storage.Rating) bool { return r.Game == game && r.List == list && r.Person.ID == person }))
}

func (m *model) SeatRatings(id storage.MatchID, list storage.RatingList) ([]storage.Rating, error) {
	of, _ := m.Match(id)
	all, _ := m.AllRatings()
	return filter(all, func(r storage.Rating) bool { return r.Game == of.Game && r.List == list && seated(of, r.Person.ID) }), nil
}

func (m *model) Ratings(person string) ([]storage.Rating, error) {
	all, _ := m.AllRatings()
	own := filter(all, func(r storage.Rating) bool { return r.Person.ID == person })
	return sorted(own, func(a, b storage.Rating) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Match, a.Match))
	}), nil
}

func (m *model) AllRatings() ([]storage.Rating, error) {
	return sorted(m.ratings, func(a, b storage.Rating) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(a.List, b.List), cmp.Compare(a.Person.ID, b.Person.ID))
	}), nil
}

func (m *model) RatingHistory(game string, list storage.RatingList, person string, limit int) ([]storage.RatingChange, error) {
	own := filter(m.changes, func(c storage.RatingChange) bool {
		return c.Game == game && c.List == list && c.Person.ID == person
	})
	own = sorted(own, func(a, b storage.RatingChange) int {
		am, _ := m.Match(a.Match)
		bm, _ := m.Match(b.Match)
		return cmp.Compare(am.EndNumber, bm.EndNumber)
	})
	return own[len(own)-min(max(limit, 0), len(own)):], nil
}

func (m *model) RatingChanges(id storage.MatchID) ([]storage.RatingChange, error) {
	own := filter(m.changes, func(c storage.RatingChange) bool { return c.Match == id })
	return sorted(own, func(a, b storage.RatingChange) int { return cmp.Compare(a.Seat, b.Seat) }), nil
}

func (m *model) RatedMeetings(id storage.MatchID, list storage.RatingList, since time.Time) (all []storage.Meetings, err error) {
	of, _ := m.Match(id)
	var people []string
	for _, p := range of.Seats {
		if p.Level == "" {
			people = append(people, p.ID)
		}
	}
	slices.Sort(people)
	people = slices.Compact(people)
	for i, a := range people {
		for _, b := range people[i+1:] {
			n := 0
			for _, e := range m.matches {
				rated := func(person string) bool {
					return slices.ContainsFunc(m.changes, func(c storage.RatingChange) bool {
						return c.Match == e.ID && c.Person.ID == person && c.Game == of.Game && c.List == list && c.At.After(since) &&
							(of.EndNumber == 0 || e.EndNumber < of.EndNumber)
					})
				}
				if rated(a) && rated(b) {
					n++
				}
			}
			if n > 0 {
				all = append(all, storage.Meetings{A: a, B: b, Count: n})
			}
		}
	}
	return all, nil
}

func (m *model) RatingBefore(game string, list storage.RatingList, person string, end int) (storage.RatingChange, error) {
	own, _ := m.RatingHistory(game, list, person, len(m.changes))
	own = filter(own, func(c storage.RatingChange) bool { of, _ := m.Match(c.Match); return of.EndNumber < end })
	if len(own) == 0 {
		return storage.RatingChange{}, storage.ErrNotFound
	}
	return own[len(own)-1], nil
}

func (m *model) RatedAfter(game string, list storage.RatingList, person string, end int) (all []storage.RatedMatch, _ error) {
	own, _ := m.RatingHistory(game, list, person, len(m.changes))
	for _, c := range own {
		if of, _ := m.Match(c.Match); of.EndNumber > end {
			all = append(all, storage.RatedMatch{Match: of.ID, EndNumber: of.EndNumber})
		}
	}
	return all, nil
}

func (m *model) leaderboard(q storage.LeaderboardQuery) (rows []storage.LeaderboardRow) {
	for _, r := range m.ratings {
		if r.Game == q.Game && r.List == q.List && (q.Guild == "" || m.players[guildPlayer{q.Guild, q.Game, r.Person.ID}]) {
			rows = append(rows, storage.LeaderboardRow{Rating: r, Provisional: m.provisional[keyOf(r)]})
		}
	}
	rows = sorted(rows, func(a, b storage.LeaderboardRow) int {
		if a.Provisional != b.Provisional {
			if b.Provisional {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Person.ID, b.Person.ID))
	})
	group := 0 // index of the first row of the group, established or provisional
	for i := range rows {
		if i > 0 && rows[i].Provisional != rows[i-1].Provisional {
			group = i
		}
		rows[i].Place = i + 1 - group
		if i > group && rows[i].Mean == rows[i-1].Mean {
			rows[i].Place = rows[i-1].Place
		}
	}
	return rows
}

func (m *model) Leaderboard(q storage.LeaderboardQuery) (p storage.LeaderboardPage, err error) {
	all := m.leaderboard(q)
	p.Offset, p.Total = max(q.Offset, 0), len(all)
	if p.Offset >= len(all) && q.Limit > 0 {
		p.Offset = max(len(all)-1, 0) / q.Limit * q.Limit
	}
	p.Rows = page(all, p.Offset, q.Limit)
	p.Own, _ = value(find(all, func(r storage.LeaderboardRow) bool { return r.Person.ID == q.Person }))
	return p, nil
}
