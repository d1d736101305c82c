package interaction

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/discordtest"
)

// A flood starts no more goroutines than there is room for. People beyond that
// are told so, and beyond that their interactions are dropped and logged.
func TestTooManyInteractions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, gate := make(chan struct{}, maxServed+1), make(chan struct{})
		k := newKit(t, func(context.Context, *Request) (Response, error) {
			running <- struct{}{}
			<-gate
			return PrivateText("done"), nil
		})
		k.config.Observe = nil
		for range maxServed {
			k.Accept(t.Context(), k.of(Command))
		}
		synctest.Wait()
		if len(running) != maxServed {
			t.Errorf("%d are served", len(running))
		}
		for _, c := range []struct {
			kind Kind
			want string
		}{
			{Command, "callback 4"}, {Component, "callback 4"}, {Autocomplete, "callback 8"},
		} {
			k.Accept(t.Context(), k.of(c.kind))
			synctest.Wait()
			got := k.Take()
			if discordtest.Summary(got) != c.want {
				t.Errorf("%s: %v, want %s", c.kind, got, c.want)
			}
			if c.kind != Autocomplete && (!got[0].Private() || !strings.Contains(got[0].Text(), "I am too busy")) {
				t.Errorf("%s: %s", c.kind, got[0].Body)
			}
		}
		if got := k.InProgress(); got != maxServed {
			t.Errorf("%d in progress", got)
		}
		if log := k.log.Take(); strings.Count(log, "WARN too many interactions at a time") != 1 || !strings.Contains(log, "rejected=1") {
			t.Errorf("log %s", log)
		}

		for range maxBusy {
			if slot, _ := k.admission.acquire(); slot != busySlot {
				t.Fatal("there is no room to tell people")
			}
		}
		for range 2*logEvery + 1 {
			k.Accept(t.Context(), k.of(Command))
		}
		if got := k.InProgress(); got != maxServed+maxBusy {
			t.Errorf("%d in progress", got)
		}
		if log := k.log.Take(); strings.Count(log, "WARN interaction dropped") != 3 || !strings.Contains(log, "dropped=201") {
			t.Errorf("log %s", log)
		}
		for range maxBusy {
			k.admission.release(busySlot)
		}
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
		if got := len(k.Take()); got != maxServed {
			t.Errorf("%d of %d were answered", got, maxServed)
		}
	})
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
