package message

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/tournament"
	"castellan/imaging"
	"castellan/storage"
)

// TournamentData holds what the message of a tournament shows.
type TournamentData struct {
	storage.Tournament
	Game    engine.Game
	Options engine.Options
	Start   engine.Position
	// Matches holds the matches of the games that are listed.
	Matches map[storage.MatchID]*host.View
}

// Starts lists after how many minutes a tournament can start.
func Starts() []int {
	return []int{5, 15, 30, 60, 2 * 60, 4 * 60, 24 * 60, 2 * 24 * 60, 3 * 24 * 60, 7 * 24 * 60}
}

// TournamentClock is the clock of a tournament unless another is chosen.
const TournamentClock = "10m+20s/30m"

func (c Commands) tournamentCommand(say *catalogue.Printer) discord.Command {
	game := c.gameOption(say, "command.tournament.game")
	formats := make([]string, 0, 4)
	for _, f := range tournament.Formats() {
		formats = append(formats, string(f))
	}
	format := keyedOption(say, "format", "command.tournament.format", formats...)
	start := discord.Option{Type: discord.OptionInteger, Name: "start", Description: say.T("command.tournament.start")}
	for _, n := range Starts() {
		start.Choices = append(start.Choices, discord.Choice{Name: timeText(say, time.Duration(n)*time.Minute), Value: n})
	}
	game.Required, format.Required, start.Required = true, true, true
	clock := discord.Option{Type: discord.OptionString, Name: "clock", Description: say.T("command.tournament.clock")}
	for _, choice := range host.ClockChoices() {
		if choice != "" {
			clock.Choices = append(clock.Choices, discord.Choice{Name: clockChoice(say, choice), Value: choice})
		}
	}
	return discord.Command{Name: "tournament", Description: say.T("command.tournament"), Contexts: inGuilds, Options: []discord.Option{
		{Type: discord.OptionSubcommand, Name: "create", Description: say.T("command.tournament.create"), Options: []discord.Option{
			game, format, start,
			{Type: discord.OptionString, Name: "name", Description: say.T("command.tournament.name"), MaxLength: host.MaxTournamentName},
			clock,
			{Type: discord.OptionInteger, Name: "rounds", Description: say.T("command.tournament.rounds"), MinValue: new(1), MaxValue: new(20)},
			{Type: discord.OptionBoolean, Name: "rated", Description: say.T("command.tournament.rated")},
		}},
		{Type: discord.OptionSubcommand, Name: "list", Description: say.T("command.tournament.list")},
	}}
}

// TournamentStage names the stage of a tournament at which its message is posted again.
func TournamentStage(t storage.Tournament) string {
	switch round := host.Event(t).Round(); {
	case t.State == storage.TournamentEnded:
		return "end"
	case round > 0:
		return "r" + strconv.Itoa(round)
	case !t.CalledAt.IsZero():
		return "here"
	}
	return "open"
}

// TournamentFileName returns the file name of the picture of a tournament. A message that
// is missing from the records is recognised by it.
func TournamentFileName(t storage.Tournament) string {
	return fmt.Sprintf("tournament-%d-%s.png", t.ID, TournamentStage(t))
}

// ShowsTournament reports whether a file name is that of a picture of a tournament, at any
// stage.
func ShowsTournament(file string, id storage.TournamentID) bool {
	return strings.HasPrefix(file, fmt.Sprintf("tournament-%d-", id))
}

// DrawTournament draws the table of a tournament, or before the start the position from
// which its matches start.
func DrawTournament(ctx context.Context, r Themed, say *catalogue.Printer, d TournamentData) (discord.File, error) {
	if len(d.Games) == 0 {
		scene := imaging.Scene{Game: d.Game, Position: d.Start, Thumbnail: true}
		for _, c := range d.Game.Colours(2) {
			scene.Names = append(scene.Names, say.T("colour."+c.String()))
		}
		return r.draw(ctx, say, scene, TournamentFileName(d.Tournament), say.T("challenge.alt", "Summary", say.Text(d.Start.Summary())))
	}
	table, alt := tournamentTable(say, d.Tournament)
	file, err := r.Table(ctx, table, r.Theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("tournament %d: %w", d.ID, err)
	}
	return discord.File{Name: TournamentFileName(d.Tournament), ContentType: "image/png", Description: alt, Data: file}, nil
}

