package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Who moves first, from the challenger's point of view.
const (
	FirstMe     = "me"
	FirstThem   = "them"
	FirstRandom = "random"
)

// FirstChoices returns the choices for who moves first, the default first.
func FirstChoices() []string { return []string{FirstRandom, FirstMe, FirstThem} }

// Proposal describes the match that a challenge proposes.
type Proposal struct {
	Place storage.Place
	// Opponents lists the invited people, for whom a seat is kept, and
	// computers, who take theirs at once.
	Opponents []storage.Person
	// Seats is the number of players. 0 means the challenger and the opponents,
	// or without opponents as many as the game takes; the challenger then
	// starts the match when enough have joined.
	Seats   int
	Game    string
	Options map[string]string // the chosen ones
	Unrated bool
	Clock   string // see match.ParseClock
	First   string // FirstRandom if empty; must be FirstRandom for three or more
	Thread  bool   // play in a thread on the message of the challenge, if possible
	// forOthers is set by StartFor: the match begins at once, without the challenger.
	forOthers bool
}

// CreateChallenge proposes a match to people, who take their seats by Accept or
// Join. The match begins at once if all opponents are computers. It fails with
// ErrUnknownGame, ErrSelfChallenge, ErrDuplicatePlayer, ErrTooManyPlayers,
// ErrInvalidFirst, ErrNoClock, ErrNoComputer, ErrUnknownLevel, an
// *engine.OptionError, an *engine.SeatsError or a *LimitError.
func (h *Host) CreateChallenge(ctx context.Context, a Actor, p Proposal) (ch storage.Challenge, err error) {
	game, ok := h.games.Lookup(p.Game)
	if !ok {
		return ch, &Refusal{Err: ErrUnknownGame}
	}
	if p.First == "" {
		p.First = FirstRandom
	}
	if p.Seats == 0 {
		p.Seats = len(p.Opponents) + 1
		if len(p.Opponents) == 0 {
			_, p.Seats = game.Seats()
		}
	}
	options, err := h.checkProposal(p, game, a.Person)
	if err != nil {
		return ch, &Refusal{Err: err}
	}
	var v *View
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if processed != nil {
			v = nil // of an earlier run
			ch, err = tx.Challenge(processed.Challenge)
			return err
		}
		ch, v, err = h.insertChallenge(tx, a, p, options)
		return err
	})
	_, err = h.remember(v, err)
	return ch, err
}

func (h *Host) checkProposal(p Proposal, game engine.Game, challenger storage.Person) (options engine.Options, err error) {
	if !slices.Contains(FirstChoices(), p.First) || p.Seats > 2 && p.First != FirstRandom {
		return options, ErrInvalidFirst
	}
	if _, err := match.ParseClock(p.Clock); err != nil {
		return options, ErrNoClock
	}
	for i, o := range p.Opponents {
		switch {
		case IsComputer(o):
		case o.ID == challenger.ID:
			return options, ErrSelfChallenge
		case contains(p.Opponents[:i], o):
			return options, ErrDuplicatePlayer
		}
	}
	if err := engine.CheckSeats(game, p.Seats); err != nil {
		return options, err
	}
	if len(p.Opponents) >= p.Seats {
		return options, ErrTooManyPlayers
	}
	for _, c := range computers(p.Opponents) {
		if err := h.checkLevel(p.Game, c.Level); err != nil {
			return options, err
		}
	}
	if options, err = game.Options().Options(p.Options); err != nil {
		return options, err
	}
	_, err = game.New(options, p.Seats)
	return options, err
}

