package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

// CommandOption is an option as a person fills it in. Groups and subcommands
// have Options instead of a Value. If Type is 0 it is taken from the command.
// A Value is a string (also for ids), a number of any type, or a bool.
type CommandOption struct {
	Name    string          `json:"name"`
	Type    int             `json:"type,omitempty"`
	Value   any             `json:"value,omitempty"`
	Options []CommandOption `json:"options,omitempty"`
	Focused bool            `json:"focused,omitempty"` // being typed, in autocomplete
}

// invocation validates a command as Discord's clients do before they send it,
// and collects the entities that it names.
type invocation struct {
	s       *Model
	channel *Channel
	partial bool // for autocomplete: required options may be missing
	named   entities
	focused *api.ApplicationCommandOption
}

// commandsFor lists the commands that a person may use in a channel, of one
// type or of any (0), the guild's before the global ones.
func (s *Model) commandsFor(ch *Channel, userID string, kind int) []api.ApplicationCommand {
	out := []api.ApplicationCommand{}
	if ch == nil {
		return out
	}
	for _, ofGuild := range []bool{true, false} {
		for _, cmd := range s.Commands {
			if (cmd.GuildID != "") == ofGuild && (kind == 0 || cmd.Type == kind) && s.mayUse(cmd, ch, userID) {
				out = append(out, *cmd)
			}
		}
	}
	return out
}

// mayUse applies the contexts and installs of a command and, in a guild,
// default_member_permissions.
func (s *Model) mayUse(cmd *api.ApplicationCommand, ch *Channel, userID string) bool {
	if len(s.commandInstalls(cmd, ch, userID)) == 0 || cmd.NSFW && !ageRestricted(ch) {
		return false
	}
	if cmd.DefaultMemberPermissions == nil || ch.Guild == nil {
		return true
	}
	has := s.PermissionsOf(ch.Guild, userID)
	need, ok := api.ParsePermissions(*cmd.DefaultMemberPermissions)
	if has&api.PermissionAdministrator != 0 {
		return true
	}
	return ok && need != 0 && has&need == need // "0" is for administrators alone
}

// ageRestricted reports whether a channel offers age-restricted commands: a
// thread has its parent's setting ("NSFW Threads"), and direct messages do
// ("Age-Restricted Commands").
func ageRestricted(ch *Channel) bool {
	if ch.Thread != nil {
		ch = ch.Thread.Parent
	}
	return ch.NSFW || ch.Guild == nil
}

// CommandsChanged sends each page its user's commands.
func (s *Model) CommandsChanged() {
	for _, u := range s.World.Users {
		if s.watching(u.ID) {
			s.emit(u.ID, map[string]any{"type": "commands", "commands": s.CommandSets(u.ID)})
		}
	}
	s.wake()
}

// CommandSets returns a person's commands for the page: by guild id, and by
// channel id for direct messages. Descriptions and choices are in the person's
// language.
func (s *Model) CommandSets(userID string) map[string]any {
	out := map[string]any{}
	u, _ := s.User(userID)
	shown := func(ch *Channel) []api.ApplicationCommand {
		all := []api.ApplicationCommand{}
		for _, c := range s.commandsFor(ch, userID, 0) {
			all = append(all, c.In(u.Locale))
		}
		return all
	}
	for _, g := range s.Guilds {
		if len(g.Channels) > 0 && s.IsMember(g, userID) {
			out[g.ID] = shown(g.Channels[0])
		}
	}
	for _, ch := range s.DirectOf(userID) {
		out[ch.ID] = shown(ch)
	}
	return out
}

// Opt returns a plain option.
func Opt(name string, value any) CommandOption { return CommandOption{Name: name, Value: value} }

// Sub returns a subcommand or group with its options.
func Sub(name string, options ...CommandOption) CommandOption {
	return CommandOption{Name: name, Options: options}
}

// Focused returns the option that is being typed, with the text so far.
func Focused(name, text string) CommandOption {
	return CommandOption{Name: name, Value: text, Focused: true}
}

