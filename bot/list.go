package bot

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"castellan/bot/browse"
	"castellan/bot/discord"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/storage"
)

const (
	matchesPerPage = 8  // of /games
	rowsPerPage    = 10 // of /leaderboard
)

// listGames handles /games. The response is private.
func (h *handlers) listGames(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	list := r.Option("list")
	if list == "" {
		list = message.GameLists()[0]
	}
	m, err := h.gamesMessage(ctx, r, list, 1)
	return interaction.Private(m), err
}

// gamesPage shows another page of /games, or another list.
func (h *handlers) gamesPage(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	page, err := strconv.Atoi(r.Values["page"])
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	m, err := h.gamesMessage(ctx, r, r.Values["list"], page)
	return interaction.Update(m), err
}

func (h *handlers) gamesMessage(ctx context.Context, r *interaction.Request, list string, page int) (m discord.Message, err error) {
	var p browse.Page
	switch list {
	case message.ListMine:
		p, err = h.browse.ListOwn(ctx, r.Person.ID, page, matchesPerPage)
	case message.ListChannel:
		p, err = h.browse.ListChannel(ctx, r.Place.Channel, page, matchesPerPage)
	case message.ListFinished:
		p, err = h.browse.ListFinished(ctx, r.Person.ID, page, matchesPerPage)
	default:
		err = interaction.ErrBadCustomID
	}
	if err != nil {
		return m, err
	}
	return message.Games(r.Say, r.Person.ID, list, p), nil
}

// leaderboard handles /leaderboard. The response is private: it contains the
// person's own row, and only they turn its pages.
func (h *handlers) leaderboard(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	game, scope, list := r.Option("game"), r.Option("scope"), r.Option("list")
	if game == "" {
		g, err := h.likelyGame(ctx, r)
		if err != nil {
			return interaction.Response{}, err
		}
		game = g.Key()
	}
	if scope == "" {
		scope = message.ScopeServer
	}
	if list == "" {
		list = string(storage.PeopleList)
	}
	m, err := h.leaderboardMessage(ctx, r, game, list, scope, 1)
	return interaction.Private(m), err
}

// leaderboardPage shows another page of /leaderboard, or another game, list or
// scope.
func (h *handlers) leaderboardPage(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	page, err := strconv.Atoi(r.Values["page"])
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	m, err := h.leaderboardMessage(ctx, r, r.Values["game"], r.Values["list"], r.Values["scope"], page)
	return interaction.Update(m), err
}

func (h *handlers) leaderboardMessage(ctx context.Context, r *interaction.Request, game, list, scope string, page int) (m discord.Message, err error) {
	guild := ""
	switch {
	case !slices.Contains(storage.RatingLists(), storage.RatingList(list)):
		return m, interaction.ErrBadCustomID
	case scope != message.ScopeServer && scope != message.ScopeEverywhere:
		return m, interaction.ErrBadCustomID
	case r.Place.Guild == "":
		scope = message.ScopeEverywhere
	case scope == message.ScopeServer:
		guild = r.Place.Guild
		if err := h.settings.CheckLeaderboard(ctx, r); err != nil {
			return m, err
		}
	}
	leaders, err := h.browse.Leaders(ctx, r.Person.ID, game, storage.RatingList(list), guild, page, rowsPerPage)
	if err != nil {
		return m, err
	}
	return message.Leaderboard(r.Say, message.LeaderboardData{
		Leaders: leaders, Scope: scope, InGuild: r.Place.Guild != "",
		Games: h.games.Games(), Computers: len(h.host.Levels(game)) > 0,
	}), nil
}

// likelyGame returns the game that a person most likely means: the game played in
// the channel, or else the game they have played last, or else the first of all.
func (h *handlers) likelyGame(ctx context.Context, r *interaction.Request) (engine.Game, error) {
	if g, err := h.gameOfChannel(ctx, r.Place.Channel); g != nil || err != nil {
		return g, err
	}
	last, err := h.browse.LastRatedGame(ctx, r.Person.ID)
	if err != nil {
		return nil, err
	}
	if g, ok := h.games.Lookup(last); ok {
		return g, nil
	}
	return h.games.Games()[0], nil
}

// gameOfChannel returns the only game that is played in a channel, in the newest
// version played there. If only one game exists it returns that, and nil if no
// game or several are played there.
func (h *handlers) gameOfChannel(ctx context.Context, channel string) (engine.Game, error) {
	running, err := h.host.RunningIn(ctx, channel)
	if err != nil {
		return nil, err
	}
	games := h.gamesOf(running)
	if len(games) == 0 {
		games = h.games.Games()
	}
	newest := games[0]
	for _, g := range games[1:] {
		if g.Key() != newest.Key() {
			return nil, nil
		}
		if g.Version() > newest.Version() {
			newest = g
		}
	}
	return newest, nil
}

// gamesOf returns the games of matches, each version once.
func (h *handlers) gamesOf(matches []storage.Match) (games []engine.Game) {
	seen := map[string]bool{}
	for _, m := range matches {
		g, ok := h.games.Lookup(m.Game)
		if !ok {
			continue
		}
		g, err := engine.AtVersion(g, m.RulesVersion)
		if err != nil || seen[h.games.Ref(g)] {
			continue
		}
		seen[h.games.Ref(g)] = true
		games = append(games, g)
	}
	return games
}

// profile handles /profile, for the user who is named or else for the person who
// asks. The response is private.
func (h *handlers) profile(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	person := r.Option("user")
	if person == "" {
		person = r.Person.ID
	} else if _, ok := r.Users[person]; !ok {
		return interaction.Response{}, errors.New("the command does not resolve the user")
	}
	m, err := h.profileMessage(ctx, r, person, "", "")
	return interaction.Private(m), err
}

// profileGame updates a profile with the rating plot of another game.
func (h *handlers) profileGame(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	m, err := h.profileMessage(ctx, r, r.Values["person"], r.Values["game"], storage.RatingList(r.Values["list"]))
	return interaction.Update(m), err
}

func (h *handlers) profileMessage(ctx context.Context, r *interaction.Request, person, game string, list storage.RatingList) (m discord.Message, err error) {
	p, err := h.browse.Profile(ctx, r.Person.ID, r.Place.Guild, person)
	if err != nil {
		return m, err
	}
	var picture discord.File
	plotted := message.PlottedGame(p, game, list)
	if plotted != nil {
		history, err := h.browse.RatingHistory(ctx, plotted.Game.Key(), plotted.List, person)
		if err != nil {
			return m, err
		}
		renderer, err := h.rendererFor(ctx, r.Person.ID, nil)
		if err != nil {
			return m, err
		}
		if picture, err = message.DrawRating(ctx, renderer, r.Say, person, plotted, history); err != nil {
			return m, err
		}
	}
	return message.Profile(r.Say, r.Person.ID, p, plotted, picture), nil
}
