package sandbox

import (
	"fmt"
	"slices"
)

// World is what the sandbox starts with: one server, its channels and the
// people in it. Ids are snowflakes and stay the same over restarts, so that
// what a bot has stored about them stays true.
type World struct {
	Guild       Guild
	Channels    []Channel // text channels, in the order of the list
	Users       []User
	Application Application
}

// Guild is a server. Its owner may use every command.
type Guild struct {
	ID      string
	Name    string
	OwnerID string // default: the first user
}

// Channel is a text channel of the server.
type Channel struct {
	ID    string
	Name  string
	Topic string
}

// User is a person. GlobalName is the display name, Nick the one in this
// server; both may be empty. Locale is a Discord locale such as "fr"
// (default "en-US").
type User struct {
	ID         string
	Username   string
	GlobalName string
	Nick       string
	Locale     string
}

// Application is the bot's registration; its bot user has the same id.
type Application struct {
	ID   string
	Name string
}

// DefaultWorld is a server called The Keep with three channels and five
// people.
func DefaultWorld() World {
	return World{
		Guild: Guild{ID: "1150000000000000001", Name: "The Keep", OwnerID: "1120000000000000011"},
		Channels: []Channel{
			{ID: "1150000000000000101", Name: "castle-yard", Topic: "Everybody meets here."},
			{ID: "1150000000000000102", Name: "great-hall", Topic: "Matches and their spectators."},
			{ID: "1150000000000000103", Name: "tower-room", Topic: "A quiet place."},
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

// complete fills what was left empty and refuses what cannot be.
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
		w.Application = def.Application
	}
	if len(w.Channels) == 0 || len(w.Users) == 0 {
		return w, fmt.Errorf("a world needs a guild, a channel and a user at least")
	}
	if w.Guild.OwnerID == "" {
		w.Guild.OwnerID = w.Users[0].ID
	}
	ids := []string{w.Guild.ID, w.Application.ID}
	for _, c := range w.Channels {
		ids = append(ids, c.ID)
	}
	for _, u := range w.Users {
		ids = append(ids, u.ID)
	}
	for i, id := range ids {
		if !isSnowflake(id) {
			return w, fmt.Errorf("world: %q is not an id", id)
		}
		if slices.Contains(ids[:i], id) {
			return w, fmt.Errorf("world: id %s is used twice", id)
		}
	}
	w.Channels = slices.Clone(w.Channels)
	w.Users = slices.Clone(w.Users)
	return w, nil
}
