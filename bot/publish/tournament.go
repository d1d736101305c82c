package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// ShowTournament posts the message of a tournament, or brings it up to date. It returns
// the tournament as it was shown, or as it is if another process shows it.
func (p *Publisher) ShowTournament(ctx context.Context, id storage.TournamentID) (storage.Tournament, error) {
	recording := context.WithoutCancel(ctx)
	unlock, err := p.tournaments.lock(ctx, int64(id))
	if err != nil {
		return storage.Tournament{}, fmt.Errorf("waiting for tournament %d: %w", id, err)
	}
	defer unlock()
	t, claimed, err := p.host.BeginShowTournament(recording, id)
	if err != nil || !claimed {
		return t, err
	}
	posted, err := p.putTournament(ctx, t)
	if err != nil {
		if ctx.Err() == nil {
			p.log.Warn("showing a tournament", "tournament", id, "channel", t.Place.Channel, "error", err)
		}
		return t, err
	}
	if err := p.host.TournamentShown(recording, id, posted, t.Revision); err != nil {
		p.PauseOnStoreError(err)
		return t, err
	}
	t.Message = posted
	return t, nil
}

// putTournament posts a tournament or edits its message, and returns the message. A message
// that has been replaced by a new one is deleted.
func (p *Publisher) putTournament(ctx context.Context, t storage.Tournament) (id string, err error) {
	m, err := p.tournamentMessage(ctx, t)
	if err != nil {
		return "", err
	}
	if t.Message != "" {
		err = p.unarchiving(ctx, t.Place.Channel, func() error { return p.client.EditMessage(ctx, t.Place.Channel, t.Message, m) })
		if discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel) {
			err = nil // somebody has deleted it: the tournament goes on in its matches
		}
		return t.Message, err
	}
	// An earlier attempt may have posted a message that is not on record, also at an
	// earlier stage.
	stage, surplus := message.TournamentStage(t), []string{}
	if t.OldMessage != "" || t.Attempts > 0 || nonceExpired(p.host.Now(), t.Attempts, t.CreatedAt) {
		own, err := p.earlierPosts(ctx, t.Place.Channel)
		if err != nil {
			return "", err
		}
		id = withPicture(own, message.TournamentFileName(t), []string{t.OldMessage})
		for _, m := range own {
			if m.ID != id && m.ID != t.OldMessage && slices.ContainsFunc(m.Images, func(name string) bool { return message.ShowsTournament(name, t.ID) }) {
				surplus = append(surplus, m.ID)
			}
		}
	}
	if id == "" {
		created, err := p.create(ctx, t.Place.Channel, nonce("t"+stage+"-", int64(t.ID), t.CreatedAt), m)
		if err != nil {
			return "", err
		}
		id = created.ID
	}
	if t.Revision > 0 { // an earlier attempt may have posted it as it was then
		if err := p.client.EditMessage(ctx, t.Place.Channel, id, m); err != nil {
			return "", err
		}
	}
	if t.OldMessage != "" {
		surplus = append(surplus, t.OldMessage)
	}
	for _, old := range surplus {
		if old == id { // the nonce has returned it
			continue
		}
		if err := p.client.DeleteMessage(ctx, t.Place.Channel, old); err != nil && !discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel) {
			p.log.Warn("deleting the old message of a tournament", "tournament", t.ID, "error", err)
		}
	}
	return id, nil
}

func (p *Publisher) tournamentMessage(ctx context.Context, t storage.Tournament) (m discord.Message, err error) {
	d := message.TournamentData{Tournament: t, Matches: map[storage.MatchID]*host.View{}}
	if d.Game, d.Options, d.Start, err = p.host.ChallengeSetup(storage.Challenge{Game: t.Game, Options: t.Options, Seats: 2}); err != nil {
		return m, err
	}
	round, listed := host.Event(t).Round(), 0
	for _, g := range t.Games {
		if g.Round != round {
			continue
		}
		if listed++; listed > message.MostTournamentGames {
			break
		}
		if g.Outcome != "" || g.Match == 0 {
			continue
		}
		v, err := p.host.Match(ctx, g.Match)
		if err == nil {
			d.Matches[g.Match] = v
		} else if !errors.Is(err, host.ErrCannotReplay) {
			return m, err
		}
	}
	say := p.sayAt(ctx, t.Place, []storage.Person{t.Organiser})
	renderer, err := p.renderer(ctx, t.Place, nil)
	if err != nil {
		return m, err
	}
	picture, err := message.DrawTournament(ctx, renderer, say, d)
	return message.Tournament(say, d, picture), err
}

// processTournaments does what tournaments have to do now, and reports when the next one
// will be due.
func (p *Publisher) processTournaments(ctx context.Context) {
	due, next, err := p.host.DueTournaments(ctx, batchSize)
	if !next.IsZero() && (p.next.IsZero() || next.Before(p.next)) {
		p.next = next
	}
	for _, id := range due {
		if err == nil {
			err = p.host.ProcessTournament(ctx, id)
		}
	}
	if err != nil && ctx.Err() == nil {
		p.log.Error("processing tournaments", "error", err)
	}
}

// tournamentJobs returns a job for each tournament whose message has to be shown. In a
// channel it follows those of the matches, so that the message is the last.
func (p *Publisher) tournamentJobs(ctx context.Context) (jobs []job) {
	pending, err := p.host.PendingTournaments(ctx, batchSize)
	if err != nil && ctx.Err() == nil {
		p.log.Error("looking for tournaments to show", "error", err)
	}
	for _, id := range pending {
		t, err := p.host.Tournament(ctx, id)
		if err != nil {
			continue // the next run tries again
		}
		jobs = append(jobs, job{t.Place.Channel, storage.DeliveryLease{}, func(ctx context.Context) {
			defer p.recoverPanic("tournament", int64(id), func() error { return nil })
			_, _ = p.ShowTournament(ctx, id) // which logs failures
		}})
	}
	return jobs
}
