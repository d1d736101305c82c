package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/bot/refusal"
	"castellan/bot/suggest"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// move handles /move. If several matches wait for the person, it plays in the one
// in which the turn is legal.
func (h *handlers) move(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	text := suggest.TrimDescription(r.Option("turn"))
	v, err := h.matchToMove(ctx, r)
	if several, ok := errors.AsType[*ambiguousError](err); ok {
		if v = several.playable(r.Person.ID, text); v == nil {
			return interaction.Private(message.ChooseMatch(r.Say, several.views, r.Person.ID, text)), nil
		}
	} else if err != nil {
		return interaction.Response{}, err
	}
	return h.play(ctx, r, v, v.Match.Read(v.SeatOf(r.Person.ID), text))
}

// end handles /end.
func (h *handlers) end(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.matchToMove(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	return h.play(ctx, r, v, engine.End)
}

// undo handles /undo.
func (h *handlers) undo(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.matchToMove(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	after, err := h.host.Undo(ctx, r.Actor(), v.Record.ID, host.AnySeq)
	if err != nil {
		return interaction.Response{}, err
	}
	if after.Match.TookBack(after.Match.Seq()) {
		return h.afterTakeback(ctx, r, after, interaction.Private)
	}
	return h.afterCommand(ctx, r, v, after)
}

// takebackButton handles Take back, under the board or under the private message
// after a turn.
func (h *handlers) takebackButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	v := r.View
	if v.OnlyComputersSince(seq) {
		if seq = v.Match.Seq(); !v.CanTakeBack(v.SeatOf(r.Person.ID)) {
			return interaction.Response{}, &host.Refusal{Err: match.ErrNoTakeback, View: v}
		}
	}
	after, err := h.host.Undo(ctx, r.Actor(), r.View.Record.ID, seq)
	// Games without direct buttons have Take back on a private message, not on the
	// board. Update that message to remove the button, which cannot work again.
	if (errors.Is(err, host.ErrStale) || errors.Is(err, match.ErrOver)) && len(v.Game.Direct()) == 0 {
		why, _ := h.explain(r, err)
		return about(v, interaction.UpdateText(why)), nil
	}
	if err != nil {
		return interaction.Response{}, err
	}
	respond := interaction.Update
	if r.Message == r.View.Board.Message {
		respond = interaction.Private
	}
	return h.afterTakeback(ctx, r, after, respond)
}

// afterTakeback corrects the board after a turn was taken back, and responds
// with the panel.
func (h *handlers) afterTakeback(ctx context.Context, r *interaction.Request, v *host.View, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	r.Acknowledge() // the turn is taken back; the board is corrected next
	shown, err := h.publisher.Show(ctx, v)
	if err != nil {
		return about(v, respond(discord.TextMessage(h.notShown(r, v.Record.Place, err, "takeback.kept")))), nil
	}
	if len(shown.Game.Direct()) > 0 {
		return about(v, respond(discord.TextMessage(r.Say.T("takeback.private", "Link", message.BoardLink(r.Say, shown))+planDropped(r, shown)))), nil
	}
	m, err := h.panel(ctx, r, shown, "", strings.TrimSpace(planDropped(r, shown)))
	return about(v, respond(m)), err
}

// planDropped returns a line for a person whose prepared turn has just been taken
// back, empty for others.
func planDropped(r *interaction.Request, v *host.View) string {
	if !slices.Contains(v.Match.TookBackPrepared(v.Match.Seq()), v.SeatOf(r.Person.ID)) {
		return ""
	}
	return "\n" + r.Say.T("takeback.prepared.own")
}

// play plays what a person has typed.
func (h *handlers) play(ctx context.Context, r *interaction.Request, v *host.View, text string) (interaction.Response, error) {
	after, draft, err := h.host.ActOrConfirm(ctx, r.Actor(), v.Record.ID, host.AnySeq, text)
	switch {
	case err != nil:
		return h.notPlayed(ctx, r, v, text, err)
	case draft != nil:
		return h.askToConfirm(ctx, r, after, draft, interaction.Private)
	}
	return h.afterCommand(ctx, r, v, after)
}

// notPlayed responds to a typed turn that cannot be played. If the text is the
// first choice of an action, it opens the panel with that choice picked.
// Otherwise it explains why, with buttons for similar turns.
func (h *handlers) notPlayed(ctx context.Context, r *interaction.Request, v *host.View, text string, err error) (interaction.Response, error) {
	token, ok := errors.AsType[*match.TokenError](err)
	if !ok {
		return interaction.Response{}, err
	}
	if path := message.BegunPath(v.Match.Position().Legal(), text); path != "" {
		m, err := h.panel(ctx, r, v, path, "")
		return about(v, interaction.Private(m)), err
	}
	sentence, _ := refusal.Turn(r, v, err)
	return about(v, interaction.Private(message.DidYouMean(r.Say, v, sentence, text, token))), nil
}

// lineButton handles a button that plays a whole turn: the typed turn in one of
// several matches, or a turn similar to a typed one that cannot be played.
func (h *handlers) lineButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.inPanel(ctx, r, func(v *host.View) (*host.View, string, *host.Draft, error) {
		line := v.Match.Read(v.SeatOf(r.Person.ID), r.Values["line"])
		after, draft, err := h.host.ActOrConfirm(ctx, r.Actor(), v.Record.ID, v.Match.Seq(), line)
		return after, "", draft, err
	})
}

// afterCommand responds to a command that has changed a match. It shows the panel
// while the person's turn goes on, and the played turn when it has ended.
func (h *handlers) afterCommand(ctx context.Context, r *interaction.Request, before, after *host.View) (interaction.Response, error) {
	if turnGoesOn(r, before, after) {
		m, err := h.panel(ctx, r, after, "", "")
		return about(after, interaction.Private(m)), err
	}
	return about(after, interaction.Private(h.showPlayed(ctx, r, after))), nil
}

