package gateway_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/gateway"
)

const second = time.Second

func TestASessionBeginsAnewAndHandsItsEventsOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.next()
	if p.query != "encoding=json&v=10" || p.path != "/" {
		t.Errorf("it dialled %s?%s", p.path, p.query)
	}
	p.hello(hour)
	var identify struct {
		Token    string
		Intents  int
		Compress bool
	}
	if err := json.Unmarshal(p.expect(2), &identify); err != nil {
		t.Fatal(err)
	}
	if identify.Token != "Bot secret-token" || identify.Intents != 1 || identify.Compress {
		t.Errorf("it identifies with %+v", identify)
	}
	if s := r.gateway.State(); s.Connected || s.Connections != 0 || !s.Since.IsZero() {
		t.Errorf("before READY: %+v", s)
	}
	p.ready("s1")
	if got := event[*discordgo.Ready](r); got.SessionID != "s1" || got.Application.ID != "9" {
		t.Errorf("READY: %+v", got)
	}
	p.expect(1)
	p.says(`{"op":11}`)
	p.clicked(2)
	if got := event[*discordgo.InteractionCreate](r); got.ID != "2" || got.MessageComponentData().CustomID != "x" {
		t.Errorf("the interaction: %+v", got)
	}
	began := r.clock.Now()
	r.clock.pass(7 * second)
	s := r.gateway.State()
	if !s.Connected || s.Kind != gateway.Identified || s.Connections != 1 || s.Failures != 0 || s.Reason != nil ||
		!s.Since.Equal(began) || s.AckAge != 7*second {
		t.Errorf("connected: %+v", s)
	}
}

// Discord replays to the new session what it had no time to send to the old
// one, and perhaps more.
func TestANewSessionResumesWhatAnotherBegan(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.identified("s1", hour)
	p.clicked(2)
	event[*discordgo.InteractionCreate](r)
	p.drop()
	p = r.resumes("s1", 2)
	if p.path != "/resume" || p.query != "encoding=json&v=10" {
		t.Errorf("it resumes at %s?%s", p.path, p.query)
	}
	for _, n := range []int{1, 2, 3, 3, 4} {
		p.clicked(n)
	}
	p.resumed(5)
	p.clicked(6)
	for _, want := range []string{"3", "4"} {
		if got := event[*discordgo.InteractionCreate](r); got.ID != want {
			t.Fatalf("event %s, not %s", got.ID, want)
		}
	}
	event[*discordgo.Resumed](r)
	if got := event[*discordgo.InteractionCreate](r); got.ID != "6" {
		t.Fatalf("event %s, not 6", got.ID)
	}
	if s := r.gateway.State(); s.Kind != gateway.Resumed || s.Connections != 2 || !s.Connected || s.Reason == nil {
		t.Errorf("%+v", s)
	}
	// And once more, a session that was itself resumed.
	p.drop()
	r.resumes("s1", 6)
	if got := r.clock.waited(); len(got) != 1 || got[0] < second/2 || got[0] > second {
		t.Errorf("it waited %v for the second loss in a short time, and not for the first", got)
	}
	if r.finds != 1 {
		t.Errorf("the address was asked for %d times", r.finds)
	}
}

// bwmarrin/discordgo#513: while discordgo opens a session it holds the lock
// that opcodes 7, 9 and 11 make it take, so that Open would never return.
func TestOpcodesThatHangTheLibraryInTheHandshake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, frame string
		invalid     bool // Discord wants a wait
		resumes     bool // the session lives on
	}{
		{"opcode 7", `{"op":7,"d":null}`, false, true},
		{"opcode 9, false", `{"op":9,"d":false}`, true, false},
		{"opcode 9, true", `{"op":9,"d":true}`, true, true},
	} {
		for _, place := range []string{"hello", "READY", "RESUMED"} {
			t.Run(c.name+" in place of "+place, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				if place == "RESUMED" {
					p := r.identified("s1", hour)
					p.clicked(2)
					event[*discordgo.InteractionCreate](r)
					r.clock.pass(time.Minute) // it was steady
					p.drop()
					r.resumes("s1", 2).abandoned(c.frame)
				} else {
					p := r.next()
					if place == "READY" {
						p.hello(hour)
						p.expect(2)
					}
					p.abandoned(c.frame)
				}
				if place == "RESUMED" && c.resumes {
					p := r.resumes("s1", 2)
					p.resumed(3)
					event[*discordgo.Resumed](r)
				} else {
					r.identified("s2", hour)
				}
				waits := r.clock.waited()
				if c.invalid && (len(waits) == 0 || waits[0] < second || waits[0] > 5*second) {
					t.Errorf("after opcode 9 it waited %v, not one to five seconds", waits)
				}
			})
		}
	}
	t.Run("opcode 11 before READY", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		p := r.next()
		p.hello(hour)
		p.expect(2)
		p.says(`{"op":11,"d":null}`)
		p.ready("s1")
		event[*discordgo.Ready](r)
		p.expect(1)
	})
}

