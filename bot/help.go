package bot

import (
	"context"
	"slices"
	"strconv"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/settings"
)

// help handles /help: it shows what the person can do next in this channel.
func (h *handlers) help(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	m, err := h.helpMessage(ctx, r, message.HelpLevel)
	return interaction.Private(m), err
}

// helpAt shows /help again, with the level that is picked in its menu.
func (h *handlers) helpAt(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	level := r.Values["level"]
	if len(r.Picks) == 1 {
		level = r.Picks[0]
	}
	if level != host.EvenLevel && !slices.Contains(host.AllLevels(), level) {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	m, err := h.helpMessage(ctx, r, level)
	return interaction.Update(m), err
}

func (h *handlers) helpMessage(ctx context.Context, r *interaction.Request, level string) (m discord.Message, err error) {
	own, err := h.browse.ListOwn(ctx, r.Person.ID, 1, 2*message.MaxListed)
	if err != nil {
		return m, err
	}
	inChannel, err := h.host.Running(ctx, r.Person.ID, r.Place.Channel)
	if err != nil {
		return m, err
	}
	d := message.HelpData{
		Person: r.Person.ID, Known: own.Total > 0, Direct: r.Place.Guild == "", Manages: settings.Manages(r),
		Games: h.games.Games(), Ref: h.games.Ref, Invite: h.invite(),
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
		if d.Known, err = h.browse.HasPlayed(ctx, r.Person.ID); err != nil {
			return m, err
		}
	}
	running, err := h.host.RunningIn(ctx, r.Place.Channel)
	if err != nil {
		return m, err
	}
	d.ChannelGames = h.gamesOf(running)
	d.Computer = computerPlayer(r.Public, level)
	for _, g := range d.Games {
		levels := h.host.LevelChoices(g.Key())
		if slices.Contains(levels, level) {
			d.Playable = append(d.Playable, g)
		}
		if len(levels) > 0 { // every level is one of some game
			d.Levels = append([]string{host.EvenLevel}, host.AllLevels()...)
		}
	}
	return message.Help(r.Say, d), nil
}

// rules handles /rules: it shows the first page of the rules of the game that the
// person names, or of the game played in this channel, in the version of its
// match. If neither decides, it asks which game.
func (h *handlers) rules(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	ref := r.Option("game")
	if ref == "" {
		g, err := h.gameOfChannel(ctx, r.Place.Channel)
		if err != nil {
			return interaction.Response{}, err
		}
		if g == nil {
			return interaction.Private(message.ChooseRules(r.Say, h.games.Games())), nil
		}
		ref = h.games.Ref(g)
	}
	m, err := h.rulesMessage(ctx, r, ref, 1)
	return interaction.Private(m), err
}

// rulesPage returns the handler of buttons that show a page of the rules: instead
// of the message with the button, or beside a panel.
func (h *handlers) rulesPage(respond func(discord.Message) interaction.Response) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		n, err := strconv.Atoi(r.Values["page"])
		if err != nil {
			return interaction.Response{}, interaction.ErrBadCustomID
		}
		m, err := h.rulesMessage(ctx, r, r.Values["game"], n)
		return respond(m), err
	}
}

// rulesMessage returns page n, from 1, of the rules of the game that ref names
// (see engine.Registry.Ref). A number out of range, as in a message from before
// the rules were shortened, gives the nearest page.
func (h *handlers) rulesMessage(ctx context.Context, r *interaction.Request, ref string, n int) (m discord.Message, err error) {
	g, ok := h.games.ByRef(ref)
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
