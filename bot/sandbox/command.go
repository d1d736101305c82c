package sandbox

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"castellan/bot/sandbox/api"
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
	s       *Sandbox
	channel *channelState
	partial bool // for autocomplete: required options may be missing
	named   entities
	focused *api.ApplicationCommandOption
}

// commandsFor lists the commands that a person may use in a channel, of one
// type or of any (0), the guild's before the global ones.
func (s *Sandbox) commandsFor(ch *channelState, userID string, kind int) []api.ApplicationCommand {
	out := []api.ApplicationCommand{}
	if ch == nil {
		return out
	}
	for _, ofGuild := range []bool{true, false} {
		for _, cmd := range s.commands {
			if (cmd.GuildID != "") == ofGuild && (kind == 0 || cmd.Type == kind) && s.mayUse(cmd, ch, userID) {
				out = append(out, *cmd)
			}
		}
	}
	return out
}

// mayUse applies the contexts and installs of a command and, in a guild,
// default_member_permissions.
func (s *Sandbox) mayUse(cmd *api.ApplicationCommand, ch *channelState, userID string) bool {
	if len(s.commandInstalls(cmd, ch, userID)) == 0 {
		return false
	}
	if cmd.DefaultMemberPermissions == nil || ch.Guild == nil {
		return true
	}
	has := s.permissionsOf(ch.Guild, userID)
	need, ok := api.ParsePermissions(string(*cmd.DefaultMemberPermissions))
	if has&api.PermissionAdministrator != 0 {
		return true
	}
	return ok && need != 0 && has&need == need // "0" is for administrators alone
}

func (s *Sandbox) commandsChanged() {
	s.commandVersion++
	for _, u := range s.o.World.Users {
		s.emit(u.ID, map[string]any{"type": "commands", "commands": s.commandSets(u.ID)})
	}
	s.wake()
}

// serveCommands sends all commands with their descriptions and choices in a
// language. The page asks once for each version and language.
func (s *Sandbox) serveCommands(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	all := []api.ApplicationCommand{}
	for _, c := range s.commands {
		all = append(all, c.In(r.URL.Query().Get("locale")))
	}
	s.mu.Unlock()
	pageJSON(w, http.StatusOK, all)
}

// commandSets returns which commands a person has, by ids: by guild, and by channel
// for direct messages.
func (s *Sandbox) commandSets(userID string) map[string]any {
	out := map[string]any{}
	shown := func(ch *channelState) []string {
		ids := []string{}
		for _, c := range s.commandsFor(ch, userID, 0) {
			ids = append(ids, c.ID)
		}
		return ids
	}
	for _, g := range s.guilds {
		if len(g.Channels) > 0 && s.isMember(g, userID) {
			out[g.ID] = shown(g.Channels[0])
		}
	}
	for _, ch := range s.directOf(userID) {
		out[ch.ID] = shown(ch)
	}
	return map[string]any{"version": s.commandVersion, "places": out}
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

func (s *Sandbox) commandInChannel(userID, channelID, name string, kind int) (*channelState, *api.ApplicationCommand, error) {
	ch := s.channels[channelID]
	if ch == nil {
		return nil, nil, fmt.Errorf("there is no channel %q", channelID)
	}
	switch {
	case len(s.installs(ch, userID)) == 0:
		return nil, nil, errNotInstalled
	case !s.may(channelID, userID, api.PermissionUseCommands):
		return nil, nil, errors.New("you may not use commands in this channel")
	case s.closedTo(ch, userID):
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

func (s *Sandbox) prepareCommand(userID, channelID, name string, options []CommandOption, partial bool) (*storedInteraction, map[string]any, error) {
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
	i := newInteraction(KindCommand, api.InteractionCommand, ch, fullName(name, given), owners(ch, userID, s.commandInstalls(def, ch, userID)))
	i.CommandType, i.Focused = api.CommandChatInput, inv.focused
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
		return inv.s.addFile(&inv.named, plainText(g.Value))
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
	if !ok || def.Type == api.OptionInteger && (f != math.Trunc(f) || math.Abs(f) > api.MaxInt53) {
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

func valueOr[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}

func plainText(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func asNumber(value any) (float64, bool) {
	if _, isText := value.(string); isText {
		return 0, false
	}
	f, err := strconv.ParseFloat(plainText(value), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}
