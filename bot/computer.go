package bot

import (
	"context"
	"errors"
	"fmt"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// The computer as an opponent. People name the bot itself; in a seat sits the
// computer at a level, which is mentioned by nobody and told nothing.

// errLevelOfPerson says that a level was chosen for an opponent who has none.
var errLevelOfPerson = errors.New("a level without the computer as opponent")

// computer is the computer at a level as it takes a seat.
func (b *Bot) computer(level string) storage.Person {
	say := b.texts.Printer()
	return host.Computer(level, say.T("computer.name", "Level", levelName(say, level)))
}

// levelName is what people call a level.
func levelName(say *catalogue.Printer, level string) string { return say.T("level." + level) }

// levelOption is the option that says how strong the computer plays; ok is
// false where it does not play the game.
func (b *Bot) levelOption(say *catalogue.Printer, g engine.Game) (o discord.Option, ok bool) {
	o = discord.Option{
		Type: discord.OptionString, Name: "level",
		Description: say.T("command.challenge.level", "Level", levelName(say, host.DefaultLevel)),
	}
	for _, level := range b.host.Levels(g.Key()) {
		o.Choices = append(o.Choices, discord.Choice{Name: levelName(say, level), Value: level})
	}
	return o, len(o.Choices) > 0
}

// opponents is who is named as opponent in a challenge, the bot itself as the
// computer. A level alone names the computer, and so does nobody in the bot's
// direct messages, where nobody else is.
func (b *Bot) opponents(r *Request, g engine.Game) (all []storage.Person, err error) {
	level := r.text("level")
	computer := b.computer(level)
	if level == "" {
		computer = b.computer(host.DefaultLevel)
	}
	played := false
	for _, name := range opponentOptions(g) {
		id := r.text(name)
		if id == "" {
			continue
		}
		p, err := r.opponent(id)
		switch {
		case errors.Is(err, errOwnOpponent):
			p, played = computer, true
		case err != nil:
			return nil, err
		case r.direct:
			return nil, errOutside
		}
		all = append(all, p)
	}
	switch {
	case len(all) == 0 && (level != "" || r.direct):
		all = append(all, computer)
	case level != "" && !played:
		return nil, errLevelOfPerson
	}
	return all, nil
}

// address is how a message names somebody who plays: a person by a mention, so
// that Discord shows the name they have now, a computer by its name.
func address(p storage.Person) string {
	if host.IsComputer(p) {
		return escape(p.Name)
	}
	return mention(p.ID)
}

// begun shows the match of a challenge that has begun at once, and says to the
// challenger where it stands.
func (b *Bot) begun(ctx context.Context, r *Request, ch storage.Challenge) string {
	if _, err := b.poster.showChallenge(ctx, ch.ID); err != nil {
		b.log.Debug("a challenge is behind", "challenge", ch.ID, "error", err)
	}
	v, err := b.poster.show(ctx, ch.Match, pace{})
	if err != nil {
		return b.notShown(r, ch.Place, err, "computer.kept")
	}
	if _, err := b.poster.showChallenge(ctx, ch.ID); err != nil { // which has a thread now, or may have none
		b.log.Debug("a challenge is behind", "challenge", ch.ID, "error", err)
	}
	return r.Say.T("computer.begun", "Link", boardLink(r, v))
}

// aloneMessage is the message of a challenge whose match one person plays
// against computers. It keeps its picture, by which it is found again.
func (p *poster) aloneMessage(ctx context.Context, say *catalogue.Printer, ch storage.Challenge, g engine.Game, start engine.Position) (discord.Message, error) {
	picture, err := p.startPicture(ctx, say, ch, startScene(ch, g, start))
	if err != nil {
		return discord.Message{}, err
	}
	line := say.T("challenge.computer", "Challenger", escape(ch.Challenger.Name), "Opponents", names(ch.Joined[1:]),
		"Game", gameName(say, g), "Match", int64(ch.Match))
	return discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: neutral(), Components: []discord.Component{
			discord.TextDisplay{Content: line},
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
		}}},
		Files: []discord.File{picture},
	}, nil
}

// takeAway is what is picked in the menu of a table to take a computer away.
const takeAway = "none"

// computerMenu is the menu by which the challenger gives seats of a table to
// computers, or takes them away; nil where neither can be done. Its id changes
// with the table: Discord sends nothing when the same choice of the same menu is
// picked twice.
func (p *poster) computerMenu(say *catalogue.Printer, ch storage.Challenge) []discord.Component {
	menu := discord.StringSelect{
		CustomID:    challengeID(ch.ID, fmt.Sprintf("computer/%d", ch.Revision)),
		Placeholder: say.T("lobby.computer"),
	}
	if host.Free(ch) > 0 {
		for _, level := range p.host.Levels(ch.Game) {
			menu.Options = append(menu.Options, discord.SelectOption{Label: levelName(say, level), Value: level})
		}
	}
	for _, c := range ch.Joined {
		if host.IsComputer(c) {
			menu.Options = append(menu.Options, discord.SelectOption{Label: say.T("lobby.away"), Value: takeAway})
			break
		}
	}
	if len(menu.Options) == 0 {
		return nil
	}
	return []discord.Component{menu}
}

// onComputer is a choice in that menu.
func (b *Bot) onComputer(ctx context.Context, r *Request) (Response, error) {
	if len(r.picks) != 1 {
		return Response{}, errBadPath
	}
	if r.picks[0] == takeAway {
		return b.changeChallenge(ctx, r, withoutMatch(b.host.Clear))
	}
	return b.changeChallenge(ctx, r, func(ctx context.Context, c host.Cause, id storage.ChallengeID) (storage.Challenge, *host.View, error) {
		return b.host.Fill(ctx, c, id, b.computer(r.picks[0]))
	})
}

// explainComputer is about what the computer does not do.
func explainComputer(r *Request, v *host.View, refusal *host.Refusal, err error) (string, bool) {
	for _, one := range []struct {
		err error
		key string
	}{
		{errLevelOfPerson, "error.level"},
		{host.ErrNoLevel, "error.level.unknown"},
		{host.ErrNoComputer, "error.computer"},
		{host.ErrComputerTurn, "error.thinking"},
		{host.ErrNoneToRemove, "error.away"},
		{host.ErrRated, "error.hint.rated"},
		{errManyHints, "error.hint.busy"},
	} {
		if errors.Is(err, one.err) {
			return r.Say.T(one.key) + withBoard(r, v), true
		}
	}
	if errors.Is(err, host.ErrNotChallenger) && refusal != nil && refusal.Challenge != nil {
		return r.Say.T("error.seats", "Challenger", escape(refusal.Challenge.Challenger.Name)), true
	}
	return "", false
}

// gameOn is the name of a game, with whom it is played against where that is the
// computer.
func gameOn(say *catalogue.Printer, g engine.Game, list storage.List) string {
	if list == storage.AgainstComputer {
		return say.T("computer.game", "Game", gameName(say, g))
	}
	return gameName(say, g)
}

// levelOf is the level whose computers have an identifier; ok is false where it
// is a person's.
func levelOf(id string) (level string, ok bool) {
	for _, level := range host.AllLevels() {
		if host.Computer(level, "").ID == id {
			return level, true
		}
	}
	return "", false
}
