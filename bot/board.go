package bot

import (
	"context"
	"strings"

	"castellan/bot/wire"
)

// onBoard is /board: the current board once more at the foot of the channel,
// or the position in words for the person alone.
func (b *Bot) onBoard(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToShow(ctx, r)
	if err != nil {
		return Response{}, err
	}
	if r.text("text") == "true" {
		words := r.Say.Lines(v.Match.Position().Describe())
		return PrivateText(status(r.Say, v, v.Match) + "\n```\n" + strings.ReplaceAll(words, "```", "'''") + "\n```"), nil
	}
	if v.Record.Place.Channel != r.Place.Channel {
		return b.privateBoard(ctx, r)
	}
	if v, err = b.host.Repost(ctx, r.Cause(), v.Record.ID); err != nil {
		return Response{}, err
	}
	shown, err := b.poster.show(ctx, v.Record.ID, pace{})
	if err != nil {
		return PrivateText(b.notShown(r, err, "board.kept")), nil
	}
	return PrivateText(r.Say.T("board.posted", "Link", boardLink(r, shown))), nil
}

// privateBoard shows a match of another channel to one who plays in it.
func (b *Bot) privateBoard(ctx context.Context, r *Request) (Response, error) {
	v, err := b.named(ctx, r)
	if err != nil {
		return Response{}, err
	}
	picture, err := b.poster.picture(ctx, r.Say, v, v.Match)
	if err != nil {
		return Response{}, err
	}
	text := status(r.Say, v, v.Match)
	if to := boardLink(r, v); to != "" {
		text += "\n" + to
	}
	return Private(wire.Message{
		Components: []wire.Component{wire.Container{Accent: accent(v, v.Match), Components: []wire.Component{
			wire.Picture{File: picture.Name, Description: picture.Description},
			wire.Text{Content: text},
		}}},
		Files: []wire.File{picture},
	}), nil
}
