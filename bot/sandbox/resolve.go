package sandbox

import (
	"slices"
	"strconv"
)

// entities are what an interaction names by ids.
type entities struct {
	users, channels, roles []string
	messages               []*post
}

func (s *Model) addUser(e *entities, id string) bool {
	_, ok := s.userObject(id)
	if ok {
		e.users = append(e.users, id)
	}
	return ok
}

func (s *Model) addRole(e *entities, at *place, id string) bool {
	if at.guild == nil {
		return false
	}
	_, ok := at.guild.role(id)
	if ok {
		e.roles = append(e.roles, id)
	}
	return ok
}

// takeChannel takes a channel of the place's server, of one of the types if
// there are any.
func (s *Model) addChannel(e *entities, at *place, id string, types []int) bool {
	p := s.channels[id]
	ok := p != nil && at.guild != nil && p.guild == at.guild && (len(types) == 0 || slices.Contains(types, p.Type))
	if ok {
		e.channels = append(e.channels, id)
	}
	return ok
}

// resolve is the part of an interaction's data that describes what is named
// ("Resolved Data Structure"). Members are of the server where it happens,
// permissions in channels those of the user who names them.
func (s *Model) resolve(at *place, userID string, e entities) map[string]any {
	out := map[string]any{}
	if len(e.users) > 0 {
		users, members := map[string]any{}, map[string]any{}
		for _, id := range e.users {
			users[id], _ = s.userObject(id)
			if at.guild != nil && s.isMember(at.guild, id) {
				m := s.member(at.guild, id, false)
				m["permissions"] = strconv.FormatInt(s.permissionsIn(at, id), 10)
				members[id] = m
			}
		}
		out["users"] = users
		if len(members) > 0 {
			out["members"] = members
		}
	}
	if len(e.channels) > 0 {
		channels := map[string]any{}
		for _, id := range e.channels {
			object := s.channelObject(s.channels[id])
			object["permissions"] = strconv.FormatInt(s.permissionsIn(s.channels[id], userID), 10)
			channels[id] = object
		}
		out["channels"] = channels
	}
	if len(e.roles) > 0 {
		roles := map[string]any{}
		for _, id := range e.roles {
			r, _ := at.guild.role(id)
			roles[id] = s.roleObject(at.guild, r)
		}
		out["roles"] = roles
	}
	if len(e.messages) > 0 {
		messages := map[string]any{}
		for _, p := range e.messages {
			messages[p.msg.ID] = p.botView()
		}
		out["messages"] = messages
	}
	return out
}
