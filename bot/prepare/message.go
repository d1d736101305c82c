package prepare

import (
	"fmt"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/message"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
)

// state holds what the message shows.
type state struct {
	view    *host.View // the match as it is
	seat    engine.Seat
	plan    host.Plan
	outlook prepared.Outlook
	path    string // the choices picked so far, as in the panel
	moved   string // see message.PanelState
	note    string // stands above everything else
	salt    string // makes the custom IDs differ from those of the last redraw
	// all shows all lines, and not the choice of the next turn.
	all bool
	// ask shows the question whether to prepare the last turn of the line, which has
	// this risk. before is the match before that turn, nil if it is not known.
	ask    bool
	risk   match.Risk
	before *match.Match
}

// start returns the outlook before the first turn.
func (s *state) start() prepared.Outlook {
	public, err := s.view.Match.PublicAt(s.view.Match.PublicSeq())
	if err != nil {
		return prepared.Outlook{}
	}
	return prepared.From(public, s.seat)
}

// id returns the custom ID of a choice.
func (s *state) id(path string) string {
	return message.PrepareID(s.view, fmt.Sprintf("/%s/%d/%s", s.salt, s.plan.Revision, path))
}

// panel returns the state of a panel in which the next turn is chosen.
func (s *state) panel() message.PanelState {
	shown := *s.view
	if shown.Match = s.outlook.Sample(); shown.Match == nil {
		shown.Match = s.outlook.Match()
	}
	return message.PanelState{
		View: &shown, Path: s.path, Moved: s.moved, Salt: s.salt,
		PickID: s.id, Legal: s.outlook.Legal(), Unknown: !s.outlook.Exact,
	}
}

// Paths in the custom IDs of the messages in which turns are prepared, beside
// those of the picker. No step begins with a dot.
const (
	addPath     = ".add"  // choose a turn for a new line
	linePath    = ".line" // continue the line that is picked in the menu
	allPath     = ".all"  // show all lines
	anyPath     = ".any"  // any turn fulfils the condition
	backPath    = ".back" // without the last choice
	yesPath     = ".yes"  // prepare the line
	dropPath    = ".drop" // drop the line and all that follows it
	dropAllPath = ".none-at-all"
)

// build returns the private message in which a person prepares turns: all lines, or
// the choice of the next turn of a line.
func build(say *catalogue.Printer, s *state, picture discord.File) discord.Message {
	p := s.panel()
	lines := []string{say.T("prepare.title", "Match", int64(s.view.Record.ID))}
	if s.note != "" {
		lines = append(lines, s.note)
	}
	var rows []discord.Component
	if s.all {
		lines, rows = append(lines, treeLines(say, s)...), lineRows(say, s)
	} else {
		choices, ends, does := message.Choices(say, p)
		lines = append(lines, choiceText(say, s)...)
		if !s.ask {
			lines = append(lines, does...)
		}
		rows = choiceRows(say, s, choices, ends)
	}
	return message.PictureMessage(s.view, p.View.Match, picture, strings.Join(lines, "\n"), rows...)
}

// choiceText returns the line that is being composed and what to choose next.
func choiceText(say *catalogue.Printer, s *state) (lines []string) {
	o := s.outlook
	if len(o.Line) == 0 && s.plan.Tree.Empty() && s.note == "" {
		lines = append(lines, say.T("prepare.none"))
	}
	lines = append(lines, lineWords(say, s, o.Line)...)
	if len(o.Begun) > 0 {
		lines = append(lines, say.T("prepare.picked", "Turn", message.TurnText(strings.Join(o.Begun, " "))))
	}
	if s.path != "" {
		lines = append(lines, message.PickedText(say, s.path))
	}
	switch {
	case s.ask:
		if s.risk != match.NoRisk && s.before != nil {
			before := *s.view
			before.Match = s.before
			lines = append(lines, message.RiskText(say, &before, o.Known(), s.risk))
		}
		line := replied(o)
		lines = append(lines, say.T("prepare.confirm", "Turn", message.TurnText(line[len(line)-1])))
	case len(o.Legal()) == 0 && !o.Unchecked:
		lines = append(lines, say.T("prepare.over"))
	case o.Own && len(o.Line) == 0:
		lines = append(lines, say.T("panel.prompt", "Prompt", say.T("prepare.ask.now")))
	case o.Own:
		lines = append(lines, say.T("panel.prompt", "Prompt", say.T("prepare.ask.then")))
	default:
		lines = append(lines, say.T("panel.prompt", "Prompt", say.T("prepare.ask.if", "Who", beforeName(s))))
	}
	if o.Unchecked {
		return append(lines, say.T("prepare.unchecked"))
	}
	if !o.Exact {
		lines = append(lines, say.T("prepare.unknown"))
	}
	return lines
}

// beforeName returns the name of the player whose turns are the conditions.
func beforeName(s *state) string {
	seats := engine.Seat(len(s.view.Record.Seats))
	before := s.seat
	for {
		if before = (before+seats-2)%seats + 1; before == s.seat || s.view.Match.Playing(before) {
			return message.SeatName(s.view, before)
		}
	}
}

// conditionWords returns a condition with the reply to it, in words. then says
// that it follows another turn.
func conditionWords(say *catalogue.Printer, s *state, turn, reply string, then bool) string {
	key := "prepare.if"
	if then {
		key = "prepare.then"
	}
	if turn == prepared.Any {
		key = map[string]string{"prepare.if": "prepare.any", "prepare.then": "prepare.then.any"}[key]
	}
	return say.T(key, "Who", beforeName(s), "Turn", wordsOf(say, turn), "Reply", wordsOf(say, reply))
}

