package sandbox_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

// deny denies the bot permissions in the yard.
func (r *rig) deny(permissions int64) {
	r.t.Helper()
	check(r.t, r.box.Deny(yard, r.box.ApplicationID(), permissions))
}

func TestMissingPermissions(t *testing.T) {
	embed := body{"content": "x", "embeds": list{body{"title": "x"}}}
	reply := func(id string) body { return body{"content": "x", "message_reference": body{"message_id": id}} }
	for _, tt := range []struct {
		name   string
		denied int64
		do     func(r *rig, id string) answer
		status int
		code   int
	}{
		{"see: create", sandbox.PermissionViewChannel, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 403, 50001},
		{"see: edit", sandbox.PermissionViewChannel, func(r *rig, id string) answer { return r.patch(r.channel()+"/"+id, body{"content": "y"}) }, 403, 50001},
		{"see: delete", sandbox.PermissionViewChannel, func(r *rig, id string) answer { return r.send(10, "DELETE", r.channel()+"/"+id, nil) }, 403, 50001},
		{"see: read", sandbox.PermissionViewChannel, func(r *rig, id string) answer { return r.get(r.channel() + "/" + id) }, 403, 50001},
		{"see: list", sandbox.PermissionViewChannel, func(r *rig, _ string) answer { return r.get(r.channel()) }, 403, 50001},
		{"see: channel", sandbox.PermissionViewChannel, func(r *rig, _ string) answer { return r.get("/channels/" + yard) }, 403, 50001},
		{"send: create", sandbox.PermissionSendMessages, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 403, 50013},
		{"send: edit", sandbox.PermissionSendMessages, func(r *rig, id string) answer { return r.patch(r.channel()+"/"+id, body{"content": "y"}) }, 200, 0},
		{"attach: create", sandbox.PermissionAttachFiles, func(r *rig, _ string) answer {
			return r.post(r.channel(), body{"content": "x"}, upload{"files[0]", "a.png", picture(r.t, 2, 2)})
		}, 403, 50013},
		{"attach: create without files", sandbox.PermissionAttachFiles, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 200, 0},
		{"embed: create", sandbox.PermissionEmbedLinks, func(r *rig, _ string) answer { return r.post(r.channel(), embed) }, 403, 50013},
		{"embed: create without embeds", sandbox.PermissionEmbedLinks, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 200, 0},
		{"history: read", sandbox.PermissionReadHistory, func(r *rig, id string) answer { return r.get(r.channel() + "/" + id) }, 403, 50013},
		{"history: reply", sandbox.PermissionReadHistory, func(r *rig, id string) answer { return r.post(r.channel(), reply(id)) }, 400, 160002},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			id := r.say(body{"content": "before"})
			r.deny(tt.denied)
			if got := tt.do(r, id); tt.code == 0 {
				got.ok(tt.status)
			} else {
				got.fails(tt.status, tt.code)
			}
			// Other channels deny nothing, and an overwrite can be removed.
			r.post("/channels/"+hall+"/messages", embed).ok(http.StatusOK)
			r.deny(0)
			if a := tt.do(r, id); a.status >= 300 {
				t.Errorf("status %d once nothing is denied: %s", a.status, a.raw)
			}
		})
	}
	r := newRig(t)
	r.say(body{"content": "x"})
	r.deny(sandbox.PermissionReadHistory)
	a := r.get(r.channel())
	if a.ok(http.StatusOK); len(parseList(t, a)) != 0 {
		t.Errorf("history without the permission to read it: %s", a.raw)
	}
}

