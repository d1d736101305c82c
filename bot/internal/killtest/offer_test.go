package killtest_test

import (
	"fmt"
	"slices"
	"time"

	"castellan/bot/bottest"
	"castellan/bot/host/offers"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/engine"
)

// negotiate returns an attempt to make an offer in the match, or to answer the one
// that stands; nil if nobody does.
func (t *table) negotiate() *attempt {
	o, open := t.offers.Open()
	switch dice := t.r.IntN(12); {
	case !open && dice < 3:
		return t.makeOffer()
	case open && dice < 4:
		return t.accept(o)
	case open && dice < 6:
		o.State = offers.Declined
		by := t.asked(o)
		return t.answerOffer(o, by[t.r.IntN(len(by))], offers.Decline)
	case open && dice < 7:
		o.State = offers.Withdrawn
		return t.answerOffer(o, o.Seat, offers.Withdraw)
	}
	return nil
}

func (t *table) playing() (seats []engine.Seat) {
	for i := range t.order {
		if seat := engine.Seat(i + 1); t.model.Playing(seat) {
			seats = append(seats, seat)
		}
	}
	return seats
}

// asked returns the seats whose answer to an offer is missing.
func (t *table) asked(o offers.Offer) []engine.Seat {
	return slices.DeleteFunc(t.playing(), o.Agreed)
}

// makeOffer has a random seat make an offer that others have to answer; nil if no
// seat can.
func (t *table) makeOffer() *attempt {
	var possible []offers.Offer
	seats := t.playing()
	for _, seat := range seats {
		for _, kind := range offers.Kinds() {
			// What was prepared would hold again after a takeback.
			alone := kind == offers.Abort && t.model.CanAbort() && len(seats) == 2
			if kind != offers.Takeback && !alone && t.offers.Check(t.model, seat, kind, false) == nil {
				possible = append(possible, offers.Offer{Kind: kind, Seat: seat})
			}
		}
	}
	if len(possible) == 0 {
		return nil
	}
	one := possible[t.r.IntN(len(possible))]
	after, o := t.offers.Add(one.Kind, one.Seat, offers.Open)
	who := t.e.chat.As(t.order[o.Seat-1])
	return &attempt{by: who.ID(), offers: &after, asks: t.asked(o), repeat: true, send: func() (sandbox.Interaction, error) {
		return who.Command(t.channel, string(o.Kind), sandbox.Opt("match", int(t.match)))
	}}
}

// accept has a seat accept an offer, which takes effect if it is the last to agree.
func (t *table) accept(o offers.Offer) *attempt {
	seats := t.asked(o)
	seat := seats[t.r.IntN(len(seats))]
	if len(seats) > 1 {
		return t.answerOffer(o.Agree(seat), seat, offers.Accept)
	}
	entries, err := o.Entries(t.model, seat, min(24*time.Hour, t.model.Settings().Clock.Bank), moment)
	if err != nil {
		return nil // no more time can be given
	}
	o.State = offers.Accepted
	a := t.answerOffer(o, seat, offers.Accept)
	if a == nil {
		return nil
	}
	a.entries = entries
	if o.Kind != offers.Time {
		a.offers = nil // it has lapsed with what it has changed
	}
	return a
}

// answerOffer has a seat press a button that answers an offer; o is the offer
// afterwards.
func (t *table) answerOffer(o offers.Offer, seat engine.Seat, answer offers.Answer) *attempt {
	who := t.e.chat.As(t.order[seat-1])
	part, after := answerID(t, o, answer), t.offers.Replace(o)
	a := &attempt{by: who.ID(), offers: &after, repeat: true}
	if o.State != offers.Open {
		a.settles = o.State
	}
	if answer != offers.Withdraw {
		message, custom := t.onBoard(part)
		a.send = click(who, t.channel, message, custom)
		return a
	}
	for _, m := range who.Messages(t.channel) {
		if custom := bottest.Find(m, part); custom != "" {
			a.send = click(who, t.channel, m.ID, custom)
			return a
		}
	}
	return nil // a later private message has replaced the one with the button
}

// lapsed counts the offers that events have overtaken.
const lapsed offers.State = "lapsed"

// apply records what an attempt that counts has changed in the match.
func (t *table) apply(a *attempt) {
	_, open := t.offers.Open()
	if len(a.entries) > 0 {
		t.addEntries(a.entries)
	}
	if seq := t.model.PublicSeq(); seq != t.offers.Seq {
		if t.offers = (offers.List{Seq: seq}); open && a.settles == "" {
			a.settles = lapsed
		}
	}
	if a.offers != nil {
		t.offers = *a.offers
	}
	for _, seat := range a.asks {
		t.due[notice{keyOf(t.model), t.order[seat-1]}]++
	}
	t.e.count(func(f *figures) {
		if f.offersMade += len(a.asks); a.settles != "" {
			f.offers[a.settles]++
		}
	})
}

// wrongButtons returns how the buttons of the board differ from the offer that
// stands, or "".
func (t *table) wrongButtons(board api.Message) string {
	want := ""
	if o, open := t.offers.Open(); open {
		want = answerID(t, o, offers.Accept)
	}
	if got := bottest.Find(board, "/answer/"); got != want {
		return fmt.Sprintf("match %d: the button that accepts an offer is %q, not %q", t.match, got, want)
	}
	return ""
}

// answerID returns the custom ID of the button that answers an offer.
func answerID(t *table, o offers.Offer, answer offers.Answer) string {
	return fmt.Sprintf("match/%d/%d/answer/%d/%s", t.match, t.model.PublicSeq(), o.Number, answer)
}
