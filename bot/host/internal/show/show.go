// Package show takes leases to show matches and challenges, and deals with what
// Discord got under a lease that was lost.
package show

import (
	"context"
	"errors"
	"slices"
	"time"

	"castellan/bot/host/internal/boards"
	"castellan/storage"
)

// LeaseTime is how long a process has the right to show a match or challenge before
// others take over.
const LeaseTime = 20 * time.Second

// A process that finds a lease held by another one tries again every leasePause. It
// takes the lease over after leasePatience, because a person is waiting.
const (
	leasePause    = 50 * time.Millisecond
	leasePatience = time.Second
)

// claimTime is the timeout of a claim. The end of the caller's context does not
// interrupt a claim that has begun: the database may already have granted leases, and
// nobody would give them back.
const claimTime = LeaseTime / 2

// Claim claims due posts.
func Claim(ctx context.Context, store storage.Shower, now time.Time, limit int) (storage.ClaimedPosts, error) {
	if err := ctx.Err(); err != nil {
		return storage.ClaimedPosts{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
	defer cancel()
	return store.ClaimPosts(ctx, now, limit, LeaseTime)
}

// Take takes the lease to show something. It waits a moment for another process that
// has it.
func Take(ctx context.Context, store storage.Shower, what storage.ShowLease) (storage.ShowLease, error) {
	for waited := time.Duration(0); ; waited += leasePause {
		if err := ctx.Err(); err != nil {
			return storage.ShowLease{}, err
		}
		claiming, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTime)
		l, err := store.ClaimShow(claiming, what, LeaseTime, waited >= leasePatience)
		cancel()
		if !errors.Is(err, storage.ErrHeld) {
			return l, err
		}
		select {
		case <-time.After(leasePause):
		case <-ctx.Done():
			return l, err
		}
	}
}

// LatePost records a message in which a board was shown under a lost lease, by a post
// or by an edit. known holds the boards as they were before. The message becomes that of
// its board or, if the board has another one, is collapsed. It is never forgotten.
func LatePost(tx storage.Tx, known []storage.Board, id storage.BoardID, message string, at time.Time) error {
	now, err := tx.Board(id)
	if err != nil || message == "" {
		return err
	}
	was := boards.Find(known, func(b storage.Board) bool { return b.ID == id })
	edited := boards.Find(known, func(b storage.Board) bool { return b.Message == message })
	if now.Message == message && edited.ID == 0 {
		return nil
	}
	if edited.ID == 0 && now.Message == "" && now.Place == was.Place {
		if err := tx.MarkBoardPosted(id, message); err != nil {
			return err
		}
	}
	was.Message, was.NextAttempt = message, at
	return tx.EditAgain(was)
}

// LateEdits has the messages edited again that may have been spoilt by edits under a
// lost lease. A board that was collapsed is spoilt if it has become the current one
// since, and one that was drawn again if it has not.
func LateEdits(tx storage.Tx, match storage.MatchID, known []storage.Board, ids []storage.BoardID, at time.Time) error {
	now, err := tx.Boards(match)
	if err != nil {
		return err
	}
	for _, b := range known {
		current := boards.Find(now, func(o storage.Board) bool { return o.Message == b.Message && o.State == storage.BoardPosted })
		if b.Message != "" && slices.Contains(ids, b.ID) && (b.Outdated || current.ID != 0) {
			b.NextAttempt = at
			if err := tx.EditAgain(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// Challenge records that a message shows a revision of a challenge, and releases the
// lease. If that was lost, it has the message edited again, because a newer revision
// may have been shown before, and returns storage.ErrFenced as fenced.
func Challenge(tx storage.Tx, l storage.ShowLease, id storage.ChallengeID, message string, revision int) (fenced, err error) {
	fenced = tx.CheckShowLease(l, true)
	switch {
	case fenced == nil:
		return nil, tx.MarkChallengeShown(id, message, revision)
	case !errors.Is(fenced, storage.ErrFenced):
		return nil, fenced
	}
	ch, err := tx.Challenge(id)
	if err == nil && ch.Message == "" {
		err = tx.MarkChallengeShown(id, message, revision)
	}
	if err == nil {
		err = tx.ReviseChallenge(id)
	}
	return fenced, err
}

// MoveWithBoard moves a match and its due board to another place.
func MoveWithBoard(tx storage.Tx, id storage.MatchID, from, to storage.Place) error {
	if err := tx.MoveMatch(id, from, to); err != nil {
		return err
	}
	return tx.MoveDueBoard(id, to)
}

// ThreadOf returns the place of the thread on the message of a challenge.
func ThreadOf(ch storage.Challenge) storage.Place {
	return storage.Place{Guild: ch.Place.Guild, Channel: ch.Message}
}

// ReviseThreadChallenge has the message of a challenge show the result of its
// match if that was played in a thread: the channel does not see the last
// board.
func ReviseThreadChallenge(tx storage.Tx, rec storage.Match) error {
	if rec.Challenge == 0 {
		return nil
	}
	if state, err := tx.Thread(rec.Challenge); err != nil || state != storage.ThreadCreated {
		return err
	}
	return tx.ReviseChallenge(rec.Challenge)
}
