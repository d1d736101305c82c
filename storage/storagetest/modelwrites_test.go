package storagetest_test

import (
	"cmp"
	"slices"
	"time"

	"castellan/storage"
)

// edit changes a record that was looked up with err, or fails with ErrConflict if
// it is not in the allowed state.
func edit(err error, allowed func() bool, change func()) error {
	switch {
	case err != nil:
		return err
	case !allowed():
		return storage.ErrConflict
	}
	change()
	return nil
}

func always() bool { return true }

func (m *model) InsertMatch(n storage.Match) (storage.MatchID, error) {
	n.ID, n.Seq, n.ShownSeq, n.Ending, n.EndedAt, n.EndNumber, n.Offers, n.Results = storage.MatchID(m.nextID), 0, -1, "", time.Time{}, 0, "", nil
	n.Root, n.Correction, n.PausedAt, n.Pauses = storage.Root(n), 0, time.Time{}, nil
	n.Head = n.Root
	m.matches = append(m.matches, match{n, n.CreatedAt})
	return n.ID, nil
}

func (m *model) Advance(a storage.Advance) (none storage.Advanced, err error) {
	if a.Processed != nil {
		if _, ok := m.processed[a.Processed.Interaction]; ok {
			return none, storage.ErrAlreadyProcessed
		}
	}
	of, err := m.match(a.Match)
	if err := edit(err, func() bool { return of.Head == a.After && of.Seq == a.Entries[0].Seq-1 }, func() {
		log := slices.Clone(m.entries[a.Match])
		for _, e := range a.Entries {
			of.Head = of.Head.Next(e)
			e.Digest = of.Head
			log = append(log, e)
			of.Seq, of.newest = e.Seq, e.At
		}
		m.entries[a.Match] = log
		of.CheckAt, of.ComputerTurnSince, of.Reminded = a.CheckAt, a.ComputerTurnSince, a.Reminded
	}); err != nil {
		return none, err
	}
	if a.Processed != nil {
		_ = m.MarkProcessed(*a.Processed)
	}
	if a.Board == nil {
		return none, nil
	}
	none.Board, err = m.InsertBoard(*a.Board)
	return none, err
}

func (m *model) EndMatch(id storage.MatchID, ending string, at time.Time) error {
	e, err := m.match(id)
	return edit(err, func() bool { return e.Ending == "" }, func() {
		last := 0
		for _, other := range m.matches {
			last = max(last, other.EndNumber)
		}
		delete(m.prepared, id)
		e.Ending, e.EndedAt, e.EndNumber, e.CheckAt, e.Reminded, e.Offers, e.ComputerTurnSince = ending, at, last+1, time.Time{}, false, "", time.Time{}
	})
}

func (m *model) ReopenMatch(id storage.MatchID) error {
	e, err := m.match(id)
	return edit(err, func() bool {
		changes, _ := m.RatingChanges(id)
		return e.Ending != "" && len(changes) == 0
	}, func() { e.Ending, e.EndedAt, e.EndNumber, e.Results = "", time.Time{}, 0, nil })
}

func (m *model) RecordResults(id storage.MatchID, results []storage.SeatResult) error {
	e, err := m.match(id)
	return edit(err, func() bool { return e.Ending != "" }, func() {
		e.Results = results
		for _, p := range e.Seats {
			if len(results) > 0 && e.Place.Guild != "" && m.departures[[2]string{e.Place.Guild, p.ID}].IsZero() {
				m.players[guildPlayer{e.Place.Guild, e.Game, p.ID}] = true
			}
		}
	})
}

func (m *model) SetCheckAt(id storage.MatchID, at time.Time) error {
	e, err := m.match(id)
	return edit(err, always, func() { e.CheckAt = at })
}

func (m *model) MarkReminded(id storage.MatchID, at time.Time) error {
	e, err := m.match(id)
	return edit(err, always, func() { e.CheckAt, e.Reminded = at, true })
}

