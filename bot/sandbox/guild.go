package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/gateway"
)

type guildState struct {
	Guild    // Members are without the bot; of Roles, @everyone comes first
	botRole  Role
	HasBot   bool              // the bot is a member
	commands bool              // the application has commands; the bot may be a member or not
	Channels []*channelState   // in the order of the list
	nicks    map[string]string // of members
}

var errNotInstalled = errors.New("the application is not in this server any more")

// RemoveBotFrom removes the bot from a guild, as its owner may: its commands
// are gone, and it cannot access the guild. Tokens of earlier interactions
// still work. It fails if the bot is not a member.
func (s *Sandbox) RemoveBotFrom(guildID string) error { return s.setBot(guildID, false) }

// AddBotTo adds the bot to a guild. It fails if the bot is a member.
func (s *Sandbox) AddBotTo(guildID string) error { return s.setBot(guildID, true) }

func (s *Sandbox) setBot(guildID string, member bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guildByID(cmp.Or(guildID, s.o.World.Guild.ID))
	switch {
	case g == nil:
		return fmt.Errorf("there is no server %q", guildID)
	case g.HasBot && member:
		return errors.New("the application is in this server already")
	case !g.HasBot && !member:
		return errNotInstalled
	}
	s.setMembership(g, member)
	return nil
}

// setMembership adds the bot to a guild, or removes it. The caller holds s.mu.
func (s *Sandbox) setMembership(g *guildState, member bool) {
	if !member {
		// "If the unavailable field is not set, the user was removed from the
		// guild" (Guild Delete).
		s.dispatch(g, api.IntentGuilds, "GUILD_DELETE", map[string]any{"id": g.ID})
	}
	g.HasBot, g.commands = member, member
	if member {
		s.dispatchEach(g, api.IntentGuilds, "GUILD_CREATE", func(se *gateway.Session) any { return s.guildCreate(g.ID, se.Intents) })
	}
	s.worldChanged()
}

// member returns a guild member in Discord's shape, with its user unless
// Discord sends the user elsewhere (resolved members).
func (s *Sandbox) member(g *guildState, userID string, withUser bool) map[string]any {
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
		u, _ := s.userByID(userID)
		m["user"], m["deaf"], m["mute"] = u, false, false
	}
	return m
}

func (s *Sandbox) roleObject(g *guildState, r Role) map[string]any {
	position := slices.IndexFunc(g.allRoles(), func(x Role) bool { return x.ID == r.ID })
	out := map[string]any{
		"id": r.ID, "name": r.Name, "color": r.Color, "hoist": false, "icon": nil, "unicode_emoji": nil, "position": position,
		"permissions": strconv.FormatInt(r.Permissions, 10), "managed": r.ID == g.botRole.ID, "mentionable": false, "flags": 0,
		"colors": map[string]any{"primary_color": r.Color, "secondary_color": nil, "tertiary_color": nil},
	}
	if r.ID == g.botRole.ID {
		out["tags"] = map[string]any{"bot_id": s.ApplicationID()}
	}
	return out
}

func (s *Sandbox) roleObjects(g *guildState) []any {
	out := []any{}
	for _, r := range g.allRoles() {
		out = append(out, s.roleObject(g, r))
	}
	return out
}

func (s *Sandbox) guildObject(g *guildState) map[string]any {
	return map[string]any{
		"id": g.ID, "name": g.Name, "owner_id": g.OwnerID,
		"icon": nil, "splash": nil, "discovery_splash": nil, "home_header": nil, "description": nil, "banner": nil, "vanity_url_code": nil,
		"incidents_data": nil, "afk_channel_id": nil, "afk_timeout": 300, "application_id": nil, "system_channel_id": nil, "system_channel_flags": 0,
		"widget_enabled": false, "widget_channel_id": nil, "region": "deprecated", "max_members": 500000, "max_presences": nil,
		"max_video_channel_users": 25, "max_stage_video_channel_users": 50, "premium_subscription_count": 0, "nsfw": false,
		"rules_channel_id": nil, "public_updates_channel_id": nil, "safety_alerts_channel_id": nil,
		"verification_level": 0, "default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0,
		"nsfw_level": 0, "premium_tier": 0, "premium_progress_bar_enabled": false, "preferred_locale": g.Locale,
		"roles": s.roleObjects(g), "emojis": []any{}, "features": []string{}, "stickers": []any{},
	}
}

