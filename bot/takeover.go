package bot

import (
	"context"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/storage"
)

// unreachable reports whether the bot can no longer show a match in its
// channel: the channel is gone, or the bot may not see it or post there.
func (b *Bot) unreachable(ctx context.Context, v *host.View) bool {
	if _, over := v.Match.Over(); over {
		return false
	}
	err := b.client.GetChannel(ctx, v.Record.Place.Channel)
	if err == nil && v.Board.State == storage.BoardDue && v.Board.Tries > 0 {
		_, err = b.poster.show(ctx, v.Record.ID, pace{})
	}
	if err != nil {
		b.log.Debug("looking at the channel of a match", "match", v.Record.ID, "error", err)
	}
	return discord.Blocked(err)
}

// takeOver goes on with a match in the channel where one of its players asks
// for it.
func (b *Bot) takeOver(ctx context.Context, r *Request, v *host.View) (Response, error) {
	after, err := b.host.TakeOver(ctx, r.Cause(), v.Record.ID, v.Record.Place, r.Place)
	if err != nil {
		return Response{}, err
	}
	b.log.Info("a match goes on in another channel", "match", v.Record.ID,
		"from", v.Record.Place.Channel, "to", after.Record.Place.Channel, "by", r.Person.ID)
	shown, err := b.poster.show(ctx, v.Record.ID, pace{})
	if err != nil {
		return PrivateText(b.notShown(r, after.Record.Place, err, "board.kept")), nil
	}
	return PrivateText(r.Say.T("board.moved", "Link", boardLink(r, shown))), nil
}
