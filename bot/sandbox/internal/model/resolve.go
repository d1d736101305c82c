package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

// entities are the objects that an interaction names by id.
type entities struct {
	users, channels, roles []string
	messages               []*StoredMessage
	files                  []*payload.StoredFile // uploaded by the person
}

// checkSelection validates the values of a select menu and collects the
// entities among them.
func (s *Model) checkSelection(named *entities, ch *Channel, c api.Component, values []string) error {
	if n := len(values); n < c.MinValues || n > c.MaxValues {
		return fmt.Errorf("choose %d to %d", c.MinValues, c.MaxValues)
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%q is chosen twice", v)
		}
		ok := slices.ContainsFunc(c.Options, func(o api.SelectOption) bool { return o.Value == v })
		if c.Type == api.ComponentFileUpload {
			if err := s.addFile(named, v, c.FileTypes); err != nil {
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
// option like it; it reports false if there is none.
func (s *Model) addEntity(e *entities, at *Channel, selectType int, id string, channelTypes []int) bool {
	switch selectType {
	case api.ComponentUserSelect:
		return s.addUser(e, id)
	case api.ComponentRoleSelect:
		return s.addRole(e, at, id)
	case api.ComponentMentionableSelect:
		return s.addUser(e, id) || s.addRole(e, at, id)
	case api.ComponentChannelSelect:
		return s.addChannel(e, at, id, channelTypes)
	}
	return false
}

// addUser adds a user; it reports false if there is none.
func (s *Model) addUser(e *entities, id string) bool {
	_, ok := s.UserByID(id)
	if ok {
		e.users = append(e.users, id)
	}
	return ok
}

// addRole adds a role of the channel's guild; it reports false if there is
// none.
func (s *Model) addRole(e *entities, ch *Channel, id string) bool {
	if ch.Guild == nil {
		return false
	}
	_, ok := ch.Guild.role(id)
	if ok {
		e.roles = append(e.roles, id)
	}
	return ok
}

// addChannel adds a channel of the channel's guild, of one of the types if
// there are any; it reports false if there is none.
func (s *Model) addChannel(e *entities, at *Channel, id string, types []int) bool {
	ch := s.Channels[id]
	ok := ch != nil && at.Guild != nil && ch.Guild == at.Guild && (len(types) == 0 || slices.Contains(types, ch.Type))
	if ok {
		e.channels = append(e.channels, id)
	}
	return ok
}

// resolve returns the resolved data of an interaction ("Resolved Data
// Structure"). Members are of the guild where it happens; permissions in
// channels are those of the user.
func (s *Model) resolve(ch *Channel, userID string, e entities) map[string]map[string]any {
	out := map[string]map[string]any{"users": {}, "members": {}, "channels": {}, "roles": {}, "messages": {}, "attachments": {}}
	for _, id := range e.users {
		out["users"][id], _ = s.UserByID(id)
		if ch.Guild != nil && s.IsMember(ch.Guild, id) {
			m := s.Member(ch.Guild, id, false)
			m["permissions"] = strconv.FormatInt(s.permissionsIn(ch, id), 10)
			out["members"][id] = m
		}
	}
	for _, id := range e.channels {
		object := s.ChannelObject(s.Channels[id])
		object["permissions"] = strconv.FormatInt(s.permissionsIn(s.Channels[id], userID), 10)
		object["app_permissions"] = strconv.FormatInt(s.appPermissions(s.Channels[id], userID), 10)
		out["channels"][id] = object
	}
	for _, id := range e.roles {
		r, _ := ch.Guild.role(id)
		out["roles"][id] = s.RoleObject(ch.Guild, r)
	}
	for _, m := range e.messages {
		out["messages"][m.Msg.ID] = m.BotView()
	}
	for _, f := range e.files {
		out["attachments"][f.ID] = f.Attachment
	}
	maps.DeleteFunc(out, func(_ string, objects map[string]any) bool { return len(objects) == 0 })
	return out
}
