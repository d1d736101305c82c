// Package stored converts matches between the records of the store and
// engine/match.
package stored

import (
	"errors"
	"fmt"
	"slices"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// ErrUnknownGame reports that a game is not registered.
var ErrUnknownGame = errors.New("there is no such game")

// Replay rebuilds a match from its whole log. It fails with a
// *storage.AlteredError if the match was changed outside of Castellan.
func Replay(games *engine.Registry, rec storage.Match, log []storage.Entry) (*match.Match, error) {
	if err := storage.CheckLog(rec, log); err != nil {
		return nil, err
	}
	game, ok := games.Lookup(rec.Game)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownGame, rec.Game)
	}
	game, err := engine.AtVersion(game, rec.RulesVersion)
	if err != nil {
		return nil, err
	}
	options, err := game.Options().Parse(rec.Options)
	if err != nil {
		return nil, err
	}
	clock, err := match.ParseClock(rec.Clock)
	if err != nil {
		return nil, err
	}
	return match.Replay(game, match.Settings{
		Game: rec.Game, Version: rec.RulesVersion, Options: options, Seats: len(rec.Seats), Clock: clock,
	}, Entries(log))
}

// Entries returns stored entries as those of a match.
func Entries(stored []storage.Entry) []match.Entry {
	out := make([]match.Entry, len(stored))
	for i, e := range stored {
		out[i] = match.Entry{
			Seq: e.Seq, Kind: match.Kind(e.Kind), Seat: engine.Seat(e.Seat),
			Text: e.Text, At: e.At, Interaction: e.Interaction,
		}
	}
	return out
}

// Records returns entries of a match as they are stored.
func Records(entries []match.Entry) []storage.Entry {
	out := make([]storage.Entry, len(entries))
	for i, e := range entries {
		out[i] = storage.Entry{
			Seq: e.Seq, Kind: string(e.Kind), Seat: int(e.Seat),
			Text: e.Text, At: e.At, Interaction: e.Interaction,
		}
	}
	return out
}

// Setup returns the rules under which the match of a challenge starts, its options
// and its first position. The rules are the newest version that accepts the
// options.
func Setup(games *engine.Registry, ch storage.Challenge) (engine.Game, engine.Options, engine.Position, error) {
	newest, ok := games.Lookup(ch.Game)
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

// Who moves first, from the challenger's point of view, unless it is drawn.
const (
	FirstMe   = "me"
	FirstThem = "them"
)

// SeatOrder returns the players who have joined, in the order of play.
func SeatOrder(ch storage.Challenge) []storage.Person {
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
