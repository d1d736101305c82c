package message

import (
	"slices"
	"strings"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// Notified returns the people whom the message of a board notifies: those whose turn
// or result it is (see notifiedUsers), and those who have to answer its offer.
func Notified(v *host.View, m *match.Match, b storage.Board) (people []string) {
	if b.Notify {
		people = notifiedUsers(v, m)
	}
	for _, p := range askedUsers(v, m, b.Offer) {
		if !slices.Contains(people, p) {
			people = append(people, p)
		}
	}
	return people
}

// Board returns the public message of a match as it stood in m: the picture, the
// status and the buttons. It mentions the people to notify, and is silent if all of
// them are on vacation or in their quiet hours, or if there are none.
func Board(say *catalogue.Printer, v *host.View, m *match.Match, picture discord.File, notified []string) discord.Message {
	marked := risks{}
	buttons := actionButtons(say, v, m, marked)
	text := orderOfPlay(say, v, m) + postedStatus(say, v, m) + threatLine(say, v, m)
	text = strings.Join(append([]string{text}, marked.lines(say, v)...), "\n") + closedLines(say, v, m) + claimLine(say, v, m) + offerLine(say, v, m)
	if line := eventLine(say, v); line != "" {
		text += "\n-# " + line
	}
	c := discord.Container{AccentColor: accent(v, m), Components: []discord.Component{
		discord.MediaGallery{File: picture.Name, Description: picture.Description}, discord.TextDisplay{Content: text},
	}}
	_, computer := toMove(v, m)
	switch {
	case computer: // no person is to move
	case len(buttons) > 0:
		c.Components = append(c.Components, discord.EvenRows(buttons)...)
	case m.Seat() != engine.Nobody:
		c.Components = append(c.Components, firstRows(say, v, m)...)
		c.Components = append(c.Components, discord.ActionRow{Buttons: []discord.Button{{
			Style: discord.Primary, Label: say.T("board.yours"), CustomID: matchID(v.Record.ID, m.Seq(), "turn"),
		}}})
	}
	c.Components = append(c.Components, offerRow(say, v, m)...)
	c.Components = append(c.Components, takebackRow(say, v, m)...)
	c.Components = append(c.Components, claimRow(say, v, m)...)
	c.Components = append(c.Components, endRow(say, v, m)...)
	msg := discord.Message{Components: []discord.Component{c}, Files: []discord.File{picture}}
	msg.Mentions.Users = notified
	msg.Silent = !slices.ContainsFunc(notified, func(person string) bool { return v.QuietUntil(v.SeatOf(person)).IsZero() })
	return msg
}

// shortWait is how long a computer's turn may take before its board mentions the
// wait.
const shortWait = 10 * time.Second

// AddWait adds to a board about how long the computer that is to move will take,
// if that is longer than shortWait.
func AddWait(say *catalogue.Printer, board *discord.Message, v *host.View, wait time.Duration) {
	if _, computer := v.ComputerToMove(); computer && wait >= shortWait {
		addLine(board, say.T("board.queue", "Seconds", int(wait.Round(shortWait).Seconds())))
	}
}

// AddLoss adds to a board that the database has lost turns that were played after it.
func AddLoss(say *catalogue.Printer, board *discord.Message) { addLine(board, say.T("board.lost")) }

// addLine adds a line below the status of a board.
func addLine(board *discord.Message, line string) {
	if c, ok := board.Components[0].(discord.Container); ok {
		c.Components = slices.Insert(c.Components, 2, discord.Component(discord.TextDisplay{Content: line}))
		board.Components[0] = c
	}
}

// View returns a private look at a match as it stood in m, with buttons to the
// parts of a large board, and to the panel for the player to move.
func View(say *catalogue.Printer, p PanelState, m *match.Match, part int, picture discord.File) discord.Message {
	text := Status(say, p.View, m)
	if link := BoardLink(say, p.View); link != "" {
		text += "\n" + link
	}
	var rows []discord.Component
	var last discord.ActionRow
	switch {
	case p.Zooms:
		var parts discord.ActionRow
		for n, sign := range []string{"↖", "↗", "↙", "↘", "⊙"} {
			parts.Buttons = append(parts.Buttons, choiceButton(sign, zoomID(p, n+1), n+1 == part))
		}
		rows = append(rows, parts)
		last.Buttons = append(last.Buttons, choiceButton(say.T("zoom.whole"), zoomID(p, 0), part == 0))
	case part != 0:
		text += "\n-# " + say.T("zoom.small")
	}
	if next, ok := p.View.ToMove(); ok && next.ID == p.Person && len(p.View.Game.Direct()) == 0 {
		last.Buttons = append(last.Buttons, discord.Button{Style: discord.Primary, Label: say.T("board.yours"), CustomID: pickID(p.View, p.Salt, StartPath)})
	}
	last.Buttons = append(last.Buttons, prepareButtons(say, p.View, p.Person)...)
	if p.View.Match.Playing(p.View.SeatOf(p.Person)) {
		last.Buttons = append(last.Buttons, offersButton(say, p.View))
	}
	if len(last.Buttons) > 0 {
		rows = append(rows, last)
	}
	return pictureMessage(accent(p.View, m), picture, text, rows...)
}

func pictureMessage(color int, picture discord.File, text string, rows ...discord.Component) discord.Message {
	return discord.Message{
		Components: []discord.Component{discord.Container{AccentColor: color, Components: append([]discord.Component{
			discord.MediaGallery{File: picture.Name, Description: picture.Description},
			discord.TextDisplay{Content: text},
		}, rows...)}},
		Files: []discord.File{picture},
	}
}

// BoardLink returns a link to the current board, empty if none is posted.
func BoardLink(say *catalogue.Printer, v *host.View) string {
	if v == nil || v.Board.Message == "" {
		return ""
	}
	return discord.MessageLink(say.T("board.link"), v.Board.Place.Guild, v.Board.Place.Channel, v.Board.Message)
}

// Collapsed returns the line that replaces a superseded board. The line tells the
// turn that was played on the board and its effects, or the other event that
// superseded the board. A board that has corrected another after a takeback keeps
// saying so. The end of a match is left to the final board.
func Collapsed(say *catalogue.Printer, v *host.View, seq int) discord.Message {
	line := say.T("board.again", "Match", int64(v.Record.ID))
	n := publicAfter(v.Match, seq)
	_, over := v.Match.Over()
	if v.Match.TookBackByAgreement(n) {
		line = say.T("takeback.agreed.line", "Match", int64(v.Record.ID))
	} else if text := organiserLine(say, v, n); text != "" {
		line = text
	} else if seat, ok := leftAfter(v.Match, seq); ok {
		line = leftLine(say, v, seat)
	} else if turns := turnsShown(v, seq); len(turns) > 0 {
		lines := turnLines(say, v, turns)
		if last := len(lines) - 1; !v.OwnThread {
			lines[last] = say.T("turn.match", "Line", lines[last], "Match", int64(v.Record.ID))
		}
		line = strings.Join(lines, "\n-# ")
	} else if n > 0 && over {
		line = say.T("board.ended", "Match", int64(v.Record.ID))
	}
	if then, err := v.Match.At(seq); err == nil && n > 0 && then.TookBack(seq) {
		line = say.T("takeback.line", "Who", mark(v, then.Seat())+" "+Name(say, v.Person(then.Seat())), "Number", then.Open().Number) + "\n-# " + line
	}
	if text := organiserLine(say, v, seq); text != "" { // which stays readable
		line = text + "\n-# " + line
	}
	// The order of play stays readable under the first board.
	if then, err := v.Match.At(seq); err == nil && seq == 0 {
		line = strings.ReplaceAll(orderOfPlay(say, v, then), "\n", "\n-# ") + line
	}
	return discord.TextMessage("-# " + line)
}

// turnsAfter returns the first turn that was completed after an entry, with the
// prepared turns that followed at once.
func turnsAfter(m *match.Match, seq int) []match.Turn {
	then, err := m.At(seq)
	if err != nil {
		return nil
	}
	turns := m.Turns()
	turns = turns[min(len(then.Turns()), len(turns)):]
	last := 0
	for n := 1; n < len(turns) && (turns[n].Prepared || turns[n].Passed() && len(turns[n].Before.Legal()) == 1); n++ {
		if turns[n].Prepared {
			last = n
		}
	}
	return turns[:min(last+1, len(turns))]
}

// turnsShown returns the turns whose lines replace a board: those from turnsAfter, with the
// computers' turns that followed before the next board.
func turnsShown(v *host.View, seq int) []match.Turn {
	turns := turnsAfter(v.Match, seq)
	then, err := v.Match.At(seq)
	if err != nil {
		return turns
	}
	for _, b := range v.Boards {
		if next, err := v.Match.At(b.Seq); err == nil && b.Seq > seq {
			all := v.Match.Turns()
			from, to := len(then.Turns()), min(len(next.Turns()), len(v.Match.Turns()))
			for n := from + len(turns); n < to && host.IsComputer(v.Person(all[n].Seat)); n++ {
				turns = all[from : n+1]
			}
			break
		}
	}
	return turns
}

// maxTurnLines is the number of bytes of the lines of a board's turns.
const maxTurnLines = 3000

// turnLines returns a line for each turn, with what the turn did if there is room
// for that. If there is not even room for the lines, it leaves out those in the
// middle.
func turnLines(say *catalogue.Printer, v *host.View, turns []match.Turn) []string {
	var plain, full []string
	for _, t := range turns {
		line := turnLine(say, v, t)
		plain = append(plain, line)
		if news := turnNews(say, t); news != "" {
			line = say.T("turn.news", "Line", line, "News", news)
		}
		full = append(full, line)
	}
	length := func(lines []string) int { return len(strings.Join(lines, "\n-# ")) }
	if len(turns) == 1 || length(full) <= maxTurnLines {
		return full
	}
	for left := 0; length(plain) > maxTurnLines; {
		middle := len(plain) / 2
		if left == 0 {
			plain[middle] = ""
		} else {
			plain = slices.Delete(plain, middle, middle+1)
			middle = len(plain) / 2
		}
		left++
		plain[middle] = say.T("turn.more", "Count", left)
	}
	return plain
}

// accent returns the colour of the player to move, or of the winner.
func accent(v *host.View, m *match.Match) int {
	colours := v.Game.Colours(len(v.Record.Seats))
	if seat := m.Seat(); seat != engine.Nobody {
		return seatColor(colours[seat-1])
	}
	if out, _ := m.Over(); len(out.Result.Winners) > 0 {
		return seatColor(colours[out.Result.Winners[0]-1])
	}
	return neutralColor()
}

func toMove(v *host.View, m *match.Match) (p storage.Person, computer bool) {
	if m.Seat() == engine.Nobody {
		return p, false
	}
	p = v.Person(m.Seat())
	return p, host.IsComputer(p)
}

// notifiedUsers returns whom a new board notifies: the next player; at the beginning of
// a table everyone, and at the end everyone but the one who ended it. Computers are not notified.
func notifiedUsers(v *host.View, m *match.Match) (people []string) {
	for _, seat := range notifiedSeats(v, m) {
		if p := v.Person(seat); !host.IsComputer(p) && !p.IsFormer() {
			people = append(people, p.ID)
		}
	}
	return people
}

func notifiedSeats(v *host.View, m *match.Match) (seats []engine.Seat) {
	out, over := m.Over()
	switch seat := m.Seat(); {
	case host.BeginsTable(v.Record, m):
	case !over && v.LeftAt(seat).IsZero():
		return []engine.Seat{seat}
	case !over: // the others have to know
		return slices.DeleteFunc(v.ActiveSeats(), func(s engine.Seat) bool { return s == seat })
	}
	by := out.By
	if out.Ending == match.ByRules {
		if last, _ := m.Last(); !last.Prepared { // whoever prepared it need not be here
			by = last.Seat
		}
	}
	for i := range v.Record.Seats {
		if seat := engine.Seat(i + 1); seat != by {
			seats = append(seats, seat)
		}
	}
	return seats
}

// orderOfPlay returns a line with the order of play of a match for three or more
// before the first turn has been completed.
func orderOfPlay(say *catalogue.Printer, v *host.View, m *match.Match) string {
	if _, begun := m.Last(); begun || len(v.Record.Seats) <= 2 {
		return ""
	}
	var people []string
	for i := range v.Record.Seats {
		people = append(people, markedPlayer(say, v, engine.Seat(i+1)))
	}
	return say.T("board.order", "People", say.List(people...)) + "\n"
}

// actionButtons returns a button for each action if a turn is always one of few
// actions. Illegal ones are disabled, so that the others keep their places.
func actionButtons(say *catalogue.Printer, v *host.View, m *match.Match, marked risks) (buttons []discord.Button) {
	legal := m.Position().Legal()
	if len(legal) == 0 || m.Seat() == engine.Nobody {
		return nil
	}
	for _, a := range v.Game.Direct() {
		isLegal := false
		for _, l := range legal {
			isLegal = isLegal || l == a
		}
		label := stepLabel(say, v.Game, a.String())
		if isLegal && m.Seq() == v.Match.Seq() {
			label = marked.mark(v, a, label)
		}
		buttons = append(buttons, discord.Button{
			Style: discord.Secondary, Label: label, CustomID: actionID(v.Record.ID, m.Seq(), a), Disabled: !isLegal,
		})
	}
	return buttons
}

// closedLines says of each button for a person that cannot be pressed why not,
// as far as the board does not show it.
func closedLines(say *catalogue.Printer, v *host.View, m *match.Match) (lines string) {
	p, ok := m.Position().(engine.Explainer)
	if _, computer := toMove(v, m); !ok || computer || m.Seat() == engine.Nobody {
		return ""
	}
	for _, a := range v.Game.Direct() {
		if why := p.Explain(a); !why.IsZero() {
			lines += "\n-# " + say.T("board.closed", "Choice", stepLabel(say, v.Game, a.String()), "Why", say.Text(why))
		}
	}
	return lines
}

// firstRows returns buttons for the first choices of a turn, which open the panel
// with that choice picked.
func firstRows(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	var buttons []discord.Button
	for _, c := range firstChoices(m.Position().Legal()) {
		buttons = append(buttons, discord.Button{
			Style: discord.Secondary, Label: choiceLabel(say, v.Game, c), CustomID: matchID(v.Record.ID, m.Seq(), "from/"+c.path),
		})
	}
	return discord.ButtonRows(buttons)
}

func claimable(v *host.View, m *match.Match) bool {
	return m.Seat() != engine.Nobody && m.PublicSeq() == v.Match.PublicSeq() && v.Claimable()
}

// claimLine says that the player to move has left the guild, or has not moved for long,
// and what the others can do.
func claimLine(say *catalogue.Printer, v *host.View, m *match.Match) string {
	if m.PublicSeq() == v.Match.PublicSeq() && !v.LeftAt(m.Seat()).IsZero() {
		key, at := "board.departed", v.ClaimableAt()
		switch {
		case at.IsZero(): // with a clock
		case claimable(v, m):
			key = "board.departed.now"
		default:
			key = "board.departed.until"
		}
		return "\n" + say.T(key, "Who", discord.Escape(v.Person(m.Seat()).Name), "Date", discord.DateTime(at))
	}
	if !claimable(v, m) {
		return ""
	}
	return "\n" + say.T("board.silent", "Who", Name(say, v.Person(m.Seat())))
}

// threatLine says on a board that the next player could win at once if the player
// to move ended the turn as it stands.
func threatLine(say *catalogue.Printer, v *host.View, m *match.Match) string {
	if m.PublicSeq() != v.Match.PublicSeq() || !v.Threatened() {
		return ""
	}
	return "\n" + riskMark + " " + say.T("board.threat", "Who", Name(say, v.Person(m.Seat())), "Threat", threat(say, v))
}

// claimRow returns the Claim button for the other players. It has a row of its
// own, because the player to move may need a whole row.
func claimRow(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	if !claimable(v, m) {
		return nil
	}
	return []discord.Component{discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Danger, Label: say.T("board.claim"), CustomID: matchID(v.Record.ID, m.Seq(), "claim")},
	}}}
}

