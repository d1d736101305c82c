package handlers

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

func (h *Handlers) organiseRoutes() (routes []route) {
	routes = []route{{command, "organise", private(h.organising(h.organise)), ordinary, checked}}
	for pattern, do := range map[string]reader{
		"panel": h.organisePanel, "pick": h.organisePick, "new": h.organiseNew, "game/{clock}": h.organiseNew, "clock/{game}": h.organiseNew,
		"players/{game}/{clock}": h.startFor, "decide/{match}/{verdict}": h.adjudicate, "void/{match}": h.voidResult, "revert/{match}/{seq}": h.revert,
		"withdraw/{challenge}": h.withdrawOthers, "freeze": h.freeze, "thaw": h.freeze, "acts": h.organiserActs,
	} {
		routes = append(routes, route{component, "organise/" + pattern, update(h.organising(do)), ordinary, checked})
	}
	return routes
}

var errNotOrganiser = errors.New("the person does not organise matches in the guild")

// organising keeps everybody but organisers from a handler: people with the role of the
// settings, and those who manage the guild.
func (h *Handlers) organising(do reader) reader {
	return func(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
		if err := checkPostable(r); err != nil {
			return m, err
		}
		if r.Organises, err = h.organises(ctx, r); err != nil {
			return m, err
		}
		if !r.Organises {
			return m, errNotOrganiser
		}
		return do(ctx, r)
	}
}

// organises reports whether a person organises the matches of the guild.
func (h *Handlers) organises(ctx context.Context, r *interaction.Request) (bool, error) {
	g, err := h.Account.Settings(ctx, r.Place.Guild)
	return manages(r) || g.Organiser != "" && slices.Contains(r.Roles, g.Organiser), err
}

// organise handles the command: it shows the match that is named, or else the panel.
func (h *Handlers) organise(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	if v, err := h.namedMatch(ctx, r); v != nil || err != nil {
		if err == nil && v.Record.Place.Guild != r.Place.Guild {
			err = &host.Refusal{Err: host.ErrNoMatch}
		}
		if err != nil {
			return m, err
		}
		return message.OrganiseMatch(r.Say, v, r.Person.ID), nil
	}
	return h.organisePanel(ctx, r)
}

func (h *Handlers) organisePanel(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	d := message.OrganiseData{Game: h.Games.Lookup, Person: r.Person.ID}
	if d.ToOrganise, err = h.Host.ToOrganise(ctx, r.Place); err != nil {
		return m, err
	}
	d.Freeze, err = h.Host.Frozen(ctx, r.Place.Guild)
	return message.Organise(r.Say, d), err
}

// organisePick shows the match or challenge that was picked.
func (h *Handlers) organisePick(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	kind, number, _ := strings.Cut(strings.Join(r.Picks, ""), " ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return m, interaction.ErrBadCustomID
	}
	if kind+" "+number == storage.MatchTarget(storage.MatchID(id)) {
		v, err := h.Host.Match(ctx, storage.MatchID(id))
		if err != nil {
			return m, err
		}
		if v.Record.Place.Guild != r.Place.Guild {
			return m, &host.Refusal{Err: host.ErrNoMatch}
		}
		return message.OrganiseMatch(r.Say, v, r.Person.ID), nil
	}
	ch, err := h.Host.FindChallenge(ctx, storage.ChallengeID(id))
	if err != nil {
		return m, err
	}
	g, ok := h.Games.Lookup(ch.Game)
	if !ok || ch.Place.Guild != r.Place.Guild {
		return m, &host.Refusal{Err: host.ErrNoChallenge}
	}
	return message.OrganiseChallenge(r.Say, ch, g), nil
}

// chosenGame returns the game and the index of the clock that the path of a request and
// what was picked in it say.
func (h *Handlers) chosenGame(r *interaction.Request) (game engine.Game, clock int, err error) {
	games := h.Games.Games()
	game, picked := games[0], strings.Join(r.Picks, "")
	key, index := r.Values["game"], r.Values["clock"]
	switch {
	case key == "" && index != "":
		key = picked
	case key != "" && index == "":
		index = picked
	}
	ok := true
	if key != "" {
		game, ok = h.Games.Lookup(key)
	}
	if index != "" {
		clock, err = strconv.Atoi(index)
	}
	if !ok || err != nil || clock < 0 || clock >= len(host.ClockChoices()) {
		err = interaction.ErrBadCustomID
	}
	return game, clock, err
}

