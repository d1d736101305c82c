package sandbox_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

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
	}

	plain := r.identify(0)
	plain.send(8, body{"guild_id": keep, "query": "", "limit": 0})
	plain.send(8, body{"guild_id": keep, "query": "an", "limit": 1})
	if chunk := plain.event("GUILD_MEMBERS_CHUNK"); len(chunk["members"].(list)) != 1 {
		t.Errorf("without the intents: %v", chunk)
	}
}

func TestInvalidRequests(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	for _, f := range []body{
		{"op": 3, "d": body{"status": "asleep", "activities": list{}}},
		{"op": 8, "d": body{"guild_id": keep, "limit": 1}},
		{"op": 8, "d": body{"guild_id": keep, "query": "a", "user_ids": list{ben}}},
		{"op": 8, "d": body{"guild_id": list{keep, keep}, "query": "a"}},
		{"op": 8, "d": body{"guild_id": keep, "user_ids": slices.Repeat(list{ben}, 101)}},
	} {
		g := r.identify(0)
		check(t, g.ws.WriteJSON(f))
		g.closed(4001)
	}
}

func TestPresence(t *testing.T) {
	r := bareRig(t, sandbox.Options{})
	g := r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": 0, "properties": body{}, "presence": body{"status": "idle", "activities": list{}, "afk": false, "since": nil}})
	g.event("READY")
	for _, tt := range []struct {
		sent       body
		want, name string
	}{
		{body{"since": nil, "afk": false, "status": "dnd", "activities": list{body{"name": "chess", "type": 0}}}, "dnd", "chess"},
		{body{"status": "online", "game": body{"name": "draughts", "type": 0}}, "online", "draughts"}, // as discord.py
	} {
		g.send(3, tt.sent)
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		check(t, r.box.Wait(ctx, func() bool {
			status, activities := r.box.BotPresence()
			return status == tt.want && len(activities) == 1 && activities[0]["name"] == tt.name
		}))
		cancel()
	}
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

// TestInteractionsEndpoint checks what is accepted as an endpoint. How bots use
// one is tested with Castellan, in bot/e2e.
func TestInteractionsEndpoint(t *testing.T) {
	r := newRig(t)
	key := ed25519.PublicKey(must(hex.DecodeString(r.box.PublicKey())))
	verify, pong := true, `{"type": 1}`
	wrong := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if verify && !discordgo.VerifyInteraction(req, key) {
			wrong++
			http.Error(w, "invalid request signature", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, pong)
	}))
	defer srv.Close()
	for _, tt := range []struct {
		name   string
		verify bool
		pong   string
	}{{"accepts every signature", false, `{"type": 1}`}, {"no PONG", true, `{"type": 4}`}, {"no answer", true, ""}} {
		verify, pong = tt.verify, tt.pong
		if r.box.SetInteractionsEndpoint(t.Context(), srv.URL) == nil {
			t.Errorf("an endpoint is accepted: %s", tt.name)
		}
	}
	verify, pong, wrong = true, `{"type": 1}`, 0
	check(t, r.box.SetInteractionsEndpoint(t.Context(), srv.URL))
	app := r.get("/applications/@me").ok(http.StatusOK)
	if app["interactions_endpoint_url"] != srv.URL || app["verify_key"] != r.box.PublicKey() || wrong != 1 {
		t.Errorf("%v, %d requests with an invalid signature", app, wrong)
	}
	check(t, r.box.SetInteractionsEndpoint(t.Context(), ""))
	r.register()
	must(r.box.As(anna).Command(yard, "play"))
	r.interaction()
}
