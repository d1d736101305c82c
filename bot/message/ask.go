package message

import (
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// ConfirmTurn asks a person whether to play a turn. ok is false if the turn is too
// long for a custom ID.
func ConfirmTurn(say *catalogue.Printer, v *host.View, draft *host.Draft, salt string, picture discord.File) (m discord.Message, ok bool) {
	id, ok := confirmID(v, draft.Turn)
	row := playButton(say, id)
	row.Buttons = append(row.Buttons, discord.Button{Style: discord.Secondary, Label: say.T("confirm.no"), CustomID: pickID(v, salt, StartPath)})
	return pictureMessage(accent(v, v.Match), picture, confirmText(say, v, draft), row), ok
}

func confirmText(say *catalogue.Printer, v *host.View, draft *host.Draft) string {
	turns := draft.Match.Turns()
	turn := turns[len(v.Match.Turns())]
	ask := say.T("confirm.ask", "Turn", turnText(say, turn))
	if turn.Passed() {
		ask = say.T("confirm.pass")
	}
	if draft.Risk == match.NoRisk {
		return ask
	}
	return riskText(say, v, draft.Match, draft.Risk) + "\n" + ask
}

// riskText says what the risk of a turn is that leads to the match after.
func riskText(say *catalogue.Printer, v *host.View, after *match.Match, risk match.Risk) string {
	out, _ := after.Over()
	why := ""
	switch risk {
	case match.Loses:
		why = say.T("confirm.loses", "Reason", reasonText(say, v, out, Name))
	case match.Ends:
		key := "confirm.ends"
		if len(out.Result.Winners) == 0 {
			key = "confirm.draws"
		}
		why = say.T(key, "Reason", reasonText(say, v, out, Name))
	case match.Exposes:
		why = say.T("confirm.exposes", "Threat", threat(say, v))
	case match.NoRisk:
	}
	return riskMark + " " + why
}

// DidYouMean tells a person why a turn cannot be played, with a button for each
// turn that may have been meant.
func DidYouMean(say *catalogue.Printer, v *host.View, sentence, text string, e *match.TokenError) discord.Message {
	var buttons []discord.Button
	for _, near := range e.Nearest {
		tokens := strings.Fields(text)
		if e.Index < len(tokens) {
			tokens[e.Index] = near
		}
		buttons = appendLine(buttons, v, strings.Join(tokens, " "), strings.Join(tokens, " "))
	}
	sentence = say.Join(sentence, BoardLink(say, v))
	if len(buttons) == 0 {
		return discord.TextMessage(sentence)
	}
	return question(sentence, buttons...)
}

// DoVerb stands before the name of a command in the custom IDs of the buttons that
// choose its match.
const DoVerb = "do"

// ChooseMatch asks in which match a command is meant.
func ChooseMatch(say *catalogue.Printer, views []*host.View, person, command string) discord.Message {
	return chooseMatch(say, say.T("match.which"), views, person, DoVerb+"/"+command)
}

// ChooseMatchToMove asks in which match a turn is meant. If the turn is empty, the
// buttons open the panels of the matches.
func ChooseMatchToMove(say *catalogue.Printer, views []*host.View, person, turn string) discord.Message {
	if turn == "" {
		return chooseMatch(say, say.T("move.where"), views, person, "turn")
	}
	return chooseMatch(say, say.T("move.which", "Turn", discord.Escape(turn)), views, person, "line/"+discord.Plain(turn))
}

// chooseMatch returns a question with a button for each match, unless its custom ID
// would be too long.
func chooseMatch(say *catalogue.Printer, text string, views []*host.View, person, verb string) discord.Message {
	var buttons []discord.Button
	for _, v := range views[:min(len(views), maxPickerButtons)] {
		if id := matchID(v.Record.ID, v.Match.Seq(), verb); len(id) <= discord.MaxCustomID {
			buttons = append(buttons, discord.Button{Style: discord.Secondary, Label: MatchLine(say, v, person), CustomID: id})
		}
	}
	return question(text, buttons...)
}

// appendLine appends a button that plays a turn in a match, unless the turn is
// too long for a custom ID.
func appendLine(buttons []discord.Button, v *host.View, turn, label string) []discord.Button {
	id := matchID(v.Record.ID, v.Match.Seq(), "line") + "/" + discord.Plain(turn)
	if len(id) > discord.MaxCustomID {
		return buttons
	}
	return append(buttons, discord.Button{Style: discord.Secondary, Label: label, CustomID: id})
}

func playButton(say *catalogue.Printer, id string) discord.ActionRow {
	return discord.ActionRow{Buttons: []discord.Button{{Style: discord.Success, Label: say.T("confirm.yes"), CustomID: id}}}
}

// Hint shows the turn that the computer suggests, with what its actions do and
// a button to play it.
func Hint(say *catalogue.Printer, v *host.View, turn string, effects []string, picture discord.File) discord.Message {
	text := say.T("hint.turn", "Turn", TurnText(turn))
	if len(effects) > 0 {
		text += "\n-# " + TurnText(strings.Join(effects, "; "))
	}
	var rows []discord.Component
	if id, ok := confirmID(v, turn); ok {
		rows = append(rows, playButton(say, id))
	}
	return pictureMessage(accent(v, v.Match), picture, text, rows...)
}

// Effect returns what a legal action does, as far as the game can say.
func Effect(say *catalogue.Printer, p engine.Position, token string) string {
	for _, a := range p.Legal() {
		if d, ok := a.(engine.Describer); ok && a.String() == token {
			return say.Text(d.Describe(p))
		}
	}
	return ""
}

// AskResign asks a person whether to resign.
func AskResign(say *catalogue.Printer, v *host.View, person string) discord.Message {
	ask, yes := "resign.ask", "resign.yes"
	switch {
	case v.WouldAbort() && v.Event.Tournament == 0: // there, it is a game lost
		ask, yes = "abort.ask", "abort.yes"
	case len(v.ActiveSeats()) > 2:
		ask, yes = "retire.ask", "retire.yes"
	}
	return question(say.T(ask, "Match", discord.Escape(MatchLine(say, v, person))),
		discord.Button{Style: discord.Danger, Label: say.T(yes), CustomID: matchID(v.Record.ID, v.Match.Seq(), "resign")},
		discord.Button{Style: discord.Secondary, Label: say.T("resign.no"), CustomID: matchID(v.Record.ID, v.Match.Seq(), "stay")},
		offersButton(say, v))
}

// AskGiveTime shows the clocks and asks a person whether to give the player to move
// more time.
func AskGiveTime(say *catalogue.Printer, v *host.View, person string) discord.Message {
	text := say.T("time.ask", "Who", Name(say, v.Person(v.Match.Seat())), "Time", timeText(say, v.MoreTime()),
		"Ago", discord.RelativeTime(v.TimeoutAt()), "Match", discord.Escape(MatchLine(say, v, person)))
	return question(strings.Join(append([]string{text}, banks(say, v)...), "\n-# "),
		discord.Button{Style: discord.Success, Label: say.T("offer.button.give"), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "offer/"+GiveTime)},
		discord.Button{Style: discord.Secondary, Label: say.T("confirm.no"), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "stay")})
}

