package bot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/imaging"
	"castellan/storage"
)

// onProfile is /profile: of the person who is named, or of who asks. The
// answer is private.
func (b *Bot) onProfile(ctx context.Context, r *Request) (Response, error) {
	person := r.text("user")
	if person == "" {
		person = r.Person.ID
	} else if _, ok := r.people[person]; !ok {
		return Response{}, errors.New("the command does not say who the user is")
	}
	m, err := b.profileMessage(ctx, r, person, "", "")
	if err != nil {
		return Response{}, err
	}
	return Private(m), nil
}

// onProfileGame shows the plot of another game.
func (b *Bot) onProfileGame(ctx context.Context, r *Request) (Response, error) {
	m, err := b.profileMessage(ctx, r, r.values["person"], r.values["game"], storage.List(r.values["list"]))
	if err != nil {
		return Response{}, err
	}
	return Update(m), nil
}

// profileMessage is what is known of a person, with the plot of their rating
// in a game on a list; in the one that they played last where none is named.
func (b *Bot) profileMessage(ctx context.Context, r *Request, person, game string, list storage.List) (discord.Message, error) {
	p, err := b.host.Profile(ctx, r.Person.ID, r.Place.Guild, person)
	if err != nil {
		return discord.Message{}, err
	}
	say := r.Say
	parts := []discord.Component{discord.TextDisplay{Content: say.T("profile.title", "Who", mention(person)) + "\n" + profileLines(say, r, p)}}
	var m discord.Message
	if g, all := plotted(p, game, list); g != nil {
		picture, err := b.plot(ctx, say, person, g)
		if err != nil {
			return discord.Message{}, err
		}
		m.Files = []discord.File{picture}
		matches := say.T("matches.count", "Count", g.Rating.Matches)
		parts = append(parts,
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.TextDisplay{Content: "-# " + say.T("profile.plot", "Game", gameOn(say, g.Game, g.List), "Matches", matches)})
		parts = append(parts, plotButtons(say, person, g, all)...)
	}
	if len(p.Recent) > 0 {
		lines := []string{bold(say.T("profile.recent"))}
		for _, v := range p.Recent {
			lines = append(lines, finishedLine(say, v, person))
		}
		parts = append(parts, discord.Separator{}, discord.TextDisplay{Content: strings.Join(lines, "\n")})
	}
	m.Components = []discord.Component{discord.Container{AccentColor: neutral(), Components: parts}}
	return m, nil
}

// plotted is the game whose rating is plotted, nil where there is none, and
// all that could be.
func plotted(p host.Profile, game string, list storage.List) (chosen *host.GameProfile, all []*host.GameProfile) {
	for i := range p.Games {
		g := &p.Games[i]
		if g.Rating == nil {
			continue
		}
		all = append(all, g)
		if chosen == nil || g.Game.Key() == game && g.List == list {
			chosen = g
		}
	}
	return chosen, all
}

// plotButtons is a button for each rating that can be plotted, of which one is.
func plotButtons(say *catalogue.Printer, person string, shown *host.GameProfile, all []*host.GameProfile) (rows []discord.Component) {
	if len(all) < 2 {
		return nil
	}
	var row discord.ActionRow
	for _, g := range all {
		if len(row.Buttons) == buttonsPerRow {
			rows, row = append(rows, row), discord.ActionRow{}
		}
		id := fmt.Sprintf("profile/%s/%s/%s", person, g.Game.Key(), g.List)
		row.Buttons = append(row.Buttons, chooseButton(gameOn(say, g.Game, g.List), id, g == shown))
	}
	return append(rows, row)
}

// profileLines is the results: a line for each game, the streaks, and how it
// stands with who asks.
func profileLines(say *catalogue.Printer, r *Request, p host.Profile) string {
	if len(p.Games) == 0 {
		return say.T("profile.empty")
	}
	var lines []string
	for _, g := range p.Games {
		args := []any{"Game", gameOn(say, g.Game, g.List), "Tally", tallyText(say, g.Tally)}
		if g.Rating == nil {
			lines = append(lines, say.T("profile.unrated", args...))
			continue
		}
		args = append(args, "Rating", ratingText(say, g.Rating.Figures, g.Provisional))
		lines = append(lines, say.T("profile.game", args...))
	}
	if p.Now.Length > 0 { // not all were against the computer
		streak := say.T("streak."+string(p.Now.Result), "Count", p.Now.Length)
		if p.Best > 0 {
			streak += " · " + say.T("profile.best", "Best", p.Best)
		}
		lines = append(lines, streak)
	}
	switch {
	case p.Person == r.Person.ID:
	case p.Against.All() == 0:
		lines = append(lines, say.T("profile.strangers"))
	default:
		lines = append(lines, say.T("profile.against", "Won", p.Against.Won, "Drawn", p.Against.Drawn, "Lost", p.Against.Lost))
	}
	return strings.Join(lines, "\n")
}

func tallyText(say *catalogue.Printer, t host.Tally) string {
	won := say.T("profile.won", "Won", t.Won)
	if t.Shared > 0 {
		won = say.T("profile.shared", "Won", t.Won+t.Shared, "Shared", t.Shared)
	}
	return say.T("profile.tally", "Won", won, "Drawn", t.Drawn, "Lost", t.Lost)
}

// plot draws the course of a person's rating in a game.
func (b *Bot) plot(ctx context.Context, say *catalogue.Printer, person string, g *host.GameProfile) (discord.File, error) {
	key := g.Game.Key()
	history, err := b.host.RatingHistory(ctx, key, g.List, person)
	if err != nil {
		return discord.File{}, err
	}
	data, err := b.config.Pictures.Plot(ctx, course(history), theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("drawing the rating of %s in %s: %w", person, key, err)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range history {
		low, high = min(low, c.After.Mean), max(high, c.After.Mean)
	}
	whole := func(mean float64) string { return ratingText(say, storage.Figures{Mean: mean}, false) }
	return discord.File{
		Name: fmt.Sprintf("rating-%s-%s-%d.png", key, person, g.Rating.Match), ContentType: "image/png", Data: data,
		Description: say.T("profile.alt", "Game", gameOn(say, g.Game, g.List), "Now", ratingText(say, g.Rating.Figures, g.Provisional),
			"High", whole(high), "Low", whole(low), "Matches", say.T("matches.count", "Count", g.Rating.Matches)),
	}, nil
}

// course is the history of a rating as it is drawn. A match that ended by a
// clock that had gone back stands where the one before it does.
func course(history []storage.RatingChange) (p imaging.Plot) {
	for _, c := range history {
		point := imaging.PlotPoint{
			At: c.At, Mean: c.After.Mean, Deviation: c.After.Deviation, Provisional: host.IsProvisional(c.After),
		}
		if n := len(p.Points); n > 0 && point.At.Before(p.Points[n-1].At) {
			point.At = p.Points[n-1].At
		}
		p.Points = append(p.Points, point)
	}
	return p
}
