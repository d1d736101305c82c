package interaction

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/discord/discordtest"
)

// The newest private message about a subject replaces the earlier one, while the
// token of that one lives. The public message that was clicked is never deleted.
func TestOnePrivateMessage(t *testing.T) {
	private, update := PrivateText("Your turn.").Replaces("match/1"), UpdateText("Played.").Replaces("match/1")
	for _, c := range []struct {
		name           string
		first, second  Response
		kind           Kind // of the second
		clicked        discordgo.MessageFlags
		between, delay time.Duration        // delay is that of both answers
		plan           []discordtest.Answer // of the second
		want           string
	}{
		{"a second command", private, private, Command, 0, 0, 0, nil, "callback 4, DELETE original"},
		{"a slow one", private, private, Command, 0, 0, 2 * deferAfter, nil, "callback 5, PATCH original, DELETE original"},
		{"another subject", private, PrivateText("Yours.").Replaces("match/2"), Command, 0, 0, 0, nil, "callback 4"},
		{"no subject", private, PrivateText("Help."), Command, 0, 0, 0, nil, "callback 4"},
		{"too late", private, private, Command, 0, 15 * time.Minute, 0, nil, "callback 4"},
		{"too late after a slow one", private, private, Command, 0, 13 * time.Minute, 40 * time.Second, nil, "callback 5, PATCH original"},
		{"dismissed", private, private, Command, 0, 0, 0, []discordtest.Answer{discordtest.NoContent, discordtest.UnknownInteraction}, "callback 4, DELETE original"},
		{"it did not arrive", private, private, Command, 0, 0, 0, []discordtest.Answer{discordtest.UnknownInteraction}, "callback 4"},
		{"a click in it", private, update, Component, discordgo.MessageFlagsEphemeral, 0, 0, nil, "callback 7"},
		{"a click in it, gone meanwhile", private, update, Component, discordgo.MessageFlagsEphemeral, 0, 0, []discordtest.Answer{discordtest.UnknownMessage}, "callback 7, callback 4"},
		{"a slow click in it, gone meanwhile", private, update, Component, discordgo.MessageFlagsEphemeral, 0, 2 * deferAfter, []discordtest.Answer{discordtest.NoContent, discordtest.UnknownMessage}, "callback 6, PATCH original, POST webhook"},
		{"a click on the board", private, update, Component, 0, 0, 0, nil, "callback 7, DELETE original"},
		{"after a click on the board", update, private, Command, 0, 0, 0, nil, "callback 4"},
	} {
		synctest.Test(t, func(t *testing.T) {
			responses := []Response{c.first, c.second}
			k := newKit(t, func(context.Context, *Request) (Response, error) {
				next := responses[0]
				responses = responses[1:]
				time.Sleep(c.delay)
				return next, nil
			})
			first := Command
			if c.first.form == messageUpdate {
				first = Component
			}
			k.serve(k.of(first))
			time.Sleep(c.between)
			k.Plan(c.plan...)
			i := k.of(c.kind)
			if i.Message != nil {
				i.Message.Flags = c.clicked
			}
			if got := discordtest.Summary(k.serve(i)); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
			if log := k.log.Take(); strings.Contains(log, "WARN") != (c.name == "it did not arrive") {
				t.Errorf("%s: %s", c.name, log)
			}
		})
	}
}