// commandInChannel returns a command that a person may use in a channel.
func (s *Model) commandInChannel(userID, channelID, name string, kind int) (*Channel, *api.ApplicationCommand, error) {
	ch := s.Channels[channelID]
	if ch == nil {
		return nil, nil, fmt.Errorf("there is no channel %q", channelID)
	}
	switch {
	case len(s.installs(ch, userID)) == 0:
		return nil, nil, errNotInstalled
	case !s.May(channelID, userID, api.PermissionUseCommands):
		return nil, nil, errors.New("you may not use commands in this channel")
	case s.closed(ch, userID):
		return nil, nil, errLocked
	}
	for _, cmd := range s.commandsFor(ch, userID, kind) {
		if cmd.Name == name {
			return ch, &cmd, nil
		}
	}
	if kind == api.CommandChatInput {
		name = "/" + name
	}
	return nil, nil, fmt.Errorf("there is no command %s", name)
}

// prepareCommand validates a command against its definition. Errors are
// sentences for the person.
func (s *Model) prepareCommand(userID, channelID, name string, options []CommandOption, partial bool) (*StoredInteraction, map[string]any, error) {
	ch, def, err := s.commandInChannel(userID, channelID, name, api.CommandChatInput)
	if err != nil {
		return nil, nil, err
	}
	inv := &invocation{s: s, channel: ch, partial: partial}
	given, err := inv.options("/"+name, def.Options, options)
	if err != nil {
		return nil, nil, err
	}
	if partial && inv.focused == nil {
		return nil, nil, fmt.Errorf("no option of /%s is being typed", name)
	}
	i := &StoredInteraction{InteractionType: api.InteractionCommand, CommandType: api.CommandChatInput, Channel: ch, owners: owners(ch, userID, s.commandInstalls(def, ch, userID)), Focused: inv.focused, Interaction: Interaction{
		Kind: KindCommand, UserID: userID, ChannelID: channelID, Name: fullName(name, given),
	}}
	if partial {
		i.InteractionType, i.Kind = api.InteractionAutocomplete, KindAutocomplete
	}
	data := map[string]any{"id": def.ID, "name": def.Name, "type": def.Type}
	if len(given) > 0 {
		data["options"] = given
	}
	if def.GuildID != "" {
		data["guild_id"] = def.GuildID
	}
	if r := s.resolve(ch, userID, inv.named); len(r) > 0 {
		data["resolved"] = r
	}
	return i, data, nil
}

