package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

func dm(t *testing.T, p *sandbox.Person) string {
	t.Helper()
	id := must(p.DirectMessages())
	return id
}

func TestDirectMessages(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(1 | 1<<12)
	got := r.post("/users/@me/channels", body{"recipient_id": ben}).ok(http.StatusOK)
	id := text(t, got, "id")
	if got["type"] != 1.0 || dig(t, got, "recipients", 0, "id") != ben || len(got["recipients"].(list)) != 1 || got["guild_id"] != nil {
		t.Errorf("%v", got)
	}
	if again := r.post("/users/@me/channels", body{"recipient_id": ben}).ok(http.StatusOK); again["id"] != id || dm(t, r.box.As(ben)) != id {
		t.Errorf("another channel: %v", again)
	}
	m := r.post("/channels/"+id+"/messages", body{"content": "hello"}).ok(http.StatusOK)
	e := r.gw.event("MESSAGE_CREATE")
	if e["id"] != m["id"] || e["guild_id"] != nil || e["member"] != nil || e["channel_type"] != 1.0 {
		t.Errorf("%v", e)
	}
	if n := r.box.As(ben).Mentions(id); n != 1 { // without a mention
		t.Errorf("Ben was told %d times", n)
	}
	must(r.box.As(ben).Say(id, "hello back"))
	if e := r.gw.event("MESSAGE_CREATE"); e["content"] != "hello back" { // no content intent is needed
		t.Errorf("%v", e)
	}
	if _, err := r.box.As(chloe).Say(id, "x"); err == nil {
		t.Error("Chloé writes in Ben's direct messages")
	}
	r.delete("/channels/" + id).ok(http.StatusOK)
}

func TestDirectMessagesRefused(t *testing.T) {
	r := newRig(t)
	r.post("/users/@me/channels", body{}).invalid("recipient_id", "BASE_TYPE_REQUIRED")
	r.post("/users/@me/channels", body{"recipient_id": nobody}).fails(http.StatusBadRequest, 50033)
	r.post("/users/@me/channels", body{"recipient_id": r.box.ApplicationID()}).fails(http.StatusForbidden, 50007)
	id := dm(t, r.box.As(ben))
	write := func() answer { return r.post("/channels/"+id+"/messages", body{"content": "x"}) }
	check(t, r.box.As(ben).CloseMessages(true))
	write().fails(http.StatusForbidden, 50007)
	check(t, r.box.As(ben).CloseMessages(false))
	write().ok(http.StatusOK)
	// Without a shared guild the bot reaches only people who have installed it.
	check(t, r.box.RemoveBot())
	write().fails(http.StatusForbidden, 50278)
	if _, err := r.box.As(chloe).DirectMessages(); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("%v", err)
	}
	check(t, r.box.As(ben).Install())
	write().ok(http.StatusOK)
}

func TestInteractionInDirectMessages(t *testing.T) {
	r := newRig(t)
	r.register(body{"name": "play", "description": "Play"}, body{"name": "server", "description": "Only in servers", "contexts": list{0}}, body{"name": "old", "description": "Not in DMs", "dm_permission": false})
	id := dm(t, r.box.As(ben))
	names := []string{}
	for _, c := range r.box.As(ben).CommandsIn(id) {
		names = append(names, c.Name)
	}
	if strings.Join(names, " ") != "play" {
		t.Errorf("commands in direct messages: %v", names)
	}
	must(r.box.As(ben).Command(id, "play"))
	in := r.interaction()
	if in.data["member"] != nil || text(t, in.data, "user", "id") != ben || in.data["context"] != 1.0 || in.data["guild_id"] != nil || in.data["guild_locale"] != nil ||
		dig(t, in.data, "channel", "type") != 1.0 || text(t, in.data, "app_permissions") != "442368" || text(t, in.data, "authorizing_integration_owners", "0") != "0" {
		t.Errorf("%v", in.data)
	}
	r.post(in.callback(), body{"type": 4, "data": body{"content": "x", "components": list{button("b")}}}).ok(http.StatusNoContent)
	m := r.get(r.webhook(in) + "/messages/@original").ok(http.StatusOK)
	must(r.box.As(ben).Click(id, text(t, m, "id"), "b"))
	if in := r.interaction(); in.data["member"] != nil || text(t, in.data, "user", "id") != ben || in.data["context"] != 1.0 || text(t, in.data, "authorizing_integration_owners", "0") != "0" {
		t.Errorf("%v", in.data)
	}
}

