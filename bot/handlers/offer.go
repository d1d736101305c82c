package handlers

import (
	"context"
	"errors"
	"slices"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine/match"
	"castellan/storage"
)

func (h *Handlers) offerRoutes() []route {
	routes := slices.Concat(
		h.onMatch("draw", h.ownMatch, h.offerCommand(offers.Draw), ordinary), h.onMatch("time", h.ownMatch, h.offerCommand(offers.Time), ordinary),
		h.onMatch("abort", h.ownMatch, h.offerCommand(offers.Abort), ordinary),
	)
	return append(routes, []route{
		{component, "match/{match}/{seq}/offers", h.offersButton, ordinary, players},
		{component, "match/{match}/{seq}/offer/{kind}", h.offerButton, ordinary, players},
		{component, "match/{match}/{seq}/answer/{number}/{answer}", h.answerButton, ordinary, players},
	}...)
}

// offerCommand returns the handler of the command that makes a kind of offer. When it
// is the opponent's turn, /time asks whether to give them time.
func (h *Handlers) offerCommand(kind offers.Kind) matchHandler {
	return func(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
		if kind == offers.Time && v.Match.Seat() != v.SeatOf(r.Person.ID) && len(v.ActiveSeats()) == 2 {
			return h.askGiveTime(ctx, r, v.Record.ID)
		}
		return h.makeOffer(ctx, r, v, host.AnySeq, kind, false, interaction.Private)
	}
}

func (h *Handlers) askGiveTime(ctx context.Context, r *interaction.Request, id storage.MatchID) (interaction.Response, error) {
	v, err := h.Host.Match(ctx, id)
	if err == nil {
		err = v.CheckGiveTime(v.SeatOf(r.Person.ID))
	}
	if err != nil {
		return interaction.Response{}, &host.Refusal{Err: err, View: v}
	}
	return replacing(v, interaction.Private(message.AskGiveTime(r.Say, v, r.Person.ID))), nil
}

// offersButton handles Offer… by listing what the person can offer.
func (h *Handlers) offersButton(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return h.offersMenu(r, r.View), nil
}

func (h *Handlers) offersMenu(r *interaction.Request, v *host.View) interaction.Response {
	return replacing(v, interaction.Private(message.Offers(r.Say, v, r.Person.ID)))
}

func (h *Handlers) offerButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq := r.MatchAndSeq()
	kind := offers.Kind(r.Values["kind"])
	gives := kind == message.GiveTime
	if !gives && !slices.Contains(offers.Kinds(), kind) {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	return h.makeOffer(ctx, r, r.View, seq, kind, gives, interaction.Update)
}

func (h *Handlers) makeOffer(ctx context.Context, r *interaction.Request, v *host.View, seq int, kind offers.Kind, gives bool,
	respond func(discord.Message) interaction.Response,
) (interaction.Response, error) {
	if kind == offers.Abort && v.WouldAbort() && v.CheckPlaying(v.SeatOf(r.Person.ID)) == nil { // it would end at once
		return replacing(v, respond(message.AskResign(r.Say, v, r.Person.ID))), nil
	}
	var after *host.View
	var err error
	if gives {
		after, err = h.Host.GiveTime(ctx, r.Actor(), v.Record.ID, seq)
	} else if after, err = h.Host.MakeOffer(ctx, r.Actor(), v.Record.ID, seq, kind); errors.Is(err, host.ErrComputerAsked) {
		after, err = h.Computer.Draw(ctx, r.Actor(), v)
	}
	if err != nil {
		return interaction.Response{}, err
	}
	if m := after.Match; kind == offers.Takeback && m.Seat() == after.SeatOf(r.Person.ID) && (m.TookBack(m.Seq()) || m.TookBackByAgreement(m.Seq())) {
		return h.afterTakeback(ctx, r, after, respond)
	}
	return h.afterOffer(ctx, r, after, func(shown *host.View) interaction.Response {
		return respond(message.Offered(r.Say, shown, r.Person.ID))
	}), nil
}

var answered = map[offers.Answer]string{offers.Accept: "offer.accepted", offers.Decline: "offer.declined", offers.Withdraw: "offer.withdrawn"}

// answerButton handles the answers to an offer. Withdraw is on a private message,
// the others are on the board.
func (h *Handlers) answerButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	id, seq := r.MatchAndSeq()
	answer := offers.Answer(r.Values["answer"])
	key, ok := answered[answer]
	if !ok {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	v, err := h.Host.AnswerOffer(ctx, r.Actor(), id, seq, r.Number("number"), answer)
	// Withdraw is on a private message, which loses a button that cannot work again.
	if answer == offers.Withdraw && (errors.Is(err, offers.ErrLapsed) || errors.Is(err, match.ErrOver)) {
		why, _ := h.Explain(r, err)
		return interaction.UpdateText(why), nil
	}
	if err != nil {
		return interaction.Response{}, err
	}
	respond := interaction.PrivateText
	if answer == offers.Withdraw {
		respond = interaction.UpdateText
	}
	return h.afterOffer(ctx, r, v, func(shown *host.View) interaction.Response {
		return respond(r.Say.T(key, "Link", message.BoardLink(r.Say, shown)) + planDropped(r, shown))
	}), nil
}

func (h *Handlers) afterOffer(ctx context.Context, r *interaction.Request, v *host.View, respond func(*host.View) interaction.Response) interaction.Response {
	r.Acknowledge() // it counts; the board is posted next
	shown, err := h.Publisher.Show(ctx, v)
	if err != nil {
		return naming(r, v, interaction.PrivateText(h.notShown(r, v.Record.Place, err, "offer.kept")))
	}
	return naming(r, v, respond(shown))
}
