package sandbox_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"castellan/bot/sandbox"
)

// TestWire tests what other libraries rely on: hikari, disnake and nextcord, which no
// client test runs.
func TestWire(t *testing.T) {
	r := newRig(t)
	t.Run("binary frames with JSON", func(t *testing.T) {
		g := r.hello()
		check(t, g.ws.WriteMessage(websocket.BinaryMessage, []byte(`{"op": 1, "d": null}`)))
		if f := g.frame(); f["op"] != 11.0 {
			t.Errorf("%v", f)
		}
		check(t, g.ws.WriteMessage(websocket.BinaryMessage, []byte{131, 100})) // ETF
		g.closed(4002)
	})
	t.Run("payloads of more than 4,096 bytes", func(t *testing.T) {
		g := r.hello()
		check(t, g.ws.WriteMessage(websocket.TextMessage, append([]byte(`{"op": 1, "d": null}`), bytes.Repeat([]byte(" "), 4096-20)...)))
		if f := g.frame(); f["op"] != 11.0 {
			t.Errorf("of 4,096 bytes: %v", f)
		}
		g.send(3, strings.Repeat("x", 4096))
		g.closed(4002)
	})
	t.Run("the bot's own user", func(t *testing.T) {
		if user := r.gw.ready["user"].(body); user["mfa_enabled"] != false || user["verified"] != true {
			t.Errorf("READY: %v", user)
		}
		if me := r.patch("/users/@me", body{"avatar": nil}).ok(http.StatusOK); me["username"] != "Castellan" {
			t.Errorf("without a name: %v", me)
		}
		for _, name := range []string{"everyone", "My Discord Bot", "a@b", "a:b", "```"} {
			r.patch("/users/@me", body{"username": name}).invalid("username", "USERNAME_INVALID_CONTAINS")
		}
		r.patch("/users/@me", body{"username": "Keeper"}).ok(http.StatusOK)
		if me := r.get("/users/@me").ok(http.StatusOK); me["username"] != "Keeper" {
			t.Errorf("renamed: %v", me)
		}
	})
	t.Run("callbacks", func(t *testing.T) {
		in := r.play()
		a := r.post(in.callback()+"?with_response=1", content("x"))
		a.ok(http.StatusOK)
		if kind := r.post(r.play().callback(), content("x")).header.Get("Content-Type"); kind != "" {
			t.Errorf("an empty answer is of type %s", kind)
		}
		if a.header.Get("X-RateLimit-Bucket") != "" || r.get("/users/@me").header.Get("X-RateLimit-Bucket") == "" {
			t.Errorf("buckets: %v", a.header)
		}
	})
	t.Run("a component's own message", func(t *testing.T) {
		id := r.say(body{"content": "before", "components": list{button("b")}})
		click := r.click(ben, id, "b")
		r.post(click.callback(), content("answered")).ok(http.StatusNoContent)
		if m := r.patch(r.webhook(click)+"/messages/"+id, body{"content": "after"}).ok(http.StatusOK); m["content"] != "after" {
			t.Errorf("%v", m)
		}
		r.send(10, "DELETE", r.webhook(click)+"/messages/"+id, nil).ok(http.StatusNoContent)
		r.get(r.channel()+"/"+id).fails(http.StatusNotFound, 10008)
	})
	t.Run("a forwarded message", func(t *testing.T) {
		id := r.say(body{"content": "to all"})
		reference := body{"type": 1, "channel_id": yard, "message_id": id}
		m := r.send(9, "POST", "/channels/"+hall+"/messages", body{"message_reference": reference}).ok(http.StatusOK)
		if m["content"] != "" || text(t, m, "message_snapshots", 0, "message", "content") != "to all" || dig(t, m, "message_reference", "type") != 1.0 {
			t.Errorf("%v", m)
		}
		r.post(r.channel(), body{"message_reference": reference, "content": "x"}).invalid("message_reference", "MESSAGE_FORWARD_CONTENT")
		r.post(r.channel(), body{"message_reference": body{"message_id": id}}).fails(http.StatusBadRequest, 50006)
	})
}

// TestRefusals tests what Discord refuses although its description allows it.
func TestRefusals(t *testing.T) {
	r := newRig(t)
	link := func(url string) body {
		return body{"components": list{body{"type": 1, "components": list{body{"type": 2, "style": 5, "label": "x", "url": url}}}}}
	}
	for _, tt := range []struct {
		path, code string
		sent       body
	}{
		{"embeds.0.description", "BASE_TYPE_REQUIRED", body{"embeds": list{body{}}}},
		{"embeds.0.title", "BASE_TYPE_REQUIRED", body{"embeds": list{body{"title": "  ", "description": "x"}}}},
		{"embeds.0.fields.0.name", "BASE_TYPE_REQUIRED", body{"embeds": list{body{"fields": list{body{"name": " ", "value": "x"}}}}}},
		{"components.0.components.0.emoji.id", "BUTTON_COMPONENT_INVALID_EMOJI", body{"components": list{row(press("a", body{"emoji": body{"name": "smile"}}))}}},
		{"components.0.components.0.emoji.id", "BUTTON_COMPONENT_INVALID_EMOJI", body{"components": list{row(press("a", body{"emoji": body{"id": "7", "name": "own"}}))}}},
		{"components.0.components.0.url", "URL_TYPE_INVALID_SCHEME", link("javascript:alert(1)")},
		{"poll", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", body{"flags": 1 << 15, "components": list{textDisplay("x")},
			"poll": body{"question": body{"text": "x"}, "answers": list{body{"poll_media": body{"text": "y"}}}}}},
	} {
		r.post(r.channel(), tt.sent).invalid(tt.path, tt.code)
	}
	r.say(link("discord://-/channels/@me"))
	r.say(body{"components": list{row(press("a", body{"emoji": body{"name": "⬅️"}}), press("b", body{"emoji": body{"name": "🏰"}}), press("c", body{"emoji": body{"name": "1️⃣"}}))}})

	w := oneGuild()
	w.Application.WithoutIntents = 1 << 15
	g := bareRig(t, sandbox.Options{World: w})
	refused := g.hello()
	refused.send(2, body{"token": g.box.Token(), "intents": 1 | 1<<15, "properties": body{}})
	refused.closed(4014)
}

func TestStrictRefusals(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, nil)
	presence := func() { r.gw.send(3, body{"since": nil, "activities": list{}, "status": "online", "afk": false}) }
	for range 5 {
		presence()
	}
	r.gw.send(1, nil)
	if f := r.gw.frame(); f["op"] != 11.0 {
		t.Fatalf("after five updates of the presence: %v", f)
	}
	presence()
	r.gw.closed(4008)

	names := func(from, n int) list {
		return repeat(n, func(i int) any {
			return body{"name": "c" + strings.Repeat("x", (from+i)/26) + string(rune('a'+(from+i)%26)), "description": "x"}
		})
	}
	r.commands("", names(0, 100)).ok(http.StatusOK)
	r.commands("", names(100, 100)).ok(http.StatusOK)
	r.commands("", names(100, 100)).ok(http.StatusOK) // nothing is new
	r.commands("", names(200, 1)).fails(http.StatusTooManyRequests, 30034)
	r.clock.advance(24 * time.Hour)
	r.commands("", names(200, 1)).ok(http.StatusOK)
}
