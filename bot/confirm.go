package bot

import (
	"context"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine/match"
	"castellan/storage"
)

// asks reports whether a person wants to see a turn before it counts, and what
// they play would end their turn without their saying so.
func (b *Bot) asks(ctx context.Context, r *Request, id storage.MatchID, line string) (bool, error) {
	p, err := b.host.Preferences(ctx, r.Person.ID)
	if err != nil || !p.Confirms {
		return false, err
	}
	ends, _, err := b.host.Ends(ctx, r.Cause(), id, line)
	return ends, err
}

// confirm shows a person what they are about to play, and asks. seq is how far
// the match had come when they chose it, or host.Anywhere.
func (b *Bot) confirm(ctx context.Context, r *Request, id storage.MatchID, seq int, line string) (Response, error) {
	v, err := b.host.Match(ctx, id)
	if err != nil {
		return Response{}, err
	}
	if seq != host.Anywhere && seq != v.Match.Seq() {
		return Response{}, &host.Refusal{Err: host.ErrStale, View: v}
	}
	entries, err := v.Match.Act(v.SeatOf(r.Person.ID), line, match.Moment{At: b.host.Now(), Interaction: r.Interaction.ID})
	if err != nil {
		return Response{}, &host.Refusal{Err: err, View: v}
	}
	after, err := v.Match.With(entries...)
	if err != nil {
		return Response{}, err
	}
	turn := ""
	for _, e := range entries {
		if e.Seat == v.SeatOf(r.Person.ID) {
			turn += " " + e.Text
		}
	}
	customID := confirmID(v, turn)
	if len(customID) > maxPath {
		return PrivateText(r.Say.T("confirm.long")), nil
	}
	picture, err := b.poster.picture(ctx, r.Say, v, after)
	if err != nil {
		return Response{}, err
	}
	return Private(discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: accent(v, v.Match), Components: []discord.Component{
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.TextDisplay{Content: r.Say.T("confirm.ask", "Turn", escape(turn))},
			discord.ActionRow{Buttons: []discord.Button{{Style: discord.Success, Label: r.Say.T("confirm.yes"), CustomID: customID}}},
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
