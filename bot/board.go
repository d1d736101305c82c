package bot

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

// board handles /board. It posts the current board again at the end of the
// channel. In private it shows the position in words, an enlarged part of
// the board, a match of another channel, or one that has ended. If the match's channel is gone and a
// player asks elsewhere, the match moves to that channel.
func (h *handlers) board(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.matchToShow(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	seen, err := visibleMatch(v, r.Person.ID)
	if err != nil {
		return interaction.Response{}, err
	}
	if r.Option("turn") != "" {
		return h.boardAfter(ctx, r, v)
	}
	if r.Option("text") == "true" {
		words, text := message.Describe(r.Say, v, seen.Position())
		return interaction.PrivateText(message.Status(r.Say, v, seen) + "\n```\n" + text + "\n```\n" + words), nil
	}
	part, _ := strconv.Atoi(r.Option("zoom")) // 0 without the option
	elsewhere := v.Record.Place.Channel != r.Place.Channel
	if _, over := v.Match.Over(); over && (elsewhere || r.Option("match") == "") {
		m, err := h.lookBack(ctx, r, v, len(seen.Turns()), part)
		return interaction.Private(m), err
	}
	if elsewhere && part == 0 && checkPostable(r) == nil && h.isUnreachable(ctx, v) {
		return h.moveMatch(ctx, r, v)
	}
	if elsewhere || part != 0 {
		m, err := h.privateView(ctx, r, v, seen, part)
		return about(v, interaction.Private(m)), err
	}
	if v, err = h.host.RepostBoard(ctx, r.Actor(), v.Record.ID); err != nil {
		return interaction.Response{}, err
	}
	return h.showBoard(ctx, r, v, "board.posted"), nil
}

// showBoard posts a board and responds with the text of a key.
func (h *handlers) showBoard(ctx context.Context, r *interaction.Request, v *host.View, key string) interaction.Response {
	shown, err := h.publisher.Show(ctx, v)
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

// zoomButton shows another part of the board in a panel or a private view.
func (h *handlers) zoomButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	seen, err := visibleMatch(v, r.Person.ID)
	if err != nil {
		return interaction.Response{}, err
	}
	part, err := strconv.Atoi(r.Values["part"])
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	m, err := h.privateView(ctx, r, v, seen, part)
	return about(v, interaction.Update(m)), err
}

// privateView returns a private message with a match's board, or with an
// enlarged part of it if the board is large. Part 0 is the whole board.
func (h *handlers) privateView(ctx context.Context, r *interaction.Request, v *host.View, seen *match.Match, part int) (discord.Message, error) {
	reader := v.SeatOf(r.Person.ID)
	if reader == engine.Nobody {
		reader = seen.Seat()
	}
	picture, err := h.drawPrivate(ctx, r, v, seen, message.Look{Reader: reader, Zoom: part})
	if err != nil {
		return discord.Message{}, err
	}
	state := message.PanelState{View: v, Person: r.Person.ID, Salt: r.Salt(), Zooms: message.Zooms(h.renderer, v)}
	return message.View(r.Say, state, seen, part, picture), nil
}

// drawPrivate draws a match for one person, from their side if they want that.
func (h *handlers) drawPrivate(ctx context.Context, r *interaction.Request, v *host.View, m *match.Match, look message.Look) (picture discord.File, err error) {
	p, err := h.account.PreferencesIn(ctx, v, r.Person.ID)
	if err != nil {
		return picture, err
	}
	look.Side = account.Side(v, p)
	return message.DrawPrivate(ctx, message.Themed{Renderer: h.renderer, Theme: p.Theme}, r.Say, v, m, look)
}

// rendererFor returns a renderer of private pictures in a person's theme. v is the
// match that they show, or nil.
func (h *handlers) rendererFor(ctx context.Context, person string, v *host.View) (message.Themed, error) {
	p, err := h.account.PreferencesIn(ctx, v, person)
	return message.Themed{Renderer: h.renderer, Theme: p.Theme}, err
}

// isUnreachable reports whether the bot can no longer show a match in its
// channel: the channel is gone, or the bot may not see it or post there.
func (h *handlers) isUnreachable(ctx context.Context, v *host.View) bool {
	if _, over := v.Match.Over(); over {
		return false
	}
	err := h.client.GetChannel(ctx, v.Record.Place.Channel)
	if err == nil && v.Board.State == storage.BoardDue && v.Board.Attempts > 0 {
		_, err = h.publisher.Show(ctx, v)
	}
	if err != nil {
		h.log.Debug("looking at the channel of a match", "match", v.Record.ID, "error", err)
	}
	return discord.Blocked(err)
}

// moveMatch moves a match to the channel where one of its players asks for it.
func (h *handlers) moveMatch(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	after, err := h.host.MoveMatch(ctx, r.Actor(), v.Record.ID, v.Record.Place, r.Place)
	if err != nil {
		return interaction.Response{}, err
	}
	h.log.Info("a match moves to another channel", "match", v.Record.ID,
		"from", publish.LoggedChannel(v.Record.Place), "to", publish.LoggedChannel(after.Record.Place))
	return h.showBoard(ctx, r, after, "board.moved"), nil
}

// askResign handles /resign by asking for confirmation.
func (h *handlers) askResign(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.ownMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	if err := v.CheckPlaying(v.SeatOf(r.Person.ID)); err != nil {
		return interaction.Response{}, h.refuse(ctx, v, err)
	}
	return interaction.Private(message.AskResign(r.Say, v, r.Person.ID)), nil
}

// refuse returns a refusal with the match and its boards, to which the
// explanation links.
func (h *handlers) refuse(ctx context.Context, v *host.View, err error) error {
	if full, readErr := h.host.Match(ctx, v.Record.ID); readErr == nil {
		v = full
	}
	return &host.Refusal{Err: err, View: v}
}

// resign handles the button that confirms a resignation.
func (h *handlers) resign(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.leaveMatch(ctx, r, h.host.Resign, "resign.kept", "resign.done", "retire.done")
}

// stay handles the button that calls a resignation off.
func (h *handlers) stay(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	_, _, err := r.Match()
	return interaction.UpdateText(r.Say.T("resign.stayed")), err
}

// askClaim handles /claim by asking for confirmation.
func (h *handlers) askClaim(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.matchToClaim(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return h.confirmClaim(ctx, r, v)
}

// claimButton handles Claim on a board by asking for confirmation.
func (h *handlers) claimButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	if v.Match.PublicSeq() > seq {
		return interaction.Response{}, &host.Refusal{Err: host.ErrStale, View: v}
	}
	return h.confirmClaim(ctx, r, v)
}

func (h *handlers) confirmClaim(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if err := v.CheckClaim(r.Person.ID); err != nil {
		return interaction.Response{}, h.refuse(ctx, v, err)
	}
	return interaction.Private(message.AskClaim(r.Say, v, r.Person.ID)), nil
}

// claim handles the button that confirms a claim.
func (h *handlers) claim(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.leaveMatch(ctx, r, h.host.Claim, "claim.kept", "claim.done", "claim.removed")
}

// wait handles the button that calls a claim off.
func (h *handlers) wait(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	_, _, err := r.Match()
	return interaction.UpdateText(r.Say.T("claim.waited")), err
}

// leaveMatch carries out a confirmed resignation or claim. kept, over and playsOn
// are the keys of the response: if the board could not be posted, if the match
// is over, and if the others play on.
func (h *handlers) leaveMatch(
	ctx context.Context, r *interaction.Request,
	do func(context.Context, host.Actor, storage.MatchID, int) (*host.View, error), kept, over, playsOn string,
) (interaction.Response, error) {
	id, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	v, err := do(ctx, r.Actor(), id, seq)
	if err != nil {
		return interaction.Response{}, err
	}
	shown, err := h.publisher.Show(ctx, v)
	if err != nil {
		return interaction.UpdateText(h.notShown(r, v.Record.Place, err, kept)), nil
	}
	return interaction.UpdateText(message.Left(r.Say, shown, over, playsOn)), nil
}
