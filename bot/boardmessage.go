package bot

import (
	"slices"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/imaging"
	"castellan/storage"
)

// sceneOf is what the picture of a match shows.
func sceneOf(v *host.View, m *match.Match) imaging.Scene {
	s := imaging.Scene{Game: v.Game, Position: m.Position()}
	out, over := m.Over()
	s.Legal = !over
	if over {
		s.Outcome = &imaging.Outcome{Winners: out.Result.Winners, Void: out.Ending == match.ByAbort}
	}
	for _, p := range v.Record.Seats {
		s.Names = append(s.Names, p.Name)
	}
	if open := m.Open(); len(open.Actions) > 0 {
		s.Turn = imaging.Turn{Number: open.Number, Seat: open.Seat, Before: open.Before, Actions: open.Actions, Open: true}
	} else if last, ok := m.Last(); ok {
		s.Turn = imaging.Turn{Number: last.Number, Seat: last.Seat, Before: last.Before, Actions: last.Actions}
	}
	return s
}

// boardMessage is the public message of a match as it stood in m: picture,
// status, and the buttons of a game whose turns are one of few actions. One that
// waits for nobody but a computer makes no noise.
func boardMessage(say *catalogue.Printer, v *host.View, m *match.Match, picture discord.File, notify bool) discord.Message {
	c := discord.Container{AccentColor: accent(v, m), Components: []discord.Component{
		discord.MediaGallery{File: picture.Name, Description: picture.Description},
		discord.TextDisplay{Content: orderLine(say, v, m) + status(say, v, m) + claimLine(say, v, m)},
	}}
	_, thinks := toMove(v, m)
	switch row := directButtons(say, v, m); {
	case thinks: // there is nothing for anybody to do
	case len(row.Buttons) > 0:
		c.Components = append(c.Components, row)
	case m.Seat() != engine.Nobody:
		c.Components = append(c.Components, discord.ActionRow{Buttons: []discord.Button{{
			Style: discord.Primary, Label: say.T("board.yours"), CustomID: matchID(v.Record.ID, m.Seq(), "turn"),
		}}})
	}
	c.Components = append(c.Components, claimRow(say, v, m)...)
	c.Components = append(c.Components, rematchRow(say, v, m)...)
	msg := discord.Message{Components: []discord.Component{c}, Files: []discord.File{picture}}
	if notify {
		msg.Mentions.Users = concerned(v, m)
	}
	msg.Silent = len(msg.Mentions.Users) == 0
	return msg
}

// accent is the colour of whoever is to move, or of whoever won.
func accent(v *host.View, m *match.Match) int {
	colours := v.Game.Colours(len(v.Record.Seats))
	if seat := m.Seat(); seat != engine.Nobody {
		return accentOf(colours[seat-1])
	}
	if out, _ := m.Over(); len(out.Result.Winners) > 0 {
		return accentOf(colours[out.Result.Winners[0]-1])
	}
	return neutral()
}

// toMove is who was to move in m; thinks says that it was a computer.
func toMove(v *host.View, m *match.Match) (p storage.Person, thinks bool) {
	if m.Seat() == engine.Nobody {
		return p, false
	}
	p = v.Person(m.Seat())
	return p, host.IsComputer(p)
}

// concerned is whom a new board notifies: the next player; where three or more
// begin, all of them; at the end everyone but the one who ended it. Computers
// are told nothing.
func concerned(v *host.View, m *match.Match) (people []string) {
	for _, seat := range concernedSeats(v, m) {
		if p := v.Person(seat); !host.IsComputer(p) {
			people = append(people, p.ID)
		}
	}
	return people
}

func concernedSeats(v *host.View, m *match.Match) (seats []engine.Seat) {
	if seat := m.Seat(); seat != engine.Nobody {
		if all := beginners(v, m); len(all) > 0 {
			return all
		}
		return []engine.Seat{seat}
	}
	out, _ := m.Over()
	by := out.By
	if by == engine.Nobody {
		last, _ := m.Last()
		by = last.Seat
	}
	for i := range v.Record.Seats {
		if seat := engine.Seat(i + 1); seat != by {
			seats = append(seats, seat)
		}
	}
	return seats
}

// status is the lines under the picture: whose turn it is and since when, or
// how it ended; then the last turn and the score.
func status(say *catalogue.Printer, v *host.View, m *match.Match) string {
	var first string
	var small []string
	if out, over := m.Over(); over {
		first = outcome(say, v, out) + places(say, v, out) + ratingsLine(say, v)
	} else if p, thinks := toMove(v, m); thinks {
		first = say.T("board.thinking", "Mark", mark(v, m.Seat()), "Who", address(p), "Since", sinceOf(v, m))
	} else {
		first = say.T("board.turn", "Mark", mark(v, m.Seat()), "Who", address(p), "Since", sinceOf(v, m))
	}
	if last, ok := m.Last(); ok {
		small = append(small, turnLine(say, v, last))
	}
	small = append(small, retired(say, v, m)...)
	small = append(small, say.Say(m.Position().Status()), say.T("board.match", "Match", int64(v.Record.ID)))
	return first + "\n-# " + strings.Join(small, " · ")
}

// sinceOf is when the turn came to whoever was to move in m.
func sinceOf(v *host.View, m *match.Match) string {
	began := m.Open().BeganAt
	if began.IsZero() {
		began = v.Record.CreatedAt
	}
	return relative(began)
}

