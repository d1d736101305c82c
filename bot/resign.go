package bot

import (
	"context"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// onResign is /resign: it asks first.
func (b *Bot) onResign(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findOwn(ctx, r)
	if err != nil {
		return Response{}, err
	}
	if v.SeatOf(r.Person.ID) == engine.Nobody {
		return Response{}, &host.Refusal{Err: host.ErrNotSeated, View: v}
	}
	if _, over := v.Match.Over(); over {
		return Response{}, &host.Refusal{Err: match.ErrOver, View: v}
	}
	if !v.Match.Playing(v.SeatOf(r.Person.ID)) {
		return Response{}, &host.Refusal{Err: match.ErrNotPlaying, View: v}
	}
	ask, yes := "resign.ask", "resign.yes"
	switch {
	case v.CallsOff():
		ask, yes = "abort.ask", "abort.yes"
	case len(v.Playing()) > 2:
		ask, yes = "retire.ask", "retire.yes"
	}
	id, seq := v.Record.ID, v.Match.Seq()
	return Private(discord.Message{Components: []discord.Component{
		discord.TextDisplay{Content: r.Say.T(ask, "Match", escape(matchInWords(r, v)))},
		discord.ActionRow{Buttons: []discord.Button{
			{Style: discord.Danger, Label: r.Say.T(yes), CustomID: matchID(id, seq, "resign")},
			{Style: discord.Secondary, Label: r.Say.T("resign.no"), CustomID: matchID(id, seq, "stay")},
		}},
	}}), nil
}

// onResignConfirmed is the answer yes.
func (b *Bot) onResignConfirmed(ctx context.Context, r *Request) (Response, error) {
	return b.leave(ctx, r, b.host.Resign, parting{kept: "resign.kept", done: "resign.done", out: "retire.done"})
}

// parting is the keys of what is said to somebody who has brought a match, or a
// player's part in it, to an end.
type parting struct {
	kept string // it counts, but the board could not be posted
	done string // the match is over
	out  string // one player has left, the others play on
}

// leave carries out, once it has been confirmed, what ends a match or removes a
// player from it.
func (b *Bot) leave(
	ctx context.Context, r *Request,
	do func(context.Context, host.Cause, storage.MatchID, int) (*host.View, error), says parting,
) (Response, error) {
	id, seq, err := r.moment()
	if err != nil {
		return Response{}, err
	}
	b.settle(ctx, id)
	v, err := do(ctx, r.Cause(), id, seq)
	if err != nil {
		return Response{}, err
	}
	shown, err := b.poster.show(ctx, id, pace{})
	if err != nil {
		return Update(textMessage(b.notShown(r, v.Record.Place, err, says.kept))), nil
	}
	key := says.done
	switch out, over := v.Match.Over(); {
	case !over:
		key = says.out
	case out.Ending == match.ByAbort:
		key = "abort.done"
	}
	return Update(textMessage(r.Say.T(key, "Link", boardLink(r, shown)))), nil
}

// onStay is the answer no.
func (b *Bot) onStay(_ context.Context, r *Request) (Response, error) {
	if _, _, err := r.match(); err != nil {
		return Response{}, err
	}
	return Update(textMessage(r.Say.T("resign.stayed"))), nil
}
