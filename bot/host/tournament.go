package host

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/tournament"
	"castellan/storage"
)

const (
	// CallBefore is how long before the start of a tournament with a live clock people are
	// asked whether they are there. Who does not answer is not paired.
	CallBefore = 15 * time.Minute
	// MostTournaments is how many tournaments of a guild may be open or running, and
	// MostOwnTournaments how many of one organiser.
	MostTournaments, MostOwnTournaments = 10, 3
	// LatestStart is how far ahead a tournament can be planned.
	LatestStart = 60 * 24 * time.Hour
	// MaxTournamentName is the most characters of a name.
	MaxTournamentName = 60
)

// Errors about tournaments. A *TournamentRefusal wraps those that concern one.
var (
	ErrNoTournament       = errors.New("there is no such tournament")
	ErrTournamentClock    = errors.New("a tournament needs a clock, so that it never waits for anybody")
	ErrTournamentSeats    = errors.New("the game is not played by two")
	ErrTournamentTime     = errors.New("the start of the tournament is in the past or too far ahead")
	ErrTournamentName     = errors.New("the name of the tournament is empty or too long")
	ErrTournamentRounds   = errors.New("the number of rounds is not possible in the format")
	ErrTournamentFormat   = errors.New("there is no such format")
	ErrTooManyTournaments = errors.New("too many tournaments are open or running")
	ErrTournamentOver     = errors.New("the tournament is over")
	ErrTournamentBegun    = errors.New("the tournament has begun, and nobody can join any more")
	ErrTournamentFull     = errors.New("the tournament is full")
	ErrInTournament       = errors.New("the person is in the tournament already")
	ErrNotInTournament    = errors.New("the person is not in the tournament")
	ErrNotOrganiser       = errors.New("only who has announced the tournament, or an organiser of the guild, can do this")
	ErrTooFewJoined       = errors.New("fewer people have joined than the format needs")
)

// TournamentRefusal is the error of a use case that a tournament does not allow.
type TournamentRefusal struct {
	Err        error
	Tournament storage.Tournament
}

func (r *TournamentRefusal) Error() string { return r.Err.Error() }

func (r *TournamentRefusal) Unwrap() error { return r.Err }

// Event returns a tournament as its format sees it: its players by their seeds.
func Event(t storage.Tournament) tournament.Event {
	e := tournament.Event{Format: tournament.Format(t.Format), Rounds: t.Rounds}
	for _, p := range t.Players {
		if p.Seed > 0 {
			e.Players = append(e.Players, tournament.Player{Rating: p.Rating, From: p.From, Left: p.Left})
		}
	}
	for _, g := range t.Games {
		e.Games = append(e.Games, tournament.Game{Round: g.Round, Table: g.Table, Number: g.Number, First: g.First - 1, Second: g.Second - 1, Outcome: tournament.Outcome(g.Outcome)})
	}
	return e
}

// SeedOf returns the player with a seed from 1, of a tournament that has begun.
func SeedOf(t storage.Tournament, seed int) storage.TournamentPlayer {
	if i := slices.IndexFunc(t.Players, func(p storage.TournamentPlayer) bool { return p.Seed == seed }); i >= 0 && seed > 0 {
		return t.Players[i]
	}
	return storage.TournamentPlayer{}
}

// PlayerIn returns the line of a person in a tournament; ok is false if they are not in it.
func PlayerIn(t storage.Tournament, person string) (p storage.TournamentPlayer, ok bool) {
	i := slices.IndexFunc(t.Players, func(p storage.TournamentPlayer) bool { return p.Person.ID == person })
	if i < 0 {
		return p, false
	}
	return t.Players[i], true
}

// IsLive reports whether a tournament is played in one evening.
func IsLive(t storage.Tournament) bool {
	c, err := match.ParseClock(t.Clock)
	return err == nil && c.Live()
}

