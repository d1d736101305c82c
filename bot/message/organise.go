package message

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
	"castellan/storage"
)

// organiser returns an organiser of whom only the ID is known, to be named by address.
func organiser(say *catalogue.Printer, id string) storage.Person {
	return storage.Person{ID: id, Name: say.T("organise.organiser")}
}

// adjudicator returns the ID of the organiser who ended a match, empty if none did.
func adjudicator(v *host.View) string {
	for seq := v.Match.Seq(); seq > 0; seq-- {
		if e, ok := v.Match.ByOrganiser(seq); ok && e.Kind == match.KindAdjudicate {
			return v.OrganiserOf(seq)
		}
	}
	return ""
}

// organiserLine says what an organiser decided by entry seq of a match, empty if none did.
func organiserLine(say *catalogue.Printer, v *host.View, seq int) string {
	e, ok := v.Match.ByOrganiser(seq)
	if !ok {
		return ""
	}
	return actLine(say, storage.Act{Operator: v.OrganiserOf(seq), Kind: storage.ActKind(e.Kind), Target: storage.MatchTarget(v.Record.ID)})
}

// actLine says what an organiser did.
func actLine(say *catalogue.Printer, a storage.Act) string {
	id, _ := strconv.ParseInt(a.Target[strings.LastIndex(a.Target, " ")+1:], 10, 64)
	hours, _ := strconv.Atoi(a.Note)
	return say.T("organise.act."+string(a.Kind), "Who", address(say, organiser(say, a.Operator)), "Match", id, "Time", timeText(say, time.Duration(hours)*time.Hour))
}

// organiserLines says below the status of a match what organisers have decided, as far as
// the outcome does not say it.
func organiserLines(say *catalogue.Printer, v *host.View, m *match.Match) (lines []string) {
	if e, ok := m.ByOrganiser(m.PublicSeq()); ok && e.Kind != match.KindAdjudicate {
		lines = append(lines, organiserLine(say, v, m.PublicSeq()))
	}
	if m.Seat() == engine.Nobody || m.PublicSeq() != v.Match.PublicSeq() {
		return lines
	}
	if f := v.Frozen(); !f.Until.IsZero() {
		lines = append(lines, say.T("organise.frozen", "Who", address(say, organiser(say, f.By)), "Date", discord.DateTime(f.Until)))
	} else if by := v.ThawedBy(); by != "" {
		lines = append(lines, actLine(say, storage.Act{Operator: by, Kind: storage.ActThaw}))
	}
	return lines
}

// OrganiseData is what the panel of /organise shows.
type OrganiseData struct {
	host.ToOrganise
	Freeze host.Freeze
	Game   func(key string) (engine.Game, bool)
	Person string
}

// FreezeHours are the choices of how long clocks are stopped.
var FreezeHours = []int{1, 2, 4, 8, 12, 24, 48}

// Organise is the panel for organisers.
func Organise(say *catalogue.Printer, d OrganiseData) discord.Message {
	text := say.T("organise.title")
	if !d.Freeze.Until.IsZero() {
		text += "\n" + say.T("organise.frozen", "Who", address(say, organiser(say, d.Freeze.By)), "Date", discord.DateTime(d.Freeze.Until))
	}
	parts := []discord.Component{discord.TextDisplay{Content: text}}
	pick := discord.StringSelect{CustomID: "organise/pick", Placeholder: say.T("organise.pick")}
	for _, v := range append(slices.Clip(d.Running), d.Last) {
		if v != nil {
			pick.Options = append(pick.Options, discord.SelectOption{Label: discord.Truncate(MatchLine(say, v, d.Person), discord.MaxButtonLabel), Value: storage.MatchTarget(v.Record.ID)})
		}
	}
	for _, ch := range d.Challenges {
		if g, ok := d.Game(ch.Game); ok {
			pick.Options = append(pick.Options, discord.SelectOption{
				Label: discord.Truncate(say.T("organise.pick.challenge", "Who", PlainName(say, ch.Challenger), "Game", gameName(say, g)), discord.MaxButtonLabel), Value: storage.ChallengeTarget(ch.ID),
			})
		}
	}
	if len(pick.Options) > 0 {
		pick.Options = pick.Options[:min(len(pick.Options), discord.MaxSelectOptions)]
		parts = append(parts, pick)
	}
	row := discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Primary, Label: say.T("organise.start"), CustomID: "organise/new"},
		{Style: discord.Secondary, Label: say.T("organise.acts"), CustomID: "organise/acts"},
	}}
	if d.Freeze.Until.IsZero() {
		freeze := discord.StringSelect{CustomID: "organise/freeze", Placeholder: say.T("organise.freeze")}
		for _, h := range FreezeHours {
			freeze.Options = append(freeze.Options, discord.SelectOption{Label: timeText(say, time.Duration(h)*time.Hour), Value: strconv.Itoa(h)})
		}
		parts = append(parts, freeze)
	} else {
		row.Buttons = append(row.Buttons, discord.Button{Style: discord.Secondary, Label: say.T("organise.thaw"), CustomID: "organise/thaw"})
	}
	return containerMessage(append(parts, row)...)
}

