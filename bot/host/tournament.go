package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/rating"
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
		var refusal *Refusal
		if slices.ContainsFunc(tournamentErrors(), func(e error) bool { return errors.Is(why, e) }) {
			return &TournamentRefusal{Err: why, Tournament: t}
		} else if why != nil || errors.As(why, &refusal) {
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
		case p.Seed == 0 && !e.MayJoin(), t.Format != string(tournament.Swiss):
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

// MayReturn reports whether a player who has left can be paired again: in Swiss, as long
// as a round is to come.
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

// fewest is how many players make a tournament.
const fewest = 3

// present returns the players with whom a tournament starts.
func present(t storage.Tournament) (all []storage.TournamentPlayer) {
	for _, p := range t.Players {
		if t.CalledAt.IsZero() || p.Here {
			all = append(all, p)
		}
	}
	return all
}

// DueTournaments returns up to limit tournaments for ProcessTournament, and when the next
// one will be due, the zero time if none will.
func (h *Host) DueTournaments(ctx context.Context, limit int) (due []storage.TournamentID, next time.Time, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		due, next, err = r.DueTournaments(h.Now(), limit)
		return err
	})
	return due, next, err
}

// ProcessTournament does what a tournament has to do now: ask people whether they are
// there, start or call it off, record results, pair the next round, end. It does
// nothing if nothing is due.
func (h *Host) ProcessTournament(ctx context.Context, id storage.TournamentID) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		t, err := tx.Tournament(id)
		if err != nil || !t.EndedAt.IsZero() {
			return err
		}
		now, before := h.Now(), t
		switch {
		case t.State == storage.TournamentRunning:
			if err := h.advance(tx, &t); err != nil {
				return err
			}
		case !now.Before(t.StartsAt) && len(present(t)) < fewest:
			h.end(&t, storage.TournamentCancelled)
		case !now.Before(t.StartsAt):
			if err := h.begin(tx, &t); err != nil {
				return err
			}
		case !t.CheckAt.IsZero() && !now.Before(t.CheckAt) && IsLive(t):
			t.CalledAt, t.CheckAt = now, t.StartsAt
		default:
			return nil
		}
		return saveTournament(tx, before, t)
	})
}

// saveTournament stores a tournament. When people are asked whether they are there, with
// every round and at the end, its message is posted again, so that it is where people look.
func saveTournament(tx storage.Tx, before, t storage.Tournament) error {
	if err := tx.SetTournament(t); err != nil {
		return err
	}
	called := before.CalledAt.IsZero() && !t.CalledAt.IsZero()
	if t.Message == "" || !called && Event(before).Round() == Event(t).Round() && t.State != storage.TournamentEnded {
		return nil
	}
	return tx.RepostTournament(t.ID)
}

// begin seeds the players who are present by their ratings and pairs the first round.
// Swiss with too few players becomes a round robin.
func (h *Host) begin(tx storage.Tx, t *storage.Tournament) error {
	players := present(*t)
	for i := range players {
		rated, err := ratingIn(tx, t.Game, players[i].Person.ID)
		if err != nil {
			return err
		}
		players[i].Rating = rated
	}
	slices.SortStableFunc(players, func(a, b storage.TournamentPlayer) int { return cmp.Compare(b.Rating, a.Rating) })
	f := tournament.Format(t.Format)
	if least, _ := f.Players(); len(players) < least {
		f = tournament.RoundRobin
	}
	usual, most := f.Rounds(len(players))
	t.Format, t.State, t.CheckAt = string(f), storage.TournamentRunning, time.Time{}
	if t.Rounds = min(t.Rounds, most); t.Rounds == 0 || f != tournament.Swiss {
		t.Rounds = usual
	}
	for i, p := range players {
		p.Seed, p.From = i+1, 1
		if err := tx.PutTournamentPlayer(t.ID, p); err != nil {
			return err
		}
		players[i] = p
	}
	for _, p := range t.Players { // those who are not there
		if !slices.ContainsFunc(players, func(q storage.TournamentPlayer) bool { return q.Person.ID == p.Person.ID }) {
			players = append(players, p)
		}
	}
	t.Players = players
	return h.advance(tx, t)
}

