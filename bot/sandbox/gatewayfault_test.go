package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"castellan/bot/sandbox"
)

func TestSilenceGateway(t *testing.T) {
	r := newRig(t)
	r.register()
	r.box.SilenceGateway()
	old := r.gw
	old.send(1, nil) // never acknowledged
	id := r.ask()
	if !r.box.Online() {
		t.Error("the sandbox takes the connection for closed")
	}
	r.gw = r.resume(old)
	r.gw.getsFirst(id)
	r.gw.event("RESUMED")
	r.gw.quiet()
	// The old connection got none of it: the next frame is the close.
	old.closed(4000)
	if last := old.types[len(old.types)-1]; last != "GUILD_CREATE" {
		t.Errorf("the silent connection got %s", last)
	}
}

// getsFirst checks the id of the next interaction only.
func (g *gateway) getsFirst(id string) {
	g.t.Helper()
	if got := text(g.t, g.event(interactionCreate), "id"); got != id {
		g.t.Fatalf("interaction %s, want %s", got, id)
	}
}

func TestInvalidateSessions(t *testing.T) {
	for _, resumable := range []bool{true, false} {
		r := newRig(t)
		r.register()
		r.box.InvalidateSessions(resumable)
		if f := r.gw.frame(); f["op"] != 9.0 || f["d"] != resumable {
			t.Fatalf("got %v, want op 9 %v", f, resumable)
		}
		if r.box.Online() {
			t.Error("still online")
		}
		id := r.ask()
		next := r.resume(r.gw)
		if resumable {
			next.getsFirst(id)
			next.event("RESUMED")
			continue
		}
		if f := next.frame(); f["op"] != 9.0 || f["d"] != false {
			t.Errorf("got %v, want op 9 false", f)
		}
	}
}

func TestCloseGateway(t *testing.T) {
	for code, resumes := range map[int]bool{
		4000: true, 4001: true, 4008: true, 1011: true, 4004: false, 4007: false, 4009: false, 4010: false, 4014: false,
	} {
		r := newRig(t)
		check(t, r.box.CloseGateway(code))
		r.gw.closed(code)
		next := r.resume(r.gw)
		f := next.frame()
		if got := f["t"] == "RESUMED"; got != resumes {
			t.Errorf("after %d: %v, want a resume: %v", code, f, resumes)
		}
	}
	r := bareRig(t, sandbox.Options{})
	if err := r.box.CloseGateway(1006); err == nil || !strings.Contains(err.Error(), "1006 is not a close code") {
		t.Errorf("1006: %v", err)
	}
}

func TestFaultRefuse(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	cut := r.plan(sandbox.Fault{Kind: sandbox.FaultRefuse, Count: 2})
	said := r.plan(sandbox.Fault{Kind: sandbox.FaultRefuse, Status: 503})
	url := "ws" + strings.TrimPrefix(r.srv.URL, "http") + "/gateway/?v=10&encoding=json"
	for range 2 {
		_, _, err := websocket.DefaultDialer.Dial(url, nil)
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			t.Errorf("%v, want the connection to end", err)
		}
	}
	_, res, err := websocket.DefaultDialer.Dial(url, nil)
	if !errors.Is(err, websocket.ErrBadHandshake) || res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%v", err)
	}
	if cut.Hits() != 2 || said.Hits() != 1 {
		t.Errorf("hits %d and %d", cut.Hits(), said.Hits())
	}
	r.identify(1)
}

func TestFaultNoHello(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultNoHello})
	g := r.dial("v=10&encoding=json")
	r.reached(p)
	r.identify(1) // other connections get a hello
	g.send(1, nil)
	if f := g.frame(); f["op"] != 11.0 {
		t.Errorf("got %v, want the acknowledgement and no hello before it", f)
	}
	p.Release()
	if f := g.frame(); f["op"] != 10.0 {
		t.Errorf("got %v, want the hello", f)
	}
}

func TestFaultHandshake(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   sandbox.Fault
		first   []float64 // the opcodes instead of, or before, READY
		ready   bool      // whether READY follows
		close   int
		resumes bool // whether the session can still be resumed
	}{
		{"op 7", sandbox.Fault{}, []float64{7}, false, 0, true},
		{"op 9, resumable", sandbox.Fault{Op: 9, Resumable: true}, []float64{9}, false, 0, true},
		{"op 9", sandbox.Fault{Op: 9}, []float64{9}, false, 0, false},
		{"op 11", sandbox.Fault{Op: 11}, []float64{11}, true, 0, true},
		{"op 1", sandbox.Fault{Op: 1}, []float64{1}, true, 0, true},
		{"close 4000", sandbox.Fault{Code: 4000}, nil, false, 4000, true},
		{"close 4009", sandbox.Fault{Code: 4009}, nil, false, 4009, false},
	} {
		tt.fault.Kind = sandbox.FaultHandshake
		check := func(r *rig, g *gateway, p *sandbox.Planned, answer string) {
			r.t.Helper()
			for _, op := range tt.first {
				if f := g.frame(); f["op"] != op {
					r.t.Errorf("got %v, want op %v", f, op)
				}
			}
			switch {
			case tt.ready:
				g.event(answer)
			case tt.close != 0:
				g.closed(tt.close)
			default:
				g.quiet()
			}
			if p.Hits() != 1 {
				r.t.Errorf("%d hits", p.Hits())
			}
		}
		t.Run(tt.name+" for identify", func(t *testing.T) {
			r := bareRig(t, sandbox.Options{})
			p := r.plan(tt.fault)
			g := r.hello()
			g.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}})
			check(r, g, p, "READY")
			if got := r.box.Online(); got != tt.ready {
				t.Errorf("online: %v", got)
			}
			r.identify(1) // the next one succeeds
		})
		t.Run(tt.name+" for resume", func(t *testing.T) {
			r := newRig(t)
			r.box.DropGateway()
			r.gw.closed(4000)
			p := r.plan(tt.fault)
			check(r, r.resume(r.gw), p, "RESUMED")
			f := r.resume(r.gw).frame()
			if got := f["t"] == "RESUMED"; got != tt.resumes {
				t.Errorf("the next resume got %v", f)
			}
		})
	}
}
