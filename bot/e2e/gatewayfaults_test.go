package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/faults"
)

// outage is a way in which the gateway fails.
type outage struct {
	do     func(*sandbox.Sandbox)
	silent bool // no close is sent, so the bot must notice the loss by itself
	ends   bool // Discord ends the session and does not deliver later events to it
}

// outages returns every outage, with one for each close code after which a bot
// reconnects ("Gateway Close Event Codes"; RFC 6455, section 7.4.1, for the codes
// below 4000). 4003 means that the session is invalid, although the sandbox
// keeps it.
func outages(t *testing.T) map[string]outage {
	all := map[string]outage{
		"dropped":           {do: func(c *sandbox.Sandbox) { c.Gateway.Drop() }},
		"silent":            {do: func(c *sandbox.Sandbox) { c.Gateway.Silence() }, silent: true},
		"opcode 7":          {do: func(c *sandbox.Sandbox) { c.Gateway.Reconnect() }},
		"opcode 9, to stay": {do: func(c *sandbox.Sandbox) { c.Gateway.InvalidateSessions(true) }},
		"opcode 9":          {do: func(c *sandbox.Sandbox) { c.Gateway.InvalidateSessions(false) }, ends: true},
	}
	for code, ends := range map[int]bool{
		1000: false, 1001: false, 1011: false, 1012: false, 4000: false, 4001: false, 4002: false, 4003: true, 4005: false, 4007: true, 4008: false, 4009: true,
	} {
		all[fmt.Sprintf("closed with %d", code)] = outage{do: func(c *sandbox.Sandbox) {
			if err := c.Gateway.CloseConnections(code); err != nil {
				t.Error(err)
			}
		}, ends: ends}
	}
	return all
}

// reconnectFaults returns what can go wrong while the bot reconnects.
func reconnectFaults() map[string]faults.Fault {
	return map[string]faults.Fault{
		"none":                {},
		"refused with 503":    {Kind: faults.Refuse, Status: 503, Count: 2},
		"refused":             {Kind: faults.Refuse, Count: 2},
		"no hello":            {Kind: faults.NoHello},
		"opcode 7":            {Kind: faults.Handshake, Op: 7},
		"opcode 9, to stay":   {Kind: faults.Handshake, Op: 9, Resumable: true},
		"opcode 9":            {Kind: faults.Handshake, Op: 9},
		"opcode 1":            {Kind: faults.Handshake, Op: 1},
		"opcode 11":           {Kind: faults.Handshake, Op: 11},
		"closed with 4000":    {Kind: faults.Handshake, Code: 4000},
		"closed with 4007":    {Kind: faults.Handshake, Code: 4007},
		"closed with 4009":    {Kind: faults.Handshake, Code: 4009},
		"delivered once more": {Kind: faults.Again, Event: "INTERACTION_CREATE"},
		"delivered late":      {Kind: faults.Late, Event: "INTERACTION_CREATE"},
	}
}

// moments lists when the gateway fails: before an interaction, right after it, and
// while the bot answers.
var moments = []string{"before", "after", "amid"}

// TestGatewayFaults combines every outage with every failure to reconnect, at
// random moments of what people do.
func TestGatewayFaults(t *testing.T) {
	needsGateway(t)
	t.Parallel()
	table := newFaultTable()
	all := map[string]func(*testing.T){}
	var simple []activity
	for _, a := range activities() {
		if a.simple {
			simple = append(simple, a)
		}
	}
	kinds := outages(t)
	for n, name := range slices.Sorted(maps.Keys(kinds)) {
		all[name] = func(t *testing.T) {
			s := newScenario(t, 2000+uint64(n))
			s.mayRefuse(40060, 10062)
			ways := reconnectFaults()
			for _, way := range slices.Sorted(maps.Keys(ways)) {
				if !sampled(s.r) {
					continue
				}
				s.prepare()
				moment := moments[s.r.IntN(len(moments))]
				if ways[way].Event != "" { // the fault must hit an event of the activity
					moment = "after"
				}
				b := &outageDelivery{outage: kinds[name], fault: ways[way], moment: moment}
				var a activity
				for s.deliver = b.deliver; !b.over; { // some activities do nothing if a match has ended
					a = simple[s.r.IntN(len(simple))]
					a.run(s)
				}
				s.deliver = deliverOnce
				f := s.audit(fmt.Sprintf("%s, then %s, %s %s", name, way, moment, a.name))
				if f[refused] != 0 {
					t.Errorf("%s, then %s: no answer was refused, but: %v", name, way, f)
				}
				table.tried("gateway "+name, way, b.met, f)
				if ways[way].Kind != "" {
					table.tried("way back: "+way, name, b.met, counts{})
				}
			}
		}
	}
	began := time.Now()
	runParallel(t, 6, all)
	t.Logf("seed %d, %.1f s", faultSeed(t), time.Since(began).Seconds())
	table.report(t, "pairs")
}

