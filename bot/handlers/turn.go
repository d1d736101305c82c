package handlers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

func (h *Handlers) turnRoutes() []route {
	routes := slices.Concat(
		h.onMatch("end", h.matchToMove, h.end, ordinary), h.onMatch("undo", h.ownMatch, h.undo, ordinary), h.onMatch("hint", h.matchToMove, h.hint, reading),
	)
	return append(routes, []route{
		{command, "move", h.move, ordinary, checked},
		{autocomplete, "move/turn", h.suggestTurn, typing, anyone},
		{component, "match/{match}/{seq}/act/{token...}", h.actionButton, ordinary, checked},
		{component, "match/{match}/{seq}/line/{line...}", h.lineButton, ordinary, players},
		{component, "match/{match}/{seq}/takeback", h.takebackButton, ordinary, players},
	}...)
}

// move handles /move. If several matches of the channel wait for the person, it plays in
// the only one in which the turn is legal, or asks. If the board is elsewhere, it asks.
func (h *Handlers) move(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	text := message.TrimDescription(r.Option("turn"))
	v, err := h.matchOf(ctx, r, h.matchToMove)
	if unclear, ok := errors.AsType[*ambiguousError](err); ok {
		fits := unclear.playable(r.Person.ID, text)
		if len(fits) != 1 || unclear.elsewhere {
			if len(fits) == 0 {
				fits = unclear.views
			}
			return interaction.Private(message.ChooseMatchToMove(r.Say, fits, r.Person.ID, text)), nil
		}
		v = fits[0]
	} else if err != nil {
		return interaction.Response{}, err
	}
	return h.play(ctx, r, v, v.Match.Read(v.SeatOf(r.Person.ID), text))
}

func (h *Handlers) end(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	return h.play(ctx, r, v, engine.End)
}

// undo handles /undo: it takes back the last action of the open turn, or else the
// person's last turn. If others have gone on, it shows what they can be asked.
func (h *Handlers) undo(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if seat := v.SeatOf(r.Person.ID); !v.Match.CanUndo(seat) {
		full, err := h.Host.Match(ctx, v.Record.ID)
		if err == nil {
			v, err = full, full.CheckOffer(seat, offers.Takeback)
		}
		switch {
		case err != nil:
			return interaction.Response{}, &host.Refusal{Err: err, View: full}
		case v.CanTakeBack(seat):
			return h.makeOffer(ctx, r, v, host.AnySeq, offers.Takeback, false, interaction.Private)
		}
		return h.offersMenu(r, v), nil
	}
	after, err := h.Host.Undo(ctx, r.Actor(), v.Record.ID, host.AnySeq)
	switch {
	case err != nil:
		return interaction.Response{}, err
	case after.Match.TookBack(after.Match.Seq()):
		return h.afterTakeback(ctx, r, after, interaction.Private)
	}
	return h.afterCommand(ctx, r, v, after)
}

