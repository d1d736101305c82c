package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

func TestMessageLimits(t *testing.T) {
	r := newRig(t)
	r.post(r.channel(), body{}).fails(http.StatusBadRequest, 50006)
	r.post(r.channel(), body{"content": "  \n "}).fails(http.StatusBadRequest, 50006)
	r.post(r.channel(), body{"content": strings.Repeat("é", 2000)}).ok(http.StatusOK)
	r.post(r.channel(), body{"content": strings.Repeat("é", 2001)}).invalid("content", "BASE_TYPE_MAX_LENGTH")
	r.post(r.channel(), body{"content": list{}}).invalid("content", "STRING_TYPE_CONVERT")
	r.post(r.channel(), body{"content": "x", "flags": "many"}).invalid("flags", "NUMBER_TYPE_COERCE")
	r.post(r.channel(), body{"content": "x", "nonce": strings.Repeat("n", 26)}).invalid("nonce", "BASE_TYPE_MAX_LENGTH")
	r.post(r.channel(), "{").fails(http.StatusBadRequest, 50109)
	r.post(r.channel(), "{} {}").fails(http.StatusBadRequest, 50109)
	r.post(r.channel(), "[]").invalid("", "DICT_TYPE_CONVERT")
}

func TestEmbedLimits(t *testing.T) {
	r := newRig(t)
	embeds := func(e ...any) answer { return r.post(r.channel(), body{"embeds": e}) }
	got := embeds(body{"title": "T", "color": 255, "fields": list{body{"name": "n", "value": "v"}}}).ok(http.StatusOK)
	if dig(t, got, "embeds", 0, "type") != "rich" || dig(t, got, "embeds", 0, "fields", 0, "inline") != false {
		t.Errorf("got %v", got["embeds"])
	}
	embeds(body{"title": strings.Repeat("x", 257)}).invalid("embeds.0.title", "BASE_TYPE_MAX_LENGTH")
	embeds(body{"color": 1 << 24}).invalid("embeds.0.color", "NUMBER_TYPE_MAX")
	embeds(body{"timestamp": "yesterday"}).invalid("embeds.0.timestamp", "DATE_TIME_TYPE_PARSE")
	embeds(body{"description": strings.Repeat("x", 4000)}, body{"description": strings.Repeat("x", 2001)}).invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED")
}

func TestUnknownResources(t *testing.T) {
	r := newRig(t)
	r.post("/channels/"+nobody+"/messages", body{"content": "x"}).fails(http.StatusNotFound, 10003)
	r.get("/channels/"+nobody).fails(http.StatusNotFound, 10003)
	r.get(r.channel()+"/"+nobody).fails(http.StatusNotFound, 10008)
	r.patch(r.channel()+"/"+nobody, body{"content": "x"}).fails(http.StatusNotFound, 10008)
	r.get("/channels/abc").invalid("channel_id", "NUMBER_TYPE_COERCE")
	if got := r.get("/nothing").fails(http.StatusNotFound, 0); got["message"] != "404: Not Found" {
		t.Errorf("got %v", got)
	}
	if got := r.send(10, http.MethodPut, r.channel(), nil).fails(http.StatusMethodNotAllowed, 0); got["message"] != "405: Method Not Allowed" {
		t.Errorf("got %v", got)
	}
	r.send(6, http.MethodGet, "/gateway", nil).fails(http.StatusNotFound, 0)
}

func TestUnauthorized(t *testing.T) {
	r := newRig(t)
	for _, auth := range []string{"", "Bot wrong", r.box.Token()} {
		req := must(http.NewRequest(http.MethodGet, r.srv.URL+"/api/v9/users/@me", nil))
		req.Header.Set("Authorization", auth)
		if got := r.do(req).fails(http.StatusUnauthorized, 0); got["message"] != "401: Unauthorized" {
			t.Errorf("got %v", got)
		}
	}
	if got := r.get("/users/@me").ok(http.StatusOK); got["id"] != r.box.ApplicationID() || got["bot"] != true {
		t.Errorf("got %v", got)
	}
	if got := r.get("/applications/@me").ok(http.StatusOK); got["id"] != r.box.ApplicationID() {
		t.Errorf("got %v", got)
	}
}

