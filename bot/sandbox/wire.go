package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// What the page's panel of raw traffic has: the last of it, each up to a size.
const (
	maxWire     = 100
	maxWireBody = 64 << 10 // bytes
)

// wired is an interaction as it went to the bot, or a request of the bot with
// its answer, raw.
type wired struct {
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
func (s *Sandbox) note(w wired) {
	s.wireCount++
	w.ID, w.At = s.wireCount, stamp(s.now())
	s.wire = append(s.wire, w)
	if len(s.wire) > maxWire {
		s.wire = append([]wired(nil), s.wire[len(s.wire)-maxWire:]...)
	}
	s.emitAll(map[string]any{"type": "wire"})
}

func (s *Sandbox) noteInteraction(i *interaction) {
	raw, err := json.Marshal(i.payload)
	if err != nil {
		s.log.Error("interaction cannot be written", "err", err)
		return
	}
	s.note(wired{Kind: "interaction", Title: i.Kind + " " + i.Name, Sent: wireBody(raw)})
}

func (s *Sandbox) noteExchange(ex Exchange) {
	title := ex.Route
	if title == "" {
		title = ex.Path
	}
	w := wired{Kind: "request", Title: ex.Method + " " + title, Status: ex.Status, Sent: wireBody(ex.RequestJSON), Answered: wireBody(ex.ResponseBody)}
	for _, f := range ex.Files {
		w.Files = append(w.Files, f.Filename)
	}
	s.note(w)
}

// wireBody is a body as the panel shows it: what is no JSON or too long is a
// text that says so.
func wireBody(raw []byte) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return nil
	case len(raw) > maxWireBody:
		return json.RawMessage(`"(too long to be shown)"`)
	case !json.Valid(raw):
		return json.RawMessage(`"(not JSON)"`)
	}
	return bytes.Clone(raw)
}

// serveWire is GET /sandbox/wire: the newest first.
func (s *Sandbox) serveWire(w http.ResponseWriter) {
	s.mu.Lock()
	list := make([]wired, 0, len(s.wire))
	for i := len(s.wire) - 1; i >= 0; i-- {
		list = append(list, s.wire[i])
	}
	s.mu.Unlock()
	pageJSON(w, http.StatusOK, map[string]any{"wire": list})
}
