package sandbox

import (
	"encoding/json"
	"slices"
)

// heldEvent is an event that is to be delivered later: what each session was
// to get of it, by the session's id.
type heldEvent struct {
	kind    string
	scope   scope
	intents int
	to      []*session
	data    map[string]json.RawMessage
	whole   json.RawMessage // what a session gets that began later
}

// deliver sends the event to its sessions as they stand now. If none of them
// is connected it goes to those as well that a bot has begun since.
func (s *Sandbox) deliver(ev heldEvent) {
	connected := false
	for _, se := range ev.to {
		if s.sessions[se.id] == se {
			s.send(se, ev.kind, ev.data[se.id])
			connected = connected || se.conn != nil
		}
	}
	if connected {
		return
	}
	for _, se := range s.sessionsFor(ev.scope, ev.intents) {
		if se.conn != nil && !slices.Contains(ev.to, se) {
			s.send(se, ev.kind, ev.whole)
		}
	}
}

func (s *Sandbox) send(se *session, kind string, data json.RawMessage) {
	if err := se.dispatch(kind, data); err != nil {
		s.log.Error("event cannot be written", "type", kind, "err", err)
	}
}

// dispatch sends an event of a server, or with none of direct messages, to the
// sessions that asked for it, unless a planned fault has it otherwise.
func (s *Sandbox) dispatch(sv *server, intents int, kind string, data any) {
	s.dispatchEach(sv, intents, kind, func(*session) any { return data })
}

// dispatchEach is dispatch of what differs by session.
func (s *Sandbox) dispatchEach(sv *server, intents int, kind string, data func(*session) any) {
	s.dispatchTo(scope{server: sv}, intents, kind, data)
}

func (s *Sandbox) dispatchTo(sc scope, intents int, kind string, data func(*session) any) {
	ev := heldEvent{kind: kind, scope: sc, intents: intents, to: s.sessionsFor(sc, intents), data: map[string]json.RawMessage{}}
	for _, se := range ev.to {
		raw, err := json.Marshal(data(se))
		if err != nil {
			s.log.Error("event cannot be written", "type", kind, "err", err)
			return
		}
		ev.data[se.id], ev.whole = raw, raw
	}
	if len(ev.to) == 0 {
		return
	}
	matches := func(f *Fault) bool { return f.Event == "" || f.Event == kind }
	i := slices.IndexFunc(s.plan, func(p *Planned) bool { return p.fault.Kind == FaultSwap && len(p.held) > 0 && matches(&p.fault) })
	if i >= 0 { // an event waits for this one, which may meet anything but a swap itself
		waiting := s.plan[i]
		defer waiting.release()
	}
	p := s.claim(classEvent, func(f *Fault) bool { return matches(f) && (i < 0 || f.Kind != FaultSwap) })
	if p == nil {
		s.deliver(ev)
		return
	}
	switch p.fault.Kind {
	case FaultTwice:
		s.deliver(ev)
		s.deliver(ev)
		p.hit()
	case FaultAgain:
		s.deliver(ev)
		p.again = append(p.again, ev)
	default: // FaultLate, FaultSwap
		p.hold(func() { s.deliver(ev) })
		p.hit()
	}
}

// deliverAgain sends a session that has resumed or begun what a fault wants
// delivered once more.
func (s *Sandbox) deliverAgain(se *session) {
	for _, p := range s.plan {
		var rest []heldEvent // of other shards
		n := 0
		for _, ev := range p.again {
			if !ev.scope.covers(se) {
				rest = append(rest, ev)
				continue
			}
			n++
			raw, ok := ev.data[se.id]
			switch {
			case ok:
				s.send(se, ev.kind, raw)
			case ev.intents == 0 || se.intents&ev.intents != 0:
				s.send(se, ev.kind, ev.whole)
			}
		}
		p.again = rest
		for range n {
			p.hit()
		}
	}
}
