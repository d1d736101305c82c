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
	check(t, r.box.RemoveBotFrom(""))
	write().fails(http.StatusForbidden, 50278)
	if _, err := r.box.As(chloe).DirectMessages(); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("%v", err)
	}
	check(t, r.box.As(ben).Install())
	write().ok(http.StatusOK)
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
