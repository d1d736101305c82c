package model

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strconv"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/world"
)

// Limits of a guild ("JSON Error Codes").
const (
	maxRoles    = 250
	maxChannels = 500
	maxWebhooks = 15 // of a channel
)

// Webhook posts to a channel without a bot ("Webhook Resource").
type Webhook struct {
	ID, Token, ChannelID, Name string
}

// WebhookObject returns a webhook in Discord's shape, with its token and creator
// unless it is read by the token.
func (s *Model) WebhookObject(w *Webhook, byToken bool) map[string]any {
	out := map[string]any{
		"id": w.ID, "type": 1, "channel_id": w.ChannelID, "guild_id": s.Channels[w.ChannelID].GuildID(), "name": w.Name, "avatar": nil, "application_id": s.World.Application.ID,
		"token": w.Token, "url": s.URL + "/api/webhooks/" + w.ID + "/" + w.Token,
	}
	if !byToken {
		out["user"] = s.BotUser()
	}
	return out
}

// WebhooksOf lists the webhooks that keep accepts, oldest first.
func (s *Model) WebhooksOf(keep func(*Webhook) bool) []*Webhook {
	var out []*Webhook
	for _, w := range s.Webhooks {
		if s.Channels[w.ChannelID] != nil && keep(w) {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b *Webhook) int { return api.CompareIDs(a.ID, b.ID) })
	return out
}

// AddWebhook creates a webhook of a channel.
func (s *Model) AddWebhook(ch *Channel, name string) (*Webhook, error) {
	if len(s.WebhooksOf(func(w *Webhook) bool { return w.ChannelID == ch.ID })) >= maxWebhooks {
		return nil, api.ErrTooManyWebhooks
	}
	w := &Webhook{ID: s.IDs.Next(), Token: rand.Text() + rand.Text(), ChannelID: ch.ID, Name: name}
	s.Webhooks[w.ID] = w
	s.WebhooksChanged(ch)
	return w, nil
}

// WebhooksChanged sends WEBHOOKS_UPDATE.
func (s *Model) WebhooksChanged(ch *Channel) {
	s.dispatch(ch.Guild, api.IntentWebhooks, "WEBHOOKS_UPDATE", map[string]any{"guild_id": ch.GuildID(), "channel_id": ch.ID})
}

// AddChannel creates a channel of a guild; change sets its properties.
func (s *Model) AddChannel(g *Guild, kind int, change func(*Channel)) (*Channel, error) {
	if len(g.Channels) >= maxChannels {
		return nil, api.ErrTooManyChannels
	}
	ch := &Channel{ID: s.IDs.Next(), Type: kind, Guild: g}
	change(ch)
	g.Channels = append(g.Channels, ch)
	s.Channels[ch.ID] = ch
	s.dispatch(g, api.IntentGuilds, "CHANNEL_CREATE", s.ChannelObject(ch))
	s.worldChanged()
	return ch, nil
}

// AnnounceChannel sends CHANNEL_UPDATE.
func (s *Model) AnnounceChannel(ch *Channel) {
	s.dispatch(ch.Guild, api.IntentGuilds, "CHANNEL_UPDATE", s.ChannelObject(ch))
	s.worldChanged()
}

// Move moves a channel to a position in the guild's list.
func (ch *Channel) Move(position int) {
	g := ch.Guild
	g.Channels = slices.DeleteFunc(g.Channels, func(x *Channel) bool { return x == ch })
	g.Channels = slices.Insert(g.Channels, min(position, len(g.Channels)), ch)
}

// Overwrites lists a channel's overwrites.
func (ch *Channel) Overwrites() []world.Overwrite { return ch.overwrites }

// Overwrite sets or replaces a channel's overwrite.
func (ch *Channel) Overwrite(o world.Overwrite) {
	ch.RemoveOverwrite(o.ID)
	ch.overwrites = append(ch.overwrites, o)
}

// RemoveOverwrite removes a channel's overwrite and reports whether there was
// one.
func (ch *Channel) RemoveOverwrite(id string) bool {
	n := len(ch.overwrites)
	ch.overwrites = slices.DeleteFunc(slices.Clone(ch.overwrites), func(o world.Overwrite) bool { return o.ID == id })
	return len(ch.overwrites) < n
}

// AddRole creates a role above all but the bot's.
func (s *Model) AddRole(g *Guild, change func(*world.Role)) (world.Role, error) {
	if len(g.roles) >= maxRoles {
		return world.Role{}, api.ErrTooManyRoles
	}
	r := world.Role{ID: s.IDs.Next(), Name: "new role", Permissions: g.roles[0].Permissions}
	change(&r)
	g.roles = append(g.roles, r)
	s.announceRole(g, "GUILD_ROLE_CREATE", r)
	return r, nil
}