// maxTurn is the number of characters of a turn in a line.
const maxTurn = 150

// wordsOf returns a turn of a tree within markdown.
func wordsOf(say *catalogue.Printer, turn string) string {
	if turn == engine.Pass || turn == engine.End {
		return say.T("panel.pass")
	}
	return discord.Escape(discord.Truncate(turn, maxTurn))
}

// lineWords returns a line in words.
func lineWords(say *catalogue.Printer, s *state, line []string) (lines []string) {
	if s.outlook.Starts() && len(line) > 0 {
		lines, line = append(lines, say.T("prepare.first", "Turn", wordsOf(say, line[0]))), line[1:]
	}
	const most = 12 // turns before the last are left out
	for n := 0; n < len(line); n += 2 {
		switch {
		case len(line)-n > most:
			if n == 0 {
				lines = append(lines, "-# …")
			}
		case n+1 < len(line):
			lines = append(lines, conditionWords(say, s, line[n], line[n+1], n > 0))
		case line[n] == prepared.Any:
			lines = append(lines, say.T("prepare.chosen.any", "Who", beforeName(s)))
		default:
			lines = append(lines, say.T("prepare.chosen", "Who", beforeName(s), "Turn", wordsOf(say, line[n])))
		}
	}
	return lines
}

// maxTree is the number of bytes of a tree in words.
const maxTree = 2500

// treeLines returns all lines in words. What follows is indented where there are
// several alternatives.
func treeLines(say *catalogue.Printer, s *state) (lines []string) {
	size, left := 0, 0
	add := func(depth int, text string) {
		text = strings.Repeat("  ", min(depth, 8)) + "- " + text
		if size += len(text) + 1; size > maxTree {
			left++
			return
		}
		lines = append(lines, text)
	}
	var write func(nodes []prepared.Node, depth int, then bool)
	write = func(nodes []prepared.Node, depth int, then bool) {
		for _, n := range nodes {
			for _, reply := range n.Then { // one
				add(depth, conditionWords(say, s, n.Turn, reply.Turn, then))
				deeper := depth
				if len(nodes) > 1 {
					deeper++
				}
				write(reply.Then, deeper, true)
			}
		}
	}
	if s.view.Match.Seat() != s.seat {
		write(s.plan.Tree.Nodes, 0, false)
	} else {
		for _, n := range s.plan.Tree.Nodes {
			add(0, say.T("prepare.first", "Turn", wordsOf(say, n.Turn)))
			write(n.Then, 1, false)
		}
	}
	if left > 0 {
		lines = append(lines, say.T("prepare.more", "Count", left))
	}
	return lines
}

// lineRows returns the controls below all lines.
func lineRows(say *catalogue.Printer, s *state) (rows []discord.Component) {
	all := s.plan.Tree.Lines()
	menu := discord.StringSelect{CustomID: s.id(linePath), Placeholder: say.T("prepare.change")}
	for i, line := range all[:min(len(all), discord.MaxSelectOptions)] {
		words := []rune(strings.Join(line, " → "))
		if n := len(words); n > discord.MaxSelectOptionText {
			words = append([]rune("… "), words[n-discord.MaxSelectOptionText+2:]...)
		}
		menu.Options = append(menu.Options, discord.SelectOption{Label: string(words), Value: fmt.Sprint(i)})
	}
	row := discord.ActionRow{Buttons: []discord.Button{{Style: discord.Primary, Label: say.T("prepare.add"), CustomID: s.id(addPath)}}}
	if len(all) > 0 {
		rows = append(rows, menu)
		row.Buttons = append(row.Buttons, discord.Button{Style: discord.Danger, Label: say.T("prepare.drop.all"), CustomID: s.id(dropAllPath)})
	}
	return append(rows, row)
}

// choiceRows returns the choices of the next turn and the controls below them.
func choiceRows(say *catalogue.Printer, s *state, rows []discord.Component, ends []discord.Button) []discord.Component {
	o, row := s.outlook, discord.ActionRow{Buttons: ends}
	add := func(style discord.ButtonStyle, label, path string) {
		if len(row.Buttons) < discord.MaxRowButtons {
			row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: say.T(label), CustomID: s.id(path)})
		}
	}
	fresh := s.path == "" && len(o.Begun) == 0
	switch {
	case s.ask:
		rows, row.Buttons = nil, nil
		add(discord.Success, "prepare.yes", yesPath)
	case fresh && !o.Own && len(o.Legal()) > 0:
		add(discord.Primary, "prepare.anything", anyPath)
	}
	switch {
	case s.path != "":
		add(discord.Secondary, "prepare.back", message.StartPath)
	case len(o.Line)+len(o.Begun) > 0:
		add(discord.Secondary, "prepare.back", backPath)
	}
	if fresh && !o.Own && len(o.Line) > 1 && s.plan.Tree.Has(o.Line) {
		add(discord.Danger, "prepare.drop", dropPath)
	}
	if !s.plan.Tree.Empty() {
		add(discord.Secondary, "prepare.all", allPath)
	}
	if len(row.Buttons) > 0 {
		rows = append(rows, row)
	}
	return rows
}