func TestInteractionsNeedNoPermissions(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x", "components": list{button("b")}})
	r.deny(sandbox.PermissionViewChannel | sandbox.PermissionSendMessages | sandbox.PermissionAttachFiles)
	update := r.gw.event("CHANNEL_UPDATE")
	if text(t, update, "permission_overwrites", 0, "id") != r.box.ApplicationID() || text(t, update, "permission_overwrites", 0, "deny") != strconv.Itoa(1<<10|1<<11|1<<15) {
		t.Errorf("overwrites: %v", update["permission_overwrites"])
	}
	in := r.play()
	if got, want := text(t, in.data, "app_permissions"), strconv.Itoa((sandbox.DefaultPermissions|sandbox.DefaultBotPermissions)&^(1<<10|1<<11|1<<15)); got != want {
		t.Errorf("app_permissions %s, want %s", got, want)
	}
	r.post(in.callback(), content("x"), upload{"files[0]", "a.png", picture(t, 2, 2)}).ok(http.StatusNoContent)
	r.post(r.webhook(in), body{"content": "y"}).ok(http.StatusOK)
	click := r.click(ben, id, "b")
	r.post(click.callback(), body{"type": 7, "data": body{"content": "z"}}).ok(http.StatusNoContent)
	// The bot gets no messages of a channel that it cannot see.
	r.gw = r.identify(1<<9 | 1<<15)
	must(r.box.As(anna).Say(yard, "secret"))
	r.gw.quiet()
}

func TestDenyPeople(t *testing.T) {
	r := newRig(t)
	r.register()
	id := r.say(body{"content": "x", "components": list{button("b")}})
	deny := func(user string, permissions int64) {
		t.Helper()
		check(t, r.box.Deny(yard, user, permissions))
		r.gw.event("CHANNEL_UPDATE")
	}
	deny(ben, sandbox.PermissionSendMessages)
	if _, err := r.box.As(ben).Say(yard, "x"); err == nil {
		t.Error("Ben wrote without the permission")
	}
	r.click(ben, id, "b")
	deny(ben, sandbox.PermissionUseCommands)
	if _, err := r.box.As(ben).Command(yard, "play"); err == nil {
		t.Error("Ben used a command without the permission")
	}
	deny(ben, sandbox.PermissionViewChannel)
	if _, err := r.box.As(ben).Click(yard, id, "b"); err == nil {
		t.Error("Ben clicked in a channel that they cannot see")
	}
	deny(anna, sandbox.PermissionViewChannel) // overwrites do not apply to owners
	in := r.play()
	if got := text(t, in.data, "member", "permissions"); got != strconv.Itoa(1<<53-1) {
		t.Errorf("the owner's permissions: %s", got)
	}
	if err := r.box.Deny(nobody, ben, 1); err == nil || !strings.Contains(err.Error(), "no channel") {
		t.Errorf("%v", err)
	}
	if err := r.box.Deny(yard, nobody, 1); err == nil || !strings.Contains(err.Error(), "no user") {
		t.Errorf("%v", err)
	}
}

func TestRemoveChannel(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x", "components": list{button("b")}})
	file := text(t, r.post(r.channel(), body{"content": "x"}, upload{"files[0]", "a.png", picture(t, 2, 2)}).ok(http.StatusOK), "attachments", 0, "id")
	waiting := r.play()
	thinking := r.play()
	r.post(thinking.callback(), body{"type": 5}).ok(http.StatusNoContent)
	check(t, r.box.RemoveChannel(yard))
	if got := r.gw.event("CHANNEL_DELETE"); got["id"] != yard || got["guild_id"] != keep || got["type"] != 0.0 {
		t.Errorf("event %v", got)
	}
	for _, a := range []answer{
		r.get("/channels/" + yard), r.get(r.channel()), r.post(r.channel(), body{"content": "x"}),
		r.patch(r.channel()+"/"+id, body{"content": "x"}), r.post(waiting.callback(), content("x")),
	} {
		a.fails(http.StatusNotFound, 10003)
	}
	r.post(r.webhook(thinking), body{"content": "x"}).fails(http.StatusNotFound, 10003)
	r.patch(r.webhook(thinking)+"/messages/@original", body{"content": "x"}).fails(http.StatusNotFound, 10008)
	if n := len(r.box.Interactions(sandbox.StateDeferred)); n != 0 {
		t.Errorf("%d are still thinking in a channel that is gone", n)
	}
	if _, ok := r.box.Attachment(file); ok {
		t.Error("its files are still there")
	}
	if _, err := r.box.As(anna).Click(yard, id, "b"); err == nil {
		t.Error("a button of it works")
	}
	if _, err := r.box.As(anna).Command(yard, "play"); err == nil {
		t.Error("a command works in it")
	}
	if err := r.box.RemoveChannel(yard); err == nil {
		t.Error("removed twice")
	}
	if n := len(r.identifyGuild()["channels"].(list)); n != 2 {
		t.Errorf("%d channels for who comes later", n)
	}
	r.post("/channels/"+hall+"/messages", body{"content": "x"}).ok(http.StatusOK)
}