// insertChallenge inserts the challenge of a checked proposal. If all seats are
// taken, it starts the match and returns its view. It fails with a *LimitError.
func (h *Host) insertChallenge(tx storage.Tx, a Actor, p Proposal, options engine.Options) (ch storage.Challenge, v *View, err error) {
	at := h.Now()
	if err := h.checkLimits(tx, a.Person, p.Place.Guild, at); err != nil {
		return ch, nil, err
	}
	if blocked, err := blockAmong(tx, a.Person, p.Opponents); err != nil || blocked {
		return ch, nil, cmp.Or(err, error(&Refusal{Err: ErrCannotChallenge}))
	}
	if !p.forOthers {
		if err := h.checkRunning(tx, a.Person); err != nil {
			return ch, nil, err
		}
	}
	joined, invited := append([]storage.Person{a.Person}, computers(p.Opponents)...), people(p.Opponents)
	if p.forOthers {
		joined, invited = p.Opponents, nil
		for i, o := range p.Opponents {
			if blocked, err := blockAmong(tx, o, p.Opponents[i+1:]); err != nil || blocked {
				return ch, nil, cmp.Or(err, error(&Refusal{Err: ErrCannotJoin}))
			}
		}
	}
	id, err := tx.InsertChallenge(storage.Challenge{
		Place: p.Place, Challenger: a.Person,
		Seats: p.Seats, Joined: joined, Invited: invited,
		Game: p.Game, Options: options.String(), Unrated: p.Unrated || !options.Standard(), Clock: p.Clock, First: p.First, Seed: h.seed(),
		State: storage.ChallengeOpen, CreatedAt: at, ExpiresAt: expiry(at, p.Clock),
	})
	if err != nil {
		return ch, nil, err
	}
	if p.Thread {
		if err := tx.SetThread(id, storage.ThreadWanted); err != nil {
			return ch, nil, err
		}
	}
	if ch, err = tx.Challenge(id); err != nil {
		return ch, nil, err
	}
	processed := storage.ProcessedInteraction{Interaction: a.Interaction, At: at, Challenge: id}
	if len(ch.Joined) == ch.Seats {
		if err := h.checkRunning(tx, ch.Joined...); err != nil {
			return ch, nil, err
		}
		if v, err = h.start(tx, a, ch); err != nil {
			return ch, nil, err
		}
		processed.Match = v.Record.ID
		if err := tx.ResolveChallenge(id, storage.ChallengeAccepted, processed.Match, at); err != nil {
			return ch, nil, err
		}
		// Only a thread needs the message of the challenge, and players who did not ask
		// for the match: otherwise the board says everything.
		if !p.Thread && !p.forOthers {
			if err := tx.MarkChallengeShown(id, "", ch.Revision+1); err != nil {
				return ch, nil, err
			}
		}
	}
	if err := tx.MarkProcessed(processed); err != nil {
		return ch, nil, err
	}
	ch, err = tx.Challenge(id)
	return ch, v, err
}

// StartedImmediately reports whether the match of a challenge began when that was created:
// it is for two against the computer, or an organiser has started it.
func StartedImmediately(ch storage.Challenge) bool {
	return ch.Seats == 2 && IsSolo(ch.Joined) || StartedForOthers(ch)
}

// StartedForOthers reports whether an organiser has started the match of a challenge for
// others.
func StartedForOthers(ch storage.Challenge) bool {
	return ch.State == storage.ChallengeAccepted && !contains(ch.Joined, ch.Challenger)
}

// Waiting returns the people who do not move first in a match for two that an organiser
// has started. No board has notified them.
func Waiting(ch storage.Challenge) []storage.Person {
	if ch.Seats != 2 {
		return nil
	}
	return people(seatOrder(ch)[1:])
}

// IsSolo reports whether all players but one are computers.
func IsSolo(players []storage.Person) bool {
	return len(players) > 1 && len(people(players)) == 1
}

// FindChallenge returns a challenge. It fails with ErrNoChallenge.
func (h *Host) FindChallenge(ctx context.Context, id storage.ChallengeID) (storage.Challenge, error) {
	return Read(ctx, h, func(r storage.Reader) (storage.Challenge, error) { return challenge(r, id) })
}

func challenge(r storage.ChallengeReader, id storage.ChallengeID) (storage.Challenge, error) {
	ch, err := r.Challenge(id)
	if errors.Is(err, storage.ErrNotFound) {
		err = &Refusal{Err: ErrNoChallenge}
	}
	return ch, err
}

