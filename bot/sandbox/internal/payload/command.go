package payload

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
)

// Limits of "Application Commands". maxCommandText limits the sum of all names,
// descriptions and choice values of a command in characters; of a localised
// text the longest counts.
const (
	maxChatCommands = 100
	maxMenuCommands = 15 // of each kind
	maxEntryPoints  = 1
	maxOptions      = 25
	maxChoices      = 25
	maxCommandText  = 8000
)

// commandName is the pattern of "Application Command Naming". Letters that
// have a lower case must use it.
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// locales are those of "Locales" on the page "Reference".
var locales = strings.Fields(`id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi g-SE vi tr cs el bg ru uk
	hi th zh-CN ja zh-TW ko`)

// ReadCommands validates a bulk overwrite of commands.
func ReadCommands(form Node, applicationID, guildID string) ([]*api.ApplicationCommand, error) {
	var out []*api.ApplicationCommand
	for _, n := range form.Items(0, maxChatCommands+2*maxMenuCommands+maxEntryPoints) {
		cmd := ReadCommand(n, applicationID, guildID)
		if slices.ContainsFunc(out, cmd.SameKey) {
			n.AddError("APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		out = append(out, cmd)
	}
	if err := form.Err(); err != nil {
		return nil, err
	}
	if TooManyCommands(out, guildID) {
		return nil, api.ErrTooManyCommands
	}
	return out, nil
}

// TooManyCommands reports whether a scope has more commands than Discord
// allows.
func TooManyCommands(list []*api.ApplicationCommand, guildID string) bool {
	count := map[int]int{}
	for _, c := range list {
		if c.GuildID == guildID {
			count[c.Type]++
		}
	}
	return count[api.CommandChatInput] > maxChatCommands || count[api.CommandUser] > maxMenuCommands || count[api.CommandMessage] > maxMenuCommands ||
		count[api.CommandEntryPoint] > maxEntryPoints
}

// ReadCommand validates one command.
func ReadCommand(n Node, applicationID, guildID string) *api.ApplicationCommand {
	cmd := &api.ApplicationCommand{ApplicationID: applicationID, GuildID: guildID, Type: api.CommandChatInput}
	if !n.IsObject() {
		return cmd
	}
	kind := n.Field("type")
	kinds := []int64{api.CommandChatInput, api.CommandUser, api.CommandMessage}
	if guildID == "" {
		kinds = append(kinds, api.CommandEntryPoint)
	}
	cmd.Type = Default(kind, int(kind.OneOf(kinds...)), api.CommandChatInput)
	if cmd.Type == api.CommandEntryPoint {
		cmd.Handler = Default(n.Field("handler"), int(n.Field("handler").OneOf(1, 2)), 1)
	}
	chat := cmd.Type == api.CommandChatInput
	size := 0
	cmd.Name, cmd.NameLocalizations = readName(n, chat, &size)
	if chat {
		cmd.Description, cmd.DescriptionLocalizations = readText(n, "description", 100, &size)
		cmd.Options = readOptions(n.Field("options"), 0, &size)
	} else if text := n.Field("description").Text(0, 100); cmd.Type == api.CommandEntryPoint {
		cmd.Description = text
	} else if text != "" {
		n.Field("description").AddError("APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED", "Context menu commands cannot have description")
	}
	if size > maxCommandText {
		n.AddError("APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandText)
	}
	if p := n.Field("default_member_permissions"); p.IsSet() {
		text := fmt.Sprint(p.Value)
		if _, ok := api.ParsePermissions(text); !ok {
			p.AddError("NUMBER_TYPE_COERCE", "Value %q is not int.", text)
		}
		cmd.DefaultMemberPermissions = &text
	}
	cmd.NSFW = n.Field("nsfw").Boolean()
	cmd.Contexts = n.Field("contexts").Integers(3, func(c Node) int64 { return c.OneOf(0, 1, 2) })
	cmd.IntegrationTypes = n.Field("integration_types").Integers(2, func(t Node) int64 { return t.OneOf(0, 1) })
	if len(cmd.IntegrationTypes) == 0 {
		cmd.IntegrationTypes = []int{0}
	}
	if guildID == "" {
		dm := Default(n.Field("dm_permission"), n.Field("dm_permission").Boolean(), true)
		if cmd.Contexts != nil {
			dm = slices.Contains(cmd.Contexts, 1)
		}
		cmd.DMPermission = &dm
	}
	return cmd
}

// readOptions validates the options of a command (depth 0), a group (depth 1)
// or a subcommand (depth 2).
func readOptions(n Node, depth int, size *int) []api.ApplicationCommandOption {
	var out []api.ApplicationCommandOption
	optional := false
	for _, o := range n.Objects(0, maxOptions, "type") {
		opt := readOption(o, depth, size)
		if slices.ContainsFunc(out, func(x api.ApplicationCommandOption) bool { return x.Name == opt.Name }) {
			o.Field("name").AddError("APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		if len(out) > 0 && api.IsNested(out[0].Type) != api.IsNested(opt.Type) {
			o.Field("type").AddError("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to all other types")
		}
		if opt.Required && optional {
			o.AddError("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !opt.Required && !api.IsNested(opt.Type)
		out = append(out, opt)
	}
	return out
}

func readOption(n Node, depth int, size *int) api.ApplicationCommandOption {
	opt := api.ApplicationCommandOption{}
	opt.Name, opt.NameLocalizations = readName(n, true, size)
	opt.Description, opt.DescriptionLocalizations = readText(n, "description", 100, size)
	// A command contains groups or subcommands, a group subcommands, and a
	// subcommand plain options ("Subcommands and Subcommand Groups").
	var allowed []int64
	if depth == 0 {
		allowed = append(allowed, api.OptionSubcommandGroup)
	}
	if depth <= 1 {
		allowed = append(allowed, api.OptionSubcommand)
	}
	if depth != 1 {
		for t := int64(api.OptionString); t <= api.OptionAttachment; t++ {
			allowed = append(allowed, t)
		}
	}
	opt.Type = int(n.Field("type").OneOf(allowed...))
	if api.IsNested(opt.Type) {
		next := 2
		if opt.Type == api.OptionSubcommandGroup {
			next = 1
		}
		opt.Options = readOptions(n.Field("options"), next, size)
		return opt
	}
	if len(n.Field("options").Items(0, 0)) > 0 {
		return opt // Items has reported it: plain options have no options
	}
	opt.Required = n.Field("required").Boolean()
	opt.Autocomplete = n.Field("autocomplete").Boolean()
	readBounds(n, &opt)
	if c := n.Field("choices"); c.IsSet() {
		opt.Choices = ReadChoices(c, opt.Type, size)
	}
	switch {
	case opt.Autocomplete && opt.Type != api.OptionString && opt.Type != api.OptionInteger && opt.Type != api.OptionNumber:
		n.Field("autocomplete").AddError("APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID_TYPE", "Autocomplete is not available for this option type")
	case opt.Autocomplete && len(opt.Choices) > 0:
		n.Field("choices").AddError("APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE_EXCLUSIVE", "Choices are not allowed with autocomplete")
	}
	opt.ChannelTypes = readChannelTypes(n)
	if opt.Type == api.OptionAttachment {
		opt.FileTypes = readFileTypes(n)
	}
	return opt
}

func readBounds(n Node, opt *api.ApplicationCommandOption) {
	value := func(key string) *float64 {
		v := n.Field(key)
		switch {
		case !v.IsSet():
			return nil
		case opt.Type == api.OptionInteger:
			v.number()
			return new(float64(v.Integer(-MaxInt53, MaxInt53)))
		case opt.Type == api.OptionNumber:
			return new(v.number())
		}
		v.AddError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is only allowed for integer and number options", key)
		return nil
	}
	length := func(key string, least int64) *int {
		v := n.Field(key)
		if !v.IsSet() || opt.Type == api.OptionString {
			return Optional(v, int(v.Integer(least, 6000)))
		}
		v.AddError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is only allowed for string options", key)
		return nil
	}
	opt.MinValue, opt.MaxValue = value("min_value"), value("max_value")
	if opt.MinValue != nil && opt.MaxValue != nil && *opt.MinValue > *opt.MaxValue {
		n.Field("min_value").AddError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_value must not be greater than max_value")
	}
	opt.MinLength, opt.MaxLength = length("min_length", 0), length("max_length", 1)
	if opt.MinLength != nil && opt.MaxLength != nil && *opt.MinLength > *opt.MaxLength {
		n.Field("min_length").AddError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
}

func readChannelTypes(n Node) []int {
	return n.Field("channel_types").Integers(20, func(t Node) int64 { return t.Integer(0, 20) })
}

// ReadChoices validates the choices of an option or the suggestions of an
// autocomplete response: names of 1 to 100 characters, values of the option's
// type, strings of at most 100 characters.
func ReadChoices(n Node, optionType int, size *int) []api.Choice {
	if optionType != api.OptionString && optionType != api.OptionInteger && optionType != api.OptionNumber {
		n.AddError("APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID_TYPE", "Choices are not available for this option type")
		return nil
	}
	var out []api.Choice
	for _, c := range n.Objects(0, maxChoices) {
		choice := api.Choice{}
		choice.Name, choice.NameLocalizations = readText(c, "name", 100, size)
		if slices.ContainsFunc(out, func(o api.Choice) bool { return o.Name == choice.Name }) {
			c.Field("name").AddError("APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Option choice name already exists")
		}
		value := c.Field("value")
		if value.Required() {
			switch optionType {
			case api.OptionString:
				text := value.Text(0, 100)
				*size += utf8.RuneCountInString(text)
				choice.Value = text
			case api.OptionInteger:
				value.Integer(-MaxInt53, MaxInt53)
				choice.Value = value.Value
			default:
				value.number()
				choice.Value = value.Value
			}
		}
		if num, ok := choice.Value.(json.Number); ok {
			*size += len(num)
		}
		out = append(out, choice)
	}
	return out
}

// readName reads the name of a command or option with its localisations.
func readName(n Node, strict bool, size *int) (string, map[string]string) {
	name, localized := readText(n, "name", 32, size)
	check := func(n Node, s string) {
		if strict && s != "" && utf8.RuneCountInString(s) <= 32 && (!commandName.MatchString(s) || s != strings.ToLower(s)) {
			n.AddError("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		}
	}
	check(n.Field("name"), name)
	for locale, s := range localized {
		check(n.Field("name_localizations").Field(locale), s)
	}
	return name, localized
}

// readText reads a required string of 1 to most characters with its
// localisations. The longest of them counts towards the command's size.
func readText(n Node, key string, most int, size *int) (string, map[string]string) {
	text := n.Field(key).RequiredText(most)
	longest := utf8.RuneCountInString(text)
	var localized map[string]string
	if l := n.Field(key + "_localizations"); l.IsSet() && l.IsObject() {
		localized = map[string]string{}
		for locale := range l.Value.(map[string]any) {
			v := l.Field(locale)
			if !slices.Contains(locales, locale) {
				v.AddError("LOCALE_INVALID", "The locale %q is not available", locale)
				continue
			}
			if v.Value == nil {
				continue
			}
			localized[locale] = v.Text(1, most)
			longest = max(longest, utf8.RuneCountInString(localized[locale]))
		}
	}
	*size += longest
	return text, localized
}
