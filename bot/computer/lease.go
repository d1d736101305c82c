package computer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"castellan/bot/host"
	"castellan/storage"
)

// Several processes share the turns by a lease for each match whose turn is computed.
// Whoever has it computes the turn, and plays it in a transaction that checks the
// lease. After a failure, the lease keeps the match from all processes until the next
// attempt. Its note says how many attempts have failed. An attempt that ends with its
// process counts as failed, so a position that makes the program crash does so in no
// more processes than there are attempts.

const (
	// leaseTime is how long a turn may take until another process computes it. A
	// search takes a few seconds at most, see search.Level.
	leaseTime = 30 * time.Second
	// leaseMargin is how long before the end of its lease a process gives a turn up.
	leaseMargin = 2 * time.Second
	// recordTimeout limits how long a lease is recorded that has to end. Otherwise it
	// runs out.
	recordTimeout = 3 * time.Second
	// lookEvery is the time between two looks for matches that other processes have
	// left.
	lookEvery = 5 * time.Second

	leasePrefix = "turn/"
	// The notes of leases, before the number of attempts.
	noteThinking = "attempt " // the number of this one
	noteFailed   = "failed "  // the number of those that have
)

// lease is the right to play a computer's turn. Its methods do nothing on nil.
type lease struct {
	storage.Lease
	attempts int       // that have failed before
	end      time.Time // when the turn is given up
}

// turn is what the leases say about the turn of a match.
type turn struct {
	taken    bool // it cannot be computed here now
	active   bool // it is being computed
	attempts int  // that have failed
}

// others is what the leases say about computers' turns.
type others map[storage.MatchID]turn

// look returns the matches that wait for a computer, the one that has waited longest
// first, and what other processes do about them.
func (s *Scheduler) look(ctx context.Context) (waiting []storage.MatchID, elsewhere others, err error) {
	if s.config.Leases == nil {
		waiting, err = s.host.ComputerTurns(ctx, maxWaiting)
		return waiting, nil, err
	}
	all, err := host.Read(ctx, s.host, func(r storage.Reader) (all []storage.Lease, err error) {
		if waiting, err = r.ComputerTurns(maxWaiting); err != nil || len(waiting) == 0 {
			return nil, err
		}
		return r.Leases(leasePrefix)
	})
	elsewhere = others{}
	for _, l := range all {
		id, err := strconv.ParseInt(strings.TrimPrefix(l.Name, leasePrefix), 10, 64)
		if err != nil {
			continue // not one of these
		}
		failed, waits := strings.CutPrefix(l.Note, noteFailed)
		t := turn{taken: l.Left > 0, active: l.Left > 0 && !waits}
		t.attempts, _ = strconv.Atoi(strings.TrimPrefix(failed, noteThinking)) // 0 without a number
		elsewhere[storage.MatchID(id)] = t
	}
	return waiting, elsewhere, err
}

// acquire acquires the lease for a turn. It fails with storage.ErrHeld if another
// process has it.
func (s *Scheduler) acquire(ctx context.Context, id storage.MatchID, known others) (*lease, error) {
	if s.config.Leases == nil {
		return nil, nil
	}
	attempts, end := known[id].attempts, time.Now().Add(leaseTime-leaseMargin)
	l, err := s.config.Leases.AcquireLease(ctx, fmt.Sprint(leasePrefix, id), s.config.Holder, fmt.Sprint(noteThinking, attempts+1), leaseTime)
	if err != nil {
		return nil, err
	}
	return &lease{l, attempts, end}, nil
}

// within returns a context that ends before the lease does.
func (l *lease) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if l == nil {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, l.end)
}

// record returns the lease for the transaction that plays the turn.
func (l *lease) record() *storage.Lease {
	if l == nil {
		return nil
	}
	return &l.Lease
}

// release ends the lease of a job. If f is not nil, it keeps the match from all
// processes until the next attempt. If the bot stops, the attempt does not count.
func (s *Scheduler) release(ctx context.Context, j job, f *failure) {
	if j.lease == nil {
		return
	}
	stops := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	l, err := j.lease.Lease, error(nil)
	switch l.Note = ""; {
	case f != nil:
		l.Note = fmt.Sprint(noteFailed, f.attempts)
		_, err = s.config.Leases.RenewLease(ctx, l, f.next.Sub(s.host.Now()))
	case stops && j.attempts > 0:
		l.Note = fmt.Sprint(noteFailed, j.attempts)
		fallthrough
	default:
		err = s.config.Leases.ReleaseLease(ctx, l)
	}
	if err != nil && !errors.Is(err, storage.ErrFenced) {
		s.log.Warn("the lease of a computer's turn is not released and will run out", "match", j.match, "error", err)
	}
}
