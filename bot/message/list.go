package message

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// The lists of /games.
const (
	ListMine     = "mine"
	ListChannel  = "channel"
	ListFinished = "finished"
)

// GameLists returns the lists of /games, the default first.
func GameLists() []string { return []string{ListMine, ListChannel, ListFinished} }

// MaxListed is the number of matches that a message lists outside /games. A line
// for each fits even with six players with the longest names.
const MaxListed = 8

// MatchLine returns a match in a line without markdown: number, game, opponents
// and whose turn it is.
func MatchLine(say *catalogue.Printer, v *host.View, person string) string {
	key := "match.waiting"
	if p, ok := v.ToMove(); ok && p.ID == person {
		key = "match.yours"
	}
	return matchLine(say, key, v.Game, v.Levels(), v.Record, person)
}

// EndedLine returns a match that has ended in a line without markdown: number,
// game, opponents and the person's result.
func EndedLine(say *catalogue.Printer, g engine.Game, levels []host.Level, m storage.Match, person string) string {
	return matchLine(say, "match.ended", g, levels, m, person, "Result", resultName(say, m, person))
}

func matchLine(say *catalogue.Printer, key string, g engine.Game, levels []host.Level, m storage.Match, person string, args ...any) string {
	var others []string
	for _, p := range m.Seats {
		if p.ID != person {
			others = append(others, shortName(say, levels, p))
		}
	}
	return say.T(key, append(args, "Match", int64(m.ID), "Game", gameName(say, g), "Others", say.List(others...))...)
}

func resultName(say *catalogue.Printer, m storage.Match, person string) string {
	for i, r := range m.Results {
		if m.Seats[i].ID == person {
			return say.T("result." + string(r.Result))
		}
	}
	return say.T("result.off")
}

// MatchLines returns matches in a line each.
func MatchLines(say *catalogue.Printer, views []*host.View, person string) string {
	return bulletList(views, func(v *host.View) string { return discord.Escape(MatchLine(say, v, person)) })
}

// ownMatchLines returns a person's matches as /games lists them.
func ownMatchLines(say *catalogue.Printer, views []*host.View, person string) string {
	return bulletList(views, func(v *host.View) string { return strings.TrimSpace(ownLine(say, v, person)) })
}

// Daily returns the direct message that lists the matches that wait for a person.
func Daily(say *catalogue.Printer, views []*host.View, person string) discord.Message {
	return discord.TextMessage(say.T("daily.message", "Matches", ownMatchLines(say, views, person)))
}

func bulletList(views []*host.View, line func(*host.View) string) string {
	var lines []string
	for _, v := range views[:min(len(views), MaxListed)] {
		lines = append(lines, "- "+line(v))
	}
	if len(views) > MaxListed {
		lines = append(lines, "- …")
	}
	return strings.Join(lines, "\n")
}

// GamesData is what the message of /games shows.
type GamesData struct {
	browse.Page
	Person string // who asks
	List   string
	Game   func(key string) (engine.Game, bool)
}

// Games returns a page of a list of matches, with buttons for the other pages
// and lists, and the person's own open challenges.
func Games(say *catalogue.Printer, p GamesData) discord.Message {
	person, list := p.Person, p.List
	line := map[string]func(*catalogue.Printer, *host.View, string) string{
		ListMine: ownLine, ListChannel: channelLine, ListFinished: finishedLine,
	}[list]
	lines := []string{say.T("games.title." + list)}
	for _, v := range p.Matches {
		lines = append(lines, line(say, v, person))
	}
	if p.Total == 0 {
		lines = append(lines, say.T("games.none."+list))
	}
	if p.Pages > 1 {
		lines = append(lines, "-# "+say.T("leaders.page", "Page", p.Page.Page, "Pages", p.Pages))
	}
	id := func(verb, list string, page int) string { return fmt.Sprintf("games/%s/%s/%d", verb, list, page) }
	parts := []discord.Component{discord.TextDisplay{Content: strings.Join(lines, "\n")}}
	if row := pageButtons(say, p.Page.Page, p.Pages, func(page int) string { return id("page", list, page) }); len(row.Buttons) > 0 {
		parts = append(parts, row)
	}
	parts = append(parts, openChallenges(say, p)...)
	var row discord.ActionRow
	for _, l := range GameLists() {
		row.Buttons = append(row.Buttons, choiceButton(say.T("games.list."+l), id("list", l, 1), l == list))
	}
	return containerMessage(append(parts, row)...)
}

