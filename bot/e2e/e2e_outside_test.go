package e2e_test

import (
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

// last is the newest message that a person sees in a channel.
func (w *world) last(p *sandbox.Person, channel string) sandbox.Message {
	w.t.Helper()
	all := p.Messages(channel)
	if len(all) == 0 {
		w.t.Fatalf("%s sees nothing", p.ID())
	}
	return all[len(all)-1]
}

// In the bot's direct messages the matches of servers go on, and none between
// people begins.
func TestDirectMessagesWithTheBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	direct, err := w.anna.DirectMessages()
	must(t, err)
	says := func(want string, command string, options ...sandbox.CommandOption) {
		t.Helper()
		w.answered(w.anna.Command(direct, command, options...))
		if got := text(w.last(w.anna, direct)); !strings.Contains(got, want) {
			t.Errorf("/%s says %q, not %q", command, got, want)
		}
	}
	says("Against people matches are played in servers", "help")
	says("/oauth2/authorize?client_id=", "help")
	says("Use `/challenge` in a server that I am in", "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID)))
	says("no match in this channel", "move", sandbox.Opt("turn", "right"))

	w.challenge()
	says("**It is your turn elsewhere:**", "help")
	says("You played **right**", "move", sandbox.Opt("turn", "right"))
	says("Anna: **right**", "board")
	says("◆ Ben to move", "games")
	if got := w.ben.Mentions(w.channel); got != 2 { // the challenge and his turn
		t.Errorf("Ben was notified %d times", got)
	}
	w.answered(w.anna.Command(direct, "resign"))
	ask := w.last(w.anna, direct)
	w.answered(w.anna.Click(direct, ask.ID, w.press(ask, "Call it off")))
	says("Use `/challenge` in a server", "rematch")
	if _, over := w.view(1).Match.Over(); !over {
		t.Error("the match goes on")
	}
	if n := len(w.boards(w.ben)); n != 1 {
		t.Errorf("%d boards in the channel", n)
	}
}

// Who has installed the bot for themselves meets it where it is no member, and
// in private channels: it says why there is no board, and how to invite it.
func TestWhereTheBotCannotPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(t, w.anna.Install())
	outpost := sandbox.DefaultWorld().Guilds[0]
	must(t, w.chat.RemoveBotFrom(outpost.ID))
	camp := sandbox.DefaultWorld().Channels[3].ID
	private, err := w.anna.DirectMessagesWith(w.benID)
	must(t, err)
	for channel, want := range map[string]string{camp: "I am no member of this server", private: "here Discord lets me answer only you"} {
		for _, ask := range []func() (sandbox.Interaction, error){
			func() (sandbox.Interaction, error) {
				return w.anna.Command(channel, "challenge", sandbox.Sub("trails"))
			},
			func() (sandbox.Interaction, error) { return w.anna.Command(channel, "rematch") },
			func() (sandbox.Interaction, error) { return w.anna.CommandOnUser(channel, "Challenge", w.benID) },
		} {
			w.answered(ask())
			if m := w.last(w.anna, channel); !strings.Contains(text(m), want) || !strings.Contains(text(m), "[Invite me](") || m.Flags&sandbox.FlagEphemeral == 0 {
				t.Errorf("it says %q, not %q", text(m), want)
			}
		}
		if got := text(w.help(w.anna, channel)); got == "" {
			t.Error("there is no help")
		}
	}
	w.challenge() // and where it is a member all is well
	w.move(w.anna, "right")
}