// advance records the outcomes of matches that have ended and pairs what comes next.
func (h *Host) advance(tx storage.Tx, t *storage.Tournament) error {
	round := Event(*t).Round()
	for i, g := range t.Games {
		if g.Match == 0 || g.Round != round { // in earlier rounds, all have ended
			continue
		}
		outcome, err := h.outcome(tx, g.Match)
		if err != nil {
			return err
		}
		if string(outcome) != g.Outcome { // an organiser can have a match go on
			t.Games[i].Outcome = string(outcome)
			if err := tx.PutTournamentGame(t.ID, t.Games[i]); err != nil {
				return err
			}
		}
	}
	for {
		if err := withdrawAbsent(tx, t); err != nil {
			return err
		}
		e := Event(*t)
		if e.Format == tournament.Swiss {
			if err := readBlocks(tx, *t, e.Players); err != nil {
				return err
			}
		}
		games, over := e.Next()
		if over {
			h.end(t, storage.TournamentEnded)
		}
		if over || len(games) == 0 {
			return nil
		}
		for _, g := range games {
			stored := storage.TournamentGame{Round: g.Round, Table: g.Table, Number: g.Number, First: g.First + 1, Second: g.Second + 1, Outcome: string(g.Outcome)}
			if g.Outcome == tournament.Open {
				var err error
				if stored.Match, err = h.startGame(tx, *t, stored); err != nil {
					return err
				}
			}
			if err := tx.PutTournamentGame(t.ID, stored); err != nil {
				return err
			}
			t.Games = append(t.Games, stored)
		}
	}
}

// outcome returns how the match of a game ended. Who gave up or let the time pass before
// both had completed a turn was not there. A match that cannot be read is nobody's.
func (h *Host) outcome(tx storage.Tx, id storage.MatchID) (tournament.Outcome, error) {
	rec, err := tx.Match(id)
	if err != nil || rec.Ending == "" {
		return tournament.Open, err
	}
	if len(rec.Results) == 2 {
		switch rec.Results[0].Result {
		case storage.Won:
			return tournament.FirstWon, nil
		case storage.Lost:
			return tournament.SecondWon, nil
		}
		return tournament.Drawn, nil
	}
	v, err := h.view(tx, id)
	if isBroken(err) {
		return tournament.Neither, nil
	}
	if err != nil {
		return tournament.Open, err
	}
	out, _ := v.Match.Over()
	if out.By != engine.Nobody && len(v.Match.Turns()) >= 2 { // both have agreed
		return tournament.Neither, nil
	}
	switch cmp.Or(out.TimedOut, out.By) {
	case 1:
		return tournament.SecondWO, nil
	case 2:
		return tournament.FirstWO, nil
	}
	return tournament.Neither, nil
}

// withdrawAbsent takes players out who have left the guild, are banned or have deleted
// their data.
func withdrawAbsent(tx storage.Tx, t *storage.Tournament) error {
	banned, err := tx.Banned()
	if err != nil {
		return err
	}
	round := Event(*t).Round()
	for i, p := range t.Players {
		if p.Seed == 0 || p.Left > 0 {
			continue
		}
		left, err := tx.Departure(t.Place.Guild, p.Person.ID)
		if err != nil {
			return err
		}
		if left.IsZero() && !p.Person.IsFormer() && !slices.Contains(banned, p.Person.ID) {
			continue
		}
		t.Players[i].Left = round + 1
		if err := tx.PutTournamentPlayer(t.ID, t.Players[i]); err != nil {
			return err
		}
	}
	return nil
}

// readBlocks sets whom players avoid. players are those of the event, by seed.
func readBlocks(r storage.PeopleReader, t storage.Tournament, players []tournament.Player) error {
	seeds := map[string]int{}
	for _, p := range t.Players {
		seeds[p.Person.ID] = p.Seed
	}
	for _, p := range t.Players {
		if p.Seed == 0 {
			continue
		}
		blocks, err := r.Blocks(p.Person.ID)
		if err != nil {
			return err
		}
		for _, b := range blocks {
			if seed := seeds[b.Blocked.ID]; seed > 0 {
				players[p.Seed-1].Avoid = append(players[p.Seed-1].Avoid, seed-1)
			}
		}
	}
	return nil
}

// startGame starts the match of a game. It comes from a challenge that nobody had to
// accept, whose message has its thread.
func (h *Host) startGame(tx storage.Tx, t storage.Tournament, g storage.TournamentGame) (storage.MatchID, error) {
	now, seats := h.Now(), []storage.Person{SeedOf(t, g.First).Person, SeedOf(t, g.Second).Person}
	id, err := tx.InsertChallenge(storage.Challenge{
		Place: t.Place, Challenger: seats[0], Seats: 2, Joined: seats, Game: t.Game, Options: t.Options, Unrated: t.Unrated, Clock: t.Clock,
		First: FirstMe, Seed: h.seed(), State: storage.ChallengeOpen, CreatedAt: now,
	})
	if err != nil {
		return 0, err
	}
	if t.Thread {
		if err := tx.SetThread(id, storage.ThreadWanted); err != nil {
			return 0, err
		}
	}
	ch, err := tx.Challenge(id)
	if err != nil {
		return 0, err
	}
	v, err := h.start(tx, Actor{}, ch)
	if err != nil {
		return 0, fmt.Errorf("tournament %d: round %d, table %d: %w", t.ID, g.Round, g.Table, err)
	}
	if err := tx.ResolveChallenge(id, storage.ChallengeAccepted, v.Record.ID, now); err != nil {
		return 0, err
	}
	if !t.Thread { // the board says everything
		err = tx.MarkChallengeShown(id, "", ch.Revision+1)
	}
	return v.Record.ID, err
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
