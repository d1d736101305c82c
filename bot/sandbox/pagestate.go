package sandbox

import (
	"net/http"
	"slices"
	"strings"
)

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
	guilds, direct := []any{}, []any{}
	channels := map[string]any{}
	show := func(p *place) map[string]any {
		m := s.unreadOf(userID, p.id)
		channels[p.id] = map[string]any{"messages": s.visibleMessages(userID, p.id), "mentions": m.mentions, "unread": m.unread}
		return s.pageChannel(p, userID)
	}
	for _, sv := range s.guilds {
		if !s.isMember(sv, userID) {
			continue
		}
		list := []any{}
		for _, p := range sv.channels {
			if !s.may(p.id, userID, 0) {
				continue
			}
			list = append(list, show(p))
			for _, t := range s.threadsOf(func(t *place) bool { return t.thread.parent == p && s.may(t.id, userID, 0) }) {
				list = append(list, show(t))
			}
		}
		roles := []any{}
		for _, r := range sv.allRoles() {
			roles = append(roles, map[string]any{"id": r.ID, "name": r.Name, "color": r.Color})
		}
		members := slices.Clone(sv.members)
		guilds = append(guilds, map[string]any{
			"id": sv.id, "name": sv.name, "channels": list, "installed": sv.hasBot, "members": members, "roles": roles,
		})
	}
	for _, p := range s.directOf(userID) {
		direct = append(direct, show(p))
	}
	app := s.world.Application
	return map[string]any{
		"me": s.pageUser(userID), "users": users, "guilds": guilds, "direct": direct,
		"application": map[string]any{"id": app.ID, "name": app.Name, "user": s.botUser(), "installed": s.installed[userID]},
		"online":      s.online(), "commands": s.commandSets(userID), "channels": channels,
	}
}

// pagePlace is a channel, a thread or direct messages as the page lists it.
func (s *Sandbox) pageChannel(p *place, userID string) map[string]any {
	out := map[string]any{"id": p.id, "name": p.name, "topic": p.topic, "type": p.kind, "guild_id": p.guildID()}
	switch {
	case p.thread != nil:
		_, member := p.thread.member(userID)
		out["parent_id"], out["archived"], out["locked"], out["joined"] = p.thread.parent.id, p.thread.archived, p.thread.locked, member
	case p.kind == ChannelDM:
		for _, id := range p.recipients {
			if id != userID {
				out["recipient_id"] = id
			}
		}
	}
	return out
}

// directOf lists a person's direct messages, those with the bot first.
func (s *Sandbox) directOf(userID string) []*place {
	var out []*place
	for _, p := range s.channels {
		if p.kind == ChannelDM && slices.Contains(p.recipients, userID) {
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
		return strings.Compare(a.id, b.id)
	})
	return out
}
