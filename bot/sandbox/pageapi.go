package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// maxPageBody is the size of a request of the page in bytes.
const maxPageBody = 1 << 20

func pageError(w http.ResponseWriter, status int, sentence string) {
	pageJSON(w, status, map[string]any{"error": sentence})
}

func pageJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, `{"error":"the answer cannot be written"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the page may have gone
}

// pageRequest is the body of any request of the page.
type pageRequest struct {
	ChannelID     string          `json:"channel_id"`
	Name          string          `json:"name"`
	Options       []CommandOption `json:"options"`
	MessageID     string          `json:"message_id"`
	CustomID      string          `json:"custom_id"`
	ComponentType int             `json:"component_type"`
	Values        []string        `json:"values"`
	Content       string          `json:"content"`
	TargetID      string          `json:"target_id"`   // of a context menu
	CommandType   int             `json:"type"`        // of a command: 0 is a slash command
	Interaction   string          `json:"interaction"` // that a modal was the answer to
	Fields        []Field         `json:"fields"`
}

// servePageAPI is what the page asks: /sandbox/state, /sandbox/events,
// /sandbox/users/{user}/… and what the panel of faults has.
func (s *Sandbox) servePageAPI(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/sandbox/state":
		if onlyGet(w, r) {
			s.serveState(w, r)
		}
		return
	case "/sandbox/events":
		if onlyGet(w, r) {
			s.serveEvents(w, r)
		}
		return
	}
	if r.URL.Path == "/sandbox/wire" {
		if onlyGet(w, r) {
			s.serveTraffic(w)
		}
		return
	}
	parts := split(r.URL.Path)
	if s.servePageFaults(w, r, parts) {
		return
	}
	if len(parts) != 4 || parts[1] != "users" {
		pageError(w, http.StatusNotFound, "there is nothing here")
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		pageError(w, http.StatusMethodNotAllowed, "this needs a POST")
		return
	}
	var req pageRequest
	if err := readPageJSON(w, r, &req); err != nil {
		pageError(w, http.StatusBadRequest, err.Error())
		return
	}
	person := s.As(parts[2])
	if err := person.exists(); err != nil {
		pageError(w, http.StatusNotFound, err.Error())
		return
	}
	s.serveAction(w, r, person, parts[3], req)
}

// serveDeed does what a person does on the page.
func (s *Sandbox) serveAction(w http.ResponseWriter, r *http.Request, p *Person, deed string, req pageRequest) {
	switch deed {
	case "commands":
		i, err := p.useCommand(req)
		writeInteraction(w, i, err)
	case "modals":
		i, err := p.Submit(req.Interaction, req.Fields...)
		writeInteraction(w, i, err)
	case "direct":
		id, err := p.openDirect(req.TargetID)
		if err != nil {
			pageError(w, http.StatusBadRequest, err.Error())
			return
		}
		pageJSON(w, http.StatusOK, map[string]any{"channel_id": id})
	case "install", "uninstall":
		if err := p.setInstalled(deed == "install"); err != nil {
			pageError(w, http.StatusBadRequest, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	case "components":
		i, err := p.use(req.ChannelID, req.MessageID, req.CustomID, req.ComponentType, orEmpty(req.Values))
		writeInteraction(w, i, err)
	case "autocomplete":
		choices, err := p.Autocomplete(r.Context(), req.ChannelID, req.Name, req.Options...)
		switch {
		case errors.Is(err, ErrNoAnswer):
			pageError(w, http.StatusGatewayTimeout, "Loading options failed: the application did not respond.")
		case err != nil:
			pageError(w, http.StatusBadRequest, err.Error())
		default:
			pageJSON(w, http.StatusOK, map[string]any{"choices": orEmpty(choices)})
		}
	case "messages":
		m, err := p.Say(req.ChannelID, req.Content)
		if err != nil {
			pageError(w, http.StatusBadRequest, err.Error())
			return
		}
		pageJSON(w, http.StatusCreated, m)
	case "read":
		s.mu.Lock()
		ok := s.channels[req.ChannelID] != nil
		s.mu.Unlock()
		if !ok {
			pageError(w, http.StatusBadRequest, fmt.Sprintf("there is no channel %q", req.ChannelID))
			return
		}
		p.Read(req.ChannelID)
		w.WriteHeader(http.StatusNoContent)
	default:
		pageError(w, http.StatusNotFound, "there is nothing here")
	}
}

func (p *Person) useCommand(req pageRequest) (Interaction, error) {
	switch req.CommandType {
	case CommandUser:
		return p.CommandOnUser(req.ChannelID, req.Name, req.TargetID)
	case CommandMessage:
		return p.CommandOnMessage(req.ChannelID, req.Name, req.TargetID)
	}
	return p.Command(req.ChannelID, req.Name, req.Options...)
}

func (p *Person) openDirect(userID string) (string, error) {
	if userID == p.s.world.Application.ID {
		return p.DirectMessages()
	}
	return p.DirectMessagesWith(userID)
}

func writeInteraction(w http.ResponseWriter, i Interaction, err error) {
	if err != nil {
		pageError(w, http.StatusBadRequest, err.Error())
		return
	}
	pageJSON(w, http.StatusAccepted, map[string]any{"id": i.ID})
}

// readPageJSON reads a body. It must be called JSON: a form of another page
// cannot send that without asking first.
func readPageJSON(w http.ResponseWriter, r *http.Request, req any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errors.New("the body must be application/json")
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPageBody))
	dec.UseNumber()
	if err := dec.Decode(req); err != nil {
		return fmt.Errorf("the body is not what was expected: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("the body goes on after its end")
	}
	return nil
}
