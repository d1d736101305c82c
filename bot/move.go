package bot

import (
	"context"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// remark divides a suggestion's line from the words that explain it. Clients
// often send back what is shown, so a turn is read up to it.
const remark = " · "

// onMove is /move.
func (b *Bot) onMove(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToMove(ctx, r)
	if err != nil {
		return Response{}, err
	}
	line, _, _ := strings.Cut(r.text("turn"), strings.TrimSpace(remark))
	return b.play(ctx, r, v, line)
}

// play plays what a person has written.
func (b *Bot) play(ctx context.Context, r *Request, v *host.View, line string) (Response, error) {
	b.settle(ctx, v.Record.ID)
	after, draft, err := b.host.ActOrConfirm(ctx, r.Cause(), v.Record.ID, host.AnySeq, line)
	switch {
	case err != nil:
		return Response{}, err
	case draft != nil:
		return b.confirm(ctx, r, after, draft)
	}
	return b.afterCommand(ctx, r, v, after)
}

// afterCommand answers a command that has changed a match: with the panel
// while the person's turn goes on, with what was played when it has ended.
func (b *Bot) afterCommand(ctx context.Context, r *Request, before, after *host.View) (Response, error) {
	if p, ok := after.ToMove(); ok && p.ID == r.Person.ID && after.Match.PublicSeq() == before.Match.PublicSeq() {
		m, err := b.panel(ctx, r, after, "", "")
		return Private(m), err
	}
	shown, err := b.poster.show(ctx, after.Record.ID, pace{})
	if err != nil {
		return PrivateText(b.notShown(r, after.Record.Place, err, "move.kept")), nil
	}
	return PrivateText(b.played(r, shown)), nil
}

// onEnd is /end.
func (b *Bot) onEnd(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToMove(ctx, r)
	if err != nil {
		return Response{}, err
	}
	return b.play(ctx, r, v, engine.End)
}

// onUndoCommand is /undo.
func (b *Bot) onUndoCommand(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToMove(ctx, r)
	if err != nil {
		return Response{}, err
	}
	b.settle(ctx, v.Record.ID)
	after, err := b.host.Undo(ctx, r.Cause(), v.Record.ID, host.AnySeq)
	if err != nil {
		return Response{}, err
	}
	return b.afterCommand(ctx, r, v, after)
}

// played tells a person that their turn counts, with the way to the board.
func (b *Bot) played(r *Request, v *host.View) string {
	to := boardLink(r, v)
	if open := v.Match.Open(); open.Seat == v.SeatOf(r.Person.ID) && len(open.Actions) > 0 {
		return r.Say.T("move.open", "Turn", escape(cut(open.String(), longestTurn)), "Link", to)
	}
	for i := len(v.Match.Turns()) - 1; i >= 0; i-- {
		if t := v.Match.Turns()[i]; t.Seat == v.SeatOf(r.Person.ID) {
			return r.Say.T("move.played", "Turn", written(t), "Link", to)
		}
	}
	return r.Say.T("move.done", "Link", to)
}

// boardLink is the way to the current board, empty where none is posted.
func boardLink(r *Request, v *host.View) string {
	if v == nil || v.Board.Message == "" {
		return ""
	}
	return link(r.Say.T("board.link"), v.Board.Place.Guild, v.Board.Place.Channel, v.Board.Message)
}

// onAct is a button of a board: one action that is a whole turn, or part of it.
func (b *Bot) onAct(ctx context.Context, r *Request) (Response, error) {
	id, seq, err := r.moment()
	if err != nil {
		return Response{}, err
	}
	b.settle(ctx, id)
	after, draft, err := b.host.ActOrConfirm(ctx, r.Cause(), id, seq, r.values["token"])
	switch {
	case err != nil:
		return Response{}, err
	case draft != nil:
		return b.confirm(ctx, r, after, draft)
	}
	v, err := b.poster.show(ctx, id, pace{except: r.Message})
	if err != nil {
		return PrivateText(b.notShown(r, after.Record.Place, err, "move.kept")), nil
	}
	return b.collapseClicked(ctx, r, v)
}

// collapseClicked answers a click on a board by collapsing it.
func (b *Bot) collapseClicked(ctx context.Context, r *Request, v *host.View) (Response, error) {
	v, err := b.host.Refresh(ctx, v)
	if err != nil {
		return Response{}, err
	}
	for _, board := range v.Boards {
		if board.Message == r.Message && board.State == storage.BoardStale {
			return Update(collapsed(b.texts.Printer(), v, board.Seq)).Then(func(ctx context.Context) {
				if _, err := b.host.BoardsCollapsed(ctx, v, board.ID); err != nil {
					b.log.Error("recording a collapsed board", "match", v.Record.ID, "error", err)
				}
			}), nil
		}
	}
	return PrivateText(b.played(r, v)), nil
}

// suggestTurn completes the last token of the turn that is being written.
func (b *Bot) suggestTurn(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToMove(ctx, r)
	if err != nil {
		return Response{}, err
	}
	if p, ok := v.ToMove(); !ok || p.ID != r.Person.ID {
		return Suggest(nil), nil
	}
	return Suggest(suggestions(r.Say, v.Match.Position(), r.text("turn"))), nil
}

// suggestMatch completes the number of a match of this person.
func (b *Bot) suggestMatch(ctx context.Context, r *Request) (Response, error) {
	views, err := b.host.Running(ctx, r.Person.ID, "")
	if err != nil {
		return Response{}, err
	}
	var choices []discord.Choice
	for _, v := range views {
		name := matchInWords(r, v)
		if strings.Contains(name, r.text("match")) {
			choices = append(choices, discord.Choice{Name: name, Value: int64(v.Record.ID)})
		}
	}
	return Suggest(choices), nil
}

// matchInWords is a match in a line without markdown: number, game, opponents,
// whose turn.
func matchInWords(r *Request, v *host.View) string {
	var others []string
	for _, p := range v.Record.Seats {
		if p.ID != r.Person.ID {
			others = append(others, plain(p.Name))
		}
	}
	key := "match.waiting"
	if p, ok := v.ToMove(); ok && p.ID == r.Person.ID {
		key = "match.yours"
	}
	return r.Say.T(key, "Match", int64(v.Record.ID), "Game", gameName(r.Say, v.Game), "Others", strings.Join(others, ", "))
}
