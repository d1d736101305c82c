package payload

import (
	"encoding/json"
	"math"
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
	maxCommandText  = 8000
	maxChoiceText   = 100
)

// commandName is the pattern of "Application Command Naming". Letters that
// have a lower case must use it.
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

// locales are those of "Locales" on the page "Reference".
var locales = strings.Fields(`id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi g-SE vi tr cs el bg ru uk
	hi th zh-CN ja zh-TW ko`)

// ReadCommands reads a bulk overwrite of commands.
func ReadCommands(form Node, applicationID, guildID string) ([]*api.ApplicationCommand, error) {
	if err := form.Err(); err != nil {
		return nil, err
	}
	var out []*api.ApplicationCommand
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

// commandReader reads one command and counts its characters.
type commandReader struct{ size int }

// ReadCommand reads one command.
func ReadCommand(n Node, applicationID, guildID string) *api.ApplicationCommand {
	permissions, handler := n.Field("default_member_permissions"), n.Field("handler")
	cmd := &api.ApplicationCommand{
		ApplicationID: applicationID, GuildID: guildID, Type: Default(n.Field("type"), n.Field("type").Integer(), api.CommandChatInput),
		DefaultMemberPermissions: Optional(permissions, permissions.Text()), NSFW: n.Field("nsfw").Boolean(),
		Contexts: readIntegers(n.Field("contexts")), IntegrationTypes: readIntegers(n.Field("integration_types")),
	}
	r := &commandReader{}
	cmd.Name, cmd.NameLocalizations = r.name(n, cmd.Type == api.CommandChatInput)
	switch description := n.Field("description"); cmd.Type {
	case api.CommandChatInput:
		cmd.Description, cmd.DescriptionLocalizations = r.text(n, "description")
		if description.Required() && cmd.Description == "" {
			description.AddError("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
		}
		cmd.Options = r.options(n.Field("options"))
	case api.CommandEntryPoint:
		cmd.Description, cmd.Handler = description.Text(), Default(handler, handler.Integer(), 1)
		if guildID != "" {
			n.Field("type").NotOneOf([]int64{api.CommandChatInput, api.CommandUser, api.CommandMessage})
		}
	default:
		if description.Text() != "" {
			description.AddError("APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED", "Context menu commands cannot have description")
		}
	}
	if r.size > maxCommandText {
		n.AddError("APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandText)
	}
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

// options reads the options of a command, a group or a subcommand.
func (r *commandReader) options(n Node) []api.ApplicationCommandOption {
	var out []api.ApplicationCommandOption
	optional := false
	for _, o := range n.Items() {
		opt := r.option(o)
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

func (r *commandReader) option(n Node) api.ApplicationCommandOption {
	opt := api.ApplicationCommandOption{Type: n.Field("type").Integer(), Required: n.Field("required").Boolean(), Autocomplete: n.Field("autocomplete").Boolean()}
	opt.Name, opt.NameLocalizations = r.name(n, true)
	opt.Description, opt.DescriptionLocalizations = r.text(n, "description")
	if options := n.Field("options"); api.IsNested(opt.Type) {
		opt.Options = r.options(options)
		return opt
	} else if len(options.Items()) > 0 {
		options.TooLong(0)
	}
	checkBounds(n, &opt)
	if c := n.Field("choices"); c.IsSet() {
		opt.Choices = ReadChoices(c, opt.Type, &r.size)
	}
	switch {
	case opt.Autocomplete && !takesChoices(opt.Type):
		n.Field("autocomplete").AddError("APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID_TYPE", "Autocomplete is not available for this option type")
	case opt.Autocomplete && len(opt.Choices) > 0:
		n.Field("choices").AddError("APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE_EXCLUSIVE", "Choices are not allowed with autocomplete")
	}
	opt.ChannelTypes = readIntegers(n.Field("channel_types"))
	if opt.Type == api.OptionAttachment {
		opt.FileTypes = readFileTypes(n)
	}
	return opt
}

func takesChoices(optionType int) bool {
	return optionType == api.OptionString || optionType == api.OptionInteger || optionType == api.OptionNumber
}

// checkBounds reads the bounds of an option's value, which are those of its
// type, and the smaller before the larger.
func checkBounds(n Node, opt *api.ApplicationCommandOption) {
	number := func(key string) *float64 {
		v := n.Field(key)
		if v.IsSet() && opt.Type != api.OptionInteger && opt.Type != api.OptionNumber {
			v.AddError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is only allowed for integer and number options", key)
		}
		f, _ := json.Number(v.Text()).Float64()
		return Optional(v, f)
	}
	length := func(key string) *int {
		v := n.Field(key)
		if v.IsSet() && opt.Type != api.OptionString {
			v.AddError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is only allowed for string options", key)
		}
		return Optional(v, v.Integer())
	}
	opt.MinValue, opt.MaxValue, opt.MinLength, opt.MaxLength = number("min_value"), number("max_value"), length("min_length"), length("max_length")
	if opt.MinValue != nil && opt.MaxValue != nil && *opt.MinValue > *opt.MaxValue {
		n.Field("min_value").AddError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_value must not be greater than max_value")
	}
	if opt.MinLength != nil && opt.MaxLength != nil && *opt.MinLength > *opt.MaxLength {
		n.Field("min_length").AddError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
}

// ReadChoices reads the choices of an option or the suggestions of an
// autocomplete response: values of the option's type, strings of at most 100
// characters.
func ReadChoices(n Node, optionType int, size *int) []api.Choice {
	if !takesChoices(optionType) {
		n.AddError("APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID_TYPE", "Choices are not available for this option type")
		return nil
	}
	var out []api.Choice
	r := &commandReader{}
	for _, c := range n.Items() {
		value := c.Field("value")
		choice := api.Choice{Value: value.Value}
		choice.Name, choice.NameLocalizations = r.text(c, "name")
		if slices.ContainsFunc(out, func(o api.Choice) bool { return o.Name == choice.Name }) {
			c.Field("name").AddError("APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Option choice name already exists")
		}
		number, isNumber := value.Value.(json.Number)
		f, _ := number.Float64()
		switch {
		case optionType == api.OptionString && isNumber:
			value.AddError("STRING_TYPE_CONVERT", "Could not interpret %q as string.", number)
		case optionType == api.OptionString && utf8.RuneCountInString(value.Text()) > maxChoiceText:
			value.TooLong(maxChoiceText)
		case optionType == api.OptionNumber && !isNumber:
			value.AddError("NUMBER_TYPE_COERCE", "Value %q is not float.", value.Text())
		case optionType == api.OptionInteger && (!isNumber || f != math.Trunc(f)):
			value.AddError("NUMBER_TYPE_COERCE", "Value %q is not int.", value.Text())
		case optionType == api.OptionInteger && math.Abs(f) > MaxInt53:
			value.AddError("NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", MaxInt53)
		}
		r.size += utf8.RuneCountInString(value.Text())
		out = append(out, choice)
	}
	*size += r.size
	return out
}

// name reads the name of a command or option with its localisations.
func (r *commandReader) name(n Node, strict bool) (string, map[string]string) {
	name, localized := r.text(n, "name")
	check := func(n Node, s string) {
		if strict && (!commandName.MatchString(s) || s != strings.ToLower(s)) {
			n.AddError("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		}
	}
	check(n.Field("name"), name)
	for locale, s := range localized {
		check(n.Field("name_localizations").Field(locale), s)
	}
	return name, localized
}

// text reads a string with its localisations. The longest of them counts
// towards the command's size.
func (r *commandReader) text(n Node, key string) (string, map[string]string) {
	text := n.Field(key).Text()
	longest := utf8.RuneCountInString(text)
	l := n.Field(key + "_localizations")
	object, _ := l.Value.(map[string]any)
	var localized map[string]string
	if object != nil {
		localized = map[string]string{}
	}
	for locale, value := range object {
		if !slices.Contains(locales, locale) {
			l.Field(locale).AddError("LOCALE_INVALID", "The locale %q is not available", locale)
		}
		if value != nil {
			localized[locale] = l.Field(locale).Text()
			longest = max(longest, utf8.RuneCountInString(localized[locale]))
		}
	}
	r.size += longest
	return text, localized
}
