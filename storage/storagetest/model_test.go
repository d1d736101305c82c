package storagetest_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"castellan/storage"
)

// model implements the contract with slices and maps, in the simplest way. It
// does not validate times and references to other records.
type model struct {
	matches    []match // by identifier, as all slices
	entries    map[storage.MatchID][]storage.Entry
	boards     []storage.Board
	challenges []storage.Challenge
	// tournaments hold players and games in any order.
	tournaments []storage.Tournament
	rematches   map[storage.ChallengeID]storage.MatchID
	threads     map[storage.ChallengeID]storage.ThreadState
	processed   map[string]storage.ProcessedInteraction
	prefs       map[string]storage.Preferences
	daily       map[string]storage.DailyMessage
	locales     map[string]string
	departures  map[[2]string]time.Time                // by guild and person
	prepared    map[storage.MatchID][]storage.Prepared // by seat
	vacations   []storage.Vacation
	guilds      map[string]storage.GuildSettings
	blocks      []storage.Block
	acts        []storage.Act
	forgotten   int
	players     map[guildPlayer]bool
	ratings     []storage.Rating
	// provisional holds what leaderboards know of each rating.
	provisional map[string]bool
	changes     []storage.RatingChange
	contact     time.Time
	outages     []storage.Outage
	nextID      int64 // of the next record that is inserted
}

// guildPlayer is a person who has had a result in a game in a guild.
type guildPlayer struct{ guild, game, person string }

// match is a match with the time of its last entry.
type match struct {
	storage.Match
	newest time.Time
}

var _ storage.Tx = (*model)(nil)

// keyOf identifies a rating.
func keyOf(r storage.Rating) string { return fmt.Sprint(r.Game, r.List, r.Person.ID) }

func newModel() *model {
	return &model{
		provisional: map[string]bool{},
		entries:     map[storage.MatchID][]storage.Entry{},
		rematches:   map[storage.ChallengeID]storage.MatchID{},
		threads:     map[storage.ChallengeID]storage.ThreadState{},
		processed:   map[string]storage.ProcessedInteraction{},
		prefs:       map[string]storage.Preferences{},
		daily:       map[string]storage.DailyMessage{},
		locales:     map[string]string{},
		departures:  map[[2]string]time.Time{},
		prepared:    map[storage.MatchID][]storage.Prepared{},
		guilds:      map[string]storage.GuildSettings{},
		players:     map[guildPlayer]bool{},
	}
}

func (m *model) clone() *model {
	c := *m
	c.matches, c.boards, c.challenges = slices.Clone(m.matches), slices.Clone(m.boards), slices.Clone(m.challenges)
	c.tournaments = slices.Clone(m.tournaments)
	c.ratings, c.changes = slices.Clone(m.ratings), slices.Clone(m.changes)
	c.entries, c.rematches, c.threads = maps.Clone(m.entries), maps.Clone(m.rematches), maps.Clone(m.threads)
	c.processed, c.prefs, c.daily = maps.Clone(m.processed), maps.Clone(m.prefs), maps.Clone(m.daily)
	c.blocks, c.players = slices.Clone(m.blocks), maps.Clone(m.players)
	c.prepared, c.locales = maps.Clone(m.prepared), maps.Clone(m.locales)
	c.departures, c.acts = maps.Clone(m.departures), slices.Clone(m.acts)
	c.provisional, c.outages = maps.Clone(m.provisional), slices.Clone(m.outages)
	c.vacations, c.guilds = slices.Clone(m.vacations), maps.Clone(m.guilds)
	return &c
}

func filter[T any](all []T, keep func(T) bool) (kept []T) {
	for _, v := range all {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// sorted returns a sorted copy; equal elements keep their order.
func sorted[T any](all []T, compare func(a, b T) int) []T {
	return slices.SortedStableFunc(slices.Values(all), compare)
}

func page[T any](all []T, offset, limit int) []T {
	all = all[min(max(offset, 0), len(all)):]
	return all[:min(max(limit, 0), len(all))]
}

func find[T any](all []T, is func(T) bool) (*T, error) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i], nil
	}
	return nil, storage.ErrNotFound
}

// value dereferences a result of find.
func value[T any](p *T, err error) (v T, _ error) {
	if err == nil {
		v = *p
	}
	return v, err
}