// maxOpenListed is the number of open challenges that /games lists.
const maxOpenListed = 5

// openChallenges lists a person's own open challenges, each with a button.
func openChallenges(say *catalogue.Printer, d GamesData) (parts []discord.Component) {
	var lines []string
	var buttons []discord.Button
	for i, ch := range d.Open[:min(len(d.Open), maxOpenListed)] {
		game := ch.Game
		if g, ok := d.Game(ch.Game); ok {
			game = gameName(say, g)
		}
		with := say.T("games.open.anyone")
		if others := slices.Concat(ch.Invited, without(ch.Joined, d.Person)); len(others) > 0 {
			with = joinNames(say, others[:1])
			if len(others) > 1 {
				with += " …"
			}
		}
		line := fmt.Sprintf("%d. ", i+1) + say.T("games.open", "Game", game, "Who", with)
		if !ch.ExpiresAt.IsZero() {
			line += " · " + say.T("challenge.until", "Ago", discord.RelativeTime(ch.ExpiresAt))
		}
		if ch.Message != "" {
			line += " · " + discord.MessageLink(say.T("challenge.link"), ch.Place.Guild, ch.Place.Channel, ch.Message)
		}
		lines = append(lines, line)
		label := say.T("games.withdraw")
		if len(d.Open) > 1 {
			label += fmt.Sprintf(" %d", i+1)
		}
		buttons = append(buttons, discord.Button{Style: discord.Secondary, Label: label, CustomID: challengeID(ch.ID, "withdraw")})
	}
	if len(lines) == 0 {
		return nil
	}
	text := discord.TextDisplay{Content: say.T("games.opened") + "\n" + strings.Join(lines, "\n")}
	return append([]discord.Component{text}, discord.ButtonRows(buttons)...)
}

// without returns the players except a person.
func without(players []storage.Person, person string) []storage.Person {
	return slices.DeleteFunc(slices.Clone(players), func(p storage.Person) bool { return p.ID == person })
}

func ownLine(say *catalogue.Printer, v *host.View, person string) string {
	key := "games.theirs"
	if p, ok := v.ToMove(); ok && p.ID == person {
		key = "games.yours"
	}
	return say.T(key, lineArgs(say, v, person)...)
}

func channelLine(say *catalogue.Printer, v *host.View, person string) string {
	return say.T("games.watched", lineArgs(say, v, person)...)
}

func finishedLine(say *catalogue.Printer, v *host.View, person string) string {
	args := lineArgs(say, v, person)
	args = append(args, "Result", resultName(say, v.Record, person))
	for _, c := range v.RatingChanges {
		if c.Seat == int(v.SeatOf(person)) {
			return say.T("games.over.rated", append(args, "Change", changeText(say, c))...)
		}
	}
	return say.T("games.over", args...)
}

// lineArgs returns the arguments of a line about a match, as one person sees it.
func lineArgs(say *catalogue.Printer, v *host.View, person string) []any {
	var people, others []string
	for i, p := range v.Record.Seats {
		named := mark(v, engine.Seat(i+1)) + " " + listedName(say, v.Levels(), p)
		people = append(people, named)
		if p.ID != person {
			others = append(others, named)
		}
	}
	link := ""
	if b := v.Board; b.Message != "" {
		link = "· " + discord.MessageLink(say.T("games.board"), b.Place.Guild, b.Place.Channel, b.Message)
	}
	args := []any{
		"Match", say.T("board.match", "Match", int64(v.Record.ID)), "Game", gameName(say, v.Game),
		"People", say.List(people...), "Others", say.List(others...),
		"Since", since(say, v), "Link", link,
	}
	if p, ok := v.ToMove(); ok {
		args = append(args, "Mark", mark(v, v.Match.Seat()), "Who", listedName(say, v.Levels(), p))
	}
	return args
}

// shortName returns the name of a player without markup.
func shortName(say *catalogue.Printer, levels []host.Level, p storage.Person) string {
	if host.IsComputer(p) {
		return computerName(say, levels, p)
	}
	return PlainName(say, p)
}

