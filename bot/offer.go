package bot

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/bot/host/offers"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/engine/match"
)

// offerCommand returns the handler of the command that makes a kind of offer.
// /time gives the opponent time when it is their turn.
func (h *handlers) offerCommand(kind offers.Kind) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		v, err := h.ownMatch(ctx, r)
		if err != nil {
			return interaction.Response{}, err
		}
		gives := kind == offers.Time && v.Match.Seat() != v.SeatOf(r.Person.ID) && len(v.ActiveSeats()) == 2
		return h.makeOffer(ctx, r, v, host.AnySeq, kind, gives, interaction.Private)
	}
}

// offersButton handles Offer… by listing what the person can offer.
func (h *handlers) offersButton(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return about(r.View, interaction.Private(message.Offers(r.Say, r.View, r.Person.ID))), nil
}

// offerButton handles a button of that list.
func (h *handlers) offerButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	_, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	kind := offers.Kind(r.Values["kind"])
	gives := kind == message.GiveTime
	if !gives && !slices.Contains(offers.Kinds(), kind) {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	return h.makeOffer(ctx, r, r.View, seq, kind, gives, interaction.Update)
}

// makeOffer makes an offer, or gives the player to move time.
func (h *handlers) makeOffer(ctx context.Context, r *interaction.Request, v *host.View, seq int, kind offers.Kind, gives bool,
	respond func(discord.Message) interaction.Response,
) (interaction.Response, error) {
	var after *host.View
	var err error
	if gives {
		after, err = h.host.GiveTime(ctx, r.Actor(), v.Record.ID, seq)
	} else if after, err = h.host.MakeOffer(ctx, r.Actor(), v.Record.ID, seq, kind); errors.Is(err, host.ErrComputerAsked) {
		after, err = h.computer.Draw(ctx, r.Actor(), v)
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

// answered holds the key of the response to each answer.
var answered = map[offers.Answer]string{offers.Accept: "offer.accepted", offers.Decline: "offer.declined", offers.Withdraw: "offer.withdrawn"}

// answerButton handles the answers to an offer. Withdraw is on a private message,
// the others are on the board.
func (h *handlers) answerButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	id, seq, err := r.MatchAndSeq()
	if err != nil {
		return interaction.Response{}, err
	}
	number, err := strconv.Atoi(r.Values["number"])
	answer := offers.Answer(r.Values["answer"])
	key, ok := answered[answer]
	if err != nil || !ok {
		return interaction.Response{}, interaction.ErrBadCustomID
	}
	v, err := h.host.AnswerOffer(ctx, r.Actor(), id, seq, number, answer)
	// Withdraw is on a private message, which loses a button that cannot work again.
	if answer == offers.Withdraw && (errors.Is(err, offers.ErrLapsed) || errors.Is(err, match.ErrOver)) {
		why, _ := h.explain(r, err)
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

// afterOffer shows the board after an offer has been made or answered, and responds.
func (h *handlers) afterOffer(ctx context.Context, r *interaction.Request, v *host.View, respond func(*host.View) interaction.Response) interaction.Response {
	r.Acknowledge() // it counts; the board is posted next
	shown, err := h.publisher.Show(ctx, v)
	if err != nil {
		return about(v, interaction.PrivateText(h.notShown(r, v.Record.Place, err, "offer.kept")))
	}
	return about(v, respond(shown))
}
