package message

import (
	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// What the message in which people prepare turns shares with the panel.

// PrepareID returns a custom ID of the components with which people prepare turns.
func PrepareID(v *host.View, rest string) string {
	return matchID(v.Record.ID, v.Match.PublicSeq(), "prepare") + rest
}

// prepareButton returns the button with which players prepare turns.
func prepareButton(say *catalogue.Printer, v *host.View) discord.Button {
	return discord.Button{Style: discord.Secondary, Label: say.T("prepare.button"), CustomID: PrepareID(v, "")}
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

// Choices returns the parts of a panel that show what can be chosen next: rows of
// choices, the buttons that end or pass the turn, and what the choices do.
func Choices(say *catalogue.Printer, p PanelState) (rows []discord.Component, ends []discord.Button, does []string) {
	if !p.Unknown {
		does = effects(say, p)
	}
	return pickerRows(say, p), formalities(say, p), does
}

// PictureMessage returns a message of the picture of a match as it stood in m, with
// a text and rows of components.
func PictureMessage(v *host.View, m *match.Match, picture discord.File, text string, rows ...discord.Component) discord.Message {
	return pictureMessage(accent(v, m), picture, text, rows...)
}

// SeatName returns a seat's symbol and its player's name within markdown.
func SeatName(v *host.View, seat engine.Seat) string {
	return mark(v, seat) + "\u00a0" + discord.Escape(v.Person(seat).Name)
}