// organiseBack is the button that leads back to the panel.
func organiseBack(say *catalogue.Printer) discord.Button {
	return discord.Button{Style: discord.Secondary, Label: say.T("panel.back"), CustomID: "organise/panel"}
}

// OrganiseMatch shows a match to an organiser with what they can decide about it.
func OrganiseMatch(say *catalogue.Printer, v *host.View, person string) discord.Message {
	text := discord.Bold(discord.Escape(MatchLine(say, v, person)))
	if line := organiserLine(say, v, v.Match.Seq()); line != "" {
		text += "\n-# " + line
	}
	if link := BoardLink(say, v); link != "" {
		text += "\n" + link
	}
	var buttons []discord.Button
	add := func(style discord.ButtonStyle, label, id string) {
		buttons = append(buttons, discord.Button{Style: style, Label: label, CustomID: "organise/" + id})
	}
	verdict := func(style discord.ButtonStyle, label string, to match.Verdict) {
		add(style, label, fmt.Sprintf("decide/%d/%s", v.Record.ID, to))
	}
	for _, seat := range v.ActiveSeats() {
		verdict(discord.Secondary, say.T("organise.win", "Who", mark(v, seat)+" "+PlainName(say, v.Person(seat))), match.VerdictWin(seat))
	}
	if _, over := v.Match.Over(); !over {
		if len(v.Record.Seats) == 2 {
			verdict(discord.Secondary, say.T("organise.draw"), match.VerdictDraw)
		}
		verdict(discord.Danger, say.T("organise.none"), match.VerdictNone)
	}
	if v.CheckVoid() == nil {
		add(discord.Danger, say.T("organise.void"), fmt.Sprintf("void/%d", v.Record.ID))
	}
	if v.CheckRevert(v.Match.Seq()) == nil {
		add(discord.Primary, say.T("organise.undo"), fmt.Sprintf("revert/%d/%d", v.Record.ID, v.Match.Seq()))
	}
	parts := []discord.Component{discord.TextDisplay{Content: text}}
	return containerMessage(append(parts, discord.ButtonRows(append(buttons, organiseBack(say)))...)...)
}

// OrganiseChallenge shows an open challenge to an organiser.
func OrganiseChallenge(say *catalogue.Printer, ch storage.Challenge, g engine.Game) discord.Message {
	text := say.T("organise.pick.challenge", "Who", Name(say, ch.Challenger), "Game", gameName(say, g))
	return question(text, discord.Button{Style: discord.Danger, Label: say.T("organise.withdraw"), CustomID: fmt.Sprintf("organise/withdraw/%d", ch.ID)}, organiseBack(say))
}

// OrganiseNew asks an organiser for the game, the clock and the players of a match, which
// begins when the players are picked. clock is the index of a choice of clocks.
func OrganiseNew(say *catalogue.Printer, games []engine.Game, game engine.Game, clock int) discord.Message {
	menu := discord.StringSelect{CustomID: fmt.Sprintf("organise/game/%d", clock)}
	for _, g := range games {
		menu.Options = append(menu.Options, discord.SelectOption{Label: gameName(say, g), Value: g.Key(), Default: g.Key() == game.Key()})
	}
	clocks := discord.StringSelect{CustomID: "organise/clock/" + game.Key()}
	for i, c := range host.ClockChoices() {
		clocks.Options = append(clocks.Options, discord.SelectOption{Label: clockChoice(say, c), Value: strconv.Itoa(i), Default: i == clock})
	}
	least, most := game.Seats()
	return containerMessage(discord.TextDisplay{Content: say.T("organise.new")}, menu, clocks,
		discord.UserSelect{CustomID: fmt.Sprintf("organise/players/%s/%d", game.Key(), clock), Placeholder: say.T("organise.players"), Min: least, Max: most},
		discord.ActionRow{Buttons: []discord.Button{organiseBack(say)}})
}

// maxActs is how many acts OrganiserActs lists.
const maxActs = 20

// OrganiserActs lists what organisers have done, newest first.
func OrganiserActs(say *catalogue.Printer, acts []storage.Act) discord.Message {
	lines := []string{discord.Bold(say.T("organise.acts"))}
	for _, a := range slices.Backward(acts) {
		if len(lines) <= maxActs {
			lines = append(lines, discord.DateTime(a.At)+" "+actLine(say, a))
		}
	}
	if len(acts) == 0 {
		lines = append(lines, say.T("organise.acts.none"))
	}
	return question(strings.Join(lines, "\n"), organiseBack(say))
}
