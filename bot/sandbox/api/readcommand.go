package api

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of "Application Commands". maxCommandText limits the sum of all names,
// descriptions and choice values of a command in characters; of a localised
// text the longest counts.
const (
	maxChatCommands = 100
	maxMenuCommands = 15 // of each kind
	maxEntryPoints  = 1
	maxCommandText  = 8000
	maxChoiceText   = 100
)

// commandName is the pattern of "Application Command Naming". Letters that
// have a lower case must use it.
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// Locales are those of "Locales" on the page "Reference".
var Locales = strings.Fields(`id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi g-SE vi tr cs el bg ru uk
	hi th zh-CN ja zh-TW ko`)

// ReadCommands reads a bulk overwrite of commands.
func ReadCommands(form Node, applicationID, guildID string) ([]*ApplicationCommand, error) {
	var out []*ApplicationCommand
	for _, n := range form.Items() {
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
		return nil, ErrTooManyCommands
	}
	return out, nil
}

// TooManyCommands reports whether a scope has more commands than Discord
// allows.
func TooManyCommands(list []*ApplicationCommand, guildID string) bool {
	count := map[int]int{}
	for _, c := range list {
		if c.GuildID == guildID {
			count[c.Type]++
		}
	}
	return count[CommandChatInput] > maxChatCommands || count[CommandUser] > maxMenuCommands || count[CommandMessage] > maxMenuCommands ||
		count[CommandEntryPoint] > maxEntryPoints
}

// commandReader checks one command and counts its characters.
type commandReader struct{ size int }