// tournamentTable returns the table of a tournament, and the same in words.
func tournamentTable(say *catalogue.Printer, t storage.Tournament) (table imaging.Table, words string) {
	e := host.Event(t)
	table = imaging.Table{Title: t.Name, Note: say.T("tournament.round", "Round", e.Round(), "Rounds", t.Rounds)}
	var lines []string
	for _, s := range e.Standings() {
		p := host.SeedOf(t, s.Player+1)
		row := imaging.TableRow{
			Place: strconv.Itoa(s.Place), Name: rawName(say, p.Person), Points: imaging.Points(s.Points),
			Signs: signs(e, s.Player), Gone: p.Left > 0,
		}
		if e.Format == tournament.Knockout {
			row.Points = ""
		} else {
			row.Figure = figure(s.Tiebreak)
		}
		if len(table.Rows) < imaging.MostTableRows {
			table.Rows = append(table.Rows, row)
		}
		lines = append(lines, strings.TrimSpace(row.Place+". "+row.Name+" "+row.Points))
	}
	return table, table.Title + ", " + table.Note + ": " + strings.Join(lines, "; ")
}

// figure returns a tie-break as a table shows it.
func figure(points float64) string {
	if half := 2 * points; half == math.Trunc(half) {
		return imaging.Points(int(half))
	}
	return strconv.FormatFloat(points, 'f', 2, 64)
}

// signs returns how the rounds went for a player; of several games in a round, the last
// that is decided.
func signs(e tournament.Event, player int) []imaging.Sign {
	all := make([]imaging.Sign, e.Round())
	for _, g := range e.Games {
		if g.First != player && g.Second != player {
			continue
		}
		own, other := g.Outcome.Points()
		if g.Second == player {
			own, other = other, own
		}
		sign := imaging.SignPlaying
		switch {
		case g.Outcome == tournament.Open:
		case own == 2 && g.Outcome.Played():
			sign = imaging.SignWon
		case own > 0 && !g.Outcome.Played():
			sign = imaging.SignFree
		case !g.Outcome.Played():
			sign = imaging.SignAway
		case own == other:
			sign = imaging.SignDrawn
		default:
			sign = imaging.SignLost
		}
		all[g.Round-1] = sign
	}
	return all
}

// MostTournamentGames is how many games the message of a tournament lists.
const MostTournamentGames = 12

const mostNames = 20 // in a message of a tournament

// Tournament returns the public message of a tournament with its picture. When people are
// asked whether they are there, it mentions them: that is the only notification besides
// those of their matches.
func Tournament(say *catalogue.Printer, d TournamentData, picture discord.File) discord.Message {
	title := discord.Bold(discord.Escape(d.Name))
	if d.State == storage.TournamentCancelled && len(d.Games) == 0 {
		return discord.TextMessage("-# " + say.T("tournament.cancelled", "Name", title))
	}
	terms := "-# " + strings.Join([]string{
		gameName(say, d.Game), say.T("tournament.format." + d.Format), clockChoice(say, d.Clock), ratedTournament(say, d),
		say.T("tournament.by", "Who", Name(say, d.Organiser)),
	}, " · ")
	m := discord.Message{Files: []discord.File{picture}}
	var lines []string
	switch d.State {
	case storage.TournamentOpen:
		lines = append(openLines(say, d, title), terms)
		if !d.CalledAt.IsZero() {
			for _, p := range d.Players {
				if !p.Here && len(m.Mentions.Users) < 100 { // more than Discord allows
					m.Mentions.Users = append(m.Mentions.Users, p.Person.ID)
				}
			}
		}
	case storage.TournamentRunning:
		lines = append([]string{title + " · " + say.T("tournament.round", "Round", host.Event(d.Tournament).Round(), "Rounds", d.Rounds)}, roundLines(say, d)...)
		lines = append(lines, terms)
	case storage.TournamentEnded:
		lines = append(endLines(say, d, title), terms)
	default:
		lines = []string{say.T("tournament.cancelled", "Name", title), terms}
	}
	text := strings.Join(lines, "\n")
	c := discord.Container{AccentColor: neutralColor()}
	if len(d.Games) == 0 {
		c.Components = []discord.Component{discord.Section{Content: text, File: picture.Name, Description: picture.Description}}
	} else {
		c.Components = []discord.Component{discord.MediaGallery{File: picture.Name, Description: picture.Description}, discord.TextDisplay{Content: text}}
	}
	if row := tournamentButtons(say, d.Tournament); len(row.Buttons) > 0 {
		c.Components = append(c.Components, row)
	}
	m.Components = []discord.Component{c}
	m.Silent = len(m.Mentions.Users) == 0
	return m
}

