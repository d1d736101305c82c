package sandbox

import (
	"cmp"
	"fmt"
	"slices"

	"castellan/bot/sandbox/api"
)

// World is the initial state of a sandbox: guilds with their channels, and
// people. Ids are snowflakes and stay the same over restarts, so that data
// that a bot has stored about them remains valid.
type World struct {
	Guild       Guild     // the guild that the page shows first
	Guilds      []Guild   // further guilds
	Channels    []Channel // in the order of the lists
	Users       []User
	Application Application
}

// Guild is a guild. Its owner has every permission.
type Guild struct {
	ID      string
	Name    string
	Locale  string   // default "en-US"
	OwnerID string   // default: the first of its members
	Members []string // ids of users; nil means all
	// Roles of the guild, lowest first. The one with the guild's own id is
	// @everyone; by default it has DefaultPermissions.
	Roles []Role
	// BotPermissions are those of the role that the bot's invitation creates;
	// 0 means DefaultBotPermissions.
	BotPermissions int64
	WithoutBot     bool // the bot is not a member
	// CommandsOnly means that the application was added with the scope
	// applications.commands alone: it has commands, but the bot is no member.
	CommandsOnly bool
}

// Role is a role of a guild.
type Role struct {
	ID          string
	Name        string
	Color       int   // 0xRRGGBB, 0 for none
	Permissions int64 // a set of Permission…
	Members     []string
}

// Channel is a channel of a guild, a text channel by default.
type Channel struct {
	ID       string
	GuildID  string // default: the world's first
	Type     int    // one of Discord's channel types: text, voice, category, announcement or forum
	Name     string
	Topic    string
	Slowmode int  // seconds between two messages of a person
	NSFW     bool // age-restricted
}

// User is a person. GlobalName is the display name, Nick the one in the
// world's first guild; both may be empty. Locale is a Discord locale such as
// "fr" (default "en-US").
type User struct {
	ID         string
	Username   string
	GlobalName string
	Nick       string
	Locale     string
}

// Application is the bot's registration. Its bot user has the same id.
type Application struct {
	ID   string
	Name string
	// WithoutIntents are privileged intents that are not enabled: a bot that asks for
	// one of them is closed with 4014.
	WithoutIntents int
	EntryPoint     bool // it has an Entry Point command, as Discord creates one for an application with an activity
}

// DefaultWorld returns a guild called The Keep with three channels and five people,
// and a smaller one called The Outpost with three of them.
func DefaultWorld() World {
	const keep, outpost = "1150000000000000001", "1150000000000000002"
	return World{
		Guild: Guild{
			ID: keep, Name: "The Keep", OwnerID: "1120000000000000011",
			Roles: []Role{{ID: "1150000000000000201", Name: "Wardens", Color: 0x3B82C4, Permissions: api.PermissionManageMessages | api.PermissionManageThreads, Members: []string{"1120000000000000012"}}},
		},
		Guilds: []Guild{{ID: outpost, Name: "The Outpost", OwnerID: "1120000000000000012", Members: []string{"1120000000000000011", "1120000000000000012", "1120000000000000013"}}},
		Channels: []Channel{
			{ID: "1150000000000000101", Name: "castle-yard", Topic: "Everybody meets here."},
			{ID: "1150000000000000102", Name: "great-hall", Topic: "Matches and their spectators."},
			{ID: "1150000000000000103", Name: "tower-room", Topic: "A quiet place."},
			{ID: "1150000000000000104", GuildID: outpost, Name: "watchfire", Topic: "Far from the castle."},
		},
		Users: []User{
			{ID: "1120000000000000011", Username: "anna", GlobalName: "Anna"},
			{ID: "1120000000000000012", Username: "ben", GlobalName: "Ben"},
			{ID: "1120000000000000013", Username: "chloe", GlobalName: "Chloé", Locale: "fr"},
			{ID: "1120000000000000014", Username: "dmitri", GlobalName: "Dmitri"},
			{ID: "1120000000000000015", Username: "eve_the_quiet", GlobalName: "Eve", Nick: "Eve *of the* Keep"},
		},
		Application: Application{ID: "1130000000000000021", Name: "Castellan"},
	}
}

// complete returns the world with its defaults filled in, or an error if it
// contradicts itself.
func (w World) complete() (World, error) {
	def := DefaultWorld()
	if w.Guild.ID == "" && len(w.Channels) == 0 && len(w.Users) == 0 {
		app := w.Application
		w = def
		if app.ID != "" {
			w.Application = app
		}
	}
	if w.Application.ID == "" {
		w.Application.ID = def.Application.ID
	}
	w.Application.Name = cmp.Or(w.Application.Name, def.Application.Name)
	if len(w.Channels) == 0 || len(w.Users) == 0 {
		return w, fmt.Errorf("a world needs at least a guild, a channel and a user")
	}
	w.Guilds, w.Channels, w.Users = slices.Clone(w.Guilds), slices.Clone(w.Channels), slices.Clone(w.Users)
	for i := range w.Channels {
		if w.Channels[i].GuildID == "" {
			w.Channels[i].GuildID = w.Guild.ID
		}
	}
	if err := w.completeGuild(&w.Guild); err != nil {
		return w, err
	}
	for i := range w.Guilds {
		if err := w.completeGuild(&w.Guilds[i]); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (w World) completeGuild(g *Guild) error {
	if g.Members == nil {
		for _, u := range w.Users {
			g.Members = append(g.Members, u.ID)
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
	g.Locale, g.Members = cmp.Or(g.Locale, "en-US"), slices.Clone(g.Members)
	for _, r := range g.Roles {
		if r.ID == g.ID {
			roles[0].Permissions = r.Permissions
			continue
		}
		roles = append(roles, r)
	}
	g.Roles = roles
	g.WithoutBot = g.WithoutBot || g.CommandsOnly
	if g.BotPermissions == 0 {
		g.BotPermissions = api.DefaultBotPermissions
	}
	return nil
}