// plain returns matches without the time of their last entry.
func plain(all []match) (plain []storage.Match) {
	for _, m := range all {
		plain = append(plain, m.Match)
	}
	return plain
}

func seated(m storage.Match, person string) bool {
	return slices.ContainsFunc(m.Seats, func(p storage.Person) bool { return p.ID == person })
}

func (m *model) match(id storage.MatchID) (*match, error) {
	return find(m.matches, func(m match) bool { return m.ID == id })
}

func (m *model) Match(id storage.MatchID) (storage.Match, error) {
	found, err := value(m.match(id))
	return found.Match, err
}

func (m *model) LoadMatch(id storage.MatchID, after int) (state storage.MatchState, err error) {
	if state.Match, err = m.Match(id); err != nil {
		return state, err
	}
	if ch, err := m.Challenge(state.Challenge); err == nil {
		state.OwnThread = ch.Message != "" && ch.Message == state.Place.Channel
	}
	for _, e := range m.tournaments {
		for _, g := range e.Games {
			if g.Match == id {
				state.Event = storage.MatchEvent{Tournament: e.ID, Name: e.Name, Round: g.Round, Rounds: e.Rounds}
			}
		}
	}
	state.Entries, _ = m.EntriesAfter(id, after)
	state.Boards, _ = m.ActiveBoards(id)
	state.Prepared = filter(m.prepared[id], func(p storage.Prepared) bool { return p.Seat <= len(state.Seats) })
	for _, p := range state.Seats {
		prefs, _ := m.Preferences(p.ID)
		state.Preferences = append(state.Preferences, prefs)
		state.Departures = append(state.Departures, m.departures[[2]string{state.Place.Guild, p.ID}])
	}
	if state.Ending != "" {
		state.RatingChanges, _ = m.RatingChanges(id)
	} else {
		state.Vacations, _ = m.MatchVacations(id)
	}
	if state.Clock != "" {
		state.Outages, _ = m.Outages(state.CreatedAt)
		if state.Place.Guild != "" {
			state.Freezes, _ = m.Freezes(state.Place.Guild, state.CreatedAt.Add(-storage.MaxFreeze))
		}
	}
	return state, nil
}

func (m *model) Entries(id storage.MatchID) ([]storage.Entry, error) { return m.entries[id], nil }

func (m *model) EntriesAfter(id storage.MatchID, after int) ([]storage.Entry, error) {
	return filter(m.entries[id], func(e storage.Entry) bool { return e.Seq > after }), nil
}

// running returns the running matches that satisfy keep, latest entry first.
func (m *model) running(keep func(match) bool) []storage.Match {
	all := filter(m.matches, func(m match) bool { return m.Ending == "" && keep(m) })
	return plain(sorted(all, func(a, b match) int {
		return cmp.Or(b.newest.Compare(a.newest), cmp.Compare(b.ID, a.ID))
	}))
}

func (m *model) RunningMatches(person, channel string) ([]storage.Match, error) {
	threads := m.threadsIn(channel)
	return m.running(func(m match) bool {
		return seated(m.Match, person) && (channel == "" || m.Place.Channel == channel || threads[m.Place.Channel])
	}), nil
}

func (m *model) RunningInChannel(channel string) ([]storage.Match, error) {
	threads := m.threadsIn(channel)
	return m.running(func(m match) bool { return m.Place.Channel == channel || threads[m.Place.Channel] }), nil
}

// threadsIn returns the open threads of a channel's challenges.
func (m *model) threadsIn(channel string) map[string]bool {
	threads := map[string]bool{}
	for _, c := range m.challenges {
		if c.Place.Channel == channel && m.threads[c.ID] == storage.ThreadCreated {
			threads[c.Message] = true
		}
	}
	return threads
}

func (m *model) AllRunning() ([]storage.Match, error) {
	return sorted(m.running(func(match) bool { return true }), func(a, b storage.Match) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), nil
}

func (m *model) CountRunning(person string) (int, error) {
	running, err := m.RunningMatches(person, "")
	return len(running), err
}

func (m *model) MatchesAfter(after storage.MatchID, limit int) ([]storage.Match, error) {
	return plain(page(filter(m.matches, func(m match) bool { return m.ID > after }), 0, limit)), nil
}