func ratedTournament(say *catalogue.Printer, d TournamentData) string {
	if d.Unrated {
		return say.T("challenge.unrated")
	}
	return say.T("challenge.rated")
}

func openLines(say *catalogue.Printer, d TournamentData, title string) []string {
	when := say.T("tournament.starts", "Date", discord.DateTime(d.StartsAt), "Ago", discord.RelativeTime(d.StartsAt))
	here := 0
	var names []string
	for _, p := range d.Players {
		name := Name(say, p.Person)
		if p.Here {
			here++
			name = "✓ " + name
		}
		names = append(names, name)
	}
	if more := len(names) - mostNames; more > 0 {
		names = append(names[:mostNames], say.T("tournament.more", "Count", more))
	}
	lines := []string{title + " · " + when}
	switch {
	case len(names) == 0:
		lines = append(lines, say.T("tournament.nobody"))
	case d.CalledAt.IsZero():
		lines = append(lines, say.T("tournament.joined", "Count", len(d.Players), "People", say.List(names...)))
	default:
		var asked []string
		for _, p := range d.Players {
			if !p.Here && len(asked) < mostNames {
				asked = append(asked, address(say, p.Person))
			}
		}
		lines = append(lines, say.T("tournament.here", "Count", here, "Players", len(d.Players), "People", say.List(names...)))
		if len(asked) > 0 {
			lines = append(lines, say.T("tournament.call", "People", say.List(asked...)))
		}
	}
	return lines
}

// roundLines returns a line for each game of the last round.
func roundLines(say *catalogue.Printer, d TournamentData) (lines []string) {
	round := host.Event(d.Tournament).Round()
	more := 0
	for _, g := range d.Games {
		if g.Round != round {
			continue
		}
		if len(lines) >= MostTournamentGames {
			more++
			continue
		}
		first := Name(say, host.SeedOf(d.Tournament, g.First).Person)
		if g.Second == 0 {
			lines = append(lines, say.T("tournament.outcome."+g.Outcome, "First", first))
			continue
		}
		second := Name(say, host.SeedOf(d.Tournament, g.Second).Person)
		if g.Outcome != "" {
			lines = append(lines, say.T("tournament.result", "First", first, "Second", second, "Result", score(g.Outcome)))
			continue
		}
		line := say.T("tournament.game", "First", first, "Second", second)
		if v := d.Matches[g.Match]; v != nil && v.Board.Message != "" {
			line = discord.MessageLink(line, v.Board.Place.Guild, v.Board.Place.Channel, v.Board.Message)
		}
		lines = append(lines, line)
	}
	if more > 0 {
		lines = append(lines, say.T("tournament.games", "Count", more))
	}
	return lines
}

// score returns an outcome as tables of chess write it.
func score(outcome string) string {
	switch o := tournament.Outcome(outcome); o {
	case tournament.FirstWon:
		return "1–0"
	case tournament.SecondWon:
		return "0–1"
	case tournament.Drawn:
		return "½–½"
	case tournament.FirstWO:
		return "+–−"
	case tournament.SecondWO:
		return "−–+"
	}
	return "−–−"
}

// endLines returns who has won, and the next.
func endLines(say *catalogue.Printer, d TournamentData, title string) []string {
	var winners, next []string
	for i, s := range host.Event(d.Tournament).Standings() {
		p := Name(say, host.SeedOf(d.Tournament, s.Player+1).Person)
		switch {
		case s.Place == 1:
			winners = append(winners, discord.Bold(p))
		case i < 5:
			next = append(next, say.T("tournament.place", "Place", s.Place, "Who", p))
		}
	}
	lines := []string{say.T("tournament.won", "People", say.List(winners...), "Count", len(winners), "Name", title)}
	if len(next) > 0 {
		lines = append(lines, strings.Join(next, " · "))
	}
	return lines
}