// organiseNew asks for the game, the clock and the players of a match for others. At first
// the clock is that of the settings.
func (h *Handlers) organiseNew(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	game, clock, err := h.chosenGame(r)
	if err == nil && r.Values["game"]+r.Values["clock"] == "" {
		g, settingsErr := h.guildDefaults(ctx, r)
		clock, err = max(slices.Index(host.ClockChoices(), g.Clock), 0), settingsErr
	}
	if err != nil {
		return m, err
	}
	return message.OrganiseNew(r.Say, h.Games.Games(), game, clock), nil
}

// startFor starts a match for the people who were picked.
func (h *Handlers) startFor(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	game, clock, err := h.chosenGame(r)
	if err != nil {
		return m, err
	}
	guild, err := h.guildDefaults(ctx, r)
	if err != nil {
		return m, err
	}
	p := host.Proposal{Place: r.Place, Game: game.Key(), Clock: host.ClockChoices()[clock], Unrated: guild.Unrated}
	p.Thread, _ = h.wantsThread(r, guild)
	for _, id := range r.Picks {
		user, err := namedUser(r, id)
		if errors.Is(err, errOwnOpponent) {
			err = errBotOpponent
		}
		if err != nil {
			return m, err
		}
		p.Opponents = append(p.Opponents, user)
	}
	ch, err := h.Host.StartFor(ctx, r.Actor(), p)
	if err != nil {
		return m, err
	}
	r.Acknowledge() // it counts; the boards are posted next
	if _, err := h.Publisher.ShowChallenge(ctx, ch.ID); err != nil {
		h.Log.Debug("the start of a match is not shown yet", "challenge", ch.ID, "error", err)
	}
	v, err := h.Publisher.ShowMatch(ctx, ch.Match)
	if err != nil {
		return discord.TextMessage(h.notShown(r, ch.Place, err, "computer.kept")), nil
	}
	h.showChallengeLater(ctx, ch.ID)
	return message.OrganiseMatch(r.Say, v, r.Person.ID), nil
}

// decided posts the board that says what an organiser has decided, and shows the match.
func (h *Handlers) decided(ctx context.Context, r *interaction.Request, v *host.View, err error) (m discord.Message, _ error) {
	if err != nil {
		return m, err
	}
	r.Acknowledge()
	shown, err := h.Publisher.Show(ctx, v)
	if err != nil {
		return discord.TextMessage(h.notShown(r, v.Record.Place, err, "offer.kept")), nil
	}
	return message.OrganiseMatch(r.Say, shown, r.Person.ID), nil
}

func (h *Handlers) adjudicate(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	id, _ := r.MatchAndSeq()
	v, err := h.Host.Adjudicate(ctx, r.Actor(), id, match.Verdict(r.Values["verdict"]))
	return h.decided(ctx, r, v, err)
}

func (h *Handlers) voidResult(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	id, _ := r.MatchAndSeq()
	v, err := h.Host.Void(ctx, r.Actor(), id)
	return h.decided(ctx, r, v, err)
}

func (h *Handlers) revert(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	id, seq := r.MatchAndSeq()
	v, err := h.Host.Revert(ctx, r.Actor(), id, seq)
	return h.decided(ctx, r, v, err)
}

func (h *Handlers) withdrawOthers(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	ch, err := h.Host.WithdrawChallenge(ctx, r.Actor(), storage.ChallengeID(r.Number("challenge")))
	if err != nil {
		return m, err
	}
	h.showChallengeLater(ctx, ch.ID)
	return h.organisePanel(ctx, r)
}

// freeze stops the clocks of the guild for the hours that were picked, or sets them going.
func (h *Handlers) freeze(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	hours := 0
	if len(r.Picks) > 0 {
		if hours, err = strconv.Atoi(r.Picks[0]); err != nil || !slices.Contains(message.FreezeHours, hours) {
			return m, interaction.ErrBadCustomID
		}
	}
	if _, err := h.Host.SetFrozen(ctx, r.Actor(), hours); err != nil {
		return m, err
	}
	h.Publisher.Wake() // to edit the boards
	return h.organisePanel(ctx, r)
}

// actsShown is how long ago the acts were at most that organisers are shown.
const actsShown = 30 * 24 * time.Hour

func (h *Handlers) organiserActs(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	acts, err := h.Host.Acts(ctx, r.Place.Guild, h.Host.Now().Add(-actsShown))
	return message.OrganiserActs(r.Say, acts), err
}
