package message

import (
	"slices"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/imaging"
)

// Locator finds actions in pictures; *imaging.Renderer does.
type Locator interface {
	Locate(s imaging.Scene, a engine.Action, picked int) (imaging.Spot, bool)
}

// Target is a choice on the page where people tap the board.
type Target struct {
	Path  string // after this choice; see the picker
	Label string
	Spot  imaging.Spot // zero for a choice that the picture does not show
}

// Targets returns the choices after the path of a panel: those that the locator
// finds in the picture, then the others. A choice in the picture can pick
// several steps at once. The locator may be nil.
func Targets(say *catalogue.Printer, p PanelState, l Locator) (targets []Target) {
	position, picked := p.View.Match.Position(), len(PickedSteps(p.Path))
	scene := Scene(p.View, p.View.Match)
	for _, a := range position.Legal() {
		whole := actionPath(a)
		if !strings.HasPrefix(whole, p.Path) {
			continue
		}
		t := Target{Spot: imaging.Spot{Steps: picked + 1}}
		if l != nil {
			if spot, ok := l.Locate(scene, a, picked); ok {
				t.Spot = spot
			}
		}
		steps := a.Steps()
		t.Path = strings.Join(steps[:t.Spot.Steps], stepEnd) + stepEnd
		switch {
		case slices.ContainsFunc(targets, func(o Target) bool { return o.Path == t.Path }):
			continue
		case isFormality(a) && a.String() == engine.End && !p.passes():
			t.Label = say.T("panel.end")
		case isFormality(a):
			t.Label = say.T("panel.pass")
		default:
			t.Label = strings.Join(steps[picked:t.Spot.Steps], "")
		}
		if t.Path == whole {
			t.Label = MarkRisk(p.View, p.View.Match, a, t.Label)
		}
		targets = append(targets, t)
	}
	shown := slices.DeleteFunc(slices.Clone(targets), func(t Target) bool { return t.Spot.Area.Empty() })
	rest := slices.DeleteFunc(targets, func(t Target) bool { return !t.Spot.Area.Empty() })
	return append(shown, rest...)
}

// TapLines returns the text above a board to tap, without markup.
func TapLines(say *catalogue.Printer, p PanelState) []string {
	text := say.T("panel.turn", "Match", int64(p.View.Record.ID))
	if open := p.View.Match.Open(); len(open.Actions) > 0 {
		text += "\n" + say.T("panel.played", "Turn", TurnText(open.String()))
	}
	if p.View.Threatened() {
		text += "\n" + riskMark + " " + say.T("panel.threat", "Threat", threat(say, p.View))
	}
	return plainLines(text + "\n" + say.T("tap.prompt") + "\n" + say.Say(Named(p.View, p.View.Match.Position().Status())))
}

// ConfirmLines returns what is to be confirmed and why, without markup.
func ConfirmLines(say *catalogue.Printer, v *host.View, draft *host.Draft) []string {
	return plainLines(confirmText(say, v, draft))
}

// markup removes the markup of these texts.
var markup = strings.NewReplacer("**", "", "`", "", `\`, "")

func plainLines(text string) []string { return strings.Split(markup.Replace(text), "\n") }