// CreateTournament announces a tournament. Of t, Place, Name, Game, Clock, Unrated, Thread,
// Format, Rounds (0 for as many as its players need) and StartsAt are used; options are the
// chosen ones. It fails with ErrUnknownGame, an *engine.OptionError, or one of the errors
// of tournaments.
func (h *Host) CreateTournament(ctx context.Context, a Actor, t storage.Tournament, options map[string]string) (storage.Tournament, error) {
	game, ok := h.games.Lookup(t.Game)
	if !ok {
		return t, &Refusal{Err: ErrUnknownGame}
	}
	chosen, err := h.checkTournament(game, t, options)
	if err != nil {
		return t, &Refusal{Err: err}
	}
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		active, err := activeTournaments(tx, t.Place.Guild)
		if err != nil {
			return err
		}
		own := 0
		for _, other := range active {
			if other.Organiser.ID != a.Person.ID {
				continue
			}
			if own++; processed != nil && other.CreatedAt.Equal(processed.At) {
				t = other
				return nil
			}
		}
		switch {
		case processed != nil:
			return &Refusal{Err: ErrNoTournament}
		case len(active) >= MostTournaments || own >= MostOwnTournaments:
			return &Refusal{Err: ErrTooManyTournaments}
		}
		now := h.Now()
		t.Organiser, t.State, t.CreatedAt = a.Person, storage.TournamentOpen, now
		t.Options, t.Unrated, t.StartsAt = chosen.String(), t.Unrated || !chosen.Standard(), t.StartsAt.Round(0).UTC()
		t.CheckAt = t.StartsAt
		if call := t.StartsAt.Add(-CallBefore); IsLive(t) && call.After(now) {
			t.CheckAt = call
		}
		if t.ID, err = tx.InsertTournament(t); err != nil {
			return err
		}
		if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: a.Interaction, At: now}); err != nil {
			return err
		}
		t, err = tx.Tournament(t.ID)
		return err
	})
	return t, err
}

func (h *Host) checkTournament(game engine.Game, t storage.Tournament, options map[string]string) (chosen engine.Options, err error) {
	f := tournament.Format(t.Format)
	if !slices.Contains(tournament.Formats(), f) {
		return chosen, ErrTournamentFormat
	}
	_, most := f.Players()
	_, rounds := f.Rounds(most)
	now := h.Now()
	switch clock, err := match.ParseClock(t.Clock); {
	case err != nil:
		return chosen, ErrNoClock
	case clock == match.Clock{}:
		return chosen, ErrTournamentClock
	case strings.TrimSpace(t.Name) == "" || len([]rune(t.Name)) > MaxTournamentName:
		return chosen, ErrTournamentName
	case t.Rounds < 0 || t.Rounds > rounds || t.Rounds > 0 && f != tournament.Swiss:
		return chosen, ErrTournamentRounds
	case t.StartsAt.Before(now) || t.StartsAt.After(now.Add(LatestStart)):
		return chosen, ErrTournamentTime
	}
	if engine.CheckSeats(game, 2) != nil {
		return chosen, ErrTournamentSeats
	}
	if chosen, err = game.Options().Options(options); err != nil {
		return chosen, err
	}
	_, err = game.New(chosen, 2)
	return chosen, err
}

// activeTournaments returns the tournaments of a guild that have not ended.
func activeTournaments(r storage.TournamentReader, guild string) (active []storage.Tournament, err error) {
	ids, err := r.Tournaments(guild, MostTournaments)
	for _, id := range ids {
		var t storage.Tournament
		if err == nil {
			t, err = r.Tournament(id)
		}
		if err == nil && t.EndedAt.IsZero() {
			active = append(active, t)
		}
	}
	return active, err
}

// Tournament returns a tournament. It fails with ErrNoTournament.
func (h *Host) Tournament(ctx context.Context, id storage.TournamentID) (storage.Tournament, error) {
	return Read(ctx, h, func(r storage.Reader) (storage.Tournament, error) { return findTournament(r, id) })
}

