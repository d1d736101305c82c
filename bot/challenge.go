package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
	"castellan/storage"
)

// Errors of naming an opponent who is no person.
var (
	errBotOpponent = errors.New("a bot cannot be challenged")
	errOwnOpponent = errors.New("the opponent is the bot itself")
)

// onChallenge is /challenge <game>.
func (b *Bot) onChallenge(ctx context.Context, r *Request) (Response, error) {
	g, ok := b.games.Lookup(r.values["game"])
	if !ok {
		return Response{}, &host.Refusal{Err: host.ErrUnknownGame}
	}
	if err := postable(r); err != nil && !r.direct {
		return Response{}, err
	}
	o := host.Offer{
		Place: r.Place, Game: g.Key(), First: r.text("first"), Options: map[string]string{},
		Unrated: r.text("rated") == "false",
	}
	var err error
	if o.Opponents, err = b.opponents(r, g); err != nil {
		return Response{}, err
	}
	if players := r.text("players"); players != "" {
		n, err := strconv.Atoi(players)
		if err != nil {
			return Response{}, fmt.Errorf("the number of players: %w", err)
		}
		o.Seats = n
	}
	for _, option := range g.Options() {
		v, _, _ := strings.Cut(r.text(option.Key), strings.TrimSpace(remark))
		if v = strings.TrimSpace(v); v != "" {
			o.Options[option.Key] = v
		}
	}
	var note string
	o.Thread, note = b.wantsThread(r)
	ch, err := b.host.Challenge(ctx, r.Cause(), o)
	if err != nil {
		return Response{}, err
	}
	return PrivateText(b.offered(ctx, r, ch) + note), nil
}

// opponent is somebody whom a command names to play against.
func (r *Request) opponent(id string) (storage.Person, error) {
	p, ok := r.people[id]
	switch {
	case !ok:
		return storage.Person{}, fmt.Errorf("the command does not say who %s is", id)
	case p.bot && id == r.Interaction.ApplicationID: // the bot's user has the id of its application
		return storage.Person{}, errOwnOpponent
	case p.bot:
		return storage.Person{}, errBotOpponent
	}
	return p.Person, nil
}

// offered posts a new challenge, or the board of the match that has come of it,
// and says to the challenger where it stands.
func (b *Bot) offered(ctx context.Context, r *Request, ch storage.Challenge) string {
	if ch.Match != 0 {
		return b.begun(ctx, r, ch)
	}
	shown, err := b.poster.showChallenge(ctx, ch.ID)
	if err != nil {
		return b.notShown(r, ch.Place, err, "challenge.kept")
	}
	to := link(r.Say.T("challenge.link"), shown.Place.Guild, shown.Place.Channel, shown.Message)
	switch {
	case host.Open(ch):
		return r.Say.T("open.sent", "Link", to)
	case host.Lobby(ch):
		return r.Say.T("lobby.sent", "Link", to)
	}
	return r.Say.T("challenge.sent", "Who", escape(opponent(ch).Name), "Link", to)
}

// onAccept takes the seat that is kept for the person.
func (b *Bot) onAccept(ctx context.Context, r *Request) (Response, error) {
	return b.changeChallenge(ctx, r, b.host.Accept)
}

// onDecline gives it up.
func (b *Bot) onDecline(ctx context.Context, r *Request) (Response, error) {
	return b.changeChallenge(ctx, r, withoutMatch(b.host.Decline))
}

// onCancel withdraws a challenge.
func (b *Bot) onCancel(ctx context.Context, r *Request) (Response, error) {
	return b.changeChallenge(ctx, r, withoutMatch(b.host.Cancel))
}

// change is a use case that changes a challenge. The view is the match that
// has come of it, nil while there is none.
type change func(context.Context, host.Cause, storage.ChallengeID) (storage.Challenge, *host.View, error)

// withoutMatch is a use case from which no match can come.
func withoutMatch(do func(context.Context, host.Cause, storage.ChallengeID) (storage.Challenge, error)) change {
	return func(ctx context.Context, c host.Cause, id storage.ChallengeID) (storage.Challenge, *host.View, error) {
		ch, err := do(ctx, c, id)
		return ch, nil, err
	}
}

// changeChallenge carries out a click on a challenge and puts what has become
// of it into the message that was clicked. Until that answer has been sent
// nobody else changes the message: of two answers that are under way together,
// the older could arrive last.
func (b *Bot) changeChallenge(ctx context.Context, r *Request, do change) (response Response, err error) {
	id, err := r.challenge()
	if err != nil {
		return Response{}, err
	}
	unlock, err := b.poster.challenges.lock(ctx, int64(id))
	if err != nil {
		return Response{}, fmt.Errorf("changing challenge %d: %w", id, err)
	}
	answers := false
	defer func() {
		if !answers {
			unlock()
		}
	}()
	ch, v, err := do(ctx, r.Cause(), id)
	if err != nil {
		return Response{}, err
	}
	if v != nil {
		if ch.Message == "" { // it was posted by a process that could not record it
			if err := b.host.ChallengeShown(record(ctx), ch.ID, r.Message, ch.Shown); err != nil {
				return Response{}, err
			}
		}
		if _, err := b.poster.show(ctx, v.Record.ID, pace{}); err != nil {
			b.log.Debug("the first board is behind", "match", v.Record.ID, "error", err)
		}
	}
	if ch, err = b.host.FindChallenge(ctx, ch.ID); err != nil { // which may have a thread now
		return Response{}, err
	}
	m, err := b.poster.challengeMessage(ctx, ch)
	if err != nil {
		return Response{}, err
	}
	answers = true
	return Update(m).Then(func(ctx context.Context) {
		if err := b.host.ChallengeShown(record(ctx), ch.ID, r.Message, ch.Revision); err != nil {
			b.log.Error("recording a shown challenge", "challenge", ch.ID, "error", err)
		}
	}).Finally(unlock), nil
}

