package message

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Commands builds the slash commands from the bot's texts and the games' own options.
type Commands struct {
	Games     *engine.Registry
	Texts     *catalogue.Catalogue
	Levels    func(game string) []host.Level // of the computer, see host.LevelChoices
	NoThreads bool                           // matches are played in no thread unless that is chosen
}

// Contexts in which a command can be used: in guilds, in direct messages with
// the bot, and in private channels of people who have installed the bot for
// themselves. People can move from Anywhere in a match that is played in a
// guild. /challenge says so where no match can be started.
var (
	inGuilds = []int{0}
	Anywhere = []int{0, 1, 2}
)

// maxTurnLength is the maximum number of characters of a typed turn. No legal
// turn is as long.
const maxTurnLength = 200

// All returns every command in English, with its texts in the languages of
// the catalogue. Names of commands and options are the same in every language,
// because people type them, and messages name them.
func (c Commands) All() []discord.Command {
	return c.localized(c.commandsIn(c.Texts.Printer()), c.commandsIn)
}

// localized adds to commands in English their texts in the languages of the catalogue.
func (c Commands) localized(all []discord.Command, in func(*catalogue.Printer) []discord.Command) []discord.Command {
	english, translated := c.Texts.Printer(), map[string][]discord.Command{}
	for _, locale := range discord.Locales {
		say := c.Texts.Printer(locale)
		if say.Language() == english.Language() {
			continue
		}
		if translated[say.Language()] == nil {
			translated[say.Language()] = in(say)
		}
		discord.LocalizeCommands(locale, all, translated[say.Language()])
	}
	return all
}

// commandsIn returns every command with its texts in one language, built from the
// games' own options.
func (c Commands) commandsIn(say *catalogue.Printer) []discord.Command {
	match := discord.Option{
		Type: discord.OptionInteger, Name: "match", Description: say.T("command.match"),
		Autocomplete: true, MinValue: new(0), // 0 is the value of the line that says that there is none
	}
	simple := func(name string, options ...discord.Option) discord.Command {
		return discord.Command{Name: name, Description: say.T("command." + name), Contexts: Anywhere, Options: options}
	}
	challenge := simple("challenge")
	for _, g := range c.Games.Games() {
		challenge.Options = append(challenge.Options, c.challengeCommand(say, g))
	}
	zoom := discord.Option{Type: discord.OptionInteger, Name: "zoom", Description: say.T("command.board.zoom")}
	for part := 1; part <= ZoomParts; part++ {
		zoom.Choices = append(zoom.Choices, discord.Choice{Name: say.T("command.board.zoom." + strconv.Itoa(part)), Value: part})
	}
	leaderboard := simple("leaderboard",
		c.gameOption(say, "command.leaderboard.game"),
		keyedOption(say, "scope", "command.leaderboard.scope", ScopeServer, ScopeEverywhere),
		keyedOption(say, "list", "command.leaderboard.list", string(storage.PeopleList), string(storage.ComputerList)))
	profile := simple("profile", discord.Option{Type: discord.OptionUser, Name: "user", Description: say.T("command.profile.user")})
	manage := simple("settings")
	organise := simple("organise", discord.Option{Type: discord.OptionInteger, Name: "match", Description: say.T("command.organise.match"), MinValue: new(1)})
	leaderboard.Contexts, profile.Contexts, manage.Contexts, organise.Contexts = inGuilds, inGuilds, inGuilds, inGuilds
	manage.MemberPermissions = json.Number(strconv.FormatInt(discord.PermissionManageGuild, 10))
	return []discord.Command{
		challenge,
		simple("move",
			discord.Option{Type: discord.OptionString, Name: "turn", Description: say.T("command.move.turn"), Required: true, Autocomplete: true, MaxLength: maxTurnLength},
			match),
		simple("prepare",
			discord.Option{Type: discord.OptionString, Name: "if", Description: say.T("command.prepare.if"), Autocomplete: true, MaxLength: 5 * maxTurnLength},
			discord.Option{Type: discord.OptionString, Name: "then", Description: say.T("command.prepare.then"), Autocomplete: true, MaxLength: maxTurnLength},
			match),
		simple("hint", match),
		simple("undo", match),
		simple("end", match),
		simple("preferences"),
		simple("privacy"),
		simple("block", discord.Option{Type: discord.OptionUser, Name: "user", Description: say.T("command.block.user")}),
		simple("board", match, discord.Option{Type: discord.OptionBoolean, Name: "text", Description: say.T("command.board.text")}, zoom,
			discord.Option{Type: discord.OptionInteger, Name: "turn", Description: say.T("command.board.turn"), MinValue: new(0)}),
		simple("replay", match),
		simple("record", match, discord.Option{Type: discord.OptionAttachment, Name: "file", Description: say.T("command.record.file")}),
		simple("resign", match),
		simple("claim", match),
		simple("draw", match),
		simple("time", match),
		simple("abort", match),
		simple("rematch", discord.Option{Type: discord.OptionInteger, Name: "match", Description: say.T("command.rematch.match"), Autocomplete: true, MinValue: new(0)}),
		{Type: discord.CommandUser, Name: say.T("command.user.challenge"), Contexts: Anywhere},
		simple("help"),
		simple("rules", c.gameOption(say, "command.rules.game")),
		c.tournamentCommand(say),
		simple("games", keyedOption(say, "list", "command.games.list", GameLists()...)),
		leaderboard,
		profile,
		manage,
		organise,
	}
}

func (c Commands) gameOption(say *catalogue.Printer, key string) discord.Option {
	o := discord.Option{Type: discord.OptionString, Name: "game", Description: say.T(key)}
	for _, g := range c.Games.Games() {
		o.Choices = append(o.Choices, discord.Choice{Name: gameName(say, g), Value: g.Key()})
	}
	return o
}

