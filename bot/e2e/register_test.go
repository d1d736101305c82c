package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// registrations returns the requests that have changed commands, by path
// without the version.
func (w *world) registrations() (paths []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.sent {
		if x.Method != http.MethodGet && strings.Contains(x.Path, "/commands") {
			_, path, _ := strings.Cut(x.Path, "/applications/")
			paths = append(paths, x.Method+" "+path)
		}
	}
	return paths
}

// overwriteCommands registers other commands than the bot's.
func (w *world) overwriteCommands(body string) {
	w.t.Helper()
	w.asBot(http.MethodPut, "/applications/"+w.chat.ApplicationID()+"/commands", body)
}

func TestRegistrationOnChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := sandbox.DefaultWorld().Application.ID
	want := []string{"PUT " + app + "/commands"}
	check := func(when string) {
		t.Helper()
		if got := w.registrations(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check("at the first start")
	w.restart()
	check("at the second start")
	w.stopBot()
	w.overwriteCommands(`[{"name":"challenge","type":1,"description":"Another bot’s"}]`)
	w.startBot()
	want = append(want, want[0], want[0]) // theirs, then ours
	check("after a change")
	w.restart()
	check("after it was put right")
	w.challenge() // and they work
}

// TestRegistrationRetry checks that a transient failure does not end the bot,
// and that a refusal ends it with Discord's reason.
func TestRegistrationRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	commands := "/applications/{application_id}/commands"
	for name, f := range map[string]sandbox.Fault{
		"500":     {Kind: sandbox.FaultError, Status: 500},
		"502":     {Kind: sandbox.FaultProxy, After: true},
		"cut":     {Kind: sandbox.FaultCut},
		"limited": {Kind: sandbox.FaultRateLimit, RetryAfter: time.Millisecond, Count: 3},
	} {
		w.stopBot()
		w.overwriteCommands(`[{"name":"challenge","type":1,"description":"Another bot’s"}]`)
		f.Method, f.Route = "PUT", commands
		planned := w.chat.MustPlan(f)
		w.startBot()
		if planned.Hits() == 0 || len(w.anna.Commands()) < 2 {
			t.Errorf("%s: met %d times, %d commands", name, planned.Hits(), len(w.anna.Commands()))
		}
	}
	w.stopBot()
	w.overwriteCommands(`[]`)
	w.chat.FailNext("PUT", commands, 403, 50001, "Missing Access")
	if err := w.tryStart(); err == nil || !strings.Contains(err.Error(), "Missing Access") {
		t.Errorf("a registration that is refused: %v", err)
	}
}

func TestRegistrationInGuilds(t *testing.T) {
	t.Parallel()
	all := sandbox.DefaultWorld()
	w := newWorld(t)
	global := w.registrations()
	w.stopBot()
	w.guilds = []string{all.Guild.ID}
	w.startBot()
	w.restart()
	want := append(global, "PUT "+all.Application.ID+"/guilds/"+all.Guild.ID+"/commands")
	if got := w.registrations(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEntryPointCommand registers the commands of an application that has an
// Entry Point command, which Discord does not let anybody leave out.
func TestEntryPointCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(all *sandbox.World) { all.Application.EntryPoint = true })
	w.restart()
	app := sandbox.DefaultWorld().Application.ID
	if got, want := w.registrations(), []string{"PUT " + app + "/commands"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.stopBot()
	w.overwriteCommands(`[{"name":"challenge","type":1,"description":"Another bot’s"},{"name":"launch","type":4,"description":"Launch","handler":2}]`)
	w.startBot()
	w.challenge()
	type command struct {
		Type, Handler     int
		Name, Description string
	}
	var listed []command
	must(t, json.Unmarshal(w.asBot("GET", "/applications/"+app+"/commands", ""), &listed))
	kept := slices.IndexFunc(listed, func(c command) bool { return c.Type == 4 })
	if want := (command{4, 2, "launch", "Launch"}); kept < 0 || listed[kept] != want {
		t.Errorf("the Entry Point command was not kept: %+v", listed)
	}
}

// TestInviteLink checks that the invite asks for the permissions to see a
// channel, to post pictures there and in threads, to make threads, and to find
// its own posts again (1<<10, 1<<11, 1<<15, 1<<16, 1<<20, 1<<35, 1<<38), and for no
// others.
func TestInviteLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := url.Parse(w.bot.Invite())
	must(t, err)
	q := link.Query()
	if link.Path != "/oauth2/authorize" || q.Get("client_id") != sandbox.DefaultWorld().Application.ID ||
		q.Get("scope") != "bot applications.commands" || q.Get("permissions") != "309238795264" || len(q) != 3 {
		t.Errorf("%s", link)
	}
}

// TestInvitePermissions plays a match with nothing but the permissions of the
// invite.
func TestInvitePermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	link, err := url.Parse(w.bot.Invite())
	must(t, err)
	asked, err := strconv.ParseInt(link.Query().Get("permissions"), 10, 64)
	must(t, err)
	for _, c := range sandbox.DefaultWorld().Channels {
		must(t, w.chat.Deny(c.ID, w.chat.ApplicationID(), (1<<53-1)&^asked))
	}
	w.challenge()
	w.click(w.anna, "Right")
	w.move(w.ben, "left")
	w.answered(w.chloe.Command(w.channel, "board"))
	if w.board().ID == "" {
		t.Error("there is no board")
	}
}
