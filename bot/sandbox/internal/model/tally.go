package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/fault"
)

// Request is a kind of request to the REST API and of its answer.
type Request struct {
	Method string
	Route  string // as in Exchange; "" for an unknown path
	Status int    // 0: the connection was cut by a fault
}

// Notification is a user told of a created message that mentions them.
type Notification struct {
	UserID    string
	ChannelID string
	MessageID string // may have been deleted since
}

// Tally is what has happened in a sandbox so far, in numbers.
type Tally struct {
	// Interactions by state. StateDeferred is those that still show
	// "thinking…", StateWaiting those without an answer whose three seconds
	// still run, StateFailed those that were never answered.
	Interactions map[string]int
	// Messages by channel, without private ones, that were not deleted.
	Messages map[string]int
	// Requests to the REST API that were answered or cut.
	Requests map[Request]int
	// Notifications ever by user and channel: what Person.Mentions says.
	Notifications map[string]map[string]int
}

// Tally counts what has happened so far, at one moment. What is zero is not in
// its maps.
func (s *Model) Tally() Tally {
	s.Lock()
	defer s.Unlock()
	t := Tally{
		Interactions: maps.Clone(s.trimmed), Messages: map[string]int{}, Requests: maps.Clone(s.requests),
		Notifications: map[string]map[string]int{},
	}
	for _, i := range s.interactions {
		t.Interactions[i.State]++
	}
	for channel, list := range s.Messages {
		if n := len(PublicMessages(list)); n > 0 {
			t.Messages[channel] = n
		}
	}
	for key, m := range s.unread {
		if user, channel := key[0], key[1]; m.notifications > 0 {
			if t.Notifications[user] == nil {
				t.Notifications[user] = map[string]int{}
			}
			t.Notifications[user][channel] = m.notifications
		}
	}
	return t
}

// Notifications lists every notification ever, in the order of their messages
// and of the world's users; where Options.Keep bounds them, the last ones.
func (s *Model) Notifications() []Notification {
	s.Lock()
	defer s.Unlock()
	return slices.Clone(s.notifications)
}

// Interactions lists the interactions in any of the states, without any in
// every state, the oldest first: what a test shows of those that should not
// be. Of many, those older than half an hour are forgotten.
func (s *Model) Interactions(states ...string) []Interaction {
	s.Lock()
	defer s.Unlock()
	var out []Interaction
	for _, i := range s.interactions {
		if len(states) == 0 || slices.Contains(states, i.State) {
			out = append(out, i.snapshot())
		}
	}
	slices.SortFunc(out, func(a, b Interaction) int {
		if n := len(a.ID) - len(b.ID); n != 0 {
			return n
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// count notes a request and its answer.
func (s *Model) RecordRequest(ex fault.Exchange) {
	s.Lock()
	defer s.Unlock()
	s.requests[Request{ex.Method, ex.Route, ex.Status}]++
	s.recordExchange(ex)
	s.wake()
}

// What the page's panel of raw traffic has: the last of it, each up to a size.
const (
	maxTraffic     = 100
	maxTrafficBody = 64 << 10 // bytes
)

// wired is an interaction as it went to the bot, or a request of the bot with
// its answer, raw.
type trafficEntry struct {
	ID       int             `json:"id"` // counts
	At       string          `json:"at"`
	Kind     string          `json:"kind"` // "interaction" or "request"
	Title    string          `json:"title"`
	Status   int             `json:"status,omitempty"`
	Sent     json.RawMessage `json:"sent,omitempty"`
	Files    []string        `json:"files,omitempty"`
	Answered json.RawMessage `json:"answered,omitempty"`
}

// note keeps a piece of traffic for the panel. The caller holds the lock.
func (s *Model) recordTraffic(w trafficEntry) {
	s.trafficCount++
	w.ID, w.At = s.trafficCount, api.FormatTime(s.Now())
	s.Traffic = append(s.Traffic, w)
	if len(s.Traffic) > maxTraffic {
		s.Traffic = append([]trafficEntry(nil), s.Traffic[len(s.Traffic)-maxTraffic:]...)
	}
	s.emitAll(map[string]any{"type": "wire"})
}

func (s *Model) recordInteraction(i *StoredInteraction) {
	raw, err := json.Marshal(i.payload)
	if err != nil {
		s.log.Error("interaction cannot be written", "err", err)
		return
	}
	s.recordTraffic(trafficEntry{Kind: "interaction", Title: i.Kind + " " + i.Name, Sent: trafficBody(raw)})
}

func (s *Model) recordExchange(ex fault.Exchange) {
	title := ex.Route
	if title == "" {
		title = ex.Path
	}
	w := trafficEntry{Kind: "request", Title: ex.Method + " " + title, Status: ex.Status, Sent: trafficBody(ex.RequestJSON), Answered: trafficBody(ex.ResponseBody)}
	for _, f := range ex.Files {
		w.Files = append(w.Files, f.Filename)
	}
	s.recordTraffic(w)
}

// wireBody is a body as the panel shows it: what is no JSON or too long is a
// text that says so.
func trafficBody(raw []byte) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return nil
	case len(raw) > maxTrafficBody:
		return json.RawMessage(`"(too long to be shown)"`)
	case !json.Valid(raw):
		return json.RawMessage(`"(not JSON)"`)
	}
	return bytes.Clone(raw)
}
