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
)

func TestMessageFields(t *testing.T) {
	r := newRig(t)
	got := r.post(r.channel(), body{"content": " hello \n"}).ok(http.StatusOK)
	// The required fields of MessageResponse and UserResponse in Discord's
	// OpenAPI description.
	for _, k := range strings.Fields(`type content mentions mention_roles attachments embeds timestamp edited_timestamp flags
		components id channel_id author pinned mention_everyone tts`) {
		if _, ok := got[k]; !ok {
			t.Errorf("no %s", k)
		}
	}
	for _, k := range strings.Fields("id username avatar discriminator public_flags flags global_name primary_guild") {
		if _, ok := got["author"].(body)[k]; !ok {
			t.Errorf("no author.%s", k)
		}
	}
	if got["content"] != "hello" || got["edited_timestamp"] != nil || got["channel_id"] != yard || dig(t, got, "author", "bot") != true {
		t.Errorf("got %v", got)
	}
	if _, err := time.Parse(time.RFC3339, text(t, got, "timestamp")); err != nil {
		t.Error(err)
	}
	for _, k := range []string{"mentions", "mention_roles", "attachments", "embeds", "components"} {
		if l, ok := got[k].(list); !ok || len(l) != 0 {
			t.Errorf("%s is %v, want an empty list", k, got[k])
		}
	}
}

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
	embeds(body{"description": strings.Repeat("x", 4097)}).invalid("embeds.0.description", "BASE_TYPE_MAX_LENGTH")
	embeds(body{"fields": repeat(26, func(int) any { return body{"name": "n", "value": "v"} })}).invalid("embeds.0.fields", "BASE_TYPE_MAX_LENGTH")
	embeds(body{"color": 1 << 24}).invalid("embeds.0.color", "NUMBER_TYPE_MAX")
	embeds(body{"timestamp": "yesterday"}).invalid("embeds.0.timestamp", "DATE_TIME_TYPE_PARSE")
	embeds(body{"description": strings.Repeat("x", 4000)}, body{"description": strings.Repeat("x", 2001)}).invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED")
	embeds(repeat(11, func(int) any { return body{"title": "T"} })...).invalid("embeds", "BASE_TYPE_MAX_LENGTH")
}

