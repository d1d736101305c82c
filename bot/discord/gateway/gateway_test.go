package gateway_test

import (
	"encoding/json"
	"errors"
	"runtime"
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
		p.ready("s1", address+"/resume")
		if got := event[*discordgo.Ready](r); got.SessionID != "s1" || got.Application.ID != "9" {
			t.Errorf("READY: %+v", got)
		}
		began := time.Now()
		p.click(2)
		if got := event[*discordgo.InteractionCreate](r); got.ID != "2" || got.MessageComponentData().CustomID != "x" {
			t.Errorf("the interaction: %+v", got)
		}
		check := func(age time.Duration) {
			t.Helper()
			s := r.gateway.State()
			if !s.Connected || s.Kind != gateway.Identified || s.Connections != 1 || s.Failures != 0 || s.Reason != nil ||
				!s.Since.Equal(began) || s.AckAge != age {
				t.Errorf("%+v, want acknowledged %v ago", s, age)
			}
		}
		time.Sleep(7 * time.Second)
		check(7 * time.Second)
		time.Sleep(10*interval - 6*time.Second) // heartbeats keep it alive
		check(time.Second)
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

// bwmarrin/discordgo#513: while discordgo opens a session it holds the lock
// that the opcodes 7, 9 and 11 make it take, so that Open would never return.
func TestOpcodesDuringHandshake(t *testing.T) {
	for _, c := range []struct {
		name, frame string
		delayed     bool // Discord demands a wait
		resumable   bool
	}{
		{"opcode 7", `{"op":7,"d":null}`, false, true},
		{"opcode 9, false", `{"op":9,"d":false}`, true, false},
		{"opcode 9, true", `{"op":9,"d":true}`, true, true},
	} {
		for _, place := range []string{"hello", "READY", "RESUMED"} {
			t.Run(c.name+" in place of "+place, func(t *testing.T) {
				run(t, func(r *rig) {
					switch place {
					case "hello":
						r.next().abandoned(c.frame)
					case "READY":
						r.handshake().abandoned(c.frame)
					case "RESUMED":
						p := r.identified("s1")
						time.Sleep(time.Minute) // a steady connection
						p.drop()
						r.resumes("s1", 1).abandoned(c.frame)
					}
					lost := time.Now()
					if place == "RESUMED" && c.resumable {
						p := r.resumes("s1", 1)
						p.resumed(3)
						event[*discordgo.Resumed](r)
					} else {
						r.identified("s2")
					}
					if d := time.Since(lost); c.delayed && (d < time.Second || d > 10*time.Second) {
						t.Errorf("came back after %v", d)
					}
				})
			})
		}
	}
	t.Run("opcode 11 before READY", func(t *testing.T) {
		run(t, func(r *rig) {
			p := r.handshake()
			p.says(`{"op":11,"d":null}`)
			p.ready("s1", address)
			event[*discordgo.Ready](r)
			receive(t, "heartbeat", p.beats)
		})
	})
}

// discordgo takes a heartbeat of Discord's for the first event.
func TestHeartbeatRequest(t *testing.T) {
	run(t, func(r *rig) {
		p := r.handshake()
		p.says(`{"op":1,"d":null}`)
		if d := receive(t, "heartbeat", p.beats); string(d) != "null" {
			t.Errorf("before any event: a heartbeat of %s", d)
		}
		p.ready("s1", address)
		event[*discordgo.Ready](r)
		receive(t, "heartbeat", p.beats)
		p.click(8)
		r.clicked("8")
		p.says(`{"op":1,"d":null}`)
		if d := receive(t, "heartbeat", p.beats); string(d) != "8" {
			t.Errorf("after event 8: a heartbeat of %s", d)
		}
	})
}

// discordgo closes with 1000 when it reconnects by itself, which ends the
// session for good.
func TestReconnect(t *testing.T) {
	closes := func(code int) func(p *peer) { return func(p *peer) { p.close(code) } }
	says := func(frame string) func(p *peer) { return func(p *peer) { p.abandoned(frame) } }
	for _, c := range []struct {
		name      string
		end       func(p *peer)
		resumable bool
	}{
		{"opcode 7", says(`{"op":7,"d":null}`), true},
		{"opcode 9, true", says(`{"op":9,"d":true}`), true},
		{"opcode 9, false", says(`{"op":9,"d":false}`), false},
		{"a broken connection", (*peer).drop, true},
		{"no JSON", says(`{"op":0,`), true},
		{"null, which makes discordgo panic", says(`null`), true},
		{"4000", closes(4000), true},
		{"4001", closes(4001), true},
		{"4002", closes(4002), true},
		{"4003", closes(4003), false},
		{"4005", closes(4005), true},
		{"4007", closes(4007), false},
		{"4008", closes(4008), true},
		{"4009", closes(4009), false},
		{"1001", closes(1001), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, func(r *rig) {
				c.end(r.identified("s1"))
				if c.resumable {
					r.resumes("s1", 1)
				} else {
					p := r.identified("s2")
					p.click(2) // the sequence begins anew
					r.clicked("2")
				}
				if s := r.gateway.State(); s.Reason == nil {
					t.Error("the reason is not kept")
				}
			})
		})
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

// A session whose goroutine never returns is abandoned, with the locks that it
// holds. During READY these are the locks of Open, and it sends no heartbeat.
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
	for _, acknowledged := range []bool{false, true} {
		run(t, func(r *rig) {
			p := r.handshake()
			p.mute.Store(!acknowledged)
			p.ready("s1", address)
			event[*discordgo.Ready](r)
			began := time.Now() // the silence begins
			p.mute.Store(true)
			if code := p.closed(); code != 4000 {
				t.Errorf("closed with %d", code)
			}
			if d := time.Since(began); d > interval+15*time.Second {
				t.Errorf("closed after %v", d)
			}
			// Before the heartbeat after the one that was not acknowledged.
			want := 1
			if acknowledged {
				want = 2
			}
			if len(p.beats) != want {
				t.Errorf("closed after %d heartbeats, want %d", len(p.beats), want)
			}
			r.resumes("s1", 1)
		})
	}
}

// The bot does not block if Discord leaves out a part of the handshake.
func TestHandshakeTimeout(t *testing.T) {
	for name, script := range map[string]func(r *rig){
		"no hello":                    func(r *rig) { r.next() },
		"no READY":                    func(r *rig) { r.handshake() },
		"another event than READY":    func(r *rig) { r.handshake().says(`{"op":0,"s":1,"t":"SOMETHING_NEW","d":{}}`) },
		"heartbeats acknowledged too": func(r *rig) { r.handshake().says(`{"op":11}`) },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(r *rig) {
				began := time.Now()
				script(r)
				r.identified("s1")
				if d := time.Since(began); d < timeout || d > timeout+time.Second {
					t.Errorf("the next session began after %v", d)
				}
			})
		})
	}
}

func TestMalformedHandshake(t *testing.T) {
	for _, frame := range []string{`{"op":0,"s":1,"t":"READY","d":{}}`, `{"op":10,"d":{"heartbeat_interval":0}}`, `{"op":10,"d":{}}`, `null`, `7`} {
		t.Run(frame, func(t *testing.T) {
			run(t, func(r *rig) {
				r.next().abandoned(frame)
				r.identified("s1")
			})
		})
	}
}

// A panic in a handler of discordgo's would end the process.
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