func keyedOption(say *catalogue.Printer, name, key string, values ...string) discord.Option {
	o := discord.Option{Type: discord.OptionString, Name: name, Description: say.T(key)}
	for _, v := range values {
		o.Choices = append(o.Choices, discord.Choice{Name: say.T(key + "." + v), Value: v})
	}
	return o
}

func (c Commands) challengeCommand(say *catalogue.Printer, g engine.Game) discord.Option {
	sub := discord.Option{
		Type: discord.OptionSubcommand, Name: g.Key(), Description: discord.Truncate(say.Text(g.Texts().Phrase(g.Key()+".tagline")), discord.MaxCommandDescription),
	}
	_, most := g.Seats()
	if most > 2 {
		sub.Options = seatOptions(say, g)
	} else {
		sub.Options = []discord.Option{{Type: discord.OptionUser, Name: "opponent", Description: say.T("command.challenge.opponent")}}
	}
	if level := c.levelOption(say, g); len(level.Choices) > 0 {
		sub.Options = append(sub.Options, level)
	}
	for _, o := range g.Options() {
		sub.Options = append(sub.Options, GameOption(o, optionDescription(say, g, o)))
	}
	if most == 2 { // with more players, the order of play is drawn
		sub.Options = append(sub.Options, keyedOption(say, "first", "command.challenge.first", host.FirstChoices()...))
	}
	thread := "command.challenge.thread"
	if c.NoThreads {
		thread = "command.challenge.nothread"
	}
	clock := discord.Option{Type: discord.OptionString, Name: "clock", Description: say.T("command.challenge.clock")}
	for _, c := range host.ClockChoices() {
		clock.Choices = append(clock.Choices, discord.Choice{Name: clockChoice(say, c), Value: cmp.Or(c, NoClock)})
	}
	return withOptions(sub, clock,
		discord.Option{Type: discord.OptionBoolean, Name: "rated", Description: say.T("command.challenge.rated")},
		discord.Option{Type: discord.OptionBoolean, Name: "thread", Description: say.T(thread)})
}

func withOptions(o discord.Option, options ...discord.Option) discord.Option {
	o.Options = append(o.Options, options...)
	return o
}

// levelOption returns the option that chooses a computer's level. It has no
// choices if the computer does not play the game.
func (c Commands) levelOption(say *catalogue.Printer, g engine.Game) discord.Option {
	o := discord.Option{Type: discord.OptionString, Name: "level", Description: say.T("command.challenge.level")}
	for _, level := range c.Levels(g.Key()) {
		o.Choices = append(o.Choices, discord.Choice{Name: levelChoice(say, level), Value: level.Key})
	}
	return o
}

// seatOptions returns the options of a game for three or more: the number of
// players, and the people for whom seats are kept.
func seatOptions(say *catalogue.Printer, g engine.Game) []discord.Option {
	least, most := g.Seats()
	players := discord.Option{Type: discord.OptionInteger, Name: "players", Description: say.T("command.challenge.players", "Most", most)}
	for n := least; n <= most; n++ {
		players.Choices = append(players.Choices, discord.Choice{Name: fmt.Sprint(n), Value: n})
	}
	all := []discord.Option{players}
	for i, name := range OpponentOptions(g) {
		key := "command.challenge.seat"
		if i > 0 {
			key = "command.challenge.more"
		}
		all = append(all, discord.Option{Type: discord.OptionUser, Name: name, Description: say.T(key)})
	}
	return all
}

// optionDescription returns the help text of a game's option, or its label if
// there is no help text or it is too long for Discord.
func optionDescription(say *catalogue.Printer, g engine.Game, o engine.Option) string {
	key := g.Key() + ".option." + o.Key
	if text, ok := g.Texts()[key+".help"]; ok {
		help := say.Text(engine.Phrase{ID: key + ".help", Text: text})
		for _, s := range []string{withDefault(say, o, help), help} {
			if len([]rune(s)) <= discord.MaxCommandDescription {
				return s
			}
		}
	}
	return discord.Truncate(say.Text(g.Texts().Phrase(key)), discord.MaxCommandDescription)
}

// withDefault returns the help text of a game's option with what applies if it is left
// empty.
func withDefault(say *catalogue.Printer, o engine.Option, help string) string {
	switch {
	case o.Kind == engine.Set:
		return help
	case o.First != "":
		return say.T("command.challenge.option.first", "Help", help, "Value", o.Default, "First", o.First)
	}
	return say.T("command.challenge.option", "Help", help, "Value", o.Default)
}

// GameOption returns a game's option as an option of a command. If there are at
// most discord.MaxChoices values, they become choices, so that people cannot type
// others.
func GameOption(o engine.Option, description string) discord.Option {
	w := discord.Option{Name: o.Key, Description: description}
	switch o.Kind {
	case engine.Int:
		w.Type = discord.OptionInteger
		values := o.Ints()
		if len(values) > discord.MaxChoices {
			w.MinValue, w.MaxValue = new(o.Min), new(o.Max)
			break
		}
		for _, n := range values {
			w.Choices = append(w.Choices, discord.Choice{Name: strconv.Itoa(n), Value: n})
		}
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

// OpponentOptions returns the names of the options that name opponents:
// "opponent", "opponent2" and so on.
func OpponentOptions(g engine.Game) []string {
	_, most := g.Seats()
	names := []string{"opponent"}
	for n := 2; n < most; n++ {
		names = append(names, fmt.Sprintf("opponent%d", n))
	}
	return slices.Clip(names)
}