// takebackButton handles Take back, under the board or under the private message
// after a turn.
func (h *Handlers) takebackButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq := r.MatchAndSeq()
	v := r.View
	if v.OnlyComputersSince(seq) {
		if seq = v.Match.Seq(); !v.CanTakeBack(v.SeatOf(r.Person.ID)) {
			return interaction.Response{}, &host.Refusal{Err: match.ErrNoTakeback, View: v}
		}
	}
	after, err := h.Host.Undo(ctx, r.Actor(), r.View.Record.ID, seq)
	// Games without direct buttons have Take back on a private message, not on the
	// board. Update that message to remove the button, which cannot work again.
	if (errors.Is(err, host.ErrStale) || errors.Is(err, match.ErrOver)) && len(v.Game.Direct()) == 0 {
		why, _ := h.Explain(r, err)
		return naming(r, v, interaction.UpdateText(why)), nil
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
func (h *Handlers) afterTakeback(ctx context.Context, r *interaction.Request, v *host.View, respond func(discord.Message) interaction.Response) (interaction.Response, error) {
	r.Acknowledge() // the turn is taken back; the board is corrected next
	shown, err := h.Publisher.Show(ctx, v)
	if err != nil {
		return naming(r, v, respond(discord.TextMessage(h.notShown(r, v.Record.Place, err, "takeback.kept")))), nil
	}
	if len(shown.Game.Direct()) > 0 {
		return naming(r, v, respond(discord.TextMessage(r.Say.T("takeback.private", "Link", message.BoardLink(r.Say, shown))+planDropped(r, shown)))), nil
	}
	m, err := h.panel(ctx, r, shown, "", strings.TrimSpace(planDropped(r, shown)))
	return naming(r, v, respond(m)), err
}

// planDropped returns a line for a person whose prepared turn has just been taken
// back, empty for others.
func planDropped(r *interaction.Request, v *host.View) string {
	if !slices.Contains(v.Match.TookBackPrepared(v.Match.Seq()), v.SeatOf(r.Person.ID)) {
		return ""
	}
	return "\n" + r.Say.T("takeback.prepared.own")
}

func (h *Handlers) play(ctx context.Context, r *interaction.Request, v *host.View, text string) (interaction.Response, error) {
	after, draft, err := h.Host.ActOrConfirm(ctx, r.Actor(), v.Record.ID, host.AnySeq, text)
	switch {
	case err != nil:
		return h.notPlayed(ctx, r, v, text, err, interaction.Private)
	case draft != nil:
		return h.askToConfirm(ctx, r, after, draft, interaction.Private)
	}
	return h.afterCommand(ctx, r, v, after)
}

// notPlayed responds to a typed turn that cannot be played. If the text is the
// first choice of an action, it opens the panel with that choice picked.
// Otherwise it explains why, with buttons for similar turns.
func (h *Handlers) notPlayed(ctx context.Context, r *interaction.Request, v *host.View, text string, err error,
	respond func(discord.Message) interaction.Response,
) (interaction.Response, error) {
	token, ok := errors.AsType[*match.TokenError](err)
	if !ok {
		return interaction.Response{}, err
	}
	if path := message.BegunPath(v.Match.Position().Legal(), text); path != "" {
		m, err := h.panel(ctx, r, v, path, "")
		return naming(r, v, respond(m)), err
	}
	sentence, _ := explainTurn(r, v, err)
	return naming(r, v, respond(message.DidYouMean(r.Say, v, sentence, text, token))), nil
}

// lineButton handles a button that plays a whole turn: the typed turn in one of
// several matches, or a turn similar to a typed one that cannot be played.
func (h *Handlers) lineButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	line := r.View.Match.Read(r.View.SeatOf(r.Person.ID), r.Values["line"])
	response, err := h.inPanel(ctx, r, func(v *host.View) (*host.View, string, *host.Draft, error) {
		after, draft, err := h.Host.ActOrConfirm(ctx, r.Actor(), v.Record.ID, v.Match.Seq(), line)
		return after, "", draft, err
	})
	if err != nil {
		return h.notPlayed(ctx, r, r.View, line, err, interaction.Update)
	}
	return response, nil
}

// afterCommand responds to a command that has changed a match. It shows the panel
// while the person's turn goes on, and the played turn when it has ended.
func (h *Handlers) afterCommand(ctx context.Context, r *interaction.Request, before, after *host.View) (interaction.Response, error) {
	if turnGoesOn(r, before, after) {
		m, err := h.panel(ctx, r, after, "", "")
		return naming(r, after, interaction.Private(m)), err
	}
	return naming(r, after, interaction.Private(h.showPlayed(ctx, r, after))), nil
}

func turnGoesOn(r *interaction.Request, before, after *host.View) bool {
	p, ok := after.ToMove()
	return ok && p.ID == r.Person.ID && after.Match.PublicSeq() == before.Match.PublicSeq()
}

// showPlayed posts the board after a turn and returns what to tell the player.
func (h *Handlers) showPlayed(ctx context.Context, r *interaction.Request, v *host.View) discord.Message {
	shown, err := h.Publisher.ShowTurn(ctx, v, "")
	if err != nil {
		return discord.TextMessage(h.notShown(r, v.Record.Place, err, "move.kept"))
	}
	next, err := h.Browse.NextWaiting(ctx, r.Person.ID, shown.Record.ID)
	if err != nil {
		h.Log.Warn("looking for the next match of a person", "error", err)
	}
	return message.Receipt(r.Say, shown, r.Person.ID, next)
}

