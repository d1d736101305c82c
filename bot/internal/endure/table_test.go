package endure_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

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
	past  []deed                         // the interactions that have played
	due   map[notice]int                 // the notifications that must have been made
	keys  []string                       // by sequence number, the event of which a board notifies (see keyOf)
	plan  *prepared.Tree                 // what the player who waits has prepared; nil if nothing
	plans map[engine.Seat]*prepared.Tree // earlier ones that can hold again, see keepPlan
	limit int                            // the number of turns after which a player resigns

	offers offers.List // since the last turn

	way   way
	turn  []engine.Action // the actions still to be played of the chosen turn
	panel string          // the message of the player's panel
	stuck string          // what somebody could not do, because messages change meanwhile

	next    *attempt // the attempt that the last answer requires
	pending *attempt
	doubt   recovery // how the pending attempt is resolved
}

// offer is a challenge as its table knows it.
type offer struct {
	state  storage.ChallengeState
	joined []string
}

func (o offer) equal(p offer) bool { return o.state == p.state && slices.Equal(o.joined, p.joined) }

// deed is an interaction that counted, and who sent it.
type deed struct{ by, interaction string }

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
	clock   bool           // the bot does it, because the time of a player is up

	// then is called when the attempt has been answered. It may be nil.
	then func(sandbox.Interaction)
}

func (a *attempt) changes() bool {
	return a.creates || a.offer != nil || len(a.entries) > 0 || a.offers != nil
}

// plays reports whether an attempt plays or prepares a turn.
func (a *attempt) plays() bool { return len(a.entries) > 0 || a.plan != nil }

// recovery is a person's way to go on after an unanswered attempt.
type recovery int

const (
	look      recovery = iota // they look at the channel and go on from there
	redo                      // they repeat the attempt, committed or not
	redeliver                 // they do nothing, and Discord delivers it again
)

// live has people play until the context is done or there is nothing to do
// before the next kill.
func (t *table) live(ctx context.Context) error {
	t.turn, t.panel, t.next = nil, "", nil
	if a := t.pending; a != nil {
		var err error
		if a.clock {
			err = t.awaitTimeout(ctx, a)
		} else if t.doubt == redeliver {
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

// execute carries out an attempt and waits for its answer. The attempt stays
// pending if only the database can tell whether it was committed.
func (t *table) execute(ctx context.Context, a *attempt) error {
	t.pending = a
	i, err := a.send()
	if err != nil {
		if len(a.ids) > 0 {
			// The clicked message has been updated meanwhile, so a click before the
			// kill may have counted. The database after the next kill shows it.
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
	t.panel = "" // the answer may have replaced the panel
	return t.e.ledger.wait(ctx, func() bool { return t.e.ledger.tries(id) > tries })
}

// answered records an acknowledged attempt. If the answer is a question, because
// the turn has a risk, the person plays or prepares it next.
func (t *table) answered(a *attempt, i sandbox.Interaction) {
	who := t.e.chat.As(a.by)
	if message, yes := t.question(who, i); yes != "" && a.plays() {
		t.pending = nil
		t.next = &attempt{by: a.by, entries: a.entries, plan: a.plan, then: a.then, repeat: true, send: click(who, t.channel, message, yes)}
		return
	}
	if len(a.entries) > 0 || a.offers != nil {
		t.apply(a)
		t.past = append(t.past, deed{a.by, i.ID})
		t.e.count(func(f *figures) { f.acknowledged++ })
	}
	switch {
	case a.creates, a.offer != nil && a.offer.state == storage.ChallengeAccepted:
		return // the database after the next kill tells the number
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

// awaitTimeout waits until the bot has shown that the time of a player was up.
func (t *table) awaitTimeout(ctx context.Context, a *attempt) error {
	after, err := t.model.With(a.entries...)
	if err != nil {
		return err
	}
	want := board{t.match, after.PublicSeq()}
	bounded, cancel := context.WithTimeoutCause(ctx, patience, errImpatient)
	defer cancel()
	err = t.e.ledger.wait(bounded, func() bool {
		shown, ok := t.e.ledger.boardOf(t.e.ledger.last(t.match))
		return ok && shown == want
	})
	if err != nil {
		if ctx.Err() == nil {
			t.e.fail("%s: match %d: the time of seat %d is up, and nothing happens", t.name, t.match, t.model.Seat())
		}
		return err
	}
	t.apply(a)
	t.pending = nil
	return nil
}

// leave forgets a challenge or match that is over.
func (t *table) leave() {
	t.e.finished(t)
	t.offer, t.now = 0, offer{}
	t.match, t.order, t.model, t.log, t.past, t.due, t.keys = 0, nil, nil, nil, nil, nil, nil
	t.turn, t.panel, t.next, t.plan, t.plans, t.offers = nil, "", nil, nil, nil, offers.List{}
}

// keepPlan updates the table's plan after new entries. A plan whose condition did not
// occur is kept, because it applies again if that turn is taken back by agreement.
func (t *table) keepPlan(before *match.Match) {
	turns := len(t.model.Turns())
	waiting := func(m *match.Match) engine.Seat { return 3 - m.Seat() } // of two, who alone prepare
	switch earlier := len(before.Turns()); {
	case t.model.Seat() == engine.Nobody:
		t.plan, t.plans = nil, nil
	case turns > earlier && t.plan != nil:
		t.plans[waiting(before)], t.plan = t.plan, nil
	case turns < earlier:
		t.plan = nil
		maps.DeleteFunc(t.plans, func(seat engine.Seat, p *prepared.Tree) bool {
			return p.Turns > turns || slices.Contains(t.model.TookBackPrepared(t.model.Seq()), seat)
		})
		if p := t.plans[waiting(t.model)]; p != nil && p.Turns == turns {
			t.plan = p
		}
	}
}

// addEntries records entries that count.
func (t *table) addEntries(entries []match.Entry) {
	before := t.model
	entries = slices.Clone(entries)
	for i, e := range entries { // each attempt is one request, which its player can take back
		entries[i].Interaction = strings.Replace(e.Interaction, moment.Interaction, fmt.Sprint(before.Seq()), 1)
	}
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
	t.keepPlan(before)
	t.log = append(t.log, entries...)
	key := keyOf(after)
	for len(t.keys) <= after.Seq() {
		t.keys = append(t.keys, key)
	}
	if after.PublicSeq() == before.PublicSeq() || key == keyOf(before) {
		return // no new turn has begun, so nobody is notified
	}
	for _, who := range t.notified() {
		t.due[notice{key, who}]++ // a takeback begins a turn again
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
	if seat := t.model.Seat(); seat != engine.Nobody {
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
	t.order, t.log, t.due, t.plans = nil, nil, map[notice]int{}, map[engine.Seat]*prepared.Tree{}
	for _, p := range rec.Seats {
		t.order = append(t.order, p.ID)
	}
	t.keys = []string{keyOf(t.model)}
	for _, who := range t.notified() {
		t.due[notice{t.keys[0], who}] = 1
	}
	t.limit = 6 + t.r.IntN(20)
	t.e.begunMatch()
	return nil
}
