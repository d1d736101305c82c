package bot

import (
	"context"
	"fmt"
	"time"

	"castellan/bot/catalogue"
	"castellan/bot/discord"
	"castellan/bot/host"
	"castellan/engine"
	"castellan/engine/match"
)

// onClaim is /claim: it asks first.
func (b *Bot) onClaim(ctx context.Context, r *Request) (Response, error) {
	v, err := b.findToClaim(ctx, r)
	if err != nil {
		return Response{}, err
	}
	return askToClaim(r, v)
}

// onClaimButton is the button Claim of a board.
func (b *Bot) onClaimButton(ctx context.Context, r *Request) (Response, error) {
	id, seq, err := r.moment()
	if err != nil {
		return Response{}, err
	}
	v, err := b.host.Match(ctx, id)
	if err != nil {
		return Response{}, err
	}
	if v.Match.PublicSeq() > seq {
		return Response{}, &host.Refusal{Err: host.ErrStale, View: v}
	}
	return askToClaim(r, v)
}

// findToClaim is the match that a person means: the one they name, the only
// one of this channel that they could claim, or the only one that they play
// here.
func (b *Bot) findToClaim(ctx context.Context, r *Request) (*host.View, error) {
	if v, err := b.named(ctx, r); v != nil || err != nil {
		return v, err
	}
	here, err := b.runningHere(ctx, r)
	if err != nil {
		return nil, err
	}
	var can []*host.View
	for _, v := range here {
		if v.MayClaim(r.Person.ID) == nil {
			can = append(can, v)
		}
	}
	switch len(can) {
	case 0:
		return b.findOwn(ctx, r)
	case 1:
		return can[0], nil
	}
	return nil, &severalError{can}
}

// askToClaim says what a claim would do, with a button that does it.
func askToClaim(r *Request, v *host.View) (Response, error) {
	if err := v.MayClaim(r.Person.ID); err != nil {
		return Response{}, &host.Refusal{Err: err, View: v}
	}
	ask, yes := "claim.ask", "claim.yes"
	switch {
	case v.CallsOff():
		ask, yes = "claim.off", "abort.yes"
	case len(v.Playing()) > 2:
		ask, yes = "claim.out", "claim.remove"
	}
	silent := escape(v.Person(v.Match.Seat()).Name)
	return Private(discord.Message{Components: []discord.Component{
		discord.TextDisplay{Content: r.Say.T(ask, "Who", silent, "Since", relative(v.Since()), "Match", escape(matchInWords(r, v)))},
		discord.ActionRow{Buttons: []discord.Button{
			{Style: discord.Danger, Label: r.Say.T(yes), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "claimed")},
			{Style: discord.Secondary, Label: r.Say.T("claim.wait"), CustomID: matchID(v.Record.ID, v.Match.PublicSeq(), "wait")},
		}},
	}}), nil
}

// onClaimConfirmed is the answer yes.
func (b *Bot) onClaimConfirmed(ctx context.Context, r *Request) (Response, error) {
	return b.leave(ctx, r, b.host.Claim, parting{kept: "claim.kept", done: "claim.done", out: "claim.removed"})
}

// onWait is the answer no.
func (b *Bot) onWait(_ context.Context, r *Request) (Response, error) {
	if _, _, err := r.match(); err != nil {
		return Response{}, err
	}
	return Update(textMessage(r.Say.T("claim.waited"))), nil
}

// claimable reports whether a match as it stood in m can be claimed.
func claimable(v *host.View, m *match.Match) bool {
	return m.Seat() != engine.Nobody && m.PublicSeq() == v.Match.PublicSeq() && v.Claimable()
}

// claimLine says on a board that the match can be claimed; empty where it
// cannot be.
func claimLine(say *catalogue.Printer, v *host.View, m *match.Match) string {
	if !claimable(v, m) {
		return ""
	}
	return "\n" + say.T("board.silent", "Who", escape(v.Person(m.Seat()).Name))
}

// claimRow is the button for those who wait; a row of its own, for the one to
// move may need a whole row.
func claimRow(say *catalogue.Printer, v *host.View, m *match.Match) []discord.Component {
	if !claimable(v, m) {
		return nil
	}
	return []discord.Component{discord.ActionRow{Buttons: []discord.Button{
		{Style: discord.Danger, Label: say.T("board.claim"), CustomID: matchID(v.Record.ID, m.Seq(), "claim")},
	}}}
}

// relative is a time as Discord counts it down, and up, where it is read.
func relative(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// exact is a time with its date, in the time zone of whoever reads it.
func exact(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }
