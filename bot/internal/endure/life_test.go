package endure_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// deadly lists the routes whose requests the bot is killed at. An empty route
// stands for all.
var deadly = []struct {
	method, route string
	most          int // requests that are let through first
}{
	{"", "", 12},
	{"", "", 12},
	{http.MethodPost, "/channels/{channel_id}/messages", 3},
	{http.MethodPatch, "/channels/{channel_id}/messages/{message_id}", 3},
	{http.MethodPost, "/interactions/{interaction_id}/{interaction_token}/callback", 5},
	{http.MethodPatch, "/webhooks/{webhook_id}/{webhook_token}/messages/@original", 0},
}

// fault returns a fault that holds the request at which the process is killed.
func fault(r *rand.Rand, where phase, early bool) sandbox.Fault {
	one := deadly[r.IntN(len(deadly))]
	f := sandbox.Fault{Kind: sandbox.FaultHold, Method: one.method, Route: one.route, Skip: r.IntN(one.most + 1), After: where != beforeWork}
	if early {
		f.Method, f.Route, f.Skip = "", "", r.IntN(8)
	}
	return f
}

// life starts the bot, has people play until it is killed, and checks the
// database that it has left.
func (e *killTest) life() {
	where, early := phase(e.r.IntN(int(phases))), e.r.IntN(8) == 0
	deadly := fault(e.r, where, early)
	var planned *sandbox.Planned
	if e.windDown {
		early = false
	}
	if early {
		planned = e.chat.MustPlan(deadly)
	}
	e.ledger.begin()
	ctx, died := context.WithCancelCause(context.Background())
	defer died(nil)
	var playing sync.WaitGroup
	idle := make(chan struct{})
	if e.start(planned) {
		if !early && !e.windDown {
			planned = e.chat.MustPlan(deadly)
		}
		for _, t := range e.tables {
			playing.Go(func() {
				if err := t.live(ctx); err != nil && !errors.Is(err, errDied) {
					e.fail("%s: %v", t.name, err)
				}
			})
		}
		go func() { playing.Wait(); close(idle) }()
	}
	if len(e.failed()) == 0 {
		e.await(planned, idle, where)
	}
	e.process.kill()
	died(errDied)
	playing.Wait()
	quiet, cancel := context.WithTimeoutCause(context.Background(), patience, errImpatient)
	defer cancel()
	if err := e.server.quiet(quiet); err != nil {
		e.fail("waiting for the last requests of the dead: %v", err)
	}
	if planned != nil {
		planned.Remove()
	}
	if hit := e.ledger.fatalRequest(); hit != nil {
		e.count(func(f *figures) { f.routes[hit.request]++ })
	}
	if len(e.failed()) == 0 {
		e.checkRemains()
	}
}

// start starts the bot and reports whether it gets ready before it is killed.
func (e *killTest) start(planned *sandbox.Planned) bool {
	began := time.Now()
	e.spec.Seed = e.r.Uint64()
	p, err := startProcess(e.spec)
	must(e.t, err)
	e.process = p
	select {
	case <-p.ready:
		e.count(func(f *figures) { f.startup += time.Since(began); f.starts++ })
		return true
	case <-reached(planned):
		e.count(func(f *figures) { f.starting++ })
	case <-p.done:
		e.fail("the bot ended by itself: %v", p.err)
	case <-time.After(patience):
		e.fail("the bot does not start")
	}
	return false
}

// reached returns a channel that is closed when the held request has arrived.
func reached(planned *sandbox.Planned) <-chan struct{} {
	if planned == nil {
		return nil
	}
	return planned.Reached()
}

// await waits for the moment to kill.
func (e *killTest) await(planned *sandbox.Planned, idle <-chan struct{}, where phase) {
	select {
	case <-reached(planned):
		e.count(func(f *figures) { f.kills[where]++ })
	case <-idle:
		e.count(func(f *figures) { f.resting++ })
		return
	case <-e.process.done:
		e.fail("the bot ended by itself: %v", e.process.err)
		return
	case <-time.After(patience + 10*time.Second): // tables give up earlier
		e.fail("nothing happens any more")
		return
	}
	if where == afterReply {
		planned.Release()
		ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errImpatient)
		defer cancel()
		if err := e.ledger.wait(ctx, func() bool { return e.ledger.fatalRequest() != nil }); err != nil {
			e.fail("an answer was not made: %v", err)
			return
		}
		<-e.ledger.fatalRequest().delivered
	}
}

// How much time passes between a kill and the next start. After shortDeath Discord
// still knows the nonces of posts (some minutes); after longDeath the bot has to
// search the channel for them. After both, the interactions of the dead process
// can no longer be answered (three seconds).
const (
	shortDeath = 4 * time.Second
	longDeath  = 11 * time.Minute
)

// quietTimes are how long nobody plays while the bot is running. After the first
// the clock of one day requires a reminder, after the second it has run out.
var quietTimes = []time.Duration{19*time.Hour + 17*time.Minute, 31*time.Hour + 13*time.Minute}

// checkRemains compares the database with what the tables know.
func (e *killTest) checkRemains() {
	s, err := takeSnapshot(e.spec.Database)
	must(e.t, err)
	defer func() { must(e.t, s.close()) }()
	between, again := false, false
	for _, t := range e.tables {
		one, err := t.resolve(s)
		if err != nil {
			e.fail("%v", err)
		}
		between = between || one
		again = again || t.pending != nil && t.doubt == redeliver
	}
	if between && e.ledger.fatalRequest() != nil {
		e.count(func(f *figures) { f.between++ })
	}
	if err := e.checkNothingElse(s); err != nil {
		e.fail("%v", err)
	}
	for id := range e.alive {
		if !e.ledger.isAnswered(id) {
			e.orphans[id] = true
		}
	}
	e.alive, e.spec.Quiet = map[string]bool{}, false
	if again { // no time passes, so that the interaction can be answered when it is delivered again
		return
	}
	dead := shortDeath
	if e.r.IntN(2) == 0 {
		dead = longDeath
	}
	e.spec.Clock = e.spec.Clock.Add(dead)
	e.clock.advance(dead)
}

// quietLife starts the bot while nobody plays, and ends it many hours later, up to
// which it was running and in contact with Discord.
func (e *killTest) quietLife() {
	e.ledger.begin()
	if !e.start(nil) {
		return
	}
	for _, t := range e.tables {
		if err := t.settled(context.Background()); err != nil {
			return
		}
	}
	if err := e.process.stop(); err != nil {
		e.fail("the bot stopped with: %v", err)
		return
	}
	s, err := takeSnapshot(e.spec.Database)
	must(e.t, err)
	defer func() { must(e.t, s.close()) }()
	quiet := quietTimes[e.r.IntN(len(quietTimes))]
	e.spec.Clock, e.spec.Quiet = e.spec.Clock.Add(quiet), true
	e.clock.advance(quiet)
	for _, t := range e.tables {
		if err := t.letPass(s, e.spec.Clock); err != nil {
			e.fail("%s: %v", t.name, err)
		}
	}
}

// checkNothingElse fails if a snapshot has a challenge or match that nobody made.
// Identifiers are counted from 1.
func (e *killTest) checkNothingElse(s *snapshot) error {
	if ch, ok, err := s.challenge(e.lastOffer + 1); err != nil || ok {
		return fmt.Errorf("there is a challenge that nobody has made: %+v (%w)", ch, err)
	}
	if rec, ok, err := s.record(e.lastMatch + 1); err != nil || ok {
		return fmt.Errorf("there is a match that nobody has begun: %+v (%w)", rec, err)
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
