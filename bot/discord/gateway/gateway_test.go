package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/gateway"
)

func TestIdentify(t *testing.T) {
	run(t, func(r *rig) {
		p := r.next()
		if p.query != "encoding=json&v=10" || p.path != "/" {
			t.Errorf("dialled %s?%s", p.path, p.query)
		}
		p.hello()
		var identify struct {
			Token    string
			Intents  int
			Compress bool
		}
		if err := json.Unmarshal(p.expect(2), &identify); err != nil {
			t.Fatal(err)
		}
		if identify.Token != "Bot secret-token" || identify.Intents != 1 || identify.Compress {
			t.Errorf("identified with %+v", identify)
		}
		if s := r.gateway.State(); s.Connected || s.Connections != 0 || !s.Since.IsZero() {
			t.Errorf("before READY: %+v", s)
		}
		began := time.Now()
		p.ready("s1", address+"/resume")
		if got := event[*discordgo.Ready](r); got.SessionID != "s1" || got.Application.ID != "9" {
			t.Errorf("READY: %+v", got)
		}
		p.click(2)
		if got := event[*discordgo.InteractionCreate](r); got.ID != "2" || got.MessageComponentData().CustomID != "x" {
			t.Errorf("the interaction: %+v", got)
		}
		time.Sleep(10*interval + interval/2) // heartbeats keep it alive
		s := r.gateway.State()
		if !s.Connected || s.Kind != gateway.Identified || s.Connections != 1 || s.Failures != 0 || s.Reason != nil ||
			!s.Since.Equal(began) || s.AckAge > interval {
			t.Errorf("%+v", s)
		}
		if n := len(p.beats); n != 10 && n != 11 {
			t.Errorf("%d heartbeats in ten and a half intervals", n)
		}
	})
}

// Discord replays to the new session what it could not send to the old one, and
// perhaps more.
func TestResume(t *testing.T) {
	run(t, func(r *rig) {
		p := r.identified("s1")
		p.click(2)
		r.clicked("2")
		p.drop()
		lost := time.Now()
		p = r.resumes("s1", 2)
		if p.path != "/resume" || p.query != "encoding=json&v=10" || !time.Now().Equal(lost) {
			t.Errorf("resumed at %s?%s after %v", p.path, p.query, time.Since(lost))
		}
		for _, n := range []int{1, 2, 3, 3, 4} {
			p.click(n)
		}
		p.resumed(5)
		p.click(6)
		r.replayed("3")
		r.replayed("4")
		event[*discordgo.Resumed](r)
		r.clicked("6")
		if s := r.gateway.State(); s.Kind != gateway.Resumed || s.Connections != 2 || !s.Connected || s.Reason == nil {
			t.Errorf("%+v", s)
		}
		// A resumed session is resumed again. It is the second loss within a
		// short time.
		p.drop()
		lost = time.Now()
		r.resumes("s1", 6)
		if d := time.Since(lost); d < time.Second/2 || d > time.Second {
			t.Errorf("resumed after %v", d)
		}
		if len(r.asked) != 1 {
			t.Errorf("asked for the address %d times", len(r.asked))
		}
	})
}

// Discord can ask for a heartbeat at any time.
func TestHeartbeatRequest(t *testing.T) {
	run(t, func(r *rig) {
		p := r.handshake()
		p.says(`{"op":1,"d":null}`)
		if d := receive(t, "heartbeat", p.beats); string(d) != "null" {
			t.Errorf("before any event: a heartbeat of %s", d)
		}
		p.ready("s1", address)
		event[*discordgo.Ready](r)
		p.click(8)
		r.clicked("8")
		p.says(`{"op":1,"d":null}`)
		if d := receive(t, "heartbeat", p.beats); string(d) != "8" {
			t.Errorf("after event 8: a heartbeat of %s", d)
		}
	})
}

