package bot

import (
	"context"
	"fmt"
	"strconv"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine/match"
)

// turnsError reports a turn that a match does not have.
type turnsError struct{ turns int } // completed ones

func (e *turnsError) Error() string { return fmt.Sprintf("the match has %d turns", e.turns) }

// boardAfter is /board with the option turn: the board after an earlier turn,
// or its description, or a quarter of it.
func (h *handlers) boardAfter(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	turn, err := strconv.Atoi(r.Option("turn"))
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	quarter, _ := strconv.Atoi(r.Option("zoom"))
	if r.Option("text") != "true" {
		m, err := h.lookBack(ctx, r, v, turn, quarter)
		return interaction.Private(m), err
	}
	m, err := pastMatch(v, turn)
	if err != nil {
		return interaction.Response{}, err
	}
	words, text := message.Describe(r.Say, v, message.PastScene(v, m, turn).Position)
	return interaction.PrivateText("```\n" + text + "\n```\n" + words), nil
}

// lookButton shows the board after an earlier turn: in a message of its own if
// the button is on a board or a panel, otherwise instead of the turn before.
func (h *handlers) lookButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.namedMatch(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	turn, err := strconv.Atoi(r.Values["turn"])
	if err != nil {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	// Turns that were taken back since are gone.
	turn = min(turn, len(v.Match.Turns()))
	respond := interaction.Update
	if r.Values["button"] == message.OpenLook {
		respond = interaction.Private
	}
	m, err := h.lookBack(ctx, r, v, turn, 0)
	return respond(m), err
}

// pastMatch returns a match without its open turn. It fails with a *turnsError
// if it has no such turn.
func pastMatch(v *host.View, turn int) (*match.Match, error) {
	m, err := v.Match.At(v.Match.PublicSeq())
	if err == nil && (turn < 0 || turn > len(m.Turns())) {
		return nil, &host.Refusal{Err: &turnsError{len(m.Turns())}, View: v}
	}
	return m, err
}

// lookBack returns a private look at a match after some of its turns, or at a
// quarter of its board.
func (h *handlers) lookBack(ctx context.Context, r *interaction.Request, v *host.View, turn, quarter int) (discord.Message, error) {
	m, err := pastMatch(v, turn)
	if err != nil {
		return discord.Message{}, err
	}
	scene := message.PastScene(v, m, turn)
	scene.Zoom = quarter
	picture, err := message.DrawPast(ctx, h.renderer, r.Say, v, m, turn, scene)
	if err != nil {
		return discord.Message{}, err
	}
	return message.LookBack(r.Say, v, m, turn, picture, func(button string, turn int) string { return message.LookID(v, button, turn) }), nil
}