// options validates the options of one level and returns them as they are
// sent.
func (inv *invocation) options(where string, defs []api.ApplicationCommandOption, given []CommandOption) ([]CommandOption, error) {
	nested := len(defs) > 0 && api.IsNested(defs[0].Type)
	if nested && len(given) != 1 {
		return nil, fmt.Errorf("%s needs one of its subcommands", where)
	}
	var out []CommandOption
	for _, g := range given {
		i := slices.IndexFunc(defs, func(d api.ApplicationCommandOption) bool { return d.Name == g.Name })
		if i < 0 {
			return nil, fmt.Errorf("%s has no option %q", where, g.Name)
		}
		def := defs[i]
		if g.Type != 0 && g.Type != def.Type {
			return nil, fmt.Errorf("the option %q of %s is of another type", g.Name, where)
		}
		if slices.ContainsFunc(out, func(o CommandOption) bool { return o.Name == g.Name }) {
			return nil, fmt.Errorf("the option %q is given twice", g.Name)
		}
		o := CommandOption{Name: g.Name, Type: def.Type}
		var err error
		if nested {
			o.Options, err = inv.options(where+" "+g.Name, def.Options, g.Options)
		} else {
			err = inv.value(&o, def, g)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	for _, def := range defs {
		if def.Required && !inv.partial && !slices.ContainsFunc(out, func(o CommandOption) bool { return o.Name == def.Name }) {
			return nil, fmt.Errorf("%s needs the option %q", where, def.Name)
		}
	}
	return out, nil
}

// value validates a value and converts it to the type that is sent.
func (inv *invocation) value(o *CommandOption, def api.ApplicationCommandOption, g CommandOption) error {
	if g.Focused {
		if !inv.partial || inv.focused != nil {
			return fmt.Errorf("only one option can be typed at a time, and only for autocomplete")
		}
		if !def.Autocomplete {
			return fmt.Errorf("the option %q has no suggestions", def.Name)
		}
		// The text so far is sent as a string, whatever the option's type.
		o.Focused, o.Value = true, plainText(g.Value)
		inv.focused = &def
		return nil
	}
	switch def.Type {
	case api.OptionString:
		return inv.text(o, def, g.Value)
	case api.OptionInteger, api.OptionNumber:
		return inv.number(o, def, g.Value)
	case api.OptionBoolean:
		b, ok := g.Value.(bool)
		if !ok {
			return fmt.Errorf("%q must be true or false", def.Name)
		}
		o.Value = b
		return nil
	case api.OptionAttachment:
		o.Value = plainText(g.Value)
		return inv.s.addFile(&inv.named, plainText(g.Value), def.FileTypes)
	case api.OptionUser, api.OptionMentionable, api.OptionChannel, api.OptionRole:
		return inv.entity(o, def, g.Value)
	}
	return fmt.Errorf("the sandbox does not support options of the type of %q", def.Name)
}

func (inv *invocation) text(o *CommandOption, def api.ApplicationCommandOption, value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%q must be a text", def.Name)
	}
	o.Value = text
	if len(def.Choices) > 0 {
		if !slices.ContainsFunc(def.Choices, func(c api.Choice) bool { return c.Value == text }) {
			return fmt.Errorf("%q is not one of the choices of %q", text, def.Name)
		}
		return nil
	}
	least, most := valueOr(def.MinLength, 1), valueOr(def.MaxLength, 6000)
	if n := utf8.RuneCountInString(text); n < least || n > most {
		return fmt.Errorf("%q must have %d to %d characters", def.Name, least, most)
	}
	return nil
}

func (inv *invocation) number(o *CommandOption, def api.ApplicationCommandOption, value any) error {
	f, ok := asNumber(value)
	if !ok || def.Type == api.OptionInteger && (f != math.Trunc(f) || math.Abs(f) > payload.MaxInt53) {
		return fmt.Errorf("%q must be a number", def.Name)
	}
	if def.Type == api.OptionInteger {
		o.Value = int64(f)
	} else {
		o.Value = f
	}
	if len(def.Choices) > 0 {
		if !slices.ContainsFunc(def.Choices, func(c api.Choice) bool { v, ok := asNumber(c.Value); return ok && v == f }) {
			return fmt.Errorf("%v is not one of the choices of %q", o.Value, def.Name)
		}
		return nil
	}
	if def.MinValue != nil && f < *def.MinValue {
		return fmt.Errorf("%q must be at least %v", def.Name, *def.MinValue)
	}
	if def.MaxValue != nil && f > *def.MaxValue {
		return fmt.Errorf("%q must be at most %v", def.Name, *def.MaxValue)
	}
	return nil
}

// selectTypes are the select menus that offer the values of an option type.
var selectTypes = map[int]int{
	api.OptionUser: api.ComponentUserSelect, api.OptionRole: api.ComponentRoleSelect,
	api.OptionMentionable: api.ComponentMentionableSelect, api.OptionChannel: api.ComponentChannelSelect,
}

func (inv *invocation) entity(o *CommandOption, def api.ApplicationCommandOption, value any) error {
	id := plainText(value)
	o.Value = id
	if !inv.s.addEntity(&inv.named, inv.channel, selectTypes[def.Type], id, def.ChannelTypes) {
		return fmt.Errorf("%q is not a value of %q", id, def.Name)
	}
	return nil
}

// valueOr returns the value that p points to, or def if p is nil.
func valueOr[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

// plainText formats the value of an option as text; nil is "".
func plainText(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// asNumber converts the number types of JSON and Go.
func asNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}
