package sandbox

import (
	"fmt"
	"slices"
	"strconv"
)

// Deny sets what a channel takes from a user, the bot or a person: a set of
// permissions, 0 for nothing. It is an overwrite for a member, in place of
// whatever was there before. The error says that there is no such channel or
// user.
func (s *Model) Deny(channelID, userID string, permissions int64) error {
	return s.SetOverwrite(channelID, Overwrite{ID: userID, Member: true, Deny: permissions})
}

// SetOverwrite sets what a channel gives to and takes from a role or a member,
// in place of what it did before; an overwrite that does neither is removed.
// The error says that there is no such channel, user or role.
func (s *Model) SetOverwrite(channelID string, o Overwrite) error {
	s.Lock()
	defer s.Unlock()
	p := s.channels[channelID]
	if p == nil || p.Type != ChannelText {
		return fmt.Errorf("there is no channel %q", channelID)
	}
	if o.Member {
		if _, ok := s.userObject(o.ID); !ok {
			return fmt.Errorf("there is no user %q", o.ID)
		}
	} else if _, ok := p.guild.role(o.ID); !ok {
		return fmt.Errorf("there is no role %q in the server", o.ID)
	}
	i := slices.IndexFunc(p.overwrites, func(x Overwrite) bool { return x.ID == o.ID })
	switch {
	case o.Allow == 0 && o.Deny == 0 && i >= 0:
		p.overwrites = slices.Delete(p.overwrites, i, i+1)
	case o.Allow == 0 && o.Deny == 0: // there was none
	case i >= 0:
		p.overwrites[i] = o
	default:
		p.overwrites = append(p.overwrites, o)
	}
	s.dispatch(p.guild, intentGuilds, "CHANNEL_UPDATE", s.channelObject(p))
	s.worldChanged()
	return nil
}

// overwriteObjects is a channel's permission_overwrites.
func overwriteObjects(list []Overwrite) []any {
	out := []any{}
	for _, o := range list {
		kind := 0
		if o.Member {
			kind = 1
		}
		out = append(out, map[string]any{
			"id": o.ID, "type": kind, "allow": strconv.FormatInt(o.Allow, 10), "deny": strconv.FormatInt(o.Deny, 10),
		})
	}
	return out
}

// deniedTo is what a channel takes from one member.
func (p *place) deniedTo(userID string) int64 {
	for _, o := range p.overwrites {
		if o.Member && o.ID == userID {
			return o.Deny
		}
	}
	return 0
}
