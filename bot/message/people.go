package message

import (
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/storage"
)

// maxListedName is the number of characters of a name in a list: a message of
// 4,000 characters must have room for many.
const maxListedName = 20

// listedName returns a name for a list, within markdown.
func listedName(say *catalogue.Printer, p storage.Person) string {
	if host.IsComputer(p) {
		return discord.Escape(ComputerName(say, p.Level))
	}
	name := []rune(discord.Plain(p.Name))
	if len(name) > maxListedName {
		return discord.Escape(strings.TrimSpace(string(name[:maxListedName-1]))) + "…"
	}
	return discord.Escape(string(name))
}

// address names a player in a message: a person by a mention, so that clients
// show the name they have now, a computer or a player of a record by their name.
func address(p storage.Person) string {
	if host.IsComputer(p) || p.IsFormer() || p.ID == "" {
		return discord.Escape(p.Name)
	}
	return discord.MentionUser(p.ID)
}

// joinNames lists names within markdown: "Anna, Ben and Chloe".
func joinNames(say *catalogue.Printer, people []storage.Person) string {
	var all []string
	for _, p := range people {
		all = append(all, discord.Escape(p.Name))
	}
	return enumerate(say, all)
}

// mark returns the symbol of a seat.
func mark(v *host.View, seat engine.Seat) string {
	return v.Game.Colours(len(v.Record.Seats))[seat-1].Mark()
}

// markedPlayer returns a seat's symbol and its player, without a line break
// between them.
func markedPlayer(v *host.View, seat engine.Seat) string {
	return mark(v, seat) + "\u00a0" + address(v.Person(seat))
}

// seatNames returns the players' names by seat, as a function writes them.
func seatNames(v *host.View, write func(string) string) []string {
	names := make([]string, len(v.Record.Seats))
	for i, p := range v.Record.Seats {
		names[i] = write(p.Name)
	}
	return names
}

// Named returns a phrase with the names of a match's players, within markdown.
func Named(v *host.View, p engine.Phrase) engine.Phrase {
	return p.Named(seatNames(v, discord.Escape))
}

// Describe returns a position in words, within markdown: a sentence per line, and
// the text board as it is.
func Describe(say *catalogue.Printer, v *host.View, p engine.Position) (sentences, board string) {
	var prose, lines []engine.Phrase
	for _, line := range p.Describe() {
		if line = Named(v, line); line.ID == "" {
			lines = append(lines, line)
		} else {
			prose = append(prose, line)
		}
	}
	return say.Lines(prose), say.Lines(lines)
}

// Opponent returns the other person of a challenge for two; the zero value if
// nobody has been named and nobody has joined.
func Opponent(ch storage.Challenge) storage.Person {
	for _, all := range [][]storage.Person{ch.Joined, ch.Invited} {
		for _, p := range all {
			if p.ID != ch.Challenger.ID {
				return p
			}
		}
	}
	return storage.Person{}
}

// GameName returns the name of a game.
func GameName(say *catalogue.Printer, g engine.Game) string {
	return say.Say(g.Texts().Phrase(g.Key() + ".name"))
}

// LevelName returns the name of a computer's level.
func LevelName(say *catalogue.Printer, level string) string { return say.T("level." + level) }

// ComputerName returns the name of the computer at a level.
func ComputerName(say *catalogue.Printer, level string) string {
	return say.T("computer.name", "Level", LevelName(say, level))
}

// listGameName returns the name of a game on a rating list. On the list of matches
// against the computer, the name contains that.
func listGameName(say *catalogue.Printer, g engine.Game, list storage.RatingList) string {
	if list == storage.ComputerList {
		return say.T("computer.game", "Game", GameName(say, g))
	}
	return GameName(say, g)
}

// stepLabel returns the game's label for a step, or the step itself.
func stepLabel(say *catalogue.Printer, g engine.Game, step string) string {
	key := g.Key() + ".step." + step
	if text, ok := g.Texts()[key]; ok {
		return say.Say(engine.Phrase{ID: key, Text: text})
	}
	return step
}
