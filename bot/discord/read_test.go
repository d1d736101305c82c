package discord_test

import (
	"reflect"
	"strings"
	"testing"

	"castellan/bot/discord"
)

// The shape of messages: https://docs.discord.com/developers/resources/message#message-object
func TestRecentSaysWhoseMessagesAre(t *testing.T) {
	d := newDiscord(t, answer(200, `[
		{"id":"3","author":{"id":"9"},"components":[{"type":17,"components":[
			{"type":12,"items":[{"media":{"url":"https://cdn.discordapp.com/attachments/5/77/board-7-12.png?ex=1&is=2"}}]},
			{"type":10,"content":"hello"}]}]},
		{"id":"2","author":{"id":"8"},"components":[{"type":12,"items":[{"media":{"url":"://odd"}},{"media":{"url":"a.png"}}]}]},
		{"id":"1","author":{"id":"9"},"content":"plain"}]`))
	got, err := d.client.GetMessages(t.Context(), "5")
	want := []discord.ChannelMessage{{ID: "3", AuthorID: "9", Images: []string{"board-7-12.png"}}, {ID: "2", AuthorID: "8", Images: []string{"a.png"}}, {ID: "1", AuthorID: "9"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if r := d.only(t); r.method != "GET" || r.uri != "/api/v10/channels/5/messages?limit=100" || len(r.body) != 0 || r.header.Get("Content-Type") != "" {
		t.Errorf("%s %s %q", r.method, r.uri, r.body)
	}
}

func TestSelf(t *testing.T) {
	d := newDiscord(t, answer(200, `{"id":"9","username":"Castellan"}`))
	if id, err := d.client.GetCurrentUser(t.Context()); err != nil || id != "9" {
		t.Errorf("%s, %v", id, err)
	}
	if r := d.only(t); r.method != "GET" || r.uri != "/api/v10/users/@me" {
		t.Errorf("%s %s", r.method, r.uri)
	}
	for _, body := range []string{``, `{}`, `null`} {
		if _, err := newDiscord(t, answer(200, body)).client.GetCurrentUser(t.Context()); err == nil {
			t.Errorf("nobody: %q", body)
		}
	}
}

func TestSeeAndWhatBlocks(t *testing.T) {
	for body, want := range map[string]bool{
		`{"code":10003,"message":"Unknown Channel"}`:                             true,
		`{"code":50001,"message":"Missing Access"}`:                              true,
		`{"code":50013,"message":"Missing Permissions"}`:                         true,
		`{"code":50083,"message":"This thread is archived"}`:                     true,
		`{"code":10008,"message":"Unknown Message"}`:                             false,
		`{"code":0,"message":"401: Unauthorized"}`:                               false,
		`<html>` + strings.Repeat("x", 10) + `</html>`:                           false,
		`{"code":50035,"message":"Invalid Form Body","errors":{"content":null}}`: false,
	} {
		err := newDiscord(t, answer(403, body)).client.GetChannel(t.Context(), "5")
		if err == nil || discord.Blocked(err) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	d := newDiscord(t, answer(200, `{"id":"5"}`))
	if err := d.client.GetChannel(t.Context(), "5"); err != nil || d.only(t).uri != "/api/v10/channels/5" {
		t.Errorf("%v", err)
	}
	if discord.Blocked(nil) {
		t.Error("nothing blocks")
	}
}
