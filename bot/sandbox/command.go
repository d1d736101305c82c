package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
)

// Command types and option types ("Application Commands").
const (
	CommandChatInput = 1
	CommandUser      = 2
	CommandMessage   = 3

	OptionSubcommand      = 1
	OptionSubcommandGroup = 2
	OptionString          = 3
	OptionInteger         = 4
	OptionBoolean         = 5
	OptionUser            = 6
	OptionChannel         = 7
	OptionRole            = 8
	OptionMentionable     = 9
	OptionNumber          = 10
	OptionAttachment      = 11
)

// ApplicationCommand is a registered command in Discord's shape.
type ApplicationCommand struct {
	ID                       string                     `json:"id"`
	ApplicationID            string                     `json:"application_id"`
	GuildID                  string                     `json:"guild_id,omitempty"`
	Version                  string                     `json:"version"`
	DefaultMemberPermissions *string                    `json:"default_member_permissions"`
	Type                     int                        `json:"type"`
	Name                     string                     `json:"name"`
	NameLocalizations        map[string]string          `json:"name_localizations"`
	Description              string                     `json:"description"`
	DescriptionLocalizations map[string]string          `json:"description_localizations"`
	Options                  []ApplicationCommandOption `json:"options,omitempty"`
	DMPermission             *bool                      `json:"dm_permission,omitempty"` // global commands
	Contexts                 []int                      `json:"contexts"`
	IntegrationTypes         []int                      `json:"integration_types,omitempty"`
	NSFW                     bool                       `json:"nsfw"`
}

// ApplicationCommandOption is an option, subcommand or group of a command.
type ApplicationCommandOption struct {
	Type                     int                        `json:"type"`
	Name                     string                     `json:"name"`
	NameLocalizations        map[string]string          `json:"name_localizations,omitempty"`
	Description              string                     `json:"description"`
	DescriptionLocalizations map[string]string          `json:"description_localizations,omitempty"`
	Required                 bool                       `json:"required,omitempty"`
	Autocomplete             bool                       `json:"autocomplete,omitempty"`
	Choices                  []Choice                   `json:"choices,omitempty"`
	Options                  []ApplicationCommandOption `json:"options,omitempty"`
	ChannelTypes             []int                      `json:"channel_types,omitempty"`
	MinValue                 *float64                   `json:"min_value,omitempty"`
	MaxValue                 *float64                   `json:"max_value,omitempty"`
	MinLength                *int                       `json:"min_length,omitempty"`
	MaxLength                *int                       `json:"max_length,omitempty"`
}

// Choice is a fixed choice of an option, or a suggestion of autocomplete.
// Value is a string or a json.Number.
type Choice struct {
	Name              string            `json:"name"`
	NameLocalizations map[string]string `json:"name_localizations,omitempty"`
	Value             any               `json:"value"`
}

