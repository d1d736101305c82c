package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

// Host carries out what people ask for. It keeps nothing in memory between two
// calls and is safe for concurrent use.
type Host struct {
	store storage.Store
	games *engine.Registry
	now   func() time.Time
	seed  func() uint64
	log   *slog.Logger

	limits Limits
	brains map[string]search.Brain // by game
}

// Config is what a Host is made of. All fields but Limits and Brains are needed.
type Config struct {
	Store  storage.Store
	Games  *engine.Registry
	Now    func() time.Time // the time that goes into records
	Seed   func() uint64    // decides what is random; recorded
	Logger *slog.Logger
	Limits Limits // the defaults where zero
	// Brains is how the computer plays, one for a game. It does not play games
	// that have none.
	Brains []search.Brain
}

// New is a host.
func New(c Config) *Host {
	h := &Host{
		store: c.Store, games: c.Games, now: c.Now, seed: c.Seed, log: c.Logger, limits: c.Limits.complete(),
		brains: map[string]search.Brain{},
	}
	for _, b := range c.Brains {
		h.brains[b.Game.Key()] = b
	}
	return h
}

// Cause is who asks for something, and the interaction by which they do. The
// same interaction is carried out once, however often it is delivered.
type Cause struct {
	Person      storage.Person
	Interaction string
}

// View is a match as it stands.
type View struct {
	Record storage.Match
	Game   engine.Game
	Match  *match.Match
	// Board is the board that is posted or due, the zero value where there is
	// none.
	Board storage.Board
	// At is when the view was made, by the host's time.
	At time.Time
	// Changes is what the match did to ratings, by seat; nil while it goes on,
	// and where it is not rated.
	Changes []storage.RatingChange
	// Repeated says that the interaction had been carried out before, and that
	// this call changed nothing.
	Repeated bool
}

// SeatOf is where a person sits, or Nobody.
func (v *View) SeatOf(person string) engine.Seat {
	for i, s := range v.Record.Seats {
		if s.ID == person {
			return engine.Seat(i + 1)
		}
	}
	return engine.Nobody
}

// Person is who sits in a seat.
func (v *View) Person(seat engine.Seat) storage.Person { return v.Record.Seats[seat-1] }

// ToMove is who is to act; ok is false when the match is over.
func (v *View) ToMove() (p storage.Person, ok bool) {
	seat := v.Match.Seat()
	if seat == engine.Nobody {
		return storage.Person{}, false
	}
	return v.Person(seat), true
}

// Since is when the turn of whoever is to act began, or when the match ended.
func (v *View) Since() time.Time {
	if out, over := v.Match.Over(); over {
		return out.At
	}
	if began := v.Match.Open().BeganAt; !began.IsZero() {
		return began
	}
	return v.Record.CreatedAt
}

// Errors that people cause. They come inside a *Refusal where they concern a
// match or a challenge.
var (
	ErrUnknownGame     = errors.New("there is no such game")
	ErrNoMatch         = errors.New("there is no such match")
	ErrNoChallenge     = errors.New("there is no such challenge")
	ErrNotSeated       = errors.New("the person does not play in this match")
	ErrStale           = errors.New("the match has moved on")
	ErrOneself         = errors.New("a person cannot challenge themselves")
	ErrNotForYou       = errors.New("this challenge is for somebody else")
	ErrNotYours        = errors.New("this challenge is somebody else's")
	ErrAnswered        = errors.New("the challenge has been answered")
	ErrExpired         = errors.New("the challenge has expired")
	ErrTwice           = errors.New("somebody is named twice")
	ErrTooMany         = errors.New("more people are named than there are seats")
	ErrFull            = errors.New("all seats of the challenge are taken")
	ErrJoined          = errors.New("the person has a seat in this challenge already")
	ErrNotJoined       = errors.New("the person has no seat in this challenge")
	ErrNotStarter      = errors.New("only the challenger can start the match")
	ErrTooFew          = errors.New("too few seats are taken to start")
	ErrWrongFirst      = errors.New("who moves first is me, them or random")
	ErrCannotReplay    = errors.New("the log does not rebuild the match")
	ErrNotOver         = errors.New("the match is not over")
	ErrNoneEnded       = errors.New("no match of the person has ended here")
	ErrAsked           = errors.New("the person has asked for this rematch already")
	ErrRematched       = errors.New("the rematch has begun")
	ErrNotAmong        = errors.New("the person did not play the match that is to be played again")
	errPersonIsNowhere = errors.New("a cause needs a person and an interaction")
)