func (h *Handlers) askToConfirm(ctx context.Context, r *interaction.Request, v *host.View, draft *host.Draft,
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
	return naming(r, v, respond(m)), nil
}

// actionButton handles a button of a board that plays an action, in games with
// Direct actions; panel.go handles the choices of the others. It acknowledges
// by collapsing the board that was clicked to a line, and then posts the next
// board.
func (h *Handlers) actionButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if h.tooQuick(r) {
		return interaction.Response{}, errTooQuick
	}
	id, seq := r.MatchAndSeq()
	v, draft, err := h.Host.ActOrConfirm(ctx, r.Actor(), id, seq, r.Values["token"])
	switch {
	case err != nil:
		return interaction.Response{}, err
	case draft != nil:
		return h.askToConfirm(ctx, r, v, draft, interaction.Private)
	}
	for _, b := range v.Boards {
		if b.Message == r.Message && b.State == storage.BoardSuperseded {
			response := replacing(v, interaction.Update(message.Collapsed(r.Public, v, b.Seq)))
			return response.Continue(func(ctx context.Context, confirmed bool) string {
				collapsed := ""
				if confirmed {
					collapsed = b.Message
				}
				if _, err := h.Publisher.ShowTurn(ctx, v, collapsed); err != nil {
					return h.notShown(r, v.Record.Place, err, "move.kept")
				}
				return ""
			}), nil
		}
	}
	return naming(r, v, interaction.Private(h.showPlayed(ctx, r, v))), nil
}

// suggestTurn completes the last token of a turn that is being typed, or says
// why it cannot.
func (h *Handlers) suggestTurn(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	typed := r.Option("turn")
	v, err := h.matchOf(ctx, r, h.matchToMove)
	if unclear, ok := errors.AsType[*ambiguousError](err); ok {
		fits := unclear.playable(r.Person.ID, message.TrimDescription(typed))
		if len(unclear.views) == 1 {
			fits = unclear.views
		}
		if len(fits) == 1 {
			v, err = fits[0], nil
		}
	}
	if err != nil {
		why, known := h.Explain(r, err)
		if !known {
			return interaction.Response{}, err
		}
		return interaction.Suggest(message.Notice(why, typed)), nil
	}
	if p, ok := v.ToMove(); !ok {
		return interaction.Suggest(message.Notice(r.Say.T("error.over"), typed)), nil
	} else if p.ID != r.Person.ID {
		return interaction.Suggest(message.Notice(r.Say.T("error.turn", "Who", p.Name), typed)), nil
	}
	return interaction.Suggest(message.TurnSuggestions(r.Say, v, v.SeatOf(r.Person.ID), typed)), nil
}

// hint handles /hint. It shows a strong computer's next turn on a private picture.
func (h *Handlers) hint(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if err := h.Host.CheckHint(v, r.Person.ID); err != nil {
		return interaction.Response{}, h.refuse(ctx, v, err)
	}
	turn, err := h.Computer.Hint(ctx, v, r.Person.ID)
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
	return naming(r, v, interaction.Private(message.Hint(r.Say, v, turn, effects, picture))), nil
}

// tryTurn returns the match as it would be after a turn, and the descriptions of
// what the turn's actions do. It does not play the turn.
func (h *Handlers) tryTurn(r *interaction.Request, v *host.View, turn string) (after *match.Match, effects []string, err error) {
	seat := v.SeatOf(r.Person.ID)
	entries, err := v.Match.Act(seat, turn, match.Cause{At: h.Host.Now(), Interaction: r.Interaction.ID})
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

var errTooQuick = errors.New("the board had only just appeared")

// tooQuick reports whether a button of a board was pressed so soon after the board
// was posted that the person cannot have seen the board. They meant the board
// before, which the new one has moved away.
func (h *Handlers) tooQuick(r *interaction.Request) bool {
	age, ok := r.MessageAge()
	return ok && age < h.BoardSettles
}
