// Package verify compares the records of matches with their logs.
package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Report is the result of verifying every match of a store.
type Report struct {
	Matches int
	Ended   int // matches recorded as ended
	Entries int
	Faults  []Fault // by match
}

// Fault describes a match that does not agree with its log.
type Fault struct {
	Match   storage.MatchID
	Game    string
	Reasons []string // at least one; sentences without capital and full stop
}

// batch is how many matches are read at a time.
const batch = 100

// Matches replays every match of a store and compares the records with the logs.
// It changes nothing. It fails if the store cannot be read; a match that cannot
// be replayed is not an error but a fault.
//
// It reads in many short transactions, so that the write-ahead log of a running
// bot does not grow. Each match is compared with its records of one moment.
func Matches(ctx context.Context, store storage.Store, games *engine.Registry, progress host.Progress) (v Report, err error) {
	err = inParts(ctx, store, progress, func(r storage.Reader, rec storage.Match) error { return v.match(r, games, rec) })
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	return v, nil
}

// inParts calls visit for every match in order, with a transaction for each
// batch of them.
func inParts(ctx context.Context, store storage.Store, progress host.Progress, visit func(storage.Reader, storage.Match) error) error {
	var last storage.MatchID
	for n, done, total := batch, 0, 0; n == batch; {
		err := store.Report(ctx, func(r storage.Reader) error {
			records, err := r.MatchesAfter(last, batch)
			if err != nil {
				return err
			}
			if done == 0 {
				total, err = count(r)
			}
			for _, rec := range records {
				if err == nil {
					err = ctx.Err()
				}
				if err == nil {
					err = visit(r, rec)
				}
				last = rec.ID
			}
			n, done = len(records), done+len(records)
			return err
		})
		if err != nil {
			return err
		}
		progress.Report(done, total)
	}
	return nil
}

// count returns the number of matches.
func count(r storage.ClusterReader) (total int, err error) {
	all, err := r.Counts(time.Unix(0, 0)) // the time does not matter for matches
	for _, n := range all.Matches {
		total += n
	}
	return total, err
}

// Logs reads every log and reports the matches that were changed outside
// of Castellan.
func Logs(ctx context.Context, store storage.Store) (altered []*storage.AlteredError, err error) {
	err = inParts(ctx, store, nil, func(r storage.Reader, rec storage.Match) error {
		log, err := r.Entries(rec.ID)
		var a *storage.AlteredError
		if err == nil && errors.As(storage.CheckLog(rec, log), &a) {
			altered = append(altered, a)
		}
		return err
	})
	return altered, err
}

func (v *Report) match(r storage.Reader, games *engine.Registry, rec storage.Match) error {
	log, err := r.Entries(rec.ID)
	if err != nil {
		return err
	}
	boards, err := r.Boards(rec.ID)
	if err != nil {
		return err
	}
	v.Matches++
	v.Entries += len(log)
	if rec.Ending != "" {
		v.Ended++
	}

	var reasons []string
	if m, err := tryReplay(games, rec, log); err != nil {
		reasons = append(reasons, strings.TrimPrefix(err.Error(), "match: "))
	} else {
		reasons = slices.Concat(compareEnd(rec, m), compareTurn(rec, m), compareBoards(rec, m, boards))
	}
	if rec.Seq != len(log) {
		reasons = append(reasons, fmt.Sprintf("%d entries are recorded, the log has %d", rec.Seq, len(log)))
	}
	for i, p := range rec.Seats {
		if p.ID == "" {
			reasons = append(reasons, fmt.Sprintf("nobody sits in seat %d", i+1))
		}
	}
	linked, err := compareChallenge(r, rec)
	if err != nil {
		return err
	}
	reasons = append(reasons, linked...)
	if len(reasons) > 0 {
		v.Faults = append(v.Faults, Fault{Match: rec.ID, Game: rec.Game, Reasons: reasons})
	}
	return nil
}

