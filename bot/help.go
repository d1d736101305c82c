package bot

import (
	"context"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
)

// onHelp is /help: what can be done next in the place where it is asked, for
// whoever asks. What waits for the person stands first.
func (b *Bot) onHelp(ctx context.Context, r *Request) (Response, error) {
	own, err := b.host.Own(ctx, r.Person.ID, 1, 2*longestList)
	if err != nil {
		return Response{}, err
	}
	s := situation{}
	for _, v := range own.Matches {
		p, ok := v.ToMove()
		waits := ok && p.ID == r.Person.ID
		switch here := v.Record.Place.Channel == r.Place.Channel; {
		case here && waits:
			s.waiting = append(s.waiting, v)
		case here:
			s.playing = append(s.playing, v)
		case waits:
			s.elsewhere = append(s.elsewhere, v)
		}
	}
	if s.known, err = b.known(ctx, r, own.Total); err != nil {
		return Response{}, err
	}
	if s.watched, err = b.host.RunningIn(ctx, r.Place.Channel); err != nil {
		return Response{}, err
	}
	s.direct = r.Place.Guild == ""
	return Private(b.helpMessage(r, s)), nil
}

// situation is what /help depends on.
type situation struct {
	waiting   []*host.View // for the person, in this channel
	playing   []*host.View // other matches of theirs in this channel
	elsewhere []*host.View // those that wait for them elsewhere
	watched   []*host.View // all of this channel
	known     bool         // they have played before
	direct    bool         // outside servers
}

// known reports whether a person plays, or has finished a match.
func (b *Bot) known(ctx context.Context, r *Request, running int) (bool, error) {
	if running > 0 {
		return true, nil
	}
	finished, err := b.host.Finished(ctx, r.Person.ID, 1, 1)
	return finished.Total > 0, err
}

func (b *Bot) helpMessage(r *Request, s situation) discord.Message {
	say := r.Say
	var parts []string
	switch {
	case len(s.waiting) > 0:
		parts = append(parts, say.T("help.turn", "Matches", ownLines(say, s.waiting, r.Person.ID)))
	case len(s.playing) > 0:
		parts = append(parts, say.T("help.wait", "Matches", ownLines(say, s.playing, r.Person.ID)))
	case s.direct:
		parts = append(parts, say.T("help.direct", "Link", inviteLink(say, b.Invite())))
	case !s.known:
		parts = append(parts, say.T("help.new", "Games", b.gamesInWords(say)))
	case len(s.watched) > 0:
		parts = append(parts, say.T("help.watch"))
	default:
		parts = append(parts, say.T("help.start"))
	}
	if len(s.elsewhere) > 0 {
		parts = append(parts, say.T("help.elsewhere", "Matches", ownLines(say, s.elsewhere, r.Person.ID)))
	}
	parts = append(parts, "-# "+say.T("help.more"))
	c := discord.Container{AccentColor: neutral(), Components: []discord.Component{discord.TextDisplay{Content: strings.Join(parts, "\n\n")}}}
	if rows := b.helpRules(say, s); len(rows.Buttons) > 0 {
		c.Components = append(c.Components, rows)
	}
	return discord.Message{Components: []discord.Component{c}}
}

// helpRules leads to the rules of what is played here, or of every game where
// nothing is and the person is new.
func (b *Bot) helpRules(say *catalogue.Printer, s situation) (row discord.ActionRow) {
	const perRow = 5
	shown := map[string]bool{}
	add := func(key, name string) {
		if !shown[key] && len(row.Buttons) < perRow {
			shown[key] = true
			row.Buttons = append(row.Buttons, discord.Button{
				Style: discord.Secondary, Label: say.T("help.rules", "Game", name), CustomID: rulesID(key, 1),
			})
		}
	}
	for _, v := range s.watched {
		add(v.Game.Key(), gameName(say, v.Game))
	}
	if len(row.Buttons) == 0 && (!s.known || s.direct) {
		for _, g := range b.games.Games() {
			add(g.Key(), gameName(say, g))
		}
	}
	return row
}

// ownLines is matches of a person as /games lists them.
func ownLines(say *catalogue.Printer, views []*host.View, person string) string {
	var lines []string
	for _, v := range views[:min(len(views), longestList)] {
		lines = append(lines, "- "+strings.TrimSpace(ownLine(say, v, person)))
	}
	if len(views) > longestList {
		lines = append(lines, "- …")
	}
	return strings.Join(lines, "\n")
}

// gamesInWords is every game with what it is about, a line each.
func (b *Bot) gamesInWords(say *catalogue.Printer) string {
	var lines []string
	for _, g := range b.games.Games() {
		lines = append(lines, say.T("help.game", "Game", gameName(say, g), "About", say.Say(g.Texts().Phrase(g.Key()+".tagline"))))
	}
	return strings.Join(lines, "\n")
}
