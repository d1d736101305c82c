package sandbox

import (
	"errors"
	"net/http"

	"castellan/bot/sandbox/api"
)

type action struct {
	ChannelID     string          `json:"channel_id"`
	Name          string          `json:"name"`
	Options       []CommandOption `json:"options"`
	MessageID     string          `json:"message_id"`
	CustomID      string          `json:"custom_id"`
	ComponentType int             `json:"component_type"`
	Values        []string        `json:"values"`
	Content       string          `json:"content"`
	TargetID      string          `json:"target_id"`   // of a context menu; a user or server
	CommandType   int             `json:"type"`        // of a command: 0 is a slash command
	Interaction   string          `json:"interaction"` // that a modal answers
	Fields        []Field         `json:"fields"`
	Filename      string          `json:"filename"` // of an upload
	Data          []byte          `json:"data"`     // of an upload, in Base64
	Files         []string        `json:"files"`    // ids of the uploads of a message
}

func (s *Sandbox) serveAction(w http.ResponseWriter, r *http.Request) {
	var a action
	if err := readPageJSON(w, r, &a); err != nil {
		pageError(w, http.StatusBadRequest, err.Error())
		return
	}
	p := s.As(r.PathValue("user"))
	if err := p.do(func(*Sandbox) error { return nil }); err != nil {
		pageError(w, http.StatusNotFound, err.Error())
		return
	}
	status, body, err := s.act(r, p, r.PathValue("action"), a)
	switch {
	case errors.Is(err, errNoAction):
		pageError(w, http.StatusNotFound, err.Error())
	case errors.Is(err, ErrNoAnswer):
		pageError(w, http.StatusGatewayTimeout, "Loading options failed: the application did not respond.")
	case err != nil:
		pageError(w, http.StatusBadRequest, err.Error())
	case body == nil:
		w.WriteHeader(status)
	default:
		pageJSON(w, status, body)
	}
}

var errNoAction = errors.New("there is nothing here")

func (s *Sandbox) act(r *http.Request, p *Person, name string, a action) (status int, body any, err error) {
	started := func(i Interaction, err error) (int, any, error) {
		return http.StatusAccepted, map[string]any{"id": i.ID}, err
	}
	switch name {
	case "commands":
		switch a.CommandType {
		case api.CommandUser:
			return started(p.CommandOnUser(a.ChannelID, a.Name, a.TargetID))
		case api.CommandMessage:
			return started(p.CommandOnMessage(a.ChannelID, a.Name, a.TargetID))
		}
		return started(p.Command(a.ChannelID, a.Name, a.Options...))
	case "modals":
		return started(p.Submit(a.Interaction, a.Fields...))
	case "components":
		return started(p.UseComponent(a.ChannelID, a.MessageID, a.CustomID, a.ComponentType, api.OrEmpty(a.Values)))
	case "autocomplete":
		choices, err := p.Autocomplete(r.Context(), a.ChannelID, a.Name, a.Options...)
		return http.StatusOK, map[string]any{"choices": api.OrEmpty(choices)}, err
	case "direct":
		open := p.DirectMessages
		if a.TargetID != s.ApplicationID() {
			open = func() (string, error) { return p.DirectMessagesWith(a.TargetID) }
		}
		id, err := open()
		return http.StatusOK, map[string]any{"channel_id": id}, err
	case "install":
		return http.StatusNoContent, nil, p.Install()
	case "uninstall":
		return http.StatusNoContent, nil, p.Uninstall()
	case "messages":
		m, err := p.Reply(a.ChannelID, a.MessageID, a.Content, a.Files...)
		return http.StatusCreated, m, err
	case "edit":
		return http.StatusNoContent, nil, p.Edit(a.ChannelID, a.MessageID, a.Content)
	case "delete":
		return http.StatusNoContent, nil, p.Delete(a.ChannelID, a.MessageID)
	case "thread":
		id, err := p.StartThread(a.ChannelID, a.MessageID, a.Name)
		return http.StatusCreated, map[string]any{"channel_id": id}, err
	case "join", "leave":
		return http.StatusNoContent, nil, p.SetMember(a.TargetID, name == "join")
	case "locale":
		return http.StatusNoContent, nil, p.SetLocale(a.Name)
	case "uploads":
		id, err := p.Upload(a.Filename, a.Data)
		return http.StatusCreated, map[string]any{"id": id}, err
	case "reactions":
		return http.StatusNoContent, nil, p.React(a.ChannelID, a.MessageID, a.Name)
	case "read":
		p.Read(a.ChannelID)
		return http.StatusNoContent, nil, nil
	}
	return 0, nil, errNoAction
}
