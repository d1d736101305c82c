package page

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/world"
)

// pageUser is a user with their name in the first guild.
type pageUser struct {
	api.User
	Nick *string `json:"nick"`
}

func (s *Server) pageUser(id string) pageUser {
	object, _ := s.UserByID(id)
	out := pageUser{User: object}
	if nick := s.FirstGuild().Nick(id); nick != "" {
		out.Nick = &nick
	}
	return out
}

// userOrFirst returns a user; "" is the first one.
func (s *Server) userOrFirst(id string) (world.User, bool) {
	if id == "" {
		return s.World.Users[0], true
	}
	return s.User(id)
}

// serveState sends everything that a user sees.
func (s *Server) serveState(w http.ResponseWriter, r *http.Request) {
	me, ok := s.userOrFirst(strings.TrimSpace(r.URL.Query().Get("user")))
	if !ok {
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	s.Lock()
	state := s.state(me.ID)
	state["online"] = s.EndpointURL != "" || s.Connected()
	s.Unlock()
	pageJSON(w, http.StatusOK, state)
}

func (s *Server) state(userID string) map[string]any {
	users := []pageUser{}
	for _, u := range s.World.Users {
		users = append(users, s.pageUser(u.ID))
	}
	guilds, direct := []any{}, []any{}
	channels := map[string]any{}
	show := func(ch *model.Channel) map[string]any {
		m := s.UnreadOf(userID, ch.ID)
		channels[ch.ID] = map[string]any{"messages": s.VisibleMessages(userID, ch.ID), "mentions": m.Mentions, "unread": m.Unread}
		return s.pageChannel(ch, userID)
	}
	for _, g := range s.Guilds {
		if !s.IsMember(g, userID) {
			continue
		}
		list := []any{}
		for _, ch := range g.Channels {
			if !s.May(ch.ID, userID, 0) {
				continue
			}
			list = append(list, show(ch))
			for _, t := range s.ThreadsOf(func(t *model.Channel) bool { return t.Thread.Parent == ch && s.May(t.ID, userID, 0) }) {
				list = append(list, show(t))
			}
		}
		roles := []any{}
		for _, r := range g.AllRoles() {
			roles = append(roles, map[string]any{"id": r.ID, "name": r.Name, "color": r.Color})
		}
		members := slices.Clone(g.Members)
		guilds = append(guilds, map[string]any{
			"id": g.ID, "name": g.Name, "channels": list, "installed": g.HasBot, "members": members, "roles": roles,
		})
	}
	for _, ch := range s.DirectOf(userID) {
		direct = append(direct, show(ch))
	}
	app := s.World.Application
	return map[string]any{
		"me": s.pageUser(userID), "users": users, "guilds": guilds, "direct": direct,
		"application": map[string]any{"id": app.ID, "name": app.Name, "user": s.BotUser(), "installed": s.Installed[userID]},
		"commands":    s.CommandSets(userID), "channels": channels,
	}
}

// pageChannel returns a channel as the page lists it.
func (s *Server) pageChannel(ch *model.Channel, userID string) map[string]any {
	out := map[string]any{"id": ch.ID, "name": ch.Name, "topic": ch.Topic, "type": ch.Type, "guild_id": ch.GuildID()}
	switch {
	case ch.Thread != nil:
		_, member := ch.Thread.Member(userID)
		out["parent_id"], out["archived"], out["locked"], out["joined"] = ch.Thread.Parent.ID, ch.Thread.Archived, ch.Thread.Locked, member
	case ch.Type == api.ChannelDM:
		for _, id := range ch.Recipients {
			if id != userID {
				out["recipient_id"] = id
			}
		}
	}
	return out
}

// serveTraffic sends the latest traffic, newest first.
func (s *Server) serveTraffic(w http.ResponseWriter, _ *http.Request) {
	s.Lock()
	list := slices.Clone(s.Traffic)
	s.Unlock()
	slices.Reverse(list)
	pageJSON(w, http.StatusOK, map[string]any{"wire": list})
}

// serveEvents sends server-sent events for the users that the query names, by
// default the first one.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	ids := r.URL.Query()["user"]
	if len(ids) == 0 {
		ids = []string{s.World.Users[0].ID}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if s.Closed || slices.ContainsFunc(ids, func(id string) bool { _, ok := s.User(id); return !ok }) {
		s.Unlock()
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	st := s.Subscribe(ids...)
	s.Unlock()
	defer s.Unsubscribe(st)

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	ping := time.NewTicker(streamPing)
	defer ping.Stop()
	for {
		queue, ended := st.Take()
		for _, raw := range queue {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", raw); err != nil {
				return
			}
		}
		if out.Flush() != nil || ended {
			return
		}
		select {
		case <-st.Wake:
		case <-ping.C:
			if _, err := fmt.Fprint(w, ": ping\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// streamPing is how often a quiet event stream is written to, so that a dead
// connection is noticed. Real time, like the gateway's heartbeat.
const streamPing = 20 * time.Second
