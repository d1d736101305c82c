package sandbox

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of "Application Commands"; 8,000 characters are the sum of all
// names, descriptions and choice values of one command, of each localised
// text the longest.
const (
	maxChatCommands = 100
	maxMenuCommands = 15 // of each kind
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

// readCommands validates a bulk overwrite.
func readCommands(form node, applicationID, guildID string) ([]*ApplicationCommand, error) {
	var out []*ApplicationCommand
	for _, n := range form.items(0, maxChatCommands+2*maxMenuCommands) {
		cmd := readCommand(n, applicationID, guildID)
		if slices.ContainsFunc(out, cmd.sameKey) {
			n.addError("APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		out = append(out, cmd)
	}
	if err := form.err(); err != nil {
		return nil, err
	}
	if tooManyCommands(out, guildID) {
		return nil, errTooManyCommands
	}
	return out, nil
}

func tooManyCommands(list []*ApplicationCommand, guildID string) bool {
	count := map[int]int{}
	for _, c := range list {
		if c.GuildID == guildID {
			count[c.Type]++
		}
	}
	return count[CommandChatInput] > maxChatCommands || count[CommandUser] > maxMenuCommands || count[CommandMessage] > maxMenuCommands
}

func readCommand(n node, applicationID, guildID string) *ApplicationCommand {
	cmd := &ApplicationCommand{ApplicationID: applicationID, GuildID: guildID, Type: CommandChatInput}
	if !n.isObject() {
		return cmd
	}
	if t := n.field("type"); t.isSet() {
		cmd.Type = int(t.oneOf(CommandChatInput, CommandUser, CommandMessage))
	}
	chat := cmd.Type == CommandChatInput
	size := 0
	cmd.Name, cmd.NameLocalizations = readName(n, chat, &size)
	if chat {
		cmd.Description, cmd.DescriptionLocalizations = readText(n, "description", 100, &size)
		cmd.Options = readOptions(n.field("options"), 0, &size)
	} else if n.field("description").text(0, 100) != "" {
		n.field("description").addError("APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED", "Context menu commands cannot have description")
	}
	if size > maxCommandText {
		n.addError("APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandText)
	}
	if p := n.field("default_member_permissions"); p.isSet() {
		text := fmt.Sprint(p.value)
		if _, ok := parsePermissions(text); !ok {
			p.addError("NUMBER_TYPE_COERCE", "Value %q is not int.", text)
		}
		cmd.DefaultMemberPermissions = &text
	}
	cmd.NSFW = n.field("nsfw").boolean()
	for _, c := range n.field("contexts").items(0, 3) {
		cmd.Contexts = append(cmd.Contexts, int(c.oneOf(0, 1, 2)))
	}
	cmd.IntegrationTypes = []int{}
	for _, t := range n.field("integration_types").items(0, 2) {
		cmd.IntegrationTypes = append(cmd.IntegrationTypes, int(t.oneOf(0, 1)))
	}
	if len(cmd.IntegrationTypes) == 0 {
		cmd.IntegrationTypes = []int{0}
	}
	if guildID == "" {
		dm := !n.field("dm_permission").isSet() || n.field("dm_permission").boolean()
		if cmd.Contexts != nil {
			dm = slices.Contains(cmd.Contexts, 1)
		}
		cmd.DMPermission = &dm
	}
	return cmd
}

// readOptions validates the options below a command (depth 0), a group or a
// subcommand (depth 1, 2).
func readOptions(n node, depth int, size *int) []ApplicationCommandOption {
	var out []ApplicationCommandOption
	optional := false
	for _, o := range n.items(0, maxOptions) {
		if !o.isObject() || !o.field("type").required() {
			continue
		}
		opt := readOption(o, depth, size)
		if slices.ContainsFunc(out, func(x ApplicationCommandOption) bool { return x.Name == opt.Name }) {
			o.field("name").addError("APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		if len(out) > 0 && isNested(out[0].Type) != isNested(opt.Type) {
			o.field("type").addError("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to all other types")
		}
		if opt.Required && optional {
			o.addError("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !opt.Required && !isNested(opt.Type)
		out = append(out, opt)
	}
	return out
}

func isNested(t int) bool { return t == OptionSubcommand || t == OptionSubcommandGroup }

func readOption(n node, depth int, size *int) ApplicationCommandOption {
	opt := ApplicationCommandOption{}
	opt.Name, opt.NameLocalizations = readName(n, true, size)
	opt.Description, opt.DescriptionLocalizations = readText(n, "description", 100, size)
	// A command holds groups or subcommands, a group subcommands, a
	// subcommand plain options ("Subcommands and Subcommand Groups").
	var allowed []int64
	if depth == 0 {
		allowed = append(allowed, OptionSubcommandGroup)
	}
	if depth <= 1 {
		allowed = append(allowed, OptionSubcommand)
	}
	if depth != 1 {
		for t := int64(OptionString); t <= OptionAttachment; t++ {
			allowed = append(allowed, t)
		}
	}
	opt.Type = int(n.field("type").oneOf(allowed...))
	if isNested(opt.Type) {
		next := 2
		if opt.Type == OptionSubcommandGroup {
			next = 1
		}
		opt.Options = readOptions(n.field("options"), next, size)
		return opt
	}
	if len(n.field("options").items(0, 0)) > 0 {
		return opt // reported: no plain option has options
	}
	opt.Required = n.field("required").boolean()
	opt.Autocomplete = n.field("autocomplete").boolean()
	readBounds(n, &opt)
	if c := n.field("choices"); c.isSet() {
		opt.Choices = readChoices(c, opt.Type, size)
	}
	switch {
	case opt.Autocomplete && opt.Type != OptionString && opt.Type != OptionInteger && opt.Type != OptionNumber:
		n.field("autocomplete").addError("APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID_TYPE", "Autocomplete is not available for this option type")
	case opt.Autocomplete && len(opt.Choices) > 0:
		n.field("choices").addError("APPLICATION_COMMAND_OPTIONS_CHOICES_AUTOCOMPLETE_EXCLUSIVE", "Choices are not allowed with autocomplete")
	}
	for _, t := range n.field("channel_types").items(0, 20) {
		opt.ChannelTypes = append(opt.ChannelTypes, int(t.integer(0, 20)))
	}
	return opt
}

func readBounds(n node, opt *ApplicationCommandOption) {
	numeric := opt.Type == OptionInteger || opt.Type == OptionNumber
	for _, key := range []string{"min_value", "max_value"} {
		v := n.field(key)
		if !v.isSet() {
			continue
		}
		if !numeric {
			v.addError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is only allowed for integer and number options", key)
			continue
		}
		f := v.number()
		if opt.Type == OptionInteger {
			f = float64(v.integer(-maxInt53, maxInt53))
		}
		if key == "min_value" {
			opt.MinValue = &f
		} else {
			opt.MaxValue = &f
		}
	}
	if opt.MinValue != nil && opt.MaxValue != nil && *opt.MinValue > *opt.MaxValue {
		n.field("min_value").addError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_value must not be greater than max_value")
	}
	for _, key := range []string{"min_length", "max_length"} {
		v := n.field(key)
		if !v.isSet() {
			continue
		}
		if opt.Type != OptionString {
			v.addError("APPLICATION_COMMAND_OPTIONS_MIN_MAX_INVALID_TYPE", "%s is only allowed for string options", key)
			continue
		}
		if key == "min_length" {
			i := int(v.integer(0, 6000))
			opt.MinLength = &i
		} else {
			i := int(v.integer(1, 6000))
			opt.MaxLength = &i
		}
	}
	if opt.MinLength != nil && opt.MaxLength != nil && *opt.MinLength > *opt.MaxLength {
		n.field("min_length").addError("APPLICATION_COMMAND_OPTIONS_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
}

// readChoices validates the choices of an option, or the suggestions of an
// autocomplete answer for one: names of 1 to 100 characters, values of the
// option's type, texts of at most 100.
func readChoices(n node, optionType int, size *int) []Choice {
	if optionType != OptionString && optionType != OptionInteger && optionType != OptionNumber {
		n.addError("APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID_TYPE", "Choices are not available for this option type")
		return nil
	}
	var out []Choice
	for _, c := range n.items(0, maxChoices) {
		if !c.isObject() {
			continue
		}
		choice := Choice{}
		choice.Name, choice.NameLocalizations = readText(c, "name", 100, size)
		if slices.ContainsFunc(out, func(o Choice) bool { return o.Name == choice.Name }) {
			c.field("name").addError("APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Option choice name already exists")
		}
		value := c.field("value")
		if value.required() {
			switch optionType {
			case OptionString:
				text := value.text(0, 100)
				*size += utf8.RuneCountInString(text)
				choice.Value = text
			case OptionInteger:
				value.integer(-maxInt53, maxInt53)
				choice.Value = value.value
			default:
				value.number()
				choice.Value = value.value
			}
		}
		if num, ok := choice.Value.(json.Number); ok {
			*size += len(num)
		}
		out = append(out, choice)
	}
	return out
}

// readName reads a command's or option's name with its localisations.
func readName(n node, strict bool, size *int) (string, map[string]string) {
	name, localized := readText(n, "name", 32, size)
	check := func(n node, s string) {
		if strict && s != "" && utf8.RuneCountInString(s) <= 32 && (!commandName.MatchString(s) || s != strings.ToLower(s)) {
			n.addError("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		}
	}
	check(n.field("name"), name)
	for locale, s := range localized {
		check(n.field("name_localizations").field(locale), s)
	}
	return name, localized
}

// readText reads a required text of 1 to most characters and its
// localisations; the longest counts towards the command's size.
func readText(n node, key string, most int, size *int) (string, map[string]string) {
	var text string
	if n.field(key).required() {
		text = n.field(key).text(1, most)
	}
	longest := utf8.RuneCountInString(text)
	var localized map[string]string
	if l := n.field(key + "_localizations"); l.isSet() && l.isObject() {
		localized = map[string]string{}
		for locale := range l.value.(map[string]any) {
			v := l.field(locale)
			if !slices.Contains(locales, locale) {
				v.addError("LOCALE_INVALID", "The locale %q is not available", locale)
				continue
			}
			if v.value == nil {
				continue
			}
			localized[locale] = v.text(1, most)
			longest = max(longest, utf8.RuneCountInString(localized[locale]))
		}
	}
	*size += longest
	return text, localized
}

// parsePermissions reads a permission bit set, which is sent as text.
func parsePermissions(text string) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil && v >= 0
}
