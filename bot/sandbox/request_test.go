package sandbox_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"castellan/bot/sandbox"
)

// Intents of the tests below.
const (
	guildMembers   = 1 << 1
	voiceStates    = 1 << 7
	guildPresences = 1 << 8
	guildTyping    = 1 << 11
	directTyping   = 1 << 14
)

// usernames returns the usernames of a list of members.
func usernames(t *testing.T, members any) []string {
	out := []string{}
	for _, m := range members.(list) {
		out = append(out, text(t, m, "user", "username"))
	}
	return out
}

func TestRequestMembers(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.identify(guildMembers | guildPresences)
	everybody := []string{"Castellan", "anna", "ben", "chloe", "dmitri", "eve_the_quiet"}
	for _, tt := range []struct {
		name string
		d    body
		want []string
		more body // expected fields of the chunk
	}{
		{"all", body{"query": "", "limit": 0, "nonce": "n1"}, everybody, body{"nonce": "n1", "chunk_index": 0.0, "chunk_count": 1.0}},
		{"some of all", body{"query": "", "limit": 2}, everybody[:2], nil},
		{"by display name", body{"query": "CHLOÉ", "limit": 5}, []string{"chloe"}, nil},
		{"by nickname, without a limit", body{"query": "eve *of", "limit": 0}, []string{"eve_the_quiet"}, nil},
		{"nobody", body{"query": "zoe", "limit": 5}, []string{}, nil},
		{"by ids", body{"user_ids": list{ben, nobody}, "limit": 0}, []string{"ben"}, body{"not_found": list{nobody}}},
		{"by numbers", body{"user_ids": list{json.Number(ben)}}, []string{"ben"}, nil},
		{"by a query, without ids", body{"query": "be", "limit": 1, "user_ids": nil}, []string{"ben"}, nil},
		{"by one id", body{"user_ids": ben}, []string{"ben"}, body{"not_found": list{}}},
		{"presences", body{"user_ids": list{ben, r.box.ApplicationID()}, "presences": true}, []string{"ben", "Castellan"}, nil},
		{"a nonce that is too long", body{"user_ids": ben, "nonce": strings.Repeat("n", 33)}, []string{"ben"}, body{"nonce": nil}},
	} {
		tt.d["guild_id"] = keep
		if tt.name == "by numbers" { // as discord.py
			tt.d["guild_id"] = json.Number(keep)
		}
		g.send(8, tt.d)
		chunk := g.event("GUILD_MEMBERS_CHUNK")
		if got := usernames(t, chunk["members"]); !slices.Equal(got, tt.want) || chunk["guild_id"] != keep {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		for key, want := range tt.more {
			if got := chunk[key]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %s is %v, want %v", tt.name, key, got, want)
			}
		}
		if _, has := chunk["presences"]; has != (tt.name == "presences") {
			t.Errorf("%s: presences %v", tt.name, chunk["presences"])
		}
	}
	// "1 request per guild per bot every 30 seconds" for the whole list.
	g.send(8, body{"guild_id": keep, "query": "", "limit": 0, "nonce": "n2"})
	limited := g.event("RATE_LIMITED")
	if limited["opcode"] != 8.0 || limited["retry_after"] != 30.0 || dig(t, limited, "meta", "guild_id") != keep || dig(t, limited, "meta", "nonce") != "n2" {
		t.Errorf("the whole list again: %v", limited)
	}
	r.clock.advance(30 * time.Second)
	g.send(8, body{"guild_id": keep, "query": "", "limit": 0})
	g.event("GUILD_MEMBERS_CHUNK")

	plain := r.identify(0)
	plain.send(8, body{"guild_id": keep, "query": "", "limit": 0})
	plain.send(8, body{"guild_id": keep, "query": "an", "limit": 1, "presences": true})
	if chunk := plain.event("GUILD_MEMBERS_CHUNK"); len(chunk["members"].(list)) != 1 || chunk["presences"] != nil {
		t.Errorf("without the intents: %v", chunk)
	}
}

func TestMembersInChunks(t *testing.T) {
	w := oneGuild()
	for i := range 2000 - len(w.Users) {
		w.Users = append(w.Users, sandbox.User{ID: fmt.Sprint(1120000000000001000 + i), Username: fmt.Sprintf("user%04d", i)})
	}
	r := bareRig(t, sandbox.Options{World: w})
	g := r.identify(guildMembers)
	g.send(8, body{"guild_id": keep, "query": "", "limit": 0})
	seen := map[string]bool{}
	for i, n := range []int{1000, 1000, 1} {
		chunk := g.event("GUILD_MEMBERS_CHUNK")
		if len(chunk["members"].(list)) != n || chunk["chunk_index"] != float64(i) || chunk["chunk_count"] != 3.0 {
			t.Errorf("chunk %v of %v has %d members, want %d", chunk["chunk_index"], chunk["chunk_count"], len(chunk["members"].(list)), n)
		}
		for _, name := range usernames(t, chunk["members"]) {
			seen[name] = true
		}
	}
	if len(seen) != 2001 {
		t.Errorf("%d different members", len(seen))
	}
}

