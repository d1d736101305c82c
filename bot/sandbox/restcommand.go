package sandbox

import (
	"net/http"
	"reflect"
	"slices"
	"time"

	"castellan/bot/sandbox/api"
)

func (s *Sandbox) listCommands(c *call) (int, any, error) {
	guild := c.param("guild_id") // "" for the global commands
	localized := c.flag("with_localizations")
	out := []api.ApplicationCommand{}
	for _, cmd := range s.commands {
		if cmd.GuildID == guild {
			a := *cmd
			if !localized {
				a = a.WithoutLocalizations()
			}
			out = append(out, a)
		}
	}
	return http.StatusOK, out, nil
}

// overwriteCommands replaces all commands of a scope. A command that existed
// keeps its id, and gets a new version if it has changed.
func (s *Sandbox) overwriteCommands(c *call) (int, any, error) {
	guild := c.param("guild_id") // "" for the global commands
	fresh, err := api.ReadCommands(c.form, s.ApplicationID(), guild)
	if err != nil {
		return 0, nil, err
	}
	isEntryPoint := func(o *api.ApplicationCommand) bool { return o.GuildID == guild && o.Type == api.CommandEntryPoint }
	if slices.ContainsFunc(s.commands, isEntryPoint) && !slices.ContainsFunc(fresh, isEntryPoint) {
		return 0, nil, api.ErrNoEntryPoint
	}
	if err := s.countCreates(guild, fresh); err != nil {
		return 0, nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(s.commands), func(o *api.ApplicationCommand) bool { return o.GuildID == guild })
	out := []api.ApplicationCommand{}
	for _, cmd := range fresh {
		s.assignID(cmd)
		out = append(out, *cmd)
	}
	s.commands = append(rest, fresh...)
	s.commandsChanged()
	return http.StatusOK, out, nil
}

func (s *Sandbox) createCommand(c *call) (int, any, error) {
	guild := c.param("guild_id") // "" for the global commands
	cmd := api.ReadCommand(c.form, s.ApplicationID(), guild)
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	if err := s.countCreates(guild, []*api.ApplicationCommand{cmd}); err != nil {
		return 0, nil, err
	}
	status := http.StatusCreated
	if s.assignID(cmd) {
		status = http.StatusOK
	}
	next := slices.DeleteFunc(slices.Clone(s.commands), cmd.SameKey)
	next = append(next, cmd)
	if api.TooManyCommands(next, guild) {
		return 0, nil, api.ErrTooManyCommands
	}
	s.commands = next
	s.commandsChanged()
	return status, *cmd, nil
}

// maxCreates is how many new commands a scope may get in a day ("Registering a
// Command").
const maxCreates = 200

// countCreates counts the commands that are new in a scope.
func (s *Sandbox) countCreates(guild string, list []*api.ApplicationCommand) error {
	day := s.creates[guild]
	if day == nil {
		day = &quota{rate: rate{maxCreates, 24 * time.Hour}}
		s.creates[guild] = day
	}
	for _, cmd := range list {
		if known := slices.ContainsFunc(s.commands, cmd.SameKey); known {
			continue
		}
		if _, ok := day.take(s.o.Now()); !ok && s.o.Strict {
			return api.ErrDailyCreates
		}
	}
	return nil
}

// assignID gives a command the id of the command that it replaces, or a new
// one, and a version. It reports whether it replaces one. Discord ignores the
// contexts of a guild's command.
func (s *Sandbox) assignID(cmd *api.ApplicationCommand) bool {
	if s.o.Strict && cmd.GuildID != "" {
		cmd.Contexts = nil
	}
	for _, old := range s.commands {
		if !old.SameKey(cmd) {
			continue
		}
		cmd.ID, cmd.Version = old.ID, old.Version
		if !reflect.DeepEqual(old, cmd) {
			cmd.Version = s.ids.Next()
		}
		return true
	}
	cmd.ID, cmd.Version = s.ids.Next(), s.ids.Next()
	return false
}
