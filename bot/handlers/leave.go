package handlers

import (
	"context"

	"castellan/bot/host"
	"castellan/bot/interaction"
	"castellan/bot/message"
	"castellan/storage"
)

func (h *Handlers) leavingRoutes() []route {
	return append(append(h.onMatch("resign", h.ownMatch, h.askResign, leaving), h.onMatch("claim", h.matchToClaim, h.askClaim, leaving)...), []route{
		{component, "match/{match}/{seq}/resign", h.leaveMatch(h.Host.Resign, "resign.kept", "resign.done", "retire.done"), leaving, checked},
		{component, "match/{match}/{seq}/leave", h.resignButton, leaving, players},
		{component, "match/{match}/{seq}/stay", calledOff("resign.stayed"), leaving, anyone},
		{component, "match/{match}/{seq}/claim", h.about(h.namedMatch, h.claimButton), leaving, checked},
		{component, "match/{match}/{seq}/claimed", h.leaveMatch(h.Host.Claim, "claim.kept", "claim.done", "claim.removed"), leaving, checked},
		{component, "match/{match}/{seq}/wait", calledOff("claim.waited"), leaving, anyone},
	}...)
}

func (h *Handlers) askResign(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if err := v.CheckPlaying(v.SeatOf(r.Person.ID)); err != nil {
		return interaction.Response{}, h.refuse(ctx, v, err)
	}
	return interaction.Private(message.AskResign(r.Say, v, r.Person.ID)), nil
}

// resignButton handles Resign among the offers.
func (h *Handlers) resignButton(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	if err := r.View.CheckPlaying(r.View.SeatOf(r.Person.ID)); err != nil {
		return interaction.Response{}, h.refuse(ctx, r.View, err)
	}
	return interaction.Update(message.AskResign(r.Say, r.View, r.Person.ID)), nil
}

func (h *Handlers) askClaim(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if err := v.CheckClaim(r.Person.ID); err != nil {
		return interaction.Response{}, h.refuse(ctx, v, err)
	}
	return interaction.Private(message.AskClaim(r.Say, v, r.Person.ID)), nil
}

func (h *Handlers) claimButton(ctx context.Context, r *interaction.Request, v *host.View) (interaction.Response, error) {
	if v.Match.PublicSeq() > r.Number("seq") {
		return interaction.Response{}, &host.Refusal{Err: host.ErrStale, View: v}
	}
	return h.askClaim(ctx, r, v)
}

// refuse returns a refusal with the match and its boards, to which the
// explanation links.
func (h *Handlers) refuse(ctx context.Context, v *host.View, err error) error {
	if full, readErr := h.Host.Match(ctx, v.Record.ID); readErr == nil {
		v = full
	}
	return &host.Refusal{Err: err, View: v}
}

func calledOff(key string) interaction.Handler {
	return func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		return interaction.UpdateText(r.Say.T(key)), nil
	}
}

// leaveMatch returns the handler of the button that confirms a resignation or a claim.
// kept, over and playsOn are the keys of the response: if the board could not be
// posted, if the match is over, and if the others play on.
func (h *Handlers) leaveMatch(do func(context.Context, host.Actor, storage.MatchID, int) (*host.View, error), kept, over, playsOn string) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		id, seq := r.MatchAndSeq()
		v, err := do(ctx, r.Actor(), id, seq)
		if err != nil {
			return interaction.Response{}, err
		}
		shown, err := h.Publisher.Show(ctx, v)
		if err != nil {
			return interaction.UpdateText(h.notShown(r, v.Record.Place, err, kept)), nil
		}
		return interaction.UpdateText(message.Left(r.Say, shown, over, playsOn)), nil
	}
}