// ended returns the matches that have ended and satisfy keep, in that order.
func (m *model) ended(keep func(storage.Match) bool) []storage.Match {
	all := filter(plain(m.matches), func(m storage.Match) bool { return m.Ending != "" && keep(m) })
	return sorted(all, func(a, b storage.Match) int { return cmp.Compare(a.EndNumber, b.EndNumber) })
}

func (m *model) EndedAfter(after, limit int) ([]storage.Match, error) {
	return page(m.ended(func(m storage.Match) bool { return m.EndNumber > after }), 0, limit), nil
}

func (m *model) EndedMatches(person string, offset, limit int) ([]storage.Match, int, error) {
	all := m.ended(func(m storage.Match) bool { return seated(m, person) })
	slices.Reverse(all)
	return page(all, offset, limit), len(all), nil
}

func (m *model) RecentMatches(q storage.RecentQuery) ([]storage.Match, error) {
	all := m.ended(func(m storage.Match) bool {
		return seated(m, q.Person) && (q.Guild != "" && m.Place.Guild == q.Guild || seated(m, q.Viewer))
	})
	slices.Reverse(all)
	return page(all, 0, q.Limit), nil
}

func (m *model) LastEnded(person, channel string) (storage.Match, error) {
	all := m.ended(func(m storage.Match) bool {
		if person == "" {
			return m.Place.Channel == channel
		}
		return seated(m, person) && (channel == "" || m.Place.Channel == channel)
	})
	if len(all) == 0 {
		return storage.Match{}, storage.ErrNotFound
	}
	return all[len(all)-1], nil
}

// earliest returns the identifiers of up to limit records by a time, without
// those whose time is zero or after now.
func earliest[T any, ID ~int64](all []T, key func(T) (time.Time, ID), now time.Time, limit int) (ids []ID) {
	all = filter(all, func(v T) bool { at, _ := key(v); return !at.IsZero() && !at.After(now) })
	for _, v := range page(sorted(all, func(a, b T) int {
		at, _ := key(a)
		bt, _ := key(b)
		return at.Compare(bt)
	}), 0, limit) {
		_, id := key(v)
		ids = append(ids, id)
	}
	return ids
}

func (m *model) ComputerTurns(limit int) ([]storage.MatchID, error) {
	return earliest(m.matches, func(m match) (time.Time, storage.MatchID) { return m.ComputerTurnSince, m.ID }, minute(1e6), limit), nil
}

func (m *model) Overdue(now time.Time, limit int) (storage.Overdue, error) {
	open, _ := m.OpenChallenges("")
	open = sorted(open, func(a, b storage.Challenge) int { return cmp.Compare(a.ID, b.ID) })
	var next time.Time
	for _, m := range m.matches {
		if m.Ending == "" && m.CheckAt.After(now) && (next.IsZero() || m.CheckAt.Before(next)) {
			next = m.CheckAt
		}
	}
	return storage.Overdue{
		Next:       next,
		Challenges: earliest(open, func(c storage.Challenge) (time.Time, storage.ChallengeID) { return c.ExpiresAt, c.ID }, now, limit),
		Matches:    earliest(m.matches, func(m match) (time.Time, storage.MatchID) { return m.CheckAt, m.ID }, now, limit), // zero once ended
	}, nil
}

func (m *model) HasClocks() (bool, error) {
	return slices.ContainsFunc(m.matches, func(m match) bool { return m.Clock != "" && m.Ending == "" }), nil
}

func (m *model) LastContact() (time.Time, error) { return m.contact, nil }

func (m *model) Outages(after time.Time) ([]storage.Outage, error) {
	return filter(m.outages, func(o storage.Outage) bool { return o.To.After(after) }), nil
}

func (m *model) board(id storage.BoardID) (*storage.Board, error) {
	return find(m.boards, func(b storage.Board) bool { return b.ID == id })
}

func (m *model) Board(id storage.BoardID) (storage.Board, error) { return value(m.board(id)) }

func (m *model) Boards(id storage.MatchID) ([]storage.Board, error) {
	return filter(m.boards, func(b storage.Board) bool { return b.Match == id }), nil
}

// needsWork reports whether a board has to be posted, collapsed or searched for.
func needsWork(b storage.Board) bool {
	return b.State == storage.BoardDue || b.State == storage.BoardSuperseded || b.State == storage.BoardPosted && b.NeedsRedraw || b.State == storage.BoardSkipped && !b.NextAttempt.IsZero()
}

