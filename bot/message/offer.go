package message

import (
	"fmt"
	"strings"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/engine"
	"castellan/engine/match"
)

// shownOffer returns the last offer on a board that shows the match as it stood in m.
func shownOffer(v *host.View, m *match.Match) (o offers.Offer, ok bool) {
	if m.Seat() == engine.Nobody || m.PublicSeq() != v.Match.PublicSeq() {
		return o, false
	}
	o, _ = v.Offers().Open()
	return o, o.Number > 0
}

// offerLine says on a board what a player offers, to those who have to answer, or
// that this was declined.
func offerLine(say *catalogue.Printer, v *host.View, m *match.Match) string {
	o, ok := shownOffer(v, m)
	if !ok {
		return ""
	}
	switch o.State {
	case offers.Declined:
		return "\n-# " + say.T("offer.refused."+string(o.Kind))
	case offers.Open:
		var asked []string
		for _, seat := range v.Asked(o) {
			asked = append(asked, markedPlayer(say, v, seat))
		}
		turn := ""
		if t, ok := v.Match.LastChoice(o.Seat); ok && o.Kind == offers.Takeback {
			turn = turnText(say, t)
		}
		return "\n" + say.T("offer.open."+string(o.Kind), "People", say.List(asked...), "Who", Name(say, v.Person(o.Seat)),
			"Turn", turn, "Time", timeText(say, v.MoreTime()))
	}
	return ""
}

func offerRow(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	o, ok := shownOffer(v, m)
	if !ok || o.State != offers.Open {
		return nil
	}
	return []discord.Component{discord.ActionRow{Buttons: []discord.Button{
		answerButton(say, v, o, offers.Accept, discord.Success), answerButton(say, v, o, offers.Decline, discord.Secondary),
	}}}
}

func answerButton(say *catalogue.Printer, v *host.View, o offers.Offer, answer offers.Answer, style discord.ButtonStyle) discord.Button {
	verb := fmt.Sprintf("answer/%d/%s", o.Number, answer)
	return discord.Button{Style: style, Label: say.T("offer.answer." + string(answer)), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), verb)}
}

func offersButton(say *catalogue.Printer, v *host.View) discord.Button {
	return discord.Button{Style: discord.Secondary, Label: say.T("offer.button"), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "offers")}
}

// GiveTime stands for giving the player to move time where custom IDs name a kind of
// offer.
const GiveTime = "give"

func offerButtons(say *catalogue.Printer, v *host.View, seat engine.Seat) (buttons []discord.Button) {
	add := func(kind string, err error) {
		if err == nil {
			buttons = append(buttons, discord.Button{
				Style: discord.Secondary, Label: say.T("offer.button." + kind), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "offer/"+kind),
			})
		}
	}
	_, decisive := v.Game.(engine.Decisive)
	for _, kind := range offers.Kinds() {
		if kind != offers.Draw || !decisive {
			add(string(kind), v.CheckOffer(seat, kind))
		}
	}
	if v.Timed() {
		add(GiveTime, v.CheckGiveTime(seat))
	}
	return buttons
}

// Offers shows what a person can offer in a match, the open offer that they have made,
// and the way out of the match.
func Offers(say *catalogue.Printer, v *host.View, person string) discord.Message {
	seat := v.SeatOf(person)
	buttons := offerButtons(say, v, seat)
	if o, ok := v.Offers().Open(); ok && o.Seat == seat {
		buttons = append(buttons, answerButton(say, v, o, offers.Withdraw, discord.Secondary))
	}
	if v.CheckPlaying(seat) == nil && !v.WouldAbort() { // or else it would be called off
		key := "resign.yes"
		if len(v.ActiveSeats()) > 2 {
			key = "retire.yes"
		}
		buttons = append(buttons, discord.Button{Style: discord.Danger, Label: say.T(key), CustomID: matchID(v.Record.ID, v.Match.Seq(), "leave")})
	}
	if len(buttons) == 0 {
		return discord.TextMessage(strings.TrimSpace(say.T("offer.none", "Link", BoardLink(say, v))))
	}
	return question(say.T("offer.menu", "Match", discord.Escape(MatchLine(say, v, person))), buttons...)
}

// Offered tells a person what became of an offer that they have made, or of time
// that they have given.
func Offered(say *catalogue.Printer, v *host.View, person string) discord.Message {
	link := BoardLink(say, v)
	o, open := v.Offers().Open()
	_, over := v.Match.Over()
	switch {
	case over:
		return discord.TextMessage(Left(say, v, "offer.drawn", ""))
	case open && o.Seat == v.SeatOf(person):
		return question(say.T("offer.made", "Link", link), answerButton(say, v, o, offers.Withdraw, discord.Secondary))
	case v.Match.Open().Given > 0:
		p, _ := v.ToMove()
		return discord.TextMessage(say.T("offer.given", "Who", Name(say, p), "Date", discord.DateTime(v.TimeoutAt()), "Link", link))
	}
	return discord.TextMessage(say.T("move.done", "Link", link))
}

func askedUsers(v *host.View, m *match.Match, number int) (people []string) {
	if o, ok := shownOffer(v, m); ok && o.State == offers.Open && o.Number == number {
		for _, seat := range v.Asked(o) {
			people = append(people, v.Person(seat).ID)
		}
	}
	return people
}
