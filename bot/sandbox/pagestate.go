package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
)

type pageUser struct {
	api.User
	Nick   *string `json:"nick"`
	Locale string  `json:"locale"`
}

func (s *Sandbox) pageUser(id string) pageUser {
	object, _ := s.userByID(id)
	u, _ := s.user(id)
	out := pageUser{User: object, Locale: cmp.Or(u.Locale, "en-US")}
	if nick := s.guilds[0].nicks[id]; nick != "" {
		out.Nick = &nick
	}
	return out
}

func (s *Sandbox) userOrFirst(id string) (User, bool) {
	if id == "" {
		return s.o.World.Users[0], true
	}
	return s.user(id)
}

func (s *Sandbox) serveState(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	me, ok := s.userOrFirst(strings.TrimSpace(r.URL.Query().Get("user")))
	if !ok {
		s.mu.Unlock()
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	state := s.state(me.ID)
	state["version"], state["now"] = s.events, s.o.Now().UnixMilli()
	state["time"] = map[string]bool{"move": s.o.Clock != nil, "next": s.keeper != nil}
	state["online"] = s.endpointURL != "" || s.Gateway.Connected()
	s.mu.Unlock()
	pageJSON(w, http.StatusOK, state)
}

func (s *Sandbox) state(userID string) map[string]any {
	users := []pageUser{}
	for _, u := range s.o.World.Users {
		users = append(users, s.pageUser(u.ID))
	}
	guilds, others, direct := []any{}, []any{}, []any{}
	channels := map[string]any{}
	show := func(ch *channelState) map[string]any {
		m := s.unreadOf(userID, ch.ID)
		channels[ch.ID] = map[string]any{"messages": s.visibleMessages(userID, ch.ID), "mentions": m.Mentions, "unread": m.Unread}
		return s.pageChannel(ch, userID)
	}
	for _, g := range s.guilds {
		if !s.isMember(g, userID) {
			others = append(others, map[string]any{"id": g.ID, "name": g.Name})
			continue
		}
		list := []any{}
		for _, ch := range g.Channels {
			if !s.may(ch.ID, userID, 0) {
				continue
			}
			list = append(list, show(ch))
			for _, t := range s.threadsOf(func(t *channelState) bool { return t.Thread.Parent == ch && s.may(t.ID, userID, 0) }) {
				list = append(list, show(t))
			}
		}
		roles := []any{}
		for _, r := range g.allRoles() {
			roles = append(roles, map[string]any{"id": r.ID, "name": r.Name, "color": r.Color})
		}
		members := slices.Clone(g.Members)
		guilds = append(guilds, map[string]any{
			"id": g.ID, "name": g.Name, "channels": list, "installed": g.HasBot, "members": members, "roles": roles, "owner": g.OwnerID,
		})
	}
	for _, ch := range s.directOf(userID) {
		direct = append(direct, show(ch))
	}
	marks := map[string]map[string]int{}
	for key, m := range s.unread {
		if user, channel := key[0], key[1]; m.Mentions > 0 {
			if marks[user] == nil {
				marks[user] = map[string]int{}
			}
			marks[user][channel] = m.Mentions
		}
	}
	app := s.o.World.Application
	return map[string]any{
		"me": s.pageUser(userID), "users": users, "guilds": guilds, "others": others, "direct": direct,
		"application": map[string]any{"id": app.ID, "name": app.Name, "user": s.botUser(), "installed": s.installed[userID]},
		"commands":    s.commandSets(userID), "channels": channels, "marks": marks,
	}
}

func (s *Sandbox) pageChannel(ch *channelState, userID string) map[string]any {
	out := map[string]any{"id": ch.ID, "name": ch.Name, "topic": ch.Topic, "type": ch.Type, "guild_id": ch.GuildID}
	switch {
	case ch.Thread != nil:
		_, member := ch.Thread.member(userID)
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
func (s *Sandbox) serveTraffic(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	list := slices.Clone(s.traffic)
	s.mu.Unlock()
	slices.Reverse(list)
	pageJSON(w, http.StatusOK, map[string]any{"wire": list})
}

// serveEvents sends server-sent events for the users that the query names, by
// default the first one.
func (s *Sandbox) serveEvents(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	ids := r.URL.Query()["user"]
	if len(ids) == 0 {
		ids = []string{s.o.World.Users[0].ID}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if s.closed || slices.ContainsFunc(ids, func(id string) bool { _, ok := s.user(id); return !ok }) {
		s.mu.Unlock()
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	st := s.subscribe(ids...)
	s.mu.Unlock()
	defer s.unsubscribe(st)

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
		case <-st.Woken:
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
