package message

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
	"castellan/storage"
)

// RemoveComputer is the value of the menu option that removes a computer from
// a table.
const RemoveComputer = "none"

// ChallengeData holds what the public message of a challenge shows.
type ChallengeData struct {
	storage.Challenge
	Game    engine.Game
	Options engine.Options
	Start   engine.Position
	Levels  []host.Level // of the computers that can join
	// CanStart says that the challenger may start the match now.
	CanStart bool
	// Rematch says that the challenge asks for another match.
	Rematch bool
	Thread  storage.ThreadState
	// Withdrawn is the ID of the organiser who has withdrawn the challenge, if one has.
	Withdrawn string
	// View is the challenge's match, if it is played in a thread or was paired in a
	// tournament.
	View *host.View
}

// HasPicture reports whether the message shows the starting position.
func (d ChallengeData) HasPicture() bool {
	return d.State == storage.ChallengeOpen || d.solo() && !d.over()
}

func (d ChallengeData) over() bool {
	if d.View == nil {
		return false
	}
	_, over := d.View.Match.Over()
	return over
}

func (d ChallengeData) solo() bool {
	return d.State == storage.ChallengeAccepted && host.IsSolo(d.Joined)
}

// DrawChallenge draws the position from which the match of a challenge starts.
func DrawChallenge(ctx context.Context, r Themed, say *catalogue.Printer, d ChallengeData) (discord.File, error) {
	scene := imaging.Scene{Game: d.Game, Position: d.Start, Thumbnail: true}
	other := Opponent(d.Challenge)
	switch known := d.Seats == 2 && !host.IsPublic(d.Challenge); {
	case known && d.First == host.FirstMe:
		scene.Names = []string{rawName(say, d.Challenger), rawName(say, other)}
	case known && d.First == host.FirstThem:
		scene.Names = []string{rawName(say, other), rawName(say, d.Challenger)}
	default: // nobody has a seat yet
		for _, c := range d.Game.Colours(d.Seats) {
			scene.Names = append(scene.Names, say.T("colour."+c.String()))
		}
	}
	return r.draw(ctx, say, scene, ChallengeFileName(d.ID), say.T("challenge.alt", "Summary", say.Text(d.Start.Summary())))
}

// ChallengeFileName returns the file name of the picture of a challenge. A
// message that is missing from the records is recognised by it.
func ChallengeFileName(id storage.ChallengeID) string { return fmt.Sprintf("challenge-%d.png", id) }

// Challenge returns the public message of a challenge: the offer with its buttons
// while the challenge is open, and one line afterwards. If the match is played in
// a thread, the line says where and how it ended. picture is needed if HasPicture.
func Challenge(say *catalogue.Printer, d ChallengeData, picture discord.File) discord.Message {
	m := offer(say, d, picture)
	if d.State != storage.ChallengeAccepted {
		return m
	}
	switch d.Thread {
	case storage.ThreadRefused, storage.ThreadFull, storage.ThreadLocked, storage.ThreadDeleted:
		text := say.T("thread."+string(d.Thread), "Channel", discord.MentionChannel(d.Place.Channel))
		m.Components = append(m.Components, discord.TextDisplay{Content: "-# " + text})
	case storage.ThreadCreated, storage.ThreadArchived:
		text := "-# " + say.T("thread.here", "Thread", discord.MentionChannel(d.Message))
		if d.View != nil {
			if out, over := d.View.Match.Over(); over {
				text = Outcome(say, d.View, out) + "\n" + text
			}
		}
		m.Components = append(m.Components, discord.TextDisplay{Content: text})
	case storage.ThreadNone, storage.ThreadWanted:
	}
	return m
}