// ChallengeSetup returns the rules under which the match of a challenge starts,
// its options and its first position. The rules are the newest version that
// accepts the options: a challenge or a rematch may have options that a later
// version no longer has.
func (h *Host) ChallengeSetup(ch storage.Challenge) (engine.Game, engine.Options, engine.Position, error) {
	newest, ok := h.games.Lookup(ch.Game)
	if !ok {
		return nil, engine.Options{}, nil, fmt.Errorf("challenge %d: %w: %s", ch.ID, ErrUnknownGame, ch.Game)
	}
	var refused error
	for _, game := range slices.Backward(engine.Versions(newest)) {
		options, err := game.Options().Parse(ch.Options)
		if err == nil {
			var start engine.Position
			if start, err = game.New(options, ch.Seats); err == nil {
				return game, options, start, nil
			}
		}
		if refused == nil {
			refused = err
		}
	}
	return nil, engine.Options{}, nil, fmt.Errorf("challenge %d: %w", ch.ID, refused)
}

// start starts the match of those who have joined, with its first board. It
// fails with the error of the game if it cannot be played by so many.
func (h *Host) start(tx storage.Tx, a Actor, ch storage.Challenge) (*View, error) {
	game, options, _, err := h.ChallengeSetup(ch)
	if err != nil {
		return nil, err
	}
	settings := match.Settings{Game: ch.Game, Version: game.Version(), Options: options, Seats: len(ch.Joined)}
	if settings.Clock, err = match.ParseClock(ch.Clock); err != nil {
		return nil, fmt.Errorf("starting the match of challenge %d: %w", ch.ID, err)
	}
	m, err := match.Start(game, settings)
	if err != nil {
		var invalid *engine.OptionError
		if errors.As(err, &invalid) {
			return nil, &Refusal{Err: invalid, Challenge: &ch}
		}
		return nil, fmt.Errorf("starting the match of challenge %d: %w", ch.ID, err)
	}
	seats := seatOrder(ch)
	if err := pickEvenLevel(tx, h.engines[ch.Game], seats, a.Computer); err != nil {
		return nil, err
	}
	now := h.Now()
	v := &View{Game: game, Match: m, ReadAt: now, Record: storage.Match{
		Challenge: ch.ID, Place: ch.Place, Game: ch.Game, RulesVersion: settings.Version,
		Options: options.String(), Seed: ch.Seed, Seats: seats, Unrated: ch.Unrated, Clock: ch.Clock, CreatedAt: now, ShownSeq: -1, NewAccounts: newAccounts(seats, now),
	}}
	for _, p := range v.Record.Seats {
		away, err := tx.Vacations(p.ID, now)
		if err != nil {
			return nil, err
		}
		prefs, err := tx.Preferences(p.ID)
		if err != nil {
			return nil, err
		}
		departed, err := tx.Departure(ch.Place.Guild, p.ID)
		if err != nil {
			return nil, err
		}
		v.vacations, v.preferences, v.departures = append(v.vacations, away...), append(v.preferences, prefs), append(v.departures, departed)
	}
	if v.Timed() {
		if err := recordContact(tx, now); err != nil {
			return nil, err
		}
		if v.freezes, err = h.freezes(tx, ch.Place.Guild); err != nil {
			return nil, err
		}
	}
	if err := v.readOutages(tx); err != nil {
		return nil, err
	}
	v.schedule()
	v.Record.ComputerTurnSince = v.computerTurnSince()
	v.Record.Root = storage.Root(v.Record)
	v.Record.Head = v.Record.Root
	if v.Record.ID, err = tx.InsertMatch(v.Record); err != nil {
		return nil, err
	}
	if err := h.insertBoard(tx, v, storage.Board{Notify: shouldNotify(v.Record, m)}); err != nil {
		return nil, err
	}
	h.committed(v)
	return v, nil
}

// seatOrder returns the players who have joined, in the order of play.
func seatOrder(ch storage.Challenge) []storage.Person {
	var order []int
	switch ch.First {
	case FirstMe:
		order = []int{0, 1} // the challenger joined first
	case FirstThem:
		order = []int{1, 0}
	default:
		order = match.Shuffle(len(ch.Joined), ch.Seed)
	}
	seats := make([]storage.Person, len(order))
	for i, p := range order {
		seats[i] = ch.Joined[p]
	}
	return seats
}

