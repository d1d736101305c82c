package interaction

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/discordtest"
)

// The outcome of every interaction is reported once, with the time until
// Discord confirmed the first response.
func TestObserve(t *testing.T) {
	const took = 1200 * time.Millisecond
	fine := slowly(took, PrivateText("x"), nil)
	panics := func(context.Context, *Request) (Response, error) { time.Sleep(took); panic("handler") }
	serverError, acknowledged := discordtest.Answer{Status: 500, Body: `{}`}, discordtest.AlreadyAcknowledged
	confirmed := func(o Outcome) Served {
		return Served{Kind: Command, Outcome: o, Acknowledged: took, Confirmed: true}
	}
	without := func(o Outcome) Served { return Served{Kind: Command, Outcome: o} }
	for name, c := range map[string]struct {
		handler Handler
		plan    []discordtest.Answer
		want    Served
	}{
		"answered":             {fine, nil, confirmed(Answered)},
		"refused":              {slowly(took, Response{}, errRefused), nil, confirmed(Refused)},
		"failed":               {slowly(took, Response{}, errors.New("x")), nil, confirmed(Failed)},
		"panicked":             {panics, nil, confirmed(Failed)},
		"lost":                 {fine, []discordtest.Answer{serverError, serverError}, without(Lost)},
		"too late":             {fine, []discordtest.Answer{discordtest.UnknownInteraction}, without(Lost)},
		"answered the second":  {fine, []discordtest.Answer{serverError, acknowledged}, confirmed(Answered)},
		"answered by another":  {fine, []discordtest.Answer{acknowledged}, without(Repeated)},
		"refused, and lost":    {slowly(took, Response{}, errRefused), []discordtest.Answer{serverError, serverError}, without(Lost)},
		"deferred":             {slowly(time.Second*30, PrivateText("x"), nil), nil, Served{Command, Answered, deferAfter, true}},
		"deferred, then lost":  {slowly(time.Second*30, PrivateText("x"), nil), []discordtest.Answer{discordtest.NoContent, discordtest.Refusal(404, 10015)}, Served{Command, Lost, deferAfter, true}},
		"acknowledged at once": {func(ctx context.Context, r *Request) (Response, error) { r.Acknowledge(); return fine(ctx, r) }, nil, Served{Command, Answered, 0, true}},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := newKit(t, c.handler)
			k.Plan(c.plan...)
			k.serve(k.of(Command))
			if !slices.Equal(k.served, []Served{c.want}) {
				t.Errorf("%s: %+v, want %+v", name, k.served, c.want)
			}
		})
	}
}

// Interactions for which there is no room, and those that the bot does not
// know, are reported too.
func TestObserveNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, none)
		modal := k.Of(anna, discordgo.InteractionModalSubmit)
		modal.Data = discordgo.ModalSubmitInteractionData{CustomID: "x"}
		k.serve(modal)
		k.replyBusy(t.Context(), k.of(Component), "error.busy")
		k.admission.served, k.admission.busy = maxServed, maxBusy
		k.admission.queue = make([]*slot, maxQueued)
		k.Accept(t.Context(), k.of(Autocomplete))
		want := []Served{
			{Kind: UnknownKind, Outcome: Foreign},
			{Kind: Component, Outcome: Busy, Confirmed: true},
			{Kind: Autocomplete, Outcome: Dropped},
		}
		if !slices.Equal(k.served, want) {
			t.Errorf("%+v, want %+v", k.served, want)
		}
		if n := k.InProgress(); n != maxServed+maxBusy+maxQueued {
			t.Errorf("%d in progress", n)
		}
	})
}
