package model

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/gateway"
	"castellan/bot/sandbox/internal/world"
)

// Guild is a guild with its members and roles.
type Guild struct {
	ID       string
	Name     string
	Locale   string // "" means en-US
	OwnerID  string
	Members  []string     // ids of people, without the bot
	roles    []world.Role // @everyone first, then the lowest
	botRole  world.Role
	HasBot   bool              // the bot is a member
	commands bool              // the application has commands; the bot may be a member or not
	Channels []*Channel        // its channels, in the order of the list
	nicks    map[string]string // of members
}

// errNotInstalled is the error of an action that needs a bot that was removed.
var errNotInstalled = errors.New("the application is not in this server any more")

// RemoveBotFrom removes the bot from a guild, the first if guildID is "". It
// takes the lock.
func (s *Model) RemoveBotFrom(guildID string) error {
	s.Lock()
	defer s.Unlock()
	g := s.GuildByID(cmp.Or(guildID, s.World.Guild.ID))
	switch {
	case g == nil:
		return fmt.Errorf("there is no server %q", guildID)
	case !g.HasBot:
		return errNotInstalled
	}
	s.Leave(g)
	return nil
}

// Leave removes the bot from a guild.
func (s *Model) Leave(g *Guild) {
	// "If the unavailable field is not set, the user was removed from the
	// guild" (Guild Delete).
	s.dispatch(g, api.IntentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID})
	g.HasBot, g.commands = false, false
	s.worldChanged()
}

// Nick returns a member's nickname, "" if there is none.
func (g *Guild) Nick(userID string) string { return g.nicks[userID] }

// AddBotTo adds the bot to a guild, the first if guildID is "". It takes the
// lock.
func (s *Model) AddBotTo(guildID string) error {
	s.Lock()
	defer s.Unlock()
	g := s.GuildByID(cmp.Or(guildID, s.World.Guild.ID))
	switch {
	case g == nil:
		return fmt.Errorf("there is no server %q", guildID)
	case g.HasBot:
		return errors.New("the application is in this server already")
	}
	g.HasBot, g.commands = true, true
	s.dispatchEach(g, api.IntentGuilds, "GUILD_CREATE", func(se *gateway.Session) any { return s.GuildCreate(g.ID, se.Intents) })
	s.worldChanged()
	return nil
}

// Member returns a guild member in Discord's shape, with its user unless
// Discord sends the user elsewhere (resolved members).
func (s *Model) Member(g *Guild, userID string, withUser bool) map[string]any {
	roles := []string{}
	for _, r := range s.rolesOf(g, userID) {
		roles = append(roles, r.ID)
	}
	m := map[string]any{
		"roles": roles, "joined_at": g.joinedAt(), "nick": nil, "avatar": nil, "banner": nil,
		"premium_since": nil, "pending": false, "communication_disabled_until": nil, "flags": 0,
	}
	if nick := g.nicks[userID]; nick != "" {
		m["nick"] = nick
	}
	if withUser {
		u, _ := s.UserByID(userID)
		m["user"], m["deaf"], m["mute"] = u, false, false
	}
	return m
}

// RoleObject returns a role in Discord's shape.
func (s *Model) RoleObject(g *Guild, r world.Role) map[string]any {
	position := slices.IndexFunc(g.AllRoles(), func(x world.Role) bool { return x.ID == r.ID })
	out := map[string]any{
		"id": r.ID, "name": r.Name, "color": r.Color, "hoist": r.Hoist, "icon": nil, "unicode_emoji": nil, "position": position,
		"permissions": strconv.FormatInt(r.Permissions, 10), "managed": r.ID == g.botRole.ID, "mentionable": r.Mentionable, "flags": 0,
		"colors": map[string]any{"primary_color": r.Color, "secondary_color": nil, "tertiary_color": nil},
	}
	if r.ID == g.botRole.ID {
		out["tags"] = map[string]any{"bot_id": s.World.Application.ID}
	}
	return out
}

