package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/bot/wire"
	"castellan/engine"
	"castellan/imaging"
	"castellan/storage"
)

// errBotOpponent says that the named opponent is a bot.
var errBotOpponent = errors.New("a bot cannot be challenged")

// onChallenge is /challenge <game>.
func (b *Bot) onChallenge(ctx context.Context, r *Request) (Response, error) {
	opponent, ok := r.people[r.text("opponent")]
	if !ok {
		return Response{}, errors.New("the command does not say who the opponent is")
	}
	if opponent.bot {
		return Response{}, errBotOpponent
	}
	o := host.Offer{
		Place: r.Place, Opponent: opponent.Person, Game: r.values["game"],
		First: r.text("first"), Options: map[string]string{},
	}
	if g, ok := b.games.Lookup(o.Game); ok {
		for _, option := range g.Options() {
			v, _, _ := strings.Cut(r.text(option.Key), strings.TrimSpace(remark))
			if v = strings.TrimSpace(v); v != "" {
				o.Options[option.Key] = v
			}
		}
	}
	ch, err := b.host.Challenge(ctx, r.Cause(), o)
	if err != nil {
		return Response{}, err
	}
	shown, err := b.poster.showChallenge(ctx, ch.ID)
	if err != nil {
		return PrivateText(b.notShown(r, err, "challenge.kept")), nil
	}
	return PrivateText(r.Say.T("challenge.sent", "Who", escape(ch.Opponent.Name),
		"Link", link(r.Say.T("challenge.link"), shown.Place.Guild, shown.Place.Channel, shown.Message))), nil
}

// onAccept starts the match.
func (b *Bot) onAccept(ctx context.Context, r *Request) (Response, error) {
	id, err := r.challenge()
	if err != nil {
		return Response{}, err
	}
	ch, v, err := b.host.Accept(ctx, r.Cause(), id)
	if err != nil {
		return Response{}, err
	}
	if _, err := b.poster.show(ctx, v.Record.ID, pace{}); err != nil {
		b.log.Debug("the first board is behind", "match", v.Record.ID, "error", err)
	}
	return b.challengeAnswered(ctx, ch)
}

// onDecline turns a challenge down.
func (b *Bot) onDecline(ctx context.Context, r *Request) (Response, error) {
	id, err := r.challenge()
	if err != nil {
		return Response{}, err
	}
	ch, err := b.host.Decline(ctx, r.Cause(), id)
	if err != nil {
		return Response{}, err
	}
	return b.challengeAnswered(ctx, ch)
}

// onCancel withdraws a challenge.
func (b *Bot) onCancel(ctx context.Context, r *Request) (Response, error) {
	id, err := r.challenge()
	if err != nil {
		return Response{}, err
	}
	ch, err := b.host.Cancel(ctx, r.Cause(), id)
	if err != nil {
		return Response{}, err
	}
	return b.challengeAnswered(ctx, ch)
}

// challengeAnswered puts the new state into the message that was clicked.
func (b *Bot) challengeAnswered(ctx context.Context, ch storage.Challenge) (Response, error) {
	m, err := b.poster.challengeMessage(ctx, ch)
	if err != nil {
		return Response{}, err
	}
	return Update(m).Then(func(ctx context.Context) {
		if err := b.host.ChallengeShown(ctx, ch.ID, "", ch.State); err != nil {
			b.log.Error("recording a shown challenge", "challenge", ch.ID, "error", err)
		}
	}), nil
}

// challengeMessage is the public message of a challenge: the offer with its
// buttons while it is open, one line afterwards.
func (p *poster) challengeMessage(ctx context.Context, ch storage.Challenge) (wire.Message, error) {
	say := p.texts.Printer()
	game, options, start, err := p.host.Setting(ch)
	if err != nil {
		return wire.Message{}, err
	}
	args := []any{
		"Challenger", escape(ch.Challenger.Name), "Opponent", escape(ch.Opponent.Name),
		"Game", gameName(say, game), "Match", int64(ch.Match),
	}
	if ch.State != storage.ChallengeOpen {
		return textMessage("-# " + say.T("challenge."+string(ch.State), args...)), nil
	}
	scene := imaging.Scene{Game: game, Position: start}
	switch ch.First { // where it is drawn by lot nobody has a seat yet
	case host.FirstMe:
		scene.Names = []string{ch.Challenger.Name, ch.Opponent.Name}
	case host.FirstThem:
		scene.Names = []string{ch.Opponent.Name, ch.Challenger.Name}
	}
	data, err := p.pictures.Board(ctx, scene, theme)
	if err != nil {
		return wire.Message{}, fmt.Errorf("drawing challenge %d: %w", ch.ID, err)
	}
	picture := wire.File{
		Name: fmt.Sprintf("challenge-%d.png", ch.ID), ContentType: "image/png", Data: data,
		Description: say.T("challenge.alt", "Summary", say.Say(start.Summary())),
	}
	args = append(args, "Mention", mention(ch.Opponent.ID))
	return wire.Message{
		Components: []wire.Component{wire.Container{
			Accent: neutral(),
			Components: []wire.Component{
				wire.Text{Content: say.T("challenge.offer", args...) + "\n-# " + offerInWords(say, game, options, ch)},
				wire.Picture{File: picture.Name, Description: picture.Description},
				wire.Row{Buttons: []wire.Button{
					{Style: wire.Success, Label: say.T("challenge.accept"), CustomID: challengeID(ch.ID, "accept")},
					{Style: wire.Secondary, Label: say.T("challenge.decline"), CustomID: challengeID(ch.ID, "decline")},
					{Style: wire.Secondary, Label: say.T("challenge.cancel"), CustomID: challengeID(ch.ID, "cancel")},
				}},
			},
		}},
		Mentions: wire.Mentions{Users: []string{ch.Opponent.ID}},
		Files:    []wire.File{picture},
	}, nil
}

// offerInWords is what a challenge proposes, an option after the other.
func offerInWords(say *catalogue.Printer, game engine.Game, options engine.Options, ch storage.Challenge) string {
	var words []string
	for _, o := range game.Options() {
		words = append(words, say.T("challenge.option", "Option", o.Key, "Value", options.Text(o.Key)))
	}
	who := map[string]string{host.FirstMe: ch.Challenger.Name, host.FirstThem: ch.Opponent.Name}[ch.First]
	if who == "" {
		words = append(words, say.T("challenge.drawn"))
	} else {
		words = append(words, say.T("challenge.begins", "Who", escape(who)))
	}
	return strings.Join(words, " · ")
}