// tryReplay calls host.Replay and returns a panic of the rules as an error, so
// that one damaged log does not hide the others.
func tryReplay(games *engine.Registry, rec storage.Match, log []storage.Entry) (m *match.Match, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("the rules cannot cope with its log: %v", p)
		}
	}()
	return host.Replay(games, rec, log)
}

// compareEnd compares the recorded end of a match with its log.
func compareEnd(rec storage.Match, m *match.Match) []string {
	out, over := m.Over()
	switch {
	case !over && rec.Ending != "":
		return []string{fmt.Sprintf("it is recorded as ended (%s), by its log it goes on", rec.Ending)}
	case over && rec.Ending == "":
		return []string{fmt.Sprintf("it is recorded as going on, by its log it has ended (%s)", out.Ending)}
	case string(out.Ending) != rec.Ending:
		return []string{fmt.Sprintf("it is recorded as ended by %s, by its log it was %s", rec.Ending, out.Ending)}
	case over && !out.At.Equal(rec.EndedAt):
		return []string{fmt.Sprintf("it is recorded as ended at %v, by its log it was at %v", rec.EndedAt, out.At)}
	}
	return nil
}

// compareTurn compares whether a computer is recorded to be to move with the
// log, and whether a match with a clock has a deadline.
func compareTurn(rec storage.Match, m *match.Match) []string {
	_, computer := (&host.View{Record: rec, Match: m}).ComputerToMove()
	switch {
	case computer && rec.ComputerTurnSince.IsZero():
		return []string{"it waits for a computer by its log, and is not recorded to"}
	case !computer && !rec.ComputerTurnSince.IsZero():
		return []string{"it is recorded to wait for a computer, by its log it does not"}
	case rec.Clock != "" && rec.Ending == "" && !computer && rec.CheckAt.IsZero():
		return []string{"it has a clock, and no deadline is recorded"}
	}
	return nil
}

// compareBoards compares the boards of a match with its log: the newest one
// shows the last public entry, and the recorded shown sequence number is the
// highest of a board that was posted.
func compareBoards(rec storage.Match, m *match.Match, boards []storage.Board) (reasons []string) {
	shown, current := -1, 0
	for _, b := range boards {
		switch b.State {
		case storage.BoardPosted, storage.BoardSuperseded, storage.BoardCollapsed:
			shown = max(shown, b.Seq)
		case storage.BoardDue, storage.BoardSkipped:
		}
		if b.State == storage.BoardDue || b.State == storage.BoardPosted {
			current++
		}
		if b.Seq > m.Seq() {
			reasons = append(reasons, fmt.Sprintf("board %d shows entry %d, the log has %d", b.ID, b.Seq, m.Seq()))
		}
	}
	if current != 1 {
		reasons = append(reasons, fmt.Sprintf("%d of its boards are posted or to be posted, one should be", current))
	} else if last := boards[len(boards)-1]; last.Seq != m.PublicSeq() {
		reasons = append(reasons, fmt.Sprintf("its newest board shows entry %d, by its log everybody is to see entry %d", last.Seq, m.PublicSeq()))
	}
	if rec.ShownSeq != shown {
		reasons = append(reasons, fmt.Sprintf("it is recorded as shown up to entry %d, by its boards it is %d", rec.ShownSeq, shown))
	}
	return reasons
}

func compareChallenge(r storage.ChallengeReader, rec storage.Match) ([]string, error) {
	if rec.Challenge == 0 {
		return nil, nil
	}
	ch, err := r.Challenge(rec.Challenge)
	if errors.Is(err, storage.ErrNotFound) {
		return []string{fmt.Sprintf("its challenge, %d, is not there", rec.Challenge)}, nil
	}
	if err != nil {
		return nil, err
	}
	if ch.State != storage.ChallengeAccepted || ch.Match != rec.ID {
		return []string{fmt.Sprintf("its challenge, %d, is recorded as %s, with match %d", ch.ID, ch.State, ch.Match)}, nil
	}
	return nil, nil
}
