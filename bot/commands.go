package bot

import (
	"strconv"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
)

// Where commands can be used: in servers, in direct messages with the bot, and
// in private channels of people who have installed it for themselves. A match
// that is played in a server can be moved in from anywhere; where none can be
// started, /challenge says so.
var (
	inServers = []int{0}
	anywhere  = []int{0, 1, 2}
)

// Limits of Discord on what a command offers.
const (
	maxChoices     = 25
	maxDescription = 100
	maxValue       = 100 // characters of the value of a choice
	maxTurnLength  = 200 // our own: longer than any written turn
)

// commands is every command, from the games' own schemas.
func (b *Bot) commands() []discord.Command {
	say := b.texts.Printer()
	match := discord.Option{
		Type: discord.OptionInteger, Name: "match", Description: say.T("command.match"),
		Autocomplete: true, MinValue: ref(1),
	}
	challenge := discord.Command{Name: "challenge", Description: say.T("command.challenge"), Contexts: anywhere}
	for _, g := range b.games.Games() {
		challenge.Options = append(challenge.Options, b.challengeCommand(g))
	}
	return []discord.Command{
		challenge,
		{
			Name: "move", Description: say.T("command.move"), Contexts: anywhere,
			Options: []discord.Option{
				{Type: discord.OptionString, Name: "turn", Description: say.T("command.move.turn"), Required: true, Autocomplete: true, MaxLength: maxTurnLength},
				match,
			},
		},
		{Name: "hint", Description: say.T("command.hint"), Contexts: anywhere, Options: []discord.Option{match}},
		{Name: "undo", Description: say.T("command.undo"), Contexts: anywhere, Options: []discord.Option{match}},
		{Name: "end", Description: say.T("command.end"), Contexts: anywhere, Options: []discord.Option{match}},
		{Name: "preferences", Description: say.T("command.preferences"), Contexts: anywhere},
		{
			Name: "board", Description: say.T("command.board"), Contexts: anywhere,
			Options: []discord.Option{
				match,
				{Type: discord.OptionBoolean, Name: "text", Description: say.T("command.board.text")},
				{Type: discord.OptionInteger, Name: "zoom", Description: say.T("command.board.zoom"), Choices: []discord.Choice{
					{Name: say.T("command.board.zoom.1"), Value: 1}, {Name: say.T("command.board.zoom.2"), Value: 2},
					{Name: say.T("command.board.zoom.3"), Value: 3}, {Name: say.T("command.board.zoom.4"), Value: 4},
				}},
			},
		},
		{Name: "resign", Description: say.T("command.resign"), Contexts: anywhere, Options: []discord.Option{match}},
		{Name: "claim", Description: say.T("command.claim"), Contexts: anywhere, Options: []discord.Option{match}},
		{Name: "rematch", Description: say.T("command.rematch"), Contexts: anywhere, Options: []discord.Option{
			{Type: discord.OptionInteger, Name: "match", Description: say.T("command.rematch.match"), MinValue: ref(1)},
		}},
		{Type: discord.CommandUser, Name: say.T("command.user.challenge"), Contexts: anywhere},
		{Name: "help", Description: say.T("command.help"), Contexts: anywhere},
		b.rulesCommand(),
		b.gamesCommand(),
		b.leadersCommand(),
		{
			Name: "profile", Description: say.T("command.profile"), Contexts: inServers,
			Options: []discord.Option{{Type: discord.OptionUser, Name: "user", Description: say.T("command.profile.user")}},
		},
	}
}

// challengeCommand is the subcommand of a game.
func (b *Bot) challengeCommand(g engine.Game) discord.Option {
	say := b.texts.Printer()
	sub := discord.Option{
		Type: discord.OptionSubcommand, Name: g.Key(), Description: short(say.Say(g.Texts().Phrase(g.Key() + ".tagline"))),
	}
	if takesMany(g) {
		sub.Options = seatOptions(say, g)
	} else {
		sub.Options = []discord.Option{{Type: discord.OptionUser, Name: "opponent", Description: say.T("command.challenge.opponent")}}
	}
	if level, ok := b.levelOption(say, g); ok {
		sub.Options = append(sub.Options, level)
	}
	for _, o := range g.Options() {
		sub.Options = append(sub.Options, option(o, optionHelp(say, g, o)))
	}
	rated := discord.Option{Type: discord.OptionBoolean, Name: "rated", Description: say.T("command.challenge.rated")}
	thread := discord.Option{Type: discord.OptionBoolean, Name: "thread", Description: say.T("command.challenge.thread")}
	if b.config.NoThreads {
		thread.Description = say.T("command.challenge.nothread")
	}
	if takesMany(g) { // whose order of play is drawn by lot
		sub.Options = append(sub.Options, rated, thread)
		return sub
	}
	first := discord.Option{Type: discord.OptionString, Name: "first", Description: say.T("command.challenge.first")}
	for _, f := range host.Firsts() {
		first.Choices = append(first.Choices, discord.Choice{Name: say.T("command.challenge.first." + f), Value: f})
	}
	sub.Options = append(sub.Options, first, rated, thread)
	return sub
}

// optionHelp is what stands beside an option: its help where there is one that
// is short enough, its label elsewhere.
func optionHelp(say *catalogue.Printer, g engine.Game, o engine.Option) string {
	key := g.Key() + ".option." + o.Key
	if text, ok := g.Texts()[key+".help"]; ok {
		if help := say.Say(engine.Phrase{ID: key + ".help", Text: text}); len([]rune(help)) <= maxDescription {
			return help
		}
	}
	return short(say.Say(g.Texts().Phrase(key)))
}

// option is a game's option as Discord asks for it. Values that are few become
// choices, so that nobody types one that is not offered.
func option(o engine.Option, description string) discord.Option {
	w := discord.Option{Name: o.Key, Description: description}
	switch o.Kind {
	case engine.Int:
		w.Type = discord.OptionInteger
		if values := o.Ints(); len(values) <= maxChoices {
			for _, n := range values {
				w.Choices = append(w.Choices, discord.Choice{Name: strconv.Itoa(n), Value: n})
			}
			break
		}
		w.MinValue, w.MaxValue = ref(o.Least), ref(o.Most)
	case engine.Bool:
		w.Type = discord.OptionBoolean
	case engine.Choice:
		w.Type = discord.OptionString
		for _, c := range o.Choices {
			w.Choices = append(w.Choices, discord.Choice{Name: c, Value: c})
		}
	case engine.Set:
		w.Type, w.Autocomplete, w.MaxLength = discord.OptionString, true, maxTurnLength
	}
	return w
}

func short(s string) string {
	if r := []rune(s); len(r) > maxDescription {
		return string(r[:maxDescription-1]) + "…"
	}
	return s
}

func ref(n int) *int { return &n }
