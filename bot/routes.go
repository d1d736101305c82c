package bot

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/bot/language"
	"castellan/bot/message"
	"castellan/bot/prepare"
	"castellan/bot/privacy"
	"castellan/bot/publish"
	"castellan/bot/settings"
	"castellan/bot/tap"
	"castellan/engine"
)

// handlers answers interactions. Each family of commands has a file.
type handlers struct {
	host      *host.Host
	account   *account.Service
	settings  *settings.Handlers
	privacy   *privacy.Handlers
	browse    *browse.Service
	games     *engine.Registry
	texts     *catalogue.Catalogue
	renderer  message.Renderer
	client    *discord.Client
	publisher *publish.Publisher
	computer  *computer.Scheduler
	languages *language.Book
	log       *slog.Logger
	noThreads bool

	boardSettles time.Duration // see Config
	prepare      *prepare.Handlers
	tap          *tap.Server   // nil without Config.TapAddress
	invite       func() string // the address that adds the bot to a guild
}

// routes returns every route with its properties.
func (h *handlers) routes() []interaction.Route {
	const (
		command      = interaction.Command
		component    = interaction.Component
		autocomplete = interaction.Autocomplete

		ordinary = interaction.Ordinary
		reading  = interaction.Reading
		leaving  = interaction.Leaving
		typing   = interaction.Typing

		anyone  = interaction.Anyone
		checked = interaction.Checked
		players = interaction.Players
	)
	var routes []interaction.Route
	for _, r := range []struct {
		kind    interaction.Kind
		pattern string
		handler interaction.Handler
		class   interaction.Class
		access  interaction.Access
	}{
		{command, "challenge/{game}", h.challenge, ordinary, anyone},
		{autocomplete, "challenge/{game}/{option}", h.suggestOption, typing, anyone},
		{component, "challenge/{challenge}/accept", h.accept, ordinary, checked},
		{component, "challenge/{challenge}/decline", h.decline, leaving, checked},
		{component, "challenge/{challenge}/cancel", h.cancel, leaving, checked},
		{component, "challenge/{challenge}/join", h.join, ordinary, checked},
		{component, "challenge/{challenge}/leave", h.leave, leaving, checked},
		{component, "challenge/{challenge}/start", h.start, ordinary, checked},
		{component, "challenge/{challenge}/computer/{revision}", h.changeComputers, ordinary, checked},
		{command, "user/challenge", h.challengeUser, ordinary, anyone},
		{component, "duel/{game}/{person}/{name...}", h.challengeToGame, ordinary, anyone},
		{command, "rematch", h.rematchCommand, ordinary, checked},
		{component, "match/{match}/{seq}/rematch", h.rematchButton, ordinary, checked},

		{component, "match/{match}/{seq}/rematch/{which}", h.rematchLevel, ordinary, checked},
		{command, "move", h.move, ordinary, checked},
		{autocomplete, "move/turn", h.suggestTurn, typing, anyone},
		{command, "end", h.end, ordinary, checked},
		{command, "undo", h.undo, ordinary, checked},
		{command, "hint", h.hint, reading, checked},
		{component, "match/{match}/{seq}/act/{token...}", h.actionButton, ordinary, checked},
		{component, "match/{match}/{seq}/turn", h.openPanel, ordinary, anyone},
		{component, "match/{match}/{seq}/from/{path...}", h.openPanel, ordinary, anyone},
		{component, "match/{match}/{seq}/pick/{salt}/{path...}", h.pick, ordinary, players},
		{component, "match/{match}/{seq}/zoom/{salt}/{part}", h.zoomButton, ordinary, anyone},
		{component, "match/{match}/{seq}/undo/{salt}", h.undoButton, ordinary, players},
		{component, "match/{match}/{seq}/line/{line...}", h.lineButton, ordinary, players},
		{component, "match/{match}/{seq}/takeback", h.takebackButton, ordinary, players},
		{component, "match/{match}/{seq}/confirm/{line...}", h.confirmButton, ordinary, players},

		{command, "prepare", h.prepare.Command, ordinary, checked},
		{autocomplete, "prepare/if", h.prepare.Suggest, typing, anyone},
		{autocomplete, "prepare/then", h.prepare.Suggest, typing, anyone},
		{component, "match/{match}/{seq}/prepare", h.prepare.Open, ordinary, players},
		{component, "match/{match}/{seq}/prepare/{salt}/{revision}/{path...}", h.prepare.Button, ordinary, players},

		{command, "resign", h.askResign, leaving, checked},
		{component, "match/{match}/{seq}/resign", h.resign, leaving, checked},
		{component, "match/{match}/{seq}/stay", h.stay, leaving, anyone},
		{command, "takeback", h.offerCommand(offers.Takeback), ordinary, checked},
		{command, "draw", h.offerCommand(offers.Draw), ordinary, checked},
		{command, "time", h.offerCommand(offers.Time), ordinary, checked},
		{command, "abort", h.offerCommand(offers.Abort), ordinary, checked},
		{component, "match/{match}/{seq}/offers", h.offersButton, ordinary, players},
		{component, "match/{match}/{seq}/offer/{kind}", h.offerButton, ordinary, players},
		{component, "match/{match}/{seq}/answer/{number}/{answer}", h.answerButton, ordinary, players},
		{command, "claim", h.askClaim, leaving, checked},
		{component, "match/{match}/{seq}/claim", h.claimButton, leaving, checked},
		{component, "match/{match}/{seq}/claimed", h.claim, leaving, checked},
		{component, "match/{match}/{seq}/wait", h.wait, leaving, anyone},

		{command, "board", h.board, ordinary, checked},
		{component, "match/{match}/{seq}/look/{button}/{turn}", h.lookButton, reading, anyone},
		{command, "replay", h.replay, reading, checked},
		{component, "match/{match}/{seq}/replay", h.replayButton, reading, anyone},
		{component, "match/{match}/{seq}/replay/post", h.postReplayButton, reading, anyone},
		{command, "record", h.record, reading, checked},
		{component, "record/{button}/{turn}", h.recordTurn, reading, anyone},
		{command, "games", h.listGames, reading, anyone},
		{component, "games/{verb}/{list}/{page}", h.gamesPage, reading, anyone},
		{command, "leaderboard", h.leaderboard, reading, anyone},
		{component, "leaders/{verb}/{game}/{list}/{scope}/{page}", h.leaderboardPage, reading, anyone},
		{command, "profile", h.profile, reading, anyone},
		{component, "profile/{person}/{game}/{list}", h.profileGame, reading, anyone},
		{command, "rules", h.rules, reading, anyone},
		{component, "rules/{game}/{page}", h.rulesPage(interaction.Update), reading, anyone},
		{component, "rules/{game}/{page}/open", h.rulesPage(interaction.Private), reading, anyone},
		{command, "help", h.help, reading, anyone},
		{component, "help/{level}", h.helpAt, reading, anyone},
		{command, "privacy", h.privacy.Show, reading, anyone},
		{component, "privacy/export", h.privacy.Export, reading, anyone},
		{component, "privacy/ask", h.privacy.Ask, reading, anyone},
		{component, "privacy/keep", h.privacy.Keep, reading, anyone},
		{component, "privacy/forget", h.privacy.Forget, leaving, anyone},
		{command, "block", h.privacy.Block, ordinary, anyone},
		{component, "block/remove", h.privacy.Unblock, ordinary, anyone},
		{component, "block/remove/{person}", h.privacy.Unblock, ordinary, anyone},
		{command, "preferences", h.settings.ShowPreferences, ordinary, anyone},
		{component, "preferences/{name}/{choice}", h.settings.SetPreference, ordinary, anyone},
		{command, "settings", h.settings.Show, ordinary, checked},
		{component, "settings/{name}/{choice}", h.settings.Set, ordinary, checked},
	} {
		routes = append(routes, interaction.Route{Kind: r.kind, Pattern: r.pattern, Handler: r.handler, Class: r.class, Access: r.access})
	}
	for commands, suggest := range map[string]interaction.Handler{
		"move end undo hint prepare resign takeback draw time abort claim": suggestMatch("suggest.match", h.runningList),
		"board":         suggestMatch("suggest.match.any", h.runningList, h.endedList),
		"replay record": suggestMatch("suggest.match.any", h.endedList, h.runningList),
		"rematch":       suggestMatch("games.none.finished", h.endedList),
	} {
		for command := range strings.FieldsSeq(commands) {
			routes = append(routes, interaction.Route{Kind: autocomplete, Pattern: command + "/match", Handler: suggest, Class: typing, Access: anyone})
		}
	}
	return routes
}

// authorize reads the match that a path names. It fails if the person has no
// seat in it.
func (h *handlers) authorize(ctx context.Context, r *interaction.Request) error {
	id, _, err := r.MatchAndSeq()
	if err != nil {
		return err
	}
	v, err := h.host.Match(ctx, id)
	if err != nil {
		return err
	}
	if v.SeatOf(r.Person.ID) == engine.Nobody {
		return &host.Refusal{Err: host.ErrNotSeated, View: v}
	}
	r.View = v
	return nil
}
