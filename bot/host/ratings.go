package host

import (
	"context"
	"fmt"

	"castellan/bot/host/internal/ratings"
	"castellan/bot/host/internal/show"
	"castellan/engine/match"
	"castellan/engine/rating"
	"castellan/storage"
)

// finish records the end of a match with its results and rating changes, and
// returns the record afterwards.
func (h *Host) finish(tx storage.Tx, id storage.MatchID, out match.Outcome) (rec storage.Match, err error) {
	if err := tx.EndMatch(id, string(out.Ending), out.At); err != nil {
		return rec, err
	}
	if err := tx.RecordResults(id, ratings.Results(out)); err != nil {
		return rec, err
	}
	if rec, err = tx.Match(id); err != nil {
		return rec, err
	}
	if err := show.ReviseThreadChallenge(tx, rec); err != nil {
		return rec, err
	}
	list := ratings.List(rec)
	current, err := tx.SeatRatings(id, list)
	if err != nil {
		return rec, err
	}
	met, err := tx.RatedMeetings(id, list, rec.EndedAt.Add(-rating.Repeat))
	if err != nil {
		return rec, err
	}
	changes := ratings.Changes(rec, rec.Results, h.levelRating, ratings.PastOf(current, met))
	if len(changes) == 0 {
		return rec, nil
	}
	return rec, tx.AddRatingChanges(changes)
}

// DistinctPlayers reports whether no player has two seats. Only a computer
// level can, and its rating cannot win and lose at once.
func DistinctPlayers(players []storage.Person) bool { return ratings.Distinct(players) }

// levelRating returns the rating of a computer's level, which matches do not
// change: its measured place on the ladder. A level that the game no longer has
// is rated like a new player.
func (h *Host) levelRating(game, key string) rating.Rating {
	r := rating.New()
	r.Deviation = rating.MinDeviation
	if l, err := h.level(game, key); err == nil {
		r.Mean = l.Rating
	}
	return r
}

// IsProvisional reports whether an estimate was provisional at the time of the
// match that it comes from.
func IsProvisional(e storage.Estimate) bool { return rating.Rating(e).IsProvisional() }

// FullMatches is how many rated matches of two people within seven days count in
// full; each further one counts half of the one before.
const FullMatches = rating.FullMatches

// Progress is called from time to time with how many of all matches are done.
type Progress = ratings.Progress

// RatingsReport is the result of recomputing all ratings.
type RatingsReport = ratings.Report

// CheckRatings recomputes all results and ratings from the logs and compares
// them with the stored ones. It changes nothing. It fails with ErrCannotReplay
// if a log cannot be replayed. It reads in many short transactions.
func (h *Host) CheckRatings(ctx context.Context, progress Progress) (RatingsReport, error) {
	within := func(part func(storage.Reader) error) error { return h.store.Report(ctx, part) }
	return ratings.Job{Within: within, Rate: h.rateAgain, Progress: progress}.Compare()
}

// RebuildRatings recomputes all results and ratings from the logs and stores
// them if they differ from the stored ones, all or nothing. It reports the
// differences that it found. It fails like CheckRatings.
func (h *Host) RebuildRatings(ctx context.Context, progress Progress) (report RatingsReport, err error) {
	err = h.Write(ctx, func(tx storage.Tx) error {
		within := func(part func(storage.Reader) error) error { return part(tx) }
		job := ratings.Job{Within: within, Rate: h.rateAgain, Progress: progress}
		if report, err = job.Compare(); err != nil || len(report.Differences) == 0 {
			return err
		}
		if err := tx.DeleteRatings(); err != nil {
			return err
		}
		return job.Store(tx)
	})
	return report, err
}

// rateAgain returns the results and rating changes of an ended match according to
// its log.
func (h *Host) rateAgain(r storage.Reader, rec storage.Match, past ratings.Past) (
	[]storage.SeatResult, []storage.RatingChange, error,
) {
	m, err := h.replayLog(r, rec)
	if err != nil {
		return nil, nil, err
	}
	out, over := m.Over()
	if !over {
		return nil, nil, fmt.Errorf("match %d: %w: it is recorded as ended, and its log goes on", rec.ID, ErrCannotReplay)
	}
	results := ratings.Results(out)
	return results, ratings.Changes(rec, results, h.levelRating, past), nil
}

// replayLog reads and replays the whole log of a match, without the cache.
func (h *Host) replayLog(r storage.Reader, rec storage.Match) (*match.Match, error) {
	entries, err := r.Entries(rec.ID)
	if err != nil {
		return nil, err
	}
	m, err := Replay(h.games, rec, entries)
	if err != nil {
		return nil, fmt.Errorf("match %d: %w: %w", rec.ID, ErrCannotReplay, err)
	}
	return m, nil
}