func TestUnknownResources(t *testing.T) {
	r := newRig(t)
	r.post("/channels/"+nobody+"/messages", body{"content": "x"}).fails(http.StatusNotFound, 10003)
	r.get("/channels/"+nobody).fails(http.StatusNotFound, 10003)
	r.get(r.channel()+"/"+nobody).fails(http.StatusNotFound, 10008)
	r.patch(r.channel()+"/"+nobody, body{"content": "x"}).fails(http.StatusNotFound, 10008)
	r.get("/channels/abc").invalid("channel_id", "NUMBER_TYPE_COERCE")
	r.get("/users/"+nobody).fails(http.StatusNotFound, 10013)
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

func TestRateLimitHeaders(t *testing.T) {
	r := newRig(t)
	a := r.get("/users/@me")
	for _, h := range []string{"Limit", "Remaining", "Reset", "Reset-After", "Bucket"} {
		if a.header.Get("X-RateLimit-"+h) == "" {
			t.Errorf("no X-RateLimit-%s", h)
		}
	}
	if got := a.header.Get("X-RateLimit-Remaining"); got == "0" {
		t.Error("the bucket is empty")
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
		"?around=" + ids[2] + "&limit=3": "3 2 1",
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

func TestReplies(t *testing.T) {
	r := newRig(t)
	m := must(r.box.As(anna).Say(yard, "question"))
	got := r.post(r.channel(), body{"content": "reply", "message_reference": body{"message_id": m.ID}}).ok(http.StatusOK)
	if got["type"] != 19.0 || text(t, got, "referenced_message", "content") != "question" || text(t, got, "message_reference", "message_id") != m.ID {
		t.Errorf("got %v", got)
	}
	if n := r.box.As(anna).Mentions(yard); n != 1 {
		t.Errorf("a reply notifies its author %d times, want once", n)
	}
	r.post(r.channel(), body{"content": "quiet", "message_reference": body{"message_id": m.ID}, "allowed_mentions": body{"parse": list{}}}).ok(http.StatusOK)
	if n := r.box.As(anna).Mentions(yard); n != 1 {
		t.Errorf("replied_user is off unless asked for: %d", n)
	}
	r.post(r.channel(), body{"content": "loud", "message_reference": body{"message_id": m.ID}, "allowed_mentions": body{"replied_user": true}}).ok(http.StatusOK)
	if n := r.box.As(anna).Mentions(yard); n != 2 {
		t.Errorf("replied_user notifies: %d", n)
	}
	r.post(r.channel(), body{"content": "x", "message_reference": body{"message_id": nobody}}).invalid("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE")
	got = r.post(r.channel(), body{"content": "x", "message_reference": body{"message_id": nobody, "fail_if_not_exists": false}}).ok(http.StatusOK)
	if got["type"] != 0.0 {
		t.Errorf("got %v", got)
	}
}

func TestFailNext(t *testing.T) {
	r := newRig(t)
	const route = "/channels/{channel_id}/messages"
	r.box.FailNext(http.MethodPost, route, http.StatusForbidden, 50001, "Missing Access")
	r.box.FailNext(http.MethodPost, route, http.StatusTooManyRequests, 0, "You are being rate limited.")
	r.get(r.channel()).ok(http.StatusOK)
	if got := r.post(r.channel(), body{"content": "x"}).fails(http.StatusForbidden, 50001); got["message"] != "Missing Access" {
		t.Errorf("got %v", got)
	}
	a := r.post(r.channel(), body{"content": "x"})
	if got := a.ok(http.StatusTooManyRequests); got["retry_after"] != 1.0 || a.header.Get("Retry-After") != "1" {
		t.Errorf("got %v", got)
	}
	r.post(r.channel(), body{"content": "x"}).ok(http.StatusOK)
	if n := len(r.box.As(anna).Messages(yard)); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestObserve(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), content("x"))
	r.post(r.channel(), v2(gallery("attachment://a.png")), upload{"files[0]", "a.png", picture(t, 2, 2)})
	r.send(9, http.MethodPatch, r.channel()+"/1?x=y", body{"content": "x"})
	r.mu.Lock()
	defer r.mu.Unlock()
	want := []struct {
		method, route string
		version       int
		status, files int
	}{
		{"POST", "/interactions/{interaction_id}/{interaction_token}/callback", 10, 204, 0},
		{"POST", "/channels/{channel_id}/messages", 10, 200, 1},
		{"PATCH", "/channels/{channel_id}/messages/{message_id}", 9, 404, 0},
	}
	got := r.seen[len(r.seen)-len(want):]
	for i, w := range want {
		ex := got[i]
		if ex.Method != w.method || ex.Route != w.route || ex.Version != w.version || ex.Status != w.status || len(ex.Files) != w.files {
			t.Errorf("exchange %d: %s %s v%d %d with %d files", i, ex.Method, ex.Route, ex.Version, ex.Status, len(ex.Files))
		}
		if !strings.HasPrefix(string(ex.RequestJSON), "{") || (ex.Status != 204) != (len(ex.ResponseBody) > 0) {
			t.Errorf("exchange %d: request %.40s, answer %.40s", i, ex.RequestJSON, ex.ResponseBody)
		}
	}
	if ex := got[1]; !strings.Contains(string(ex.RequestBody), "payload_json") || ex.Files[0].Filename != "a.png" || ex.Files[0].Field != "files[0]" {
		t.Errorf("multipart: %+v", ex.Files)
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

func TestRemoveMessage(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x"})
	check(t, r.box.Remove(yard, id))
	r.get(r.channel()+"/"+id).fails(http.StatusNotFound, 10008)
	if err := r.box.Remove(yard, id); err == nil {
		t.Error("removed twice")
	}
	if n := len(r.box.As(anna).Messages(hall)); n != 0 {
		t.Errorf("%d messages in another channel", n)
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
		if m := text(t, got, "message"); !strings.Contains(m, "sandbox") || !strings.Contains(m, want) {
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
	r.post("/guilds/"+keep+"/roles", body{"name": "x"}).fails(http.StatusForbidden, 50013)
	if line := log.String(); !strings.Contains(line, "missing=MANAGE_ROLES") {
		t.Errorf("the log says %q", line)
	}
	r.get("/users/@me/").ok(http.StatusNotFound)
}