// RoleObjects returns the roles of a guild in Discord's shape.
func (s *Model) RoleObjects(g *Guild) []any {
	out := []any{}
	for _, r := range g.AllRoles() {
		out = append(out, s.RoleObject(g, r))
	}
	return out
}

// GuildObject returns a guild as the REST API does.
func (s *Model) GuildObject(g *Guild) map[string]any {
	return map[string]any{
		"id": g.ID, "name": g.Name, "owner_id": g.OwnerID,
		"icon": nil, "splash": nil, "discovery_splash": nil, "home_header": nil, "description": nil, "banner": nil, "vanity_url_code": nil,
		"incidents_data": nil, "afk_channel_id": nil, "afk_timeout": 300, "application_id": nil, "system_channel_id": nil, "system_channel_flags": 0,
		"widget_enabled": false, "widget_channel_id": nil, "region": "deprecated", "max_members": 500000, "max_presences": nil,
		"max_video_channel_users": 25, "max_stage_video_channel_users": 50, "premium_subscription_count": 0, "nsfw": false,
		"rules_channel_id": nil, "public_updates_channel_id": nil, "safety_alerts_channel_id": nil,
		"verification_level": 0, "default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0,
		"nsfw_level": 0, "premium_tier": 0, "premium_progress_bar_enabled": false, "preferred_locale": cmp.Or(g.Locale, "en-US"),
		"roles": s.RoleObjects(g), "emojis": []any{}, "features": []string{}, "stickers": []any{},
	}
}

