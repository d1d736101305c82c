package handlers

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

func (h *Handlers) tournamentRoutes() []route {
	return []route{
		{command, "tournament/create", private(h.createTournament), ordinary, anyone},
		{command, "tournament/list", private(h.listTournaments), reading, anyone},
		{component, "tournament/{tournament}/join", private(h.tournamentPress(h.Host.JoinTournament, "tournament.in")), ordinary, checked},
		{component, "tournament/{tournament}/leave", private(h.tournamentPress(h.Host.LeaveTournament, "tournament.out")), leaving, checked},
		{component, "tournament/{tournament}/organise", private(h.tournamentPanel), reading, anyone},
		{component, "tournament/{tournament}/start", update(h.organiserPress(h.Host.StartTournament, "tournament.begun")), ordinary, checked},
		{component, "tournament/{tournament}/cancel", update(h.organiserPress(h.Host.CancelTournament, "tournament.off")), leaving, checked},
		{component, "tournament/{tournament}/withdraw/{revision}", update(h.withdrawPlayer), ordinary, checked},
	}
}

// endedTournaments is how many tournaments that are over /tournament list shows.
const endedTournaments = 5

func (h *Handlers) createTournament(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	guild, err := h.guildDefaults(ctx, r)
	if err != nil {
		return m, err
	}
	g, ok := h.Games.Lookup(r.Option("game"))
	if !ok {
		return m, &host.Refusal{Err: host.ErrUnknownGame}
	}
	minutes, err := strconv.Atoi(r.Option("start"))
	if err != nil {
		return m, &host.Refusal{Err: host.ErrTournamentTime}
	}
	rounds := 0
	if text := r.Option("rounds"); text != "" {
		if rounds, err = strconv.Atoi(text); err != nil {
			return m, &host.Refusal{Err: host.ErrTournamentRounds}
		}
	}
	rated := r.Option("rated")
	t := storage.Tournament{
		Place: r.Place, Name: cmp.Or(r.Option("name"), r.Public.Text(g.Texts().Phrase(g.Key()+".name"))), Game: g.Key(), Format: r.Option("format"),
		Clock: cmp.Or(r.Option("clock"), message.TournamentClock), Unrated: rated == "false" || rated == "" && guild.Unrated,
		Rounds: rounds, StartsAt: h.Host.Now().Add(time.Duration(minutes) * time.Minute),
	}
	var note string
	t.Thread, note = h.wantsThread(r, guild)
	if t, err = h.Host.CreateTournament(ctx, r.Actor(), t, nil); err != nil {
		return m, err
	}
	shown, err := h.Publisher.ShowTournament(ctx, t.ID)
	if err != nil {
		return discord.TextMessage(h.notShown(r, t.Place, err, "tournament.kept") + note), nil
	}
	return discord.TextMessage(message.TournamentText(r.Say, "tournament.created", shown) + note), nil
}

func (h *Handlers) listTournaments(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	all, err := h.Host.Tournaments(ctx, r.Place.Guild, endedTournaments)
	return message.Tournaments(r.Say, all), err
}

// tournamentOf returns the tournament that a path names.
func tournamentOf(r *interaction.Request) storage.TournamentID {
	return storage.TournamentID(r.Number("tournament"))
}

// tournamentPress returns the reader of a button of a tournament: it carries out a use
// case, brings the message up to date and says what was done.
func (h *Handlers) tournamentPress(do func(context.Context, host.Actor, storage.TournamentID) (storage.Tournament, error), key string) reader {
	return func(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
		t, err := do(ctx, r.Actor(), tournamentOf(r))
		if err != nil {
			return m, err
		}
		r.Acknowledge()
		h.showTournament(ctx, t.ID)
		return discord.TextMessage(message.TournamentText(r.Say, key, t)), nil
	}
}

