package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/tournament"
	"castellan/storage"
)

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
