package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/search"
	"castellan/storage"
)

// View is a match as it was committed. A View does not change after it has
// been returned.
type View struct {
	// Record is what is stored about the match besides its log: place, players,
	// deadline, result. Match is its state by the rules, which follows from the log.
	Record storage.Match
	Game   engine.Game
	Match  *match.Match
	// Boards lists the boards that are due, posted or superseded, and the skipped
	// ones that may be in the channel, oldest first.
	Boards []storage.Board
	// Board is the posted or due board, or the zero value.
	Board storage.Board
	// ReadAt is when the view was made, by the host's clock.
	ReadAt time.Time
	// RatingChanges holds the rating changes by seat once a rated match has
	// ended.
	RatingChanges []storage.RatingChange
	// Lease is the right to show the match, zero if this view came without one.
	Lease storage.DeliveryLease
	// Repeated reports that the interaction had been processed before and that
	// this call changed nothing.
	Repeated bool
	// OwnThread reports that the match is in a thread that was made for it. It is
	// false in views that lack boards, see Running.
	OwnThread bool
	// Event is the tournament to which the match belongs, zero if it belongs to none. It
	// is zero in views that lack boards, too.
	Event storage.MatchEvent

	engine      search.Engine         // of the game, empty if it has no computer player
	revision    uint64                // see cache
	preferences []storage.Preferences // by seat
	outages     []storage.Outage      // since the match began, if it has a clock
	freezes     []storage.Act         // see storage.MatchState
	acts        []storage.Act         // of organisers about the match
	vacations   []storage.Vacation    // that end after the match began, while it goes on
	spans       []match.Span          // in which clocks stood still, see setSpans
	prepared    []storage.Prepared    // of seats that have a record
	departures  []time.Time           // see LeftAt
}

// SeatOf returns the seat of a person, or Nobody.
func (v *View) SeatOf(person string) engine.Seat {
	for i, s := range v.Record.Seats {
		if s.ID == person {
			return engine.Seat(i + 1)
		}
	}
	return engine.Nobody
}

// Person returns the player in a seat.
func (v *View) Person(seat engine.Seat) storage.Person { return v.Record.Seats[seat-1] }

// Risk returns the risk of a turn of a seat that led to the match after.
func (v *View) Risk(seat engine.Seat, after *match.Match) match.Risk {
	return v.Match.Risk(seat, after, v.engine.CanWin)
}

// Threatened reports whether the next seat could win at once if the seat to act
// ended its turn as it stands.
func (v *View) Threatened() bool {
	seat := v.Match.Seat()
	after, _, err := v.Match.Try(seat, engine.End, match.Cause{})
	return err == nil && v.Risk(seat, after) == match.Exposes
}

// ToMove returns the player who is to move; ok is false if the match is over.
func (v *View) ToMove() (p storage.Person, ok bool) {
	seat := v.Match.Seat()
	if seat == engine.Nobody {
		return storage.Person{}, false
	}
	return v.Person(seat), true
}

// WaitsFor reports whether it is a person's turn.
func (v *View) WaitsFor(person string) bool {
	p, ok := v.ToMove()
	return ok && p.ID == person
}

// Preferences returns the preferences of the player in a seat. known is false if
// the view was read without them, as those of Running are.
func (v *View) Preferences(seat engine.Seat) (p storage.Preferences, known bool) {
	if len(v.preferences) == 0 {
		return p, false
	}
	return v.preferences[seat-1], true
}

// VacationUntil returns when the vacation of the player in a seat ends, if they were
// on vacation when the view was made, or the zero time.
func (v *View) VacationUntil(seat engine.Seat) time.Time {
	for _, away := range v.vacations {
		if v.Live() {
			break
		}
		if away.Person == v.Person(seat).ID && away.Includes(v.ReadAt) {
			return away.To
		}
	}
	return time.Time{}
}

// LeftAt returns when it was noticed that the player in a seat has left the guild in
// which the match is played, or the zero time.
func (v *View) LeftAt(seat engine.Seat) time.Time {
	if seat == engine.Nobody || len(v.departures) == 0 {
		return time.Time{}
	}
	return v.departures[seat-1]
}

// QuietUntil returns when the vacation or the quiet hours of the player in a seat end,
// if it was in them when the view was made, or the zero time.
func (v *View) QuietUntil(seat engine.Seat) time.Time {
	if seat == engine.Nobody || v.Live() {
		return time.Time{}
	}
	if back := v.VacationUntil(seat); !back.IsZero() {
		return back
	}
	p, _ := v.Preferences(seat)
	return p.QuietUntil(v.ReadAt)
}

// ComputerToMove returns the computer that is to move; ok is false if a person
// is, or if the match is over.
func (v *View) ComputerToMove() (p storage.Person, ok bool) {
	p, ok = v.ToMove()
	return p, ok && IsComputer(p)
}

