package host

import (
	"context"
	"errors"

	"castellan/engine"
	"castellan/storage"
)

// Leaders is a page of a leaderboard.
type Leaders struct {
	Game  engine.Game
	List  storage.RatingList
	Guild string // empty for everybody
	Rows  []storage.LeaderboardRow
	// Own is the row of who asked, wherever it stands; nil where they have no
	// rating in it.
	Own *storage.LeaderboardRow
	// Page is from 1; Pages is at least 1. Total is the number of rows.
	Page, Pages, Total int
}

// Leaders is a page, from 1, of a list of a game's leaderboard of a server, or of
// everybody where guild is empty. A page beyond the end is the last one. It is
// refused with ErrUnknownGame.
func (h *Host) Leaders(ctx context.Context, person, game string, list storage.RatingList, guild string, page, size int) (l Leaders, err error) {
	g, ok := h.games.Lookup(game)
	if !ok {
		return l, &Refusal{Err: ErrUnknownGame}
	}
	board := storage.LeaderboardQuery{Game: game, List: list, Guild: guild, Now: h.now()}
	err = h.store.View(ctx, func(r storage.Reader) error {
		l = Leaders{Game: g, List: list, Guild: guild}
		_, total, err := r.Leaderboard(board, 0, 0)
		if err != nil {
			return err
		}
		var offset int
		l.Total = total
		l.Page, l.Pages, offset = turn(page, size, total)
		if l.Rows, _, err = r.Leaderboard(board, offset, size); err != nil {
			return err
		}
		own, err := r.LeaderboardRow(board, person)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		l.Own = &own
		return nil
	})
	return l, err
}

// turn is the page nearest to one that is asked for, how many there are, and
// where it begins.
func turn(page, size, total int) (at, pages, offset int) {
	pages = max(1, (total+size-1)/size)
	at = min(max(page, 1), pages)
	return at, pages, (at - 1) * size
}