// takebackRow returns the buttons Take back and Offer of a game that is played by the
// buttons of the board. In others the private messages have them.
func takebackRow(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	if len(v.Game.Direct()) == 0 || m.PublicSeq() != v.Match.PublicSeq() || m.Seat() == engine.Nobody {
		return nil
	}
	var row discord.ActionRow
	if slices.ContainsFunc(v.ActiveSeats(), func(seat engine.Seat) bool { return offersTakeback(v, seat) }) {
		row.Buttons = append(row.Buttons, takebackButton(say, v, m.Seq()), prepareButton(say, v))
	}
	if _, computer := toMove(v, m); !computer { // which moves in a moment
		row.Buttons = append(row.Buttons, offersButton(say, v))
	}
	if len(row.Buttons) == 0 {
		return nil
	}
	return []discord.Component{row}
}

// offersTakeback reports whether a person can take their last turn back, and will
// still be able to when they press a button. In a rated match against a computer
// they will not, because it answers at once.
func offersTakeback(v *host.View, seat engine.Seat) bool {
	_, computer := v.ComputerToMove()
	return !host.IsComputer(v.Person(seat)) && v.CanTakeBack(seat) && (!computer || !v.Rated())
}

func takebackButton(say *catalogue.Printer, v *host.View, seq int) discord.Button {
	return discord.Button{Style: discord.Secondary, Label: say.T("takeback.button"), CustomID: matchID(v.Record.ID, seq, "takeback")}
}