// A lost connection is replaced, wherever it is lost: the session is resumed unless
// Discord has ended it. Libraries have hung when asked to reconnect in place of a part
// of the handshake (bwmarrin/discordgo#513).
func TestReconnect(t *testing.T) {
	says := func(frame string) func(p *peer) { return func(p *peer) { p.abandoned(frame) } }
	losses := map[string]struct {
		end    func(p *peer)
		ends   bool   // the session
		wait   string // that it takes
		places string // all if empty
	}{
		"opcode 7":            {end: says(`{"op":7,"d":null}`)},
		"opcode 9, true":      {end: says(`{"op":9,"d":true}`), wait: "Discord's"},
		"opcode 9, false":     {end: says(`{"op":9,"d":false}`), wait: "Discord's", ends: true},
		"a broken connection": {end: (*peer).drop},
		"no JSON":             {end: says(`{"op":0,`)},
		"null":                {end: says(`null`)},
		"a number":            {end: says(`7`)},
		"silence":             {end: func(*peer) {}, wait: "a timeout", places: "hello READY RESUMED"},
		"another event":       {end: func(p *peer) { p.says(`{"op":0,"s":1,"t":"SOMETHING_NEW","d":{}}`) }, wait: "a timeout", places: "READY RESUMED"},
		"an acknowledgement":  {end: func(p *peer) { p.says(`{"op":11}`) }, wait: "a timeout", places: "READY RESUMED"},
		"READY at first":      {end: says(`{"op":0,"s":1,"t":"READY","d":{}}`), places: "hello"},
		"no interval":         {end: says(`{"op":10,"d":{}}`), places: "hello"},
		"an interval of 0":    {end: says(`{"op":10,"d":{"heartbeat_interval":0}}`), places: "hello"},
	}
	for code, ends := range map[int]bool{1001: false, 4000: false, 4001: false, 4002: false, 4003: true, 4005: false, 4007: true, 4008: false, 4009: true} {
		loss := losses[""]
		loss.end, loss.ends = func(p *peer) { p.close(code) }, ends
		losses[fmt.Sprint("closed with ", code)] = loss
	}
	for place, reach := range map[string]func(r *rig) *peer{
		"hello": (*rig).next,
		"READY": (*rig).handshake,
		"RESUMED": func(r *rig) *peer {
			p := r.identified("s1")
			time.Sleep(time.Minute) // a steady connection
			p.drop()
			return r.resumes("s1", 1)
		},
		"connected": func(r *rig) *peer { return r.identified("s1") },
	} {
		for name, loss := range losses {
			if loss.places != "" && !slices.Contains(strings.Fields(loss.places), place) {
				continue
			}
			t.Run(place+"/"+name, func(t *testing.T) {
				run(t, func(r *rig) {
					began := time.Now()
					p := reach(r)
					if place == "RESUMED" {
						began = time.Now()
					}
					loss.end(p)
					if (place == "RESUMED" || place == "connected") && !loss.ends {
						p = r.resumes("s1", 1)
						p.resumed(2)
						event[*discordgo.Resumed](r)
					} else {
						p = r.identified("s2")
					}
					d := time.Since(began)
					if loss.wait == "Discord's" && (d < time.Second || d > 10*time.Second) || loss.wait == "a timeout" && (d < timeout || d > timeout+time.Second) {
						t.Errorf("came back after %v", d)
					}
					p.click(3) // of a sequence that begins anew, or goes on
					r.clicked("3")
					if s := r.gateway.State(); s.Reason == nil || !s.Connected {
						t.Errorf("%+v", s)
					}
				})
			})
		}
	}
}