// OwnChallenges returns the open challenges that a person has made, oldest first.
func (h *Host) OwnChallenges(ctx context.Context, person string) ([]storage.Challenge, error) {
	return Read(ctx, h, func(r storage.Reader) ([]storage.Challenge, error) { return h.ReadOwnChallenges(r, person) })
}

// ReadOwnChallenges does the same as OwnChallenges, in a transaction of the caller.
func (h *Host) ReadOwnChallenges(r storage.Reader, person string) ([]storage.Challenge, error) {
	all, err := r.OpenChallenges(person)
	return slices.DeleteFunc(all, func(ch storage.Challenge) bool { return ch.Challenger.ID != person || expired(ch, h.Now()) }), err
}

// WithdrawLost cancels an open challenge whose message has been deleted, because
// nobody can answer it. It does nothing if the challenge has another message.
func (h *Host) WithdrawLost(ctx context.Context, id storage.ChallengeID, message string) error {
	return h.Write(ctx, func(tx storage.Tx) error {
		ch, err := challenge(tx, id)
		if err != nil || ch.State != storage.ChallengeOpen || ch.Message != message {
			return err
		}
		return tx.ResolveChallenge(id, storage.ChallengeCancelled, 0, h.Now())
	})
}

// Rematch asks the players of a match for another one. Two players swap seats;
// the seats of more are drawn again. Only those who played can join, and
// computers join at once. If another player has asked already, Rematch joins,
// and returns the view of the new match once everybody has. It fails with
// ErrNoMatch, ErrNotSeated, ErrNotOver, ErrRematchPending, ErrRematchStarted or
// a *LimitError.
//
// If a computer is given, it takes the place of every computer that played.
func (h *Host) Rematch(ctx context.Context, a Actor, id storage.MatchID, place storage.Place, thread bool, computer ...storage.Person) (ch storage.Challenge, v *View, err error) {
	err = h.once(ctx, a, func(tx storage.Tx, processed *storage.ProcessedInteraction) error {
		if processed != nil {
			ch, v, err = h.repeatedChallenge(tx, processed.Challenge)
			return err
		}
		last, err := h.view(tx, id)
		if err != nil {
			return err
		}
		_, over := last.Match.Over()
		switch {
		case last.SeatOf(a.Person.ID) == engine.Nobody:
			return last.refuse(ErrNotSeated)
		case !over:
			return last.refuse(ErrNotOver)
		}
		asked, found, err := h.findRematch(tx, id)
		switch {
		case err != nil:
			return err
		case found && asked.Match != 0:
			next, err := h.view(tx, asked.Match)
			if err != nil {
				return err
			}
			return next.refuse(ErrRematchStarted)
		case found && contains(asked.Joined, a.Person):
			return &Refusal{Err: ErrRematchPending, Challenge: &asked}
		case found:
			after := asked
			takeSeat(&after, a.Person)
			ch, v, err = h.updateChallenge(tx, a, asked, after)
			return err
		}
		ch, v, err = h.insertRematch(tx, a, last, place, thread, computer...)
		return err
	})
	v, err = h.remember(v, err)
	return ch, v, err
}

// WantedThread reports whether a match was to be played in a thread of its own.
// It fails with ErrNoMatch.
func (h *Host) WantedThread(ctx context.Context, id storage.MatchID) (bool, error) {
	return Read(ctx, h, func(r storage.Reader) (bool, error) {
		rec, err := r.Match(id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return false, &Refusal{Err: ErrNoMatch}
		case err != nil || rec.Challenge == 0:
			return false, err
		}
		state, err := r.Thread(rec.Challenge)
		return state != storage.ThreadNone, err
	})
}

// findRematch returns the newest rematch of a match if it is open or accepted.
func (h *Host) findRematch(r storage.ChallengeReader, id storage.MatchID) (ch storage.Challenge, found bool, err error) {
	newest, err := r.RematchFor(id)
	if errors.Is(err, storage.ErrNotFound) {
		return ch, false, nil
	}
	if err != nil {
		return ch, false, err
	}
	ch, err = r.Challenge(newest)
	open := ch.State == storage.ChallengeOpen && !expired(ch, h.Now())
	return ch, err == nil && (open || ch.State == storage.ChallengeAccepted), err
}

