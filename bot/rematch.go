package bot

import (
	"context"
	"errors"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// onRematch is /rematch: of the match that the person names, or of the one of
// theirs that ended last in this channel.
func (b *Bot) onRematch(ctx context.Context, r *Request) (Response, error) {
	if err := postable(r); err != nil && !r.direct {
		return Response{}, err
	}
	v, err := b.named(ctx, r)
	if err == nil && v == nil {
		v, err = b.host.LastEnded(ctx, r.Person.ID, r.Place.Channel)
		if errors.Is(err, host.ErrNoneEnded) && r.Place.Guild == "" {
			v, err = b.host.LastEnded(ctx, r.Person.ID, "")
		}
	}
	if err != nil {
		return Response{}, err
	}
	return b.rematch(ctx, r, v.Record.ID)
}

// onRematchButton is the button Rematch of a final board.
func (b *Bot) onRematchButton(ctx context.Context, r *Request) (Response, error) {
	id, _, err := r.match()
	if err != nil {
		return Response{}, err
	}
	return b.rematch(ctx, r, id)
}

// rematch asks for another match where the person is, or accepts it where
// somebody else has asked.
func (b *Bot) rematch(ctx context.Context, r *Request, id storage.MatchID) (Response, error) {
	if err := b.replayable(ctx, r, id); err != nil {
		return Response{}, err
	}
	thread, note := b.wantsThread(r)
	ch, v, err := b.host.Rematch(ctx, r.Cause(), id, r.Place, thread)
	switch {
	case err != nil:
		return Response{}, err
	case v == nil && ch.Challenger.ID == r.Person.ID:
		return PrivateText(b.offered(ctx, r, ch) + note), nil
	}
	if _, err := b.poster.showChallenge(ctx, ch.ID); err != nil {
		b.log.Debug("a rematch is behind", "challenge", ch.ID, "error", err)
	}
	if v == nil {
		return PrivateText(r.Say.T("rematch.joined")), nil
	}
	shown, err := b.poster.show(ctx, v.Record.ID, pace{})
	if err != nil {
		return PrivateText(b.notShown(r, v.Record.Place, err, "rematch.kept")), nil
	}
	return PrivateText(r.Say.T("rematch.begun", "Link", boardLink(r, shown))), nil
}

// replayable says why a match cannot be played again where a request comes
// from: in the bot's direct messages only one against computers can be.
func (b *Bot) replayable(ctx context.Context, r *Request, id storage.MatchID) error {
	err := postable(r)
	if !r.direct {
		return err
	}
	v, missing := b.host.Match(ctx, id)
	switch {
	case missing != nil:
		return missing
	case host.AgainstComputers(v.Record.Seats):
		return nil
	}
	return err
}

// rematchRow is the button of a final board, for those who played.
func rematchRow(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	if m.Seat() != engine.Nobody {
		return nil
	}
	return []discord.Component{discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Secondary, Label: say.T("rematch.button"), CustomID: matchID(v.Record.ID, m.Seq(), "rematch")},
	}}}
}

// offerLine is who asks whom to play what.
func (p *poster) offerLine(ctx context.Context, say *catalogue.Printer, ch storage.Challenge, args []any) (string, error) {
	again, err := p.host.IsRematch(ctx, ch.ID)
	if err != nil {
		return "", err
	}
	if again {
		return say.T("rematch.offer", args...), nil
	}
	return say.T("challenge.offer", args...), nil
}