func (m *model) SetComputerTurn(id storage.MatchID, since time.Time) error {
	e, err := m.match(id)
	return edit(err, always, func() { e.ComputerTurnSince = since })
}

func (m *model) SetCorrection(id storage.MatchID, board storage.BoardID) error {
	e, err := m.match(id)
	return edit(err, always, func() { e.Correction = board })
}

func (m *model) SetPauses(id storage.MatchID, pausedAt time.Time, pauses []storage.Outage) error {
	e, err := m.match(id)
	return edit(err, always, func() { e.PausedAt, e.Pauses = pausedAt, pauses })
}

func (m *model) SetOffers(id storage.MatchID, offers string) error {
	e, err := m.match(id)
	return edit(err, func() bool { return e.Ending == "" }, func() { e.Offers = offers })
}

func (m *model) SetPrepared(id storage.MatchID, p storage.Prepared) error {
	e, err := m.match(id)
	return edit(err, func() bool { return e.Ending == "" }, func() {
		others := filter(m.prepared[id], func(o storage.Prepared) bool { return o.Seat != p.Seat })
		m.prepared[id] = sorted(append(others, p), func(a, b storage.Prepared) int { return cmp.Compare(a.Seat, b.Seat) })
	})
}

func (m *model) MoveMatch(id storage.MatchID, from, to storage.Place) error {
	e, err := m.match(id)
	return edit(err, func() bool { return e.Place == from }, func() { e.Place = to })
}

func (m *model) InsertBoard(b storage.Board) (storage.BoardID, error) {
	b.ID, b.Message, b.State, b.Attempts = storage.BoardID(m.nextID), "", storage.BoardDue, 0
	for i := range m.boards {
		switch old := &m.boards[i]; {
		case old.Match != b.Match:
		case old.State == storage.BoardDue:
			if old.Seq == b.Seq {
				b.Notify, b.Offer = b.Notify || old.Notify, cmp.Or(b.Offer, old.Offer)
			}
			old.State, old.Attempts, old.NextAttempt = storage.BoardSkipped, 0, b.NextAttempt
		case old.State == storage.BoardPosted:
			old.State, old.Attempts, old.NextAttempt, old.NeedsRedraw = storage.BoardSuperseded, 0, b.NextAttempt, false
		}
	}
	m.boards = append(m.boards, b)
	return b.ID, nil
}

func (m *model) MarkBoardPosted(id storage.BoardID, message string) error {
	b, err := m.board(id)
	if err != nil {
		return err
	}
	next := map[storage.BoardState]storage.BoardState{storage.BoardDue: storage.BoardPosted, storage.BoardSkipped: storage.BoardSuperseded}
	if state, ok := next[b.State]; ok {
		b.State, b.Message, b.Attempts, b.NextAttempt = state, message, 0, time.Time{}
	}
	of, err := m.match(b.Match)
	of.ShownSeq = max(of.ShownSeq, b.Seq)
	return err
}

func (m *model) MarkBoardCollapsed(id storage.BoardID) error {
	b, err := m.board(id)
	return edit(err, always, func() {
		next := map[storage.BoardState]storage.BoardState{storage.BoardSuperseded: storage.BoardCollapsed, storage.BoardSkipped: storage.BoardSkipped}
		if state, ok := next[b.State]; ok || b.NeedsRedraw {
			b.State, b.Attempts, b.NextAttempt, b.NeedsRedraw = cmp.Or(state, b.State), 0, time.Time{}, false
		}
	})
}

func (m *model) PostponeBoard(id storage.BoardID, next time.Time) error {
	b, err := m.board(id)
	return edit(err, always, func() { postpone(&b.Attempts, &b.NextAttempt, next) })
}