func (m *model) ActiveBoards(id storage.MatchID) ([]storage.Board, error) {
	return filter(m.boards, func(b storage.Board) bool {
		return b.Match == id && (b.State == storage.BoardPosted || needsWork(b))
	}), nil
}

func (m *model) PendingPosts(now time.Time, limit int) (p storage.PendingPosts, err error) {
	boards := filter(m.boards, func(b storage.Board) bool { return needsWork(b) && storage.IsDue(b.NextAttempt, b.Attempts, now) })
	challenges := filter(m.challenges, func(c storage.Challenge) bool {
		return c.ShownRevision != c.Revision && storage.IsDue(c.NextAttempt, c.Attempts, now)
	})
	var daily []storage.DailyMessage
	for _, person := range slices.Sorted(maps.Keys(m.daily)) {
		if d := m.daily[person]; d.IsDue(now) {
			daily = append(daily, d)
		}
	}
	return storage.PendingPosts{
		Daily:      page(sorted(daily, func(a, b storage.DailyMessage) int { return a.NextAttempt.Compare(b.NextAttempt) }), 0, limit),
		Boards:     page(sorted(boards, func(a, b storage.Board) int { return a.NextAttempt.Compare(b.NextAttempt) }), 0, limit),
		Challenges: page(sorted(challenges, func(a, b storage.Challenge) int { return a.NextAttempt.Compare(b.NextAttempt) }), 0, limit),
	}, nil
}

// postponed returns the NextAttempt of each post that HasPostponed looks for.
func (m *model) postponed(p storage.Place, now time.Time) (times []*time.Time) {
	in := func(at storage.Place) bool {
		return at.Channel == p.Channel || p.Channel == "" && at.Guild == p.Guild && p.Guild != ""
	}
	for i := range m.boards {
		if b := &m.boards[i]; b.State == storage.BoardDue && b.NextAttempt.After(now) && in(b.Place) {
			times = append(times, &b.NextAttempt)
		}
	}
	for i := range m.challenges {
		c := &m.challenges[i]
		if c.Message == "" && c.ShownRevision != c.Revision && c.NextAttempt.After(now) && in(c.Place) {
			times = append(times, &c.NextAttempt)
		}
	}
	return times
}

func (m *model) HasPostponed(p storage.Place, now time.Time) (bool, error) {
	return len(m.postponed(p, now)) > 0, nil
}

func (m *model) RetryNow(p storage.Place, now time.Time) (int, error) {
	times := m.postponed(p, now)
	for _, t := range times {
		*t = time.Time{}
	}
	return len(times), nil
}

func (m *model) challenge(id storage.ChallengeID) (*storage.Challenge, error) {
	return find(m.challenges, func(c storage.Challenge) bool { return c.ID == id })
}

func (m *model) Challenge(id storage.ChallengeID) (storage.Challenge, error) {
	return value(m.challenge(id))
}

