package host

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"castellan/storage"
)

// IsLobby reports whether people can take the seats of a challenge one by one.
// Otherwise it is a question to the one person who is invited.
func IsLobby(ch storage.Challenge) bool {
	return ch.Seats > 2 || len(ch.Joined)+len(ch.Invited) < 2
}

// IsPublic reports whether a challenge for two is open to everybody and nobody
// has joined.
func IsPublic(ch storage.Challenge) bool { return ch.Seats == 2 && IsLobby(ch) }

// FreeSeats returns the number of seats that anybody can take.
func FreeSeats(ch storage.Challenge) int { return ch.Seats - len(ch.Joined) - len(ch.Invited) }

// CanStart reports whether enough people have joined for the challenger to
// start the match. It starts by itself when the last seat is taken.
func (h *Host) CanStart(ch storage.Challenge) bool {
	least := ch.Seats
	if game, ok := h.games.Lookup(ch.Game); ok {
		least, _ = game.Seats()
	}
	return len(ch.Joined) >= least
}

// Join takes the seat that is kept for a person, or a free one. When the last
// seat is taken, the match starts as by Accept. It fails with ErrNoChallenge,
// ErrExpired, ErrAlreadyJoined, ErrNoFreeSeat or ErrAnswered.
func (h *Host) Join(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, *View, error) {
	ch, v, err := h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		switch {
		case contains(ch.Joined, a.Person):
			return ErrAlreadyJoined
		case !contains(ch.Invited, a.Person) && FreeSeats(*ch) == 0:
			return ErrNoFreeSeat
		}
		takeSeat(ch, a.Person)
		return nil
	})
	var refusal *Refusal
	if errors.Is(err, ErrAnswered) && errors.As(err, &refusal) {
		// Say so if another person took the last seat first.
		if ch := refusal.Challenge; ch.State == storage.ChallengeAccepted && len(ch.Joined) == ch.Seats && !contains(ch.Joined, a.Person) {
			refusal.Err = ErrNoFreeSeat
		}
	}
	return ch, v, err
}

// takeSeat gives a player a seat, and accepts the challenge if it is the last.
func takeSeat(ch *storage.Challenge, p storage.Person) {
	ch.Invited = without(ch.Invited, p)
	ch.Joined = append(slices.Clip(ch.Joined), p)
	if len(ch.Joined) == ch.Seats {
		ch.State = storage.ChallengeAccepted
	}
}

// Leave frees a person's seat. If the challenger leaves, the challenge is
// cancelled. It fails with ErrNoChallenge, ErrExpired, ErrNotJoined or
// ErrAnswered.
func (h *Host) Leave(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		switch {
		case !contains(ch.Joined, a.Person):
			return ErrNotJoined
		case a.Person.ID == ch.Challenger.ID:
			ch.State = storage.ChallengeCancelled
		default:
			ch.Joined = without(ch.Joined, a.Person)
		}
		return nil
	})
	return ch, err
}

// Start starts the match with those who have joined; only the challenger may.
// It fails with ErrNoChallenge, ErrExpired, ErrNotStarter, ErrTooFewPlayers,
// ErrAnswered, or an *engine.OptionError.
func (h *Host) Start(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, *View, error) {
	return h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		switch {
		case a.Person.ID != ch.Challenger.ID:
			return ErrNotStarter
		case !h.CanStart(*ch):
			return ErrTooFewPlayers
		}
		ch.State = storage.ChallengeAccepted
		return nil
	})
}

// AddComputer gives a free seat to a computer; only the challenger may. When
// the last seat is taken, the match starts as by Accept. It fails with
// ErrNoChallenge, ErrExpired, ErrNotChallenger, ErrNoFreeSeat, ErrAnswered,
// ErrNoComputer or ErrUnknownLevel.
func (h *Host) AddComputer(ctx context.Context, a Actor, id storage.ChallengeID, computer storage.Person) (storage.Challenge, *View, error) {
	return h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		switch err := h.checkLevel(ch.Game, computer.Level); {
		case a.Person.ID != ch.Challenger.ID:
			return ErrNotChallenger
		case err != nil:
			return err
		case FreeSeats(*ch) == 0:
			return ErrNoFreeSeat
		}
		takeSeat(ch, computer)
		return nil
	})
}

