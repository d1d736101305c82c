package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// pageUser is a user as the page gets it: with the name in the server.
type pageUser struct {
	UserObject
	Nick *string `json:"nick"`
}

func (s *pageServer) pageUser(id string) pageUser {
	object, _ := s.userObject(id)
	out := pageUser{UserObject: object}
	if u, ok := s.user(id); ok && u.Nick != "" {
		out.Nick = &u.Nick
	}
	return out
}

// userOrFirst finds a user; "" is the first one.
func (s *pageServer) userOrFirst(id string) (User, bool) {
	if id == "" {
		return s.world.Users[0], true
	}
	return s.user(id)
}

// serveState is GET /sandbox/state: everything that one user sees.
func (s *pageServer) serveState(w http.ResponseWriter, r *http.Request) {
	me, ok := s.userOrFirst(strings.TrimSpace(r.URL.Query().Get("user")))
	if !ok {
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	online := s.gateway.Online()
	s.Lock()
	state := s.state(me.ID)
	s.Unlock()
	state["online"] = online
	pageJSON(w, http.StatusOK, state)
}

func (s *pageServer) state(userID string) map[string]any {
	users := []pageUser{}
	for _, u := range s.world.Users {
		users = append(users, s.pageUser(u.ID))
	}
	guilds, direct := []any{}, []any{}
	channels := map[string]any{}
	show := func(p *place) map[string]any {
		m := s.unreadOf(userID, p.ID)
		channels[p.ID] = map[string]any{"messages": s.visibleMessages(userID, p.ID), "mentions": m.mentions, "unread": m.unread}
		return s.pageChannel(p, userID)
	}
	for _, g := range s.guilds {
		if !s.isMember(g, userID) {
			continue
		}
		list := []any{}
		for _, p := range g.channels {
			if !s.may(p.ID, userID, 0) {
				continue
			}
			list = append(list, show(p))
			for _, t := range s.threadsOf(func(t *place) bool { return t.thread.parent == p && s.may(t.ID, userID, 0) }) {
				list = append(list, show(t))
			}
		}
		roles := []any{}
		for _, r := range g.allRoles() {
			roles = append(roles, map[string]any{"id": r.ID, "name": r.Name, "color": r.Color})
		}
		members := slices.Clone(g.members)
		guilds = append(guilds, map[string]any{
			"id": g.ID, "name": g.name, "channels": list, "installed": g.hasBot, "members": members, "roles": roles,
		})
	}
	for _, p := range s.directOf(userID) {
		direct = append(direct, show(p))
	}
	app := s.world.Application
	return map[string]any{
		"me": s.pageUser(userID), "users": users, "guilds": guilds, "direct": direct,
		"application": map[string]any{"id": app.ID, "name": app.Name, "user": s.BotUser(), "installed": s.installed[userID]},
		"commands":    s.commandSets(userID), "channels": channels,
	}
}

// pagePlace is a channel, a thread or direct messages as the page lists it.
func (s *pageServer) pageChannel(p *place, userID string) map[string]any {
	out := map[string]any{"id": p.ID, "name": p.name, "topic": p.topic, "type": p.Type, "guild_id": p.guildID()}
	switch {
	case p.thread != nil:
		_, member := p.thread.member(userID)
		out["parent_id"], out["archived"], out["locked"], out["joined"] = p.thread.parent.ID, p.thread.archived, p.thread.locked, member
	case p.Type == ChannelDM:
		for _, id := range p.recipients {
			if id != userID {
				out["recipient_id"] = id
			}
		}
	}
	return out
}

// directOf lists a person's direct messages, those with the bot first.
func (s *Model) directOf(userID string) []*place {
	var out []*place
	for _, p := range s.channels {
		if p.Type == ChannelDM && slices.Contains(p.recipients, userID) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *place) int {
		if s.isBotDM(a) != s.isBotDM(b) {
			if s.isBotDM(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// serveTraffic sends the latest traffic, newest first.
func (s *pageServer) serveTraffic(w http.ResponseWriter, _ *http.Request) {
	s.Lock()
	list := slices.Clone(s.traffic)
	s.Unlock()
	slices.Reverse(list)
	pageJSON(w, http.StatusOK, map[string]any{"wire": list})
}

// serveEvents sends server-sent events for one user.
func (s *pageServer) serveEvents(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	u, ok := s.userOrFirst(r.URL.Query().Get("user"))
	if !ok || s.closed {
		s.Unlock()
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	st := s.subscribe(u.ID)
	s.Unlock()
	defer s.unsubscribe(st)

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	ping := time.NewTicker(streamPing)
	defer ping.Stop()
	for {
		queue, ended := st.take()
		for _, raw := range queue {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", raw); err != nil {
				return
			}
		}
		if out.Flush() != nil || ended {
			return
		}
		select {
		case <-st.wake:
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
