package interaction

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/bwmarrin/discordgo"
)

// Interactions for which there is no room, and those that the bot does not
// know, are reported too.
func TestObserveNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, none)
		modal := k.Of(anna, discordgo.InteractionModalSubmit)
		modal.Data = discordgo.ModalSubmitInteractionData{CustomID: "x"}
		k.serve(modal)
		k.replyBusy(t.Context(), k.request(Component), "error.busy")
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
