package discord

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Command is a command to be registered.
type Command struct {
	Type             int      `json:"type,omitempty"` // 0 means CommandChatInput
	Name             string   `json:"name"`
	Description      string   `json:"description,omitempty"` // required for CommandChatInput, else empty
	Contexts         []int    `json:"contexts,omitempty"`    // where it can be used: 0 a guild, 1 direct messages with the bot, 2 others; empty for a guild's own commands
	IntegrationTypes []int    `json:"integration_types,omitempty"`
	Options          []Option `json:"options,omitempty"`
	// MemberPermissions are those that members of a guild need to see the command;
	// empty means none. Discord takes a number and lists a text.
	MemberPermissions json.Number `json:"default_member_permissions,omitempty"`

	NameLocalizations        Localizations `json:"name_localizations,omitempty"`
	DescriptionLocalizations Localizations `json:"description_localizations,omitempty"`
}

// Localizations holds a text by locale. Clients with another locale show the text
// of the field that it belongs to.
type Localizations map[string]string

// Locales lists the locales of Discord's clients but English
// (https://docs.discord.com/developers/reference#locales).
var Locales = strings.Fields(`id da de es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko`)

// Types of commands.
const (
	CommandChatInput = 1 // typed after a slash
	CommandUser      = 2 // in the context menu of a user

	// CommandEntryPoint starts an application's activity. Discord creates it by
	// itself, and refuses to have it overwritten with a list without it.
	CommandEntryPoint = 4
)

// Integration types: who has to install the application for a command to be
// available. They are left out for a guild's own commands.
const (
	IntegrationGuild = 0
	IntegrationUser  = 1
)

// RegisteredCommand is a command as Discord lists it.
type RegisteredCommand struct {
	Command
	ID  string
	Raw json.RawMessage // with the fields that Command lacks
}

// MentionCommand returns markdown that people can click to use a registered command
// without subcommands.
func MentionCommand(name, id string) string { return "</" + name + ":" + id + ">" }

// commandFields are the fields of a listed command that a bulk overwrite takes
// (https://docs.discord.com/developers/interactions/application-commands#bulk-overwrite-global-application-commands).
var commandFields = []string{
	"id", "type", "name", "name_localizations", "description", "description_localizations", "options", "default_member_permissions",
	"nsfw", "integration_types", "contexts", "handler",
}

// overwrite returns the body that keeps a listed command as it is. Fields that
// are null or false are left out: both are the default.
func (c RegisteredCommand) overwrite() (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(c.Raw, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(field string, value json.RawMessage) bool {
		return !slices.Contains(commandFields, field) || string(value) == "null" || string(value) == "false"
	})
	return all, nil
}

// OptionType is the type of a command's option.
type OptionType int

// The types of options that Castellan uses.
const (
	OptionSubcommand OptionType = 1
	OptionString     OptionType = 3
	OptionInteger    OptionType = 4
	OptionBoolean    OptionType = 5
	OptionUser       OptionType = 6
	OptionAttachment OptionType = 11
)

// Option is an option of a command, or a subcommand with its own options.
// Required options come first.
type Option struct {
	Type         OptionType `json:"type"`
	Name         string     `json:"name"`
	Description  string     `json:"description"`
	Required     bool       `json:"required,omitempty"`
	Autocomplete bool       `json:"autocomplete,omitempty"`
	MinValue     *int       `json:"min_value,omitempty"`
	MaxValue     *int       `json:"max_value,omitempty"`
	MaxLength    int        `json:"max_length,omitempty"`
	Choices      []Choice   `json:"choices,omitempty"`
	Options      []Option   `json:"options,omitempty"`

	DescriptionLocalizations Localizations `json:"description_localizations,omitempty"`
}

// Choice is a value that an option can take, or that is suggested for it.
type Choice struct {
	Name  string `json:"name"`  // 1 to MaxChoiceName
	Value any    `json:"value"` // a string or an int

	NameLocalizations Localizations `json:"name_localizations,omitempty"`
}

// LocalizeCommands adds the texts of the same commands in the language of a locale.
func LocalizeCommands(locale string, all, translated []Command) {
	for i, c := range translated {
		localize(&all[i].NameLocalizations, locale, all[i].Name, c.Name)
		localize(&all[i].DescriptionLocalizations, locale, all[i].Description, c.Description)
		localizeOptions(locale, all[i].Options, c.Options)
	}
}

func localizeOptions(locale string, all, translated []Option) {
	for i, o := range translated {
		localize(&all[i].DescriptionLocalizations, locale, all[i].Description, o.Description)
		localizeOptions(locale, all[i].Options, o.Options)
		for j, c := range o.Choices {
			localize(&all[i].Choices[j].NameLocalizations, locale, all[i].Choices[j].Name, c.Name)
		}
	}
}

func localize(to *Localizations, locale, english, text string) {
	if text == english {
		return
	}
	if *to == nil {
		*to = Localizations{}
	}
	(*to)[locale] = text
}