// outageDelivery fails the gateway at one moment of a delivery.
type outageDelivery struct {
	outage
	fault  faults.Fault
	moment string
	over   bool
	met    int // how often the outage happened
}

func (b *outageDelivery) deliver(s *scenario, begin func() string, during func(string)) (id string, came bool) {
	s.t.Helper()
	if b.over {
		return deliverOnce(s, begin, during)
	}
	b.over = true
	s.passTime(time.Minute) // a steady connection
	was := s.bot.Status().Connection.Connections
	var fault *faults.Planned
	if b.fault.Kind != "" {
		fault = s.chat.MustPlan(b.fault)
		defer fault.Remove()
	}
	release := func() {}
	switch b.moment {
	case "before":
		b.do(s.chat)
		id = begin()
	case "after":
		id = begin()
		b.do(s.chat)
	case "amid":
		held := s.chat.MustPlan(faults.Fault{Kind: faults.Hold, Method: "POST", Route: callbackRoute, After: s.r.IntN(2) == 0})
		release = held.Remove
		id = begin()
		s.awaitReached(held.Reached())
		b.do(s.chat)
	}
	during(id)
	if b.silent {
		s.expireHeartbeats()
	}
	b.awaitReconnect(s, fault)
	if b.fault.Kind == faults.Late {
		fault.Release()
	}
	s.sentinel()
	release()
	s.awaitIdle()
	b.met = s.bot.Status().Connection.Connections - was
	if fault != nil {
		b.met = min(b.met, fault.Hits())
	}
	if came = s.attempts(id) > 0; !came {
		s.lost[id] = true
		if !b.mayLose() {
			s.t.Errorf("interaction %s never came, although its session went on", id)
		}
	}
	return id, came
}

// awaitReconnect waits until the bot has reconnected in spite of a fault.
func (b *outageDelivery) awaitReconnect(s *scenario, fault *faults.Planned) {
	s.t.Helper()
	if fault != nil && b.fault.Event == "" {
		if b.fault.Kind == faults.NoHello {
			s.awaitReached(fault.Reached())
			s.expireHandshake()
		}
		s.wait("the way back", func() bool { return fault.Hits() >= fault.Fault().Count })
	}
	s.wait("the bot to be back", s.chat.Gateway.Online)
}

// mayLose reports whether Discord ends the session, so that events that it has not
// delivered are lost.
func (b *outageDelivery) mayLose() bool {
	f := b.fault
	return b.ends || f.Kind == faults.Handshake && (f.Op == 9 && !f.Resumable || f.Code == 4007 || f.Code == 4009)
}

// awaitReached waits for a request to meet a fault.
func (s *scenario) awaitReached(c <-chan struct{}) {
	s.t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		s.t.Fatal("a planned fault is not met")
	}
}

// TestPlayWhileShardsChange plays while more and more shards replace those that the
// bot has, and while the match's own shard is lost.
func TestPlayWhileShardsChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if w.http {
		t.Skip("there are no shards without the gateway")
	}
	w.challenge()
	turns := 0
	play := func() {
		t.Helper()
		turns++
		w.move([]*sandbox.Person{w.ben, w.anna}[turns%2], w.view(1).Match.Position().Legal()[0].String())
		w.board()
	}
	for _, shards := range []int{2, 4} {
		must(t, w.chat.Gateway.Recommend(shards))
		w.bot.CheckShards()
		play()
		w.wait("the new shards alone", func() bool {
			n := 0
			for _, s := range w.chat.Gateway.Sessions() {
				if s.Shards != shards {
					return false
				}
				n++
			}
			return n == shards
		})
		must(t, w.chat.Gateway.DropShard(2%shards)) // that of the server
		play()
		w.chat.Gateway.Drop()
		play()
	}
	if got := len(w.view(1).Match.Turns()); got != turns {
		t.Errorf("%d turns, want %d, each once", got, turns)
	}
}
