package interaction

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/storage"
)

// Request is an interaction as a handler reads it.
type Request struct {
	Interaction discord.Interaction
	Kind        Kind
	// Path is the custom ID, or the command with its subcommand and the option
	// that is being typed.
	Path   string
	Person storage.Person
	Place  storage.Place
	// Message is the ID of the message with the component, empty for a command.
	Message string
	// Ephemeral says that only the person sees that message.
	Ephemeral bool
	// Say speaks the person's language, Public that of the guild.
	Say, Public *catalogue.Printer
	// Locale and GuildLocale are those that Discord names; GuildLocale is empty
	// in direct messages.
	Locale, GuildLocale string
	// Values are the route's parameters.
	Values map[string]string
	// Picks are the values picked in a menu.
	Picks []string
	// Users are the users that the options name or that were picked in a menu, by ID.
	Users map[string]User
	// Files are the files that the options name, by ID.
	Files map[string]File
	// ShownFile is the address of the file that the message with the component
	// shows, empty without one.
	ShownFile string
	// Target is the ID of the user whose context menu the command came from.
	Target string
	// Permissions are the bot's permissions in the channel, 0 if unknown.
	Permissions int64
	// MemberPermissions are the person's permissions in the channel, 0 outside of
	// guilds.
	MemberPermissions int64
	// Roles are the person's roles in the guild.
	Roles []string
	// Organises says that the handler has found the person to be an organiser of the guild.
	Organises bool
	// NotMember says that the bot is not a member of the guild.
	NotMember bool
	// Direct says that the request comes from the person's direct messages
	// with the bot.
	Direct bool
	// View is the match that the path names, for routes with access Players.
	View *host.View
	// Several says that the person plays several matches in the channel, so that
	// answers have to name theirs.
	Several bool

	route       Route
	known       bool           // the path has a route
	flooded     error          // a *FloodError if the person or the channel has no budget left
	options     map[string]any // of a command, by name
	acknowledge chan struct{}
	created     time.Time // in the time of Config.Now
}

// User is a user whom an option names or who was picked in a menu.
type User struct {
	storage.Person
	Bot bool
	// Elsewhere reports that the user is not a member of the guild of the interaction.
	Elsewhere bool
}

// File is a file that a person has uploaded.
type File struct {
	Name, URL string
	Size      int // in bytes
}

// File returns the file that an option names; ok is false if it was not given.
func (r *Request) File(option string) (f File, ok bool) {
	f, ok = r.Files[r.Option(option)]
	return f, ok
}

// Actor returns the person and the interaction, for a use case.
func (r *Request) Actor() host.Actor {
	computer := func(l host.Level) storage.Person {
		return host.ComputerPlayer(l.Key, r.Public.T("computer.name", "Level", l.Number))
	}
	return host.Actor{Person: r.Person, Interaction: r.Interaction.ID, Place: r.Place, Computer: computer}
}

// Acknowledge has the interaction acknowledged now, before the handler is done.
// A handler calls it once the requested action is certain to count and the rest
// of the work may be slow. It does not block.
func (r *Request) Acknowledge() {
	select {
	case r.acknowledge <- struct{}{}:
	default: // acknowledged already, or not waited for (autocomplete, tests)
	}
}

// Salt returns a few characters that differ from interaction to interaction.
func (r *Request) Salt() string {
	const length = 6
	id := r.Interaction.ID
	return id[max(0, len(id)-length):]
}

// ErrBadCustomID reports a custom ID that the bot did not make.
var ErrBadCustomID = errors.New("this bot made no such custom ID")

