package message

import (
	"cmp"
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

// Status returns the lines under a picture: whose turn it is and since when, or
// with a clock until when, or how the match ended; then the last turn and the
// score.
func Status(say *catalogue.Printer, v *host.View, m *match.Match) string {
	first, small := statusLines(say, v, m)
	return first + "\n-# " + strings.Join(append(small, say.T("board.match", "Match", int64(v.Record.ID))), " · ")
}

// postedStatus is Status for the posted board: it leaves out the number of a match in
// a thread of its own.
func postedStatus(say *catalogue.Printer, v *host.View, m *match.Match) string {
	if !v.OwnThread {
		return Status(say, v, m)
	}
	first, small := statusLines(say, v, m)
	return first + "\n-# " + strings.Join(small, " · ")
}

func statusLines(say *catalogue.Printer, v *host.View, m *match.Match) (first string, small []string) {
	out, over := m.Over()
	if over {
		first = Outcome(say, v, out) + ratingChanges(say, v)
	} else {
		key := "board.turn"
		p, computer := toMove(v, m)
		if computer {
			key = "board.thinking"
		}
		first = say.T(key, "Mark", mark(v, m.Seat()), "Who", address(say, p), "Since", turnTime(say, v, m))
		if reminds(v, m) {
			first = say.T("board.reminder", "Line", first)
		}
	}
	if last, ok := m.Last(); ok && over {
		small = append(small, say.T("turn.last", "Line", turnLine(say, v, last)))
	} else if ok {
		small = append(small, turnLine(say, v, last))
	}
	if seat := m.Seat(); seat != engine.Nobody && m.TookBack(m.PublicSeq()) {
		small = append(small, say.T("takeback.done", "Who", Name(say, v.Person(seat))))
	}
	if turn, _ := v.Unplayable(); turn != "" && m.PublicSeq() == v.Match.PublicSeq() {
		small = append(small, say.T("prepare.unplayable.board", "Who", Name(say, v.Person(m.Seat()))))
	}
	if seat := m.Seat(); seat != engine.Nobody && m.TookBackByAgreement(m.PublicSeq()) {
		small = append(small, say.T("takeback.agreed", "Who", Name(say, v.Person(seat))))
	}
	for _, seat := range m.TookBackPrepared(m.PublicSeq()) {
		small = append(small, say.T("takeback.prepared", "Who", Name(say, v.Person(seat))))
	}
	small = append(small, leftLines(say, v, m)...)
	small = append(small, organiserLines(say, v, m)...)
	if m.Seat() != engine.Nobody && m.PublicSeq() == v.Match.PublicSeq() {
		if given := v.Match.Open().Given; given > 0 {
			small = append(small, say.T("clock.given", "Time", timeText(say, given)))
		}
		small = append(small, banks(say, v)...)
		small = append(small, away(say, v)...)
	}
	return first, append(small, strings.TrimRight(say.Text(Named(say, v, status(m))), ".。"))
}

// reminds reports whether a board that shows the match as it stood in m reminds the
// player to move of their turn.
func reminds(v *host.View, m *match.Match) bool {
	if !v.Record.Reminded || m.PublicSeq() != v.Match.PublicSeq() {
		return false
	}
	p, known := v.Preferences(v.Match.Seat())
	return known && p.Reminders == storage.RemindInChannel
}

// status returns the status of a match's position: without the turn to play if the
// match is over, by the rules or not.
func status(m *match.Match) engine.Phrase {
	if _, over := m.Over(); over {
		return engine.FinalStatus(m.Position())
	}
	return m.Position().Status()
}

// turnTime returns when the open turn began, or with a clock when its time runs
// out.
func turnTime(say *catalogue.Printer, v *host.View, m *match.Match) string {
	if m.PublicSeq() == v.Match.PublicSeq() && m.Seat() == v.Match.Seat() {
		return since(say, v)
	}
	began := m.Open().BeganAt
	if began.IsZero() {
		began = v.Record.CreatedAt
	}
	return beganText(say, m, began)
}

// Outcome returns how a match ended, with everybody's place in a match of three
// or more.
func Outcome(say *catalogue.Printer, v *host.View, out match.Outcome) string {
	return outcome(say, v, out, address) + placesLine(say, v, out)
}

// outcome returns how a match ended in one sentence that names everybody, with names
// as a function writes them: a notification reaches only those whom it mentions.
func outcome(say *catalogue.Printer, v *host.View, out match.Outcome, address func(*catalogue.Printer, storage.Person) string) string {
	var winners, others, rest []string
	for i, p := range v.Record.Seats {
		seat := engine.Seat(i + 1)
		named := mark(v, seat) + " " + address(say, p)
		if slices.Contains(out.Result.Winners, seat) {
			winners = append(winners, mark(v, seat)+" "+discord.Bold(address(say, p)))
		} else {
			others = append(others, named)
		}
		if seat != out.By && seat != out.TimedOut {
			rest = append(rest, named)
		}
	}
	var by, silent string
	if out.By != engine.Nobody {
		by = mark(v, out.By) + " " + address(say, v.Person(out.By))
	}
	if out.TimedOut != engine.Nobody {
		silent = mark(v, out.TimedOut) + " " + address(say, v.Person(out.TimedOut))
	}
	args := []any{
		"Silent", silent, "By", by, "Rest", say.List(rest...), "Winners", say.List(winners...),
		"Others", say.List(others...), "Count", len(winners),
	}
	args = append(args, "Organiser", address(say, organiser(say, adjudicator(v))))
	switch out.Ending {
	case match.ByAdjudication:
		if len(winners) == 0 {
			return say.T("end.adjudicated.draw", args...)
		}
		return say.T("end.adjudicated", args...)
	case match.ByAbort:
		why := ""
		if log := v.Match.Log(); len(log) > 0 {
			why = log[len(log)-1].Text
		}
		switch {
		case why == match.Unplayed:
			return say.T("end.unplayed", append(args, "Days", int(host.ExpireAfter/(24*time.Hour)))...)
		case out.By == engine.Nobody && out.TimedOut == engine.Nobody:
			return say.T("end.adjudicated.none", args...)
		case out.TimedOut != engine.Nobody:
			return say.T("end.late", args...)
		case why == match.Agreed:
			return say.T("end.abort.agreed", args...)
		}
		return say.T("end.abort", args...)
	case match.ByAgreement:
		return say.T("end.agreement", args...)
	case match.ByTimeout:
		return say.T("end.timeout", args...)
	case match.ByResignation:
		return say.T("end.resignation", args...)
	case match.ByClaim:
		return say.T("end.claim", args...)
	}
	args = append(args, "Reason", reasonText(say, v, out, Name))
	switch {
	case len(winners) == 0:
		return say.T("end.draw", args...)
	case len(others) == 0:
		return say.T("end.shared", args...)
	}
	return say.T("end.rules", args...)
}

// reasonText says why a match ended by its rules. In a match for two it can name the
// winner and the loser, as a function writes names.
func reasonText(say *catalogue.Printer, v *host.View, out match.Outcome, name func(*catalogue.Printer, storage.Person) string) string {
	var args []any
	if names := seatNames(say, v, name); len(names) == 2 && len(out.Result.Winners) == 1 {
		seat := out.Result.Winners[0]
		args = []any{"Winner", names[seat-1], "Loser", names[2-seat]}
	}
	return say.Text(v.Game.Texts().Phrase(v.Game.Key()+".reason."+out.Result.Reason, args...))
}

// placesLine returns everybody's place in a finished match of three or more,
// best first.
func placesLine(say *catalogue.Printer, v *host.View, out match.Outcome) string {
	ranks := out.Result.Ranks
	if len(v.Record.Seats) <= 2 || len(ranks) != len(v.Record.Seats) {
		return ""
	}
	order := make([]engine.Seat, len(ranks))
	for i := range order {
		order[i] = engine.Seat(i + 1)
	}
	slices.SortStableFunc(order, func(a, b engine.Seat) int { return cmp.Compare(ranks[a-1], ranks[b-1]) })
	var all []string
	for _, seat := range order {
		all = append(all, say.T("end.place", "Rank", ranks[seat-1], "Who", markedPlayer(say, v, seat)))
	}
	return "\n" + say.T("end.places", "Places", strings.Join(all, " · "))
}

// turnLine returns a turn as a line of the channel's score sheet: "10. ◆ Ben:
// down".
func turnLine(say *catalogue.Printer, v *host.View, t match.Turn) string {
	line := say.T("turn.line", "Number", t.Number, "Mark", mark(v, t.Seat), "Who", Name(say, v.Person(t.Seat)), "Turn", turnText(say, t))
	return markPrepared(say, t, line)
}

func markPrepared(say *catalogue.Printer, t match.Turn, line string) string {
	if t.Prepared {
		return say.T("turn.prepared", "Line", line)
	}
	return line
}

// turnNews returns the effects of a turn's actions that the game describes and that
// matter: a capture, but not what every move costs. Each follows its action if the turn
// has several.
func turnNews(say *catalogue.Printer, t match.Turn) string {
	var news []string
	p := t.Before
	several := len(slices.DeleteFunc(slices.Clone(t.Actions), isFormality)) > 1
	for _, a := range t.Actions {
		formal := a.String() == engine.Pass || isFormality(a) // its effect is only for choosing
		s, surveyed := p.(engine.Surveyor)
		if d, ok := a.(engine.Describer); ok && !formal && (!surveyed || s.Notable(a)) {
			text := say.Text(d.Describe(p))
			if text != "" && several {
				text = say.T("board.closed", "Choice", a.String(), "Why", text)
			}
			if text != "" {
				news = append(news, text)
			}
		}
		after, err := p.Apply(a)
		if err != nil {
			break
		}
		p = after
	}
	return discord.Escape(discord.Truncate(strings.Join(news, " · "), maxTurnText/2))
}

// maxTurnText is the maximum number of characters of a turn in a message. Hardly
// any turn is longer, but a longer one must not make the message too long to post.
const maxTurnText = 600

// TurnText returns written actions within markdown.
func TurnText(actions string) string {
	return discord.Escape(discord.Truncate(actions, maxTurnText))
}

// turnText is like plainTurn, within markdown.
func turnText(say *catalogue.Printer, t match.Turn) string { return TurnText(plainTurn(say, t)) }

// plainTurn returns a turn in notation, without the end of turn that follows from the
// rest; a pass in words.
func plainTurn(say *catalogue.Printer, t match.Turn) string {
	switch {
	case t.Passed() && len(t.Before.Legal()) == 1:
		return say.T("turn.nothing")
	case t.Passed():
		return say.T("turn.passed")
	}
	if n := len(t.Actions); n > 1 && t.Actions[n-1].String() == engine.End {
		t.Actions = t.Actions[:n-1]
	}
	return t.String()
}

func leftLines(say *catalogue.Printer, v *host.View, m *match.Match) (lines []string) {
	if _, over := m.Over(); over {
		return nil
	}
	for i := range v.Record.Seats {
		if seat := engine.Seat(i + 1); !m.Playing(seat) {
			lines = append(lines, leftLine(say, v, seat))
		}
	}
	return lines
}

func leftLine(say *catalogue.Printer, v *host.View, seat engine.Seat) string {
	key := "board.retired"
	switch {
	case v.Match.TimedOut(seat) && v.Timed():
		key = "board.timeout"
	case v.Match.TimedOut(seat):
		key = "board.removed"
	}
	return say.T(key, "Mark", mark(v, seat), "Who", Name(say, v.Person(seat)))
}

// publicAfter returns the first entry after another that changed what everybody
// sees, or 0.
func publicAfter(m *match.Match, seq int) int {
	then, err := m.At(seq)
	for n := seq + 1; err == nil && n <= m.Seq(); n++ {
		next, err := m.At(n)
		if err == nil && next.PublicSeq() > then.PublicSeq() {
			return n
		}
	}
	return 0
}

// leftAfter returns the player whose leaving was the first public change after
// an entry. ok is false if it was anything else.
func leftAfter(m *match.Match, seq int) (seat engine.Seat, ok bool) {
	then, err := m.At(seq)
	if err != nil {
		return engine.Nobody, false
	}
	next, err := m.At(publicAfter(m, seq))
	if err != nil {
		return engine.Nobody, false
	}
	if _, over := next.Over(); over {
		return engine.Nobody, false
	}
	for s := engine.Seat(1); int(s) <= m.Settings().Seats; s++ {
		if then.Playing(s) && !next.Playing(s) {
			return s, true
		}
	}
	return engine.Nobody, false
}