// everywhere is a command for both installs and every context.
func everywhere() body {
	return body{"name": "play", "description": "Play", "integration_types": list{0, 1}, "contexts": list{0, 1, 2}}
}

func TestUserInstallInDirectMessages(t *testing.T) {
	r := newRig(t)
	r.register(everywhere(), body{"name": "guildonly", "description": "By the server's install", "integration_types": list{0}})
	id := must(r.box.As(ben).DirectMessagesWith(chloe))
	if _, err := r.box.As(ben).Command(id, "play"); err == nil {
		t.Error("a command without an install")
	}
	check(t, r.box.As(ben).Install())
	if _, err := r.box.As(ben).Command(id, "guildonly"); err == nil {
		t.Error("a command of the server's install in private")
	}
	if _, err := r.box.As(chloe).Command(id, "play"); err == nil {
		t.Error("Ben's install serves Chloé")
	}
	must(r.box.As(ben).Command(id, "play"))
	in := r.interaction()
	if in.data["context"] != 2.0 || text(t, in.data, "authorizing_integration_owners", "1") != ben || len(in.data["authorizing_integration_owners"].(body)) != 1 || text(t, in.data, "app_permissions") != "180224" {
		t.Errorf("%v", in.data)
	}
	r.post(in.callback(), body{"type": 4, "data": body{"content": "x", "components": list{button("b")}}}).ok(http.StatusNoContent)
	for range 5 {
		r.post(r.webhook(in), body{"content": "y"}).ok(http.StatusOK)
	}
	r.post(r.webhook(in), body{"content": "y"}).fails(http.StatusBadRequest, 40094)
	// Both see the responses and may click; the bot cannot send messages.
	seen := r.box.As(chloe).Messages(id)
	if len(seen) != 6 {
		t.Fatalf("Chloé sees %d messages", len(seen))
	}
	must(r.box.As(chloe).Click(id, seen[0].ID, "b"))
	click := r.interaction()
	if text(t, click.data, "user", "id") != chloe || text(t, click.data, "authorizing_integration_owners", "1") != ben {
		t.Errorf("%v", click.data)
	}
	r.post("/channels/"+id+"/messages", body{"content": "x"}).fails(http.StatusForbidden, 50001)
	r.get("/channels/"+id).fails(http.StatusForbidden, 50001)
}

func TestUserInstallInGuildWithoutBot(t *testing.T) {
	w := sandbox.DefaultWorld()
	w.Guilds[0].WithoutBot = true
	w.Users[1].Installed = true
	outpost, watchfire := w.Guilds[0].ID, w.Channels[3].ID
	r := bareRig(t, sandbox.Options{World: w})
	r.gw = r.identify(1)
	r.register(everywhere())
	ask := func() received {
		t.Helper()
		must(r.box.As(ben).Command(watchfire, "play"))
		return r.interaction()
	}
	in := ask()
	if in.data["context"] != 0.0 || in.data["guild_id"] != outpost || dig(t, in.data, "authorizing_integration_owners", "0") != nil || text(t, in.data, "authorizing_integration_owners", "1") != ben {
		t.Errorf("%v", in.data)
	}
	r.post(in.callback(), content("public")).ok(http.StatusNoContent)
	r.post("/channels/"+watchfire+"/messages", body{"content": "x"}).fails(http.StatusForbidden, 50001)
	if got := r.box.As(chloe).Messages(watchfire); len(got) != 1 {
		t.Errorf("Chloé sees %v", got)
	}
	// Ben owns the guild; Chloé may not use external apps publicly.
	check(t, r.box.As(chloe).Install())
	check(t, r.box.SetOverwrite(watchfire, sandbox.Overwrite{ID: outpost, Deny: sandbox.PermissionUseExternalApps}))
	must(r.box.As(chloe).Command(watchfire, "play"))
	in = r.interaction()
	r.post(in.callback(), content("private")).ok(http.StatusNoContent)
	m := r.get(r.webhook(in) + "/messages/@original").ok(http.StatusOK)
	if int(m["flags"].(float64))&64 == 0 || len(r.box.As(ben).Messages(watchfire)) != 1 {
		t.Errorf("an answer that is forced to be private: %v", m["flags"])
	}
}
