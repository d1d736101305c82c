package storagetest_test

import (
	"cmp"
	"slices"
	"time"

	"castellan/storage"
)

func (m *model) tournament(id storage.TournamentID) (*storage.Tournament, error) {
	return find(m.tournaments, func(e storage.Tournament) bool { return e.ID == id })
}

func (m *model) Tournament(id storage.TournamentID) (e storage.Tournament, err error) {
	if e, err = value(m.tournament(id)); err != nil {
		return e, err
	}
	e.Players = sorted(e.Players, func(a, b storage.TournamentPlayer) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), a.JoinedAt.Compare(b.JoinedAt), cmp.Compare(a.Person.ID, b.Person.ID))
	})
	e.Games = sorted(e.Games, func(a, b storage.TournamentGame) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Number, b.Number))
	})
	return e, nil
}

func tournamentIDs(all []storage.Tournament, limit int) (ids []storage.TournamentID) {
	for _, e := range page(all, 0, limit) {
		ids = append(ids, e.ID)
	}
	return ids
}

func bySoonest(a, b storage.Tournament) int {
	return cmp.Or(a.StartsAt.Compare(b.StartsAt), cmp.Compare(a.ID, b.ID))
}

func (m *model) Tournaments(guild string, limit int) ([]storage.TournamentID, error) {
	in := filter(m.tournaments, func(e storage.Tournament) bool { return guild == "" || e.Place.Guild == guild })
	active := sorted(filter(in, func(e storage.Tournament) bool { return e.EndedAt.IsZero() }), bySoonest)
	ended := sorted(filter(in, func(e storage.Tournament) bool { return !e.EndedAt.IsZero() }), func(a, b storage.Tournament) int {
		return cmp.Or(b.EndedAt.Compare(a.EndedAt), bySoonest(a, b))
	})
	return tournamentIDs(append(active, ended...), limit), nil
}

func (m *model) DueTournaments(now time.Time, limit int) (due []storage.TournamentID, next time.Time, _ error) {
	active := sorted(filter(m.tournaments, func(e storage.Tournament) bool { return e.EndedAt.IsZero() }), bySoonest)
	for _, e := range active {
		if e.CheckAt.After(now) && (next.IsZero() || e.CheckAt.Before(next)) {
			next = e.CheckAt
		}
	}
	return tournamentIDs(filter(active, func(e storage.Tournament) bool {
		return !e.CheckAt.IsZero() && !e.CheckAt.After(now) || slices.ContainsFunc(e.Games, func(g storage.TournamentGame) bool {
			of, err := m.match(g.Match)
			return g.Outcome == "" && err == nil && of.Ending != ""
		})
	}), limit), next, nil
}

func (m *model) PendingTournaments(now time.Time, limit int) ([]storage.TournamentID, error) {
	return tournamentIDs(sorted(filter(m.tournaments, func(e storage.Tournament) bool {
		return e.Revision != e.ShownRevision && storage.IsDue(e.NextAttempt, e.Attempts, now)
	}), func(a, b storage.Tournament) int {
		return cmp.Or(a.NextAttempt.Compare(b.NextAttempt), cmp.Compare(a.ID, b.ID))
	}), limit), nil
}

func (m *model) InsertTournament(e storage.Tournament) (storage.TournamentID, error) {
	e.ID, e.EndedAt, e.Message, e.OldMessage, e.Attempts, e.NextAttempt = storage.TournamentID(m.nextID), time.Time{}, "", "", 0, time.Time{}
	e.Revision, e.ShownRevision, e.Players, e.Games = 0, -1, nil, nil
	m.tournaments = append(m.tournaments, e)
	return e.ID, nil
}

func (m *model) SetTournament(e storage.Tournament) error {
	old, err := m.tournament(e.ID)
	return edit(err, func() bool { return old.Revision == e.Revision }, func() {
		old.State, old.Format, old.Rounds, old.StartsAt, old.CheckAt, old.CalledAt, old.EndedAt = e.State, e.Format, e.Rounds, e.StartsAt, e.CheckAt, e.CalledAt, e.EndedAt
		old.Revision, old.Attempts, old.NextAttempt = old.Revision+1, 0, time.Time{}
	})
}

// put replaces the element of a list that is the same as another, or appends it.
func put[T any](all []T, v T, same func(T) bool) []T {
	return append(filter(all, func(o T) bool { return !same(o) }), v)
}

func (m *model) PutTournamentPlayer(id storage.TournamentID, p storage.TournamentPlayer) error {
	e, err := m.tournament(id)
	return edit(err, always, func() {
		e.Players = put(e.Players, p, func(o storage.TournamentPlayer) bool { return o.Person.ID == p.Person.ID })
	})
}

func (m *model) RemoveTournamentPlayer(id storage.TournamentID, person string) error {
	e, err := m.tournament(id)
	if err != nil {
		return err
	}
	kept := filter(e.Players, func(o storage.TournamentPlayer) bool { return o.Person.ID != person })
	if len(kept) == len(e.Players) {
		return storage.ErrNotFound
	}
	e.Players = kept
	return nil
}

func (m *model) PutTournamentGame(id storage.TournamentID, g storage.TournamentGame) error {
	e, err := m.tournament(id)
	return edit(err, always, func() {
		same := func(o storage.TournamentGame) bool {
			return o.Round == g.Round && o.Table == g.Table && o.Number == g.Number
		}
		if i := slices.IndexFunc(e.Games, same); i >= 0 {
			g.First, g.Second = e.Games[i].First, e.Games[i].Second
		}
		e.Games = put(e.Games, g, same)
	})
}

func (m *model) RepostTournament(id storage.TournamentID) error {
	e, err := m.tournament(id)
	if err != nil || e.Message == "" {
		return storage.ErrNotFound
	}
	e.OldMessage, e.Message, e.ShownRevision, e.Attempts, e.NextAttempt = e.Message, "", -1, 0, time.Time{}
	return nil
}

func (m *model) ClaimTournament(id storage.TournamentID, attempts int, next time.Time) error {
	e, err := m.tournament(id)
	return edit(err, func() bool { return e.Attempts == attempts }, func() { e.Attempts, e.NextAttempt = attempts+1, next })
}

func (m *model) MarkTournamentShown(id storage.TournamentID, message string, revision int) error {
	e, err := m.tournament(id)
	return edit(err, always, func() {
		e.Message, e.OldMessage, e.ShownRevision, e.Attempts, e.NextAttempt = message, "", revision, 0, time.Time{}
	})
}

// forgetTournaments replaces a person in tournaments.
func (m *model) forgetTournaments(person string, as storage.Person, now time.Time) {
	for i := range m.tournaments {
		e := &m.tournaments[i]
		found := e.Organiser.ID == person
		if found {
			e.Organiser = as
		}
		e.Players = slices.Clone(e.Players)
		for i := range e.Players {
			if p := &e.Players[i]; p.Person.ID == person {
				p.Person, found = as, true
			}
		}
		if found && e.Message != "" {
			e.Revision, e.Attempts, e.NextAttempt = e.Revision+1, 0, now
		}
	}
}