// Since returns when the current turn began, or when the match ended.
func (v *View) Since() time.Time {
	if out, over := v.Match.Over(); over {
		return out.At
	}
	if began := v.Match.Open().BeganAt; !began.IsZero() {
		return began
	}
	return v.Record.CreatedAt
}

// Rated reports whether the result of the match changes ratings.
func (v *View) Rated() bool { return !v.Record.Unrated && DistinctPlayers(v.Record.Seats) }

// ActiveSeats returns the seats that have not retired, in order. It returns
// none if the match is over.
func (v *View) ActiveSeats() (seats []engine.Seat) {
	for s := engine.Seat(1); int(s) <= v.Match.Settings().Seats; s++ {
		if v.Match.Playing(s) {
			seats = append(seats, s)
		}
	}
	return seats
}

// activePeople counts the active seats that are not computers.
func (v *View) activePeople() (n int) {
	for _, seat := range v.ActiveSeats() {
		if !IsComputer(v.Person(seat)) {
			n++
		}
	}
	return n
}

// WouldAbort reports whether resigning or claiming would call the match off
// without a result: two are playing, and not both have completed a turn. With
// three or more players only the leaving player leaves.
func (v *View) WouldAbort() bool { return v.Match.CanAbort() && len(v.ActiveSeats()) == 2 }

// CanTakeBack reports whether a seat can take back the request that ended its
// last turn. It can until a person has played an action since, or in a rated
// match a computer, and until the time of that turn would be up. In an unrated
// match the answers of computers are taken back too.
func (v *View) CanTakeBack(seat engine.Seat) bool {
	_, err := v.takeback(seat, match.Cause{Interaction: "takeback"})
	return err == nil
}

// OnlyComputersSince reports whether nobody but computers has done anything since
// entry seq.
func (v *View) OnlyComputersSince(seq int) bool {
	if seq < 0 || seq > v.Match.Seq() {
		return false
	}
	return !slices.ContainsFunc(v.Match.Log()[seq:], func(e match.Entry) bool {
		return e.Seat == engine.Nobody || !IsComputer(v.Person(e.Seat))
	})
}

// takeback returns the entries by which a seat takes its last turn back, after the
// answers of computers in an unrated match.
func (v *View) takeback(seat engine.Seat, cause match.Cause) (entries []match.Entry, err error) {
	m := v.Match
	for {
		by := seat
		more, err := m.Takeback(by, cause)
		for i, p := range v.Record.Seats { // of all seats, at most one can
			if err != nil && !v.Rated() && IsComputer(p) {
				by = engine.Seat(i + 1)
				more, err = m.Takeback(by, cause)
			}
		}
		if err != nil {
			return nil, err
		}
		if m, err = m.With(more...); err != nil {
			return nil, err
		}
		if entries = append(entries, more...); by == seat {
			if v.timeUp(m) {
				return nil, match.ErrNoTakeback
			}
			return entries, nil
		}
	}
}

// resign returns the entries by which a seat resigns, or aborts the match if
// WouldAbort.
func (v *View) resign(seat engine.Seat, cause match.Cause) ([]match.Entry, error) {
	if v.WouldAbort() {
		return v.Match.Abort(seat, cause)
	}
	return v.Match.Resign(seat, cause)
}

// Match returns a match as it stands. It fails with ErrNoMatch.
func (h *Host) Match(ctx context.Context, id storage.MatchID) (*View, error) {
	return Read(ctx, h, func(r storage.Reader) (*View, error) { return h.view(r, id) })
}

// ReadMatch does the same as Match, in a transaction of the caller. It fails with
// ErrCannotReplay; lists leave such a match out.
func (h *Host) ReadMatch(r storage.Reader, id storage.MatchID) (*View, error) { return h.view(r, id) }

// Refresh returns v if this process has not changed the match since v was
// returned by a use case; otherwise it reads the match again.
func (h *Host) Refresh(ctx context.Context, v *View) (*View, error) {
	if h.cache.current(v.Record.ID, v.revision) {
		return v, nil
	}
	return h.Match(ctx, v.Record.ID)
}

// view reads a match. It must not be called after the same transaction has
// appended to the log of the match, because that may be rolled back.
func (h *Host) view(r storage.MatchReader, id storage.MatchID) (*View, error) {
	known, seq := h.cache.get(id)
	state, err := r.LoadMatch(id, seq)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, &Refusal{Err: ErrNoMatch}
	}
	if err != nil {
		return nil, err
	}
	m, err := h.update(r, state.Match, known, state.Entries)
	if err != nil {
		return nil, err
	}
	v := &View{
		Record: state.Match, OwnThread: state.OwnThread, Event: state.Event, Game: m.Game(), Match: m, ReadAt: h.Now(),
		RatingChanges: state.RatingChanges, preferences: state.Preferences, prepared: state.Prepared, departures: state.Departures, engine: h.engines[m.Game().Key()],
	}
	if m.Organised() {
		if v.acts, err = r.ActsOn(storage.MatchTarget(id)); err != nil {
			return nil, err
		}
	}
	v.setBoards(state.Boards)
	v.freezes = state.Freezes
	v.setSpans(state.Outages, state.Vacations)
	return v, nil
}