// showTournament brings the message of a tournament up to date; if that fails, the
// reconciler does it.
func (h *Handlers) showTournament(ctx context.Context, id storage.TournamentID) {
	if _, err := h.Publisher.ShowTournament(ctx, id); err != nil {
		h.Log.Debug("a tournament is not up to date yet", "tournament", id, "error", err)
	}
}

func (h *Handlers) tournamentOrganiser(ctx context.Context, r *interaction.Request) (o host.Organiser, err error) {
	o.Actor = r.Actor()
	o.Manages, err = h.organises(ctx, r)
	return o, err
}

func (h *Handlers) tournamentPanel(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	o, err := h.tournamentOrganiser(ctx, r)
	if err != nil {
		return m, err
	}
	t, err := h.Host.Tournament(ctx, tournamentOf(r))
	switch {
	case err != nil:
		return m, err
	case t.Place.Guild != r.Place.Guild:
		return m, &host.Refusal{Err: host.ErrNoTournament}
	case !t.EndedAt.IsZero():
		return m, &host.TournamentRefusal{Err: host.ErrTournamentOver, Tournament: t}
	case !o.Manages && r.Person.ID != t.Organiser.ID:
		return m, &host.TournamentRefusal{Err: host.ErrNotOrganiser, Tournament: t}
	}
	return message.TournamentPanel(r.Say, t), nil
}

func (h *Handlers) organiserPress(do func(context.Context, host.Organiser, storage.TournamentID) (storage.Tournament, error), key string) reader {
	return func(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
		o, err := h.tournamentOrganiser(ctx, r)
		if err != nil {
			return m, err
		}
		t, err := do(ctx, o, tournamentOf(r))
		if err != nil {
			return m, err
		}
		h.Publisher.Wake() // which shows the matches first
		return discord.TextMessage(message.TournamentText(r.Say, key, t)), nil
	}
}

func (h *Handlers) withdrawPlayer(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	if len(r.Picks) != 1 {
		return m, interaction.ErrBadCustomID
	}
	o, err := h.tournamentOrganiser(ctx, r)
	if err != nil {
		return m, err
	}
	t, err := h.Host.WithdrawFromTournament(ctx, o, tournamentOf(r), r.Picks[0])
	if err != nil {
		return m, err
	}
	r.Acknowledge()
	h.showTournament(ctx, t.ID)
	return message.TournamentPanel(r.Say, t), nil
}

// tournamentErrors maps errors about tournaments to the keys of their sentences.
var tournamentErrors = []struct {
	err error
	key string
}{
	{host.ErrNoTournament, "error.tournament"},
	{host.ErrTournamentClock, "error.tournament.clock"},
	{host.ErrTournamentSeats, "error.tournament.seats"},
	{host.ErrTournamentTime, "error.tournament.time"},
	{host.ErrTournamentName, "error.tournament.name"},
	{host.ErrTournamentRounds, "error.tournament.rounds"},
	{host.ErrTournamentFormat, "error.tournament.format"},
	{host.ErrTooManyTournaments, "error.tournament.many"},
	{host.ErrTournamentOver, "error.tournament.over"},
	{host.ErrTournamentBegun, "error.tournament.begun"},
	{host.ErrTournamentFull, "error.tournament.full"},
	{host.ErrInTournament, "error.tournament.in"},
	{host.ErrNotInTournament, "error.tournament.out"},
	{host.ErrNotOrganiser, "error.tournament.organiser"},
	{host.ErrTooFewJoined, "error.tournament.few"},
}

func explainTournament(r *interaction.Request, err error) (string, bool) {
	refused, _ := errors.AsType[*host.TournamentRefusal](err)
	for _, e := range tournamentErrors {
		if errors.Is(err, e.err) {
			who := storage.Person{}
			if refused != nil {
				who = refused.Tournament.Organiser
			}
			return r.Say.T(e.key, "Most", host.MostTournaments, "Own", host.MostOwnTournaments, "Characters", host.MaxTournamentName, "Who", message.Name(r.Say, who)), true
		}
	}
	return "", false
}
