package host

import (
	"fmt"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

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
	}, matchEntries(log))
}

func matchEntries(stored []storage.Entry) []match.Entry {
	out := make([]match.Entry, len(stored))
	for i, e := range stored {
		out[i] = match.Entry{
			Seq: e.Seq, Kind: match.Kind(e.Kind), Seat: engine.Seat(e.Seat),
			Text: e.Text, At: e.At, Interaction: e.Interaction,
		}
	}
	return out
}

func storedEntries(entries []match.Entry) []storage.Entry {
	out := make([]storage.Entry, len(entries))
	for i, e := range entries {
		out[i] = storage.Entry{
			Seq: e.Seq, Kind: string(e.Kind), Seat: int(e.Seat),
			Text: e.Text, At: e.At, Interaction: e.Interaction,
		}
	}
	return out
}
