package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"castellan/bot/sandbox/api"
)

type entities struct {
	users, channels, roles []string
	messages               []*storedMessage
	files                  []*api.StoredFile // uploaded by the person
}

func (s *Sandbox) checkSelection(named *entities, ch *channelState, c api.Component, values []string) error {
	if n := len(values); n < c.MinValues || n > c.MaxValues {
		return fmt.Errorf("choose %d to %d", c.MinValues, c.MaxValues)
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%q is chosen twice", v)
		}
		ok := slices.ContainsFunc(c.Options, func(o api.SelectOption) bool { return o.Value == v })
		if c.Type == api.ComponentFileUpload {
			if err := s.addFile(named, v); err != nil {
				return err
			}
			continue
		}
		if !ok && !s.addEntity(named, ch, c.Type, v, c.Channels) {
			return fmt.Errorf("%q is not one of the choices", v)
		}
	}
	return nil
}

// addEntity adds the entity that an id names for a select menu of a type, or an
// option like it; it reports false if there is none. Roles and channels are
// those of the guild, channels of one of the types if there are any.
func (s *Sandbox) addEntity(e *entities, at *channelState, selectType int, id string, channelTypes []int) bool {
	if _, ok := s.userByID(id); ok && (selectType == api.ComponentUserSelect || selectType == api.ComponentMentionableSelect) {
		e.users = append(e.users, id)
		return true
	}
	if at.Guild == nil {
		return false
	}
	switch selectType {
	case api.ComponentRoleSelect, api.ComponentMentionableSelect:
		if _, ok := at.Guild.role(id); ok {
			e.roles = append(e.roles, id)
			return true
		}
	case api.ComponentChannelSelect:
		if ch := s.channels[id]; ch != nil && ch.Guild == at.Guild && (len(channelTypes) == 0 || slices.Contains(channelTypes, ch.Type)) {
			e.channels = append(e.channels, id)
			return true
		}
	}
	return false
}

// resolve returns the resolved data of an interaction ("Resolved Data
// Structure"). Members are of the guild where it happens; permissions in
// channels are those of the user.
func (s *Sandbox) resolve(ch *channelState, userID string, e entities) map[string]map[string]any {
	out := map[string]map[string]any{"users": {}, "members": {}, "channels": {}, "roles": {}, "messages": {}, "attachments": {}}
	for _, id := range e.users {
		out["users"][id], _ = s.userByID(id)
		if ch.Guild != nil && s.isMember(ch.Guild, id) {
			m := s.member(ch.Guild, id, false)
			m["permissions"] = strconv.FormatInt(s.permissionsIn(ch, id), 10)
			out["members"][id] = m
		}
	}
	for _, id := range e.channels {
		object := s.channelObject(s.channels[id])
		object["permissions"] = strconv.FormatInt(s.permissionsIn(s.channels[id], userID), 10)
		object["app_permissions"] = strconv.FormatInt(s.appPermissions(s.channels[id], userID), 10)
		out["channels"][id] = object
	}
	for _, id := range e.roles {
		r, _ := ch.Guild.role(id)
		out["roles"][id] = s.roleObject(ch.Guild, r)
	}
	for _, m := range e.messages {
		out["messages"][m.Msg.ID] = m.botView()
	}
	for _, f := range e.files {
		out["attachments"][f.ID] = f.Attachment
	}
	maps.DeleteFunc(out, func(_ string, objects map[string]any) bool { return len(objects) == 0 })
	return out
}
