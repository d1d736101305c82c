package message

import (
	"slices"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// maxPickerButtons is the number of choices that are shown as buttons: five rows
// of five. More are split.
const maxPickerButtons = 25

// PanelState holds what the panel of the player to move shows. The panel is the
// private message in which a person plays a turn of several choices. It is built
// from the stored match at each click, so nothing is lost with the message.
type PanelState struct {
	View   *host.View
	Person string
	Path   string // the choices picked so far; see the picker
	Moved  string // the path on which the piece just moved can move on; see panelChoices
	Note   string // stands above everything else
	Salt   string // makes the custom IDs differ from those of the last redraw
	Rules  string // the reference of the game's rules in custom IDs
	Zooms  bool   // parts of the board can be enlarged
	// PickID returns the custom ID of a choice, and Legal lists the actions to choose
	// from, where people prepare turns. In the panel of the player to move, PickID is
	// nil. Unknown says that the actions are legal in some position, not in that of
	// the view.
	PickID  func(path string) string
	Legal   []engine.Action
	Unknown bool
}

func (p PanelState) legal() []engine.Action {
	if p.PickID != nil {
		return p.Legal
	}
	return p.View.Match.Position().Legal()
}

func (p PanelState) pickID(path string) string {
	if p.PickID != nil {
		return p.PickID(path)
	}
	return pickID(p.View, p.Salt, path)
}

// Panel returns the panel.
func Panel(say *catalogue.Printer, p PanelState, picture discord.File) discord.Message {
	marked := risks{}
	rows, controls := pickerRows(say, p, marked), panelControls(say, p, marked)
	if n := len(rows); n == maxPickerButtons/discord.MaxRowButtons {
		// Five rows of five: the last has room for Pass beside 24 columns.
		if last, ok := rows[n-1].(discord.ActionRow); ok && len(last.Buttons)+len(controls.Buttons) <= discord.MaxRowButtons {
			rows[n-1] = discord.ActionRow{Buttons: append(last.Buttons, controls.Buttons...)}
			controls.Buttons = nil
		}
	}
	if len(controls.Buttons) > 0 {
		rows = append(rows, controls)
	}
	m := pictureMessage(accent(p.View, p.View.Match), picture, panelText(say, p, marked), rows...)
	if p.Note != "" {
		m.Components = append([]discord.Component{discord.TextDisplay{Content: p.Note}}, m.Components...)
	}
	return m
}

// panelText returns what has been played in the open turn, what is picked, what is
// left, and what the marks of buttons mean.
func panelText(say *catalogue.Printer, p PanelState, marked risks) string {
	lines := []string{say.T("panel.turn", "Match", int64(p.View.Record.ID))}
	if open := p.View.Match.Open(); len(open.Actions) > 0 {
		lines = append(lines, say.T("panel.played", "Turn", TurnText(open.String())))
	}
	if p.Path != "" {
		lines = append(lines, pickedText(say, p.Path))
	}
	if prompt, _ := p.prompt(); !prompt.IsZero() {
		lines = append(lines, say.T("panel.prompt", "Prompt", say.Text(prompt)))
	}
	if p.View.Threatened() {
		lines = append(lines, riskMark+" "+say.T("panel.threat", "Threat", threat(say, p.View)))
	}
	lines = append(append(lines, effects(say, p)...), marked.lines(say, p.View)...)
	for _, a := range p.View.Match.Position().Legal() {
		if d, ok := a.(engine.Describer); ok && isFormality(a) && p.passes() {
			if text := say.Text(d.Describe(p.View.Match.Position())); text != "" {
				lines = append(lines, "-# "+say.T("panel.pass.does", "Does", text))
			}
		}
	}
	return strings.Join(append(lines, "-# "+say.Text(Named(say, p.View, p.View.Match.Position().Status()))), "\n")
}

func pickedText(say *catalogue.Printer, path string) string {
	picked := strings.ReplaceAll(strings.TrimSuffix(path, stepEnd), stepEnd, " ")
	return say.T("panel.picked", "Picked", discord.Escape(picked))
}

// prompt returns what the person has to choose next and the number of the page of
// the rules that explains it, as far as the game can say.
func (p PanelState) prompt() (prompt engine.Phrase, page int) {
	position, ok := p.View.Match.Position().(engine.Prompter)
	if !ok {
		return prompt, 0
	}
	prompt, name := position.Prompt(PickedSteps(p.Path))
	key := p.View.Game.Key() + ".rules." + name
	return prompt, 1 + slices.IndexFunc(p.View.Game.Rulebook(), func(page engine.Page) bool { return page.Title.ID == key })
}

// maxEffects is the number of choices whose effects the panel describes.
const maxEffects = 8

// effects returns lines that say what the choices of the panel do, in the words
// of /move: for all choices if they are few, or else for those that do more than
// most.
func effects(say *catalogue.Printer, p PanelState) (lines []string) {
	position := p.View.Match.Position()
	surveyor, _ := position.(engine.Surveyor)
	all := panelChoices(position.Legal(), p.Path, p.Moved)
	for _, c := range all {
		d, ok := c.action.(engine.Describer)
		if !ok || len(all) > maxEffects && (surveyor == nil || !surveyor.Notable(c.action)) || len(lines) == maxEffects {
			continue
		}
		if text := say.Text(d.Describe(position)); text != "" {
			lines = append(lines, "-# "+say.T("panel.effect", "Choice", discord.Escape(choiceLabel(say, p.View.Game, c)), "Does", text))
		}
	}
	return lines
}

// passes reports whether the person has played nothing in the open turn, so
// that ending it passes.
func (p PanelState) passes() bool { return len(p.View.Match.Open().Actions) == 0 }

// riskMark stands before the label of an action with a risk.
const riskMark = "⚠"

func threat(say *catalogue.Printer, v *host.View) string {
	return say.Text(v.Game.Texts().Phrase(v.Game.Key() + ".threat"))
}

// risks are the labels of the actions with each risk.
type risks map[match.Risk][]string

// riskOf returns the risk of an action in m, which is the match of the view or has more
// actions in its open turn.
func riskOf(v *host.View, m *match.Match, a engine.Action) match.Risk {
	seat := v.Match.Seat()
	after, _, err := m.Try(seat, a.String(), match.Cause{})
	if err != nil {
		return match.NoRisk
	}
	return v.Risk(seat, after)
}

// mark puts a mark before the label of an action with a risk, and keeps the label for
// lines.
func (r risks) mark(v *host.View, a engine.Action, label string) string {
	risk := riskOf(v, v.Match, a)
	if risk == match.NoRisk {
		return label
	}
	r[risk] = append(r[risk], label)
	return riskMark + " " + label
}

// lines says of each marked label what its risk is.
func (r risks) lines(say *catalogue.Printer, v *host.View) (lines []string) {
	for _, risk := range []match.Risk{match.Loses, match.Ends, match.Exposes} {
		if labels := r[risk]; len(labels) > 0 {
			choice := discord.Escape(say.List(labels...))
			lines = append(lines, "-# "+riskMark+" "+say.T("board.closed", "Choice", choice, "Why", riskNote(say, v, risk)))
		}
	}
	return lines
}

// riskNote says in a few words what a risk is.
func riskNote(say *catalogue.Printer, v *host.View, risk match.Risk) string {
	switch risk {
	case match.Loses:
		return say.T("risk.loses")
	case match.Ends:
		return say.T("risk.ends")
	case match.Exposes:
		return threat(say, v)
	case match.NoRisk:
	}
	return ""
}

// pickerRows returns the choices: buttons if they are few, a menu otherwise.
func pickerRows(say *catalogue.Printer, p PanelState, marked risks) (rows []discord.Component) {
	position := p.View.Match.Position()
	all := panelChoices(p.legal(), p.Path, p.Moved)
	if len(all) == 0 {
		return nil
	}
	if len(all) > maxPickerButtons {
		menu := discord.StringSelect{CustomID: p.pickID(MenuPath), Placeholder: say.T("panel.choose")}
		for _, c := range all[:min(len(all), discord.MaxSelectOptions)] {
			o := discord.SelectOption{Label: choiceLabel(say, p.View.Game, c), Value: c.path}
			if d, ok := c.action.(engine.Describer); ok && !p.Unknown {
				o.Description = say.Text(d.Describe(position))
			}
			menu.Options = append(menu.Options, o)
		}
		return []discord.Component{menu}
	}
	var buttons []discord.Button
	for _, c := range all {
		style, label := discord.Secondary, choiceLabel(say, p.View.Game, c)
		if c.action != nil {
			style, label = discord.Primary, marked.mark(p.View, c.action, label)
		}
		buttons = append(buttons, discord.Button{Style: style, Label: label, CustomID: p.pickID(c.path)})
	}
	return discord.ButtonRows(buttons)
}

func choiceLabel(say *catalogue.Printer, g engine.Game, c choice) string {
	if strings.HasSuffix(c.path, stepEnd) {
		return stepLabel(say, g, c.step)
	}
	return c.step + "…"
}

// panelControls returns the buttons that are the same in every game.
func panelControls(say *catalogue.Printer, p PanelState, marked risks) (row discord.ActionRow) {
	add := func(style discord.ButtonStyle, label, id string) {
		row.Buttons = append(row.Buttons, discord.Button{Style: style, Label: label, CustomID: id})
	}
	if p.Path != "" {
		add(discord.Secondary, say.T("panel.back"), p.pickID(StartPath))
	}
	row.Buttons = append(row.Buttons, forcedActions(say, p, marked)...)
	if p.View.Match.CanUndo(p.View.SeatOf(p.Person)) {
		add(discord.Secondary, say.T("panel.undo"), saltedID(p.View, "undo", p.Salt, ""))
	}
	if since := p.View.Match.Since(p.View.Match.Seat()); p.Path == "" && p.passes() && len(since) > 0 && len(row.Buttons) < discord.MaxRowButtons {
		row.Buttons = append(row.Buttons, lookButton(p.View, say.T("look.since"), since[0].Number))
	}
	if p.Zooms && p.Path == "" {
		add(discord.Secondary, say.T("zoom.open"), zoomID(p, ZoomParts))
	}
	if _, page := p.prompt(); page > 0 && p.Rules != "" && len(row.Buttons) < discord.MaxRowButtons {
		add(discord.Secondary, say.T("panel.rules"), rulesID(p.Rules, page)+"/open")
	}
	if p.Path == "" && len(row.Buttons) < discord.MaxRowButtons {
		row.Buttons = append(row.Buttons, offersButton(say, p.View))
	}
	return row
}

// forcedActions returns the buttons that end or pass the turn.
func forcedActions(say *catalogue.Printer, p PanelState, marked risks) (buttons []discord.Button) {
	for _, a := range p.legal() {
		if !isFormality(a) {
			continue
		}
		style, key := discord.Secondary, "panel.pass"
		if a.String() == engine.End && !p.passes() {
			style, key = discord.Success, "panel.end"
		}
		buttons = append(buttons, discord.Button{
			Style: style, Label: marked.mark(p.View, a, say.T(key)), CustomID: p.pickID(actionPath(a)),
		})
	}
	return buttons
}

// Receipt tells a person that their turn counts, with a button that takes the turn
// back while that is possible. It names next, the match that waits for them next,
// unless that is nil.
func Receipt(say *catalogue.Printer, v *host.View, person string, next *host.View) discord.Message {
	text := played(say, v, person)
	if next != nil {
		text += "\n" + strings.TrimSpace(say.T("move.next", "Match", discord.Escape(MatchLine(say, next, person)), "Link", BoardLink(say, next)))
	}
	seat := v.SeatOf(person)
	var buttons []discord.Button
	if offersTakeback(v, seat) {
		buttons = append(buttons, takebackButton(say, v, v.Match.Seq()))
	}
	buttons = append(buttons, prepareButtons(say, v, person)...)
	if v.Match.Playing(seat) {
		buttons = append(buttons, offersButton(say, v))
	}
	if len(buttons) == 0 {
		return discord.TextMessage(text)
	}
	return question(text, buttons...)
}

// played tells a person that their turn counts, with a link to the board.
func played(say *catalogue.Printer, v *host.View, person string) string {
	link := BoardLink(say, v)
	seat := v.SeatOf(person)
	if open := v.Match.Open(); open.Seat == seat && len(open.Actions) > 0 {
		return say.T("move.open", "Turn", TurnText(open.String()), "Link", link)
	}
	own := slices.DeleteFunc(v.Match.Turns(), func(t match.Turn) bool { return t.Seat != seat })
	// Prepared turns, and passes that are forced actions, are played in the same moment.
	for n := len(own); n > 1 && (own[n-1].Prepared || own[n-1].Passed() && own[n-1].EndedAt.Equal(own[n-2].EndedAt)); n-- {
		own = own[:n-1]
	}
	if n := len(own); n > 0 {
		if own[n-1].Passed() {
			return say.T("move.passed", "Link", link)
		}
		return say.T("move.played", "Turn", turnText(say, own[n-1]), "Link", link)
	}
	return say.T("move.done", "Link", link)
}
