package message

import (
	"context"
	"fmt"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
)

// DrawRules draws the picture of page n of a game's rules, from 1. The seats
// have the names of their colours.
func DrawRules(ctx context.Context, r Themed, say *catalogue.Printer, g engine.Game, n int) (discord.File, error) {
	page := g.Rulebook()[n-1]
	shown, err := page.Illustrate(g)
	if err != nil {
		return discord.File{}, fmt.Errorf("page %d of the rules of %s: %w", n, g.Key(), err)
	}
	scene := imaging.Scene{
		Game: g, Position: shown.Position, Legal: page.Legal, Picked: shown.Picked,
		Turn: imaging.Turn{Number: shown.Turn, Seat: shown.Seat, Before: shown.Before, Actions: shown.Actions, Open: shown.Open},
	}
	for _, c := range g.Colours(shown.Seats) {
		scene.Names = append(scene.Names, say.T("colour."+c.String()))
	}
	return r.draw(ctx, say, scene, fmt.Sprintf("rules-%s-%d.png", g.Key(), n), say.T("rules.alt", "Summary", say.Text(scene.Position.Summary())))
}

// Rules returns page n of a game's rules, from 1, with buttons to turn it; ref
// names the game in their custom IDs.
func Rules(say *catalogue.Printer, g engine.Game, ref string, n int, picture discord.File) discord.Message {
	book := g.Rulebook()
	page := book[n-1]
	text := "## " + say.Text(page.Title) + "\n" + say.Text(page.Text)
	if n == 1 {
		text += "\n" + say.T("rules.play")
	}
	m := containerMessage(
		discord.TextDisplay{Content: text},
		discord.MediaGallery{File: picture.Name, Description: picture.Description},
		discord.TextDisplay{Content: "-# " + say.T("rules.page", "Game", gameName(say, g), "Page", n, "Pages", len(book))},
		// The custom IDs name the pages they lead to, so they change with each.
		discord.ActionRow{Buttons: []discord.Button{
			{Style: discord.Secondary, Label: say.T("rules.back"), CustomID: rulesID(ref, n-1), Disabled: n == 1},
			{Style: discord.Secondary, Label: say.T("rules.next"), CustomID: rulesID(ref, n+1), Disabled: n == len(book)},
			{Style: discord.Secondary, Label: say.T("rules.help"), CustomID: helpID(host.EvenLevel)},
		}})
	m.Files = []discord.File{picture}
	return m
}
