package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// Who is compared in a leaderboard.
const (
	scopeServer     = "server"
	scopeEverywhere = "everywhere"
)

// leadersPerPage is how many rows a page of a leaderboard has.
const leadersPerPage = 10

// leadersCommand is the command with its choice of games.
func (b *Bot) leadersCommand() discord.Command {
	say := b.texts.Printer()
	game := discord.Option{Type: discord.OptionString, Name: "game", Description: say.T("command.leaderboard.game")}
	for _, g := range b.games.Games() {
		game.Choices = append(game.Choices, discord.Choice{Name: gameName(say, g), Value: g.Key()})
	}
	scope := discord.Option{Type: discord.OptionString, Name: "scope", Description: say.T("command.leaderboard.scope")}
	for _, s := range []string{scopeServer, scopeEverywhere} {
		scope.Choices = append(scope.Choices, discord.Choice{Name: say.T("command.leaderboard.scope." + s), Value: s})
	}
	list := discord.Option{Type: discord.OptionString, Name: "list", Description: say.T("command.leaderboard.list")}
	for _, l := range storage.Lists() {
		list.Choices = append(list.Choices, discord.Choice{Name: say.T("command.leaderboard.list." + string(l)), Value: string(l)})
	}
	return discord.Command{Name: "leaderboard", Description: say.T("command.leaderboard"), Contexts: inServers, Options: []discord.Option{game, scope, list}}
}

// onLeaderboard is /leaderboard. The answer is private: it has the person's
// own row in it, and turning its pages is nobody else's business.
func (b *Bot) onLeaderboard(ctx context.Context, r *Request) (Response, error) {
	game := r.text("game")
	if game == "" {
		g, err := b.gameOf(ctx, r)
		if err != nil {
			return Response{}, err
		}
		game = g.Key()
	}
	scope := r.text("scope")
	if scope == "" {
		scope = scopeServer
	}
	list := r.text("list")
	if list == "" {
		list = string(storage.AmongPeople)
	}
	m, err := b.leadersMessage(ctx, r, game, list, scope, 1)
	if err != nil {
		return Response{}, err
	}
	return Private(m), nil
}

// onLeadersPage turns a page, or goes to another game or list, or to others to
// compare.
func (b *Bot) onLeadersPage(ctx context.Context, r *Request) (Response, error) {
	page, err := strconv.Atoi(r.values["page"])
	if err != nil {
		return Response{}, errBadPath
	}
	m, err := b.leadersMessage(ctx, r, r.values["game"], r.values["list"], r.values["scope"], page)
	if err != nil {
		return Response{}, err
	}
	return Update(m), nil
}

// gameOf is the game that a person most likely means: the one that is played
// in the channel, the one that they have played last, or the first.
func (b *Bot) gameOf(ctx context.Context, r *Request) (engine.Game, error) {
	if g, err := b.gameHere(ctx, r); g != nil || err != nil {
		return g, err
	}
	last, err := b.host.LastRated(ctx, r.Person.ID)
	if err != nil {
		return nil, err
	}
	if g, ok := b.games.Lookup(last); ok {
		return g, nil
	}
	return b.games.Games()[0], nil
}

// leadersMessage is a page of a leaderboard with the ways to the others.
func (b *Bot) leadersMessage(ctx context.Context, r *Request, game, named, scope string, page int) (discord.Message, error) {
	var guild string
	list := storage.List(named)
	switch {
	case !slices.Contains(storage.Lists(), list):
		return discord.Message{}, errBadPath
	case scope != scopeServer && scope != scopeEverywhere:
		return discord.Message{}, errBadPath
	case scope == scopeServer && r.Place.Guild == "":
		scope = scopeEverywhere
	case scope == scopeServer:
		guild = r.Place.Guild
	}
	l, err := b.host.Leaders(ctx, r.Person.ID, game, list, guild, page, leadersPerPage)
	if err != nil {
		return discord.Message{}, err
	}
	say := r.Say
	parts := []discord.Component{
		discord.TextDisplay{Content: say.T("leaders.title", "Game", gameOn(say, l.Game, list)) + "\n" +
			say.T("leaders.scope."+scope, "Players", say.T("leaders.players", "Count", l.Total))},
		discord.Separator{},
		discord.TextDisplay{Content: leaderRows(say, l)},
	}
	if own := ownRow(say, l); own != "" {
		parts = append(parts, discord.Separator{}, discord.TextDisplay{Content: own})
	}
	parts = append(parts, discord.TextDisplay{Content: "-# " + leadersNote(say, l)})
	parts = append(parts, b.leaderButtons(say, r, l, scope)...)
	return discord.Message{Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: parts}}}, nil
}