func (m *model) MarkForEdit(b storage.Board) error {
	of, err := m.match(b.Match)
	if err != nil {
		return err
	}
	for _, old := range slices.Backward(m.boards) {
		if old.Match != of.ID || old.Message != b.Message {
			continue
		}
		e, _ := m.board(old.ID)
		switch old.State {
		case storage.BoardPosted:
			e.NeedsRedraw, e.Attempts, e.NextAttempt = true, 0, b.NextAttempt
		case storage.BoardCollapsed:
			e.State, e.Attempts, e.NextAttempt = storage.BoardSuperseded, 0, b.NextAttempt
		default:
		}
		return nil
	}
	b.ID, b.State, b.Notify, b.Offer, b.Edit, b.Attempts, b.NeedsRedraw = storage.BoardID(m.nextID), storage.BoardSuperseded, false, 0, false, 0, false
	m.boards = append(m.boards, b)
	return nil
}

func (m *model) MoveDueBoard(id storage.MatchID, to storage.Place) error {
	for i := range m.boards {
		if b := &m.boards[i]; b.Match == id && b.State == storage.BoardDue {
			b.Place = to
		}
	}
	return nil
}

func (m *model) InsertChallenge(c storage.Challenge) (storage.ChallengeID, error) {
	c.ID, c.Revision, c.ShownRevision = storage.ChallengeID(m.nextID), 0, -1
	if c.State == "" {
		c.State = storage.ChallengeOpen
	}
	m.challenges = append(m.challenges, c)
	return c.ID, nil
}

// revise changes a challenge and increments its revision.
func (m *model) revise(id storage.ChallengeID, allowed func(storage.Challenge) bool, change func(*storage.Challenge)) error {
	c, err := m.challenge(id)
	return edit(err, func() bool { return allowed(*c) }, func() {
		change(c)
		c.Revision, c.Attempts, c.NextAttempt = c.Revision+1, 0, time.Time{}
	})
}

func (m *model) SetChallengePlayers(id storage.ChallengeID, revision int, joined, invited []storage.Person) error {
	return m.revise(id, func(c storage.Challenge) bool { return c.State == storage.ChallengeOpen && c.Revision == revision },
		func(c *storage.Challenge) { c.Joined, c.Invited = joined, invited })
}

func (m *model) ResolveChallenge(id storage.ChallengeID, state storage.ChallengeState, match storage.MatchID, at time.Time) error {
	return m.revise(id, func(c storage.Challenge) bool { return c.State == storage.ChallengeOpen },
		func(c *storage.Challenge) { c.State, c.Match, c.ResolvedAt = state, match, at })
}

func (m *model) ReviseChallenge(id storage.ChallengeID) error {
	return m.revise(id, func(storage.Challenge) bool { return true }, func(*storage.Challenge) {})
}

func (m *model) RepostChallenge(id storage.ChallengeID, next time.Time) error {
	c, err := m.challenge(id)
	return edit(err, always, func() { c.Message, c.ShownRevision, c.Attempts, c.NextAttempt = "", -1, 0, next })
}

func (m *model) MarkChallengeShown(id storage.ChallengeID, message string, revision int) error {
	c, err := m.challenge(id)
	return edit(err, always, func() {
		c.Message, c.ShownRevision, c.Attempts, c.NextAttempt = cmp.Or(message, c.Message), revision, 0, time.Time{}
	})
}

func (m *model) PostponeChallenge(id storage.ChallengeID, next time.Time) error {
	c, err := m.challenge(id)
	return edit(err, always, func() { postpone(&c.Attempts, &c.NextAttempt, next) })
}

func postpone(attempts *int, at *time.Time, next time.Time) {
	if !at.IsZero() || *attempts == 0 {
		*attempts++
	}
	*at = next
}

func (m *model) RecordRematch(c storage.ChallengeID, of storage.MatchID) error {
	m.rematches[c] = of
	return nil
}

func (m *model) SetThread(c storage.ChallengeID, state storage.ThreadState) error {
	m.threads[c] = state
	return nil
}

