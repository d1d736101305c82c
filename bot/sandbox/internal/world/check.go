package world

import (
	"fmt"
	"slices"

	"castellan/bot/sandbox/internal/api"
)

// Complete returns the world with its defaults filled in, or an error if it
// contradicts itself.
func (w World) Complete() (World, error) {
	def := Default()
	if w.Guild.ID == "" && len(w.Channels) == 0 && len(w.Users) == 0 {
		app := w.Application
		w = def
		if app.ID != "" {
			w.Application = app
		}
	}
	if w.Application.ID == "" {
		w.Application = def.Application
	}
	if len(w.Channels) == 0 || len(w.Users) == 0 {
		return w, fmt.Errorf("a world needs at least a guild, a channel and a user")
	}
	w.Guilds, w.Channels, w.Users = slices.Clone(w.Guilds), slices.Clone(w.Channels), slices.Clone(w.Users)
	if err := w.checkIDs(); err != nil {
		return w, err
	}
	for i := range w.Channels {
		if w.Channels[i].GuildID == "" {
			w.Channels[i].GuildID = w.Guild.ID
		}
	}
	for _, g := range append([]*Guild{&w.Guild}, pointers(w.Guilds)...) {
		if err := w.completeGuild(g); err != nil {
			return w, err
		}
	}
	for _, c := range w.Channels {
		if _, ok := w.guild(c.GuildID); !ok {
			return w, fmt.Errorf("world: channel %s is in the unknown guild %q", c.ID, c.GuildID)
		}
		if err := w.checkOverwrites(c); err != nil {
			return w, err
		}
	}
	return w, nil
}

func pointers[T any](list []T) []*T {
	var out []*T
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// checkIDs checks that every id is a snowflake and unique.
func (w World) checkIDs() error {
	ids := []string{w.Guild.ID, w.Application.ID}
	for _, g := range w.Guilds {
		ids = append(ids, g.ID)
	}
	for _, g := range append([]Guild{w.Guild}, w.Guilds...) {
		for _, r := range g.Roles {
			if r.ID != g.ID { // @everyone has the guild's id
				ids = append(ids, r.ID)
			}
		}
	}
	for _, c := range w.Channels {
		ids = append(ids, c.ID)
	}
	for _, u := range w.Users {
		ids = append(ids, u.ID)
	}
	for i, id := range ids {
		if !api.IsSnowflake(id) {
			return fmt.Errorf("world: %q is not an id", id)
		}
		if slices.Contains(ids[:i], id) {
			return fmt.Errorf("world: id %s is used twice", id)
		}
	}
	return nil
}

func (w World) completeGuild(g *Guild) error {
	known := func(id string) bool { return slices.ContainsFunc(w.Users, func(u User) bool { return u.ID == id }) }
	if g.Members == nil {
		for _, u := range w.Users {
			g.Members = append(g.Members, u.ID)
		}
	}
	for _, id := range g.Members {
		if !known(id) {
			return fmt.Errorf("world: the unknown user %q is a member of guild %s", id, g.ID)
		}
	}
	if g.OwnerID == "" && len(g.Members) > 0 {
		g.OwnerID = g.Members[0]
	}
	if !slices.Contains(g.Members, g.OwnerID) {
		return fmt.Errorf("world: the owner %q of guild %s is not among its members", g.OwnerID, g.ID)
	}
	everyone := Role{ID: g.ID, Name: "@everyone", Permissions: api.DefaultPermissions}
	roles := []Role{everyone}
	for _, r := range g.Roles {
		if r.ID == g.ID {
			roles[0].Permissions = r.Permissions
			continue
		}
		for _, id := range r.Members {
			if !slices.Contains(g.Members, id) {
				return fmt.Errorf("world: the role %s is given to %q, who is not a member of guild %s", r.ID, id, g.ID)
			}
		}
		roles = append(roles, r)
	}
	g.Roles = roles
	if g.BotPermissions == 0 {
		g.BotPermissions = api.DefaultBotPermissions
	}
	return nil
}

func (w World) guild(id string) (Guild, bool) {
	for _, g := range append([]Guild{w.Guild}, w.Guilds...) {
		if g.ID == id {
			return g, true
		}
	}
	return Guild{}, false
}

func (w World) checkOverwrites(c Channel) error {
	g, _ := w.guild(c.GuildID)
	for _, o := range c.Overwrites {
		known := o.ID == w.Application.ID || slices.Contains(g.Members, o.ID)
		if !o.Member {
			known = slices.ContainsFunc(g.Roles, func(r Role) bool { return r.ID == o.ID })
		}
		if !known {
			return fmt.Errorf("world: channel %s has an overwrite for %q, which is not in its guild", c.ID, o.ID)
		}
	}
	return nil
}
