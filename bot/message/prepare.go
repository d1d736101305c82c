package message

import (
	"fmt"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/engine/prepared"
)

// Preparation holds what the message shows.
type Preparation struct {
	View      *host.View // the match as it is
	Seat      engine.Seat
	Plan      host.Plan
	Variation prepared.Variation
	Path      string // the choices picked so far, as in the panel
	Moved     string // see PanelState
	Note      string // stands above everything else
	Salt      string // makes the custom IDs differ from those of the last redraw
	// All shows all lines, and not the choice of the next turn.
	All bool
	// Ask shows the question whether to prepare the last turn of the line, which has
	// this risk. Before is the match before that turn, nil if it is not known.
	Ask    bool
	Risk   match.Risk
	Before *match.Match
}

// Start returns the variation before the first turn.
func (s *Preparation) Start() prepared.Variation {
	public, err := s.View.Match.PublicAt(s.View.Match.PublicSeq())
	if err != nil {
		return prepared.Variation{}
	}
	return prepared.From(public, s.Seat)
}

func (s *Preparation) id(path string) string {
	return prepareID(s.View, fmt.Sprintf("/%s/%d/%s", s.Salt, s.Plan.Revision, path))
}

// panel returns the state of a panel in which the next turn is chosen.
func (s *Preparation) panel() PanelState {
	shown := *s.View
	if shown.Match = s.Variation.Sample(); shown.Match == nil {
		shown.Match = s.Variation.Match()
	}
	return PanelState{
		View: &shown, Path: s.Path, Moved: s.Moved, Salt: s.Salt,
		PickID: s.id, Legal: s.Variation.Legal(), Unknown: !s.Variation.Exact,
	}
}

// Paths in the custom IDs of the messages in which turns are prepared, beside
// those of the picker. No step begins with a dot.
const (
	AddPath     = ".add"  // choose a turn for a new line
	LinePath    = ".line" // continue the line that is picked in the menu
	AllPath     = ".all"  // show all lines
	AnyPath     = ".any"  // any turn fulfils the condition
	BackPath    = ".back" // without the last choice
	YesPath     = ".yes"  // prepare the line
	DropPath    = ".drop" // drop the line and all that follows it
	DropAllPath = ".none-at-all"
)

// Prepare returns the private message in which a person prepares turns: all lines, or
// the choice of the next turn of a line.
func Prepare(say *catalogue.Printer, s *Preparation, picture discord.File) discord.Message {
	p := s.panel()
	lines := []string{say.T("prepare.title", "Match", int64(s.View.Record.ID))}
	if s.Note != "" {
		lines = append(lines, s.Note)
	}
	var rows []discord.Component
	marked := risks{}
	if s.All {
		lines, rows = append(lines, treeLines(say, s)...), lineRows(say, s)
	} else {
		lines = append(lines, choiceText(say, s)...)
		if !s.Ask && !p.Unknown {
			lines = append(lines, effects(say, p)...)
		}
		rows = choiceRows(say, s, pickerRows(say, p, marked), forcedActions(say, p, marked))
		lines = append(lines, marked.lines(say, p.View)...)
	}
	return pictureMessage(accent(s.View, p.View.Match), picture, strings.Join(lines, "\n"), rows...)
}