// Refusal is a request that was not carried out, with what it concerned.
// Nothing has changed.
type Refusal struct {
	Err       error
	View      *View              // nil where it concerned no match
	Challenge *storage.Challenge // nil where it concerned no challenge
}

func (r *Refusal) Error() string { return r.Err.Error() }

func (r *Refusal) Unwrap() error { return r.Err }

// view rebuilds a match.
func (h *Host) view(r storage.Reader, id storage.MatchID) (*View, error) {
	rec, err := r.Match(id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, &Refusal{Err: ErrNoMatch}
	}
	if err != nil {
		return nil, err
	}
	return h.rebuild(r, rec)
}

func (h *Host) rebuild(r storage.Reader, rec storage.Match) (*View, error) {
	wrap := func(err error) error {
		return fmt.Errorf("match %d: %w: %w", rec.ID, ErrCannotReplay, err)
	}
	stored, err := r.Entries(rec.ID)
	if err != nil {
		return nil, err
	}
	m, err := replay(h.games, rec, stored)
	if err != nil {
		return nil, wrap(err)
	}
	v := &View{Record: rec, Game: m.Game(), Match: m, At: h.now()}
	if rec.Ending != "" {
		if v.Changes, err = r.RatingChanges(rec.ID); err != nil {
			return nil, err
		}
	}
	boards, err := r.Boards(rec.ID)
	if err != nil {
		return nil, err
	}
	for _, b := range boards {
		if b.State == storage.BoardDue || b.State == storage.BoardPosted {
			v.Board = b
		}
	}
	return v, nil
}

// replay is a match after its log.
func replay(games *engine.Registry, rec storage.Match, log []storage.Entry) (*match.Match, error) {
	game, ok := games.Lookup(rec.Game)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownGame, rec.Game)
	}
	options, err := game.Options().Parse(rec.Options)
	if err != nil {
		return nil, err
	}
	return match.Replay(game, match.Settings{
		Game: rec.Game, Version: rec.Rules, Options: options, Seats: len(rec.Seats),
	}, fromStore(log))
}

func fromStore(stored []storage.Entry) []match.Entry {
	out := make([]match.Entry, len(stored))
	for i, e := range stored {
		out[i] = match.Entry{
			Seq: e.Seq, Kind: match.Kind(e.Kind), Seat: engine.Seat(e.Seat),
			Text: e.Text, At: e.At, Interaction: e.Interaction,
		}
	}
	return out
}

func toStore(entries []match.Entry) []storage.Entry {
	out := make([]storage.Entry, len(entries))
	for i, e := range entries {
		out[i] = storage.Entry{
			Seq: e.Seq, Kind: string(e.Kind), Seat: int(e.Seat),
			Text: e.Text, At: e.At, Interaction: e.Interaction,
		}
	}
	return out
}

// Match is a match as it stands. It fails with ErrNoMatch.
func (h *Host) Match(ctx context.Context, id storage.MatchID) (v *View, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		v, err = h.view(r, id)
		return err
	})
	return v, err
}

// Running is the matches in which a person sits and which have not ended, the
// one with the newest entry first; those of one channel, or all where the
// channel is empty.
func (h *Host) Running(ctx context.Context, person, channel string) ([]*View, error) {
	return h.running(ctx, func(r storage.Reader) ([]storage.Match, error) { return r.Running(person, channel) })
}

// RunningIn is the matches of a channel which have not ended, whoever plays.
func (h *Host) RunningIn(ctx context.Context, channel string) ([]*View, error) {
	return h.running(ctx, func(r storage.Reader) ([]storage.Match, error) { return r.RunningIn(channel) })
}

func (h *Host) running(ctx context.Context, find func(storage.Reader) ([]storage.Match, error)) (views []*View, err error) {
	err = h.store.View(ctx, func(r storage.Reader) error {
		records, err := find(r)
		if err != nil {
			return err
		}
		views, err = h.views(r, records)
		return err
	})
	return views, err
}

// views rebuilds matches. It leaves out, and logs, those that cannot be: they
// must not stand in the way of the others.
func (h *Host) views(r storage.Reader, records []storage.Match) (views []*View, err error) {
	for _, rec := range records {
		v, err := h.rebuild(r, rec)
		if errors.Is(err, ErrCannotReplay) {
			h.log.Error("a match cannot be rebuilt", "match", rec.ID, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}