// endRow returns the buttons of a final board: a rematch, and a look back.
func endRow(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	if m.Seat() != engine.Nobody {
		return nil
	}
	row := discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Secondary, Label: say.T("rematch.button"), CustomID: matchID(v.Record.ID, m.Seq(), "rematch")},
	}}
	for _, which := range otherLevels(v) {
		row.Buttons = append(row.Buttons, discord.Button{
			Style: discord.Secondary, Label: say.T("rematch." + which), CustomID: matchID(v.Record.ID, m.Seq(), "rematch/"+which),
		})
	}
	if n := len(m.Turns()); n > 0 {
		row.Buttons = append(row.Buttons, lookButton(v, say.T("look.back"), n-1), discord.Button{
			Style: discord.Secondary, Label: say.T("replay.button"), CustomID: matchID(v.Record.ID, m.Seq(), "replay"),
		})
	}
	return []discord.Component{row}
}

// Which other level a rematch against the computer can be played at.
const (
	Stronger = "stronger"
	Weaker   = "weaker"
)

// otherLevels returns what a rematch of one person against one computer can
// change.
func otherLevels(v *host.View) (which []string) {
	if len(v.Record.Seats) != 2 || !host.IsSolo(v.Record.Seats) {
		return nil
	}
	levels := v.Levels()
	for _, p := range v.Record.Seats {
		i := slices.IndexFunc(levels, func(l host.Level) bool { return l.Key == p.Level })
		if i >= 0 && i+1 < len(levels) {
			which = append(which, Stronger)
		}
		if i > 0 {
			which = append(which, Weaker)
		}
	}
	return which
}
