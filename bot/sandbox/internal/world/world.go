package world

import (
	"castellan/bot/sandbox/internal/api"
)

// World is what the sandbox starts with: servers with their channels, and
// people. Ids are snowflakes and stay the same over restarts, so that what a
// bot has stored about them stays true.
type World struct {
	Guild       Guild     // the server that the page shows first
	Guilds      []Guild   // further servers
	Channels    []Channel // text channels, in the order of the lists
	Users       []User
	Application Application
}

// Guild is a server. Its owner may do everything in it.
type Guild struct {
	ID      string
	Name    string
	OwnerID string   // default: the first of its members
	Members []string // ids of users; nil is everybody
	// Roles of the server, the lowest first. The one with the server's own id
	// is @everyone (default: what Discord gives @everyone in a new server).
	Roles []Role
	// BotPermissions are those of the role that the bot's invitation makes,
	// 0 for DefaultBotPermissions.
	BotPermissions int64
	WithoutBot     bool // the bot is not a member
}

// Role is a role of a server.
type Role struct {
	ID          string
	Name        string
	Color       int   // 0xRRGGBB, 0 for none
	Permissions int64 // a set of Permission…
	Members     []string
}

// Channel is a text channel of a server.
type Channel struct {
	ID         string
	GuildID    string // default: the world's first
	Name       string
	Topic      string
	Overwrites []Overwrite
}

// Overwrite is what a channel gives and takes, in place of what the server
// gives ("Permission Overwrites").
type Overwrite struct {
	ID     string // of a role or a user
	Member bool   // the id is a user's, not a role's
	Allow  int64
	Deny   int64
}

// User is a person. GlobalName is the display name, Nick the one in the
// world's first server; both may be empty. Locale is a Discord locale such as
// "fr" (default "en-US").
type User struct {
	ID         string
	Username   string
	GlobalName string
	Nick       string
	Locale     string
	// Installed: the person has the application installed for themselves.
	Installed bool
	// ClosedMessages: nobody may write to the person directly.
	ClosedMessages bool
}

// Application is the bot's registration; its bot user has the same id.
type Application struct {
	ID   string
	Name string
}

// DefaultWorld is a server called The Keep with three channels and five
// people, and a smaller one called The Outpost with three of them.
func Default() World {
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