// GuildCreate returns the data of GUILD_CREATE. Without the members intent the
// only member is the bot ("Guild Create"). The threads are the active ones
// that the bot can see.
func (s *Model) GuildCreate(guildID string, intents int) map[string]any {
	g := s.GuildByID(guildID)
	channels, threads, online := []any{}, []any{}, []any{}
	for _, ch := range g.Channels {
		channels = append(channels, s.ChannelObject(ch))
	}
	for _, ch := range s.ActiveThreads(g) {
		threads = append(threads, s.ChannelObject(ch))
	}
	if intents&api.IntentGuildPresences != 0 {
		online = s.presences(g)
	}
	members := []any{s.Member(g, s.World.Application.ID, true)}
	if intents&api.IntentGuildMembers != 0 {
		for _, id := range g.Members {
			members = append(members, s.Member(g, id, true))
		}
	}
	out := s.GuildObject(g)
	maps.Copy(out, map[string]any{
		"unavailable": false, "joined_at": g.joinedAt(), "large": false, "member_count": len(g.Members) + 1,
		"channels": channels, "members": members, "threads": threads, "presences": online, "voice_states": []any{},
		"stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	})
	return out
}

// GuildIDs lists all guilds.
func (s *Model) GuildIDs() []string {
	var out []string
	for _, g := range s.Guilds {
		out = append(out, g.ID)
	}
	return out
}

// HasBot reports whether the bot is a member of a guild.
func (s *Model) HasBot(guildID string) bool {
	g := s.GuildByID(guildID)
	return g != nil && g.HasBot
}

// HasCommands reports whether the application was added to the guild, with its
// bot or without.
func (g *Guild) HasCommands() bool { return g.commands }

// scope returns the scope of a guild's events; nil means direct messages.
func (g *Guild) scope() gateway.Scope {
	if g == nil {
		return gateway.Scope{}
	}
	return gateway.Scope{GuildID: g.ID}
}

// dispatch sends an event of a guild, or of direct messages if g is nil.
func (s *Model) dispatch(g *Guild, intents int, kind string, data any) {
	s.gateway.Dispatch(g.scope(), intents, kind, func(*gateway.Session) any { return data })
}

// dispatchEach sends an event with data that differs by session.
func (s *Model) dispatchEach(g *Guild, intents int, kind string, data func(*gateway.Session) any) {
	s.gateway.Dispatch(g.scope(), intents, kind, data)
}

// addGuilds creates the guilds and channels of a world.
func (s *Model) addGuilds(w world.World) {
	for _, c := range append([]world.Guild{w.Guild}, w.Guilds...) {
		s.Guilds = append(s.Guilds, &Guild{
			ID: c.ID, Name: c.Name, Locale: c.Locale, OwnerID: c.OwnerID, Members: slices.Clone(c.Members), roles: slices.Clone(c.Roles),
			HasBot: !c.WithoutBot, commands: !c.WithoutBot || c.CommandsOnly, nicks: map[string]string{},
			botRole: world.Role{ID: s.derivedID(c.ID, "bot role"), Name: w.Application.Name, Permissions: c.BotPermissions},
		})
	}
	for _, u := range w.Users {
		s.Guilds[0].nicks[u.ID] = u.Nick
	}
	for _, c := range w.Channels {
		g := s.GuildByID(c.GuildID)
		ch := &Channel{ID: c.ID, Type: c.Type, Guild: g, Name: c.Name, Topic: c.Topic, Slowmode: c.Slowmode, NSFW: c.NSFW, overwrites: slices.Clone(c.Overwrites)}
		g.Channels = append(g.Channels, ch)
		s.Channels[c.ID] = ch
	}
}

// derivedID returns an id that depends on other ids only, and so stays the
// same over restarts: the base's time, and a hash in place of the counter.
func (s *Model) derivedID(base string, of ...string) string {
	id, _ := strconv.ParseUint(base, 10, 64)
	h := fnv.New64a()
	for _, part := range append([]string{base}, of...) {
		_, _ = h.Write([]byte(part + "\x00")) // a hash never fails
	}
	id = id>>22<<22 | h.Sum64()&(1<<22-1)
	for s.idTaken(strconv.FormatUint(id, 10)) {
		id++
	}
	return strconv.FormatUint(id, 10)
}

func (s *Model) idTaken(id string) bool {
	_, isUser := s.UserByID(id)
	if isUser || s.Channels[id] != nil {
		return true
	}
	return slices.ContainsFunc(s.Guilds, func(g *Guild) bool {
		return g.ID == id || g.botRole.ID == id || slices.ContainsFunc(g.roles, func(r world.Role) bool { return r.ID == id })
	})
}

// GuildByID returns a guild, nil if there is none.
func (s *Model) GuildByID(id string) *Guild {
	for _, g := range s.Guilds {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// FirstGuild returns the world's first guild.
func (s *Model) FirstGuild() *Guild { return s.Guilds[0] }

// IsMember reports whether a person or the bot is a member.
func (s *Model) IsMember(g *Guild, userID string) bool {
	if userID == s.World.Application.ID {
		return g.HasBot
	}
	return slices.Contains(g.Members, userID)
}

// SharesGuild reports whether a person is in a guild with the bot.
func (s *Model) SharesGuild(userID string) bool {
	return slices.ContainsFunc(s.Guilds, func(g *Guild) bool { return g.HasBot && slices.Contains(g.Members, userID) })
}

// AllRoles lists the guild's roles, including the bot's own if it is a member.
func (g *Guild) AllRoles() []world.Role {
	out := slices.Clone(g.roles)
	if g.HasBot {
		out = append(out, g.botRole)
	}
	return out
}

func (g *Guild) role(id string) (world.Role, bool) {
	for _, r := range g.AllRoles() {
		if r.ID == id {
			return r, true
		}
	}
	return world.Role{}, false
}

// rolesOf lists a member's roles without @everyone.
func (s *Model) rolesOf(g *Guild, userID string) []world.Role {
	if userID == s.World.Application.ID {
		if !g.HasBot {
			return nil
		}
		return []world.Role{g.botRole}
	}
	var out []world.Role
	for _, r := range g.roles[1:] {
		if slices.Contains(r.Members, userID) {
			out = append(out, r)
		}
	}
	return out
}

// joinedAt returns when all members joined: the time in the guild's id.
func (g *Guild) joinedAt() string {
	id, _ := strconv.ParseUint(g.ID, 10, 64)
	return api.FormatTime(time.UnixMilli(int64(id>>22) + api.DiscordEpoch))
}
