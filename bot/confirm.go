package bot

import (
	"context"

	"castellan/bot/discord"
	"castellan/bot/host"
)

// confirm shows a person the turn that they are about to play, and asks.
func (b *Bot) confirm(ctx context.Context, r *Request, v *host.View, draft *host.Draft) (Response, error) {
	after, turn := draft.Match, draft.Turn
	customID := confirmID(v, turn)
	if len(customID) > maxPath {
		return PrivateText(r.Say.T("confirm.long")), nil
	}
	picture, err := b.poster.picture(ctx, r.Say, v, after)
	if err != nil {
		return Response{}, err
	}
	return Private(discord.Message{
		Components: []discord.Component{discord.Container{Accent: accent(v, v.Match), Components: []discord.Component{
			discord.Picture{File: picture.Name, Description: picture.Description},
			discord.Text{Content: r.Say.T("confirm.ask", "Turn", escape(turn))},
			discord.Row{Buttons: []discord.Button{{Style: discord.Success, Label: r.Say.T("confirm.yes"), CustomID: customID}}},
		}}},
		Files: []discord.File{picture},
	}), nil
}

// confirmID is the custom id of the button that plays a turn.
func confirmID(v *host.View, turn string) string {
	return matchID(v.Record.ID, v.Match.Seq(), "confirm") + "/" + plain(turn)
}

// onConfirmed is the button that plays what was shown.
func (b *Bot) onConfirmed(ctx context.Context, r *Request) (Response, error) {
	return b.inPanel(ctx, r, func(v *host.View) (*host.View, string, error) {
		after, err := b.host.Act(ctx, r.Cause(), v.Record.ID, v.Match.Seq(), r.values["line"])
		return after, "", err
	})
}
