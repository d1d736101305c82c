package sandbox_test

import (
	"slices"
	"testing"

	"castellan/bot/sandbox"
)

const interactionCreate = "INTERACTION_CREATE"

// ask has Anna use the command, whatever the bot then gets of it.
func (r *rig) ask() string {
	r.t.Helper()
	i, err := r.box.As(anna).Command(yard, "play")
	if err != nil {
		r.t.Fatal(err)
	}
	return i.ID
}

// quiet demands that nothing waits for the bot but the acknowledgement of a
// heartbeat, which is sent in order.
func (g *gateway) quiet() {
	g.t.Helper()
	g.send(1, nil)
	if f := g.frame(); f["op"] != 11.0 {
		g.t.Fatalf("got op %v %v, want nothing but the acknowledgement", f["op"], f["t"])
	}
}

// gets demands the ids of the next interactions.
func (g *gateway) gets(ids ...string) {
	g.t.Helper()
	for i, want := range ids {
		if got := text(g.t, g.event(interactionCreate), "id"); got != want {
			g.t.Fatalf("interaction %d of %v is %s", i+1, ids, got)
		}
	}
	g.quiet()
}

func TestAnEventIsDeliveredTwice(t *testing.T) {
	r := newRig(t)
	r.register()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultTwice, Event: interactionCreate})
	one, two := r.ask(), r.ask()
	r.gw.gets(one, one, two)
	if p.Hits() != 1 {
		t.Errorf("%d hits", p.Hits())
	}
	if want := []float64{1, 2, 3, 4, 5}; !slices.Equal(r.gw.seqs, want) {
		t.Errorf("sequence %v, want %v", r.gw.seqs, want)
	}
}

func TestAnEventComesLate(t *testing.T) {
	r := newRig(t)
	r.register()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultLate, Event: interactionCreate, Count: 2})
	one := r.ask()
	r.reached(p)
	two, three := r.ask(), r.ask()
	r.gw.gets(three)
	if p.Held() != 2 {
		t.Errorf("%d are held", p.Held())
	}
	p.Release()
	r.gw.gets(one, two)
}

func TestEventsChangePlaces(t *testing.T) {
	r := newRig(t)
	r.register()
	p := r.plan(sandbox.Fault{Kind: sandbox.FaultSwap, Event: interactionCreate, Count: 2})
	one := r.ask()
	r.gw.quiet()
	two, three := r.ask(), r.ask()
	r.gw.gets(two, one) // the third waits for one that does not come
	p.Release()
	r.gw.gets(three)
	if p.Hits() != 2 {
		t.Errorf("%d hits", p.Hits())
	}
}

func TestEventsComeTwiceAndOutOfOrder(t *testing.T) {
	r := newRig(t)
	r.register()
	r.plan(sandbox.Fault{Kind: sandbox.FaultSwap, Event: interactionCreate, Count: -1})
	r.plan(sandbox.Fault{Kind: sandbox.FaultTwice, Event: interactionCreate, Count: -1})
	one, two, three, four := r.ask(), r.ask(), r.ask(), r.ask()
	r.gw.gets(two, two, one, four, four, three)
}

func TestAnEventIsDeliveredAgainAfterAReconnect(t *testing.T) {
	for _, resumed := range []bool{true, false} {
		r := newRig(t)
		r.register()
		p := r.plan(sandbox.Fault{Kind: sandbox.FaultAgain, Event: interactionCreate})
		id := r.ask()
		r.gw.gets(id)
		if p.Hits() != 0 {
			t.Errorf("%d hits before the reconnect", p.Hits())
		}
		old := r.gw
		r.box.DropGateway()
		old.closed(4000)
		if resumed {
			r.gw = r.resume(old)
			r.gw.event("RESUMED")
		} else {
			r.gw = r.identify(1)
		}
		r.gw.gets(id)
		r.reached(p)
		r.box.DropGateway()
		next := r.resume(&gateway{session: r.gw.session, seq: r.gw.seq})
		next.event("RESUMED")
		next.quiet() // once is enough
	}
}

// resume opens a connection and resumes the session of another.
func (r *rig) resume(g *gateway) *gateway {
	r.t.Helper()
	next := r.hello()
	next.session = g.session
	next.send(6, body{"token": r.box.Token(), "session_id": g.session, "seq": g.seq})
	return next
}

func TestALateEventFindsTheNextSession(t *testing.T) {
	for name, lose := range map[string]func(*rig){
		"the session is invalid": func(r *rig) { r.box.InvalidateSessions(false) },
		"the bot died":           func(r *rig) { r.box.DropGateway() }, // its session waits for a resume that never comes
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.register()
			p := r.plan(sandbox.Fault{Kind: sandbox.FaultLate, Event: interactionCreate})
			id := r.ask()
			lose(r)
			r.gw = r.identify(1)
			p.Release()
			r.gw.gets(id)
		})
	}
}

func TestFaultsOfEventsLeaveOtherTypesAlone(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	r.gw = r.identify(1 | 1<<9)
	r.register()
	late := r.plan(sandbox.Fault{Kind: sandbox.FaultLate, Event: "MESSAGE_CREATE"})
	r.say(body{"content": "x"})
	r.gw.gets(r.ask())
	late.Remove() // lets it go
	if got := text(t, r.gw.event("MESSAGE_CREATE"), "content"); got != "x" {
		t.Errorf("got %q", got)
	}
	r.gw.quiet()
}