// guildCreate returns the data of GUILD_CREATE. Without the members intent the
// only member is the bot ("Guild Create"). The threads are the active ones
// that the bot can see.
func (s *Sandbox) guildCreate(guildID string, intents int) map[string]any {
	g := s.guildByID(guildID)
	channels, threads := []any{}, []any{}
	for _, ch := range g.Channels {
		channels = append(channels, s.channelObject(ch))
	}
	for _, ch := range s.activeThreads(g) {
		threads = append(threads, s.channelObject(ch))
	}
	members := []any{s.member(g, s.ApplicationID(), true)}
	if intents&api.IntentGuildMembers != 0 {
		for _, id := range g.Members {
			members = append(members, s.member(g, id, true))
		}
	}
	out := s.guildObject(g)
	maps.Copy(out, map[string]any{
		"unavailable": false, "joined_at": g.joinedAt(), "large": false, "member_count": len(g.Members) + 1,
		"channels": channels, "members": members, "threads": threads, "presences": []any{}, "voice_states": []any{},
		"stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	})
	return out
}

func (s *Sandbox) guildIDs() []string {
	var out []string
	for _, g := range s.guilds {
		out = append(out, g.ID)
	}
	return out
}

func (s *Sandbox) hasBot(guildID string) bool {
	g := s.guildByID(guildID)
	return g != nil && g.HasBot
}

// scope returns the scope of a guild's events; nil means direct messages.
func (g *guildState) scope() gateway.Scope {
	if g == nil {
		return gateway.Scope{}
	}
	return gateway.Scope{GuildID: g.ID}
}

// dispatch sends an event of a guild, or of direct messages if g is nil.
func (s *Sandbox) dispatch(g *guildState, intents int, kind string, data any) {
	s.Gateway.Dispatch(g.scope(), intents, kind, func(*gateway.Session) any { return data })
}

func (s *Sandbox) dispatchEach(g *guildState, intents int, kind string, data func(*gateway.Session) any) {
	s.Gateway.Dispatch(g.scope(), intents, kind, data)
}

func (s *Sandbox) addGuilds(w World) {
	for _, c := range append([]Guild{w.Guild}, w.Guilds...) {
		s.guilds = append(s.guilds, &guildState{
			Guild: c, HasBot: !c.WithoutBot, commands: !c.WithoutBot || c.CommandsOnly, nicks: map[string]string{},
			botRole: Role{ID: s.derivedID(c.ID, "bot role"), Name: w.Application.Name, Permissions: c.BotPermissions},
		})
	}
	for _, u := range w.Users {
		s.guilds[0].nicks[u.ID] = u.Nick
	}
	for _, c := range w.Channels {
		g := s.guildByID(c.GuildID)
		ch := &channelState{Channel: c, Guild: g, denied: map[string]int64{}}
		g.Channels = append(g.Channels, ch)
		s.channels[c.ID] = ch
	}
}

// derivedID returns an id that depends on other ids only, and so stays the
// same over restarts: the base's time, and a hash in place of the counter.
func (s *Sandbox) derivedID(base string, of ...string) string {
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

func (s *Sandbox) idTaken(id string) bool {
	_, isUser := s.userByID(id)
	if isUser || s.channels[id] != nil {
		return true
	}
	return slices.ContainsFunc(s.guilds, func(g *guildState) bool {
		return g.ID == id || g.botRole.ID == id || slices.ContainsFunc(g.Roles, func(r Role) bool { return r.ID == id })
	})
}

func (s *Sandbox) guildByID(id string) *guildState {
	for _, g := range s.guilds {
		if g.ID == id {
			return g
		}
	}
	return nil
}

func (s *Sandbox) isMember(g *guildState, userID string) bool {
	if userID == s.ApplicationID() {
		return g.HasBot
	}
	return slices.Contains(g.Members, userID)
}

func (s *Sandbox) sharesGuild(userID string) bool {
	return slices.ContainsFunc(s.guilds, func(g *guildState) bool { return g.HasBot && slices.Contains(g.Members, userID) })
}

// allRoles lists the guild's roles, including the bot's own if it is a member.
func (g *guildState) allRoles() []Role {
	out := slices.Clone(g.Roles)
	if g.HasBot {
		out = append(out, g.botRole)
	}
	return out
}

func (g *guildState) role(id string) (Role, bool) {
	for _, r := range g.allRoles() {
		if r.ID == id {
			return r, true
		}
	}
	return Role{}, false
}

func (s *Sandbox) rolesOf(g *guildState, userID string) []Role {
	if userID == s.ApplicationID() {
		if !g.HasBot {
			return nil
		}
		return []Role{g.botRole}
	}
	var out []Role
	for _, r := range g.Roles[1:] {
		if slices.Contains(r.Members, userID) {
			out = append(out, r)
		}
	}
	return out
}

// joinedAt returns when all members joined: the time in the guild's id.
func (g *guildState) joinedAt() string {
	id, _ := strconv.ParseUint(g.ID, 10, 64)
	return api.FormatTime(time.UnixMilli(int64(id>>22) + api.DiscordEpoch))
}

// setPresence sets the bot's presence. Bots get no events about presences.
func (s *Sandbox) setPresence(status string, activities []map[string]any) {
	s.botStatus, s.botActivities = status, activities
	s.wake()
}

// BotPresence returns the bot's status and its activities as the bot set them
// last.
func (s *Sandbox) BotPresence() (status string, activities []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.botStatus, slices.Clone(s.botActivities)
}

// members lists a guild's members for the gateway, the bot first.
func (s *Sandbox) members(guildID string) []gateway.Member {
	g := s.guildByID(guildID)
	var out []gateway.Member
	for _, id := range append([]string{s.ApplicationID()}, g.Members...) {
		u, _ := s.userByID(id)
		names := []string{u.Username}
		if u.GlobalName != nil {
			names = append(names, *u.GlobalName)
		}
		object := s.member(g, id, true)
		if nick, ok := object["nick"].(string); ok {
			names = append(names, nick)
		}
		out = append(out, gateway.Member{ID: id, Names: names, Object: object})
	}
	return out
}
