package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/fault"
)

// Request is a kind of request to the REST API with its status.
type Request struct {
	Method string
	Route  string // as in Exchange; "" for an unknown path
	Status int    // 0 if a fault cut the connection
}

// Notification is a notification of a user about a new message.
type Notification struct {
	UserID    string
	ChannelID string
	MessageID string // may have been deleted since
}

// Tally counts what has happened in a sandbox.
type Tally struct {
	// Interactions by state.
	Interactions map[string]int
	// Messages by channel, without ephemeral and deleted ones.
	Messages map[string]int
	// Requests to the REST API that were answered or cut.
	Requests map[Request]int
	// Invalid counts the requests that Discord counts as invalid: those
	// answered by 401, 403, or 429 unless the limit is shared with others.
	Invalid int
	// Notifications by user and channel, as Person.Mentions returns them.
	Notifications map[string]map[string]int
}

// trafficEntry is an interaction as it was sent to the bot, or a request of
// the bot with its response.
type trafficEntry struct {
	ID       int             `json:"id"` // consecutive
	At       string          `json:"at"`
	Kind     string          `json:"kind"` // "interaction" or "request"
	Title    string          `json:"title"`
	Status   int             `json:"status,omitempty"`
	Sent     json.RawMessage `json:"sent,omitempty"`
	Files    []string        `json:"files,omitempty"`
	Answered json.RawMessage `json:"answered,omitempty"`
}

// Tally returns the counts so far. It takes the lock.
func (s *Model) Tally() Tally {
	s.Lock()
	defer s.Unlock()
	t := Tally{
		Interactions: maps.Clone(s.trimmed), Messages: map[string]int{}, Requests: maps.Clone(s.requests), Invalid: s.invalid,
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

// Notifications lists the notifications. It takes the lock.
func (s *Model) Notifications() []Notification {
	s.Lock()
	defer s.Unlock()
	return slices.Clone(s.notifications)
}

// Interactions lists interactions by state. It takes the lock.
func (s *Model) Interactions(states ...string) []Interaction {
	s.Lock()
	defer s.Unlock()
	var out []Interaction
	for _, i := range s.interactions {
		if len(states) == 0 || slices.Contains(states, i.State) {
			out = append(out, i.snapshot())
		}
	}
	slices.SortFunc(out, func(a, b Interaction) int { return api.CompareIDs(a.ID, b.ID) })
	return out
}

// RecordRequest counts a request and keeps it for the page. It takes the lock.
func (s *Model) RecordRequest(ex fault.Exchange) {
	s.Lock()
	defer s.Unlock()
	s.requests[Request{ex.Method, ex.Route, ex.Status}]++
	if ex.Invalid {
		s.invalid++
	}
	s.recordExchange(ex)
	s.wake()
}

// Limits of the traffic that is kept for the page: entries, and the size of a
// body.
const (
	maxTraffic     = 100
	maxTrafficBody = 64 << 10 // bytes
)

// recordTraffic keeps an entry for the page.
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
		s.log.Error("interaction cannot be marshalled", "err", err)
		return
	}
	s.recordTraffic(trafficEntry{Kind: "interaction", Title: i.Kind + " " + i.Name, Sent: trafficBody(raw)})
}

func (s *Model) recordExchange(ex fault.Exchange) {
	w := trafficEntry{Kind: "request", Title: ex.Method + " " + cmp.Or(ex.Route, ex.Path), Status: ex.Status, Sent: trafficBody(ex.RequestJSON), Answered: trafficBody(ex.ResponseBody)}
	for _, f := range ex.Files {
		w.Files = append(w.Files, f.Filename)
	}
	s.recordTraffic(w)
}

// trafficBody returns a body for the page, replaced by a note if it is not
// JSON or too long.
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
