package killtest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/storage"
)

// snapshot reads the database that the bot uses.
type snapshot struct {
	view func(fn func(storage.Reader) error) error
}

// read reads from the snapshot. ok is false if there is no such record.
func read[T any](s *snapshot, get func(storage.Reader) (T, error)) (v T, ok bool, err error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // while the database is restarted
		err = s.view(func(r storage.Reader) (err error) {
			v, err = get(r)
			return err
		})
		if !errors.Is(err, storage.ErrUnreachable) || time.Since(began) > patience {
			break
		}
	}
	if errors.Is(err, storage.ErrNotFound) {
		return v, false, nil
	}
	return v, err == nil, err
}

func (s *snapshot) challenge(id storage.ChallengeID) (storage.Challenge, bool, error) {
	return read(s, func(r storage.Reader) (storage.Challenge, error) { return r.Challenge(id) })
}

func (s *snapshot) record(id storage.MatchID) (storage.Match, bool, error) {
	return read(s, func(r storage.Reader) (storage.Match, error) { return r.Match(id) })
}

// match returns a match and its entries as they are at one moment.
func (s *snapshot) match(id storage.MatchID) (rec storage.Match, entries []storage.Entry, err error) {
	rec, _, err = read(s, func(r storage.Reader) (m storage.Match, err error) {
		if entries, err = r.Entries(id); err != nil {
			return m, err
		}
		return r.Match(id)
	})
	return rec, entries, err
}

// boards describes the newest entries and boards of a match, for a report.
func (s *snapshot) boards(id storage.MatchID) string {
	boards, _, err := read(s, func(r storage.Reader) ([]storage.Board, error) { return r.Boards(id) })
	_, entries, err2 := s.match(id)
	text := fmt.Sprintf("match %d in the database: %d entries (%v)", id, len(entries), errors.Join(err, err2))
	for _, e := range entries[max(0, len(entries)-4):] {
		text += fmt.Sprintf("\n%+v", e)
	}
	for _, b := range boards[max(0, len(boards)-4):] {
		text += fmt.Sprintf("\n%+v", b)
	}
	return text
}

func (s *snapshot) applied(interactions []string) (done storage.ProcessedInteraction, ok bool, err error) {
	for _, id := range interactions {
		one, found, err := read(s, func(r storage.Reader) (storage.ProcessedInteraction, error) { return r.ProcessedInteraction(id) })
		switch {
		case err != nil:
			return done, false, err
		case found && ok:
			return done, false, fmt.Errorf("interactions %s have both been carried out", interactions)
		case found:
			done, ok = one, true
		}
	}
	return done, ok, nil
}

func (s *snapshot) prepared(id storage.MatchID, plan *prepared.Tree) (bool, error) {
	state, _, err := read(s, func(r storage.Reader) (storage.MatchState, error) { return r.LoadMatch(id, 0) })
	return slices.ContainsFunc(state.Prepared, func(p storage.Prepared) bool {
		return p.Turns == plan.Turns && p.Text == plan.String()
	}), err
}

// take records that a pending attempt was committed.
func (t *table) take(s *snapshot, a *attempt, answered bool) error {
	switch {
	case a.creates:
		done, _, err := s.applied(a.ids)
		if err != nil {
			return err
		}
		t.offer = done.Challenge
		ch, _, err := s.challenge(t.offer)
		if err != nil {
			return err
		}
		t.now = offerOf(ch)
		if ch.Game != t.game.Key() || ch.Challenger.ID != t.people[0] || ch.Place.Channel != t.channel {
			return fmt.Errorf("challenge %d is not what was asked for: %+v", t.offer, ch)
		}
		t.e.opened(t, ch)
	case a.offer != nil && a.offer.state == storage.ChallengeAccepted:
		ch, _, err := s.challenge(t.offer)
		if err != nil {
			return err
		}
		rec, ok, err := s.record(ch.Match)
		if err != nil || !ok {
			return fmt.Errorf("challenge %d was accepted, and there is no match %d (%w)", t.offer, ch.Match, err)
		}
		if err := t.begin(rec); err != nil {
			return err
		}
		// Nobody else plays at this table, so the new match must have no turns yet.
		if _, err := t.compare(s); err != nil {
			return err
		}
	case a.offer != nil:
		t.now = *a.offer
		if t.now.state != storage.ChallengeOpen {
			t.leave()
		}
		return nil
	default:
		t.apply(a)
		for _, id := range a.ids {
			if _, ok, err := s.applied([]string{id}); err != nil {
				return err
			} else if ok {
				t.past = append(t.past, id)
			}
		}
		return nil
	}
	if answered {
		t.e.count(func(f *figures) { f.acknowledged++ })
	}
	return nil
}

func offerOf(ch storage.Challenge) offer {
	o := offer{state: ch.State}
	for _, p := range ch.Joined {
		o.joined = append(o.joined, p.ID)
	}
	return o
}

