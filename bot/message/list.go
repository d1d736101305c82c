package message

import (
	"fmt"
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
	return matchLine(say, key, v.Game, v.Record, person)
}

// EndedLine returns a match that has ended in a line without markdown: number,
// game, opponents and the person's result.
func EndedLine(say *catalogue.Printer, g engine.Game, m storage.Match, person string) string {
	return matchLine(say, "match.ended", g, m, person, "Result", resultName(say, m, person))
}

func matchLine(say *catalogue.Printer, key string, g engine.Game, m storage.Match, person string, args ...any) string {
	var others []string
	for _, p := range m.Seats {
		if p.ID != person {
			others = append(others, shortName(say, p))
		}
	}
	return say.T(key, append(args, "Match", int64(m.ID), "Game", GameName(say, g), "Others", enumerate(say, others))...)
}

// resultName returns the name of a person's result in a match that has ended.
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

// Games returns a page of a list of matches, with buttons for the other pages
// and lists.
func Games(say *catalogue.Printer, person, list string, p browse.Page) discord.Message {
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
		lines = append(lines, "-# "+say.T("leaders.page", "Page", p.Page, "Pages", p.Pages))
	}
	id := func(verb, list string, page int) string { return fmt.Sprintf("games/%s/%s/%d", verb, list, page) }
	parts := []discord.Component{discord.TextDisplay{Content: strings.Join(lines, "\n")}}
	if row := pageButtons(say, p.Page, p.Pages, func(page int) string { return id("page", list, page) }); len(row.Buttons) > 0 {
		parts = append(parts, row)
	}
	var row discord.ActionRow
	for _, l := range GameLists() {
		row.Buttons = append(row.Buttons, ChoiceButton(say.T("games.list."+l), id("list", l, 1), l == list))
	}
	return ContainerMessage(append(parts, row)...)
}

// ownLine returns a line about a match that a person plays.
func ownLine(say *catalogue.Printer, v *host.View, person string) string {
	key := "games.theirs"
	if p, ok := v.ToMove(); ok && p.ID == person {
		key = "games.yours"
	}
	return say.T(key, lineArgs(say, v, person)...)
}

// channelLine returns a line about a match of a channel.
func channelLine(say *catalogue.Printer, v *host.View, person string) string {
	return say.T("games.watched", lineArgs(say, v, person)...)
}

// finishedLine returns a line about a finished match with a person's result.
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
		named := mark(v, engine.Seat(i+1)) + " " + listedName(say, p)
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
		"Match", say.T("board.match", "Match", int64(v.Record.ID)), "Game", GameName(say, v.Game),
		"People", strings.Join(people, ", "), "Others", strings.Join(others, ", "),
		"Since", since(say, v), "Link", link,
	}
	if p, ok := v.ToMove(); ok {
		args = append(args, "Mark", mark(v, v.Match.Seat()), "Who", listedName(say, p))
	}
	return args
}

// shortName returns the name of a person, or the level of a computer, without
// markup.
func shortName(say *catalogue.Printer, p storage.Person) string {
	if host.IsComputer(p) {
		return LevelName(say, p.Level)
	}
	return discord.Plain(p.Name)
}

// enumerate joins words: "Anna, Ben and Chloe".
func enumerate(say *catalogue.Printer, words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return say.T("list.and", "Rest", strings.Join(words[:last], ", "), "Last", words[last])
}

// ThreadName returns the name of a match's thread: its number, the game and the
// players, people before computers. It has no markup, because clients would show
// it as it is written.
func ThreadName(say *catalogue.Printer, v *host.View) string {
	var people, computers []string
	for _, p := range v.Record.Seats {
		if host.IsComputer(p) {
			computers = append(computers, shortName(say, p))
		} else {
			people = append(people, shortName(say, p))
		}
	}
	name := say.T("thread.name", "Match", int64(v.Record.ID), "Game", GameName(say, v.Game), "People", strings.Join(append(people, computers...), " – "))
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
	Manages      bool // the person may manage the guild
	Games        []engine.Game
	// Playable are the games that Computer plays, for a match with one tap, Levels
	// the levels that can be chosen instead of its own.
	Playable []engine.Game
	Levels   []string
	Computer storage.Person
	// Ref returns the reference of a game in custom IDs.
	Ref    func(engine.Game) string
	Invite string // the address that adds the bot to a guild
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
			text += " " + say.T("help.hint")
		}
		parts = append(parts, text)
	case len(d.Playing) > 0:
		text := say.T("help.wait", "Matches", ownMatchLines(say, d.Playing, d.Person))
		if slices.ContainsFunc(d.Playing, func(v *host.View) bool { return !host.IsSolo(v.Record.Seats) }) {
			text += " " + say.T("help.claim")
		}
		parts = append(parts, text)
	case !d.Known:
		play = true
		var games []string
		for _, g := range d.Games {
			games = append(games, say.T("help.game", "Game", GameName(say, g), "About", say.Say(g.Texts().Phrase(g.Key()+".tagline"))))
		}
		parts = append(parts, say.T("help.new", "Games", strings.Join(games, "\n")))
	case len(d.ChannelGames) > 0 && !d.Direct:
		parts = append(parts, say.T("help.watch"))
	default:
		play = true
		parts = append(parts, say.T("help.start"))
	}
	if len(d.Elsewhere) > 0 {
		parts = append(parts, say.T("help.elsewhere", "Matches", ownMatchLines(say, d.Elsewhere, d.Person)))
	}
	if d.Direct {
		parts = append(parts, strings.TrimSpace(say.T("help.direct", "Link", InviteLink(say, d.Invite))))
	}
	components := []discord.Component{discord.TextDisplay{Content: strings.Join(parts, "\n\n")}}
	if play && len(d.Playable) > 0 {
		var buttons []discord.Button
		for _, g := range d.Playable {
			buttons = append(buttons, discord.Button{Style: discord.Success, Label: GameName(say, g), CustomID: opponentID(g.Key(), d.Computer)})
		}
		components = append(components, discord.TextDisplay{Content: say.T("help.play", "Level", LevelName(say, d.Computer.Level))})
		components = append(components, discord.ButtonRows(buttons)...)
		menu := discord.StringSelect{CustomID: helpID(d.Computer.Level), Placeholder: say.T("help.level", "Level", LevelName(say, d.Computer.Level))}
		for _, level := range d.Levels {
			menu.Options = append(menu.Options, discord.SelectOption{Label: LevelName(say, level), Value: level})
		}
		components = append(components, menu)
	}
	if row := helpRules(say, d); len(row.Buttons) > 0 {
		components = append(components, row)
	}
	components = append(components, discord.TextDisplay{Content: say.T("help.more")})
	if d.Manages {
		components = append(components, discord.TextDisplay{Content: say.T("help.manage")})
	}
	return ContainerMessage(components...)
}

// helpRules returns buttons for the rules of the games that are played here, or
// of every game if none is and the person is new.
func helpRules(say *catalogue.Printer, d HelpData) (row discord.ActionRow) {
	shown := map[string]bool{}
	add := func(g engine.Game) {
		if ref := d.Ref(g); !shown[ref] && len(row.Buttons) < discord.MaxRowButtons {
			shown[ref] = true
			row.Buttons = append(row.Buttons, discord.Button{
				Style: discord.Secondary, Label: say.T("help.rules", "Game", GameName(say, g)), CustomID: rulesID(ref, 1),
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
