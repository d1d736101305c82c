package bot

import (
	"context"
	"fmt"
	"strconv"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
)

// onRules is /rules: the first page of the rules of the game that is named, or
// of the one that is played in this channel. Where neither says which, the
// person chooses.
func (b *Bot) onRules(ctx context.Context, r *Request) (Response, error) {
	key := r.text("game")
	if key == "" {
		g, err := b.gameHere(ctx, r)
		if err != nil {
			return Response{}, err
		}
		if g == nil {
			return Private(b.whichRules(r.Say)), nil
		}
		key = g.Key()
	}
	m, err := b.rulesPage(ctx, r.Say, key, 1)
	if err != nil {
		return Response{}, err
	}
	return Private(m), nil
}

// onRulesPage turns to a page.
func (b *Bot) onRulesPage(ctx context.Context, r *Request) (Response, error) {
	n, err := strconv.Atoi(r.values["page"])
	if err != nil {
		return Response{}, errBadPath
	}
	m, err := b.rulesPage(ctx, r.Say, r.values["game"], n)
	if err != nil {
		return Response{}, err
	}
	return Update(m), nil
}

// gameHere is the one game that is played in the channel, or the only one that
// there is; nil where there are several or none.
func (b *Bot) gameHere(ctx context.Context, r *Request) (engine.Game, error) {
	if all := b.games.Games(); len(all) == 1 {
		return all[0], nil
	}
	here, err := b.host.RunningIn(ctx, r.Place.Channel)
	if err != nil {
		return nil, err
	}
	var game engine.Game
	for _, v := range here {
		if game != nil && game.Key() != v.Game.Key() {
			return nil, nil
		}
		game = v.Game
	}
	return game, nil
}

// whichRules has a button for each game.
func (b *Bot) whichRules(say *catalogue.Printer) discord.Message {
	rows := b.gameButtons(say, discord.Secondary, func(g engine.Game) string { return rulesID(g.Key(), 1) })
	return discord.Message{Components: append([]discord.Component{discord.TextDisplay{Content: say.T("rules.which")}}, rows...)}
}

// gameButtons is rows with a button for each game.
func (b *Bot) gameButtons(say *catalogue.Printer, style discord.ButtonStyle, id func(engine.Game) string) (rows []discord.Component) {
	const perRow = 5
	var row discord.ActionRow
	for i, g := range b.games.Games() {
		if i > 0 && i%perRow == 0 {
			rows, row = append(rows, row), discord.ActionRow{}
		}
		row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: gameName(say, g), CustomID: id(g)})
	}
	return append(rows, row)
}

// rulesPage is page n of a game's rules, from 1. A number beyond the book, as
// on a message from before the book was shortened, gives the nearest page.
func (b *Bot) rulesPage(ctx context.Context, say *catalogue.Printer, key string, n int) (discord.Message, error) {
	g, ok := b.games.Lookup(key)
	if !ok {
		return discord.Message{}, host.ErrUnknownGame
	}
	book := g.Rulebook()
	n = min(max(n, 1), len(book))
	page := book[n-1]
	scene, err := rulesScene(say, g, page)
	if err != nil {
		return discord.Message{}, fmt.Errorf("page %d of the rules of %s: %w", n, key, err)
	}
	data, err := b.config.Pictures.Board(ctx, scene, theme)
	if err != nil {
		return discord.Message{}, fmt.Errorf("drawing page %d of the rules of %s: %w", n, key, err)
	}
	picture := discord.File{
		Name: fmt.Sprintf("rules-%s-%d.png", key, n), ContentType: "image/png", Data: data,
		Description: say.T("rules.alt", "Summary", say.Say(scene.Position.Summary())),
	}
	return discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: []discord.Component{
			discord.TextDisplay{Content: "## " + say.Say(page.Title) + "\n" + say.Say(page.Text)},
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.TextDisplay{Content: "-# " + say.T("rules.page", "Game", gameName(say, g), "Page", n, "Pages", len(book))},
			// The ids name the pages they lead to, so they change with each.
			discord.ActionRow{Buttons: []discord.Button{
				{Style: discord.Secondary, Label: say.T("rules.back"), CustomID: rulesID(key, n-1), Disabled: n == 1},
				{Style: discord.Secondary, Label: say.T("rules.next"), CustomID: rulesID(key, n+1), Disabled: n == len(book)},
			}},
		}}},
		Files: []discord.File{picture},
	}, nil
}

// rulesScene is the picture of a page. Nobody plays: the seats have the names
// of their colours.
func rulesScene(say *catalogue.Printer, g engine.Game, page engine.Page) (imaging.Scene, error) {
	shown, err := page.Show(g)
	if err != nil {
		return imaging.Scene{}, err
	}
	s := imaging.Scene{
		Game: g, Position: shown.Position, Legal: page.Legal, Picked: shown.Picked,
		Turn: imaging.Turn{Number: shown.Turn, Seat: shown.Seat, Before: shown.Before, Actions: shown.Actions, Open: shown.Open},
	}
	for _, c := range g.Colours(shown.Seats) {
		s.Names = append(s.Names, say.T("colour."+c.String()))
	}
	return s, nil
}

// rulesCommand is the command with its choice of games.
func (b *Bot) rulesCommand() discord.Command {
	say := b.texts.Printer()
	game := discord.Option{Type: discord.OptionString, Name: "game", Description: say.T("command.rules.game")}
	for _, g := range b.games.Games() {
		game.Choices = append(game.Choices, discord.Choice{Name: gameName(say, g), Value: g.Key()})
	}
	return discord.Command{Name: "rules", Description: say.T("command.rules"), Contexts: anywhere, Options: []discord.Option{game}}
}

func rulesID(game string, page int) string {
	return fmt.Sprintf("rules/%s/%d", game, page)
}
