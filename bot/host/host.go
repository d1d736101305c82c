// Package host contains the use cases of Castellan, without Discord: challenge
// somebody, accept, play, resign, claim, ask for a rematch. Each use case is
// one method that commits one transaction, and returns the view that was committed.
// It can take several attempts: see withNewBoard, which has an older board posted first,
// and ActOrConfirm, which searches for risks outside of the transaction.
//
// Pending work is derived from the store. A change that everybody must see
// inserts a due board in the same transaction, and [Host.PendingWork] lists
// what Discord has not confirmed yet.
package host

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"castellan/engine"
	"castellan/engine/search"
	"castellan/storage"
)

// Host carries out the use cases. It is safe for concurrent use. Apart
// from a cache of rebuilt matches it keeps no state between calls.
type Host struct {
	store storage.Store
	games *engine.Registry
	clock func() time.Time
	seed  func() uint64
	log   *slog.Logger

	limits         Limits
	engines        map[string]search.Engine // by game
	postPending    func(context.Context, *View)
	computerToMove func(storage.MatchID)

	cache   *cache
	replays atomic.Uint64
	contact atomic.Pointer[time.Time] // when contact was last recorded

	stopping, closing context.Context // see Stop and Close
	stop, close       context.CancelFunc

	unreadable sync.Map // of storage.MatchID: matches that could not be rebuilt
	suspicious sync.Map // of storage.MatchID: see ShortResignations

	lost    sync.Map    // of storage.MatchID: *lostTurns that nobody may have said yet
	compare atomic.Bool // the database may have lost commits, see Invalidate
}

// Config configures a Host. Limits, Engines and CacheBytes are optional.
type Config struct {
	Store  storage.Store
	Games  *engine.Registry
	Now    func() time.Time // current time; stored in records
	Seed   func() uint64    // source of randomness; stored in records
	Logger *slog.Logger
	Limits Limits // zero fields have defaults
	// Engines lists the computer players, at most one per game.
	Engines []search.Engine
	// CacheBytes limits the memory for rebuilt matches; 32 MiB if 0. A negative
	// value disables the cache.
	CacheBytes int64
}

// New returns a Host.
func New(c Config) *Host {
	h := &Host{
		store: c.Store, games: c.Games, clock: c.Now, seed: c.Seed, log: c.Logger, limits: c.Limits.withDefaults(),
		engines: map[string]search.Engine{}, cache: newCache(c.CacheBytes),
	}
	h.stopping, h.stop = context.WithCancel(context.Background())
	h.closing, h.close = context.WithCancel(context.Background())
	for _, b := range c.Engines {
		h.engines[b.Game.Key()] = b
	}
	return h
}

// SetPostPending sets the function that posts the due board of a match before a use
// case changes the match (see withNewBoard). fn runs outside any transaction, at most
// once per use case, and the use case goes on whatever fn does. Call SetPostPending
// before the first request.
func (h *Host) SetPostPending(fn func(ctx context.Context, v *View)) { h.postPending = fn }

// SetComputerToMove sets a function that is told that a person's action is about to
// leave a match to a computer, before anybody can see it. The caller of the use case
// then shows the match. Call SetComputerToMove before the first request.
func (h *Host) SetComputerToMove(fn func(storage.MatchID)) { h.computerToMove = fn }

// Now returns the current time as the store returns it: UTC, without a
// monotonic reading.
func (h *Host) Now() time.Time { return h.clock().Round(0).UTC() }

// Games returns the games that the host hosts.
func (h *Host) Games() *engine.Registry { return h.games }

// CheckStore fails with storage.ErrReplaced if the files of the database were
// removed or replaced.
func (h *Host) CheckStore() error { return h.store.Intact() }

// Replays returns how many logs were replayed from the start since New.
func (h *Host) Replays() uint64 { return h.replays.Load() }

// Unreadable returns the number of matches that somebody has wanted to see and
// that cannot be rebuilt: their log was altered or does not follow the rules.
func (h *Host) Unreadable() (n int) {
	h.unreadable.Range(func(any, any) bool { n++; return true })
	return n
}

// ShortResignations returns the number of matches since New that were resigned early to
// somebody to whom many others have done so within a week.
func (h *Host) ShortResignations() (n int) {
	h.suspicious.Range(func(any, any) bool { n++; return true })
	return n
}

// Actor is the person who makes a request, with the interaction that carries it.
// An interaction that is delivered more than once is processed once.
type Actor struct {
	Person      storage.Person
	Interaction string
	// Place is where the person acts. They find only challenges of that place.
	// The zero value stands for every place.
	Place storage.Place
	// Computer returns the computer at the level found for EvenLevel, named for
	// the place. Every request that can start a match has it.
	Computer func(Level) storage.Person
}

