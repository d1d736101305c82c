package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
)

// The lists of /games, the default at the front.
const (
	listMine     = "mine"
	listChannel  = "channel"
	listFinished = "finished"
)

func lists() []string { return []string{listMine, listChannel, listFinished} }

// matchesPerPage is how many matches a page of a list has.
const matchesPerPage = 8

// gamesCommand is the command with its choice of lists.
func (b *Bot) gamesCommand() discord.Command {
	say := b.texts.Printer()
	list := discord.Option{Type: discord.OptionString, Name: "list", Description: say.T("command.games.list")}
	for _, l := range lists() {
		list.Choices = append(list.Choices, discord.Choice{Name: say.T("command.games.list." + l), Value: l})
	}
	return discord.Command{Name: "games", Description: say.T("command.games"), Contexts: anywhere, Options: []discord.Option{list}}
}

// onGames is /games. The answer is private.
func (b *Bot) onGames(ctx context.Context, r *Request) (Response, error) {
	list := r.text("list")
	if list == "" {
		list = listMine
	}
	m, err := b.gamesMessage(ctx, r, list, 1)
	if err != nil {
		return Response{}, err
	}
	return Private(m), nil
}

// onGamesPage turns a page, or goes to another list.
func (b *Bot) onGamesPage(ctx context.Context, r *Request) (Response, error) {
	page, err := strconv.Atoi(r.values["page"])
	if err != nil {
		return Response{}, errBadPath
	}
	m, err := b.gamesMessage(ctx, r, r.values["list"], page)
	if err != nil {
		return Response{}, err
	}
	return Update(m), nil
}

// gamesMessage is a page of a list of matches with the ways to the others.
func (b *Bot) gamesMessage(ctx context.Context, r *Request, list string, page int) (discord.Message, error) {
	var (
		p    host.Page
		err  error
		line func(*catalogue.Printer, *host.View, string) string
	)
	switch list {
	case listMine:
		p, err = b.host.Own(ctx, r.Person.ID, page, matchesPerPage)
		line = ownLine
	case listChannel:
		p, err = b.host.Here(ctx, r.Place.Channel, page, matchesPerPage)
		line = watchedLine
	case listFinished:
		p, err = b.host.Finished(ctx, r.Person.ID, page, matchesPerPage)
		line = finishedLine
	default:
		err = errBadPath
	}
	if err != nil {
		return discord.Message{}, err
	}
	say := r.Say
	lines := []string{say.T("games.title." + list)}
	for _, v := range p.Matches {
		lines = append(lines, line(say, v, r.Person.ID))
	}
	if p.Total == 0 {
		lines = append(lines, say.T("games.none."+list))
	}
	if p.Pages > 1 {
		lines = append(lines, "-# "+say.T("leaders.page", "Page", p.Page, "Pages", p.Pages))
	}
	id := func(verb, list string, page int) string { return fmt.Sprintf("games/%s/%s/%d", verb, list, page) }
	parts := []discord.Component{discord.TextDisplay{Content: strings.Join(lines, "\n")}}
	if turn := turnButtons(say, p.Page, p.Pages, func(page int) string { return id("page", list, page) }); len(turn.Buttons) > 0 {
		parts = append(parts, turn)
	}
	var row discord.ActionRow
	for _, l := range lists() {
		row.Buttons = append(row.Buttons, chooseButton(say.T("games.list."+l), id("list", l, 1), l == list))
	}
	parts = append(parts, row)
	return discord.Message{Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: parts}}}, nil
}

// ownLine is a match that a person plays.
func ownLine(say *catalogue.Printer, v *host.View, person string) string {
	args := lineArgs(say, v, person)
	if p, ok := v.ToMove(); ok && p.ID == person {
		return say.T("games.yours", args...)
	}
	return say.T("games.theirs", args...)
}

// watchedLine is a match of whoever plays it.
func watchedLine(say *catalogue.Printer, v *host.View, person string) string {
	return say.T("games.watched", lineArgs(say, v, person)...)
}

// finishedLine is a match that has ended, as it was for one person.
func finishedLine(say *catalogue.Printer, v *host.View, person string) string {
	args := lineArgs(say, v, person)
	i := int(v.SeatOf(person)) - 1
	result := say.T("result.off")
	if i >= 0 && i < len(v.Record.Results) {
		result = say.T("result." + string(v.Record.Results[i].Result))
	}
	args = append(args, "Result", result)
	for _, c := range v.Changes {
		if c.Seat == i+1 {
			return say.T("games.over.rated", append(args, "Change", changeText(say, c))...)
		}
	}
	return say.T("games.over", args...)
}

// lineArgs is what lines of lists say of a match, as one person sees it.
func lineArgs(say *catalogue.Printer, v *host.View, person string) []any {
	var people, others []string
	for i, p := range v.Record.Seats {
		named := mark(v, engine.Seat(i+1)) + " " + nameText(p)
		people = append(people, named)
		if p.ID != person {
			others = append(others, named)
		}
	}
	args := []any{
		"Match", say.T("board.match", "Match", int64(v.Record.ID)), "Game", gameName(say, v.Game),
		"People", strings.Join(people, ", "), "Others", strings.Join(others, ", "),
		"Since", fmt.Sprintf("<t:%d:R>", v.Since().Unix()), "Link", "",
	}
	if b := v.Board; b.Message != "" {
		args[len(args)-1] = "· " + link(say.T("games.board"), b.Place.Guild, b.Place.Channel, b.Message)
	}
	if p, ok := v.ToMove(); ok {
		args = append(args, "Mark", mark(v, v.Match.Seat()), "Who", nameText(p))
	}
	return args
}
