package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"castellan/bot/sandbox/api"
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

// Tally counts what has happened so far. Its maps contain no zeros.
func (s *Sandbox) Tally() Tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := Tally{
		Interactions: maps.Clone(s.trimmed), Messages: map[string]int{}, Requests: maps.Clone(s.requests), Invalid: s.invalid,
		Notifications: map[string]map[string]int{},
	}
	for _, i := range s.interactions {
		t.Interactions[i.State]++
	}
	for channel, list := range s.messages {
		if n := len(publicMessages(list)); n > 0 {
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

// Notifications lists all notifications in the order of their messages and of
// the world's users. Options.Keep bounds them to the latest.
func (s *Sandbox) Notifications() []Notification {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notifications)
}

// Interactions lists the interactions in any of the states, by default all,
// oldest first. Once there are many, those older than half an hour are removed.
func (s *Sandbox) Interactions(states ...string) []Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Interaction
	for _, i := range s.interactions {
		if len(states) == 0 || slices.Contains(states, i.State) {
			out = append(out, i.snapshot())
		}
	}
	slices.SortFunc(out, func(a, b Interaction) int { return api.CompareIDs(a.ID, b.ID) })
	return out
}

// recordRequest counts a request and keeps it for the page. It takes the lock.
func (s *Sandbox) recordRequest(ex api.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[Request{ex.Method, ex.Route, ex.Status}]++
	if ex.Invalid {
		s.invalid++
	}
	w := trafficEntry{Kind: "request", Title: ex.Method + " " + cmp.Or(ex.Route, ex.Path), Status: ex.Status, Sent: trafficBody(ex.RequestJSON), Answered: trafficBody(ex.ResponseBody)}
	for _, f := range ex.Files {
		w.Files = append(w.Files, f.Filename)
	}
	s.recordTraffic(w)
	s.wake()
}

// Limits of the traffic that is kept for the page: entries, and the size of a
// body.
const (
	maxTraffic     = 100
	maxTrafficBody = 64 << 10 // bytes
)

func (s *Sandbox) recordTraffic(w trafficEntry) {
	s.trafficCount++
	w.ID, w.At = s.trafficCount, api.FormatTime(s.o.Now())
	s.traffic = append(s.traffic, w)
	if len(s.traffic) > maxTraffic {
		s.traffic = append([]trafficEntry(nil), s.traffic[len(s.traffic)-maxTraffic:]...)
	}
	s.emitAll(map[string]any{"type": "wire"})
}

func (s *Sandbox) recordInteraction(i *storedInteraction) {
	raw, err := json.Marshal(i.payload)
	if err != nil {
		s.o.Logger.Error("interaction cannot be marshalled", "err", err)
		return
	}
	s.recordTraffic(trafficEntry{Kind: "interaction", Title: i.Kind + " " + i.Name, Sent: trafficBody(raw)})
}

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
