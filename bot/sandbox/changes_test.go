package sandbox_test

import (
	"net/http"
	"strconv"
	"testing"

	"castellan/bot/sandbox/api"
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
		{"see: create", api.PermissionViewChannel, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 403, 50001},
		{"see: edit", api.PermissionViewChannel, func(r *rig, id string) answer { return r.patch(r.channel()+"/"+id, body{"content": "y"}) }, 403, 50001},
		{"see: delete", api.PermissionViewChannel, func(r *rig, id string) answer { return r.send(10, "DELETE", r.channel()+"/"+id, nil) }, 403, 50001},
		{"see: read", api.PermissionViewChannel, func(r *rig, id string) answer { return r.get(r.channel() + "/" + id) }, 403, 50001},
		{"see: list", api.PermissionViewChannel, func(r *rig, _ string) answer { return r.get(r.channel()) }, 403, 50001},
		{"see: channel", api.PermissionViewChannel, func(r *rig, _ string) answer { return r.get("/channels/" + yard) }, 403, 50001},
		{"send: create", api.PermissionSendMessages, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 403, 50013},
		{"send: edit", api.PermissionSendMessages, func(r *rig, id string) answer { return r.patch(r.channel()+"/"+id, body{"content": "y"}) }, 200, 0},
		{"attach: create", api.PermissionAttachFiles, func(r *rig, _ string) answer {
			return r.post(r.channel(), body{"content": "x"}, upload{"files[0]", "a.png", picture(r.t, 2, 2)})
		}, 403, 50013},
		{"attach: create without files", api.PermissionAttachFiles, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 200, 0},
		{"embed: create", api.PermissionEmbedLinks, func(r *rig, _ string) answer { return r.post(r.channel(), embed) }, 403, 50013},
		{"embed: create without embeds", api.PermissionEmbedLinks, func(r *rig, _ string) answer { return r.post(r.channel(), body{"content": "x"}) }, 200, 0},
		{"history: read", api.PermissionReadHistory, func(r *rig, id string) answer { return r.get(r.channel() + "/" + id) }, 403, 50013},
		{"history: reply", api.PermissionReadHistory, func(r *rig, id string) answer { return r.post(r.channel(), reply(id)) }, 400, 160002},
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
	r.deny(api.PermissionReadHistory)
	a := r.get(r.channel())
	if a.ok(http.StatusOK); len(parseList(t, a)) != 0 {
		t.Errorf("history without the permission to read it: %s", a.raw)
	}
}

func TestInteractionsNeedNoPermissions(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x", "components": list{button("b")}})
	r.deny(api.PermissionViewChannel | api.PermissionSendMessages | api.PermissionAttachFiles)
	update := r.gw.event("CHANNEL_UPDATE")
	if text(t, update, "permission_overwrites", 0, "id") != r.box.ApplicationID() || text(t, update, "permission_overwrites", 0, "deny") != strconv.Itoa(1<<10|1<<11|1<<15) {
		t.Errorf("overwrites: %v", update["permission_overwrites"])
	}
	in := r.play()
	if got, want := text(t, in.data, "app_permissions"), strconv.Itoa((api.DefaultPermissions|api.DefaultBotPermissions)&^(1<<10|1<<11|1<<15)); got != want {
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

func TestUpdateRemovedMessage(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x", "components": list{button("b")}})
	update, answered := r.click(ben, id, "b"), r.click(ben, id, "b")
	check(t, r.box.Remove(yard, id))
	r.post(update.callback(), body{"type": 7, "data": body{"content": "y"}}).fails(http.StatusNotFound, 10008)
	r.post(update.callback(), body{"type": 6}).ok(http.StatusNoContent) // another response is possible after an invalid one
	r.post(answered.callback(), content("y")).ok(http.StatusNoContent)
}