// EditRole changes a role; it reports false if there is none.
func (s *Model) EditRole(g *Guild, id string, change func(*world.Role)) (world.Role, bool) {
	i := slices.IndexFunc(g.roles, func(r world.Role) bool { return r.ID == id })
	if i < 0 {
		return world.Role{}, false
	}
	change(&g.roles[i])
	s.announceRole(g, "GUILD_ROLE_UPDATE", g.roles[i])
	return g.roles[i], true
}

// MoveRole moves a role to a position; @everyone stays at the bottom.
func (s *Model) MoveRole(g *Guild, id string, position int) bool {
	i := slices.IndexFunc(g.roles, func(r world.Role) bool { return r.ID == id })
	if i < 1 {
		return false
	}
	r := g.roles[i]
	g.roles = slices.Delete(g.roles, i, i+1)
	g.roles = slices.Insert(g.roles, min(max(position, 1), len(g.roles)), r)
	s.announceRole(g, "GUILD_ROLE_UPDATE", r)
	return true
}

// RemoveRole deletes a role with its overwrites; it reports false if there is
// none, or if it is @everyone.
func (s *Model) RemoveRole(g *Guild, id string) bool {
	i := slices.IndexFunc(g.roles, func(r world.Role) bool { return r.ID == id })
	if i < 1 {
		return false
	}
	g.roles = slices.Delete(g.roles, i, i+1)
	for _, ch := range g.Channels {
		ch.RemoveOverwrite(id)
	}
	s.dispatch(g, api.IntentGuilds, "GUILD_ROLE_DELETE", map[string]any{"guild_id": g.ID, "role_id": id})
	s.worldChanged()
	return true
}

func (s *Model) announceRole(g *Guild, kind string, r world.Role) {
	s.dispatch(g, api.IntentGuilds, kind, map[string]any{"guild_id": g.ID, "role": s.RoleObject(g, r)})
	s.worldChanged()
}

// SetMemberRoles gives a member exactly some roles and announces the member.
func (s *Model) SetMemberRoles(g *Guild, userID string, roles []string) {
	for i := range g.roles[1:] {
		r := &g.roles[i+1]
		r.Members = slices.DeleteFunc(slices.Clone(r.Members), func(u string) bool { return u == userID })
		if slices.Contains(roles, r.ID) {
			r.Members = append(r.Members, userID)
		}
	}
	s.AnnounceMember(g, userID)
}

// SetNick sets a member's nickname; "" is none.
func (s *Model) SetNick(g *Guild, userID, nick string) {
	g.nicks[userID] = nick
	s.AnnounceMember(g, userID)
}

// AnnounceMember sends GUILD_MEMBER_UPDATE.
func (s *Model) AnnounceMember(g *Guild, userID string) {
	out := s.Member(g, userID, true)
	out["guild_id"] = g.ID
	s.dispatch(g, api.IntentGuildMembers, "GUILD_MEMBER_UPDATE", out)
	s.worldChanged()
}

// Kick removes a person from a guild.
func (s *Model) Kick(g *Guild, userID string) {
	s.SetMemberRoles(g, userID, nil)
	g.Members = slices.DeleteFunc(g.Members, func(id string) bool { return id == userID })
	u, _ := s.UserByID(userID)
	s.dispatch(g, api.IntentGuildMembers, "GUILD_MEMBER_REMOVE", map[string]any{"guild_id": g.ID, "user": u})
	s.worldChanged()
}

// RoleByID returns a role of the guild, also the bot's own.
func (g *Guild) RoleByID(id string) (world.Role, bool) { return g.role(id) }

// RoleIDs lists the ids of a member's roles without @everyone.
func (s *Model) RoleIDs(g *Guild, userID string) []string {
	var out []string
	for _, r := range s.rolesOf(g, userID) {
		out = append(out, r.ID)
	}
	return out
}

// BotMayInGuild returns 50013 unless the bot has every permission of a set in a
// guild.
func (s *Model) BotMayInGuild(g *Guild, permissions int64) error {
	if lacks := permissions &^ s.PermissionsOf(g, s.World.Application.ID); lacks != 0 {
		return api.MissingPermissions(lacks)
	}
	return nil
}

// RenameBot changes the name of the bot's user and announces it.
func (s *Model) RenameBot(name string) {
	s.World.Application.Name = cmp.Or(name, s.World.Application.Name)
	s.dispatch(nil, 0, "USER_UPDATE", s.BotUser())
	s.worldChanged()
}

// MemberCounts returns how many members have each role.
func (g *Guild) MemberCounts() map[string]int {
	out := map[string]int{}
	for _, r := range g.roles[1:] {
		out[r.ID] = len(r.Members)
	}
	return out
}

// ParsePermissionBits reads a permission bit set that is sent as text or as a
// number.
func ParsePermissionBits(text string) int64 {
	v, _ := strconv.ParseInt(text, 10, 64) // the body was checked
	return v & api.PermissionsAll
}
