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

// listedName returns a name for a list, within markdown: of a computer by its number
// among the levels of the game.
func listedName(say *catalogue.Printer, levels []host.Level, p storage.Person) string {
	if host.IsComputer(p) {
		return discord.Escape(computerName(say, levels, p))
	}
	name := []rune(PlainName(say, p))
	if len(name) > maxListedName {
		return discord.Escape(strings.TrimSpace(string(name[:maxListedName-1]))) + "…"
	}
	return discord.Escape(string(name))
}

// address names a player in a message: a person by a mention, so that clients
// show the name they have now, a computer or a player of a record by their name.
func address(say *catalogue.Printer, p storage.Person) string {
	if host.IsComputer(p) || p.IsFormer() || p.ID == "" {
		return Name(say, p)
	}
	return discord.MentionUser(p.ID)
}

// rawName returns a player's name as they wrote it: of a former player, the word for
// one.
func rawName(say *catalogue.Printer, p storage.Person) string {
	if p.IsFormer() {
		return say.T("player.former")
	}
	return p.Name
}

// PlainName returns a player's name as plain text.
func PlainName(say *catalogue.Printer, p storage.Person) string {
	return discord.Plain(rawName(say, p))
}

// Name returns a player's name within markdown.
func Name(say *catalogue.Printer, p storage.Person) string { return discord.Escape(rawName(say, p)) }

// joinNames lists names within markdown: "Anna, Ben and Chloe".
func joinNames(say *catalogue.Printer, people []storage.Person) string {
	var all []string
	for _, p := range people {
		all = append(all, Name(say, p))
	}
	return say.List(all...)
}

func mark(v *host.View, seat engine.Seat) string {
	return v.Game.Colours(len(v.Record.Seats))[seat-1].Mark()
}

// markedPlayer returns a seat's symbol and its player, without a line break
// between them.
func markedPlayer(say *catalogue.Printer, v *host.View, seat engine.Seat) string {
	return mark(v, seat) + "\u00a0" + address(say, v.Person(seat))
}

// seatNames returns the players' names by seat, as a function writes them.
func seatNames(say *catalogue.Printer, v *host.View, write func(*catalogue.Printer, storage.Person) string) []string {
	names := make([]string, len(v.Record.Seats))
	for i, p := range v.Record.Seats {
		names[i] = write(say, p)
	}
	return names
}

// Named returns a phrase with the names of a match's players, within markdown.
func Named(say *catalogue.Printer, v *host.View, p engine.Phrase) engine.Phrase {
	return p.Named(seatNames(say, v, Name))
}

// Describe returns a position in words, within markdown: a sentence per line, and
// the text board as it is.
func Describe(say *catalogue.Printer, v *host.View, p engine.Position) (sentences, board string) {
	var prose, lines []engine.Phrase
	for _, line := range p.Describe() {
		if line = Named(say, v, line); line.ID == "" {
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

func gameName(say *catalogue.Printer, g engine.Game) string {
	return say.Text(g.Texts().Phrase(g.Key() + ".name"))
}

// levelChoice returns a level as a line of a menu.
func levelChoice(say *catalogue.Printer, l host.Level) string {
	if l.Key == host.EvenLevel {
		return say.T("level.even")
	}
	return say.T("level.choice", "Level", l.Number, "Range", say.T("level."+l.Range()), "Rating", wholeRating(l.Rating))
}

// Computer returns the computer as it takes a seat. The name is in the language of the
// place where it plays.
func Computer(say *catalogue.Printer, l host.Level) storage.Person {
	if l.Key == host.EvenLevel {
		return host.ComputerPlayer(l.Key, say.T("computer.even"))
	}
	return host.ComputerPlayer(l.Key, say.T("computer.name", "Level", l.Number))
}

// computerName returns the name of a computer in the reader's language, or the one it
// took its seat with if the game has its level no more.
func computerName(say *catalogue.Printer, levels []host.Level, p storage.Person) string {
	for _, l := range levels {
		if l.Key == p.Level {
			return Computer(say, l).Name
		}
	}
	return p.Name
}

// listGameName returns the name of a game on a rating list. On the list of matches
// against the computer, the name contains that.
func listGameName(say *catalogue.Printer, g engine.Game, list storage.RatingList) string {
	if list == storage.ComputerList {
		return say.T("computer.game", "Game", gameName(say, g))
	}
	return gameName(say, g)
}

// stepLabel returns the game's label for a step, or the step itself.
func stepLabel(say *catalogue.Printer, g engine.Game, step string) string {
	key := g.Key() + ".step." + step
	if text, ok := g.Texts()[key]; ok {
		return say.Text(engine.Phrase{ID: key, Text: text})
	}
	return step
}