func (m *model) AddRatingChanges(changes []storage.RatingChange) error {
	for _, c := range changes {
		if _, err := m.match(c.Match); err != nil {
			return err
		}
		if old, _ := m.RatingChanges(c.Match); len(old) > 0 {
			return storage.ErrConflict
		}
	}
	for _, c := range changes {
		m.changes = append(m.changes, c)
		r, err := find(m.ratings, func(r storage.Rating) bool {
			return r.Game == c.Game && r.List == c.List && r.Person.ID == c.Person.ID
		})
		if err != nil {
			m.ratings = append(m.ratings, storage.Rating{Game: c.Game, List: c.List})
			r = &m.ratings[len(m.ratings)-1]
		}
		r.Person, r.Estimate, r.Match, r.At, r.EstablishedUntil = c.Person, c.After, c.Match, c.At, c.EstablishedUntil
		r.Matches++
		m.provisional[keyOf(*r)] = !c.EstablishedUntil.After(c.At)
	}
	return nil
}

func (m *model) ReplaceRatingChanges(id storage.MatchID, changes []storage.RatingChange) error {
	before, _ := m.RatingChanges(id)
	m.changes = filter(m.changes, func(c storage.RatingChange) bool { return c.Match != id })
	if err := m.AddRatingChanges(changes); err != nil {
		return err
	}
	for _, c := range slices.Concat(before, changes) {
		m.ratings = filter(m.ratings, func(r storage.Rating) bool {
			return r.Game != c.Game || r.List != c.List || r.Person.ID != c.Person.ID
		})
		own, _ := m.RatingHistory(c.Game, c.List, c.Person.ID, len(m.changes))
		if len(own) > 0 {
			c := own[len(own)-1]
			r := storage.Rating{Game: c.Game, List: c.List, Person: c.Person, Estimate: c.After, Matches: len(own), Match: c.Match, At: c.At, EstablishedUntil: c.EstablishedUntil}
			m.ratings = append(m.ratings, r)
			m.provisional[keyOf(r)] = !c.EstablishedUntil.After(c.At)
		}
	}
	return nil
}

func (m *model) ExpireRatings(now time.Time) (n int, err error) {
	for _, r := range m.ratings {
		if !m.provisional[keyOf(r)] && !r.EstablishedUntil.After(now) {
			m.provisional[keyOf(r)] = true
			n++
		}
	}
	return n, nil
}

func (m *model) DeleteRatings() error {
	m.ratings, m.changes = nil, nil
	return nil
}

func (m *model) RecordContact(at time.Time) error {
	m.contact = at
	return nil
}

func (m *model) InsertOutage(o storage.Outage) error {
	m.outages = append(m.outages, o)
	return nil
}

func (m *model) SetPreferences(p storage.Preferences) error {
	m.prefs[p.Person] = p
	return nil
}

func (m *model) SetVacation(v storage.Vacation) error {
	m.vacations = filter(m.vacations, func(o storage.Vacation) bool { return o.Person != v.Person || !o.From.Equal(v.From) })
	if v.To.After(v.From) {
		m.vacations = append(m.vacations, v)
	}
	return nil
}

func (m *model) SetGuildSettings(g storage.GuildSettings) error {
	g.Channels = slices.Compact(slices.Sorted(slices.Values(g.Channels)))
	m.guilds[g.Guild] = g
	return nil
}

func (m *model) SetLocale(id, locale string) error {
	if delete(m.locales, id); locale != "" {
		m.locales[id] = locale
	}
	return nil
}

func (m *model) SetDailyMessage(d storage.DailyMessage) error {
	delete(m.daily, d.Person)
	if !d.DueAt.IsZero() {
		m.daily[d.Person] = d
	}
	return nil
}

func (m *model) MarkProcessed(p storage.ProcessedInteraction) error {
	if _, ok := m.processed[p.Interaction]; ok {
		return storage.ErrAlreadyProcessed
	}
	m.processed[p.Interaction] = p
	return nil
}

func (m *model) PruneProcessed(before time.Time) (n int, err error) {
	for k, p := range m.processed {
		if p.At.Before(before) {
			delete(m.processed, k)
			n++
		}
	}
	return n, nil
}
