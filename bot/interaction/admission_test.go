package interaction

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/discordtest"
)

// A flood of interactions starts no more work than there is room for. Further
// interactions wait for a moment and are then rejected, and beyond another limit
// they are dropped and logged.
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
		time.Sleep(patience)
		synctest.Wait()
		got := k.Take()
		if s := discordtest.Summary(got); s != "callback 4, callback 4" {
			t.Errorf("%s", s)
		}
		for _, r := range got {
			if !r.Private() || !strings.Contains(r.Text(), "I’m too busy") {
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

// An interaction that waits for Discord makes room for another one. A handler that
// is stuck makes room once its reply has been deferred.
func TestRoomWhileDiscordIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission()
		a.limit = 1
		first, second := &slot{}, &slot{}
		if a.enter(first, time.Time{}) != admitted || a.enter(second, time.Time{}) != waiting {
			t.Fatal("there is room for more than one")
		}
		a.pause(first, time.Time{})
		if v := <-second.decided; v != admitted {
			t.Errorf("verdict %d", v)
		}
		a.resume(first) // does not block, although two are working now
		third := &slot{}
		if a.enter(third, time.Time{}) != waiting {
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

const (
	loadSeconds    = 8
	loadProcessors = 2
	loadWork       = 20 * time.Millisecond // of one processor, for each interaction
)

// offer starts a number of interactions a second. handled is called when one has
// had its work, and observe, with a lock held, when one has been answered.
func offer(t *testing.T, rate int, kind func(n int) Kind, handled func(Kind), observe func(Served)) *kit {
	var mu sync.Mutex
	cores := make(chan struct{}, loadProcessors)
	handler := func(_ context.Context, r *Request) (Response, error) {
		cores <- struct{}{}
		time.Sleep(loadWork)
		<-cores
		mu.Lock()
		defer mu.Unlock()
		handled(r.Kind)
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
			observe(s)
		}
	})
	k.admission.limit = workingPerProcessor * loadProcessors
	for n := range rate * loadSeconds {
		k.Accept(t.Context(), k.of(kind(n)))
		time.Sleep(time.Second / time.Duration(rate))
		if n%100 == 0 {
			k.Take()
		}
	}
	return k
}

// Under overload, the useful work does not decrease, every interaction is
// answered, and served ones are served soon. Half of them only read.
func TestOverload(t *testing.T) {
	useful := map[int]int{}
	for _, rate := range []int{50, 100, 200, 400, 800} {
		synctest.Test(t, func(t *testing.T) {
			answered, late := 0, 0
			k := offer(t, rate, func(n int) Kind { return []Kind{Component, Command}[n%2] }, func(kind Kind) {
				if kind == Component {
					useful[rate]++
				}
			}, func(s Served) {
				if s.Confirmed {
					answered++
				}
				if s.Acknowledged > patience+leastBeforeDeferral {
					late++
				}
			})
			<-k.Stop()
			if answered != rate*loadSeconds || late > 0 {
				t.Errorf("%d a second: %d of %d answered, %d late", rate, answered, rate*loadSeconds, late)
			}
			k.Take()
			k.log.Take()
		})
		t.Logf("%d a second offered: %d a second useful", rate, useful[rate]/loadSeconds)
	}
	for _, rate := range []int{200, 400, 800} {
		if useful[rate] < 95*loadSeconds*loadProcessors*int(time.Second/loadWork)/100 && useful[rate] < 95*rate*loadSeconds/2/100 {
			t.Errorf("%d a second: only %d done", rate, useful[rate])
		}
	}
}

// If too many people only read, people who act are all served, and hardly wait.
func TestOverloadByReaders(t *testing.T) {
	const rate, acting = 400, 5
	synctest.Test(t, func(t *testing.T) {
		acted, reads := []time.Duration{}, 0
		k := offer(t, rate, func(n int) Kind {
			if n%acting == 0 {
				return Component
			}
			return Command
		}, func(Kind) {}, func(s Served) {
			switch {
			case s.Outcome == Answered && s.Kind == Component:
				acted = append(acted, s.Acknowledged)
			case s.Outcome == Answered:
				reads++
			}
		})
		<-k.Idle()
		slices.Sort(acted)
		if want := rate * loadSeconds / acting; len(acted) != want || acted[len(acted)*99/100] > 150*time.Millisecond || reads == 0 {
			t.Errorf("%d of %d acted, 99 of 100 within %v; %d read", len(acted), want, acted[len(acted)*99/100], reads)
		}
		k.Take()
		k.log.Take()
	})
}

// Interactions that arrive late from Discord are rejected soon if there is no room.
// They are not answered if Discord no longer accepts a response.
func TestLateArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
		gate := make(chan struct{})
		k := newKit(t, func(context.Context, *Request) (Response, error) {
			<-gate
			return PrivateText("done"), nil
		})
		k.config.Observe = nil
		k.admission.limit = 1
		for _, c := range []struct {
			age     time.Duration
			answers string
		}{{0, ""}, {0, ""}, {patience * 3 / 2, "callback 4"}, {answerTimeout * 3 / 2, ""}} {
			i := k.of(Component)
			i.ID = snowflake(time.Now().Add(-c.age))
			k.Accept(t.Context(), i)
			synctest.Wait()
			if got := discordtest.Summary(k.Take()); got != c.answers {
				t.Errorf("%v after the click: %q, want %q", c.age, got, c.answers)
			}
		}
		close(gate)
		<-k.Idle()
		if got := discordtest.Summary(k.Take()); got != "callback 4, callback 4" {
			t.Errorf("answered: %s", got)
		}
		k.log.Take()
	})
}

func snowflake(t time.Time) string {
	const epoch = 1420070400000 // https://docs.discord.com/developers/reference#snowflakes
	return strconv.FormatInt((t.UnixMilli()-epoch)<<22, 10)
}

// The clocks of Discord and the bot need not agree, and a clock that is set or
// wrong delays no interaction.
func TestDelay(t *testing.T) {
	const s = time.Second
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		arrived []time.Duration // arrival of each interaction
		clicked []time.Duration
		want    time.Duration // delay of the last interaction
	}{
		{"the first is the standard", []time.Duration{2 * s}, []time.Duration{0}, 0},
		{"a late one", []time.Duration{1 * s, 9 * s}, []time.Duration{0, 5 * s}, 3 * s},
		{"a fast one sets the standard", []time.Duration{4 * s, 5 * s, 9 * s}, []time.Duration{0, 5 * s, 6 * s}, 3 * s},
		{"Discord's clock is ahead", []time.Duration{0, 1 * s}, []time.Duration{20 * s, 21 * s}, 0},
		{"the standard is forgotten", []time.Duration{0, 65 * s, 130 * s, 131 * s}, []time.Duration{0, 60 * s, 125 * s, 126 * s}, 0},
		{"an impossible delay", []time.Duration{0, 100 * s}, []time.Duration{0, 1 * s}, 0},
	} {
		var d delay
		var got time.Duration
		for i, at := range c.arrived {
			got = d.of(snowflake(start.Add(c.clicked[i])), start.Add(at))
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := new(delay).of("x", start); got != 0 {
		t.Errorf("without a time: %v", got)
	}
}

// Neither an empty interaction nor a panic of the server ends the process, although
// discordgo does not recover.
func TestPanicInTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, none)
		k.config.Observe = nil
		k.Accept(t.Context(), &discordgo.Interaction{})
		k.config.Localize = func(context.Context, *Request) { panic("the server panics") }
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