// AskClaim says what a claim would do and asks a person whether to make it.
func AskClaim(say *catalogue.Printer, v *host.View, person string) discord.Message {
	ask, yes := "claim.ask", "claim.yes"
	switch {
	case v.WouldAbort():
		ask, yes = "claim.off", "abort.yes"
	case len(v.ActiveSeats()) > 2:
		ask, yes = "claim.out", "claim.remove"
	}
	silent := Name(say, v.Person(v.Match.Seat()))
	return question(say.T(ask, "Who", silent, "Ago", discord.RelativeTime(v.Since()), "Match", discord.Escape(MatchLine(say, v, person))),
		discord.Button{Style: discord.Danger, Label: say.T(yes), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "claimed")},
		discord.Button{Style: discord.Secondary, Label: say.T("claim.wait"), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "wait")})
}

// question returns a text with buttons under it.
func question(text string, buttons ...discord.Button) discord.Message {
	return discord.Message{Components: append([]discord.Component{discord.TextDisplay{Content: text}}, discord.ButtonRows(buttons)...)}
}

// ChooseGame asks which game to challenge a person to.
func ChooseGame(say *catalogue.Printer, games []engine.Game, opponent storage.Person) discord.Message {
	text := say.T("duel.which", "Who", Name(say, opponent))
	return gameChoice(say, text, discord.Primary, games, func(key string) string { return opponentID(key, opponent) })
}

// ChooseRules asks which game's rules to show.
func ChooseRules(say *catalogue.Printer, games []engine.Game) discord.Message {
	return gameChoice(say, say.T("rules.which"), discord.Secondary, games, func(key string) string { return rulesID(key, 1) })
}

func gameChoice(say *catalogue.Printer, text string, style discord.ButtonStyle, games []engine.Game, id func(key string) string) discord.Message {
	var buttons []discord.Button
	for _, g := range games {
		buttons = append(buttons, discord.Button{Style: style, Label: gameName(say, g), CustomID: id(g.Key())})
	}
	return discord.Message{Components: append([]discord.Component{discord.TextDisplay{Content: text}}, discord.ButtonRows(buttons)...)}
}

// containerMessage returns a message of components in a neutral colour.
func containerMessage(parts ...discord.Component) discord.Message {
	return discord.Message{Components: []discord.Component{discord.Container{AccentColor: neutralColor(), Components: parts}}}
}

// choiceButton returns the button of one of several alternatives. The chosen one has
// a colour and a sign, and can be pressed again: disabled, it would look switched off.
func choiceButton(label, id string, chosen bool) discord.Button {
	if chosen {
		return discord.Button{Style: discord.Primary, Label: "✓ " + label, CustomID: id}
	}
	return discord.Button{Style: discord.Secondary, Label: label, CustomID: id}
}

// pageButtons turn the pages of a list; there are none for a single page. The
// custom IDs name the pages they lead to.
func pageButtons(say *catalogue.Printer, page, pages int, id func(page int) string) (row discord.ActionRow) {
	if pages > 1 {
		row.Buttons = []discord.Button{
			{Style: discord.Secondary, Label: say.T("games.back"), CustomID: id(page - 1), Disabled: page == 1},
			{Style: discord.Secondary, Label: say.T("games.next"), CustomID: id(page + 1), Disabled: page == pages},
		}
	}
	return row
}

// Left tells a person the result of resigning or claiming. over and playsOn are the
// keys for a match that is over and for one in which the others play on.
func Left(say *catalogue.Printer, v *host.View, over, playsOn string) string {
	key := over
	switch out, ended := v.Match.Over(); {
	case !ended:
		key = playsOn
	case out.Ending == match.ByAbort:
		key = "abort.done"
	}
	return say.T(key, "Link", BoardLink(say, v))
}