// leaderRows is the rows of a page, a line each.
func leaderRows(say *catalogue.Printer, l host.Leaders) string {
	if len(l.Rows) == 0 {
		return say.T("leaders.empty")
	}
	var lines []string
	for _, row := range l.Rows {
		lines = append(lines, leaderRow(say, row, l.Own != nil && row.Row == l.Own.Row))
	}
	return strings.Join(lines, "\n")
}

func leaderRow(say *catalogue.Printer, row storage.Leader, own bool) string {
	key, place := "leaders.row", strconv.Itoa(row.Place)
	if own {
		key = "leaders.own"
	}
	if row.Provisional {
		place = say.T("leaders.unplaced")
	}
	return say.T(key, "Place", place, "Who", nameText(row.Person),
		"Rating", ratingText(say, row.Figures, row.Provisional), "Matches", say.T("matches.count", "Count", row.Matches))
}

// ownRow is the person's own row where the page does not have it.
func ownRow(say *catalogue.Printer, l host.Leaders) string {
	if l.Own == nil {
		return say.T("leaders.none")
	}
	for _, row := range l.Rows {
		if row.Row == l.Own.Row {
			return ""
		}
	}
	return say.T("leaders.below") + "\n" + leaderRow(say, *l.Own, true)
}

// leadersNote explains the question mark, where there is one, and says which
// page it is, where there are several.
func leadersNote(say *catalogue.Printer, l host.Leaders) string {
	notes := []string{say.T("leaders.note")}
	if l.Pages > 1 {
		notes = append(notes, say.T("leaders.page", "Page", l.Page, "Pages", l.Pages))
	}
	return strings.Join(notes, " · ")
}

// leaderButtons is a row to turn pages and change the scope, and rows with a
// button for each game.
func (b *Bot) leaderButtons(say *catalogue.Printer, r *Request, l host.Leaders, scope string) (rows []discord.Component) {
	id := func(verb, game string, list storage.List, scope string, page int) string {
		return fmt.Sprintf("leaders/%s/%s/%s/%s/%d", verb, game, list, scope, page)
	}
	row := turnButtons(say, l.Page, l.Pages, func(page int) string { return id("page", l.Game.Key(), l.List, scope, page) })
	other := storage.AgainstComputer
	if l.List == other {
		other = storage.AmongPeople
	}
	if len(b.host.Levels(l.Game.Key())) > 0 {
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: say.T("leaders.list." + string(other)), CustomID: id("list", l.Game.Key(), other, scope, 1),
		})
	}
	if r.Place.Guild != "" {
		other := scopeEverywhere
		if scope == scopeEverywhere {
			other = scopeServer
		}
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: say.T("leaders.see." + other), CustomID: id("scope", l.Game.Key(), l.List, other, 1),
		})
	}
	if len(row.Buttons) > 0 {
		rows = append(rows, row)
	}
	if all := b.games.Games(); len(all) > 1 {
		rows = append(rows, gameButtons(say, all, l.Game.Key(), func(game string) string { return id("game", game, l.List, scope, 1) })...)
	}
	return rows
}

// buttonsPerRow is Discord's.
const buttonsPerRow = 5

// gameButtons is a button for each game, of which one is chosen.
func gameButtons(say *catalogue.Printer, games []engine.Game, chosen string, id func(game string) string) (rows []discord.Component) {
	var row discord.ActionRow
	for _, g := range games {
		if len(row.Buttons) == buttonsPerRow {
			rows, row = append(rows, row), discord.ActionRow{}
		}
		row.Buttons = append(row.Buttons, chooseButton(gameName(say, g), id(g.Key()), g.Key() == chosen))
	}
	return append(rows, row)
}

// chooseButton is one of several choices. The one that is chosen cannot be
// pressed.
func chooseButton(label, id string, chosen bool) discord.Button {
	style := discord.Secondary
	if chosen {
		style = discord.Success
	}
	return discord.Button{Style: style, Label: label, CustomID: id, Disabled: chosen}
}

// turnButtons turn the pages of a list; none where there is only one page. The
// ids name the pages they lead to, so they change with each.
func turnButtons(say *catalogue.Printer, page, pages int, id func(page int) string) (row discord.ActionRow) {
	if pages > 1 {
		row.Buttons = []discord.Button{
			{Style: discord.Secondary, Label: say.T("games.back"), CustomID: id(page - 1), Disabled: page == 1},
			{Style: discord.Secondary, Label: say.T("games.next"), CustomID: id(page + 1), Disabled: page == pages},
		}
	}
	return row
}
