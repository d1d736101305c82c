package sandbox

import (
	"hash/fnv"
	"slices"
	"strconv"
	"time"
)

// server is a guild as it stands: who is in it, and with which roles.
type server struct {
	id          string
	name        string
	ownerID     string
	members     []string // ids of people; the bot is apart
	roles       []Role   // @everyone first, then the lowest
	botRole     Role
	hasBot     bool     // the bot is a member
	channels      []*place // its channels, in the order of the list
	isFirst bool     // nicknames are those of this one
}

// settle makes the servers and channels of a world.
func (s *Sandbox) addGuilds(w World) {
	for i, g := range append([]Guild{w.Guild}, w.Guilds...) {
		sv := &server{
			id: g.ID, name: g.Name, ownerID: g.OwnerID, members: slices.Clone(g.Members), roles: slices.Clone(g.Roles),
			hasBot: !g.WithoutBot, isFirst: i == 0,
		}
		sv.botRole = Role{ID: s.derivedID(g.ID, "bot role"), Name: w.Application.Name, Permissions: g.BotPermissions}
		s.guilds = append(s.guilds, sv)
	}
	for _, c := range w.Channels {
		sv := s.guildByID(c.GuildID)
		p := &place{id: c.ID, kind: ChannelText, guild: sv, name: c.Name, topic: c.Topic, overwrites: slices.Clone(c.Overwrites)}
		sv.channels = append(sv.channels, p)
		s.channels[c.ID] = p
	}
}

// derivedID is an id that is made from others and stays the same over
// restarts: the moment of the base, and a hash in the place of its counter.
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
	_, isUser := s.userObject(id)
	if isUser || s.channels[id] != nil {
		return true
	}
	return slices.ContainsFunc(s.guilds, func(sv *server) bool {
		return sv.id == id || sv.botRole.ID == id || slices.ContainsFunc(sv.roles, func(r Role) bool { return r.ID == id })
	})
}

// guild finds a server, nil if there is none.
func (s *Sandbox) guildByID(id string) *server {
	for _, sv := range s.guilds {
		if sv.id == id {
			return sv
		}
	}
	return nil
}

// first is the world's first server.
func (s *Sandbox) firstGuild() *server { return s.guilds[0] }

// has says whether a person or the bot is a member.
func (s *Sandbox) isMember(sv *server, userID string) bool {
	if userID == s.world.Application.ID {
		return sv.hasBot
	}
	return slices.Contains(sv.members, userID)
}

// sharesServer says whether a person is in a server with the bot.
func (s *Sandbox) sharesGuild(userID string) bool {
	return slices.ContainsFunc(s.guilds, func(sv *server) bool { return sv.hasBot && slices.Contains(sv.members, userID) })
}

// allRoles lists the server's roles, the bot's own among them while it is a
// member.
func (sv *server) allRoles() []Role {
	out := slices.Clone(sv.roles)
	if sv.hasBot {
		out = append(out, sv.botRole)
	}
	return out
}

func (sv *server) role(id string) (Role, bool) {
	for _, r := range sv.allRoles() {
		if r.ID == id {
			return r, true
		}
	}
	return Role{}, false
}

// rolesOf lists a member's roles without @everyone.
func (s *Sandbox) rolesOf(sv *server, userID string) []Role {
	if userID == s.world.Application.ID {
		if !sv.hasBot {
			return nil
		}
		return []Role{sv.botRole}
	}
	var out []Role
	for _, r := range sv.roles[1:] {
		if slices.Contains(r.Members, userID) {
			out = append(out, r)
		}
	}
	return out
}

// joined is when everybody came into the server: the moment in its id.
func (sv *server) joinedAt() string {
	id, _ := strconv.ParseUint(sv.id, 10, 64)
	return stamp(time.UnixMilli(int64(id>>22) + discordEpoch))
}
