package sandbox

import (
	"hash/fnv"
	"slices"
	"strconv"
	"time"
)

// server is a guild as it stands: who is in it, and with which roles.
type server struct {
	ID       string
	name     string
	OwnerID  string
	members  []string // ids of people; the bot is apart
	roles    []Role   // @everyone first, then the lowest
	botRole  Role
	hasBot   bool     // the bot is a member
	channels []*place // its channels, in the order of the list
	isFirst  bool     // nicknames are those of this one
}

// settle makes the servers and channels of a world.
func (s *Model) addGuilds(w World) {
	for i, c := range append([]Guild{w.Guild}, w.Guilds...) {
		s.guilds = append(s.guilds, &server{
			ID: c.ID, name: c.Name, OwnerID: c.OwnerID, members: slices.Clone(c.Members), roles: slices.Clone(c.Roles),
			hasBot: !c.WithoutBot, isFirst: i == 0,
			botRole: Role{ID: s.derivedID(c.ID, "bot role"), Name: w.Application.Name, Permissions: c.BotPermissions},
		})
	}
	for _, c := range w.Channels {
		g := s.guildByID(c.GuildID)
		p := &place{ID: c.ID, Type: ChannelText, guild: g, name: c.Name, topic: c.Topic, overwrites: slices.Clone(c.Overwrites)}
		g.channels = append(g.channels, p)
		s.channels[c.ID] = p
	}
}

// derivedID is an id that is made from others and stays the same over
// restarts: the moment of the base, and a hash in the place of its counter.
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
	_, isUser := s.userObject(id)
	if isUser || s.channels[id] != nil {
		return true
	}
	return slices.ContainsFunc(s.guilds, func(g *server) bool {
		return g.ID == id || g.botRole.ID == id || slices.ContainsFunc(g.roles, func(r Role) bool { return r.ID == id })
	})
}

// guild finds a server, nil if there is none.
func (s *Model) guildByID(id string) *server {
	for _, g := range s.guilds {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// first is the world's first server.
func (s *Model) firstGuild() *server { return s.guilds[0] }

// has says whether a person or the bot is a member.
func (s *Model) isMember(g *server, userID string) bool {
	if userID == s.world.Application.ID {
		return g.hasBot
	}
	return slices.Contains(g.members, userID)
}

// sharesServer says whether a person is in a server with the bot.
func (s *Model) sharesGuild(userID string) bool {
	return slices.ContainsFunc(s.guilds, func(g *server) bool { return g.hasBot && slices.Contains(g.members, userID) })
}

// allRoles lists the server's roles, the bot's own among them while it is a
// member.
func (g *server) allRoles() []Role {
	out := slices.Clone(g.roles)
	if g.hasBot {
		out = append(out, g.botRole)
	}
	return out
}

func (g *server) role(id string) (Role, bool) {
	for _, r := range g.allRoles() {
		if r.ID == id {
			return r, true
		}
	}
	return Role{}, false
}

// rolesOf lists a member's roles without @everyone.
func (s *Model) rolesOf(g *server, userID string) []Role {
	if userID == s.world.Application.ID {
		if !g.hasBot {
			return nil
		}
		return []Role{g.botRole}
	}
	var out []Role
	for _, r := range g.roles[1:] {
		if slices.Contains(r.Members, userID) {
			out = append(out, r)
		}
	}
	return out
}

// joined is when everybody came into the server: the moment in its id.
func (g *server) joinedAt() string {
	id, _ := strconv.ParseUint(g.ID, 10, 64)
	return stamp(time.UnixMilli(int64(id>>22) + discordEpoch))
}