// offer returns the message without the thread.
func offer(say *catalogue.Printer, d ChallengeData, picture discord.File) discord.Message {
	other := Opponent(d.Challenge)
	args := []any{
		"Challenger", Name(say, d.Challenger), "Opponent", Name(say, other), "Mention", discord.MentionUser(other.ID),
		"People", joinNames(say, d.Joined), "Game", gameName(say, d.Game), "Match", int64(d.Match), "Taken", len(d.Joined), "Seats", d.Seats,
	}
	prefix := "challenge."
	switch {
	case d.View != nil && d.View.Event.Tournament != 0:
		return discord.TextMessage(say.T("tournament.table", append(args, "Event", eventLine(say, d.View))...))
	case host.StartedForOthers(d.Challenge):
		line := say.T("organise.started", append(args, "Addressed", say.List(addresses(say, d.Joined)...))...)
		msg := discord.TextMessage("-# " + line)
		msg.Mentions.Users = ids(host.Waiting(d.Challenge))
		return msg
	case d.Withdrawn != "":
		return discord.TextMessage("-# " + say.T("organise.withdrawn", append(args, "Who", address(say, organiser(say, d.Withdrawn)))...))
	case d.solo():
		computers := d.Joined[1:]
		if d.View != nil { // those that it found for the person's strength
			computers = slices.DeleteFunc(slices.Clone(d.View.Record.Seats), func(p storage.Person) bool { return !host.IsComputer(p) })
		}
		line := say.T("challenge.computer", append(args, "Opponents", joinNames(say, computers))...) + " · " + ratedText(say, d)
		if d.Clock != "" {
			line += " · " + ClockName(say, d.Clock)
		}
		if !d.HasPicture() {
			return discord.TextMessage("-# " + line)
		}
		return discord.Message{
			Components: []discord.Component{discord.Section{Content: line, File: picture.Name, Description: picture.Description}},
			Files:      []discord.File{picture},
		}
	case host.IsPublic(d.Challenge):
		prefix = "open."
	case host.IsLobby(d.Challenge):
		prefix = "lobby."
	}
	if d.State != storage.ChallengeOpen {
		return discord.TextMessage("-# " + say.T(prefix+closedKey(prefix, d.State), args...))
	}
	terms := optionTexts(say, d.Game, d.Options)
	terms = append(terms, ratedText(say, d))
	if d.Clock != "" {
		terms = append(terms, ClockName(say, d.Clock))
	}
	text := say.T(prefix+"offer", args...)
	rows := []discord.Component{challengeButtons(say, d)}
	msg := discord.Message{Files: []discord.File{picture}}
	switch prefix {
	case "lobby.":
		text += "\n" + strings.Join(seatLines(say, d), "\n")
		terms = append(terms, say.T("lobby.order", args...))
		rows = append(rows, computerMenu(say, d)...)
		msg.Mentions.Users = ids(d.Invited)
	case "challenge.":
		if d.Rematch {
			text = say.T("rematch.offer", args...)
		}
		msg.Mentions.Users = []string{other.ID}
		terms = append(terms, firstText(say, d.Challenge))
	default:
		terms = append(terms, firstText(say, d.Challenge))
	}
	text += "\n-# " + strings.Join(terms, " · ")
	if !d.ExpiresAt.IsZero() {
		text += " · " + say.T("challenge.until", "Ago", discord.RelativeTime(d.ExpiresAt))
	}
	msg.Components = []discord.Component{discord.Container{AccentColor: neutralColor(), Components: append([]discord.Component{
		discord.Section{Content: text, File: picture.Name, Description: picture.Description},
	}, rows...)}}
	return msg
}

// closedKey returns the catalogue key, after the prefix, for a challenge that
// is no longer open.
func closedKey(prefix string, s storage.ChallengeState) string {
	switch {
	case prefix == "challenge." || s == storage.ChallengeExpired:
		return string(s)
	case prefix == "open.":
		return "cancelled"
	case s == storage.ChallengeAccepted:
		return "started"
	}
	return "closed"
}

// challengeButtons returns the buttons of an open challenge. Everybody sees
// them; a person who may not use one is told why.
func challengeButtons(say *catalogue.Printer, d ChallengeData) (row discord.ActionRow) {
	add := func(style discord.ButtonStyle, key, verb string, disabled bool) {
		row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: say.T(key), CustomID: challengeID(d.ID, verb), Disabled: disabled})
	}
	switch {
	case host.IsPublic(d.Challenge):
		add(discord.Success, "lobby.join", "join", false)
	case !host.IsLobby(d.Challenge):
		add(discord.Success, "challenge.accept", "accept", false)
	default:
		add(discord.Success, "lobby.join", "join", false)
		add(discord.Secondary, "lobby.leave", "leave", false)
		add(discord.Primary, "lobby.start", "start", !d.CanStart)
	}
	if len(d.Invited) > 0 {
		add(discord.Secondary, "challenge.decline", "decline", false)
	}
	add(discord.Secondary, "challenge.cancel", "cancel", false)
	return row
}

