package sandbox_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"castellan/bot/sandbox"
)

func TestGatewayURL(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	want := "ws" + strings.TrimPrefix(r.srv.URL, "http") + "/gateway/"
	if got := r.get("/gateway").ok(http.StatusOK); got["url"] != want {
		t.Errorf("url %v, want %v", got["url"], want)
	}
	got := r.get("/gateway/bot").ok(http.StatusOK)
	if got["url"] != want || got["shards"] != 1.0 || dig(t, got, "session_start_limit", "max_concurrency") != 1.0 {
		t.Errorf("gateway/bot: %v", got)
	}
	req, _ := http.NewRequest(http.MethodGet, r.srv.URL+"/api/v10/gateway/bot", nil)
	r.do(req).fails(http.StatusUnauthorized, 0)
}

func TestIdentify(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": 1 | 1<<1, "properties": body{}})
	ready := g.event("READY")
	if text(t, ready, "session_id") == "" || !strings.HasPrefix(text(t, ready, "resume_gateway_url"), "ws://") {
		t.Errorf("READY cannot be resumed: %v", ready)
	}
	if text(t, ready, "user", "id") != r.box.ApplicationID() || text(t, ready, "application", "id") != r.box.ApplicationID() {
		t.Errorf("READY is for another bot: %v", ready)
	}
	if text(t, ready, "guilds", 0, "id") != keep || dig(t, ready, "guilds", 0, "unavailable") != true {
		t.Errorf("guilds in READY: %v", ready["guilds"])
	}
	guild := g.event("GUILD_CREATE")
	if n := len(guild["channels"].(list)); n != 3 || text(t, guild, "channels", 0, "name") != "castle-yard" {
		t.Errorf("%d channels: %v", n, guild["channels"])
	}
	if n := len(guild["members"].(list)); n != 6 {
		t.Errorf("%d members with the members intent, want 5 people and the bot", n)
	}
	if !slices.Equal(g.seqs, []float64{1, 2}) {
		t.Errorf("sequence %v", g.seqs)
	}
}

func TestIntents(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	none, guilds := r.identify(0), r.hello()
	guilds.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}})
	guilds.event("READY")
	if members := guilds.event("GUILD_CREATE")["members"].(list); len(members) != 1 || text(t, members, 0, "user", "id") != r.box.ApplicationID() {
		t.Errorf("members without the members intent: %v", members)
	}
	messages, contents := r.identify(1<<9), r.identify(1<<9|1<<15)
	must(r.box.As(anna).Say(yard, "hello"))
	if m := messages.event("MESSAGE_CREATE"); m["content"] != "" || text(t, m, "guild_id") != keep {
		t.Errorf("without the content intent: %v", m)
	}
	if m := contents.event("MESSAGE_CREATE"); m["content"] != "hello" {
		t.Errorf("with the content intent: %v", m["content"])
	}
	must(r.box.As(anna).Say(yard, "hello <@"+r.box.ApplicationID()+">"))
	if m := messages.event("MESSAGE_CREATE"); !strings.HasPrefix(text(t, m, "content"), "hello") {
		t.Errorf("a message that mentions the bot: %v", m["content"])
	}
	// The other sessions got no messages: the next event is an interaction,
	// which needs no intent.
	r.gw = none
	r.play()
	guilds.event("INTERACTION_CREATE")
}

func TestHeartbeat(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.hello()
	g.send(1, nil)
	if f := g.frame(); f["op"] != 11.0 {
		t.Errorf("got %v, want op 11", f)
	}
}

func TestHeartbeatTimeout(t *testing.T) {
	t.Parallel()
	r := bareRig(t, sandbox.Options{HeartbeatInterval: time.Millisecond})
	g := r.dial("v=10&encoding=json")
	g.frame()
	g.closed(4009)
}

