package interaction

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/discordtest"
)

// A flood starts no more work than there is room for. People beyond that wait
// for a moment and are then told so, and beyond that their interactions are
// dropped and logged.
func TestTooManyInteractions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 5
		running, gate := make(chan struct{}, maxServed), make(chan struct{})
		k := newKit(t, func(context.Context, *Request) (Response, error) {
			running <- struct{}{}
			<-gate
			return PrivateText("done"), nil
		})
		k.config.Observe = nil
		k.admission.limit = limit
		for range limit {
			k.Accept(t.Context(), k.of(Command))
		}
		synctest.Wait()
		k.Accept(t.Context(), k.of(Command))
		k.Accept(t.Context(), k.of(Component))
		synctest.Wait()
		if got := k.Take(); len(got) != 0 {
			t.Errorf("answered at once: %v", got)
		}
		time.Sleep(burstPatience)
		synctest.Wait()
		got := k.Take()
		if s := discordtest.Summary(got); s != "callback 4, callback 4" {
			t.Errorf("%s", s)
		}
		for _, r := range got {
			if !r.Private() || !strings.Contains(r.Text(), "I am too busy") {
				t.Errorf("%s", r.Body)
			}
		}
		if got := len(running); got != limit {
			t.Errorf("%d are served", got)
		}
		if log := k.log.Take(); strings.Count(log, "WARN too many interactions at a time") != 1 || !strings.Contains(log, "rejected=1") {
			t.Errorf("log %s", log)
		}
		k.admission.queue, k.admission.busy = make([]*slot, maxQueued), maxBusy
		for range 2*logEvery + 1 {
			k.Accept(t.Context(), k.of(Command))
		}
		if log := k.log.Take(); strings.Count(log, "WARN interaction dropped") != 3 || !strings.Contains(log, "dropped=201") {
			t.Errorf("log %s", log)
		}
		k.admission.queue, k.admission.busy = nil, 0
		idle := k.Stop()
		select {
		case <-idle:
			t.Error("idle with interactions in progress")
		default:
		}
		k.Accept(t.Context(), k.of(Command)) // nothing is accepted any more
		close(gate)
		<-idle
		<-k.Idle()
		if got := discordtest.Summary(k.Take()); strings.Count(got, "callback 4")+strings.Count(got, "PATCH original") != limit {
			t.Errorf("answered: %s", got)
		}
	})
}

// Interactions that wait when the bot stops are answered at once; those that
// have begun are finished.
func TestStopWithAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		k := newKit(t, func(context.Context, *Request) (Response, error) {
			<-gate
			return PrivateText("done"), nil
		})
		k.config.Observe = nil
		k.admission.limit = 1
		for range 50 {
			k.Accept(t.Context(), k.of(Command))
		}
		synctest.Wait()
		idle := k.Stop()
		synctest.Wait()
		got := k.Take()
		for _, r := range got {
			if !r.Private() || !strings.Contains(r.Text(), "being restarted") {
				t.Errorf("%s", r.Body)
			}
		}
		if len(got) != 49 {
			t.Errorf("%d were answered at once", len(got))
		}
		close(gate)
		<-idle
		if got := k.Take(); len(got) != 1 || got[0].Text() != "done" {
			t.Errorf("%v", got)
		}
	})
}

// Work that waits for Discord makes room for other work, and a handler that is
// stuck keeps nobody out once its reply has been deferred.
func TestRoomWhileDiscordIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission()
		a.limit = 1
		first, second := &slot{}, &slot{}
		if a.enter(first) != admitted || a.enter(second) != waiting {
			t.Fatal("there is room for more than one")
		}
		a.pause(first, time.Time{})
		if v := <-second.decided; v != admitted {
			t.Errorf("verdict %d", v)
		}
		a.resume(first) // goes on, although two are working now
		third := &slot{}
		if a.enter(third) != waiting {
			t.Error("a third one begins")
		}
		a.leave(first, admitted, time.Time{})
		if len(third.decided) != 0 {
			t.Error("two are working")
		}
		a.leave(second, admitted, time.Time{})
		if v := <-third.decided; v != admitted {
			t.Errorf("verdict %d", v)
		}

		gate := make(chan struct{})
		k := newKit(t, func(context.Context, *Request) (Response, error) {
			<-gate
			return PrivateText("done"), nil
		})
		k.config.Observe = nil
		k.admission.limit = 1
		k.Accept(t.Context(), k.of(Command))
		time.Sleep(deferAfter)
		k.Accept(t.Context(), k.of(Command))
		time.Sleep(deferAfter)
		synctest.Wait()
		if got := discordtest.Summary(k.Take()); got != "callback 5, callback 5" {
			t.Errorf("%s", got)
		}
		close(gate)
		<-k.Idle()
	})
}

// Beyond what the bot can do, its useful work does not become less, nobody is
// left without an answer, and those who are served are served soon. Every
// interaction takes two processors 20 ms in all; half of them only read.
func TestOverload(t *testing.T) {
	const seconds, processors, work = 8, 2, 20 * time.Millisecond
	useful := map[int]int{}
	for _, rate := range []int{50, 100, 200, 400, 800} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			answered, late := 0, 0
			cores := make(chan struct{}, processors)
			handler := func(_ context.Context, r *Request) (Response, error) {
				cores <- struct{}{}
				time.Sleep(work)
				<-cores
				if r.Kind == Component {
					mu.Lock()
					useful[rate]++
					mu.Unlock()
				}
				return PrivateText("done"), nil
			}
			k := newKitWith(t, func(c *Config) {
				var err error
				c.Router, err = NewRouter(
					Route{Kind: Component, Pattern: "test/{x}", Handler: handler},
					Route{Kind: Command, Pattern: "test/{x}", Handler: handler, Class: Reading})
				must(t, err)
				c.Observe = func(s Served) {
					mu.Lock()
					defer mu.Unlock()
					if s.Confirmed {
						answered++
					}
					if s.Acknowledged > time.Second+deferAfter/2 {
						late++
					}
				}
			})
			k.admission.limit = workingPerProcessor * processors
			for n := range rate * seconds {
				k.Accept(t.Context(), k.of([]Kind{Component, Command}[n%2]))
				time.Sleep(time.Second / time.Duration(rate))
				if n%100 == 0 {
					k.Take()
				}
			}
			<-k.Stop()
			if answered != rate*seconds || late > 0 {
				t.Errorf("%d a second: %d of %d answered, %d late", rate, answered, rate*seconds, late)
			}
			k.Take()
			k.log.Take()
		})
		t.Logf("%d a second offered: %d a second useful", rate, useful[rate]/seconds)
	}
	for _, rate := range []int{200, 400, 800} {
		if useful[rate] < 95*seconds*processors*int(time.Second/work)/100 && useful[rate] < 95*rate*seconds/2/100 {
			t.Errorf("%d a second: only %d done", rate, useful[rate])
		}
	}
}

// Neither an empty interaction nor one that makes the server panic ends the
// process: discordgo does not recover.
func TestPanicInTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, none)
		k.config.Observe = nil
		k.Accept(t.Context(), &discordgo.Interaction{})
		k.config.Router = nil // which no handler survives
		for _, kind := range []Kind{Command, Autocomplete} {
			k.Accept(t.Context(), k.of(kind))
			synctest.Wait()
		}
		<-k.Stop()
		if log := k.log.Take(); strings.Count(log, "ERROR panic") != 2 {
			t.Errorf("log %s", log)
		}
		if got := discordtest.Summary(k.Take()); got != "callback 4, callback 8" {
			t.Errorf("%s", got)
		}
	})
}
