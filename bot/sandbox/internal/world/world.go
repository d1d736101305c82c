package world

import (
	"castellan/bot/sandbox/internal/api"
)

// World is the initial state of a sandbox: guilds with their channels, and
// people. Ids are snowflakes and stay the same over restarts, so that data
// that a bot has stored about them remains valid.
type World struct {
	Guild       Guild     // the guild that the page shows first
	Guilds      []Guild   // further servers
	Channels    []Channel // text channels, in the order of the lists
	Users       []User
	Application Application
}

// Guild is a guild. Its owner has every permission.
type Guild struct {
	ID      string
	Name    string
	OwnerID string   // default: the first of its members
	Members []string // ids of users; nil means all
	// Roles of the guild, lowest first. The one with the guild's own id is
	// @everyone; by default it has DefaultPermissions.
	Roles []Role
	// BotPermissions are those of the role that the bot's invitation creates;
	// 0 means DefaultBotPermissions.
	BotPermissions int64
	WithoutBot     bool // the bot is not a member
}

// Role is a role of a guild.
type Role struct {
	ID          string
	Name        string
	Color       int   // 0xRRGGBB, 0 for none
	Permissions int64 // a set of Permission…
	Members     []string
}

// Channel is a text channel of a guild.
type Channel struct {
	ID         string
	GuildID    string // default: the world's first
	Name       string
	Topic      string
	Overwrites []Overwrite
}

// Overwrite is a channel's change to the permissions of a role or member
// ("Permission Overwrites").
type Overwrite struct {
	ID     string // of a role or a user
	Member bool   // the id is a user's, not a role's
	Allow  int64
	Deny   int64
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
	// Installed means that the person has installed the application.
	Installed bool
	// ClosedMessages means that the person refuses direct messages.
	ClosedMessages bool
}

// Application is the bot's registration. Its bot user has the same id.
type Application struct {
	ID   string
	Name string
}

// Default returns a guild called The Keep with three channels and five people,
// and a smaller one called The Outpost with three of them.
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