// abandoned says something after which the connection is closed so that the
// session lives on.
func (p *peer) abandoned(frame string) {
	p.r.t.Helper()
	p.says(frame)
	if code := p.closed(); code != 4000 {
		p.r.t.Errorf("after %s the connection is closed with %d, not 4000", frame, code)
	}
}

// discordgo takes Discord's own heartbeat for the first event.
func TestDiscordsHeartbeatIsAnswered(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.next()
	p.hello(hour)
	p.expect(2)
	p.says(`{"op":1,"d":null}`)
	if d := p.expect(1); string(d) != "null" {
		t.Errorf("before any event: a heartbeat of %s", d)
	}
	p.says(`{"op":11}`)
	p.ready("s1")
	event[*discordgo.Ready](r)
	p.expect(1)
	p.says(`{"op":11}`)
	p.clicked(8)
	event[*discordgo.InteractionCreate](r)
	p.says(`{"op":1,"d":null}`)
	if d := p.expect(1); string(d) != "8" {
		t.Errorf("after event 8: a heartbeat of %s", d)
	}
}

// discordgo closes with 1000 when it reconnects by itself, which ends the
// session for good.
func TestASessionThatEndsLaterIsReplaced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		end     func(p *peer)
		resumes bool
	}{
		{"opcode 7", func(p *peer) { p.abandoned(`{"op":7,"d":null}`) }, true},
		{"opcode 9, true", func(p *peer) { p.abandoned(`{"op":9,"d":true}`) }, true},
		{"opcode 9, false", func(p *peer) { p.abandoned(`{"op":9,"d":false}`) }, false},
		{"a broken connection", func(p *peer) { p.drop() }, true},
		{"no JSON", func(p *peer) { p.abandoned(`{"op":0,`) }, true},
		{"null, which would be a panic of discordgo", func(p *peer) { p.abandoned(`null`) }, true},
		{"4000", func(p *peer) { p.closes(4000) }, true},
		{"4001", func(p *peer) { p.closes(4001) }, true},
		{"4002", func(p *peer) { p.closes(4002) }, true},
		{"4003", func(p *peer) { p.closes(4003) }, false},
		{"4005", func(p *peer) { p.closes(4005) }, true},
		{"4007", func(p *peer) { p.closes(4007) }, false},
		{"4008", func(p *peer) { p.closes(4008) }, true},
		{"4009", func(p *peer) { p.closes(4009) }, false},
		{"1001", func(p *peer) { p.closes(1001) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			p := r.identified("s1", hour)
			c.end(p)
			if c.resumes {
				r.resumes("s1", 1)
			} else {
				p := r.identified("s2", hour)
				p.clicked(2) // its numbers begin anew
				event[*discordgo.InteractionCreate](r)
			}
			if s := r.gateway.State(); s.Reason == nil {
				t.Error("the reason is not kept")
			}
		})
	}
}

// A stop is told to Discord, so that the bot is seen to be offline at once.
func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("connected", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		p := r.identified("s1", hour)
		r.stop()
		if code := p.closed(); code != 1000 {
			t.Errorf("closed with %d", code)
		}
		if err := r.run(); err != nil {
			t.Error(err)
		}
		p.clicked(2)
		if s := r.gateway.State(); s.Connected || len(r.events) != 0 {
			t.Errorf("%+v, %d events", s, len(r.events))
		}
	})
	t.Run("in the handshake", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.next().hello(hour)
		r.stop()
		if err := r.run(); err != nil {
			t.Error(err)
		}
	})
	t.Run("while it waits", func(t *testing.T) {
		t.Parallel()
		asked := make(chan struct{}, 10)
		r := newRig(t, func(r *rig) {
			r.clock.short = 0
			r.refuse = func() error { asked <- struct{}{}; return errors.New("down") }
		})
		receive(t, "the first attempt", asked)
		receive(t, "the second attempt", asked) // now it waits
		r.stop()
		if err := r.run(); err != nil {
			t.Error(err)
		}
	})
	t.Run("while the session hangs", func(t *testing.T) {
		t.Parallel()
		gate := make(chan struct{})
		reached := make(chan struct{})
		r := newRig(t, func(r *rig) { r.handle = func(any) { close(reached); <-gate } })
		p := r.next()
		p.hello(hour)
		p.expect(2)
		p.ready("s1")
		receive(t, "READY", reached)
		r.stop()
		if err := r.run(); err != nil {
			t.Error(err)
		}
		close(gate)
	})
}
