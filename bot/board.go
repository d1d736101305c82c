package bot

import (
	"context"
	"strconv"
	"strings"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine/match"
)

// onBoard is /board: the current board once more at the foot of the channel;
// or, for the person alone, the position in words, a quarter of it from
// nearer, or a match of another channel. A match whose channel is gone goes on
// where a player asks for it.
func (b *Bot) onBoard(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToShow(ctx, r)
	if err != nil {
		return Response{}, err
	}
	seen, err := visible(v, r.Person.ID)
	if err != nil {
		return Response{}, err
	}
	if r.text("text") == "true" {
		words := r.Say.Lines(seen.Position().Describe())
		return PrivateText(status(r.Say, v, seen) + "\n```\n" + strings.ReplaceAll(words, "```", "'''") + "\n```"), nil
	}
	quarter, _ := strconv.Atoi(r.text("zoom")) // 0 where it was not asked for
	elsewhere := v.Record.Place.Channel != r.Place.Channel
	if elsewhere && quarter == 0 && postable(r) == nil && b.unreachable(ctx, v) {
		return b.takeOver(ctx, r, v)
	}
	if elsewhere || quarter != 0 {
		m, err := b.aside(ctx, r, v, seen, quarter)
		return Private(m), err
	}
	b.settle(ctx, v.Record.ID)
	if v, err = b.host.Repost(ctx, r.Cause(), v.Record.ID); err != nil {
		return Response{}, err
	}
	shown, err := b.poster.show(ctx, v.Record.ID, pace{})
	if err != nil {
		return PrivateText(b.notShown(r, v.Record.Place, err, "board.kept")), nil
	}
	return PrivateText(r.Say.T("board.posted", "Link", boardLink(r, shown))), nil
}

// visible is a match as a person may see it: nobody but who is to act sees the
// actions of an open turn.
func visible(v *host.View, person string) (*match.Match, error) {
	if p, ok := v.ToMove(); ok && p.ID == person {
		return v.Match, nil
	}
	return v.Match.At(v.Match.PublicSeq())
}

// aside is a private look at a match, or at a quarter of its board, 1 to 4,
// where the game has such pictures.
func (b *Bot) aside(ctx context.Context, r *Request, v *host.View, seen *match.Match, quarter int) (discord.Message, error) {
	scene := sceneOf(v, seen)
	scene.Zoom = quarter
	picture, err := b.poster.draw(ctx, r.Say, v, seen, scene)
	if err != nil {
		return discord.Message{}, err
	}
	text := status(r.Say, v, seen)
	if to := boardLink(r, v); to != "" {
		text += "\n" + to
	}
	return discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: accent(v, seen), Components: []discord.Component{
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.TextDisplay{Content: text},
		}}},
		Files: []discord.File{picture},
	}, nil
}
