package host

import (
	"context"
	"slices"

	"castellan/storage"
)

// Lobby reports whether a challenge is a table at which people take seats, and
// not a question to the one person who is named.
func Lobby(ch storage.Challenge) bool {
	return ch.Seats > 2 || len(ch.Joined)+len(ch.Invited) < 2
}

// Open reports whether a challenge for two is open to all and nobody has come
// yet. It is a table, at which there is nothing to do but to join.
func Open(ch storage.Challenge) bool { return ch.Seats == 2 && Lobby(ch) }

// Free is the number of seats of a challenge that anybody can take.
func Free(ch storage.Challenge) int { return ch.Seats - len(ch.Joined) - len(ch.Invited) }

// CanStart reports whether enough people have joined for the challenger to
// start the match of a challenge. It needs no free seat: when the last one is
// taken, the match starts by itself.
func (h *Host) CanStart(ch storage.Challenge) bool { return len(ch.Joined) >= h.least(ch) }

// least is the smallest number of seats of the game of a challenge.
func (h *Host) least(ch storage.Challenge) int {
	game, ok := h.games.Lookup(ch.Game)
	if !ok {
		return ch.Seats
	}
	least, _ := game.Seats()
	return least
}

// Accept takes the seat that is kept for a person. The last seat starts the
// match, which the view then is, and makes its first board due. It is refused
// with ErrNoChallenge, ErrNotForYou or ErrAnswered.
func (h *Host) Accept(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, *View, error) {
	return h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case !seated(ch.Invited, c.Person):
			return ErrNotForYou
		}
		sit(ch, c.Person)
		return nil
	})
}

// Join takes a seat: the one that is kept for the person, or a free one. The
// last seat starts the match as Accept does. It is refused with
// ErrNoChallenge, ErrJoined, ErrFull or ErrAnswered.
func (h *Host) Join(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, *View, error) {
	return h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State == storage.ChallengeAccepted && len(ch.Joined) == ch.Seats && !seated(ch.Joined, c.Person):
			return ErrFull // somebody was quicker
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case seated(ch.Joined, c.Person):
			return ErrJoined
		case !seated(ch.Invited, c.Person) && Free(*ch) == 0:
			return ErrFull
		}
		sit(ch, c.Person)
		return nil
	})
}

// sit gives a person a seat, and starts the match where it is the last.
func sit(ch *storage.Challenge, p storage.Person) {
	ch.Invited = without(ch.Invited, p)
	ch.Joined = append(slices.Clip(ch.Joined), p)
	if len(ch.Joined) == ch.Seats {
		ch.State = storage.ChallengeAccepted
	}
}

// Leave gives a person's seat up, which is free then. The challenger who leaves
// withdraws the challenge. It is refused with ErrNoChallenge, ErrNotJoined or
// ErrAnswered.
func (h *Host) Leave(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case !seated(ch.Joined, c.Person):
			return ErrNotJoined
		case c.Person.ID == ch.Challenger.ID:
			ch.State = storage.ChallengeCancelled
		default:
			ch.Joined = without(ch.Joined, c.Person)
		}
		return nil
	})
	return ch, err
}

// Start starts the match of those who have joined, without those who have not;
// only the challenger may. It is refused with ErrNoChallenge, ErrNotStarter,
// ErrTooFew, ErrAnswered, or an *engine.OptionError.
func (h *Host) Start(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, *View, error) {
	return h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case c.Person.ID != ch.Challenger.ID:
			return ErrNotStarter
		case !h.CanStart(*ch):
			return ErrTooFew
		}
		ch.State = storage.ChallengeAccepted
		return nil
	})
}

// Fill gives a free seat to a computer; only the challenger may. The last seat
// starts the match as Accept does. It is refused with ErrNoChallenge,
// ErrNotChallenger, ErrFull, ErrAnswered, ErrNoComputer or ErrNoLevel.
func (h *Host) Fill(ctx context.Context, c Cause, id storage.ChallengeID, computer storage.Person) (storage.Challenge, *View, error) {
	return h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch _, err := h.level(ch.Game, computer.Level); {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case c.Person.ID != ch.Challenger.ID:
			return ErrNotChallenger
		case err != nil:
			return err
		case Free(*ch) == 0:
			return ErrFull
		}
		sit(ch, computer)
		return nil
	})
}