// RemoveComputer frees the seat of the computer that was added last; only the
// challenger may. It fails with ErrNoChallenge, ErrExpired, ErrNotChallenger,
// ErrNoComputerSeated or ErrAnswered.
func (h *Host) RemoveComputer(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		if a.Person.ID != ch.Challenger.ID {
			return ErrNotChallenger
		}
		for i, p := range slices.Backward(ch.Joined) {
			if IsComputer(p) {
				ch.Joined = slices.Delete(slices.Clone(ch.Joined), i, i+1)
				return nil
			}
		}
		return ErrNoComputerSeated
	})
	return ch, err
}

// changeChallenge carries out a use case that changes an open challenge. decide
// changes the people and the state of a copy; the state accepted starts the
// match. The view is that of the match, nil if there is none.
func (h *Host) changeChallenge(ctx context.Context, a Actor, id storage.ChallengeID,
	decide func(*storage.Challenge) error,
) (ch storage.Challenge, v *View, err error) {
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if processed != nil {
			ch, v, err = h.repeatedChallenge(tx, id)
			return err
		}
		before, err := challenge(tx, id)
		if err != nil {
			return err
		}
		if a.Place != (storage.Place{}) && a.Place != before.Place {
			return &Refusal{Err: ErrNoChallenge}
		}
		after := before
		switch {
		case expired(before, h.Now()):
			err = ErrExpired
		case before.State == storage.ChallengeOpen:
			err = decide(&after)
		default:
			err = ErrAnswered
		}
		if err != nil {
			return &Refusal{Err: err, Challenge: &before}
		}
		ch, v, err = h.updateChallenge(tx, a, before, after)
		return err
	})
	v, err = h.remember(v, err)
	return ch, v, err
}

// updateChallenge stores a changed challenge. If it was accepted, it starts the
// match and returns its view.
func (h *Host) updateChallenge(tx storage.Tx, a Actor, before, after storage.Challenge) (ch storage.Challenge, v *View, err error) {
	if !slices.Equal(before.Joined, after.Joined) || !slices.Equal(before.Invited, after.Invited) {
		for _, p := range people(after.Joined) {
			if contains(before.Joined, p) {
				continue
			}
			if err := h.checkMaySit(tx, before, p); err != nil {
				return ch, nil, err
			}
			if blocked, err := blockAmong(tx, p, append(without(after.Joined, p), after.Invited...)); err != nil || blocked {
				return ch, nil, cmp.Or(err, error(&Refusal{Err: ErrCannotJoin, Challenge: &before}))
			}
			if err := h.checkRunning(tx, p); err != nil {
				return ch, nil, err
			}
		}
		if err := tx.SetChallengePlayers(after.ID, before.Revision, after.Joined, after.Invited); err != nil {
			return ch, nil, err
		}
	}
	processed := storage.ProcessedInteraction{Interaction: a.Interaction, At: h.Now(), Challenge: after.ID}
	if after.State == storage.ChallengeAccepted {
		if err := h.checkRunning(tx, after.Joined...); err != nil {
			return ch, nil, err
		}
		if v, err = h.start(tx, a, after); err != nil {
			return ch, nil, err
		}
		processed.Match = v.Record.ID
	}
	if after.State != storage.ChallengeOpen {
		if err := tx.ResolveChallenge(after.ID, after.State, processed.Match, processed.At); err != nil {
			return ch, nil, err
		}
	}
	if err := tx.MarkProcessed(processed); err != nil {
		return ch, nil, err
	}
	ch, err = tx.Challenge(after.ID)
	return ch, v, err
}

// repeatedChallenge returns a challenge and the view of its match, for an
// interaction that was processed before.
func (h *Host) repeatedChallenge(r storage.Reader, id storage.ChallengeID) (ch storage.Challenge, v *View, err error) {
	if ch, err = challenge(r, id); err == nil && ch.Match != 0 {
		v, err = h.repeated(r, ch.Match)
	}
	return ch, v, err
}

func contains(players []storage.Person, p storage.Person) bool {
	return slices.ContainsFunc(players, func(q storage.Person) bool { return q.ID == p.ID })
}

func without(players []storage.Person, p storage.Person) []storage.Person {
	return slices.DeleteFunc(slices.Clone(players), func(q storage.Person) bool { return q.ID == p.ID })
}
