package api

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Types of a response to an interaction ("Interaction Callback Type").
const (
	CallbackMessage         = 4
	CallbackDeferMessage    = 5
	CallbackDeferUpdate     = 6
	CallbackUpdate          = 7
	CallbackAutocomplete    = 8
	CallbackModal           = 9
	CallbackLaunchActivity  = 12
	InteractionCommand      = 2
	InteractionComponent    = 3
	InteractionAutocomplete = 4
	InteractionModal        = 5
)

// Command types and option types ("Application Commands").
const (
	CommandChatInput = 1
	CommandUser      = 2
	CommandMessage   = 3
	// CommandEntryPoint launches the activity of an application that has one.
	CommandEntryPoint = 4

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
	DefaultMemberPermissions *Text                      `json:"default_member_permissions"`
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
	Handler                  int                        `json:"handler,omitempty"` // of an Entry Point command
}

// MarshalJSON writes the command as Discord lists it: contexts are those of
// global commands alone.
func (a ApplicationCommand) MarshalJSON() ([]byte, error) {
	type plain ApplicationCommand
	if a.GuildID != "" && a.Contexts == nil {
		return json.Marshal(struct {
			plain
			Contexts *int `json:"contexts,omitempty"`
		}{plain: plain(a)})
	}
	return json.Marshal(plain(a))
}

// In returns the command with its descriptions and choices in a locale. Names of
// commands and options stay: the page sends what it shows.
func (a ApplicationCommand) In(locale string) ApplicationCommand {
	a.Description = cmp.Or(a.DescriptionLocalizations[locale], a.Description)
	a.Options = mapOptions(a.Options, func(o *ApplicationCommandOption) {
		o.Description = cmp.Or(o.DescriptionLocalizations[locale], o.Description)
		for i, c := range o.Choices {
			o.Choices[i].Name = cmp.Or(c.NameLocalizations[locale], c.Name)
		}
	})
	return a.WithoutLocalizations()
}

// WithoutLocalizations returns the command without its texts in other languages.
func (a ApplicationCommand) WithoutLocalizations() ApplicationCommand {
	a.NameLocalizations, a.DescriptionLocalizations = nil, nil
	a.Options = mapOptions(a.Options, func(o *ApplicationCommandOption) {
		o.NameLocalizations, o.DescriptionLocalizations = nil, nil
		for i := range o.Choices {
			o.Choices[i].NameLocalizations = nil
		}
	})
	return a
}

// mapOptions returns a copy of options, nested ones included, that change has
// changed.
func mapOptions(list []ApplicationCommandOption, change func(*ApplicationCommandOption)) []ApplicationCommandOption {
	list = slices.Clone(list)
	for i := range list {
		list[i].Options, list[i].Choices = mapOptions(list[i].Options, change), slices.Clone(list[i].Choices)
		change(&list[i])
	}
	return list
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

// Text returns the value as text.
func (c Choice) Text() string {
	switch v := c.Value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// SameKey reports whether two commands have the same name, type and scope.
func (a *ApplicationCommand) SameKey(b *ApplicationCommand) bool {
	return a.Name == b.Name && a.Type == b.Type && a.GuildID == b.GuildID
}

// IsNested reports whether an option type is a subcommand or a group.
func IsNested(t int) bool { return t == OptionSubcommand || t == OptionSubcommandGroup }

// Interaction contexts ("Interaction Context Types").
const (
	ContextGuild   = 0
	ContextBotDM   = 1
	ContextPrivate = 2 // direct messages without the bot
)

// Installation contexts ("Installation Context").
const (
	InstallGuild = 0
	InstallUser  = 1
)

// Channel types that the sandbox supports ("Channel Types").
const (
	ChannelText               = 0
	ChannelDM                 = 1
	ChannelVoice              = 2
	ChannelCategory           = 4
	ChannelAnnouncement       = 5
	ChannelAnnouncementThread = 10
	ChannelPublicThread       = 11
	ChannelForum              = 15
)