func TestInvalidRequests(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	for _, f := range []body{
		{"op": 3, "d": body{"status": "asleep", "activities": list{}}},
		{"op": 4, "d": body{"channel_id": nil}},
		{"op": 8, "d": body{"guild_id": keep, "limit": 1}},
		{"op": 8, "d": body{"guild_id": keep, "query": "a", "user_ids": list{ben}}},
		{"op": 8, "d": body{"guild_id": list{keep, keep}, "query": "a"}},
		{"op": 8, "d": body{"guild_id": keep, "user_ids": slices.Repeat(list{ben}, 101)}},
		{"op": 31, "d": body{}},
	} {
		g := r.identify(0)
		check(t, g.ws.WriteJSON(f))
		g.closed(4001)
	}
}

func TestRequestSounds(t *testing.T) {
	r := newRig(t)
	r.gw.send(31, body{"guild_ids": list{keep, nobody}})
	if got := r.gw.event("SOUNDBOARD_SOUNDS"); got["guild_id"] != keep || len(got["soundboard_sounds"].(list)) != 0 {
		t.Errorf("%v", got)
	}
	r.gw.quiet()
}

func TestPresence(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": 1 | guildPresences, "properties": body{}, "presence": body{"status": "idle", "activities": list{}, "afk": false, "since": nil}})
	g.event("READY")
	if online := g.event("GUILD_CREATE")["presences"].(list); len(online) != 1 || text(t, online, 0, "user", "id") != r.box.ApplicationID() || text(t, online, 0, "status") != "idle" {
		t.Errorf("presences of the guild: %v", online)
	}
	other := r.identify(0)
	g.send(3, body{"since": nil, "afk": false, "status": "dnd", "activities": list{body{"name": "chess", "type": 0}}})
	if p := g.event("PRESENCE_UPDATE"); p["status"] != "dnd" || text(t, p, "activities", 0, "name") != "chess" || p["guild_id"] != keep {
		t.Errorf("the bot's presence: %v", p)
	}
	if status, activities := r.box.BotPresence(); status != "dnd" || activities[0]["name"] != "chess" {
		t.Errorf("the bot is shown as %s, %v", status, activities)
	}
	g.send(3, body{"status": "online", "game": body{"name": "draughts", "type": 0}}) // as discord.py
	if p := g.event("PRESENCE_UPDATE"); text(t, p, "activities", 0, "name") != "draughts" {
		t.Errorf("the older form: %v", p)
	}
	// A person is online while the page shows them.
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req := must(http.NewRequestWithContext(ctx, http.MethodGet, r.srv.URL+"/sandbox/events?user="+ben, nil))
	res := must(http.DefaultClient.Do(req))
	defer res.Body.Close()
	if p := g.event("PRESENCE_UPDATE"); p["status"] != "online" || text(t, p, "user", "id") != ben {
		t.Errorf("Ben arrives: %v", p)
	}
	leave()
	if p := g.event("PRESENCE_UPDATE"); p["status"] != "offline" || text(t, p, "user", "id") != ben {
		t.Errorf("Ben leaves: %v", p)
	}
	other.quiet()
}

func TestTyping(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	guilds, direct := r.identify(guildTyping), r.identify(directTyping)
	check(t, r.box.As(ben).Type(yard))
	if e := guilds.event("TYPING_START"); e["channel_id"] != yard || e["user_id"] != ben || text(t, e, "member", "user", "username") != "ben" || e["timestamp"] != float64(r.clock.now().Unix()) {
		t.Errorf("%v", e)
	}
	check(t, r.box.As(ben).Type(dm(t, r.box.As(ben))))
	if e := direct.event("TYPING_START"); e["guild_id"] != nil || e["user_id"] != ben {
		t.Errorf("in direct messages: %v", e)
	}
	guilds.quiet()
}

func TestVoiceState(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.identify(voiceStates)
	g.send(4, body{"guild_id": keep, "channel_id": yard, "self_mute": false, "self_deaf": false}) // not a voice channel: ignored
	g.send(4, body{"guild_id": keep, "channel_id": nil, "self_mute": false, "self_deaf": true})
	if e := g.event("VOICE_STATE_UPDATE"); e["channel_id"] != nil || e["user_id"] != r.box.ApplicationID() || e["session_id"] != g.session || e["self_deaf"] != true {
		t.Errorf("%v", e)
	}
	g.quiet()
}

func TestToken(t *testing.T) {
	first := func(token string) string {
		part, _, _ := strings.Cut(token, ".")
		id, _ := base64.RawStdEncoding.DecodeString(part)
		return string(id)
	}
	for token, want := range map[string]string{
		"":                             sandbox.DefaultWorld().Application.ID,
		"MTIzNDU2Nzg5MDEyMzQ1Njc4.x.y": "123456789012345678",
		"secret":                       sandbox.DefaultWorld().Application.ID,
	} {
		box := must(sandbox.New(sandbox.Options{Token: token}))
		if box.ApplicationID() != want {
			t.Errorf("token %q: application %s, want %s", token, box.ApplicationID(), want)
		}
		switch {
		case token == "" && first(box.Token()) != want:
			t.Errorf("the first part of the default token is %q", first(box.Token()))
		case token != "" && box.Token() != token:
			t.Errorf("token %q, want %q", box.Token(), token)
		}
	}
}

