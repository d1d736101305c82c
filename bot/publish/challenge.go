package publish

import (
	"context"
	"errors"
	"fmt"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/storage"
)

// ShowChallenge posts a challenge, or brings its message up to date. It returns
// the challenge as it is afterwards.
func (p *Publisher) ShowChallenge(ctx context.Context, id storage.ChallengeID) (storage.Challenge, error) {
	return p.showChallenge(ctx, id, storage.DeliveryLease{})
}

// showChallenge does the same, with the lease of a claim or without one.
func (p *Publisher) showChallenge(ctx context.Context, id storage.ChallengeID, lease storage.DeliveryLease) (storage.Challenge, error) {
	recording := context.WithoutCancel(ctx)
	defer func() { p.host.EndShow(recording, lease) }()
	unlock, err := p.LockChallenge(ctx, id)
	if err != nil {
		return storage.Challenge{}, err
	}
	defer unlock()
	ch, err := p.host.FindChallenge(ctx, id)
	if err == nil && ch.ShownRevision != ch.Revision && lease.Token == 0 {
		lease, ch, err = p.host.TakeChallenge(ctx, id)
	}
	if err != nil || ch.ShownRevision == ch.Revision {
		return ch, err
	}
	ctx, cancel := underLease(ctx, lease)
	defer cancel()
	posted, failed := p.putChallenge(ctx, ch)
	if failed != nil {
		p.challengeFailed(ctx, lease, ch, failed)
	} else if err := p.host.ChallengeShown(recording, lease, ch.ID, posted, ch.Revision); err != nil && !errors.Is(err, storage.ErrFenced) {
		p.PauseOnStoreError(err)
		return ch, err
	}
	after, err := p.host.FindChallenge(recording, id)
	if err == nil && ch.Message == "" && posted != "" && after.Message != "" && after.Message != posted {
		p.deleteDuplicate(ctx, ch.Place.Channel, posted)
	}
	if failed != nil {
		return ch, failed
	}
	return after, err
}

// LockChallenge keeps others from changing the message of a challenge until
// unlock is called. Of two changes sent at the same time, the older could arrive
// last.
func (p *Publisher) LockChallenge(ctx context.Context, id storage.ChallengeID) (unlock func(), err error) {
	if unlock, err = p.challenges.lock(ctx, int64(id)); err != nil {
		return nil, fmt.Errorf("waiting for challenge %d: %w", id, err)
	}
	return unlock, nil
}

// ChallengeMessage builds the public message of a challenge.
func (p *Publisher) ChallengeMessage(ctx context.Context, ch storage.Challenge) (m discord.Message, err error) {
	d := message.ChallengeData{Challenge: ch, Levels: p.host.LevelChoices(ch.Game), CanStart: p.host.CanStart(ch)}
	if d.Game, d.Options, d.Start, err = p.host.ChallengeSetup(ch); err != nil {
		return m, err
	}
	say := p.sayAt(ctx, ch.Place, []storage.Person{ch.Challenger})
	if ch.State == storage.ChallengeOpen {
		if d.Rematch, err = p.host.IsRematch(ctx, ch.ID); err != nil {
			return m, err
		}
	}
	if ch.State == storage.ChallengeCancelled {
		if d.Withdrawn, err = p.host.WithdrawnBy(ctx, ch.ID); err != nil {
			return m, err
		}
	}
	if ch.State == storage.ChallengeAccepted {
		if _, d.Thread, err = p.host.ChallengeThread(ctx, ch.ID); err != nil {
			return m, err
		}
		if d.Thread != storage.ThreadNone {
			if d.View, err = p.host.Match(ctx, ch.Match); err != nil {
				return m, err
			}
		}
	}
	var picture discord.File
	if d.HasPicture() {
		renderer, err := p.renderer(ctx, ch.Place, nil)
		if err != nil {
			return m, err
		}
		if picture, err = message.DrawChallenge(ctx, renderer, say, d); err != nil {
			return m, err
		}
	}
	return message.Challenge(say, d, picture), nil
}

// putChallenge posts a challenge or edits its message, and returns the message.
func (p *Publisher) putChallenge(ctx context.Context, ch storage.Challenge) (id string, err error) {
	m, err := p.ChallengeMessage(ctx, ch)
	if err != nil {
		return "", err
	}
	if ch.Message == "" && nonceExpired(p.host.Now(), ch.Attempts, firstAttempt(ch)) {
		if ch.Message, err = p.findEarlier(ctx, ch.Place.Channel, message.ChallengeFileName(ch.ID), nil); err != nil {
			return "", err
		}
		if ch.Message != "" && ch.Revision == 0 {
			return ch.Message, nil
		}
	}
	if ch.Message == "" {
		created, err := p.create(ctx, ch.Place.Channel, nonce("c", int64(ch.ID), ch.CreatedAt), m)
		if err != nil {
			return "", err
		}
		p.reported.remove(ch.Place.Channel)
		if ch.Revision == 0 || ch.Revision == 1 && host.StartedImmediately(ch) {
			return created.ID, nil
		}
		// The challenge has changed since the first attempt to post it. The nonce
		// may have returned that attempt's message, so edit it.
		ch.Message = created.ID
	}
	err = p.client.EditMessage(ctx, ch.Place.Channel, ch.Message, m)
	gone := discord.HasCode(err, discord.CodeUnknownMessage, discord.CodeUnknownChannel)
	if gone && ch.State == storage.ChallengeOpen {
		return ch.Message, p.host.WithdrawLost(ctx, ch.ID, ch.Message)
	}
	if err == nil || gone {
		err = p.renameThread(ctx, ch)
	}
	return ch.Message, err
}
