package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
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
	s.serveDeed(w, r, person, parts[3], req)
}

// serveDeed does what a person does on the page.
func (s *Sandbox) serveDeed(w http.ResponseWriter, r *http.Request, p *Person, deed string, req pageRequest) {
	switch deed {
	case "commands":
		i, err := p.Command(req.ChannelID, req.Name, req.Options...)
		answerDeed(w, i, err)
	case "components":
		i, err := p.use(req.ChannelID, req.MessageID, req.CustomID, req.ComponentType, orEmpty(req.Values))
		answerDeed(w, i, err)
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
		_, _, ok := s.channel(req.ChannelID)
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

func answerDeed(w http.ResponseWriter, i Interaction, err error) {
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

// pageUser is a user as the page gets it: with the name in the server.
type pageUser struct {
	UserObject
	Nick *string `json:"nick"`
}

func (s *Sandbox) pageUser(id string) pageUser {
	object, _ := s.userObject(id)
	out := pageUser{UserObject: object}
	if u, ok := s.user(id); ok && u.Nick != "" {
		out.Nick = &u.Nick
	}
	return out
}

// userOrFirst finds a user; "" is the first one.
func (s *Sandbox) userOrFirst(id string) (User, bool) {
	if id == "" {
		return s.world.Users[0], true
	}
	return s.user(id)
}

// serveState is GET /sandbox/state: everything that one user sees.
func (s *Sandbox) serveState(w http.ResponseWriter, r *http.Request) {
	me, ok := s.userOrFirst(strings.TrimSpace(r.URL.Query().Get("user")))
	if !ok {
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	s.mu.Lock()
	state := s.state(me.ID)
	s.mu.Unlock()
	pageJSON(w, http.StatusOK, state)
}

func (s *Sandbox) state(userID string) map[string]any {
	users := []pageUser{}
	for _, u := range s.world.Users {
		users = append(users, s.pageUser(u.ID))
	}
	list := []any{}
	channels := map[string]any{}
	for _, c := range s.world.Channels {
		if s.gone[c.ID] || !s.may(c.ID, userID, 0) {
			continue
		}
		list = append(list, map[string]any{"id": c.ID, "name": c.Name, "topic": c.Topic, "type": 0})
		m := s.marksOf(userID, c.ID)
		channels[c.ID] = map[string]any{"messages": s.seen(userID, c.ID), "mentions": m.badge, "unread": m.unread}
	}
	app := s.world.Application
	return map[string]any{
		"me": s.pageUser(userID), "users": users,
		"guild":       map[string]any{"id": s.world.Guild.ID, "name": s.world.Guild.Name, "channels": list},
		"application": map[string]any{"id": app.ID, "name": app.Name, "user": s.botUser()},
		"online":      s.online(), "installed": !s.removed, "commands": s.commandsFor(userID), "channels": channels,
	}
}