// Tournaments returns the tournaments of a guild: those that have not ended, soonest
// first, then up to ended others, last ended first.
func (h *Host) Tournaments(ctx context.Context, guild string, ended int) (all []storage.Tournament, err error) {
	return Read(ctx, h, func(r storage.Reader) ([]storage.Tournament, error) {
		ids, err := r.Tournaments(guild, MostTournaments+ended)
		var all []storage.Tournament
		for _, id := range ids {
			t, readErr := r.Tournament(id)
			if err = errors.Join(err, readErr); !t.EndedAt.IsZero() {
				if ended--; ended < 0 {
					break
				}
			}
			all = append(all, t)
		}
		return all, err
	})
}

func findTournament(r storage.TournamentReader, id storage.TournamentID) (storage.Tournament, error) {
	t, err := r.Tournament(id)
	if errors.Is(err, storage.ErrNotFound) {
		err = &Refusal{Err: ErrNoTournament}
	}
	return t, err
}

// changeTournament carries out a use case that changes a tournament, once for an
// interaction, and returns it as it is afterwards. change writes players and games itself.
func (h *Host) changeTournament(ctx context.Context, a Actor, id storage.TournamentID, change func(storage.Tx, *storage.Tournament) error) (t storage.Tournament, err error) {
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if t, err = findTournament(tx, id); err != nil || processed != nil {
			return err
		}
		if a.Place != (storage.Place{}) && a.Place.Guild != t.Place.Guild {
			return &Refusal{Err: ErrNoTournament}
		}
		before := t
		why := ErrTournamentOver
		if t.EndedAt.IsZero() {
			why = change(tx, &t)
		}
		if slices.ContainsFunc(tournamentErrors(), func(e error) bool { return errors.Is(why, e) }) {
			return &TournamentRefusal{Err: why, Tournament: t}
		} else if why != nil {
			return why
		}
		if err := saveTournament(tx, before, t); err != nil {
			return err
		}
		if err := tx.MarkProcessed(storage.ProcessedInteraction{Interaction: a.Interaction, At: h.Now()}); err != nil {
			return err
		}
		t, err = tx.Tournament(id)
		return err
	})
	return t, err
}

func tournamentErrors() []error {
	return []error{ErrTournamentOver, ErrTournamentBegun, ErrTournamentFull, ErrInTournament, ErrNotInTournament, ErrNotOrganiser, ErrTooFewJoined, ErrCannotJoin}
}

// BeginShowTournament claims the next attempt to show a tournament. It returns false if its
// message is up to date, or if somebody else shows it.
func (h *Host) BeginShowTournament(ctx context.Context, id storage.TournamentID) (t storage.Tournament, claimed bool, err error) {
	err = h.Write(ctx, func(tx storage.Tx) error {
		claimed = false
		if t, err = findTournament(tx, id); err != nil || t.Revision == t.ShownRevision || !storage.IsDue(t.NextAttempt, t.Attempts, h.Now()) {
			return err
		}
		claimed = true
		return tx.ClaimTournament(id, t.Attempts, h.Now().Add(max(LeaseTime, Failure{}.Backoff(t.Attempts))))
	})
	return t, claimed && err == nil, err
}

// TournamentShown records that a message shows a revision of a tournament.
func (h *Host) TournamentShown(ctx context.Context, id storage.TournamentID, message string, revision int) error {
	return h.Write(ctx, func(tx storage.Tx) error { return tx.MarkTournamentShown(id, message, revision) })
}

// PendingTournaments returns up to limit tournaments whose message is to be shown now.
func (h *Host) PendingTournaments(ctx context.Context, limit int) ([]storage.TournamentID, error) {
	return Read(ctx, h, func(r storage.Reader) ([]storage.TournamentID, error) { return r.PendingTournaments(h.Now(), limit) })
}