func TestEditAndDeleteMessages(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "before", "components": list{button("b")}})
	got := r.patch(r.channel()+"/"+id, body{"content": "after"}).ok(http.StatusOK)
	if got["content"] != "after" || got["edited_timestamp"] == nil || len(got["components"].(list)) != 1 {
		t.Errorf("what is not sent stays: %v", got)
	}
	r.patch(r.channel()+"/"+id, body{"content": nil, "components": list{}}).fails(http.StatusBadRequest, 50006)
	r.send(10, http.MethodDelete, r.channel()+"/"+id, nil).ok(http.StatusNoContent)
	r.get(r.channel()+"/"+id).fails(http.StatusNotFound, 10008)

	m := must(r.box.As(anna).Say(yard, "mine"))
	r.patch(r.channel()+"/"+m.ID, body{"content": "yours"}).fails(http.StatusForbidden, 50005)
	r.send(10, http.MethodDelete, r.channel()+"/"+m.ID, nil).fails(http.StatusForbidden, 50013)
}

func TestListMessages(t *testing.T) {
	r := newRig(t)
	var ids []string
	for i := range 5 {
		ids = append(ids, r.say(body{"content": fmt.Sprint(i)}))
	}
	for query, want := range map[string]string{
		"":                               "4 3 2 1 0",
		"?limit=2":                       "4 3",
		"?before=" + ids[2]:              "1 0",
		"?before=" + ids[3] + "&limit=1": "2",
		"?after=" + ids[2]:               "4 3",
		"?after=" + ids[0] + "&limit=2":  "2 1",
	} {
		var got []string
		a := r.get(r.channel() + query)
		a.ok(http.StatusOK)
		for _, m := range parseList(t, a) {
			got = append(got, text(t, m, "content"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	r.get(r.channel()+"?limit=101").fails(http.StatusBadRequest, 50035)
	if got := r.get("/channels/" + yard).ok(http.StatusOK); got["last_message_id"] != ids[4] || got["type"] != 0.0 || got["guild_id"] != keep {
		t.Errorf("channel: %v", got)
	}
}

func TestEnforceNonce(t *testing.T) {
	r := newRig(t)
	post := func(what body) string { return r.say(what) }
	first := post(body{"content": "turn 3", "nonce": "m7-3", "enforce_nonce": true})
	if again := post(body{"content": "turn 3 again", "nonce": "m7-3", "enforce_nonce": true}); again != first {
		t.Error("the same nonce made a second message")
	}
	if n := len(r.box.As(anna).Messages(yard)); n != 1 {
		t.Errorf("%d messages", n)
	}
	if got := r.box.As(anna).Messages(yard)[0]; got.Content != "turn 3" || string(got.Nonce) != `"m7-3"` {
		t.Errorf("got %+v", got)
	}
	if other := post(body{"content": "turn 4", "nonce": "m7-4", "enforce_nonce": true}); other == first {
		t.Error("another nonce made no message")
	}
	if unasked := post(body{"content": "x", "nonce": "m7-4"}); unasked == first {
		t.Error("not enforced, and yet it was")
	}
	r.clock.advance(6 * time.Minute)
	if later := post(body{"content": "turn 3", "nonce": "m7-3", "enforce_nonce": true}); later == first {
		t.Error("a nonce is remembered for a few minutes only")
	}
}

// TestWaitPolls checks that Wait calls its condition again without a change.
func TestWaitPolls(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	asked := 0
	if err := r.box.Wait(ctx, func() bool { asked++; return asked == 3 }); err != nil {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

func TestDescribedBodies(t *testing.T) {
	r := newRig(t)
	for _, good := range []body{
		{"content": "x", "tts": nil, "unknown": 1}, {"content": 7}, {"content": "x", "allowed_mentions": body{"users": list{1120000000000000011}}},
	} {
		r.post(r.channel(), good).ok(http.StatusOK)
	}
	for _, bad := range []struct {
		what       body
		path, code string
	}{
		{body{"content": body{}}, "content", "STRING_TYPE_CONVERT"},
		{body{"content": "x", "tts": "yes"}, "tts", "BOOLEAN_TYPE_CONVERT"},
		{body{"content": "x", "flags": "few"}, "flags", "NUMBER_TYPE_COERCE"},
		{body{"content": "x", "embeds": 1}, "embeds", "LIST_TYPE_CONVERT"},
		{body{"content": "x", "embeds": list{1}}, "embeds.0", "DICT_TYPE_CONVERT"},
		{body{"content": "x", "sticker_ids": list{"1", "2", "3", "4"}}, "sticker_ids", "BASE_TYPE_MAX_LENGTH"},
		{body{"poll": body{"question": body{"text": "?"}}}, "poll.answers", "BASE_TYPE_REQUIRED"},
	} {
		r.post(r.channel(), bad.what).invalid(bad.path, bad.code)
	}
	r.get(r.channel()+"?limit=101").invalid("limit", "NUMBER_TYPE_MAX")
	r.get(r.channel()+"?limit=0").invalid("limit", "NUMBER_TYPE_MIN")
	r.get(r.channel()+"?limit=many").invalid("limit", "NUMBER_TYPE_COERCE")
	r.get(r.channel()+"?before=x").invalid("before", "NUMBER_TYPE_COERCE")
}

func TestUnbuiltOperations(t *testing.T) {
	log := &bytes.Buffer{}
	r := bareRig(t, sandbox.Options{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	for path, want := range map[string]string{
		"GET /guilds/" + keep + "/bans": "list_guild_bans",
		"GET /applications/" + r.box.ApplicationID() + "/guilds/" + keep + "/commands/permissions": "list_guild_application_command_permissions",
		"GET /invites/abc": "invite_resolve",
		"POST /lobbies":    "create_lobby",
	} {
		log.Reset()
		method, p, _ := strings.Cut(path, " ")
		got := r.send(10, method, p, nil).fails(http.StatusBadRequest, 999001)
		if m := text(t, got, "message"); !strings.Contains(m, "Not built here") || !strings.Contains(m, want) {
			t.Errorf("%s: %v", path, got)
		}
		if line := log.String(); strings.Count(line, "\n") != 1 || !strings.Contains(line, want) || !strings.Contains(line, "Go-http-client") {
			t.Errorf("%s: the log says %q", path, line)
		}
	}
	// Routes that Discord does not have either are not found.
	log.Reset()
	r.get("/nothing").ok(http.StatusNotFound)
	if line := log.String(); !strings.Contains(line, "Discord has no such route") || !strings.Contains(line, "/nothing") {
		t.Errorf("the log says %q", line)
	}
	// Discord does not say which permission is missing.
	log.Reset()
	r.deny(api.PermissionSendMessages)
	r.post(r.channel(), body{"content": "x"}).fails(http.StatusForbidden, 50013)
	if line := log.String(); !strings.Contains(line, "missing=SEND_MESSAGES") {
		t.Errorf("the log says %q", line)
	}
	r.get("/users/@me/").ok(http.StatusNotFound)
}

func TestReactions(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(1 << 10) // guild reactions
	message := r.channel() + "/" + r.say(body{"content": "x"})
	id := message[strings.LastIndex(message, "/")+1:]
	const fire, heart = "%F0%9F%94%A5", "%E2%9D%A4%EF%B8%8F"
	react := func(emoji string) answer { return r.put(message + "/reactions/" + emoji + "/@me") }
	react(fire).ok(http.StatusNoContent)
	if e := r.gw.event("MESSAGE_REACTION_ADD"); dig(t, e, "emoji", "name") != "🔥" || e["user_id"] != r.box.ApplicationID() || e["message_id"] != id || e["guild_id"] != keep || dig(t, e, "member", "user", "id") != e["user_id"] {
		t.Errorf("%v", e)
	}
	react(fire).ok(http.StatusNoContent) // no second event
	check(t, r.box.As(ben).React(yard, id, "🔥"))
	r.gw.event("MESSAGE_REACTION_ADD")
	got := r.get(message).ok(http.StatusOK)
	if dig(t, got, "reactions", 0, "count") != 2.0 || dig(t, got, "reactions", 0, "me") != true || dig(t, got, "reactions", 0).(body)["users"] != nil {
		t.Errorf("%v", got["reactions"])
	}
	check(t, r.box.As(ben).React(yard, id, "🔥")) // takes it back
	if e := r.gw.event("MESSAGE_REACTION_REMOVE"); e["user_id"] != ben || e["member"] != nil {
		t.Errorf("%v", e)
	}
	// A new emoji needs Add Reactions.
	r.deny(api.PermissionAddReactions)
	react(heart).fails(http.StatusForbidden, 50013)
	for _, unknown := range []string{"x", "custom:1150000000000000001"} {
		react(unknown).fails(http.StatusBadRequest, 10014)
	}
	for i := range 19 {
		check(t, r.box.As(ben).React(yard, id, string(rune(0x1F600+i))))
	}
	if err := r.box.As(ben).React(yard, id, "🔔"); err == nil || !strings.Contains(err.Error(), "30010") {
		t.Errorf("%v", err)
	}
}