func (m *model) OpenChallenges(person string) ([]storage.Challenge, error) {
	open := filter(m.challenges, func(c storage.Challenge) bool {
		return c.State == storage.ChallengeOpen && (person == "" ||
			slices.ContainsFunc(slices.Concat(c.Joined, c.Invited), func(p storage.Person) bool { return p.ID == person }))
	})
	return sorted(open, func(a, b storage.Challenge) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
}

func (m *model) ChallengeActivity(person, guild string, after, now time.Time) (a storage.ChallengeActivity, err error) {
	for _, c := range m.challenges {
		made, open := c.CreatedAt.After(after), c.State == storage.ChallengeOpen && (c.ExpiresAt.IsZero() || c.ExpiresAt.After(now))
		for _, group := range []struct {
			in         bool
			made, open *[]time.Time
		}{
			{c.Challenger.ID == person, &a.MadeBy, &a.OpenBy},
			{c.Place.Guild == guild, &a.MadeIn, &a.OpenIn},
		} {
			if group.in && made {
				*group.made = append(*group.made, c.CreatedAt)
			}
			if group.in && open {
				*group.open = append(*group.open, c.ExpiresAt)
			}
		}
	}
	zeroLast := func(a, b time.Time) int {
		if a.IsZero() != b.IsZero() {
			return b.Compare(a)
		}
		return a.Compare(b)
	}
	return storage.ChallengeActivity{
		MadeBy: sorted(a.MadeBy, time.Time.Compare), MadeIn: sorted(a.MadeIn, time.Time.Compare),
		OpenBy: sorted(a.OpenBy, zeroLast), OpenIn: sorted(a.OpenIn, zeroLast),
	}, nil
}

func (m *model) RematchFor(id storage.MatchID) (newest storage.ChallengeID, err error) {
	for c, of := range m.rematches {
		if of == id {
			newest = max(newest, c)
		}
	}
	if newest == 0 {
		err = storage.ErrNotFound
	}
	return newest, err
}

func (m *model) RematchOf(id storage.ChallengeID) (storage.MatchID, error) {
	return m.rematches[id], nil
}
func (m *model) Thread(id storage.ChallengeID) (storage.ThreadState, error) {
	return m.threads[id], nil
}

func (m *model) EndedThreads(after time.Time, limit int) (ids []storage.ChallengeID, err error) {
	for _, c := range m.challenges {
		if m.threads[c.ID] != storage.ThreadCreated || c.ShownRevision != c.Revision {
			continue
		}
		ended, needed := false, slices.ContainsFunc(m.boards, func(b storage.Board) bool { return b.Place.Channel == c.Message && needsWork(b) })
		for _, match := range m.matches {
			over := match.Ending != ""
			ended = ended || match.Challenge == c.ID && over
			needed = needed || match.Place.Channel == c.Message && (!over || match.EndedAt.After(after))
		}
		if ended && !needed {
			ids = append(ids, c.ID)
		}
	}
	return page(ids, 0, limit), nil
}

func (m *model) ProcessedInteraction(interaction string) (storage.ProcessedInteraction, error) {
	p, ok := m.processed[interaction]
	if !ok {
		return p, storage.ErrNotFound
	}
	return p, nil
}

func (m *model) Departure(guild, person string) (time.Time, error) {
	return m.departures[[2]string{guild, person}], nil
}

func (m *model) Locale(id string) (string, error) { return m.locales[id], nil }

func (m *model) Preferences(person string) (storage.Preferences, error) {
	p := m.prefs[person]
	p.Person = person
	return p, nil
}

func (m *model) Vacations(person string, after time.Time) ([]storage.Vacation, error) {
	return m.vacationsOf(after, func(v storage.Vacation) bool { return v.Person == person }), nil
}

func (m *model) MatchVacations(id storage.MatchID) ([]storage.Vacation, error) {
	of, _ := m.Match(id)
	return m.vacationsOf(of.CreatedAt, func(v storage.Vacation) bool { return seated(of, v.Person) }), nil
}

func (m *model) vacationsOf(after time.Time, keep func(storage.Vacation) bool) []storage.Vacation {
	all := filter(m.vacations, func(v storage.Vacation) bool { return v.To.After(after) && keep(v) })
	return sorted(all, func(a, b storage.Vacation) int {
		return cmp.Or(cmp.Compare(a.Person, b.Person), a.From.Compare(b.From))
	})
}

func (m *model) GuildSettings(guild string) (storage.GuildSettings, error) {
	g := m.guilds[guild]
	g.Guild = guild
	return g, nil
}

func (m *model) PlayedIn(person, guild string) (bool, error) {
	return guild != "" && slices.ContainsFunc(m.matches, func(of match) bool {
		return of.Ending != "" && of.Place.Guild == guild && seated(of.Match, person)
	}), nil
}

func (m *model) DailyMessage(person string) (storage.DailyMessage, error) {
	d, ok := m.daily[person]
	if !ok {
		return d, storage.ErrNotFound
	}
	return d, nil
}

func (m *model) Counts(now time.Time) (storage.Counts, error) {
	open, _ := m.OpenChallenges("")
	posts, _ := m.PendingPosts(now, 1e6)
	turns, _ := m.ComputerTurns(1e6)
	c := storage.Counts{
		Matches: map[storage.GameEnding]int{}, OpenChallenges: len(open), ComputerTurns: len(turns),
		PendingBoards: len(posts.Boards), PendingChallenges: len(posts.Challenges),
	}
	for _, m := range m.matches {
		c.Matches[storage.GameEnding{Game: m.Game, Ending: m.Ending}]++
	}
	return c, nil
}