func choiceText(say *catalogue.Printer, s *Preparation) (lines []string) {
	o := s.Variation
	if len(o.Line) == 0 && s.Plan.Tree.Empty() && s.Note == "" {
		lines = append(lines, say.T("prepare.none"))
	}
	lines = append(lines, lineWords(say, s, o.Line)...)
	if len(o.Begun) > 0 {
		lines = append(lines, say.T("prepare.picked", "Turn", TurnText(strings.Join(o.Begun, " "))))
	}
	if s.Path != "" {
		lines = append(lines, pickedText(say, s.Path))
	}
	switch {
	case s.Ask:
		if s.Risk != match.NoRisk && s.Before != nil {
			before := *s.View
			before.Match = s.Before
			lines = append(lines, riskText(say, &before, o.Known(), s.Risk))
		}
		line := Replied(o)
		lines = append(lines, say.T("prepare.confirm", "Turn", TurnText(line[len(line)-1])))
	case len(o.Legal()) == 0 && !o.Unchecked:
		lines = append(lines, say.T("prepare.over"))
	case o.Own && len(o.Line) == 0:
		lines = append(lines, say.T("panel.prompt", "Prompt", say.T("prepare.ask.now")))
	case o.Own:
		lines = append(lines, say.T("panel.prompt", "Prompt", say.T("prepare.ask.then")))
	default:
		lines = append(lines, say.T("panel.prompt", "Prompt", say.T("prepare.ask.if", "Who", beforeName(say, s))))
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
func beforeName(say *catalogue.Printer, s *Preparation) string {
	seats := engine.Seat(len(s.View.Record.Seats))
	before := s.Seat
	for {
		if before = (before+seats-2)%seats + 1; before == s.Seat || s.View.Match.Playing(before) {
			return mark(s.View, before) + "\u00a0" + Name(say, s.View.Person(before))
		}
	}
}

// conditionWords returns a condition with the reply to it, in words. then says
// that it follows another turn.
func conditionWords(say *catalogue.Printer, s *Preparation, turn, reply string, then bool) string {
	key := "prepare.if"
	if then {
		key = "prepare.then"
	}
	if turn == prepared.Any {
		key = map[string]string{"prepare.if": "prepare.any", "prepare.then": "prepare.then.any"}[key]
	}
	return say.T(key, "Who", beforeName(say, s), "Turn", wordsOf(say, turn), "Reply", wordsOf(say, reply))
}

// maxTurn is the number of characters of a turn in a line.
const maxTurn = 150

func wordsOf(say *catalogue.Printer, turn string) string {
	if turn == engine.Pass || turn == engine.End {
		return say.T("panel.pass")
	}
	return discord.Escape(discord.Truncate(turn, maxTurn))
}

func lineWords(say *catalogue.Printer, s *Preparation, line []string) (lines []string) {
	if s.Variation.Starts() && len(line) > 0 {
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
			lines = append(lines, say.T("prepare.chosen.any", "Who", beforeName(say, s)))
		default:
			lines = append(lines, say.T("prepare.chosen", "Who", beforeName(say, s), "Turn", wordsOf(say, line[n])))
		}
	}
	return lines
}

// maxTree is the number of bytes of a tree in words.
const maxTree = 2500

// treeLines returns all lines in words. What follows is indented where there are
// several alternatives.
func treeLines(say *catalogue.Printer, s *Preparation) (lines []string) {
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
	if s.View.Match.Seat() != s.Seat {
		write(s.Plan.Tree.Nodes, 0, false)
	} else {
		for _, n := range s.Plan.Tree.Nodes {
			add(0, say.T("prepare.first", "Turn", wordsOf(say, n.Turn)))
			write(n.Then, 1, false)
		}
	}
	if left > 0 {
		lines = append(lines, say.T("prepare.more", "Count", left))
	}
	return lines
}

func lineRows(say *catalogue.Printer, s *Preparation) (rows []discord.Component) {
	all := s.Plan.Tree.Lines()
	menu := discord.StringSelect{CustomID: s.id(LinePath), Placeholder: say.T("prepare.change")}
	for i, line := range all[:min(len(all), discord.MaxSelectOptions)] {
		words := []rune(strings.Join(line, " → "))
		if n := len(words); n > discord.MaxSelectOptionText {
			words = append([]rune("… "), words[n-discord.MaxSelectOptionText+2:]...)
		}
		menu.Options = append(menu.Options, discord.SelectOption{Label: string(words), Value: fmt.Sprint(i)})
	}
	row := discord.ActionRow{Buttons: []discord.Button{{Style: discord.Primary, Label: say.T("prepare.add"), CustomID: s.id(AddPath)}}}
	if len(all) > 0 {
		rows = append(rows, menu)
		row.Buttons = append(row.Buttons, discord.Button{Style: discord.Danger, Label: say.T("prepare.drop.all"), CustomID: s.id(DropAllPath)})
	}
	return append(rows, row)
}

// choiceRows returns the choices of the next turn and the controls below them.
func choiceRows(say *catalogue.Printer, s *Preparation, rows []discord.Component, ends []discord.Button) []discord.Component {
	o, row := s.Variation, discord.ActionRow{Buttons: ends}
	add := func(style discord.ButtonStyle, label, path string) {
		if len(row.Buttons) < discord.MaxRowButtons {
			row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: say.T(label), CustomID: s.id(path)})
		}
	}
	fresh := s.Path == "" && len(o.Begun) == 0
	switch {
	case s.Ask:
		rows, row.Buttons = nil, nil
		add(discord.Success, "prepare.yes", YesPath)
	case fresh && !o.Own && len(o.Legal()) > 0:
		add(discord.Primary, "prepare.anything", AnyPath)
	}
	switch {
	case s.Path != "":
		add(discord.Secondary, "prepare.back", StartPath)
	case len(o.Line)+len(o.Begun) > 0:
		add(discord.Secondary, "prepare.back", BackPath)
	}
	if fresh && !o.Own && len(o.Line) > 1 && s.Plan.Tree.Has(o.Line) {
		add(discord.Danger, "prepare.drop", DropPath)
	}
	if !s.Plan.Tree.Empty() {
		add(discord.Secondary, "prepare.all", AllPath)
	}
	if len(row.Buttons) > 0 {
		rows = append(rows, row)
	}
	return rows
}

// Replied returns the line of a variation up to the last turn of the player. After
// that turn a formality of the opponent may follow.
func Replied(o prepared.Variation) []string {
	if o.Own && len(o.Line) > 0 {
		return o.Line[:len(o.Line)-1]
	}
	return o.Line
}

// prepareID returns a custom ID of the components with which people prepare turns.
func prepareID(v *host.View, rest string) string {
	return matchID(v.Record.ID, v.Match.PublicSeq(), "prepare") + rest
}

func prepareButton(say *catalogue.Printer, v *host.View) discord.Button {
	return discord.Button{Style: discord.Secondary, Label: say.T("prepare.button"), CustomID: prepareID(v, "")}
}

// prepareButtons returns the button for a person who is playing while somebody else
// is to move, and otherwise nothing.
func prepareButtons(say *catalogue.Printer, v *host.View, person string) []discord.Button {
	seat := v.SeatOf(person)
	if !v.Match.Playing(seat) || v.Match.Seat() == seat {
		return nil
	}
	return []discord.Button{prepareButton(say, v)}
}