// Text is the choice's value as text.
func (c Choice) Text() string {
	switch v := c.Value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// sameKey reports whether two commands are one: name, type and scope agree.
func (a *ApplicationCommand) sameKey(b *ApplicationCommand) bool {
	return a.Name == b.Name && a.Type == b.Type && a.GuildID == b.GuildID
}

// commandScope checks the ids in the path and returns the guild, "" for the
// global commands.
func (s *restAPI) commandScope(c *call) (string, error) {
	if c.param("application_id") != s.world.Application.ID {
		return "", errForeignApplication
	}
	if c.param("guild_id") == "" {
		return "", nil
	}
	g, err := s.guildOf(c)
	if err != nil {
		return "", err
	}
	return g.ID, nil
}

func (s *restAPI) listCommands(c *call) (int, any, error) {
	guild, err := s.commandScope(c)
	if err != nil {
		return 0, nil, err
	}
	localized := c.query("with_localizations") == "true"
	out := []ApplicationCommand{}
	for _, cmd := range s.commands {
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

// overwriteCommands replaces all commands of a scope. A command that was there
// before keeps its id; its version changes if it does.
func (s *restAPI) overwriteCommands(c *call) (int, any, error) {
	guild, err := s.commandScope(c)
	if err != nil {
		return 0, nil, err
	}
	fresh, err := readCommands(c.form, s.ApplicationID(), guild)
	if err != nil {
		return 0, nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(s.commands), func(o *ApplicationCommand) bool { return o.GuildID == guild })
	out := []ApplicationCommand{}
	for _, cmd := range fresh {
		s.assignID(cmd)
		out = append(out, *cmd)
	}
	s.commands = append(rest, fresh...)
	s.commandsChanged()
	return http.StatusOK, out, nil
}

func (s *restAPI) createCommand(c *call) (int, any, error) {
	guild, err := s.commandScope(c)
	if err != nil {
		return 0, nil, err
	}
	cmd := readCommand(c.form, s.ApplicationID(), guild)
	if err := c.form.err(); err != nil {
		return 0, nil, err
	}
	status := http.StatusCreated
	if s.assignID(cmd) {
		status = http.StatusOK
	}
	next := slices.DeleteFunc(slices.Clone(s.commands), cmd.sameKey)
	next = append(next, cmd)
	if tooManyCommands(next, guild) {
		return 0, nil, errTooManyCommands
	}
	s.commands = next
	s.commandsChanged()
	return status, *cmd, nil
}

func (s *restAPI) getCommand(c *call) (int, any, error) {
	i, err := s.commandIndex(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, *s.commands[i], nil
}

func (s *restAPI) deleteCommand(c *call) (int, any, error) {
	i, err := s.commandIndex(c)
	if err != nil {
		return 0, nil, err
	}
	s.commands = slices.Delete(slices.Clone(s.commands), i, i+1)
	s.commandsChanged()
	return http.StatusNoContent, nil, nil
}

func (s *restAPI) commandIndex(c *call) (int, error) {
	guild, err := s.commandScope(c)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(s.commands, func(o *ApplicationCommand) bool { return o.GuildID == guild && o.ID == c.param("command_id") })
	if i < 0 {
		return 0, errUnknownCommand
	}
	return i, nil
}

// adopt gives a command the id of the one that it replaces, or a fresh one,
// and a version; it says whether there was one.
func (s *restAPI) assignID(cmd *ApplicationCommand) bool {
	cmd.ID, cmd.Version = "", ""
	for _, old := range s.commands {
		if !old.sameKey(cmd) {
			continue
		}
		cmd.ID, cmd.Version = old.ID, old.Version
		was, err1 := json.Marshal(old)
		is, err2 := json.Marshal(cmd)
		if err1 != nil || err2 != nil || string(was) != string(is) {
			cmd.Version = s.IDs.next()
		}
		return true
	}
	cmd.ID = s.IDs.next()
	cmd.Version = s.IDs.next()
	return false
}

// commandsFor lists the commands that a person may use in a place, of one
// type or of any (0), the guild's before the global ones.
func (s *Model) commandsFor(p *place, userID string, kind int) []ApplicationCommand {
	out := []ApplicationCommand{}
	if p == nil {
		return out
	}
	for _, ofGuild := range []bool{true, false} {
		for _, cmd := range s.commands {
			if (cmd.GuildID != "") == ofGuild && (kind == 0 || cmd.Type == kind) && s.mayUse(cmd, p, userID) {
				out = append(out, *cmd)
			}
		}
	}
	return out
}

// mayUse applies the contexts and installs of a command and, in a server,
// default_member_permissions.
func (s *Model) mayUse(cmd *ApplicationCommand, p *place, userID string) bool {
	if len(s.commandInstalls(cmd, p, userID)) == 0 {
		return false
	}
	if cmd.DefaultMemberPermissions == nil || p.guild == nil {
		return true
	}
	has := s.permissionsOf(p.guild, userID)
	need, ok := parsePermissions(*cmd.DefaultMemberPermissions)
	if has&PermissionAdministrator != 0 {
		return true
	}
	return ok && need != 0 && has&need == need // "0" is for administrators alone
}

// commandsChanged tells the pages; each user has lists of their own.
func (s *Model) commandsChanged() {
	for st := range s.streams {
		st.push(map[string]any{"type": "commands", "commands": s.commandSets(st.user)})
	}
	s.wake()
}

// commandSets is what the page has of a person's commands: those of each
// server by its id, of direct messages by their channel's.
func (s *Model) commandSets(userID string) map[string]any {
	out := map[string]any{}
	for _, g := range s.guilds {
		if len(g.channels) > 0 && s.isMember(g, userID) {
			out[g.ID] = s.commandsFor(g.channels[0], userID, 0)
		}
	}
	for _, p := range s.directOf(userID) {
		out[p.ID] = s.commandsFor(p, userID, 0)
	}
	return out
}

func withoutLocalizations(a ApplicationCommand) ApplicationCommand {
	a.NameLocalizations, a.DescriptionLocalizations = nil, nil
	a.Options = withoutOptionLocalizations(a.Options)
	return a
}

func withoutOptionLocalizations(list []ApplicationCommandOption) []ApplicationCommandOption {
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
