package rest

import (
	"net/http"
	"reflect"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

func (s *API) listCommands(c *call) (int, any, error) {
	guild := c.param("guild_id") // "" for the global commands
	localized := c.query("with_localizations") == "true"
	out := []api.ApplicationCommand{}
	for _, cmd := range s.Commands {
		if cmd.GuildID == guild {
			a := *cmd
			if !localized {
				a = withoutLocalizations(a)
			}
			out = append(out, a)
		}
	}
	return http.StatusOK, out, nil
}

// overwriteCommands replaces all commands of a scope. A command that existed
// keeps its id, and gets a new version if it has changed.
func (s *API) overwriteCommands(c *call) (int, any, error) {
	guild := c.param("guild_id") // "" for the global commands
	fresh, err := payload.ReadCommands(c.form, s.ApplicationID(), guild)
	if err != nil {
		return 0, nil, err
	}
	isEntryPoint := func(o *api.ApplicationCommand) bool { return o.GuildID == guild && o.Type == api.CommandEntryPoint }
	if slices.ContainsFunc(s.Commands, isEntryPoint) && !slices.ContainsFunc(fresh, isEntryPoint) {
		return 0, nil, api.ErrNoEntryPoint
	}
	rest := slices.DeleteFunc(slices.Clone(s.Commands), func(o *api.ApplicationCommand) bool { return o.GuildID == guild })
	out := []api.ApplicationCommand{}
	for _, cmd := range fresh {
		s.assignID(cmd)
		out = append(out, *cmd)
	}
	s.Commands = append(rest, fresh...)
	s.CommandsChanged()
	return http.StatusOK, out, nil
}

func (s *API) createCommand(c *call) (int, any, error) {
	guild := c.param("guild_id") // "" for the global commands
	cmd := payload.ReadCommand(c.form, s.ApplicationID(), guild)
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	status := http.StatusCreated
	if s.assignID(cmd) {
		status = http.StatusOK
	}
	next := slices.DeleteFunc(slices.Clone(s.Commands), cmd.SameKey)
	next = append(next, cmd)
	if payload.TooManyCommands(next, guild) {
		return 0, nil, api.ErrTooManyCommands
	}
	s.Commands = next
	s.CommandsChanged()
	return status, *cmd, nil
}

func (s *API) getCommand(c *call) (int, any, error) {
	return http.StatusOK, *c.command, nil
}

// editCommand changes the fields of a command that were sent.
func (s *API) editCommand(c *call) (int, any, error) {
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	changed := payload.ReadCommand(c.form.Onto(c.command), s.ApplicationID(), c.param("guild_id"))
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	if changed.Name != c.command.Name && slices.ContainsFunc(s.Commands, changed.SameKey) {
		return 0, nil, api.ErrCommandExists
	}
	changed.ID, changed.Version = c.command.ID, s.IDs.Next()
	s.Commands = slices.Clone(s.Commands)
	s.Commands[slices.Index(s.Commands, c.command)] = changed
	s.CommandsChanged()
	return http.StatusOK, *changed, nil
}

func (s *API) deleteCommand(c *call) (int, any, error) {
	s.Commands = slices.DeleteFunc(slices.Clone(s.Commands), c.command.SameKey)
	s.CommandsChanged()
	return http.StatusNoContent, nil, nil
}

// assignID gives a command the id of the command that it replaces, or a new
// one, and a version. It reports whether it replaces one. Discord ignores the
// contexts of a guild's command.
func (s *API) assignID(cmd *api.ApplicationCommand) bool {
	if s.Strict && cmd.GuildID != "" {
		cmd.Contexts = nil
	}
	for _, old := range s.Commands {
		if !old.SameKey(cmd) {
			continue
		}
		cmd.ID, cmd.Version = old.ID, old.Version
		if !reflect.DeepEqual(old, cmd) {
			cmd.Version = s.IDs.Next()
		}
		return true
	}
	cmd.ID, cmd.Version = s.IDs.Next(), s.IDs.Next()
	return false
}

func withoutLocalizations(a api.ApplicationCommand) api.ApplicationCommand {
	a.NameLocalizations, a.DescriptionLocalizations = nil, nil
	a.Options = withoutOptionLocalizations(a.Options)
	return a
}

func withoutOptionLocalizations(list []api.ApplicationCommandOption) []api.ApplicationCommandOption {
	out := slices.Clone(list)
	for i := range out {
		o := &out[i]
		o.NameLocalizations, o.DescriptionLocalizations = nil, nil
		o.Options = withoutOptionLocalizations(o.Options)
		o.Choices = slices.Clone(o.Choices)
		for j := range o.Choices {
			o.Choices[j].NameLocalizations = nil
		}
	}
	return out
}