func tournamentID(t storage.TournamentID, verb string) string {
	return fmt.Sprintf("tournament/%d/%s", t, verb)
}

// tournamentButtons returns the buttons under the message of a tournament. Everybody sees
// them; who may not use one is told why.
func tournamentButtons(say *catalogue.Printer, t storage.Tournament) (row discord.ActionRow) {
	add := func(style discord.ButtonStyle, key, verb string) {
		row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: say.T(key), CustomID: tournamentID(t.ID, verb)})
	}
	switch {
	case t.State == storage.TournamentOpen && !t.CalledAt.IsZero():
		add(discord.Success, "tournament.present", "join")
	case t.State == storage.TournamentOpen, t.State == storage.TournamentRunning && (host.Event(t).MayJoin() || host.MayReturn(t)):
		add(discord.Success, "lobby.join", "join")
	}
	if t.EndedAt.IsZero() {
		add(discord.Secondary, "lobby.leave", "leave")
		add(discord.Secondary, "tournament.organise", "organise")
	}
	return row
}

// TournamentPanel returns the private panel of the organiser of a tournament.
func TournamentPanel(say *catalogue.Printer, t storage.Tournament) discord.Message {
	parts := []discord.Component{discord.TextDisplay{Content: say.T("tournament.panel", "Name", discord.Bold(discord.Escape(t.Name)), "Joined", len(t.Players))}}
	menu := discord.StringSelect{CustomID: tournamentID(t.ID, "withdraw/"+strconv.Itoa(t.Revision)), Placeholder: say.T("tournament.withdraw")}
	for _, p := range t.Players {
		if p.Left == 0 && len(menu.Options) < discord.MaxChoices {
			menu.Options = append(menu.Options, discord.SelectOption{Label: discord.Truncate(PlainName(say, p.Person), 100), Value: p.Person.ID})
		}
	}
	if len(menu.Options) > 0 {
		parts = append(parts, menu)
	}
	var row discord.ActionRow
	if t.State == storage.TournamentOpen {
		row.Buttons = append(row.Buttons, discord.Button{Style: discord.Primary, Label: say.T("tournament.start"), CustomID: tournamentID(t.ID, "start")})
	}
	row.Buttons = append(row.Buttons, discord.Button{Style: discord.Danger, Label: say.T("tournament.cancel"), CustomID: tournamentID(t.ID, "cancel")})
	return containerMessage(append(parts, row)...)
}

// Tournaments lists the tournaments of a guild.
func Tournaments(say *catalogue.Printer, all []storage.Tournament) discord.Message {
	if len(all) == 0 {
		return discord.TextMessage(say.T("tournament.none"))
	}
	var lines []string
	for _, t := range all {
		state := say.T("tournament.state."+string(t.State), "Round", host.Event(t).Round(), "Rounds", t.Rounds, "Ago", discord.RelativeTime(slices.MaxFunc([]time.Time{t.StartsAt, t.EndedAt}, time.Time.Compare)), "Joined", len(t.Players))
		lines = append(lines, discord.Bold(discord.Escape(t.Name))+" · "+state+" · "+tournamentLink(say, t))
	}
	return containerMessage(discord.TextDisplay{Content: strings.Join(lines, "\n")})
}

func tournamentLink(say *catalogue.Printer, t storage.Tournament) string {
	if t.Message == "" {
		return discord.MentionChannel(t.Place.Channel)
	}
	return discord.MessageLink(say.T("tournament.link"), t.Place.Guild, t.Place.Channel, t.Message)
}

// TournamentText tells a person what their press or command has done.
func TournamentText(say *catalogue.Printer, key string, t storage.Tournament) string {
	return say.T(key, "Name", discord.Bold(discord.Escape(t.Name)), "Ago", discord.RelativeTime(t.StartsAt), "Link", tournamentLink(say, t))
}

// eventLine says to which tournament and round a match belongs; empty if to none.
func eventLine(say *catalogue.Printer, v *host.View) string {
	if v.Event.Tournament == 0 {
		return ""
	}
	return say.T("tournament.match", "Name", discord.Escape(v.Event.Name), "Round", v.Event.Round, "Rounds", v.Event.Rounds)
}
