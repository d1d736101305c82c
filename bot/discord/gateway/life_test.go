package gateway_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

func TestHeartbeatsThatAreNotAcknowledged(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.identified("s1", 10) // the library sends one every 10 ms
	if code := p.closed(); code != 4000 {
		t.Errorf("it was closed with %d", code)
	}
	r.resumes("s1", 1)
}

// A library that has stopped sending them is as dead.
func TestHeartbeatsThatAreNotSent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p := r.identified("s1", hour)
	p.clicked(2)
	event[*discordgo.InteractionCreate](r)
	p.expect(1)
	r.clock.pass(time.Hour)
	p.says(`{"op":11}`)
	// To find the gateway, to make the session ready, from READY, from the
	// acknowledgement.
	r.clock.await(t, "the fourth timer", func() bool { return r.clock.made == 4 })
	if age := r.gateway.State().AckAge; age != 0 {
		t.Errorf("the acknowledgement is %v old", age)
	}
	r.clock.runOut(t, 2*time.Hour, 2*time.Hour)
	if code := p.closed(); code != 4000 {
		t.Errorf("it was closed with %d", code)
	}
	r.resumes("s1", 2)
}

// Nothing that Discord leaves out keeps the bot waiting.
func TestHandshakeThatIsNotFinished(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		said func(p *peer)
	}{
		{"no hello", func(*peer) {}},
		{"no READY", func(p *peer) { p.hello(hour); p.expect(2) }},
		{"another event than READY", func(p *peer) { p.hello(hour); p.expect(2); p.says(`{"op":0,"s":1,"t":"SOMETHING_NEW","d":{}}`) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			p := r.next()
			c.said(p)
			r.clock.runOut(t, opening, opening)
			p.closed()
			r.identified("s1", hour)
		})
	}
	for _, frame := range []string{`{"op":0,"s":1,"t":"READY","d":{}}`, `{"op":10,"d":{"heartbeat_interval":0}}`, `{"op":10,"d":{}}`, `null`, `7`} {
		t.Run(frame, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.next().abandoned(frame)
			r.identified("s1", hour)
		})
	}
}

// A session whose own goroutine never comes back is left behind, with the
// locks that it holds: in READY that is what Open holds.
func TestASessionThatHangsIsLeftBehind(t *testing.T) {
	t.Parallel()
	for _, hung := range []string{"READY", "INTERACTION_CREATE"} {
		t.Run(hung, func(t *testing.T) {
			t.Parallel()
			gate, reached := make(chan struct{}), make(chan struct{})
			var hangs atomic.Bool
			r := newRig(t, func(r *rig) {
				r.handle = func(e any) {
					_, ready := e.(*discordgo.Ready)
					if ready == (hung == "READY") && hangs.CompareAndSwap(false, true) {
						close(reached)
						<-gate
					}
				}
			})
			p := r.next()
			p.hello(hour)
			p.expect(2)
			p.ready("s1")
			from := 1
			if hung != "READY" {
				event[*discordgo.Ready](r)
				p.clicked(2)
				from = 2
			}
			receive(t, "the event that hangs", reached)
			p.clicked(3) // which the hung session never reads
			r.clock.runOut(t, 2*time.Hour, 2*time.Hour)
			p.closed()
			p = r.resumes("s1", from)
			p.clicked(3)
			p.resumed(4)
			if got := event[*discordgo.InteractionCreate](r); got.ID != "3" {
				t.Errorf("event %s, not 3", got.ID)
			}
			event[*discordgo.Resumed](r)
			close(gate)
			if hung == "READY" {
				event[*discordgo.Ready](r)
			} else if got := event[*discordgo.InteractionCreate](r); got.ID != "2" {
				t.Errorf("event %s, not 2", got.ID)
			}
			p.clicked(5)
			if got := event[*discordgo.InteractionCreate](r); got.ID != "5" {
				t.Errorf("event %s, not 5: one of the abandoned session was handed on", got.ID)
			}
		})
	}
}

// A panic in a handler of discordgo would end the process.
func TestPanicWhileHandlingAnEvent(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) {
		r.handle = func(e any) {
			if i, ok := e.(*discordgo.InteractionCreate); ok && i.ID == "2" {
				panic("two")
			}
		}
	})
	p := r.identified("s1", hour)
	p.clicked(2)
	p.clicked(3)
	if got := event[*discordgo.InteractionCreate](r); got.ID != "3" {
		t.Errorf("event %s, not 3", got.ID)
	}
	if !strings.Contains(r.log.String(), "panic=two") {
		t.Error("the log does not tell")
	}
}
