package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
	"castellan/storage"
)

// onJoin takes a seat.
func (b *Bot) onJoin(ctx context.Context, r *Request) (Response, error) {
	return b.changeChallenge(ctx, r, b.host.Join)
}

// onLeave gives it up.
func (b *Bot) onLeave(ctx context.Context, r *Request) (Response, error) {
	return b.changeChallenge(ctx, r, withoutMatch(b.host.Leave))
}

// onStart starts the match of those who have joined.
func (b *Bot) onStart(ctx context.Context, r *Request) (Response, error) {
	return b.changeChallenge(ctx, r, b.host.Start)
}

// lobbyMessage is the public message of a challenge at which people take
// seats: the seats and the buttons while it is open, one line afterwards. It
// mentions those for whom a seat is kept; only its first post notifies them.
func (p *poster) lobbyMessage(ctx context.Context, say *catalogue.Printer, ch storage.Challenge,
	game engine.Game, options engine.Options, start engine.Position,
) (discord.Message, error) {
	args := []any{"Challenger", escape(ch.Challenger.Name), "Game", gameName(say, game)}
	switch ch.State {
	case storage.ChallengeOpen:
	case storage.ChallengeAccepted:
		return textMessage("-# " + say.T("lobby.started", "People", names(ch.Joined), "Game", gameName(say, game), "Match", int64(ch.Match))), nil
	case storage.ChallengeExpired:
		return textMessage("-# " + say.T("lobby.expired", args...)), nil
	default:
		return textMessage("-# " + say.T("lobby.closed", args...)), nil
	}
	picture, err := p.startPicture(ctx, say, ch, imaging.Scene{Game: game, Position: start})
	if err != nil {
		return discord.Message{}, err
	}
	args = append(args, "Taken", len(ch.Joined), "Seats", ch.Seats)
	small := strings.Join(append(optionsInWords(say, game, options), ratedInWords(say, ch), say.T("lobby.order")), " · ") + until(say, ch)
	text := say.T("lobby.offer", args...) + "\n" + strings.Join(seatLines(say, game, ch), "\n") + "\n-# " + small
	parts := []discord.Component{
		discord.TextDisplay{Content: text},
		discord.MediaGallery{File: picture.Name, Description: picture.Description},
		p.lobbyButtons(say, ch),
	}
	return discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: append(parts, p.computerMenu(say, ch)...)}},
		Mentions:   discord.AllowedMentions{Users: identifiers(ch.Invited)},
		Files:      []discord.File{picture},
	}, nil
}

// seatLines is the seats of a challenge, a line each: those that are taken,
// those that are kept, those that are free. Each has the mark of a seat of the
// match; who sits behind which is drawn at the start.
func seatLines(say *catalogue.Printer, game engine.Game, ch storage.Challenge) (lines []string) {
	for i, c := range game.Colours(ch.Seats) {
		switch kept := i - len(ch.Joined); {
		case kept < 0:
			lines = append(lines, say.T("lobby.taken", "Mark", c.Mark(), "Who", address(ch.Joined[i])))
		case kept < len(ch.Invited):
			lines = append(lines, say.T("lobby.kept", "Mark", c.Mark(), "Who", mention(ch.Invited[kept].ID)))
		default:
			lines = append(lines, say.T("lobby.free", "Mark", c.Mark()))
		}
	}
	return lines
}

// lobbyButtons is the buttons of an open lobby, for all: what a person may not
// do is refused with the reason. Decline is there while a seat is kept.
func (p *poster) lobbyButtons(say *catalogue.Printer, ch storage.Challenge) discord.ActionRow {
	row := discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Success, Label: say.T("lobby.join"), CustomID: challengeID(ch.ID, "join")},
		{Style: discord.Secondary, Label: say.T("lobby.leave"), CustomID: challengeID(ch.ID, "leave")},
		{Style: discord.Primary, Label: say.T("lobby.start"), CustomID: challengeID(ch.ID, "start"), Disabled: !p.host.CanStart(ch)},
	}}
	if len(ch.Invited) > 0 {
		row.Buttons = append(row.Buttons, discord.Button{Style: discord.Secondary, Label: say.T("challenge.decline"), CustomID: challengeID(ch.ID, "decline")})
	}
	row.Buttons = append(row.Buttons, discord.Button{Style: discord.Secondary, Label: say.T("challenge.cancel"), CustomID: challengeID(ch.ID, "cancel")})
	return row
}

// names is people's names within markdown, one after the other.
func names(people []storage.Person) string {
	var all []string
	for _, p := range people {
		all = append(all, escape(p.Name))
	}
	return strings.Join(all, ", ")
}

func identifiers(people []storage.Person) (all []string) {
	for _, p := range people {
		all = append(all, p.ID)
	}
	return all
}

// opponentOptions is the names of the options in which opponents are named:
// "opponent", "opponent2" and so on.
func opponentOptions(g engine.Game) []string {
	_, most := g.Seats()
	all := []string{"opponent"}
	for n := 2; n < most; n++ {
		all = append(all, fmt.Sprintf("opponent%d", n))
	}
	return all
}

// seatOptions is the options that say who plays, in a game for three or more:
// how many, and whom a seat is kept for. All may be left out.
func seatOptions(say *catalogue.Printer, g engine.Game) []discord.Option {
	least, most := g.Seats()
	players := discord.Option{Type: discord.OptionInteger, Name: "players", Description: say.T("command.challenge.players", "Most", most)}
	for n := least; n <= most; n++ {
		players.Choices = append(players.Choices, discord.Choice{Name: fmt.Sprint(n), Value: n})
	}
	all := []discord.Option{players}
	for i, name := range opponentOptions(g) {
		o := discord.Option{Type: discord.OptionUser, Name: name, Description: say.T("command.challenge.seat")}
		if i > 0 {
			o.Description = say.T("command.challenge.more")
		}
		all = append(all, o)
	}
	return all
}

// takesMany reports whether three or more can play a game.
func takesMany(g engine.Game) bool {
	_, most := g.Seats()
	return most > 2
}

// explainLobby is about a seat that a person cannot take, leave, decline or
// start from.
func (b *Bot) explainLobby(r *Request, refusal *host.Refusal) (string, bool) {
	challenger := escape(refusal.Challenge.Challenger.Name)
	switch {
	case errors.Is(refusal, host.ErrFull):
		return r.Say.T("error.full"), true
	case errors.Is(refusal, host.ErrJoined):
		return r.Say.T("error.joined", "Challenger", challenger), true
	case errors.Is(refusal, host.ErrNotJoined):
		return r.Say.T("error.unseated"), true
	case errors.Is(refusal, host.ErrNotStarter):
		return r.Say.T("error.starter", "Challenger", challenger), true
	case errors.Is(refusal, host.ErrTooFew):
		return r.Say.T("error.few"), true
	case !host.Lobby(*refusal.Challenge):
		return "", false
	case errors.Is(refusal, host.ErrNotForYou):
		return r.Say.T("error.unkept"), true
	case errors.Is(refusal, host.ErrAnswered) && refusal.Challenge.State == storage.ChallengeAccepted:
		return r.Say.T("error.started"), true
	}
	return "", false
}