// ThreadName returns the name of a match's thread: its number, the game and the
// players, people before computers. It has no markup, because clients would show
// it as it is written.
func ThreadName(say *catalogue.Printer, v *host.View) string {
	var people, computers []string
	for _, p := range v.Record.Seats {
		if host.IsComputer(p) {
			computers = append(computers, shortName(say, v.Levels(), p))
		} else {
			people = append(people, shortName(say, v.Levels(), p))
		}
	}
	name := say.T("thread.name", "Match", int64(v.Record.ID), "Game", gameName(say, v.Game), "People", strings.Join(append(people, computers...), " – "))
	return discord.Truncate(name, discord.MaxThreadName)
}

// HelpData holds what /help depends on.
type HelpData struct {
	Person    string
	Waiting   []*host.View // matches in this channel and its threads that wait for the person
	Playing   []*host.View // their other matches in this channel
	Elsewhere []*host.View // matches elsewhere that wait for them
	// ChannelGames are the games that are being played in this channel.
	ChannelGames []engine.Game
	Known        bool // the person has played before
	Direct       bool // asked outside guilds
	// CanStart says that a match can be started here. If it cannot because of the
	// settings of the guild, Channels are links to where it can.
	CanStart bool
	Channels []string
	Manages  bool // the person may manage the guild
	Games    []engine.Game
	// Computers are the computers that can be played with one tap, by the key of the game:
	// in the range Range, or as strong as the person if it is host.EvenLevel.
	Computers map[string]storage.Person
	Range     string
	// Ref returns the reference of a game in custom IDs.
	Ref    func(engine.Game) string
	Invite string // the address that adds the bot to a guild
	// CommandID returns the ID of a registered command, empty if it is not known.
	CommandID func(name string) string
}

