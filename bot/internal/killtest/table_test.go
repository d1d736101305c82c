package killtest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"castellan/bot/host/offers"
	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
	"castellan/storage"
)

// table is a channel in which some people play one match after another. It keeps
// its own record of what the bot has acknowledged; a database that differs from
// it is wrong. Only one attempt is under way at a time.
type table struct {
	e       *killTest
	name    string
	r       *rand.Rand
	channel string
	game    engine.Game
	options []sandbox.CommandOption
	people  []string // the challenger first
	seats   int      // seats of a lobby; 0 for a challenge to one person

	// The open challenge, 0 if there is none.
	offer storage.ChallengeID
	now   offer

	// The running match, 0 if there is none.
	match storage.MatchID
	from  storage.ChallengeID // the match's challenge
	order []string            // people by seat
	model *match.Match
	log   []match.Entry
	past  []string       // the interactions that have played
	due   map[notice]int // the notifications that must have been made
	keys  []string       // by sequence number, the event of which a board notifies (see keyOf)
	plan  *prepared.Tree // what the player who waits has prepared; nil if nothing
	limit int            // the number of turns after which a player resigns

	offers offers.List // since the last turn

	way   way
	turn  []engine.Action // the actions still to be played of the chosen turn
	panel string          // the message of the player's panel
	stuck string          // what somebody could not do, because messages change meanwhile

	next    *attempt // the attempt that the last answer requires
	pending *attempt
}

// offer is a challenge as its table knows it.
type offer struct {
	state  storage.ChallengeState
	joined []string
}

func (o offer) equal(p offer) bool { return o.state == p.state && slices.Equal(o.joined, p.joined) }

// notice is a notification of an event (see keyOf) to a person.
type notice struct{ of, to string }

// attempt is an interaction that may or may not have been committed yet.
type attempt struct {
	by     string
	send   func() (sandbox.Interaction, error)
	repeat bool // repeating the attempt is harmless if it was committed
	ids    []string

	// The expected change: a new challenge, a changed challenge, new log entries,
	// changed offers, or nothing.
	creates bool
	offer   *offer
	entries []match.Entry
	offers  *offers.List
	asks    []engine.Seat  // that are asked to answer a new offer
	settles offers.State   // of the offer that no longer stands
	plan    *prepared.Tree // what the person prepares
	onBoard bool           // a press of a button of the board that plays

	// then is called when the attempt has been answered. It may be nil.
	then func(sandbox.Interaction)
}

func (a *attempt) changes() bool {
	return a.creates || a.offer != nil || len(a.entries) > 0 || a.offers != nil
}

// plays reports whether an attempt plays or prepares a turn.
func (a *attempt) plays() bool { return len(a.entries) > 0 || a.plan != nil }

// leave forgets a challenge or match that is over.
func (t *table) leave() {
	t.e.finished(t)
	t.offer, t.now = 0, offer{}
	t.match, t.order, t.model, t.log, t.past, t.due, t.keys = 0, nil, nil, nil, nil, nil, nil
	t.turn, t.panel, t.next, t.plan, t.offers = nil, "", nil, nil, offers.List{}
}

// addEntries records entries that count.
func (t *table) addEntries(entries []match.Entry) {
	before := t.model
	after, err := before.With(entries...)
	if err != nil {
		t.e.fail("%s: match %d: %v", t.name, t.match, err)
		return
	}
	t.e.count(func(f *figures) {
		for _, turn := range after.Turns()[min(len(before.Turns()), len(after.Turns())):] {
			if turn.Prepared {
				f.prepared++
			}
		}
	})
	t.model = after
	if len(after.Turns()) > len(before.Turns()) || after.Seat() == engine.Nobody {
		t.plan = nil // it was played, or its condition did not occur
	}
	t.log = append(t.log, entries...)
	key := keyOf(after)
	for len(t.keys) <= after.Seq() {
		t.keys = append(t.keys, key)
	}
	if after.PublicSeq() == before.PublicSeq() || key == keyOf(before) {
		return // no new turn has begun, so nobody is notified
	}
	for _, who := range t.notified() {
		t.due[notice{key, who}]++
	}
	if _, over := after.Over(); !over {
		t.e.count(func(f *figures) { f.turns++ })
	}
}

// keyOf returns the event of which a board of a match notifies: a turn, or the end.
func keyOf(m *match.Match) string {
	if _, over := m.Over(); over {
		return "end"
	}
	return fmt.Sprintf("turn %d of seat %d", m.Open().Number, m.Seat())
}

// notified returns the people whom the current board of the match notifies.
func (t *table) notified() (people []string) {
	switch seat := t.model.Seat(); {
	case seat != engine.Nobody && len(t.order) > 2 && t.model.PublicSeq() == 0:
		return t.order // a table begins
	case seat != engine.Nobody:
		return []string{t.order[seat-1]}
	}
	out, _ := t.model.Over()
	by := out.By
	if by == engine.Nobody && out.TimedOut == engine.Nobody {
		if last, _ := t.model.Last(); !last.Prepared {
			by = last.Seat
		}
	}
	for i, who := range t.order {
		if engine.Seat(i+1) != by {
			people = append(people, who)
		}
	}
	return people
}

// begin records the start of a match, whose number is known now.
func (t *table) begin(rec storage.Match) error {
	options, err := t.game.Options().Parse(rec.Options)
	if err != nil {
		return err
	}
	clock, err := match.ParseClock(rec.Clock)
	if err != nil {
		return err
	}
	t.model, err = match.Start(t.game, match.Settings{Game: rec.Game, Version: rec.RulesVersion, Options: options, Seats: len(rec.Seats), Clock: clock})
	if err != nil {
		return err
	}
	t.match, t.from, t.offer, t.now = rec.ID, t.offer, 0, offer{}
	t.order, t.log, t.due = nil, nil, map[notice]int{}
	for _, p := range rec.Seats {
		t.order = append(t.order, p.ID)
	}
	t.keys = []string{keyOf(t.model)}
	for _, who := range t.notified() {
		t.due[notice{t.keys[0], who}] = 1
	}
	t.limit = 6 + t.r.IntN(20)
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	t.e.f.matches++
	t.e.lastMatch++
	return nil
}
