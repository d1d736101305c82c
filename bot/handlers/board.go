package handlers

import (
	"context"
	"strconv"

	"castellan/bot/account"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/publish"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

func (h *Handlers) boardRoutes() []route {
	return []route{
		{component, "match/{match}/{seq}/zoom/{salt}/{part}", h.about(h.namedMatch, h.zoomButton), ordinary, anyone},
		{command, "board", h.about(h.matchToShow, h.board), ordinary, checked},
	}
}

// board posts the current board again at the end of the channel. In private it shows
// the position in words, an enlarged part of the board, a match of another channel, or
// one that has ended. If the match's channel is gone and a player asks elsewhere, the
// match moves to that channel.
func (h *Handlers) board(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	seen, err := visibleMatch(v, r.Person.ID)
	if err != nil {
		return interaction.Response{}, err
	}
	if r.Option("turn") != "" {
		return h.boardAfter(ctx, r, v)
	}
	if r.Option("text") == "true" {
		words, text := message.Describe(r.Say, v, seen.Position())
		return headed(r, v, interaction.PrivateText(message.Status(r.Say, v, seen)+"\n```\n"+text+"\n```\n"+words)), nil
	}
	part, _ := strconv.Atoi(r.Option("zoom")) // 0 without the option
	elsewhere := v.Record.Place.Channel != r.Place.Channel
	if _, over := v.Match.Over(); over && (elsewhere || r.Option("match") == "") {
		m, err := h.lookBack(ctx, r, v, len(seen.Turns()), part)
		return headed(r, v, interaction.Private(m)), err
	}
	if elsewhere && part == 0 && checkPostable(r) == nil && h.isUnreachable(ctx, v) {
		return h.moveMatch(ctx, r, v)
	}
	if elsewhere || part != 0 {
		m, err := h.privateView(ctx, r, v, seen, part)
		return naming(r, v, interaction.Private(m)), err
	}
	if v, err = h.Host.RepostBoard(ctx, r.Actor(), v.Record.ID); err != nil {
		return interaction.Response{}, err
	}
	return h.showBoard(ctx, r, v, "board.posted"), nil
}

func (h *Handlers) showBoard(ctx context.Context, r *interaction.Request, v *host.View, key string) interaction.Response {
	shown, err := h.Publisher.Show(ctx, v)
	if err != nil {
		return interaction.PrivateText(h.notShown(r, v.Record.Place, err, "board.kept"))
	}
	return interaction.PrivateText(r.Say.T(key, "Link", message.BoardLink(r.Say, shown)))
}

// visibleMatch returns a match as a person may see it: the actions of an open
// turn are visible to the player to move alone.
func visibleMatch(v *host.View, person string) (*match.Match, error) {
	if p, ok := v.ToMove(); ok && p.ID == person {
		return v.Match, nil
	}
	return v.Match.PublicAt(v.Match.PublicSeq())
}

func (h *Handlers) zoomButton(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	seen, err := visibleMatch(v, r.Person.ID)
	if err != nil {
		return interaction.Response{}, err
	}
	part := r.Number("part")
	m, err := h.privateView(ctx, r, v, seen, part)
	return naming(r, v, interaction.Update(m)), err
}

// privateView returns a private message with a match's board, or with an
// enlarged part of it if the board is large. Part 0 is the whole board.
func (h *Handlers) privateView(ctx context.Context, r *interaction.Request, v *host.View, seen *match.Match, part int) (discord.Message, error) {
	reader := v.SeatOf(r.Person.ID)
	if reader == engine.Nobody {
		reader = seen.Seat()
	}
	picture, err := h.drawPrivate(ctx, r, v, seen, message.Look{Reader: reader, Zoom: part})
	if err != nil {
		return discord.Message{}, err
	}
	state := message.PanelState{View: v, Person: r.Person.ID, Salt: r.Salt(), Zooms: message.Zooms(h.Renderer, v)}
	return message.View(r.Say, state, seen, part, picture), nil
}

// drawPrivate draws a match for one person, from their side if they want that.
func (h *Handlers) drawPrivate(ctx context.Context, r *interaction.Request, v *host.View, m *match.Match, look message.Look) (picture discord.File, err error) {
	p, err := h.Account.PreferencesIn(ctx, v, r.Person.ID)
	if err != nil {
		return picture, err
	}
	look.Side = account.Side(v, p)
	return message.DrawPrivate(ctx, message.Themed{Renderer: h.Renderer, Theme: p.Theme}, r.Say, v, m, look)
}

// rendererFor returns a renderer of private pictures in a person's theme. v is the
// match that they show, or nil.
func (h *Handlers) rendererFor(ctx context.Context, person string, v *host.View) (message.Themed, error) {
	p, err := h.Account.PreferencesIn(ctx, v, person)
	return message.Themed{Renderer: h.Renderer, Theme: p.Theme}, err
}

// isUnreachable reports whether the bot can no longer show a match in its
// channel: the channel is gone, or the bot may not see it or post there.
func (h *Handlers) isUnreachable(ctx context.Context, v *host.View) bool {
	if _, over := v.Match.Over(); over {
		return false
	}
	_, err := h.Client.GetChannel(ctx, v.Record.Place.Channel)
	if err == nil && v.Board.State == storage.BoardDue && v.Board.Attempts > 0 {
		_, err = h.Publisher.Show(ctx, v)
	}
	if err != nil {
		h.Log.Debug("looking at the channel of a match", "match", v.Record.ID, "error", err)
	}
	return discord.Blocked(err)
}

func (h *Handlers) moveMatch(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	after, err := h.Host.MoveMatch(ctx, r.Actor(), v.Record.ID, v.Record.Place, r.Place)
	if err != nil {
		return interaction.Response{}, err
	}
	h.Log.Info("a match moves to another channel", "match", v.Record.ID,
		"from", publish.LoggedChannel(v.Record.Place), "to", publish.LoggedChannel(after.Record.Place))
	return h.showBoard(ctx, r, after, "board.moved"), nil
}