// identifyGuild identifies on a new connection and returns the guild.
func (r *rig) identifyGuild() body {
	r.t.Helper()
	g := r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}})
	g.event("READY")
	return g.event("GUILD_CREATE")
}

func TestRemoveAndAddBot(t *testing.T) {
	r := newRig(t)
	r.register()
	id := r.say(body{"content": "x", "components": list{button("b")}})
	before := r.play()
	check(t, r.box.RemoveBot())
	if got := r.gw.event("GUILD_DELETE"); fmt.Sprint(got) != fmt.Sprint(body{"id": keep}) {
		t.Errorf("event %v", got)
	}
	for _, a := range []answer{
		r.get("/channels/" + yard), r.get(r.channel()), r.post(r.channel(), body{"content": "x"}), r.patch(r.channel()+"/"+id, body{"content": "x"}),
		r.get("/applications/" + r.box.ApplicationID() + "/guilds/" + keep + "/commands"),
	} {
		a.fails(http.StatusForbidden, 50001)
	}
	r.get("/users/@me").ok(http.StatusOK)
	r.get("/applications/" + r.box.ApplicationID() + "/commands").ok(http.StatusOK)
	r.post(before.callback(), content("still in time")).ok(http.StatusNoContent)
	if n := len(r.box.As(anna).Commands()); n != 0 {
		t.Errorf("%d commands are still offered", n)
	}
	if _, err := r.box.As(anna).Command(yard, "play"); err == nil || !strings.Contains(err.Error(), "not in this server") {
		t.Errorf("command: %v", err)
	}
	if _, err := r.box.As(anna).Click(yard, id, "b"); err == nil || !strings.Contains(err.Error(), "not in this server") {
		t.Errorf("click: %v", err)
	}
	other := r.hello()
	other.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}})
	if guilds := other.event("READY")["guilds"].(list); len(guilds) != 0 {
		t.Errorf("guilds in READY: %v", guilds)
	}
	other.quiet()
	if err := r.box.RemoveBot(); err == nil {
		t.Error("removed twice")
	}

	check(t, r.box.AddBot())
	if got := r.gw.event("GUILD_CREATE"); got["id"] != keep || got["unavailable"] != false || len(got["channels"].(list)) != 3 {
		t.Errorf("event %v", got)
	}
	other.event("GUILD_CREATE")
	r.post(r.channel(), body{"content": "x"}).ok(http.StatusOK)
	r.play()
	if err := r.box.AddBot(); err == nil {
		t.Error("added twice")
	}
}

func TestUpdateRemovedMessage(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x", "components": list{button("b")}})
	update, answered := r.click(ben, id, "b"), r.click(ben, id, "b")
	check(t, r.box.Remove(yard, id))
	r.post(update.callback(), body{"type": 7, "data": body{"content": "y"}}).fails(http.StatusNotFound, 10008)
	r.post(update.callback(), body{"type": 6}).ok(http.StatusNoContent) // another response is possible after an invalid one
	r.post(answered.callback(), content("y")).ok(http.StatusNoContent)
}