// opponent is the other one of a challenge for two.
func opponent(ch storage.Challenge) storage.Person {
	for _, p := range slices.Concat(ch.Joined, ch.Invited) {
		if p.ID != ch.Challenger.ID {
			return p
		}
	}
	return storage.Person{}
}

// offerMessage is a challenge without what has become of its match: the offer
// with its buttons while it is open, one line afterwards.
func (p *poster) offerMessage(ctx context.Context, ch storage.Challenge) (discord.Message, error) {
	say := p.texts.Printer()
	game, options, start, err := p.host.Setting(ch)
	if err != nil {
		return discord.Message{}, err
	}
	switch {
	case ch.State == storage.ChallengeAccepted && host.AgainstComputers(ch.Joined):
		return p.aloneMessage(ctx, say, ch, game, start)
	case host.Open(ch):
		return p.openMessage(ctx, say, ch, game, options, start)
	case host.Lobby(ch):
		return p.lobbyMessage(ctx, say, ch, game, options, start)
	}
	other := opponent(ch)
	args := []any{
		"Challenger", escape(ch.Challenger.Name), "Opponent", escape(other.Name),
		"Game", gameName(say, game), "Match", int64(ch.Match),
	}
	if ch.State != storage.ChallengeOpen {
		return textMessage("-# " + say.T("challenge."+string(ch.State), args...)), nil
	}
	picture, err := p.startPicture(ctx, say, ch, startScene(ch, game, start))
	if err != nil {
		return discord.Message{}, err
	}
	offer, err := p.offerLine(ctx, say, ch, append(args, "Mention", mention(other.ID)))
	if err != nil {
		return discord.Message{}, err
	}
	return discord.Message{
		Components: []discord.Component{discord.Container{
			AccentColor: neutral(),
			Components: []discord.Component{
				discord.TextDisplay{Content: offer + "\n-# " + offerInWords(say, game, options, ch) + until(say, ch)},
				discord.MediaGallery{File: picture.Name, Description: picture.Description},
				discord.ActionRow{Buttons: []discord.Button{
					{Style: discord.Success, Label: say.T("challenge.accept"), CustomID: challengeID(ch.ID, "accept")},
					{Style: discord.Secondary, Label: say.T("challenge.decline"), CustomID: challengeID(ch.ID, "decline")},
					{Style: discord.Secondary, Label: say.T("challenge.cancel"), CustomID: challengeID(ch.ID, "cancel")},
				}},
			},
		}},
		Mentions: discord.AllowedMentions{Users: []string{other.ID}},
		Files:    []discord.File{picture},
	}, nil
}

// startScene is the position from which a challenge starts.
func startScene(ch storage.Challenge, game engine.Game, start engine.Position) imaging.Scene {
	scene := imaging.Scene{Game: game, Position: start}
	other := opponent(ch)
	switch ch.First { // where it is drawn by lot nobody has a seat yet
	case host.FirstMe:
		scene.Names = []string{ch.Challenger.Name, other.Name}
	case host.FirstThem:
		scene.Names = []string{other.Name, ch.Challenger.Name}
	}
	return scene
}

// until says until when a challenge can be answered, behind what it proposes.
func until(say *catalogue.Printer, ch storage.Challenge) string {
	if ch.ExpiresAt.IsZero() {
		return ""
	}
	return " · " + say.T("challenge.until", "When", relative(ch.ExpiresAt))
}

// startPicture draws the position from which a challenge starts.
func (p *poster) startPicture(ctx context.Context, say *catalogue.Printer, ch storage.Challenge, scene imaging.Scene) (discord.File, error) {
	data, err := p.pictures.Board(ctx, scene, theme)
	if err != nil {
		return discord.File{}, fmt.Errorf("drawing challenge %d: %w", ch.ID, err)
	}
	return discord.File{
		Name: challengePicture(ch.ID), ContentType: "image/png", Data: data,
		Description: cut(say.T("challenge.alt", "Summary", say.Say(scene.Position.Summary())), maxAltText),
	}, nil
}

// challengePicture is the file name of the picture of a challenge.
func challengePicture(id storage.ChallengeID) string { return fmt.Sprintf("challenge-%d.png", id) }

// offerInWords is what a challenge proposes, an option after the other.
func offerInWords(say *catalogue.Printer, game engine.Game, options engine.Options, ch storage.Challenge) string {
	return strings.Join(append(optionsInWords(say, game, options), ratedInWords(say, ch), firstInWords(say, ch)), " · ")
}

func optionsInWords(say *catalogue.Printer, game engine.Game, options engine.Options) (words []string) {
	for _, o := range game.Options() {
		words = append(words, say.T("challenge.option", "Option", o.Key, "Value", options.Text(o.Key)))
	}
	return words
}

// ratedInWords is whether the match of a challenge will be rated.
func ratedInWords(say *catalogue.Printer, ch storage.Challenge) string {
	switch {
	case ch.Unrated:
		return say.T("challenge.unrated")
	case !host.Distinct(ch.Joined):
		return say.T("challenge.samelevel")
	}
	return say.T("challenge.rated")
}