// endpoint is a bot without a gateway connection. It verifies requests with the
// public key, and answers commands by their names.
type endpoint struct {
	*httptest.Server
	key    ed25519.PublicKey
	api    string
	seen   atomic.Int32 // requests with a valid signature
	wrong  atomic.Int32 // requests with an invalid one
	verify bool
	pong   string
}

func newEndpoint(t *testing.T, r *rig) *endpoint {
	e := &endpoint{key: must(hex.DecodeString(r.box.PublicKey())), api: r.srv.URL + "/api/v10", verify: true, pong: `{"type": 1}`}
	e.Server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	if e.verify && !discordgo.VerifyInteraction(r, e.key) {
		e.wrong.Add(1)
		http.Error(w, "invalid request signature", http.StatusUnauthorized)
		return
	}
	e.seen.Add(1)
	var i struct {
		ID, Token string
		Type      int
		Data      struct{ Name string }
	}
	if err := json.NewDecoder(r.Body).Decode(&i); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch i.Data.Name {
	case "": // a PING
		fmt.Fprint(w, e.pong)
	case "say":
		fmt.Fprint(w, `{"type": 4, "data": {"content": "said"}}`)
	case "defer":
		fmt.Fprint(w, `{"type": 5}`)
	case "file":
		form := multipart.NewWriter(w)
		w.Header().Set("Content-Type", form.FormDataContentType())
		must(form.CreateFormField("payload_json")).Write([]byte(`{"type": 4, "data": {"content": "a file"}}`))
		must(form.CreateFormFile("files[0]", "a.txt")).Write([]byte("x"))
		form.Close()
	case "callback":
		w.WriteHeader(http.StatusAccepted)
		res := must(http.Post(e.api+"/interactions/"+i.ID+"/"+i.Token+"/callback", "application/json", strings.NewReader(`{"type": 4, "data": {"content": "called"}}`)))
		res.Body.Close()
	case "empty":
		fmt.Fprint(w, `{"type": 4, "data": {}}`)
	case "broken":
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func TestInteractionsEndpoint(t *testing.T) {
	r := newRig(t)
	e := newEndpoint(t, r)
	set := func(link any) answer {
		return r.send(10, http.MethodPatch, "/applications/@me", body{"interactions_endpoint_url": link})
	}
	for _, tt := range []struct {
		name   string
		verify bool
		pong   string
	}{{"accepts every signature", false, `{"type": 1}`}, {"no PONG", true, `{"type": 4}`}, {"no answer", true, ""}} {
		e.verify, e.pong = tt.verify, tt.pong
		t.Log(tt.name)
		set(e.URL).invalid("interactions_endpoint_url", "APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID")
	}
	set("not a link").fails(http.StatusBadRequest, 50035)
	e.verify, e.pong = true, `{"type": 1}`
	e.wrong.Store(0)
	app := set(e.URL).ok(http.StatusOK)
	if app["interactions_endpoint_url"] != e.URL || app["verify_key"] != r.box.PublicKey() || e.wrong.Load() != 1 {
		t.Errorf("%v, %d requests with an invalid signature", app, e.wrong.Load())
	}

	var commands list
	for _, name := range []string{"say", "defer", "file", "callback", "empty", "broken"} {
		commands = append(commands, command(name))
	}
	r.commands("", commands).ok(http.StatusOK)
	use := func(name, state string) sandbox.Interaction {
		t.Helper()
		i := must(r.box.As(anna).Command(yard, name))
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		err := r.box.Wait(ctx, func() bool { i, _ = r.box.Interaction(i.ID); return i.State == state })
		if err != nil {
			t.Fatalf("%s is %s, want %s", name, i.State, state)
		}
		return i
	}
	content := func(i sandbox.Interaction) string {
		for _, m := range r.box.As(anna).Messages(yard) {
			if m.ID == i.MessageID {
				return fmt.Sprint(m.Content, len(m.Attachments))
			}
		}
		return ""
	}
	for name, want := range map[string]string{"say": "said0", "file": "a file1", "callback": "called0"} {
		if got := content(use(name, sandbox.StateAnswered)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	use("defer", sandbox.StateDeferred)
	before := e.seen.Load()
	for _, name := range []string{"empty", "broken"} {
		i := must(r.box.As(anna).Command(yard, name))
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		check(t, r.box.Wait(ctx, func() bool { return e.seen.Load() > before }))
		cancel()
		before = e.seen.Load()
		r.clock.advance(3 * time.Second)
		if now, _ := r.box.Interaction(i.ID); now.State != sandbox.StateFailed {
			t.Errorf("%s: %s", name, now.State)
		}
	}
	r.gw.quiet() // the gateway gets no interactions meanwhile
	set(nil).ok(http.StatusOK)
	must(r.box.As(anna).Command(yard, "say"))
	r.interaction()
}
