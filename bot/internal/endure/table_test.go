package endure_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"castellan/bot/sandbox"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// table is some people who play one game after another in a channel. It keeps
// its own record of what the bot has acknowledged; a database that differs is
// wrong. At each moment one of them does one thing.
type table struct {
	e       *killTest
	name    string
	r       *rand.Rand
	channel string
	game    engine.Game
	options []sandbox.CommandOption
	people  []string // the challenger first
	seats   int      // of a lobby; 0 where one person is named

	// The challenge that is open, 0 while there is none.
	offer storage.ChallengeID
	now   offer

	// The match that goes on, 0 while there is none.
	match storage.MatchID
	from  storage.ChallengeID // that it came from
	order []string            // people by seat
	model *match.Match
	log   []match.Entry
	past  []deed          // what has been played
	due   map[notice]bool // who is to have been notified of what
	keys  []string        // by sequence number: what a board of it notifies of
	limit int             // turns until somebody resigns

	way   way
	turn  []engine.Action // what is left of the turn that somebody has in mind
	panel string          // the message of their panel

	next    *attempt // what follows from the last answer
	pending *attempt
	doubt   recovery // what is done about a pending attempt
}

// offer is a challenge as its table knows it.
type offer struct {
	state  storage.ChallengeState
	joined []string
}

func (o offer) equal(p offer) bool { return o.state == p.state && slices.Equal(o.joined, p.joined) }

// deed is an interaction that counted, and who sent it.
type deed struct{ by, interaction string }

// notice is a notification: of what, and to whom.
type notice struct{ of, to string }

// attempt is one thing that somebody does, until it is known whether it was
// committed.
type attempt struct {
	by     string
	send   func() (sandbox.Interaction, error)
	repeat bool // it may be done again by who does not know whether it counts
	ids    []string

	// What it is to change: a new challenge, a challenge, a log, or nothing.
	creates bool
	offer   *offer
	entries []match.Entry

	// then is what the person goes on with when it is answered. May be nil.
	then func(sandbox.Interaction)
}

func (a *attempt) changes() bool { return a.creates || a.offer != nil || len(a.entries) > 0 }

// recovery is what somebody does about an unanswered attempt.
type recovery int

const (
	look      recovery = iota // at the channel, and goes on from there
	redo                      // the same once more, whatever came of it
	redeliver                 // nothing: Discord delivers it again
)

// live has people play until the context is done or there is nothing to do
// before the next kill.
func (t *table) live(ctx context.Context) error {
	t.turn, t.panel, t.next = nil, "", nil
	if a := t.pending; a != nil {
		var err error
		if t.doubt == redeliver {
			err = t.deliverAgain(ctx, a)
		} else {
			err = t.execute(ctx, a)
		}
		if err != nil || t.pending != nil {
			return err
		}
	}
	for {
		if err := t.settled(ctx); err != nil {
			return err
		}
		if err := t.repeatDeed(ctx); err != nil {
			return err
		}
		a := t.choose()
		if a == nil || len(t.e.failed()) > 0 {
			return nil
		}
		if err := t.execute(ctx, a); err != nil || t.pending != nil {
			return err
		}
	}
}

// execute does something and waits for its answer. It stays pending if only
// the next kill shows what came of it.
func (t *table) execute(ctx context.Context, a *attempt) error {
	t.pending = a
	i, err := a.send()
	if err != nil {
		if len(a.ids) > 0 {
			// What was clicked has been brought up to date meanwhile. Whether
			// it counted shows at the next death.
			if !a.changes() {
				t.pending = nil
			}
			return nil
		}
		return fmt.Errorf("%s: %w", t.name, err)
	}
	a.ids = append(a.ids, i.ID)
	t.e.begun(i.ID)
	if err := t.e.ledger.wait(ctx, func() bool { return t.e.ledger.isAnswered(i.ID) }); err != nil {
		return err
	}
	i, _ = t.e.chat.Interaction(i.ID)
	t.answered(a, i)
	return nil
}

// deliverAgain has Discord deliver the pending interaction again.
func (t *table) deliverAgain(ctx context.Context, a *attempt) error {
	id := a.ids[len(a.ids)-1]
	tries := t.e.ledger.tries(id)
	if err := t.e.chat.Redeliver(id); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	if err := t.e.ledger.wait(ctx, func() bool { return t.e.ledger.tries(id) > tries }); err != nil {
		return err
	}
	if t.e.ledger.isAnswered(id) {
		i, _ := t.e.chat.Interaction(id)
		t.answered(a, i)
	}
	return nil
}