// Errors caused by people. A *Refusal wraps those that concern a match or a
// challenge.
var (
	ErrUnknownGame      = errors.New("there is no such game")
	ErrNoMatch          = errors.New("there is no such match")
	ErrNoChallenge      = errors.New("there is no such challenge")
	ErrNotSeated        = errors.New("the person does not play in this match")
	ErrStale            = errors.New("the match has moved on")
	ErrSelfChallenge    = errors.New("a person cannot challenge themselves")
	ErrCannotChallenge  = errors.New("one of two people has blocked the other")
	ErrCannotJoin       = errors.New("somebody at the table and the person do not play together")
	ErrNotInvited       = errors.New("this challenge is for somebody else")
	ErrNotYourChallenge = errors.New("this challenge is somebody else's")
	ErrAnswered         = errors.New("the challenge has been answered")
	ErrExpired          = errors.New("the challenge has expired")
	ErrDuplicatePlayer  = errors.New("a person is named twice")
	ErrTooManyPlayers   = errors.New("more people are named than there are seats")
	ErrNoFreeSeat       = errors.New("all seats of the challenge are taken")
	ErrAlreadyJoined    = errors.New("the person already has a seat in this challenge")
	ErrNotJoined        = errors.New("the person has no seat in this challenge")
	ErrNotStarter       = errors.New("only the challenger can start the match")
	ErrTooFewPlayers    = errors.New("too few seats are taken to start")
	ErrInvalidFirst     = errors.New("the first player must be me, them or random")
	ErrStopping         = errors.New("the program stops")
	ErrCannotReplay     = errors.New("the log cannot be replayed")
	ErrNotOver          = errors.New("the match is not over")
	ErrNoFinishedMatch  = errors.New("no match of the person has ended here")
	ErrRematchPending   = errors.New("the person has already asked for this rematch")
	ErrRematchStarted   = errors.New("the rematch has begun")
	ErrDidNotPlay       = errors.New("the person did not play the match before this rematch")
	errIncompleteActor  = errors.New("an actor needs a person and an interaction")
)

// Refusal reports that a request was refused and that nothing changed.
type Refusal struct {
	Err       error
	View      *View              // the match, if the request concerned one
	Challenge *storage.Challenge // the challenge, if the request concerned one
}

func (r *Refusal) Error() string { return r.Err.Error() }

func (r *Refusal) Unwrap() error { return r.Err }

// refuse returns the refusal of a request that concerned the match.
func (v *View) refuse(why error) error { return &Refusal{Err: why, View: v} }

// once runs fn in a write transaction. processed is the record of the actor's
// interaction if it was processed before, or nil.
func (h *Host) once(ctx context.Context, a Actor, fn func(tx storage.Tx, processed *storage.ProcessedInteraction) error) error {
	if a.Interaction == "" || a.Person.ID == "" {
		return errIncompleteActor
	}
	return h.writeUnless(ctx, h.stopping, func(tx storage.Tx) error {
		processed, err := tx.ProcessedInteraction(a.Interaction)
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return fn(tx, nil)
		case err != nil:
			return err
		}
		return fn(tx, &processed)
	})
}

// Report runs a query that can take long, such as a list, in a read-only
// transaction (storage.Store.Report).
func Report[T any](ctx context.Context, h *Host, query func(storage.Reader) (T, error)) (result T, err error) {
	err = h.store.Report(ctx, func(r storage.Reader) error {
		result, err = query(r)
		return err
	})
	return result, err
}

// Stop makes the use cases of people fail with ErrStopping if they have not begun.
// Use cases that have begun go on, and what Discord confirms is still recorded.
func (h *Host) Stop() { h.stop() }

// Close does the same as Stop, and makes every write transaction that has not
// begun fail with ErrStopping.
func (h *Host) Close() { h.stop(); h.close() }

// Write runs fn in a write transaction, or fails with ErrStopping after Close. Use
// it for what is not part of a match; every change of a match has a use case.
func (h *Host) Write(ctx context.Context, fn func(storage.Tx) error) error {
	return h.writeUnless(ctx, h.closing, fn)
}

// writeUnless runs fn in a write transaction, or fails with ErrStopping if the
// host stops before the transaction has begun.
func (h *Host) writeUnless(ctx, stops context.Context, fn func(storage.Tx) error) error {
	if stops.Err() != nil {
		return ErrStopping
	}
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(stops, func() { cancel(ErrStopping) })()
	err := h.store.Update(waiting, fn) // which cannot be cancelled once it has begun
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(waiting), ErrStopping) {
		return ErrStopping
	}
	return err
}

// Read runs a query in a read-only transaction.
func Read[T any](ctx context.Context, h *Host, query func(storage.Reader) (T, error)) (result T, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		result, err = query(r)
		return err
	})
	return result, err
}