// Help returns what the person can do next in the channel: the matches that wait
// for them, or else buttons that start a match at once, and the commands by their
// purpose.
func Help(say *catalogue.Printer, d HelpData) discord.Message {
	var parts []string
	play := false
	switch {
	case len(d.Waiting) > 0:
		text := say.T("help.turn", "Matches", ownMatchLines(say, d.Waiting, d.Person))
		if slices.ContainsFunc(d.Waiting, func(v *host.View) bool { return !v.Rated() }) {
			text = say.Join(text, say.T("help.hint"))
		}
		parts = append(parts, text)
	case len(d.Playing) > 0:
		text := say.T("help.wait", "Matches", ownMatchLines(say, d.Playing, d.Person))
		if slices.ContainsFunc(d.Playing, func(v *host.View) bool { return !host.IsSolo(v.Record.Seats) }) {
			text = say.Join(text, say.T("help.claim"))
		}
		parts = append(parts, text)
	case !d.Known:
		play = true
		var games []string
		for _, g := range d.Games {
			games = append(games, say.T("help.game", "Game", gameName(say, g), "About", say.Text(g.Texts().Phrase(g.Key()+".tagline"))))
		}
		parts = append(parts, say.T("help.new", "Games", strings.Join(games, "\n")))
	case len(d.ChannelGames) > 0 && !d.Direct:
		parts = append(parts, strings.TrimSpace(say.Join(say.T("help.watch"), howToStart(say, d))))
	default:
		play = true
		parts = append(parts, howToStart(say, d))
	}
	if len(d.Elsewhere) > 0 {
		parts = append(parts, say.T("help.elsewhere", "Matches", ownMatchLines(say, d.Elsewhere, d.Person)))
	}
	if d.Direct && d.CanStart {
		parts = append(parts, strings.TrimSpace(say.T("help.direct", "Link", InviteLink(say, d.Invite))))
	} else if !d.CanStart && !d.Known {
		parts = append(parts, howToStart(say, d))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	components := []discord.Component{discord.TextDisplay{Content: strings.Join(parts, "\n\n")}}
	if play && d.CanStart && len(d.Computers) > 0 {
		components = append(components, playComputer(say, d)...)
	}
	if row := helpRules(say, d); len(row.Buttons) > 0 {
		components = append(components, row)
	}
	switch { // somebody new sees a few things first
	case d.Known:
		components = append(components, discord.TextDisplay{Content: helpCommands(say, d)})
	case d.CanStart && !d.Direct:
		components = append(components, discord.TextDisplay{Content: say.T("help.first")})
	}
	if d.Manages {
		components = append(components, discord.TextDisplay{Content: say.T("help.manage")})
	}
	for i, c := range components {
		if text, ok := c.(discord.TextDisplay); ok {
			components[i] = discord.TextDisplay{Content: clickable(text.Content, d.CommandID)}
		}
	}
	return containerMessage(components...)
}

// namedCommand matches a command in a text, such as `/move`.
var namedCommand = regexp.MustCompile("`/([a-z]+)`")

// clickable returns a text whose commands people can click. /challenge has subcommands,
// of which Discord links one at a time.
func clickable(text string, id func(name string) string) string {
	return namedCommand.ReplaceAllStringFunc(text, func(s string) string {
		name := strings.Trim(s, "`/")
		if id := id(name); id != "" && name != "challenge" {
			return discord.MentionCommand(name, id)
		}
		return s
	})
}

// howToStart says how to start a match, or where that is possible.
func howToStart(say *catalogue.Printer, d HelpData) string {
	switch {
	case d.CanStart:
		return say.T("help.start")
	case len(d.Channels) > 0:
		return say.T("error.settings.channel", "Channels", say.List(d.Channels...))
	}
	return strings.TrimSpace(say.T("error.outside", "Link", InviteLink(say, d.Invite)))
}

// playComputer returns a button for each game to play against the computer, and a menu
// of ranges of levels.
func playComputer(say *catalogue.Printer, d HelpData) []discord.Component {
	var buttons []discord.Button
	for _, g := range d.Games {
		if p, ok := d.Computers[g.Key()]; ok {
			buttons = append(buttons, discord.Button{Style: discord.Success, Label: gameName(say, g), CustomID: opponentID(g.Key(), p)})
		}
	}
	menu := discord.StringSelect{CustomID: helpID(d.Range), Placeholder: say.T("help.level", "Level", say.T("level."+d.Range))}
	for _, name := range append([]string{host.EvenLevel}, host.Ranges()...) {
		menu.Options = append(menu.Options, discord.SelectOption{Label: say.T("level." + name), Value: name})
	}
	return append(append([]discord.Component{discord.TextDisplay{Content: say.T("help.play")}}, discord.ButtonRows(buttons)...), menu)
}

// helpCommands lists the commands by their purpose, without those that do not exist or
// do nothing where the person asks.
func helpCommands(say *catalogue.Printer, d HelpData) string {
	var missing, groups []string
	if d.Direct {
		missing = append(missing, "profile", "leaderboard")
	}
	if !d.CanStart {
		missing = append(missing, "challenge", "rematch")
	}
	for group := range strings.SplitSeq(say.T("help.more"), " · ") {
		for _, name := range missing {
			group = strings.ReplaceAll(group, " `/"+name+"`", "")
		}
		if strings.Contains(group, "`") {
			groups = append(groups, group)
		}
	}
	return strings.Join(groups, " · ")
}

// helpRules returns buttons for the rules of the games that are played here, or
// of every game if none is and the person is new.
func helpRules(say *catalogue.Printer, d HelpData) (row discord.ActionRow) {
	shown := map[string]bool{}
	add := func(g engine.Game) {
		if ref := d.Ref(g); !shown[ref] && len(row.Buttons) < discord.MaxRowButtons {
			shown[ref] = true
			row.Buttons = append(row.Buttons, discord.Button{
				Style: discord.Secondary, Label: say.T("help.rules", "Game", gameName(say, g)), CustomID: rulesID(ref, 1),
			})
		}
	}
	for _, g := range d.ChannelGames {
		add(g)
	}
	if len(row.Buttons) == 0 && (!d.Known || d.Direct) {
		for _, g := range d.Games {
			add(g)
		}
	}
	return row
}

// InviteLink returns a link that adds the bot to a guild, empty without an
// address.
func InviteLink(say *catalogue.Printer, address string) string {
	if address == "" {
		return ""
	}
	return "[" + say.T("invite.link") + "](" + address + ")"
}