// repeatDeed sometimes has Discord deliver an old interaction again, when it is
// the same person's turn and it could be played once more.
func (t *table) repeatDeed(ctx context.Context) error {
	if t.match == 0 || t.model.Seat() == engine.Nobody || t.r.IntN(6) != 0 {
		return nil
	}
	who := t.order[t.model.Seat()-1]
	mine := slices.DeleteFunc(slices.Clone(t.past), func(d deed) bool { return d.by != who })
	if len(mine) == 0 {
		return nil
	}
	id := mine[t.r.IntN(len(mine))].interaction
	tries := t.e.ledger.tries(id)
	if err := t.e.chat.Redeliver(id); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	t.e.count(func(f *figures) { f.longAgo++ })
	t.panel = "" // its answer may have been put there
	return t.e.ledger.wait(ctx, func() bool { return t.e.ledger.tries(id) > tries })
}

// answered records an acknowledged attempt. If the answer is a question, because
// the turn has a risk, the person plays it next.
func (t *table) answered(a *attempt, i sandbox.Interaction) {
	who := t.e.chat.As(a.by)
	if yes := find(t.message(who, i.MessageID), "/confirm/"); yes != "" && len(a.entries) > 0 {
		t.pending = nil
		t.next = &attempt{by: a.by, entries: a.entries, repeat: true, send: click(who, t.channel, i.MessageID, yes)}
		return
	}
	if len(a.entries) > 0 {
		t.addEntries(a.entries)
		t.past = append(t.past, deed{a.by, i.ID})
		t.e.count(func(f *figures) { f.acknowledged++ })
	}
	switch {
	case a.creates, a.offer != nil && a.offer.state == storage.ChallengeAccepted:
		return // its number is learnt at the next death
	case a.offer != nil:
		t.now = *a.offer
		t.e.count(func(f *figures) { f.acknowledged++ })
		if t.now.state != storage.ChallengeOpen {
			t.leave()
		}
	}
	t.pending = nil
	if a.then != nil {
		a.then(i)
	}
}

// leave gets up from a challenge or match that is over.
func (t *table) leave() {
	t.e.finished(t)
	t.offer, t.now = 0, offer{}
	t.match, t.order, t.model, t.log, t.past, t.due, t.keys = 0, nil, nil, nil, nil, nil, nil
	t.turn, t.panel, t.next = nil, "", nil
}

// addEntries records entries that count.
func (t *table) addEntries(entries []match.Entry) {
	before := t.model
	after, err := before.With(entries...)
	if err != nil {
		t.e.fail("%s: match %d: %v", t.name, t.match, err)
		return
	}
	t.model = after
	t.log = append(t.log, entries...)
	key := keyOf(after)
	for len(t.keys) <= after.Seq() {
		t.keys = append(t.keys, key)
	}
	if after.PublicSeq() == before.PublicSeq() || key == keyOf(before) {
		return // nobody else is concerned
	}
	for _, who := range t.notified() {
		t.due[notice{key, who}] = true
	}
	if _, over := after.Over(); !over {
		t.e.count(func(f *figures) { f.turns++ })
	}
}

// keyOf names what a board of a match notifies of: a turn, or the end.
func keyOf(m *match.Match) string {
	if _, over := m.Over(); over {
		return "end"
	}
	return fmt.Sprintf("turn %d of seat %d", m.Open().Number, m.Seat())
}

// notified returns whom the current board of the match notifies.
func (t *table) notified() (people []string) {
	if seat := t.model.Seat(); seat != engine.Nobody {
		return []string{t.order[seat-1]}
	}
	out, _ := t.model.Over()
	by := out.By
	if by == engine.Nobody {
		last, _ := t.model.Last()
		by = last.Seat
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
	t.model, err = match.Start(t.game, match.Settings{Game: rec.Game, Version: rec.RulesVersion, Options: options, Seats: len(rec.Seats)})
	if err != nil {
		return err
	}
	t.match, t.from, t.offer, t.now = rec.ID, t.offer, 0, offer{}
	t.order, t.log, t.due = nil, nil, map[notice]bool{}
	for _, p := range rec.Seats {
		t.order = append(t.order, p.ID)
	}
	t.keys = []string{keyOf(t.model)}
	for _, who := range t.notified() {
		t.due[notice{t.keys[0], who}] = true
	}
	t.limit = 6 + t.r.IntN(20)
	t.e.begunMatch()
	return nil
}
