package bot

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
)

// delivered is an interaction as the gateway hands it on.
func delivered(i *discordgo.Interaction) *discordgo.InteractionCreate {
	return &discordgo.InteractionCreate{Interaction: i}
}

// A flood makes no more goroutines than there is room for. Who comes beyond is
// told, and beyond that dropped, which the log tells.
func TestAFloodOfInteractions(t *testing.T) {
	r := newRig(t)
	synctest.Test(t, func(t *testing.T) {
		r.seen, r.late = make(chan sent, 1000), make(chan time.Time)
		flood(t, r)
	})
}

func flood(t *testing.T, r *rig) {
	r.bot.work = t.Context()
	running, gate := 0, make(chan struct{})
	r.route(onCommand, "test/{x}", func(context.Context, *Request) (Response, error) {
		r.mu.Lock()
		running++
		r.mu.Unlock()
		<-gate
		return PrivateText("done"), nil
	})
	for range maxServed {
		r.bot.onEvent(delivered(r.of(onCommand)))
	}
	synctest.Wait()
	if running != maxServed {
		t.Errorf("%d are served", running)
	}
	for _, c := range []struct {
		kind kind
		want string
	}{
		{onCommand, "callback 4"}, {onClick, "callback 4"}, {onSuggest, "callback 8"},
	} {
		r.bot.onEvent(delivered(r.of(c.kind)))
		synctest.Wait()
		got := r.take()
		if inShort(got) != c.want {
			t.Errorf("%s: %s, want %s", c.kind, inShort(got), c.want)
		}
		if c.kind != onSuggest && (!got[0].private() || !strings.Contains(got[0].text(), "Too much is going on")) {
			t.Errorf("%s: %s", c.kind, got[0].body)
		}
	}
	if got := r.bot.intake.underWay(); got != maxServed {
		t.Errorf("%d under way", got)
	}
	if log := r.book.take(); strings.Count(log, "WARN too many interactions at a time") != 1 || !strings.Contains(log, "turned_away=1") {
		t.Errorf("the crowd makes a line each: %s", log)
	}

	for range maxBusy {
		if room, _ := r.bot.intake.take(); room != forBusy {
			t.Fatal("there is no room to say so")
		}
	}
	for range 2*logEvery + 1 {
		r.bot.onEvent(delivered(r.of(onCommand)))
	}
	if got := r.bot.intake.underWay(); got != maxServed+maxBusy {
		t.Errorf("%d under way", got)
	}
	if log := r.book.take(); strings.Count(log, "WARN interaction dropped") != 3 || !strings.Contains(log, "dropped=201") {
		t.Errorf("log %s", log)
	}
	for range maxBusy {
		r.bot.intake.release(forBusy)
	}
	idle := r.bot.intake.stop()
	select {
	case <-idle:
		t.Error("idle with interactions under way")
	default:
	}
	r.bot.onEvent(delivered(r.of(onCommand))) // nothing is taken on any more
	close(gate)
	<-idle
	if got := len(r.take()); got != maxServed {
		t.Errorf("%d of %d were answered", got, maxServed)
	}
}

// Neither an event that nobody expects nor one that makes the bot panic ends
// the process: discordgo has no recover of its own.
func TestEventsThatAreNotUnderstood(t *testing.T) {
	r := newRig(t)
	r.bot.work = t.Context()
	for range 3 {
		r.bot.onEvent(&discordgo.Ready{})
	}
	r.bot.onEvent(&discordgo.GuildDelete{})
	r.bot.onEvent(delivered(&discordgo.Interaction{}))
	r.bot.router = nil // which no handler survives
	for _, k := range []kind{onCommand, onSuggest} {
		r.bot.onEvent(delivered(r.of(k)))
		s := <-r.seen
		r.seen <- s
	}
	<-r.bot.intake.stop()
	if log := r.book.take(); strings.Count(log, "ERROR panic") != 2 {
		t.Errorf("log %s", log)
	}
	if got := inShort(r.take()); got != "callback 4, callback 8" {
		t.Errorf("%s", got)
	}
}

// A handler has a context with a deadline. One that does not heed it is left
// behind, and the person is told.
func TestHandlerThatDoesNotEnd(t *testing.T) {
	for k, want := range map[kind]string{
		onCommand: "callback 5, PATCH original", onClick: "callback 6, POST webhook", onSuggest: "callback 8",
	} {
		t.Run(string(k), func(t *testing.T) {
			r := newRigWith(t, false)
			synctest.Test(t, func(t *testing.T) {
				r.seen = make(chan sent, 10)
				gate := make(chan struct{})
				r.route(k, "test/{x}", func(context.Context, *Request) (Response, error) {
					<-gate
					return PrivateText("too late"), nil
				})
				i := r.of(k)
				got := r.serve(i)
				if inShort(got) != want {
					t.Errorf("%s, want %s", inShort(got), want)
				}
				if k != onSuggest && !strings.Contains(got[len(got)-1].text(), codeOf(i.ID)) {
					t.Errorf("%s", got[len(got)-1].body)
				}
				if log := r.book.take(); !strings.Contains(log, "ERROR a handler does not end") {
					t.Errorf("log %s", log)
				}
				close(gate)
			})
		})
	}
}