// outcome is how a match ended, in one sentence that names everybody: a
// notification reaches only whom a message mentions.
func outcome(say *catalogue.Printer, v *host.View, out match.Outcome) string {
	var winners, others, rest []string
	for i, p := range v.Record.Seats {
		seat := engine.Seat(i + 1)
		named := mark(v, seat) + " " + address(p)
		if slices.Contains(out.Result.Winners, seat) {
			winners = append(winners, mark(v, seat)+" "+bold(address(p)))
		} else {
			others = append(others, named)
		}
		if seat != out.By {
			rest = append(rest, named)
		}
	}
	var by string
	if out.By != engine.Nobody {
		by = mark(v, out.By) + " " + address(v.Person(out.By))
	}
	var silent string
	if out.Silent != engine.Nobody {
		silent = mark(v, out.Silent) + " " + address(v.Person(out.Silent))
	}
	args := []any{
		"Silent", silent, "By", by, "Rest", strings.Join(rest, ", "), "Winners", strings.Join(winners, ", "),
		"Others", strings.Join(others, ", "), "Count", len(winners),
	}
	switch out.Ending {
	case match.ByAbort:
		return say.T("end.abort", args...)
	case match.ByResignation:
		return say.T("end.resignation", args...)
	case match.ByClaim:
		return say.T("end.claim", args...)
	}
	args = append(args, "Reason", reason(say, v, out))
	switch {
	case len(winners) == 0:
		return say.T("end.draw", args...)
	case len(others) == 0:
		return say.T("end.shared", args...)
	}
	return say.T("end.rules", args...)
}

func reason(say *catalogue.Printer, v *host.View, out match.Outcome) string {
	key := v.Game.Key()
	return say.Say(v.Game.Texts().Phrase(key + ".reason." + out.Result.Reason))
}

// turnLine is a turn as the score sheet of the channel has it: "10. ◆ Ben:
// down".
func turnLine(say *catalogue.Printer, v *host.View, t match.Turn) string {
	return say.T("turn.line", "Number", t.Number, "Mark", mark(v, t.Seat), "Who", escape(v.Person(t.Seat).Name), "Turn", written(t))
}

// notation is a turn as people write it: without the end that follows from
// the rest.
func notation(t match.Turn) string {
	if n := len(t.Actions); n > 1 && t.Actions[n-1].String() == engine.End {
		t.Actions = t.Actions[:n-1]
	}
	return t.String()
}

// longestTurn is how many characters of a turn a message shows. Hardly any turn
// has as many; one that has must not keep the message from being posted.
const longestTurn = 600

// written is a turn as people write it, within markdown.
func written(t match.Turn) string { return escape(cut(notation(t), longestTurn)) }

func mark(v *host.View, seat engine.Seat) string {
	return v.Game.Colours(len(v.Record.Seats))[seat-1].Mark()
}

// directButtons is a button for each action that a turn can be. They keep
// their places: what is not legal is greyed out, not left out.
func directButtons(say *catalogue.Printer, v *host.View, m *match.Match) discord.ActionRow {
	var row discord.ActionRow
	legal := m.Position().Legal()
	if len(legal) == 0 || m.Seat() == engine.Nobody {
		return row
	}
	for _, a := range v.Game.Direct() {
		can := false
		for _, l := range legal {
			can = can || l == a
		}
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: stepLabel(say, v.Game, a.String()),
			CustomID: actID(v.Record.ID, m.Seq(), a), Disabled: !can,
		})
	}
	return row
}

// stepLabel is the game's own label for a step, or the step itself.
func stepLabel(say *catalogue.Printer, g engine.Game, step string) string {
	key := g.Key() + ".step." + step
	if text, ok := g.Texts()[key]; ok {
		return say.Say(engine.Phrase{ID: key, Text: text})
	}
	return step
}

// maxAltText is how many characters the description of a picture may have in
// Discord.
const maxAltText = 1024

// altText describes the picture for people who cannot see it.
func altText(say *catalogue.Printer, v *host.View, m *match.Match) string {
	colours := v.Game.Colours(len(v.Record.Seats))
	var people []string
	for i, p := range v.Record.Seats {
		people = append(people, say.T("board.seat", "Who", plain(p.Name), "Colour", say.T("colour."+colours[i].String())))
	}
	return cut(say.T("board.alt", "Game", gameName(say, v.Game), "People", strings.Join(people, ", "), "Summary", say.Say(m.Position().Summary())), maxAltText)
}

func gameName(say *catalogue.Printer, g engine.Game) string {
	return say.Say(g.Texts().Phrase(g.Key() + ".name"))
}

// collapsed is the one line that a superseded board becomes: the turn that was
// played on it, or what else came of it.
func collapsed(say *catalogue.Printer, v *host.View, seq int) discord.Message {
	line := say.T("board.again", "Match", int64(v.Record.ID))
	if seat, ok := retiredAfter(v.Match, seq); ok {
		line = retiredLine(say, v, seat)
	} else if next, ok := turnAfter(v.Match, seq); ok {
		line = turnLine(say, v, next)
	} else if out, over := v.Match.Over(); over && v.Match.PublicSeq() > seq {
		line = outcome(say, v, out)
	}
	return textMessage("-# " + line)
}

// turnAfter is the first turn that was completed after an entry.
func turnAfter(m *match.Match, seq int) (match.Turn, bool) {
	then, err := m.At(seq)
	if err != nil {
		return match.Turn{}, false
	}
	done := len(then.Turns())
	turns := m.Turns()
	if done >= len(turns) {
		return match.Turn{}, false
	}
	return turns[done], true
}
