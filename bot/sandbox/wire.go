package sandbox

import (
	"bytes"
	"encoding/json"
)

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
	w.ID, w.At = s.trafficCount, stamp(s.now())
	s.traffic = append(s.traffic, w)
	if len(s.traffic) > maxTraffic {
		s.traffic = append([]trafficEntry(nil), s.traffic[len(s.traffic)-maxTraffic:]...)
	}
	s.emitAll(map[string]any{"type": "wire"})
}

func (s *Model) recordInteraction(i *interaction) {
	raw, err := json.Marshal(i.payload)
	if err != nil {
		s.log.Error("interaction cannot be written", "err", err)
		return
	}
	s.recordTraffic(trafficEntry{Kind: "interaction", Title: i.Kind + " " + i.Name, Sent: trafficBody(raw)})
}

func (s *Model) recordExchange(ex Exchange) {
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