func TestCloseCodes(t *testing.T) {
	identify := func(token string, intents any, more body) body {
		d := body{"token": token, "intents": intents, "properties": body{}}
		for k, v := range more {
			d[k] = v
		}
		return body{"op": 2, "d": d}
	}
	r := bareRig(t, sandbox.Options{})
	token := r.box.Token()
	tests := []struct {
		name  string
		query string
		send  []any
		code  int
	}{
		{"unknown opcode", "", []any{body{"op": 99, "d": nil}}, 4001},
		{"no JSON", "", []any{"{"}, 4002},
		{"not authenticated", "", []any{body{"op": 3, "d": body{}}}, 4003},
		{"bad token", "", []any{identify("Bot wrong", 1, nil)}, 4004},
		{"bad token on resume", "", []any{body{"op": 6, "d": body{"token": "wrong", "session_id": "x", "seq": 1}}}, 4004},
		{"identified twice", "", []any{identify(token, 1, nil), identify(token, 1, nil)}, 4005},
		{"too many frames", "", slices.Repeat([]any{body{"op": 1, "d": nil}}, 121), 4008},
		{"invalid shard", "", []any{identify(token, 1, body{"shard": []int{1, 1}})}, 4010},
		{"invalid version", "v=6&encoding=json", nil, 4012},
		{"invalid intents", "", []any{identify(token, 1<<40, nil)}, 4013},
		{"no intents", "", []any{identify(token, nil, nil)}, 4013},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d %s", tt.code, tt.name), func(t *testing.T) {
			q := tt.query
			if q == "" {
				q = "v=10&encoding=json"
			}
			g := r.dial(q)
			g.t = t
			for _, f := range tt.send {
				var err error
				if raw, ok := f.(string); ok {
					err = g.ws.WriteMessage(websocket.TextMessage, []byte(raw))
				} else {
					err = g.ws.WriteJSON(f)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			g.closed(tt.code)
		})
	}
}

func TestResume(t *testing.T) {
	r := newRig(t)
	r.register()
	first := r.play()
	g := r.gw
	r.box.Gateway.Drop()
	g.closed(4000)
	if r.box.Gateway.Online() {
		t.Error("still online")
	}
	var missed []string
	for range 3 {
		i := must(r.box.As(anna).Command(yard, "play"))
		missed = append(missed, i.ID)
	}
	next := r.hello()
	next.send(6, body{"token": r.box.Token(), "session_id": g.session, "seq": g.seq})
	for _, id := range missed {
		if got := text(t, next.event("INTERACTION_CREATE"), "id"); got != id {
			t.Errorf("replayed %s, want %s (the first was %s)", got, id, first.id)
		}
	}
	next.event("RESUMED")
	if !r.box.Gateway.Online() {
		t.Error("not online again")
	}
	if want := []float64{4, 5, 6, 7}; !slices.Equal(next.seqs, want) {
		t.Errorf("sequence %v, want %v", next.seqs, want)
	}
}

func TestResumeUnknownSession(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.hello()
	g.send(6, body{"token": r.box.Token(), "session_id": "nothing", "seq": 3})
	if f := g.frame(); f["op"] != 9.0 || f["d"] != false {
		t.Errorf("got %v, want op 9 false", f)
	}
	g.send(2, body{"token": r.box.Token(), "intents": 0, "properties": body{}})
	g.event("READY")
}

func TestResumeInvalidSeq(t *testing.T) {
	r := newRig(t)
	r.box.Gateway.Drop()
	g := r.hello()
	g.send(6, body{"token": r.box.Token(), "session_id": r.gw.session, "seq": 1000})
	g.closed(4007)
}

func TestNormalCloseEndsSession(t *testing.T) {
	r := newRig(t)
	check(t, r.gw.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")))
	r.gw.closed(websocket.CloseNormalClosure)
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	check(t, r.box.Wait(ctx, func() bool { return !r.box.Gateway.Online() }))
	g := r.hello()
	g.send(6, body{"token": r.box.Token(), "session_id": r.gw.session, "seq": r.gw.seq})
	if f := g.frame(); f["op"] != 9.0 {
		t.Errorf("got %v, want op 9", f)
	}
}
