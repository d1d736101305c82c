package handlers

import (
	"context"
	"errors"
	"slices"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

func (h *Handlers) helpRoutes() []route {
	return []route{
		{command, "rules", private(h.rules), reading, anyone},
		{component, "rules/{game}/{page}", update(h.rulesPage), reading, anyone},
		{component, "rules/{game}/{page}/open", private(h.rulesPage), reading, anyone},
		{command, "help", private(h.help), reading, anyone},
		{component, "help/{range}", update(h.helpAt), reading, anyone},
	}
}

// help handles /help: it shows what the person can do next in this channel.
func (h *Handlers) help(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	return h.helpMessage(ctx, r, host.EvenLevel)
}

// helpAt shows /help again, with the range of levels that is picked in its menu.
func (h *Handlers) helpAt(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	picked := r.Values["range"]
	if len(r.Picks) == 1 {
		picked = r.Picks[0]
	}
	if picked != host.EvenLevel && !slices.Contains(host.Ranges(), picked) {
		return m, interaction.ErrBadCustomID
	}
	return h.helpMessage(ctx, r, picked)
}

func (h *Handlers) helpMessage(ctx context.Context, r *interaction.Request, levels string) (m discord.Message, err error) {
	own, err := h.Browse.ListOwn(ctx, r.Person.ID, 1, 2*message.MaxListed)
	if err != nil {
		return m, err
	}
	inChannel, err := h.Host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err != nil {
		return m, err
	}
	d := message.HelpData{
		Person: r.Person.ID, Known: own.Total > 0, Direct: r.Place.Guild == "", Manages: manages(r),
		Games: h.Games.Games(), Ref: h.Games.Ref, Invite: h.Invite(),
		CommandID: func(name string) string { return h.CommandID(r.Place.Guild, name) },
	}
	for _, v := range own.Matches {
		waiting := v.WaitsFor(r.Person.ID)
		here := slices.ContainsFunc(inChannel, func(in *host.View) bool { return in.Record.ID == v.Record.ID })
		switch {
		case here && waiting:
			d.Waiting = append(d.Waiting, v)
		case here:
			d.Playing = append(d.Playing, v)
		case waiting:
			d.Elsewhere = append(d.Elsewhere, v)
		}
	}
	if !d.Known {
		if d.Known, err = h.Browse.HasPlayed(ctx, r.Person.ID); err != nil {
			return m, err
		}
	}
	running, err := h.Host.RunningIn(ctx, r.Place.Channel)
	if err != nil {
		return m, err
	}
	d.ChannelGames = h.gamesOf(running)
	_, forbidden := h.guildDefaults(ctx, r)
	elsewhere, ok := errors.AsType[*channelError](forbidden)
	switch {
	case ok:
		d.Channels = mentionChannels(elsewhere.allowed)
	case forbidden != nil && !errors.Is(forbidden, errOutsideGuild) && !errors.Is(forbidden, errNotMember):
		return m, forbidden
	}
	d.CanStart = forbidden == nil
	d.Range, d.Computers = levels, map[string]storage.Person{}
	for _, g := range d.Games {
		if l, ok := h.Host.LevelIn(g.Key(), levels); ok {
			d.Computers[g.Key()] = message.Computer(r.Public, l)
		}
	}
	return message.Help(r.Say, d), nil
}

// rules handles /rules: it shows the first page of the rules of the game that the
// person names, or of the game played in this channel, in the version of its
// match. If neither decides, it asks which game.
func (h *Handlers) rules(ctx context.Context, r *interaction.Request) (m discord.Message, err error) {
	ref := r.Option("game")
	if ref == "" {
		g, err := h.gameOfChannel(ctx, r.Place.Channel)
		if err != nil {
			return m, err
		}
		if g == nil {
			return message.ChooseRules(r.Say, h.Games.Games()), nil
		}
		ref = h.Games.Ref(g)
	}
	return h.rulesMessage(ctx, r, ref, 1)
}

// rulesPage shows a page of the rules: instead of the message with the button, or
// beside a panel.
func (h *Handlers) rulesPage(ctx context.Context, r *interaction.Request) (discord.Message, error) {
	return h.rulesMessage(ctx, r, r.Values["game"], r.Number("page"))
}

// rulesMessage returns page n, from 1, of the rules of the game that ref names
// (see engine.Registry.Ref). A number out of range, as in a message from before
// the rules were shortened, gives the nearest page.
func (h *Handlers) rulesMessage(ctx context.Context, r *interaction.Request, ref string, n int) (m discord.Message, err error) {
	g, ok := h.Games.ByRef(ref)
	if !ok {
		return m, host.ErrUnknownGame
	}
	n = min(max(n, 1), len(g.Rulebook()))
	renderer, err := h.rendererFor(ctx, r.Person.ID, nil)
	if err != nil {
		return m, err
	}
	picture, err := message.DrawRules(ctx, renderer, r.Say, g, n)
	if err != nil {
		return m, err
	}
	return message.Rules(r.Say, g, ref, n, picture), nil
}
