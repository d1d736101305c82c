package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/account"
	"castellan/bot/bottest"
	"castellan/bot/handlers"
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/storage"
)

// acts returns the audit log without times.
func (w *world) acts() (lines []string) {
	w.t.Helper()
	must(w.t, w.store.View(w.t.Context(), func(r storage.Reader) error {
		all, err := r.Acts("", time.Unix(0, 0))
		for _, a := range all {
			lines = append(lines, strings.Join(strings.Fields(strings.Join([]string{a.Operator, string(a.Kind), a.Target, a.Note}, " ")), " "))
		}
		return err
	}))
	return lines
}

// operatorWorld returns a world in which Anna operates the bot from the first guild, of
// which Ben is an administrator.
func operatorWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(all *sandbox.World) { all.Guild.Roles[0].Permissions |= api.PermissionAdministrator })
	w.stopBot()
	w.operators = handlers.Operators{Guild: sandbox.DefaultWorld().Guild.ID, People: []string{w.annaID}}
	w.startBot()
	return w
}

// TestOperators runs the bot by its command: a ban keeps a person or a guild out, also after
// a restart, until it is withdrawn; a notice stands on new boards; the bot leaves a guild.
func TestOperators(t *testing.T) {
	t.Parallel()
	w := operatorWorld(t)
	outpost, watchfire := sandbox.DefaultWorld().Guilds[0].ID, sandbox.DefaultWorld().Channels[3].ID
	operator := func(name string, options ...sandbox.CommandOption) api.Message {
		return w.command(w.anna, "operator", sandbox.Sub(name, options...))
	}
	user, server, reason := sandbox.Opt("user", w.benID), sandbox.Opt("server", outpost), sandbox.Opt("reason", "spam")

	wantText(t, operator("statistics"), "Servers: 2.", "0 running")
	w.challenge()
	offered := w.offer()
	wantText(t, operator("ban", user, reason), "can’t use this bot any more")
	w.wait("the end of his challenge", func() bool { return len(buttons(w.message(w.anna, offered.ID))) == 0 })
	wantText(t, w.command(w.anna, "challenge", sandbox.Sub("trails", sandbox.Opt("opponent", w.benID))), "error.unchallengeable")
	operator("ban", user, reason) // changes nothing
	w.move(w.anna, "right")
	w.stopBot()
	w.startBot()
	wantText(t, w.command(w.ben, "move", sandbox.Opt("turn", "left")), "error.banned")
	w.click(w.ben, "trails.step.left")
	wantText(t, w.private(w.ben), "error.banned")
	if seq := w.view(1).Match.Seq(); seq != 1 {
		t.Errorf("after the presses of a banned person the match has %d entries", seq)
	}
	if all, err := w.ben.Autocomplete(t.Context(), w.channel, "move", sandbox.Focused("turn", "")); len(all) > 0 || err != nil {
		t.Errorf("a banned person is suggested %v (%v)", all, err)
	}
	wantText(t, w.command(w.ben, "privacy"), "privacy.title", "organiser:** 1")
	wantText(t, operator("unban", user), "can use this bot")
	w.move(w.ben, "left")

	wantText(t, operator("ban", server), "can’t use this bot any more")
	w.answered(w.ben.Command(watchfire, "help"))
	wantText(t, w.last(w.ben, watchfire), "error.banned.server")
	w.answered(w.ben.Command(watchfire, "privacy"))
	wantText(t, w.last(w.ben, watchfire), "privacy.title")
	wantText(t, w.command(w.ben, "rules"), "page 1 of") // elsewhere
	operator("unban", server)

	wantText(t, operator("notice", sandbox.Opt("text", "Down on  Sunday")), "48 hours", "Down on Sunday")
	w.move(w.anna, "right")
	wantText(t, w.board(), "From the operators of this bot: Down on Sunday")
	w.pass(account.NoticeTime)
	w.move(w.ben, "left")
	if text := bottest.Text(w.board()); strings.Contains(text, "Sunday") {
		t.Errorf("a notice stays: %s", text)
	}
	wantText(t, operator("notice"), "operator.notice.none")

	w.mayRefuse(50001) // Discord itself answers with 10004
	wantText(t, operator("leave", server), "I’ve left")
	wantText(t, operator("leave", server), "error.operator.server")
	if _, err := w.ben.Command(watchfire, "rules"); err == nil {
		t.Error("the bot is still in the guild")
	}

	want := []string{"statistics", "ban " + w.benID + " spam", "unban " + w.benID, "ban " + outpost, "unban " + outpost, "notice Down on Sunday", "notice", "leave " + outpost, "leave " + outpost}
	for i := range want {
		want[i] = w.annaID + " " + want[i]
	}
	if got := w.acts(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The command is there for nobody else, and not elsewhere. What names no target, both or an
// operator does nothing.
func TestOperatorsOnly(t *testing.T) {
	t.Parallel()
	w := operatorWorld(t)
	home, watchfire := sandbox.DefaultWorld().Guild.ID, sandbox.DefaultWorld().Channels[3].ID
	shown := func(p *sandbox.Person, channel string) bool {
		return slices.ContainsFunc(p.CommandsIn(channel), func(c api.ApplicationCommand) bool { return c.Name == "operator" })
	}
	if !shown(w.anna, w.channel) || shown(w.chloe, w.channel) || shown(w.anna, watchfire) {
		t.Error("the command is shown to the wrong people")
	}
	ban := func(p *sandbox.Person, options ...sandbox.CommandOption) api.Message {
		return w.command(p, "operator", sandbox.Sub("ban", options...))
	}
	wantText(t, ban(w.ben, sandbox.Opt("user", w.annaID)), "error.operator")
	wantText(t, ban(w.anna, sandbox.Opt("user", w.annaID)), "error.operator.own")
	wantText(t, ban(w.anna, sandbox.Opt("server", home)), "error.operator.own")
	wantText(t, ban(w.anna), "error.operator.target")
	wantText(t, ban(w.anna, sandbox.Opt("server", "The Keep")), "error.operator.target")
	wantText(t, ban(w.anna, sandbox.Opt("server", home), sandbox.Opt("user", w.benID)), "error.operator.target")
	wantText(t, w.command(w.anna, "operator", sandbox.Sub("leave", sandbox.Opt("server", home))), "error.operator.own")
	if got := w.acts(); len(got) > 0 {
		t.Errorf("the log has %q", got)
	}
	// Without operators in the configuration, what is left of the command does nothing.
	w.stopBot()
	w.operators = handlers.Operators{}
	w.startBot()
	wantText(t, ban(w.anna, sandbox.Opt("user", w.benID)), "error.path")
}