// parse reads an interaction. It fails if the bot does not answer this kind of
// interaction.
func (s *Server) parse(i *discordgo.Interaction) (*Request, error) {
	r := &Request{
		Interaction: discord.Interaction{ID: i.ID, ApplicationID: i.AppID, Token: i.Token},
		Place:       storage.Place{Guild: i.GuildID, Channel: i.ChannelID},
		Locale:      string(i.Locale),
		options:     map[string]any{},
		Users:       map[string]User{},
		Permissions: i.AppPermissions,
	}
	if i.GuildLocale != nil {
		r.GuildLocale = string(*i.GuildLocale)
	}
	r.Say, r.Public = s.config.Catalogue.Printer(r.Locale), s.config.Catalogue.Printer(cmp.Or(r.GuildLocale, r.Locale))
	// "authorizing_integration_owners" has a key 0 if the guild has installed
	// the application, with the bot's user or without it: https://docs.discord.com/developers/interactions/receiving-and-responding
	_, installed := i.AuthorizingIntegrationOwners[discordgo.ApplicationIntegrationGuildInstall]
	r.NotMember = i.GuildID != "" && (len(i.AuthorizingIntegrationOwners) > 0 && !installed || !s.config.IsMember(i.GuildID))
	r.Direct = i.GuildID == "" && i.Context == discordgo.InteractionContextBotDM
	switch {
	case i.Member != nil && i.Member.User != nil:
		r.Person, r.MemberPermissions = personOf(i.Member.User, i.Member.Nick), i.Member.Permissions
		r.Roles = i.Member.Roles
	case i.User != nil:
		r.Person = personOf(i.User, "")
	default:
		return nil, errors.New("the interaction has neither a member nor a user")
	}
	switch data := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		r.Kind = Command
		if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
			r.Kind = Autocomplete
		}
		r.parseCommand(data)
	case discordgo.MessageComponentInteractionData:
		r.Kind, r.Path, r.Picks = Component, data.CustomID, data.Values
		r.addUsers(data.Resolved.Users, data.Resolved.Members)
		if i.Message != nil {
			r.Message, r.ShownFile = i.Message.ID, shownFile(i.Message.Components)
			r.Ephemeral = i.Message.Flags&discordgo.MessageFlagsEphemeral != 0
		}
	default:
		return nil, fmt.Errorf("an interaction of type %d, which the bot does not answer", i.Type)
	}
	return r, nil
}

// parseCommand sets the path and the options of a command: "challenge/<game>"
// for a subcommand, "user/challenge" for a user's context menu, "move/turn" for
// an option that is being typed.
func (r *Request) parseCommand(data discordgo.ApplicationCommandInteractionData) {
	r.Path, r.Target = data.Name, data.TargetID
	if data.CommandType == discordgo.UserApplicationCommand {
		r.Path = "user/" + strings.ToLower(data.Name)
	}
	options := data.Options
	for len(options) == 1 && options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		r.Path += "/" + options[0].Name
		options = options[0].Options
	}
	for _, o := range options {
		r.options[o.Name] = o.Value
		if o.Focused && r.Kind == Autocomplete {
			r.Path += "/" + o.Name
		}
	}
	if data.Resolved == nil {
		return
	}
	r.Files = map[string]File{}
	for id, f := range data.Resolved.Attachments {
		r.Files[id] = File{Name: f.Filename, URL: f.URL, Size: f.Size}
	}
	r.addUsers(data.Resolved.Users, data.Resolved.Members)
}

func (r *Request) addUsers(users map[string]*discordgo.User, members map[string]*discordgo.Member) {
	for id, u := range users {
		nick, m := "", members[id]
		if m != nil {
			nick = m.Nick
		}
		r.Users[id] = User{Person: storage.Person{ID: id, Name: personOf(u, nick).Name}, Bot: u.Bot, Elsewhere: m == nil && r.Place.Guild != ""}
	}
}

func shownFile(all []discordgo.MessageComponent) string {
	for _, c := range all {
		switch c := c.(type) {
		case *discordgo.FileComponent:
			return c.File.URL
		case *discordgo.Container:
			if address := shownFile(c.Components); address != "" {
				return address
			}
		}
	}
	return ""
}

func personOf(u *discordgo.User, nick string) storage.Person {
	return storage.Person{ID: u.ID, Name: discord.DisplayName(u, nick)}
}

// MessageAge returns how old a component's message was when the component was
// pressed, from the times within the IDs of message and interaction. ok is false
// if either ID contains no time.
func (r *Request) MessageAge() (age time.Duration, ok bool) {
	posted, err := discordgo.SnowflakeTimestamp(r.Message)
	if err != nil {
		return 0, false
	}
	pressed, err := discordgo.SnowflakeTimestamp(r.Interaction.ID)
	return pressed.Sub(posted), err == nil
}

// Option returns an option of the command as text, empty if it was not given.
func (r *Request) Option(name string) string {
	switch v := r.options[name].(type) {
	case string:
		return v
	case float64: // a number in JSON
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Number returns a parameter of the path that is a number, see numeric.
func (r *Request) Number(name string) int {
	n, _ := strconv.Atoi(r.Values[name]) // the router has checked it
	return n
}

// Match returns the number of the match that an option or the path names.
// given is false if neither does.
func (r *Request) Match() (id storage.MatchID, given bool, err error) {
	s := cmp.Or(r.Values["match"], r.Option("match"))
	if s == "" {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return 0, true, host.ErrNoMatch
	}
	return storage.MatchID(n), true, nil
}

// MatchAndSeq returns the match and the sequence number in the path of a
// component: the number of entries that the match had when it was shown.
func (r *Request) MatchAndSeq() (id storage.MatchID, seq int) {
	return storage.MatchID(r.Number("match")), r.Number("seq")
}