// seatLines returns a line for each seat of a table: taken, kept for somebody
// or free. Each has the symbol of a seat of the match; the order is drawn at
// the start.
func seatLines(say *catalogue.Printer, d ChallengeData) (lines []string) {
	for i, c := range d.Game.Colours(d.Seats) {
		switch kept := i - len(d.Joined); {
		case kept < 0:
			lines = append(lines, say.T("lobby.taken", "Mark", c.Mark(), "Who", address(say, d.Joined[i])))
		case kept < len(d.Invited):
			lines = append(lines, say.T("lobby.kept", "Mark", c.Mark(), "Who", discord.MentionUser(d.Invited[kept].ID)))
		default:
			lines = append(lines, say.T("lobby.free", "Mark", c.Mark()))
		}
	}
	return lines
}

// computerMenu returns the menu by which the challenger adds computers to a
// table and removes them. Its custom ID changes with the table, because clients
// send nothing when the same option of the same menu is picked twice.
func computerMenu(say *catalogue.Printer, d ChallengeData) []discord.Component {
	menu := discord.StringSelect{
		CustomID:    challengeID(d.ID, fmt.Sprintf("computer/%d", d.Revision)),
		Placeholder: say.T("lobby.computer"),
	}
	if host.FreeSeats(d.Challenge) > 0 {
		for _, level := range d.Levels {
			menu.Options = append(menu.Options, discord.SelectOption{Label: levelChoice(say, level), Value: level.Key})
		}
	}
	for _, p := range d.Joined {
		if host.IsComputer(p) {
			menu.Options = append(menu.Options, discord.SelectOption{Label: say.T("lobby.away"), Value: RemoveComputer})
			break
		}
	}
	if len(menu.Options) == 0 {
		return nil
	}
	return []discord.Component{menu}
}

// optionTexts returns the options of a challenge, and what each chosen value of a set
// means.
func optionTexts(say *catalogue.Printer, g engine.Game, options engine.Options) (texts []string) {
	texts = []string{say.Text(engine.Terms(g, options))}
	for _, o := range g.Options() {
		if o.Kind != engine.Set {
			continue
		}
		for _, choice := range options.Set(o.Key) {
			texts = append(texts, optionChoice(say, g, o, choice))
		}
	}
	return texts
}

// optionChoice returns what a value of an option means, or the value itself if the game
// does not say.
func optionChoice(say *catalogue.Printer, g engine.Game, o engine.Option, choice string) string {
	key := g.Key() + ".option." + o.Key + "." + choice
	if text, ok := g.Texts()[key]; ok {
		return say.Text(engine.Phrase{ID: key, Text: text})
	}
	return choice
}

func ratedText(say *catalogue.Printer, d ChallengeData) string {
	switch {
	case !d.Options.Standard():
		return say.T("challenge.size")
	case d.Unrated:
		return say.T("challenge.unrated")
	case !host.DistinctPlayers(d.Joined):
		return say.T("challenge.samelevel")
	}
	return say.T("challenge.rated")
}

func firstText(say *catalogue.Printer, ch storage.Challenge) string {
	other := Opponent(ch)
	switch {
	case ch.First == host.FirstMe:
		return say.T("challenge.begins", "Who", Name(say, ch.Challenger))
	case ch.First == host.FirstThem && other.ID == "":
		return say.T("open.begins")
	case ch.First == host.FirstThem:
		return say.T("challenge.begins", "Who", Name(say, other))
	}
	return say.T("challenge.drawn")
}

func addresses(say *catalogue.Printer, people []storage.Person) (all []string) {
	for _, p := range people {
		all = append(all, address(say, p))
	}
	return all
}

func ids(people []storage.Person) (all []string) {
	for _, p := range people {
		all = append(all, p.ID)
	}
	return all
}
