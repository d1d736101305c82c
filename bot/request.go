package bot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Request is an interaction as a handler reads it.
type Request struct {
	Interaction discord.Interaction
	Person      storage.Person
	Place       storage.Place
	// Message is the message that was clicked, empty for a command.
	Message string
	// Say speaks the person's language.
	Say *catalogue.Printer

	kind    kind
	path    string
	values  map[string]string // of the route's parts in braces
	picks   []string          // what was picked in a menu
	options map[string]any    // of a command, by name
	people  map[string]person // that options name, by identifier
	target  string            // whose context menu a command was chosen from
	may     int64             // the bot's permissions in the channel, 0 where not told
	guest   bool              // in a server of which the bot is no member
	direct  bool              // in the bot's direct messages with the person
}

// person is somebody whom an option names.
type person struct {
	storage.Person
	bot bool
}

// Cause is who asks, for the host.
func (r *Request) Cause() host.Cause {
	return host.Cause{Person: r.Person, Interaction: r.Interaction.ID}
}

// errBadPath says that a custom id is none of ours.
var errBadPath = errors.New("a custom id that is none of ours")

// maxPath is the longest custom id that Discord passes on.
const maxPath = 100

// read takes an interaction apart. It fails where the interaction is of no
// kind that the bot answers.
func (b *Bot) read(i *discordgo.Interaction) (*Request, error) {
	r := &Request{
		Interaction: discord.Interaction{ID: i.ID, ApplicationID: i.AppID, Token: i.Token},
		Place:       storage.Place{Guild: i.GuildID, Channel: i.ChannelID},
		Say:         b.texts.Printer(string(i.Locale)),
		options:     map[string]any{},
		people:      map[string]person{},
		may:         i.AppPermissions,
	}
	// "authorizing_integration_owners" has a 0 where the server has installed
	// the bot: https://docs.discord.com/developers/interactions/receiving-and-responding
	_, member := i.AuthorizingIntegrationOwners[discordgo.ApplicationIntegrationGuildInstall]
	r.guest = len(i.AuthorizingIntegrationOwners) > 0 && !member && i.GuildID != ""
	r.direct = i.GuildID == "" && i.Context == discordgo.InteractionContextBotDM
	switch {
	case i.Member != nil && i.Member.User != nil:
		r.Person = storage.Person{ID: i.Member.User.ID, Name: nameOf(i.Member.User, i.Member.Nick)}
	case i.User != nil:
		r.Person = storage.Person{ID: i.User.ID, Name: nameOf(i.User, "")}
	default:
		return nil, errors.New("an interaction of nobody")
	}
	switch data := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		r.kind = onCommand
		if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
			r.kind = onSuggest
		}
		r.readCommand(data)
	case discordgo.MessageComponentInteractionData:
		r.kind, r.path, r.picks = onClick, data.CustomID, data.Values
		if i.Message != nil {
			r.Message = i.Message.ID
		}
	default:
		return nil, fmt.Errorf("an interaction of type %d, which the bot does not answer", i.Type)
	}
	return r, nil
}

// readCommand makes the path of a command, "challenge/<game>", of one of a
// person's context menu, "user/challenge", or of the option that wants
// suggestions, "move/turn", and collects the options.
func (r *Request) readCommand(data discordgo.ApplicationCommandInteractionData) {
	r.path, r.target = data.Name, data.TargetID
	if data.CommandType == discordgo.UserApplicationCommand {
		r.path = "user/" + strings.ToLower(data.Name)
	}
	options := data.Options
	for len(options) == 1 && options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		r.path += "/" + options[0].Name
		options = options[0].Options
	}
	for _, o := range options {
		r.options[o.Name] = o.Value
		if o.Focused && r.kind == onSuggest {
			r.path += "/" + o.Name
		}
	}
	if data.Resolved == nil {
		return
	}
	for id, u := range data.Resolved.Users {
		nick := ""
		if m := data.Resolved.Members[id]; m != nil {
			nick = m.Nick
		}
		r.people[id] = person{Person: storage.Person{ID: id, Name: nameOf(u, nick)}, bot: u.Bot}
	}
}

// text is an option as text, empty where it was not given. Numbers come as
// JSON's.
func (r *Request) text(name string) string {
	switch v := r.options[name].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// match is the number of a match, in an option or a custom id.
func (r *Request) match() (id storage.MatchID, given bool, err error) {
	s := r.values["match"]
	if s == "" {
		s = r.text("match")
	}
	if s == "" {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return 0, true, errBadPath
	}
	return storage.MatchID(n), true, nil
}

// moment is the match of a custom id and how far it had come.
func (r *Request) moment() (id storage.MatchID, seq int, err error) {
	if id, _, err = r.match(); err != nil {
		return 0, 0, err
	}
	if seq, err = strconv.Atoi(r.values["seq"]); err != nil || seq < 0 {
		return 0, 0, errBadPath
	}
	return id, seq, nil
}

// challenge is the number of a challenge in a custom id.
func (r *Request) challenge() (storage.ChallengeID, error) {
	n, err := strconv.ParseInt(r.values["challenge"], 10, 64)
	if err != nil || n <= 0 {
		return 0, errBadPath
	}
	return storage.ChallengeID(n), nil
}

// The custom ids of the buttons. They are routes with their values filled in.

func actID(match storage.MatchID, seq int, a engine.Action) string {
	return fmt.Sprintf("match/%d/%d/act/%s", match, seq, a)
}

func matchID(match storage.MatchID, seq int, verb string) string {
	return fmt.Sprintf("match/%d/%d/%s", match, seq, verb)
}

func challengeID(challenge storage.ChallengeID, verb string) string {
	return fmt.Sprintf("challenge/%d/%s", challenge, verb)
}