// compare fails if a snapshot differs from the table's record by anything but the
// whole pending attempt. stands reports whether that attempt was committed.
func (t *table) compare(s *snapshot) (stands bool, err error) {
	a := t.pending
	switch {
	case t.match != 0:
		return t.compareLog(s)
	case t.offer != 0:
		ch, ok, err := s.challenge(t.offer)
		if err != nil || !ok {
			return false, fmt.Errorf("challenge %d is gone (%w)", t.offer, err)
		}
		now := offerOf(ch)
		if a != nil && a.offer != nil && now.equal(*a.offer) {
			return true, nil
		}
		if !now.equal(t.now) {
			return false, fmt.Errorf("challenge %d is %v, and it was %v", t.offer, now, t.now)
		}
	case a != nil && a.creates:
		_, ok, err := s.applied(a.ids)
		return ok, err
	}
	return false, nil
}

// replay returns the stored match, played again from its entries, and its record.
func (t *table) replay(s *snapshot) (*match.Match, storage.Match, error) {
	rec, stored, err := s.match(t.match)
	if err != nil {
		return nil, rec, err
	}
	log := make([]match.Entry, len(stored))
	for i, e := range stored {
		log[i] = match.Entry{Seq: e.Seq, Kind: match.Kind(e.Kind), Seat: engine.Seat(e.Seat), Text: e.Text, At: e.At, Interaction: e.Interaction}
	}
	m, err := match.Replay(t.game, t.model.Settings(), log)
	if err != nil {
		return nil, rec, fmt.Errorf("match %d does not replay: %w", t.match, err)
	}
	return m, rec, nil
}

func (t *table) compareLog(s *snapshot) (stands bool, err error) {
	m, rec, err := t.replay(s)
	if err != nil {
		return false, err
	}
	stored := m.Log()
	got, want := said(stored), said(t.log)
	if len(got) < len(want) {
		t.e.count(func(f *figures) { f.lost++ })
		return false, fmt.Errorf("match %d has lost %q", t.match, want[len(got):])
	}
	if !slices.Equal(got[:len(want)], want) {
		return false, fmt.Errorf("the log of match %d is\n%q, and it was\n%q", t.match, got, want)
	}
	rest, a, wanted := got[len(want):], t.pending, t.offers
	offered := offers.Parse(rec.Offers, m.PublicSeq())
	switch {
	case a != nil && a.offers != nil && (len(rest) > 0 || len(a.entries) == 0 && offered.String() == a.offers.String()):
		stands, wanted = true, *a.offers
	case m.PublicSeq() != t.offers.Seq: // the action of an open turn leaves an offer standing
		wanted = offers.List{Seq: m.PublicSeq()}
	}
	if offered.String() != wanted.String() {
		t.e.count(func(f *figures) { f.repeated++ })
		return false, fmt.Errorf("the offers of match %d are %q after %q, not %q; pending %+v", t.match, offered, rest, wanted, a)
	}
	if len(rest) == 0 {
		return stands, nil
	}
	if a == nil || !slices.Equal(rest, said(a.entries)) {
		t.e.count(func(f *figures) { f.repeated++ })
		return false, fmt.Errorf("match %d has %q, which nobody has played; pending %+v", t.match, rest, a)
	}
	cause := stored[len(want)].Interaction
	for _, e := range stored[len(want):] {
		if e.Interaction != cause && !strings.HasPrefix(e.Interaction, match.PreparedBy) || !slices.Contains(a.ids, cause) {
			return false, fmt.Errorf("match %d: entry %d is of interaction %s, not of one of %s", t.match, e.Seq, e.Interaction, a.ids)
		}
	}
	return true, nil
}

// letPass notes what the clock of the match requires of the bot once time has
// passed: a reminder, or the end of the player's time.
func (t *table) letPass(s *snapshot, to time.Time) error {
	t.past = nil // the bot forgets interactions after a day
	if t.match == 0 {
		return nil
	}
	m, rec, err := t.replay(s)
	if err != nil {
		return err
	}
	outages, _, err := read(s, func(r storage.Reader) ([]storage.Outage, error) { return r.Outages(rec.CreatedAt) })
	if err != nil {
		return err
	}
	var spans []match.Span
	for _, o := range outages {
		spans = append(spans, match.Span{From: o.From, To: o.To})
	}
	seat, began, at := m.Seat(), m.Open().BeganAt, m.Deadline(rec.CreatedAt, spans)
	if began.IsZero() {
		began = rec.CreatedAt
	}
	switch {
	case at.IsZero(): // the player is reminded when others can claim the match
		if seat != engine.Nobody && !rec.Reminded && !to.Before(match.Deadline(began, host.ClaimAfter, seat, spans)) {
			t.due[notice{keyOf(t.model), t.order[seat-1]}]++
			t.e.count(func(f *figures) { f.reminders++ })
		}
	case !to.Before(at):
		entries, err := t.model.Timeout(seat, moment)
		if err != nil {
			return err
		}
		t.pending = &attempt{entries: entries, ids: []string{fmt.Sprintf("clock-%d-%d", t.match, m.Seq())}}
		t.e.count(func(f *figures) { f.timeouts++ })
	case !rec.Reminded && !to.Before(at.Add(-m.TimeLeft(rec.CreatedAt, spans)[seat-1]/4)):
		t.due[notice{keyOf(t.model), t.order[seat-1]}]++
		t.e.count(func(f *figures) { f.reminders++ })
	}
	return nil
}

// said returns the texts of entries, without times and interactions, for comparison.
func said(entries []match.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = fmt.Sprintf("%d %s %d %s", e.Seq, e.Kind, e.Seat, e.Text)
	}
	return all
}
