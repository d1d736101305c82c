package message

import (
	"context"
	"fmt"
	"math"
	"strings"

	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/imaging"
	"castellan/storage"
)

// PlottedGame returns the game whose rating a profile plots: the one that is
// named, or the one played last if none is; nil if none has two rated matches.
func PlottedGame(p browse.Profile, game string, list storage.RatingList) *browse.GameProfile {
	rated := plottedGames(p)
	for _, g := range rated {
		if g.Game.Key() == game && g.List == list {
			return g
		}
	}
	if len(rated) > 0 {
		return rated[0]
	}
	return nil
}

// plottedGames returns the games with two rated matches: one is only a point.
func plottedGames(p browse.Profile) (rated []*browse.GameProfile) {
	for i := range p.Games {
		if r := p.Games[i].Rating; r != nil && r.Matches > 1 {
			rated = append(rated, &p.Games[i])
		}
	}
	return rated
}

// Profile returns what is known of a person, as asker sees it. plotted is the
// game whose rating the picture shows; without one there is no picture.
func Profile(say *catalogue.Printer, asker string, p browse.Profile, plotted *browse.GameProfile, picture discord.File) discord.Message {
	var m discord.Message
	parts := []discord.Component{discord.TextDisplay{Content: say.T("profile.title", "Who", discord.MentionUser(p.Person)) + "\n" + profileText(say, asker, p)}}
	if plotted != nil {
		m.Files = []discord.File{picture}
		matches := say.T("matches.count", "Count", plotted.Rating.Matches)
		parts = append(parts,
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.TextDisplay{Content: "-# " + say.T("profile.plot", "Game", listGameName(say, plotted.Game, plotted.List), "Matches", matches)})
		parts = append(parts, plotButtons(say, p, plotted)...)
	}
	if len(p.Recent) > 0 {
		lines := []string{discord.Bold(say.T("profile.recent"))}
		for _, v := range p.Recent {
			lines = append(lines, finishedLine(say, v, p.Person))
		}
		parts = append(parts, discord.Separator{}, discord.TextDisplay{Content: strings.Join(lines, "\n")})
	}
	m.Components = containerMessage(parts...).Components
	return m
}

func plotButtons(say *catalogue.Printer, p browse.Profile, plotted *browse.GameProfile) []discord.Component {
	rated := plottedGames(p)
	if len(rated) < 2 {
		return nil
	}
	var buttons []discord.Button
	for _, g := range rated {
		id := fmt.Sprintf("profile/%s/%s/%s", p.Person, g.Game.Key(), g.List)
		buttons = append(buttons, choiceButton(listGameName(say, g.Game, g.List), id, g.Game.Key() == plotted.Game.Key() && g.List == plotted.List))
	}
	return discord.ButtonRows(buttons)
}

// profileText returns a line of results for each game, the streaks, and the
// results against asker.
func profileText(say *catalogue.Printer, asker string, p browse.Profile) string {
	if len(p.Games) == 0 {
		return say.T("profile.empty")
	}
	var lines []string
	for _, g := range p.Games {
		args := []any{"Game", listGameName(say, g.Game, g.List), "Tally", tallyText(say, g.Tally)}
		if g.Rating == nil {
			lines = append(lines, say.T("profile.unrated", args...))
			continue
		}
		lines = append(lines, say.T("profile.game", append(args, "Rating", ratingText(say, g.Rating.Estimate, g.Provisional))...))
	}
	if p.CurrentStreak.Length > 0 { // there are matches among people
		streak := say.T("streak."+string(p.CurrentStreak.Result), "Count", p.CurrentStreak.Length)
		if p.BestStreak > 0 {
			streak += " · " + say.T("profile.best", "Best", p.BestStreak)
		}
		lines = append(lines, streak)
	}
	switch h := p.HeadToHead; {
	case p.Person == asker:
	case h.Total() == 0:
		lines = append(lines, say.T("profile.strangers"))
	default:
		lines = append(lines, say.T("profile.against", "Won", h.Won, "Drawn", h.Drawn, "Lost", h.Lost))
	}
	return strings.Join(lines, "\n")
}

func tallyText(say *catalogue.Printer, t browse.Tally) string {
	won := say.T("profile.won", "Won", t.Won)
	if t.Shared > 0 {
		won = say.T("profile.shared", "Won", t.Won+t.Shared, "Shared", t.Shared)
	}
	return say.T("profile.tally", "Won", won, "Drawn", t.Drawn, "Lost", t.Lost)
}

// DrawRating plots the history of a person's rating in a game.
func DrawRating(ctx context.Context, r Themed, say *catalogue.Printer, person string, g *browse.GameProfile, history []storage.RatingChange) (discord.File, error) {
	key := g.Game.Key()
	data, err := r.Plot(ctx, ratingPlot(history), r.Theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("drawing the rating of %s in %s: %w", person, key, err)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range history {
		low, high = min(low, c.After.Mean), max(high, c.After.Mean)
	}
	whole := func(mean float64) string { return ratingText(say, storage.Estimate{Mean: mean}, false) }
	altText := say.T("profile.alt", "Game", listGameName(say, g.Game, g.List), "Now", ratingText(say, g.Rating.Estimate, g.Provisional),
		"High", whole(high), "Low", whole(low), "Matches", say.T("matches.count", "Count", g.Rating.Matches))
	return pngFile(fmt.Sprintf("rating-%s-%s-%d.png", key, person, g.Rating.Match), altText, data), nil
}

// ratingPlot returns the history of a rating as it is drawn. A match that ended
// while the clock was behind is drawn at the time of the one before it.
func ratingPlot(history []storage.RatingChange) (p imaging.Plot) {
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