func (h *Host) insertRematch(tx storage.Tx, a Actor, last *View, place storage.Place, thread bool, computer ...storage.Person) (ch storage.Challenge, v *View, err error) {
	options, err := last.Game.Options().Parse(last.Record.Options)
	if err != nil {
		return ch, nil, fmt.Errorf("the options of match %d: %w", last.Record.ID, err)
	}
	p := Proposal{
		Place: place, Game: last.Record.Game, Seats: len(last.Record.Seats), Unrated: last.Record.Unrated, Clock: last.Record.Clock, Thread: thread,
		Opponents: without(last.Record.Seats, a.Person), First: FirstRandom,
	}
	if err := setRematchComputers(tx, last.Record, p.Opponents, computer...); err != nil {
		return ch, nil, err
	}
	switch {
	case p.Seats > 2:
	case last.SeatOf(a.Person.ID) == 1:
		p.First = FirstThem
	default:
		p.First = FirstMe
	}
	if ch, v, err = h.insertChallenge(tx, a, p, options); err != nil {
		return ch, nil, err
	}
	return ch, v, tx.RecordRematch(ch.ID, last.Record.ID)
}

// blockAmong reports whether a person has blocked one of the others, or one of the others
// has blocked them, is banned from the bot or is a former player.
func blockAmong(r storage.Reader, p storage.Person, others []storage.Person) (blocked bool, err error) {
	others = people(others)
	if len(others) == 0 {
		return false, nil
	}
	banned, err := r.Banned()
	for _, o := range others {
		if err != nil || slices.Contains(banned, o.ID) || o.IsFormer() {
			return err == nil, err
		}
		if blocked, err = r.HasBlock(p.ID, o.ID); blocked {
			return true, err
		}
	}
	return false, err
}

// checkMaySit returns why a person who is not invited cannot take a seat: a
// rematch is for those who played.
func (h *Host) checkMaySit(r storage.Reader, ch storage.Challenge, p storage.Person) error {
	if contains(ch.Invited, p) {
		return nil
	}
	last, err := r.RematchOf(ch.ID)
	if err != nil || last == 0 {
		return err
	}
	rec, err := r.Match(last)
	if err == nil && !contains(rec.Seats, p) {
		err = &Refusal{Err: ErrDidNotPlay, Challenge: &ch}
	}
	return err
}

// IsRematch reports whether a challenge asks for a rematch.
func (h *Host) IsRematch(ctx context.Context, id storage.ChallengeID) (bool, error) {
	return Read(ctx, h, func(r storage.Reader) (bool, error) {
		last, err := r.RematchOf(id)
		return last != 0, err
	})
}

// Accept takes the seat that is kept for a person. When the last seat is taken,
// the match starts with a due board, and Accept returns its view. It fails with
// ErrNoChallenge, ErrExpired, ErrNotInvited or ErrAnswered.
func (h *Host) Accept(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, *View, error) {
	return h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		if !contains(ch.Invited, a.Person) {
			return ErrNotInvited
		}
		takeSeat(ch, a.Person)
		return nil
	})
}

// Decline frees the seat that is kept for a person. If two were to play, it
// declines the challenge. It fails with ErrNoChallenge, ErrExpired,
// ErrNotInvited or ErrAnswered.
func (h *Host) Decline(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		switch {
		case !contains(ch.Invited, a.Person):
			return ErrNotInvited
		case IsLobby(*ch):
			ch.Invited = without(ch.Invited, a.Person)
		default:
			ch.State = storage.ChallengeDeclined
		}
		return nil
	})
	return ch, err
}

// Cancel cancels a challenge; only the challenger may. It fails with
// ErrNoChallenge, ErrExpired, ErrNotYourChallenge or ErrAnswered.
func (h *Host) Cancel(ctx context.Context, a Actor, id storage.ChallengeID) (storage.Challenge, error) {
	ch, _, err := h.changeChallenge(ctx, a, id, func(ch *storage.Challenge) error {
		if a.Person.ID != ch.Challenger.ID {
			return ErrNotYourChallenge
		}
		ch.State = storage.ChallengeCancelled
		return nil
	})
	return ch, err
}
