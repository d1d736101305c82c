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
	Place storage.Place
	// Opponents is who is named: a seat is kept for each. Computers take theirs
	// at once.
	Opponents []storage.Person
	// Seats is how many are to play. 0 means the challenger and whom they
	// name; where they name nobody, as many as the game takes, for then it is
	// the challenger who says when enough have come.
	Seats   int
	Game    string
	Options map[string]string // those that were chosen
	Unrated bool              // the match is to leave the ratings as they are
	First   string            // FirstRandom where empty; of use for two seats only
	// Thread is whether the match is to live in a thread on the message of the
	// challenge, where the bot may make one.
	Thread bool
}

// Challenge offers a match to people, who take their seats by Accept or Join.
// Where computers take all seats but the challenger's the match begins at once.
// It is refused with ErrUnknownGame, ErrOneself, ErrTwice, ErrTooMany,
// ErrWrongFirst, ErrNoComputer, ErrNoLevel, an *engine.OptionError, an
// *engine.SeatsError or a *LimitError.
func (h *Host) Challenge(ctx context.Context, c Cause, o Offer) (ch storage.Challenge, err error) {
	game, ok := h.games.Lookup(o.Game)
	if !ok {
		return ch, &Refusal{Err: ErrUnknownGame}
	}
	if o.First == "" {
		o.First = FirstRandom
	}
	if o.Seats == 0 {
		o.Seats = len(o.Opponents) + 1
		if len(o.Opponents) == 0 {
			_, o.Seats = game.Seats()
		}
	}
	if err := o.check(game, c.Person); err != nil {
		return ch, &Refusal{Err: err}
	}
	for _, p := range computers(o.Opponents) {
		if _, err := h.level(o.Game, p.Level); err != nil {
			return ch, &Refusal{Err: err}
		}
	}
	options, err := game.Options().Options(o.Options)
	if err != nil {
		return ch, &Refusal{Err: err}
	}
	if _, err := game.New(options, o.Seats); err != nil {
		return ch, &Refusal{Err: err}
	}
	err = h.once(ctx, c, func(tx storage.Tx, done *storage.Applied) error {
		if done != nil {
			ch, err = tx.Challenge(done.Challenge)
			return err
		}
		ch, err = h.insertChallenge(tx, c, o, options)
		return err
	})
	return ch, err
}

// insertChallenge adds the challenge of an offer that is in order, with its
// match where nobody has to be waited for. It is refused with a *LimitError.
func (h *Host) insertChallenge(tx storage.Tx, c Cause, o Offer, options engine.Options) (ch storage.Challenge, err error) {
	at := h.now()
	if err := h.mayOffer(tx, c.Person, o.Place.Channel, at); err != nil {
		return ch, err
	}
	id, err := tx.InsertChallenge(storage.Challenge{
		Place: o.Place, Challenger: c.Person,
		Seats: o.Seats, Joined: append([]storage.Person{c.Person}, computers(o.Opponents)...), Invited: persons(o.Opponents),
		Game: o.Game, Options: options.String(), Unrated: o.Unrated, First: o.First, Seed: h.seed(),
		State: storage.ChallengeOpen, CreatedAt: at, ExpiresAt: expiry(at),
	})
	if err != nil {
		return ch, err
	}
	if o.Thread {
		if err := tx.SetThread(id, storage.ThreadWanted); err != nil {
			return ch, err
		}
	}
	if ch, err = tx.Challenge(id); err != nil {
		return ch, err
	}
	var match storage.MatchID
	if len(ch.Joined) == ch.Seats {
		if match, err = h.start(tx, ch); err != nil {
			return ch, err
		}
		if err := tx.AnswerChallenge(id, storage.ChallengeAccepted, match, at); err != nil {
			return ch, err
		}
		if !o.Thread { // which needs a message; without one there is nothing to tell but the board
			if err := tx.ChallengeShown(id, "", ch.Revision+1); err != nil {
				return ch, err
			}
		}
	}
	if err := tx.Apply(storage.Applied{Interaction: c.Interaction, At: at, Match: match, Challenge: id}); err != nil {
		return ch, err
	}
	return tx.Challenge(id)
}

// BegunAtOnce reports whether the match of a challenge began when the challenge
// was made, as one for two does that names the computer.
func BegunAtOnce(ch storage.Challenge) bool {
	return ch.Seats == 2 && AgainstComputers(ch.Joined)
}

// AgainstComputers reports whether of those who play all but one are computers.
func AgainstComputers(people []storage.Person) bool {
	return len(people) > 1 && len(persons(people)) == 1
}

// check says what is wrong with an offer, apart from its options.
func (o Offer) check(game engine.Game, challenger storage.Person) error {
	// Who moves first of three and more is always drawn by lot.
	if !slices.Contains(Firsts(), o.First) || o.Seats > 2 && o.First != FirstRandom {
		return ErrWrongFirst
	}
	for i, p := range o.Opponents {
		switch {
		case IsComputer(p):
		case p.ID == challenger.ID:
			return ErrOneself
		case seated(o.Opponents[:i], p):
			return ErrTwice
		}
	}
	if err := engine.CheckSeats(game, o.Seats); err != nil {
		return err
	}
	if len(o.Opponents) >= o.Seats {
		return ErrTooMany
	}
	return nil
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
	start, err := game.New(options, ch.Seats)
	if err != nil {
		return nil, engine.Options{}, nil, fmt.Errorf("challenge %d: %w", ch.ID, err)
	}
	return game, options, start, nil
}

// start adds the match of those who have joined, with its first board. It is
// refused with the error of the game where it cannot be set up for so many, and
// with a *LimitError where one of them plays as many matches as they may.
func (h *Host) start(tx storage.Tx, ch storage.Challenge) (storage.MatchID, error) {
	game, options, _, err := h.Setting(ch)
	if err != nil {
		return 0, err
	}
	settings := match.Settings{Game: ch.Game, Version: game.Version(), Options: options, Seats: len(ch.Joined)}
	begun, err := match.Start(game, settings)
	if err != nil {
		var unfit *engine.OptionError
		if errors.As(err, &unfit) {
			return 0, &Refusal{Err: unfit, Challenge: &ch}
		}
		return 0, fmt.Errorf("starting the match of challenge %d: %w", ch.ID, err)
	}
	if err := h.mayPlay(tx, ch.Joined...); err != nil {
		return 0, err
	}
	rec := storage.Match{
		Challenge: ch.ID, Place: ch.Place, Game: ch.Game, Rules: settings.Version,
		Options: options.String(), Seed: ch.Seed, Seats: inOrder(ch), Unrated: ch.Unrated, CreatedAt: h.now(),
	}
	v := &View{Record: rec, Match: begun}
	rec.Deadline, rec.Thinking = v.deadline(), v.thinking()
	id, err := tx.InsertMatch(rec)
	if err != nil {
		return 0, err
	}
	rec.Shown = -1
	_, err = tx.InsertBoard(storage.Board{Match: id, Place: ch.Place, Notify: concerns(rec, begun), Next: h.now()})
	return id, err
}

// inOrder is those who have joined in the order of play.
func inOrder(ch storage.Challenge) []storage.Person {
	people := ch.Joined
	var order []int
	switch ch.First {
	case FirstMe:
		order = []int{0, 1} // the challenger has joined first
	case FirstThem:
		order = []int{1, 0}
	default:
		order = match.Shuffle(len(people), ch.Seed)
	}
	seats := make([]storage.Person, len(order))
	for i, p := range order {
		seats[i] = people[p]
	}
	return seats
}
