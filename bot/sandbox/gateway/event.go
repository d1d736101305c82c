package gateway

import (
	"encoding/json"
	"slices"
	"strings"

	"castellan/bot/sandbox/faults"
)

// Scope is where an event happens. It decides which sessions get the event.
type Scope struct {
	GuildID string // "" means direct messages, which go to shard 0 ("Sharding")
	Anyway  bool   // sent even if the bot is not in the guild
}

// heldEvent is an event with its data for each session.
type heldEvent struct {
	kind    string
	scope   Scope
	intents int
	to      []*Session
	data    map[string]json.RawMessage // by session id
	latest  json.RawMessage            // for sessions that began later
}

// repeat is an event that a fault of kind Again will deliver once more.
type repeat struct {
	by    *faults.Planned
	event heldEvent
}

func (gw *Gateway) covers(sc Scope, se *Session) bool {
	if sc.GuildID == "" {
		return se.shard == 0
	}
	return (sc.Anyway || gw.c.Directory.HasBot(sc.GuildID)) && shardOf(sc.GuildID, se.shards) == se.shard
}

// sessionsFor returns, ordered by id, the sessions that the scope covers and
// that asked for one of the intents; 0 means no intent is needed.
func (gw *Gateway) sessionsFor(sc Scope, intents int) []*Session {
	var out []*Session
	for _, se := range gw.sessions {
		if gw.covers(sc, se) && (intents == 0 || se.Intents&intents != 0) {
			out = append(out, se)
		}
	}
	slices.SortFunc(out, func(a, b *Session) int { return strings.Compare(a.id, b.id) })
	return out
}

// deliver sends the event to its sessions. If none of them is connected, it
// goes to the sessions that have begun since.
func (gw *Gateway) deliver(ev heldEvent) {
	connected := false
	for _, se := range ev.to {
		if gw.sessions[se.id] == se {
			gw.send(se, ev.kind, ev.data[se.id])
			connected = connected || se.conn != nil
		}
	}
	if connected {
		return
	}
	for _, se := range gw.sessionsFor(ev.scope, ev.intents) {
		if se.conn != nil && !slices.Contains(ev.to, se) {
			gw.send(se, ev.kind, ev.latest)
		}
	}
}

// send sends an event to one session; it reports false if the data cannot be
// marshalled.
func (gw *Gateway) send(se *Session, kind string, data any) bool {
	if err := se.dispatch(kind, data); err != nil {
		gw.c.Log.Error("event cannot be marshalled", "type", kind, "err", err)
		return false
	}
	return true
}

// Dispatch sends an event to the sessions of a scope that asked for one of
// the intents, unless it meets a planned fault. data returns what a session
// gets. The caller holds the lock.
func (gw *Gateway) Dispatch(sc Scope, intents int, kind string, data func(*Session) any) {
	ev := heldEvent{kind: kind, scope: sc, intents: intents, to: gw.sessionsFor(sc, intents), data: map[string]json.RawMessage{}}
	for _, se := range ev.to {
		raw, err := json.Marshal(data(se))
		if err != nil {
			gw.c.Log.Error("event cannot be marshalled", "type", kind, "err", err)
			return
		}
		ev.data[se.id], ev.latest = raw, raw
	}
	if len(ev.to) == 0 {
		return
	}
	matches := func(f *faults.Fault) bool { return f.Event == "" || f.Event == kind }
	swap := gw.c.Plan.Waiting(faults.Swap, matches)
	if swap != nil { // an earlier event waits to be swapped with this one
		defer gw.c.Plan.Release(swap)
	}
	p := gw.c.Plan.Claim(faults.ClassEvent, func(f *faults.Fault) bool { return matches(f) && (swap == nil || f.Kind != faults.Swap) })
	if p == nil {
		gw.deliver(ev)
		return
	}
	switch p.Fault().Kind {
	case faults.Twice:
		gw.deliver(ev)
		gw.deliver(ev)
		gw.c.Plan.Hit(p)
	case faults.Again:
		gw.deliver(ev)
		gw.c.Plan.AddPending(p, 1)
		gw.repeats = append(gw.repeats, repeat{p, ev})
	default: // faults.Late, faults.Swap
		gw.c.Plan.Hold(p, func() { gw.deliver(ev) })
		gw.c.Plan.Hit(p)
	}
}

// deliverAgain sends to a session that has resumed or identified the events
// that faults of kind Again repeat.
func (gw *Gateway) deliverAgain(se *Session) {
	var rest []repeat // of other shards
	for _, r := range gw.repeats {
		ev := r.event
		raw, ok := ev.data[se.id]
		if !ok && (ev.intents == 0 || se.Intents&ev.intents != 0) {
			raw, ok = ev.latest, true
		}
		switch {
		case gw.c.Plan.Removed(r.by):
			continue
		case !gw.covers(ev.scope, se):
			rest = append(rest, r)
			continue
		case ok:
			gw.send(se, ev.kind, raw)
		}
		gw.c.Plan.AddPending(r.by, -1)
		gw.c.Plan.Hit(r.by)
	}
	gw.repeats = rest
}
