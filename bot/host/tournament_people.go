package host

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"castellan/engine/rating"
	"castellan/engine/tournament"
	"castellan/storage"
)

// JoinTournament adds a person to a tournament. If people have been asked whether they are
// there, it says that the person is. A Swiss tournament that has begun can be joined until
// half of its rounds are paired. It fails with ErrNoTournament, ErrTournamentOver,
// ErrTournamentBegun, ErrTournamentFull, ErrInTournament or ErrCannotJoin.
func (h *Host) JoinTournament(ctx context.Context, a Actor, id storage.TournamentID) (storage.Tournament, error) {
	return h.changeTournament(ctx, a, id, func(tx storage.Tx, t *storage.Tournament) error {
		p, in := PlayerIn(*t, a.Person.ID)
		_, most := tournament.Format(t.Format).Players()
		p.Person = a.Person
		if t.State == storage.TournamentOpen {
			called := !t.CalledAt.IsZero()
			switch {
			case in && (p.Here || !called):
				return ErrInTournament
			case !in && len(t.Players) >= most:
				return ErrTournamentFull
			}
			if blocked, err := blockAmong(tx, a.Person, others(*t, a.Person)); err != nil || blocked && t.Format != string(tournament.Swiss) {
				return cmp.Or(err, ErrCannotJoin)
			}
			if !in {
				p.JoinedAt = h.Now()
			}
			p.Here = called
			return tx.PutTournamentPlayer(id, p)
		}
		e := Event(*t)
		switch {
		case p.Seed > 0 && p.Left == 0:
			return ErrInTournament
		case p.Seed == 0 && !e.MayJoin(), p.Seed > 0 && !MayReturn(*t):
			return ErrTournamentBegun
		case p.Seed > 0: // back again
			p.Left = 0
			return tx.PutTournamentPlayer(id, p)
		}
		if !in {
			p.JoinedAt = h.Now()
		}
		rated, err := ratingIn(tx, t.Game, a.Person.ID)
		if err != nil {
			return err
		}
		e.Players = append(e.Players, tournament.Player{})
		p.Here, p.Seed, p.Rating, p.From = true, len(e.Players), rated, e.Round()+1
		if err := tx.PutTournamentPlayer(id, p); err != nil {
			return err
		}
		return putGames(tx, id, e.Late(len(e.Players)-1))
	})
}

// MayReturn reports whether a tournament has players who have left and can still come
// back: in Swiss, before the last round is paired.
func MayReturn(t storage.Tournament) bool {
	return t.Format == string(tournament.Swiss) && Event(t).Round() < t.Rounds && slices.ContainsFunc(t.Players, func(p storage.TournamentPlayer) bool { return p.Left > 0 })
}

// others returns the players of a tournament except one.
func others(t storage.Tournament, p storage.Person) (all []storage.Person) {
	for _, o := range t.Players {
		if o.Person.ID != p.ID {
			all = append(all, o.Person)
		}
	}
	return all
}

// ratingIn returns the rating of a person in a game, that of a new player if they have none.
func ratingIn(r storage.RatingReader, game, person string) (float64, error) {
	found, err := r.Rating(game, storage.PeopleList, person)
	if errors.Is(err, storage.ErrNotFound) {
		return rating.New().Mean, nil
	}
	return found.Mean, err
}

func putGames(tx storage.Tx, id storage.TournamentID, games []tournament.Game) error {
	for _, g := range games {
		if err := tx.PutTournamentGame(id, storage.TournamentGame{
			Round: g.Round, Table: g.Table, Number: g.Number, First: g.First + 1, Second: g.Second + 1, Outcome: string(g.Outcome),
		}); err != nil {
			return err
		}
	}
	return nil
}

// LeaveTournament removes a person from a tournament. If it has begun they are not paired
// any more; their game goes on. It fails with ErrNoTournament, ErrTournamentOver or
// ErrNotInTournament.
func (h *Host) LeaveTournament(ctx context.Context, a Actor, id storage.TournamentID) (storage.Tournament, error) {
	return h.changeTournament(ctx, a, id, func(tx storage.Tx, t *storage.Tournament) error {
		return withdraw(tx, t, a.Person.ID)
	})
}

// withdraw takes a person out of a tournament, from its next round on.
func withdraw(tx storage.Tx, t *storage.Tournament, person string) error {
	p, in := PlayerIn(*t, person)
	switch {
	case !in || p.Left > 0:
		return ErrNotInTournament
	case p.Seed == 0:
		return tx.RemoveTournamentPlayer(t.ID, person)
	}
	p.Left = Event(*t).Round() + 1
	return tx.PutTournamentPlayer(t.ID, p)
}

// An Organiser acts on a tournament: who has announced it, or who organises the guild.
type Organiser struct {
	Actor
	Manages bool // they organise the guild
}

func (o Organiser) check(t storage.Tournament) error {
	if o.Manages || o.Person.ID == t.Organiser.ID {
		return nil
	}
	return ErrNotOrganiser
}

// WithdrawFromTournament does what LeaveTournament does, for somebody else. It also fails
// with ErrNotOrganiser.
func (h *Host) WithdrawFromTournament(ctx context.Context, o Organiser, id storage.TournamentID, person string) (storage.Tournament, error) {
	return h.changeTournament(ctx, o.Actor, id, func(tx storage.Tx, t *storage.Tournament) error {
		if err := o.check(*t); err != nil {
			return err
		}
		return withdraw(tx, t, person)
	})
}

// StartTournament starts a tournament now, with everybody who has joined, or if people
// have been asked whether they are there, with those who are. It fails with
// ErrNoTournament, ErrTournamentOver, ErrTournamentBegun, ErrNotOrganiser or
// ErrTooFewJoined.
func (h *Host) StartTournament(ctx context.Context, o Organiser, id storage.TournamentID) (storage.Tournament, error) {
	return h.changeTournament(ctx, o.Actor, id, func(tx storage.Tx, t *storage.Tournament) error {
		switch err := o.check(*t); {
		case err != nil:
			return err
		case t.State != storage.TournamentOpen:
			return ErrTournamentBegun
		case len(present(*t)) < fewest:
			return ErrTooFewJoined
		}
		t.StartsAt = h.Now()
		return h.begin(tx, t)
	})
}

// CancelTournament calls a tournament off. Its matches go on as usual ones. It fails with
// ErrNoTournament, ErrTournamentOver or ErrNotOrganiser.
func (h *Host) CancelTournament(ctx context.Context, o Organiser, id storage.TournamentID) (storage.Tournament, error) {
	return h.changeTournament(ctx, o.Actor, id, func(_ storage.Tx, t *storage.Tournament) error {
		if err := o.check(*t); err != nil {
			return err
		}
		h.end(t, storage.TournamentCancelled)
		return nil
	})
}

func (h *Host) end(t *storage.Tournament, state storage.TournamentState) {
	t.State, t.EndedAt, t.CheckAt = state, h.Now(), time.Time{}
}
