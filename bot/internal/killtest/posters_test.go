package killtest_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"castellan/bot/host"
	"castellan/storage"
	"castellan/storage/postgres"
)

// TestPosters kills four processes that all post, again and again, while the clocks of
// sixty matches come to reminders and run out. Every turn, reminder and result is posted
// and notifies once. CASTELLAN_POSTERS sets the number of kills.
func TestPosters(t *testing.T) {
	want := int(number(t, "CASTELLAN_POSTERS", 0))
	if want == 0 {
		t.Skip("set CASTELLAN_POSTERS to the number of kills")
	}
	e := newCluster(t, want, 0, "gateway,worker", "poster", "poster", "poster", "poster,worker")
	e.nodes[0].busy.Lock() // it lives on: while nobody hears from Discord, clocks stand still
	for _, n := range e.nodes {
		must(t, n.stop())
	}
	const each = 30
	// The clocks begin to run out when the processes have started, and then one after
	// the other while these are killed.
	first, spread := 40*time.Second, time.Duration(want)*500*time.Millisecond/each
	begun := e.seedClocks(each, first, spread)
	for _, n := range e.nodes {
		must(t, n.start())
	}
	until := time.Now().Add(first + each*spread)
	for k := 0; (k < want || time.Now().Before(until)) && !e.failed(); k++ {
		e.kill(e.free(), e.trap())
	}
	deadline := time.Now().Add(2 * patience) // leases of killed processes end first
	for e.unfinished(begun) != "" && time.Now().Before(deadline) {
		time.Sleep(200 * time.Millisecond)
	}
	for _, n := range e.nodes {
		must(t, n.stop())
	}
	if left := e.unfinished(begun); left != "" {
		e.fail("%s", left)
	}
	e.checkClocks(begun)
	for kind, times := range e.did {
		t.Logf("%s: %d", kind, times)
	}
	for _, failure := range e.failures {
		t.Error(failure)
	}
}

// clocked is a match that has begun in the past.
type clocked struct {
	id       storage.MatchID
	mover    string
	timesOut bool // else its player is reminded
}

// seedClocks begins two kinds of matches in the past: the players of one are reminded
// during the test, and the others lose on time. The last contact with Discord is now, so
// that no outage stops their clocks.
func (e *killTest) seedClocks(each int, first, spread time.Duration) (all []clocked) {
	e.t.Helper()
	ctx := context.Background()
	link := newLink(e.t, func() (net.Conn, error) { return net.Dial("unix", e.cluster.address()) })
	store, err := postgres.Open(ctx, fmt.Sprintf("postgres://castellan@%s/postgres?sslmode=disable", link.addr()))
	must(e.t, err)
	defer store.Close()
	var now time.Time
	h := host.New(host.Config{
		Store: store, Games: e.games, Seed: rand.Uint64, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
		Limits: host.Limits{MadeByPerson: -1, MadeInGuild: -1, OpenByPerson: -1, OpenInGuild: -1, Running: -1},
	})
	begin := time.Now().UTC().Truncate(time.Second)
	for i := range 2 * each {
		after := first + time.Duration(i%each)*spread
		c := clocked{timesOut: i >= each} // the later ones began earlier: a gap forwards is an outage
		if now = begin.Add(after - 18*time.Hour); c.timesOut {
			now = begin.Add(after - 24*time.Hour)
		}
		channel := e.world.Channels[i%len(e.world.Channels)]
		place := storage.Place{Guild: channel.GuildID, Channel: channel.ID}
		anna, ben := e.world.Users[i%4], e.world.Users[i%4+1]
		actor := func(id, name string) host.Actor {
			return host.Actor{Person: storage.Person{ID: id, Name: name}, Interaction: fmt.Sprintf("seed-%d-%s", i, id), Place: place}
		}
		ch, err := h.CreateChallenge(ctx, actor(anna.ID, anna.Username), host.Proposal{
			Place: place, Opponents: []storage.Person{{ID: ben.ID, Name: ben.Username}}, Game: "trails", First: host.FirstMe, Clock: "1d",
		})
		must(e.t, err)
		_, v, err := h.Accept(ctx, actor(ben.ID, ben.Username), ch.ID)
		must(e.t, err)
		c.id, c.mover = v.Record.ID, anna.ID
		all = append(all, c)
	}
	must(e.t, store.Update(ctx, func(tx storage.Tx) error { return tx.RecordContact(begin) }))
	return all
}

// unfinished returns what the matches still wait for, "" if nothing.
func (e *killTest) unfinished(all []clocked) string {
	for _, c := range all {
		rec, _, err := e.now.record(c.id)
		if err != nil {
			return err.Error()
		}
		if c.timesOut && rec.Ending == "" || !c.timesOut && !rec.Reminded {
			return fmt.Sprintf("match %d waits for its clock: ending %q, reminded %t, to be looked at at %s", c.id, rec.Ending, rec.Reminded, rec.CheckAt)
		}
		boards, _, err := read(e.now, func(r storage.Reader) ([]storage.Board, error) { return r.Boards(c.id) })
		if err != nil {
			return err.Error()
		}
		for _, b := range boards {
			if b.State == storage.BoardDue || b.State == storage.BoardSuperseded || b.NeedsRedraw {
				return fmt.Sprintf("match %d: a board waits: %+v", c.id, b)
			}
		}
	}
	return ""
}

// checkClocks compares boards and notifications with what the clocks have caused.
func (e *killTest) checkClocks(all []clocked) {
	notified := map[string]int{}
	for _, n := range e.chat.Notifications() {
		if b, ok := e.ledger.boardOf(n.MessageID); ok {
			notified[fmt.Sprint(b.match, n.UserID)]++
		}
	}
	standing, lines := map[storage.MatchID]int{}, map[storage.MatchID]int{}
	for _, ch := range e.world.Channels {
		for _, m := range e.chat.As(e.world.Users[0].ID).Messages(ch.ID) {
			if b, ok := shows(m); ok {
				standing[b.match]++
			} else if b, ok := e.ledger.boardOf(m.ID); ok {
				lines[b.match]++
			}
		}
	}
	for _, c := range all {
		// The first board, the reminder and the result notify. One may have been
		// superseded before it was posted.
		boards, _, err := read(e.now, func(r storage.Reader) ([]storage.Board, error) { return r.Boards(c.id) })
		if err != nil {
			e.fail("%v", err)
		}
		notifying, posted, want, events := 0, 0, 0, 2
		if c.timesOut {
			events = 3
		}
		for _, b := range boards {
			if b.Message != "" {
				posted++
			}
			if b.Notify {
				notifying++
				if b.Message != "" {
					want++
				}
			}
		}
		if notifying != events || len(boards) != events {
			e.fail("match %d (times out: %t): %d boards, %d of them notify, not %d: %+v", c.id, c.timesOut, len(boards), notifying, events, boards)
		}
		if got := notified[fmt.Sprint(c.id, c.mover)]; got != want {
			e.fail("match %d (times out: %t): the player to move was notified %d times, not %d", c.id, c.timesOut, got, want)
		}
		if standing[c.id] != 1 || lines[c.id] != posted-1 {
			e.fail("match %d: %d boards and %d lines of earlier ones, not 1 and %d", c.id, standing[c.id], lines[c.id], posted-1)
		}
		e.did["boards"] += posted
		e.did["notifications"] += want
	}
}
