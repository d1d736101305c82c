package handlers

import (
	"context"
	"slices"

	"castellan/bot/browse"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/storage"
)

func (h *Handlers) listRoutes() []route {
	return []route{
		{command, "games", private(h.listGames), reading, anyone},
		{component, "games/{verb}/{list}/{page}", update(h.gamesPage), reading, anyone},
		{command, "leaderboard", private(h.leaderboard), reading, anyone},
		{component, "leaders/{verb}/{game}/{list}/{scope}/{page}", update(h.leaderboardPage), reading, anyone},
		{command, "profile", private(h.profile), reading, anyone},
		{component, "profile/{person}/{game}/{list}", update(h.profileGame), reading, anyone},
	}
}

const (
	matchesPerPage = 8  // of /games
	rowsPerPage    = 10 // of /leaderboard
)

// listGames handles /games. The response is private.
func (h *Handlers) listGames(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	list := r.Option("list")
	if list == "" {
		list = message.GameLists()[0]
	}
	return h.gamesMessage(ctx, r, list, 1)
}

func (h *Handlers) gamesPage(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	page := r.Number("page")
	return h.gamesMessage(ctx, r, r.Values["list"], page)
}

func (h *Handlers) gamesMessage(ctx context.Context, r *interaction.Request, list string, page int) (m discord.Message, err error) {
	var p browse.Page
	switch list {
	case message.ListMine:
		p, err = h.Browse.ListOwn(ctx, r.Person.ID, page, matchesPerPage)
		p.Open = h.withdrawLost(ctx, p.Open)
	case message.ListChannel:
		p, err = h.Browse.ListChannel(ctx, r.Place.Channel, page, matchesPerPage)
	case message.ListFinished:
		p, err = h.Browse.ListFinished(ctx, r.Person.ID, page, matchesPerPage)
	default:
		err = interaction.ErrBadCustomID
	}
	if err != nil {
		return m, err
	}
	return message.Games(r.Say, message.GamesData{Page: p, Person: r.Person.ID, List: list, Game: h.Games.Lookup}), nil
}

// leaderboard handles /leaderboard. The response is private: it contains the
// person's own row, and only they turn its pages.
func (h *Handlers) leaderboard(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	game, scope, list := r.Option("game"), r.Option("scope"), r.Option("list")
	if game == "" {
		g, err := h.likelyGame(ctx, r)
		if err != nil {
			return m, err
		}
		game = g.Key()
	}
	if scope == "" {
		scope = message.ScopeServer
	}
	if list == "" {
		list = string(storage.PeopleList)
	}
	return h.leaderboardMessage(ctx, r, game, list, scope, 1)
}

// leaderboardPage shows another page of /leaderboard, or another game, list or
// scope.
func (h *Handlers) leaderboardPage(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	page := r.Number("page")
	return h.leaderboardMessage(ctx, r, r.Values["game"], r.Values["list"], r.Values["scope"], page)
}

func (h *Handlers) leaderboardMessage(ctx context.Context, r *interaction.Request, game, list, scope string, page int) (m discord.Message, err error) {
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
		if err := h.checkLeaderboard(ctx, r); err != nil {
			return m, err
		}
	}
	leaders, err := h.Browse.Leaders(ctx, r.Person.ID, game, storage.RatingList(list), guild, page, rowsPerPage)
	if err != nil {
		return m, err
	}
	if guild != "" {
		var shown []string
		for _, row := range leaders.Rows {
			if !row.Person.IsFormer() && !host.IsComputer(row.Person) {
				shown = append(shown, row.Person.ID)
			}
		}
		h.Publisher.LookForMembers(guild, shown)
	}
	return message.Leaderboard(r.Say, message.LeaderboardData{
		Leaders: leaders, Scope: scope, InGuild: r.Place.Guild != "",
		Games: h.Games.Games(), Levels: h.Host.Levels(game),
	}), nil
}

// likelyGame returns the game that a person most likely means: the game played in
// the channel, or else the game they have played last, or else the first of all.
func (h *Handlers) likelyGame(ctx context.Context, r *interaction.Request) (engine.Game, error) {
	if g, err := h.gameOfChannel(ctx, r.Place.Channel); g != nil || err != nil {
		return g, err
	}
	last, err := h.Browse.LastRatedGame(ctx, r.Person.ID)
	if err != nil {
		return nil, err
	}
	if g, ok := h.Games.Lookup(last); ok {
		return g, nil
	}
	return h.Games.Games()[0], nil
}

// gameOfChannel returns the only game that is played in a channel, in the newest
// version played there. If only one game exists it returns that, and nil if no
// game or several are played there.
func (h *Handlers) gameOfChannel(ctx context.Context, channel string) (engine.Game, error) {
	running, err := h.Host.RunningIn(ctx, channel)
	if err != nil {
		return nil, err
	}
	games := h.gamesOf(running)
	if len(games) == 0 {
		games = h.Games.Games()
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
func (h *Handlers) gamesOf(matches []storage.Match) (games []engine.Game) {
	seen := map[string]bool{}
	for _, m := range matches {
		g, ok := h.Games.Lookup(m.Game)
		if !ok {
			continue
		}
		g, err := engine.AtVersion(g, m.RulesVersion)
		if err != nil || seen[h.Games.Ref(g)] {
			continue
		}
		seen[h.Games.Ref(g)] = true
		games = append(games, g)
	}
	return games
}

// profile handles /profile, for the user who is named or else for the person who
// asks. The response is private.
func (h *Handlers) profile(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	person := r.Option("user")
	if person == "" {
		person = r.Person.ID
	} else if _, ok := r.Users[person]; !ok {
		return m, errUnresolved
	}
	return h.profileMessage(ctx, r, person, "", "")
}

func (h *Handlers) profileGame(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	return h.profileMessage(ctx, r, r.Values["person"], r.Values["game"], storage.RatingList(r.Values["list"]))
}

func (h *Handlers) profileMessage(ctx context.Context, r *interaction.Request, person, game string, list storage.RatingList) (m discord.Message, err error) {
	p, err := h.Browse.Profile(ctx, r.Person.ID, r.Place.Guild, person)
	if err != nil {
		return m, err
	}
	var picture discord.File
	plotted := message.PlottedGame(p, game, list)
	if plotted != nil {
		history, err := h.Browse.RatingHistory(ctx, plotted.Game.Key(), plotted.List, person)
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
