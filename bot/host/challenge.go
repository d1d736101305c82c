package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Who moves first, as the challenger says it.
const (
	FirstMe     = "me"
	FirstThem   = "them"
	FirstRandom = "random"
)

// Firsts is every way to say who moves first, the default at the front.
func Firsts() []string { return []string{FirstRandom, FirstMe, FirstThem} }

// Offer is what a challenge proposes.
type Offer struct {
	Place    storage.Place
	Opponent storage.Person
	Game     string
	Options  map[string]string // those that were chosen
	First    string            // FirstRandom where empty
}

// Challenge offers a match to a person. It is refused with ErrUnknownGame,
// ErrOneself, ErrWrongFirst, an *engine.OptionError or an *engine.SeatsError.
func (h *Host) Challenge(ctx context.Context, c Cause, o Offer) (ch storage.Challenge, err error) {
	game, ok := h.games.Lookup(o.Game)
	if !ok {
		return ch, &Refusal{Err: ErrUnknownGame}
	}
	if o.First == "" {
		o.First = FirstRandom
	}
	if !slices.Contains(Firsts(), o.First) {
		return ch, &Refusal{Err: ErrWrongFirst}
	}
	if o.Opponent.ID == c.Person.ID {
		return ch, &Refusal{Err: ErrOneself}
	}
	options, err := game.Options().Options(o.Options)
	if err != nil {
		return ch, &Refusal{Err: err}
	}
	if _, err := game.New(options, 2); err != nil {
		return ch, &Refusal{Err: err}
	}
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.Applied) error {
		if done != nil {
			ch, err = tx.Challenge(done.Challenge)
			return err
		}
		at := h.now()
		id, err := tx.InsertChallenge(storage.Challenge{
			Place: o.Place, Challenger: c.Person, Opponent: o.Opponent,
			Game: o.Game, Options: options.String(), First: o.First, Seed: h.seed(),
			State: storage.ChallengeOpen, CreatedAt: at,
		})
		if err != nil {
			return err
		}
		if err := tx.Apply(storage.Applied{Interaction: c.Interaction, At: at, Challenge: id}); err != nil {
			return err
		}
		ch, err = tx.Challenge(id)
		return err
	})
	return ch, err
}

// FindChallenge is a challenge as it stands. It fails with ErrNoChallenge.
func (h *Host) FindChallenge(ctx context.Context, id storage.ChallengeID) (ch storage.Challenge, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		ch, err = challenge(r, id)
		return err
	})
	return ch, err
}

func challenge(r storage.Reader, id storage.ChallengeID) (storage.Challenge, error) {
	ch, err := r.Challenge(id)
	if errors.Is(err, storage.ErrNotFound) {
		err = &Refusal{Err: ErrNoChallenge}
	}
	return ch, err
}

// Setting is the game of a challenge and the position it starts from.
func (h *Host) Setting(ch storage.Challenge) (engine.Game, engine.Options, engine.Position, error) {
	game, ok := h.games.Lookup(ch.Game)
	if !ok {
		return nil, engine.Options{}, nil, fmt.Errorf("challenge %d: %w: %s", ch.ID, ErrUnknownGame, ch.Game)
	}
	options, err := game.Options().Parse(ch.Options)
	if err != nil {
		return nil, engine.Options{}, nil, fmt.Errorf("challenge %d: %w", ch.ID, err)
	}
	start, err := game.New(options, 2)
	if err != nil {
		return nil, engine.Options{}, nil, fmt.Errorf("challenge %d: %w", ch.ID, err)
	}
	return game, options, start, nil
}

// Accept starts the match that a challenge offers, and makes its first board
// due. It is refused with ErrNoChallenge, ErrNotForYou or ErrAnswered.
func (h *Host) Accept(ctx context.Context, c Cause, id storage.ChallengeID) (ch storage.Challenge, v *View, err error) {
	err = h.answer(ctx, c, id, storage.ChallengeAccepted, &ch, func(tx storage.Tx, open storage.Challenge) (storage.MatchID, error) {
		game, options, _, err := h.Setting(open)
		if err != nil {
			return 0, err
		}
		return h.start(tx, open, game, options)
	})
	if err != nil {
		return ch, nil, err
	}
	v, err = h.Match(ctx, ch.Match)
	return ch, v, err
}

// start adds the match of a challenge with its first board.
func (h *Host) start(tx storage.Tx, ch storage.Challenge, game engine.Game, options engine.Options) (storage.MatchID, error) {
	people := []storage.Person{ch.Challenger, ch.Opponent}
	order := []int{0, 1}
	switch ch.First {
	case FirstThem:
		order = []int{1, 0}
	case FirstRandom:
		order = match.Order(len(people), ch.Seed)
	}
	seats := make([]storage.Person, len(order))
	for i, p := range order {
		seats[i] = people[p]
	}
	settings := match.Settings{Game: ch.Game, Rules: game.Rules(), Options: options, Seats: len(seats)}
	if _, err := match.Start(game, settings); err != nil {
		return 0, fmt.Errorf("starting the match of challenge %d: %w", ch.ID, err)
	}
	id, err := tx.InsertMatch(storage.Match{
		Challenge: ch.ID, Place: ch.Place, Game: ch.Game, Rules: settings.Rules,
		Options: options.String(), Seed: ch.Seed, Seats: seats, CreatedAt: h.now(),
	})
	if err != nil {
		return 0, err
	}
	_, err = tx.InsertBoard(storage.Board{Match: id, Place: ch.Place, Notify: true})
	return id, err
}

// Decline turns a challenge down; only the opponent may. It is refused as
// Accept is.
func (h *Host) Decline(ctx context.Context, c Cause, id storage.ChallengeID) (ch storage.Challenge, err error) {
	err = h.answer(ctx, c, id, storage.ChallengeDeclined, &ch, nil)
	return ch, err
}

// Cancel withdraws a challenge; only the challenger may. It is refused with
// ErrNoChallenge, ErrNotYours or ErrAnswered.
func (h *Host) Cancel(ctx context.Context, c Cause, id storage.ChallengeID) (ch storage.Challenge, err error) {
	err = h.answer(ctx, c, id, storage.ChallengeCancelled, &ch, nil)
	return ch, err
}

// answer takes a challenge from open to another state.
func (h *Host) answer(ctx context.Context, c Cause, id storage.ChallengeID, state storage.ChallengeState,
	ch *storage.Challenge, start func(storage.Tx, storage.Challenge) (storage.MatchID, error),
) error {
	return h.once(ctx, c, func(tx storage.Tx, done *storage.Applied) (err error) {
		if *ch, err = challenge(tx, id); err != nil || done != nil {
			return err
		}
		open := *ch
		refuse := func(err error) error { return &Refusal{Err: err, Challenge: &open} }
		switch {
		case state == storage.ChallengeCancelled && c.Person.ID != open.Challenger.ID:
			return refuse(ErrNotYours)
		case state != storage.ChallengeCancelled && c.Person.ID != open.Opponent.ID:
			return refuse(ErrNotForYou)
		case open.State != storage.ChallengeOpen:
			return refuse(ErrAnswered)
		}
		var id storage.MatchID
		if start != nil {
			if id, err = start(tx, open); err != nil {
				return err
			}
		}
		at := h.now()
		if err := tx.AnswerChallenge(open.ID, state, id, at); err != nil {
			return err
		}
		if err := tx.Apply(storage.Applied{Interaction: c.Interaction, At: at, Match: id, Challenge: open.ID}); err != nil {
			return err
		}
		*ch, err = tx.Challenge(open.ID)
		return err
	})
}