// ReadCommand reads one command.
func ReadCommand(n Node, applicationID, guildID string) *ApplicationCommand {
	cmd := &ApplicationCommand{Type: CommandChatInput}
	if !n.Decode(cmd) {
		return cmd
	}
	cmd.ID, cmd.Version, cmd.ApplicationID, cmd.GuildID = "", "", applicationID, guildID
	r := &commandReader{}
	r.name(n, cmd.Name, cmd.NameLocalizations, cmd.Type == CommandChatInput)
	switch description := n.Field("description"); cmd.Type {
	case CommandChatInput:
		r.text(cmd.Description, n.Field("description_localizations"), cmd.DescriptionLocalizations)
		if description.Required() && cmd.Description == "" {
			description.AddError("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
		}
		r.options(n.Field("options"), cmd.Options)
	case CommandEntryPoint:
		cmd.Handler = cmp.Or(cmd.Handler, 1)
		if guildID != "" {
			n.Field("type").NotOneOf([]int64{CommandChatInput, CommandUser, CommandMessage})
		}
	default:
		if cmd.Description != "" {
			description.AddError("APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED", "Context menu commands cannot have description")
		}
	}
	if r.size > maxCommandText {
		n.AddError("APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandText)
	}
	if len(cmd.IntegrationTypes) == 0 {
		cmd.IntegrationTypes = []int{0}
	}
	switch {
	case guildID != "":
		cmd.DMPermission = nil
	case cmd.Contexts != nil:
		cmd.DMPermission = new(slices.Contains(cmd.Contexts, ContextBotDM))
	case cmd.DMPermission == nil:
		cmd.DMPermission = new(true)
	}
	return cmd
}

func (r *commandReader) options(n Node, list []ApplicationCommandOption) {
	optional := false
	for i, o := range n.Items() {
		opt := &list[i]
		r.option(o, opt)
		if slices.ContainsFunc(list[:i], func(x ApplicationCommandOption) bool { return x.Name == opt.Name }) {
			o.Field("name").AddError("APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		if IsNested(list[0].Type) != IsNested(opt.Type) {
			o.Field("type").AddError("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to all other types")
		}
		if opt.Required && optional {
			o.AddError("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !opt.Required && !IsNested(opt.Type)
	}
}

func (r *commandReader) option(n Node, opt *ApplicationCommandOption) {
	r.name(n, opt.Name, opt.NameLocalizations, true)
	r.text(opt.Description, n.Field("description_localizations"), opt.DescriptionLocalizations)
	if IsNested(opt.Type) {
		r.options(n.Field("options"), opt.Options)
		return
	}
	if len(opt.Options) > 0 {
		n.Field("options").TooLong(0)
	}
	for key, allowed := range map[string]bool{
		"value": opt.Type == OptionInteger || opt.Type == OptionNumber, "length": opt.Type == OptionString,
	} {
		least, most := n.Field("min_"+key), n.Field("max_"+key)
		for _, bound := range []Node{least, most} {
			if bound.IsSet() && !allowed {
				bound.AddError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is not allowed for this type of option", bound.name())
			}
		}
		if least.IsSet() && most.IsSet() && least.Number() > most.Number() {
			least.AddError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_%s must not be greater than max_%[1]s", key)
		}
	}
	choices := n.Field("choices")
	if choices.IsSet() {
		r.choices(choices, opt.Choices, opt.Type)
	}
	switch {
	case opt.Autocomplete && !takesChoices(opt.Type):
		n.Field("autocomplete").AddError("APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID_TYPE", "Autocomplete is not available for this option type")
	case opt.Autocomplete && len(opt.Choices) > 0:
		choices.AddError("APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE_EXCLUSIVE", "Choices are not allowed with autocomplete")
	}
}

func takesChoices(optionType int) bool {
	return optionType == OptionString || optionType == OptionInteger || optionType == OptionNumber
}

// ReadChoices reads the suggestions of an autocomplete response for an option of a
// type.
func ReadChoices(n Node, optionType int) []Choice {
	var out []Choice
	if n.Decode(&out) {
		(&commandReader{}).choices(n, out, optionType)
	}
	return out
}

// choices checks the choices of an option: values of the option's type, strings of
// at most 100 characters.
func (r *commandReader) choices(n Node, list []Choice, optionType int) {
	if !takesChoices(optionType) {
		n.AddError("APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID_TYPE", "Choices are not available for this option type")
		return
	}
	for i, c := range n.Items() {
		choice, value := list[i], c.Field("value")
		r.text(choice.Name, c.Field("name_localizations"), choice.NameLocalizations)
		if slices.ContainsFunc(list[:i], func(o Choice) bool { return o.Name == choice.Name }) {
			c.Field("name").AddError("APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Option choice name already exists")
		}
		_, isNumber := value.Value.(json.Number)
		f, length := value.Number(), utf8.RuneCountInString(value.Text())
		switch {
		case optionType == OptionString && isNumber:
			value.AddError("STRING_TYPE_CONVERT", "Could not interpret %q as string.", value.Text())
		case optionType == OptionString && length > maxChoiceText:
			value.TooLong(maxChoiceText)
		case optionType == OptionNumber && !isNumber:
			value.AddError("NUMBER_TYPE_COERCE", "Value %q is not float.", value.Text())
		case optionType == OptionInteger && (!isNumber || f != math.Trunc(f)):
			value.AddError("NUMBER_TYPE_COERCE", "Value %q is not int.", value.Text())
		case optionType == OptionInteger && math.Abs(f) > MaxInt53:
			value.AddError("NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", int64(MaxInt53))
		}
		r.size += length
	}
}

func (r *commandReader) name(n Node, name string, localized map[string]string, strict bool) {
	at := n.Field("name_localizations")
	r.text(name, at, localized)
	check := func(n Node, s string) {
		if strict && (!commandName.MatchString(s) || s != strings.ToLower(s)) {
			n.AddError("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		}
	}
	check(n.Field("name"), name)
	for locale, s := range localized {
		check(at.Field(locale), s)
	}
}

// text checks a string with its localisations, and removes those that are null.
// The longest of them counts towards the command's size.
func (r *commandReader) text(text string, at Node, localized map[string]string) {
	longest := utf8.RuneCountInString(text)
	for locale, s := range localized {
		if !slices.Contains(Locales, locale) {
			at.Field(locale).AddError("LOCALE_INVALID", "The locale %q is not available", locale)
		}
		if at.Field(locale).Value == nil {
			delete(localized, locale)
		}
		longest = max(longest, utf8.RuneCountInString(s))
	}
	r.size += longest
}