// Running returns the running matches of a person, in one channel, or in all if
// channel is empty; the one with the newest entry first. The views lack what would
// take more queries: boards, rating changes, preferences, prepared turns, and pauses
// of the clock. [Host.Match] returns a complete view.
func (h *Host) Running(ctx context.Context, person, channel string) ([]*View, error) {
	return Read(ctx, h, func(r storage.Reader) ([]*View, error) { return h.ReadRunning(r, person, channel) })
}

// ReadRunning does the same as Running, in a transaction of the caller.
func (h *Host) ReadRunning(r storage.MatchReader, person, channel string) (views []*View, err error) {
	records, err := r.RunningMatches(person, channel)
	if err != nil {
		return nil, err
	}
	for _, rec := range records {
		m, err := h.match(r, rec)
		if isBroken(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		views = append(views, &View{Record: rec, Game: m.Game(), Match: m, ReadAt: h.Now(), engine: h.engines[rec.Game]})
	}
	return views, nil
}

// RunningIn returns the records of the running matches of a channel, the one
// with the newest entry first.
func (h *Host) RunningIn(ctx context.Context, channel string) ([]storage.Match, error) {
	return Read(ctx, h, func(r storage.Reader) ([]storage.Match, error) { return r.RunningInChannel(channel) })
}

// NewestIn returns the running match of a channel with the newest entry, one in a
// thread of the channel only if there is no other. It fails with ErrNoMatch.
func (h *Host) NewestIn(ctx context.Context, channel string) (*View, error) {
	return Read(ctx, h, func(r storage.Reader) (*View, error) {
		records, err := r.RunningInChannel(channel)
		if err != nil {
			return nil, err
		}
		inThread := func(rec storage.Match) int {
			if rec.Place.Channel != channel {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(records, func(a, b storage.Match) int { return inThread(a) - inThread(b) })
		for _, rec := range records {
			if v, err := h.view(r, rec.ID); !isBroken(err) {
				return v, err
			}
		}
		return nil, &Refusal{Err: ErrNoMatch}
	})
}

// isBroken reports whether a match could not be replayed.
func isBroken(err error) bool { return errors.Is(err, ErrCannotReplay) }

// match rebuilds a match, from the cache if possible.
func (h *Host) match(r storage.MatchReader, rec storage.Match) (*match.Match, error) {
	known, seq := h.cache.get(rec.ID)
	if known.Match != nil && known.Head == rec.Head {
		return known.Match, nil
	}
	entries, err := r.EntriesAfter(rec.ID, seq)
	if err != nil {
		return nil, err
	}
	return h.update(r, rec, known, entries)
}

// update brings a cached match to the state of a record, given the entries that
// follow it. It replays the whole log if there is no cached match, or if that has
// another history.
func (h *Host) update(r storage.MatchReader, rec storage.Match, known remembered, entries []storage.Entry) (m *match.Match, err error) {
	switch cached := known.Match; {
	case cached == nil:
		h.replays.Add(1)
		m, err = Replay(h.games, rec, entries)
	case known.Head == rec.Head:
		return cached, nil
	case cached.Seq() > rec.Seq && rec.Root.After(storedEntries(cached.Log()[:rec.Seq])) == rec.Head: // this transaction began before the last append
		return cached.At(rec.Seq)
	case cached.Seq() < rec.Seq && known.Head.After(entries) == rec.Head:
		m, err = cached.With(matchEntries(entries)...)
	default:
		h.diverged(rec, known)
		if entries, err = r.Entries(rec.ID); err != nil {
			return nil, err
		}
		return h.update(r, rec, remembered{}, entries)
	}
	if err != nil {
		err = fmt.Errorf("match %d: %w: %w", rec.ID, ErrCannotReplay, err)
		if _, known := h.unreadable.Swap(rec.ID, true); !known {
			h.log.Error("a match cannot be rebuilt and is stopped; castellan verify says more", "match", rec.ID, "error", err)
		}
		return nil, err
	}
	h.unreadable.Delete(rec.ID)
	h.cache.put(rec, m, 0)
	return m, nil
}

// committed marks a view as the latest of its match, inside the transaction
// that changed it.
func (h *Host) committed(v *View) { v.revision = h.cache.bump(v.Record.ID) }

// remember stores the match of a committed view in the cache.
func (h *Host) remember(v *View, err error) (*View, error) {
	if v != nil && err == nil {
		h.cache.put(v.Record, v.Match, v.revision)
	}
	return v, err
}