// Discord is told of a stop, so that the bot is shown as offline at once.
func TestStop(t *testing.T) {
	stopped := func(r *rig) {
		t.Helper()
		r.stop()
		if err := r.runError(); err != nil {
			t.Error(err)
		}
	}
	t.Run("connected", func(t *testing.T) {
		run(t, func(r *rig) {
			p := r.identified("s1")
			stopped(r)
			if code := p.closed(); code != 1000 {
				t.Errorf("closed with %d", code)
			}
			p.click(2)
			synctest.Wait()
			if s := r.gateway.State(); s.Connected || len(r.events) != 0 {
				t.Errorf("%+v, %d events", s, len(r.events))
			}
		})
	})
	t.Run("during the handshake", func(t *testing.T) {
		run(t, func(r *rig) {
			p := r.handshake()
			stopped(r)
			if code := p.closed(); code != 1000 {
				t.Errorf("closed with %d", code)
			}
		})
	})
	t.Run("between attempts", func(t *testing.T) {
		run(t, func(r *rig) {
			time.Sleep(time.Minute)
			synctest.Wait()
			stopped(r)
		}, func(r *rig) { r.getErr = func() error { return errors.New("down") } })
	})
	t.Run("while the session hangs", func(t *testing.T) {
		gate := make(chan struct{})
		run(t, func(r *rig) {
			p := r.handshake()
			p.ready("s1", address)
			synctest.Wait()
			stopped(r)
			close(gate)
		}, hangsIn[*discordgo.Ready](&gate))
	})
}

// hangsIn makes the first event of a type hang until the gate is closed. The
// session's goroutine then ends.
func hangsIn[T any](gate *chan struct{}) func(r *rig) {
	return func(r *rig) {
		*gate = make(chan struct{}) // within the bubble
		hung := false
		r.handle = func(e any) {
			if _, ok := e.(T); ok && !hung {
				hung = true
				<-*gate
				r.events <- e
				runtime.Goexit()
			}
		}
	}
}

// A session whose handler does not return is abandoned.
func TestHungSession(t *testing.T) {
	var gate chan struct{}
	test := func(first string, from int, setup func(r *rig)) {
		t.Run(first, func(t *testing.T) {
			run(t, func(r *rig) {
				p := r.handshake()
				p.ready("s1", address)
				if from == 2 {
					event[*discordgo.Ready](r)
					p.click(2)
				}
				began := time.Now()
				p.click(3) // which the hung session does not read
				p.closed()
				if d := time.Since(began); d > 2*interval {
					t.Errorf("abandoned after %v", d)
				}
				p = r.resumes("s1", from)
				p.click(3)
				p.resumed(4)
				r.replayed("3")
				event[*discordgo.Resumed](r)
				close(gate)
				if from == 1 {
					event[*discordgo.Ready](r)
				} else {
					r.clicked("2")
				}
				p.click(5)
				r.clicked("5") // and no event of the abandoned session
			}, setup)
		})
	}
	test("READY", 1, hangsIn[*discordgo.Ready](&gate))
	test("INTERACTION_CREATE", 2, hangsIn[*discordgo.InteractionCreate](&gate))
}

func TestMissingHeartbeatAck(t *testing.T) {
	for acknowledged := range 3 {
		run(t, func(r *rig) {
			p := r.identified("s1")
			began := time.Now()
			for range acknowledged {
				receive(t, "heartbeat", p.beats)
				began = time.Now()
			}
			synctest.Wait()
			p.mute.Store(true)
			if code := p.closed(); code != 4000 {
				t.Errorf("closed with %d", code)
			}
			d := time.Since(began)
			if d > interval*5/4 || acknowledged > 0 && d < interval*5/4 {
				t.Errorf("closed after %v", d)
			}
			if len(p.beats) != 1 {
				t.Errorf("%d heartbeats without an acknowledgement", len(p.beats))
			}
			r.resumes("s1", 1)
		})
	}
}

// A panic in a handler loses one event.
func TestHandlerPanic(t *testing.T) {
	run(t, func(r *rig) {
		p := r.identified("s1")
		p.click(2)
		p.click(3)
		r.clicked("3")
		if !strings.Contains(r.log.String(), "panic=two") {
			t.Error("the panic is not in the log")
		}
	}, func(r *rig) {
		r.handle = func(e any) {
			if i, ok := e.(*discordgo.InteractionCreate); ok && i.ID == "2" {
				panic("two")
			}
		}
	})
}
