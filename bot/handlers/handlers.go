// Package handlers answers interactions: a handler reads a request, calls a use case
// and returns the response. There is a file for each family of commands, which begins
// with its routes; [Handlers.Routes] lists the families. turn.go plays turns typed or
// pressed on the board, and panel.go those chosen step by step; find.go finds the match
// that a request means; explain.go and refusal.go say why something is refused. What
// people read is in package message.
package handlers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"castellan/bot/account"
	"castellan/bot/browse"
	"castellan/bot/catalogue"
	"castellan/bot/computer"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/publish"
	"castellan/engine"
)

// Handlers answers interactions. All fields are required.
type Handlers struct {
	Host      *host.Host
	Account   *account.Service
	Browse    *browse.Service
	Games     *engine.Registry
	Texts     *catalogue.Catalogue
	Renderer  message.Renderer
	Client    *discord.Client
	Publisher *publish.Publisher
	Computer  *computer.Scheduler
	Locales   *account.Locales
	Log       *slog.Logger

	Operators    Operators
	NoThreads    bool          // matches are played in no thread unless that is chosen
	BoardSettles time.Duration // after the post of a board, in which its buttons do nothing
	Invite       func() string // the address that adds the bot to a guild
	// CommandID returns the ID of a registered command in a guild, empty if not known.
	CommandID func(guild, name string) string

	replays cooldown
}

type route struct {
	kind    interaction.Kind
	pattern string
	handler interaction.Handler
	class   interaction.Class
	access  interaction.Access
}

// Short names for the tables of routes.
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
	always  = interaction.Always
)

// Routes returns every route with its properties.
func (h *Handlers) Routes() (routes []interaction.Route) {
	for _, r := range slices.Concat(
		h.challengeRoutes(), h.turnRoutes(), h.panelRoutes(), h.prepareRoutes(), h.offerRoutes(), h.leavingRoutes(), h.boardRoutes(), h.historyRoutes(),
		h.listRoutes(), h.helpRoutes(), h.privacyRoutes(), h.settingsRoutes(), h.matchOptionRoutes(), h.operatorRoutes(), h.organiseRoutes(), h.tournamentRoutes(),
	) {
		routes = append(routes, interaction.Route{Kind: r.kind, Pattern: r.pattern, Handler: r.handler, Class: r.class, Access: r.access})
	}
	return routes
}

// reader answers a request with a message.
type reader func(context.Context, *interaction.Request) (discord.Message, error)

// private returns the handler of a route whose message only the person sees.
func private(read reader) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		m, err := read(ctx, r)
		return interaction.Private(m), err
	}
}

// update returns the handler of a component whose message is replaced by another.
func update(read reader) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		m, err := read(ctx, r)
		return interaction.Update(m), err
	}
}

// finder returns the match that a request is about if it names none.
type finder func(context.Context, *interaction.Request) (*host.View, error)

// matchHandler answers a request about a match.
type matchHandler func(context.Context, *interaction.Request, *host.View) (interaction.Response, error)

// about returns the handler of a route that is about a match, see matchOf.
func (h *Handlers) about(find finder, handle matchHandler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		v, err := h.matchOf(ctx, r, find)
		if err != nil {
			return interaction.Response{}, err
		}
		return handle(ctx, r, v)
	}
}

// onMatch returns the routes of a command about a match: if it is not clear which match
// is meant, the command asks with a button for each.
func (h *Handlers) onMatch(name string, find finder, handle matchHandler, class interaction.Class) []route {
	chosen := func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := handle(ctx, r, r.View)
		return response.InPlace(), err
	}
	ask := func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h.about(find, handle)(ctx, r)
		if unclear, ok := errors.AsType[*ambiguousError](err); ok {
			return interaction.Private(message.ChooseMatch(r.Say, unclear.views, r.Person.ID, name)), nil
		}
		return response, err
	}
	return []route{{command, name, ask, class, checked}, {component, "match/{match}/{seq}/" + message.DoVerb + "/" + name, chosen, class, players}}
}

// Commands returns every command.
func (h *Handlers) Commands() []discord.Command {
	return message.Commands{Games: h.Games, Texts: h.Texts, Levels: h.Host.LevelChoices, NoThreads: h.NoThreads}.All()
}

// OperatorCommand returns the command that operators have in their guild.
func (h *Handlers) OperatorCommand() discord.Command {
	return message.Commands{Texts: h.Texts}.Operator()
}

// CheckBan fails if operators have banned the person of a request, or its guild.
func (h *Handlers) CheckBan(ctx context.Context, r *interaction.Request) error {
	return h.Account.CheckBan(ctx, r.Person.ID, r.Place.Guild)
}

// Authorize reads the match that a path names. It fails if the person has no
// seat in it.
func (h *Handlers) Authorize(ctx context.Context, r *interaction.Request) error {
	id, _ := r.MatchAndSeq()
	v, err := h.Host.Match(ctx, id)
	if err != nil {
		return err
	}
	if v.SeatOf(r.Person.ID) == engine.Nobody {
		return &host.Refusal{Err: host.ErrNotSeated, View: v}
	}
	r.View = v
	return nil
}