// Clear gives up the seat of the computer that came last; only the challenger
// may. It is refused with ErrNoChallenge, ErrNotChallenger, ErrNoneToRemove or
// ErrAnswered.
func (h *Host) Clear(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case c.Person.ID != ch.Challenger.ID:
			return ErrNotChallenger
		}
		for i, p := range slices.Backward(ch.Joined) {
			if IsComputer(p) {
				ch.Joined = slices.Delete(slices.Clone(ch.Joined), i, i+1)
				return nil
			}
		}
		return ErrNoneToRemove
	})
	return ch, err
}

// Decline gives up the seat that is kept for a person, which anybody can take
// then. Where two were to play, it turns the challenge down. It is refused with
// ErrNoChallenge, ErrNotForYou or ErrAnswered.
func (h *Host) Decline(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case !seated(ch.Invited, c.Person):
			return ErrNotForYou
		case Lobby(*ch):
			ch.Invited = without(ch.Invited, c.Person)
		default:
			ch.State = storage.ChallengeDeclined
		}
		return nil
	})
	return ch, err
}

// Cancel withdraws a challenge; only the challenger may. It is refused with
// ErrNoChallenge, ErrNotYours or ErrAnswered.
func (h *Host) Cancel(ctx context.Context, c Cause, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.answer(ctx, c, id, func(ch *storage.Challenge) error {
		switch {
		case ch.State != storage.ChallengeOpen:
			return ErrAnswered
		case c.Person.ID != ch.Challenger.ID:
			return ErrNotYours
		}
		ch.State = storage.ChallengeCancelled
		return nil
	})
	return ch, err
}

// answer is every use case that changes a challenge. decide changes a copy of
// it: who has joined and who is invited, and its state; accepted starts the
// match. It is refused with ErrExpired whatever is asked for, once the time of
// the challenge is over. The view is the match that has come of it, nil while there is none.
func (h *Host) answer(ctx context.Context, c Cause, id storage.ChallengeID, decide func(*storage.Challenge) error) (ch storage.Challenge, v *View, err error) {
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.ProcessedInteraction) error {
		if ch, err = challenge(tx, id); err != nil {
			return err
		}
		if done == nil {
			before, after := ch, ch
			if expired(before, h.now()) {
				return &Refusal{Err: ErrExpired, Challenge: &before}
			}
			if err := decide(&after); err != nil {
				return &Refusal{Err: err, Challenge: &before}
			}
			if err := h.put(tx, c, before, after); err != nil {
				return err
			}
			if ch, err = tx.Challenge(id); err != nil {
				return err
			}
		}
		v = nil
		if ch.Match != 0 {
			v, err = h.view(tx, ch.Match)
		}
		if v != nil {
			v.Repeated = done != nil
		}
		return err
	})
	return ch, v, err
}

// put stores what has become of a challenge.
func (h *Host) put(tx storage.Tx, c Cause, before, after storage.Challenge) (err error) {
	if !slices.Equal(before.Joined, after.Joined) || !slices.Equal(before.Invited, after.Invited) {
		for _, p := range persons(after.Joined) {
			if !seated(before.Joined, p) {
				if err := h.maySit(tx, before, p); err != nil {
					return err
				}
				if err := h.mayPlay(tx, p); err != nil {
					return err
				}
			}
		}
		if err := tx.SetChallengePlayers(after.ID, before.Revision, after.Joined, after.Invited); err != nil {
			return err
		}
	}
	at := h.now()
	var match storage.MatchID
	if after.State == storage.ChallengeAccepted {
		if match, err = h.start(tx, after); err != nil {
			return err
		}
	}
	if after.State != storage.ChallengeOpen {
		if err := tx.ResolveChallenge(after.ID, after.State, match, at); err != nil {
			return err
		}
	}
	return tx.MarkProcessed(storage.ProcessedInteraction{Interaction: c.Interaction, At: at, Match: match, Challenge: after.ID})
}

// seated reports whether a person is among people.
func seated(people []storage.Person, p storage.Person) bool {
	return slices.ContainsFunc(people, func(q storage.Person) bool { return q.ID == p.ID })
}

// without is people but one.
func without(people []storage.Person, p storage.Person) []storage.Person {
	return slices.DeleteFunc(slices.Clone(people), func(q storage.Person) bool { return q.ID == p.ID })
}
