package bot

import (
	"context"
	"errors"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
	"castellan/storage"
)

// openMessage is the public message of a challenge for two that is open to
// all: Join and Cancel while nobody has come, one line afterwards. It notifies
// nobody, for it names nobody.
func (p *poster) openMessage(ctx context.Context, say *catalogue.Printer, ch storage.Challenge,
	game engine.Game, options engine.Options, start engine.Position,
) (discord.Message, error) {
	args := []any{"Challenger", escape(ch.Challenger.Name), "Game", gameName(say, game)}
	switch ch.State {
	case storage.ChallengeOpen:
	case storage.ChallengeExpired:
		return textMessage("-# " + say.T("open.expired", args...)), nil
	default:
		return textMessage("-# " + say.T("open.cancelled", args...)), nil
	}
	picture, err := p.startPicture(ctx, say, ch, imaging.Scene{Game: game, Position: start})
	if err != nil {
		return discord.Message{}, err
	}
	small := offerInWords(say, game, options, ch) + until(say, ch)
	return discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: []discord.Component{
			discord.TextDisplay{Content: say.T("open.offer", args...) + "\n-# " + small},
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.ActionRow{Buttons: []discord.Button{
				{Style: discord.Success, Label: say.T("lobby.join"), CustomID: challengeID(ch.ID, "join")},
				{Style: discord.Secondary, Label: say.T("challenge.cancel"), CustomID: challengeID(ch.ID, "cancel")},
			}},
		}}},
		Files: []discord.File{picture},
	}, nil
}

// firstInWords is who moves first in a challenge for two.
func firstInWords(say *catalogue.Printer, ch storage.Challenge) string {
	other := opponent(ch)
	switch {
	case ch.First == host.FirstMe:
		return say.T("challenge.begins", "Who", escape(ch.Challenger.Name))
	case ch.First == host.FirstThem && other.ID == "":
		return say.T("open.begins")
	case ch.First == host.FirstThem:
		return say.T("challenge.begins", "Who", escape(other.Name))
	}
	return say.T("challenge.drawn")
}

// explainOpen is about a seat of a challenge that is open to all.
func explainOpen(r *Request, refusal *host.Refusal) (string, bool) {
	ch := *refusal.Challenge
	switch {
	case errors.Is(refusal, host.ErrFull) && ch.Seats == 2 && opponent(ch).ID != "":
		return r.Say.T("error.quicker", "Who", escape(opponent(ch).Name)), true
	case errors.Is(refusal, host.ErrJoined) && host.Open(ch):
		return r.Say.T("error.own.open"), true
	}
	return "", false
}