// turnGoesOn reports whether it is still the person's turn after a change.
func turnGoesOn(r *interaction.Request, before, after *host.View) bool {
	p, ok := after.ToMove()
	return ok && p.ID == r.Person.ID && after.Match.PublicSeq() == before.Match.PublicSeq()
}

// showPlayed posts the board after a turn and returns what to tell the player.
func (h *handlers) showPlayed(ctx context.Context, r *interaction.Request, v *host.View) discord.Message {
	shown, err := h.publisher.Show(ctx, v)
	if err != nil {
		return discord.TextMessage(h.notShown(r, v.Record.Place, err, "move.kept"))
	}
	next, err := h.browse.NextWaiting(ctx, r.Person.ID, shown.Record.ID)
	if err != nil {
		h.log.Warn("looking for the next match of a person", "error", err)
	}
	return message.Receipt(r.Say, shown, r.Person.ID, next)
}

// askToConfirm responds with a turn and the question whether to play it.
func (h *handlers) askToConfirm(ctx context.Context, r *interaction.Request, v *host.View, draft *host.Draft,
	respond func(discord.Message) interaction.Response,
) (interaction.Response, error) {
	picture, err := h.drawPrivate(ctx, r, v, draft.Match, message.Look{Reader: draft.Match.Seat()})
	if err != nil {
		return interaction.Response{}, err
	}
	m, ok := message.ConfirmTurn(r.Say, v, draft, r.Salt(), picture)
	if !ok {
		m = discord.TextMessage(r.Say.T("confirm.long"))
	}
	return about(v, respond(m)), nil
}

// actionButton handles a button of a board that plays an action. It acknowledges
// by collapsing the board that was clicked to a line, and then posts the next
// board.
func (h *handlers) actionButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if h.tooQuick(r) {
		return interaction.Response{}, errTooQuick
	}
	id, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	v, draft, err := h.host.ActOrConfirm(ctx, r.Actor(), id, seq, r.Values["token"])
	switch {
	case err != nil:
		return interaction.Response{}, err
	case draft != nil:
		return h.askToConfirm(ctx, r, v, draft, interaction.Private)
	}
	for _, b := range v.Boards {
		if b.Message == r.Message && b.State == storage.BoardStale {
			response := about(v, interaction.Update(message.Collapsed(r.Public, v, b.Seq)))
			return response.Continue(func(ctx context.Context, confirmed bool) string {
				collapsed := ""
				if confirmed {
					collapsed = b.Message
				}
				if _, err := h.publisher.ShowAfterCollapse(ctx, v, collapsed); err != nil {
					return h.notShown(r, v.Record.Place, err, "move.kept")
				}
				return ""
			}), nil
		}
	}
	return about(v, interaction.Private(h.showPlayed(ctx, r, v))), nil
}

// suggestTurn completes the last token of a turn that is being typed, or says
// why it cannot.
func (h *handlers) suggestTurn(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	typed := r.Option("turn")
	v, err := h.matchToMove(ctx, r)
	if several, ok := errors.AsType[*ambiguousError](err); ok {
		if v = several.playable(r.Person.ID, suggest.TrimDescription(typed)); v == nil {
			return interaction.Suggest(suggest.Notice(r.Say.T("suggest.several", "Count", len(several.views)), typed)), nil
		}
	} else if err != nil {
		why, known := h.explain(r, err)
		if !known {
			return interaction.Response{}, err
		}
		return interaction.Suggest(suggest.Notice(why, typed)), nil
	}
	if p, ok := v.ToMove(); !ok {
		return interaction.Suggest(suggest.Notice(r.Say.T("error.over"), typed)), nil
	} else if p.ID != r.Person.ID {
		return interaction.Suggest(suggest.Notice(r.Say.T("error.turn", "Who", p.Name), typed)), nil
	}
	return interaction.Suggest(suggest.TurnSuggestions(r.Say, v, v.SeatOf(r.Person.ID), typed)), nil
}

// hint handles /hint. It shows a strong computer's next turn on a private picture.
func (h *handlers) hint(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, err := h.matchToMove(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	if err := h.host.CheckHint(v, r.Person.ID); err != nil {
		return interaction.Response{}, h.refuse(ctx, v, err)
	}
	turn, err := h.computer.Hint(ctx, v, r.Person.ID)
	if err != nil {
		return interaction.Response{}, err
	}
	after, effects, err := h.tryTurn(r, v, turn)
	if err != nil {
		return interaction.Response{}, err
	}
	picture, err := h.drawPrivate(ctx, r, v, after, message.Look{Reader: after.Seat()})
	if err != nil {
		return interaction.Response{}, err
	}
	return about(v, interaction.Private(message.Hint(r.Say, v, turn, effects, picture))), nil
}

// tryTurn returns the match as it would be after a turn, and the descriptions of
// what the turn's actions do. It does not play the turn.
func (h *handlers) tryTurn(r *interaction.Request, v *host.View, turn string) (after *match.Match, effects []string, err error) {
	seat := v.SeatOf(r.Person.ID)
	entries, err := v.Match.Act(seat, turn, match.Moment{At: h.host.Now(), Interaction: r.Interaction.ID})
	if err != nil {
		return nil, nil, &host.Refusal{Err: err, View: v}
	}
	after = v.Match
	for _, e := range entries {
		if e.Seat == seat && e.Kind == match.KindAction {
			if effect := message.Effect(r.Say, after.Position(), e.Text); effect != "" {
				effects = append(effects, effect)
			}
		}
		if after, err = after.With(e); err != nil {
			return nil, nil, fmt.Errorf("trying a turn: %w", err)
		}
	}
	return after, effects, nil
}
