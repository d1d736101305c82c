package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
)

// Intents of the events in this file.
const (
	guildWebhooks  = 1 << 5
	guildMessages  = 1 << 9
	guildReactions = 1 << 10
	guildPolls     = 1 << 24
)

// moderatorRig returns a rig whose bot has every permission, with a gateway
// client for some intents.
func moderatorRig(t *testing.T, intents int) *rig {
	t.Helper()
	w := oneGuild()
	w.Guild.BotPermissions = sandbox.PermissionAdministrator
	r := bareRig(t, sandbox.Options{World: w})
	r.gw = r.identify(intents)
	return r
}

const (
	fire  = "%F0%9F%94%A5"
	heart = "%E2%9D%A4%EF%B8%8F"
)

func TestReactions(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(guildReactions)
	message := r.channel() + "/" + r.say(body{"content": "x"})
	id := message[strings.LastIndex(message, "/")+1:]
	reactions := message + "/reactions/"
	r.put(reactions + fire + "/@me").ok(http.StatusNoContent)
	if e := r.gw.event("MESSAGE_REACTION_ADD"); dig(t, e, "emoji", "name") != "🔥" || e["user_id"] != r.box.ApplicationID() || e["message_id"] != id || e["guild_id"] != keep || dig(t, e, "member", "user", "id") != e["user_id"] {
		t.Errorf("%v", e)
	}
	r.put(reactions + fire + "/@me").ok(http.StatusNoContent) // no second event
	check(t, r.box.As(ben).React(yard, id, "🔥"))
	r.gw.event("MESSAGE_REACTION_ADD")
	got := r.get(message).ok(http.StatusOK)
	if dig(t, got, "reactions", 0, "count") != 2.0 || dig(t, got, "reactions", 0, "me") != true || dig(t, got, "reactions", 0).(body)["users"] != nil {
		t.Errorf("%v", got["reactions"])
	}
	if users := parseList(t, r.get(reactions+fire+"?limit=1")); len(users) != 1 || dig(t, users, 0, "id") != ben {
		t.Errorf("%v", users)
	}
	if users := parseList(t, r.get(reactions+fire+"?after="+ben)); len(users) != 1 || dig(t, users, 0, "id") != r.box.ApplicationID() {
		t.Errorf("%v", users)
	}
	// Others' reactions need Manage Messages, a new emoji Add Reactions.
	r.delete(reactions+fire+"/"+ben).fails(http.StatusForbidden, 50013)
	r.delete(message+"/reactions").fails(http.StatusForbidden, 50013)
	check(t, r.box.SetOverwrite(yard, sandbox.Overwrite{ID: r.box.ApplicationID(), Member: true, Allow: sandbox.PermissionManageMessages, Deny: 1 << 6}))
	r.put(reactions+heart+"/@me").fails(http.StatusForbidden, 50013)
	r.delete(reactions + fire + "/" + ben).ok(http.StatusNoContent)
	if e := r.gw.event("MESSAGE_REACTION_REMOVE"); e["user_id"] != ben || e["member"] != nil {
		t.Errorf("%v", e)
	}
	check(t, r.box.As(ben).React(yard, id, "❤️"))
	r.gw.event("MESSAGE_REACTION_ADD")
	check(t, r.box.As(ben).React(yard, id, "❤️")) // takes it back
	r.gw.event("MESSAGE_REACTION_REMOVE")
	r.delete(reactions + fire).ok(http.StatusNoContent)
	if e := r.gw.event("MESSAGE_REACTION_REMOVE_EMOJI"); dig(t, e, "emoji", "name") != "🔥" || e["user_id"] != nil {
		t.Errorf("%v", e)
	}
	check(t, r.box.As(ben).React(yard, id, "🔥"))
	r.gw.event("MESSAGE_REACTION_ADD")
	r.delete(message + "/reactions").ok(http.StatusNoContent)
	if e := r.gw.event("MESSAGE_REACTION_REMOVE_ALL"); e["emoji"] != nil || e["message_id"] != id {
		t.Errorf("%v", e)
	}
	if got := r.get(message).ok(http.StatusOK); got["reactions"] != nil {
		t.Errorf("%v", got["reactions"])
	}
	for _, unknown := range []string{"x", "custom:1150000000000000001"} {
		r.put(reactions+unknown+"/@me").fails(http.StatusBadRequest, 10014)
	}
	for i := range 20 {
		check(t, r.box.As(ben).React(yard, id, string(rune(0x1F600+i))))
	}
	if err := r.box.As(ben).React(yard, id, "🔥"); err == nil || !strings.Contains(err.Error(), "30010") {
		t.Errorf("%v", err)
	}
}

func TestPins(t *testing.T) {
	r := newRig(t)
	first, second := r.say(body{"content": "1"}), r.say(body{"content": "2"})
	at := "/channels/" + yard
	r.put(at+"/messages/pins/"+first).fails(http.StatusForbidden, 50013)
	check(t, r.box.SetOverwrite(yard, sandbox.Overwrite{ID: r.box.ApplicationID(), Member: true, Allow: 1 << 51}))
	r.gw.event("CHANNEL_UPDATE")
	r.put(at + "/messages/pins/" + first).ok(http.StatusNoContent)
	if e := r.gw.event("CHANNEL_PINS_UPDATE"); e["channel_id"] != yard || e["guild_id"] != keep || e["last_pin_timestamp"] == nil {
		t.Errorf("%v", e)
	}
	r.clock.advance(time.Minute)
	r.put(at + "/pins/" + second).ok(http.StatusNoContent) // the older route
	r.gw.event("CHANNEL_PINS_UPDATE")
	got := r.get(at + "/messages/pins?limit=1").ok(http.StatusOK)
	if got["has_more"] != true || dig(t, got, "items", 0, "message", "id") != second || dig(t, got, "items", 0, "message", "pinned") != true {
		t.Errorf("%v", got)
	}
	before := strings.ReplaceAll(text(t, got, "items", 0, "pinned_at"), "+", "%2B")
	if got := r.get(at + "/messages/pins?before=" + before).ok(http.StatusOK); got["has_more"] != false || len(got["items"].(list)) != 1 || dig(t, got, "items", 0, "message", "id") != first {
		t.Errorf("%v", got)
	}
	if all := parseList(t, r.get(at+"/pins")); len(all) != 2 || dig(t, all, 0, "id") != second {
		t.Errorf("%v", all)
	}
	if got := r.get(at).ok(http.StatusOK); got["last_pin_timestamp"] == nil {
		t.Errorf("%v", got)
	}
	// A message of type 6 tells the channel of each pin.
	if news := parseList(t, r.get(r.channel())); dig(t, news, 0, "type") != 6.0 || dig(t, news, 0, "message_reference", "message_id") != second {
		t.Errorf("%v", news)
	}
	r.delete(at + "/messages/pins/" + second).ok(http.StatusNoContent)
	r.delete(at + "/pins/" + first).ok(http.StatusNoContent)
	r.gw.event("CHANNEL_PINS_UPDATE")
	if e := r.gw.event("CHANNEL_PINS_UPDATE"); e["last_pin_timestamp"] != nil {
		t.Errorf("%v", e)
	}
}

func TestBulkDelete(t *testing.T) {
	r := newRig(t)
	old := r.say(body{"content": "old"})
	r.clock.advance(15 * 24 * time.Hour)
	one, two := r.say(body{"content": "1"}), r.say(body{"content": "2"})
	path := r.channel() + "/bulk-delete"
	r.post(path, body{"messages": list{one, two}}).fails(http.StatusForbidden, 50013)
	check(t, r.box.SetOverwrite(yard, sandbox.Overwrite{ID: r.box.ApplicationID(), Member: true, Allow: sandbox.PermissionManageMessages}))
	r.post(path, body{"messages": list{one}}).invalid("messages", "BASE_TYPE_BAD_LENGTH")
	r.post(path, body{"messages": list{one, old}}).fails(http.StatusBadRequest, 50034)
	r.gw = r.identify(guildMessages)
	r.post(path, body{"messages": list{one, two, nobody}}).ok(http.StatusNoContent)
	if e := r.gw.event("MESSAGE_DELETE_BULK"); len(e["ids"].(list)) != 2 || e["channel_id"] != yard || e["guild_id"] != keep {
		t.Errorf("%v", e)
	}
	r.get(r.channel()+"/"+one).fails(http.StatusNotFound, 10008)
	r.get(r.channel() + "/" + old).ok(http.StatusOK)
}

func TestPolls(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(guildPolls)
	poll := body{"question": body{"text": "Who begins?"}, "answers": list{body{"poll_media": body{"text": "Anna"}}, body{"poll_media": body{"text": "Ben"}}}, "duration": 1}
	got := r.post(r.channel(), body{"poll": poll}).ok(http.StatusOK)
	id := text(t, got, "id")
	if dig(t, got, "poll", "answers", 1, "answer_id") != 2.0 || dig(t, got, "poll", "results", "is_finalized") != false || dig(t, got, "poll", "layout_type") != 1.0 {
		t.Errorf("%v", got["poll"])
	}
	check(t, r.box.As(ben).Vote(yard, id, 2))
	if e := r.gw.event("MESSAGE_POLL_VOTE_ADD"); e["answer_id"] != 2.0 || e["user_id"] != ben || e["message_id"] != id {
		t.Errorf("%v", e)
	}
	if err := r.box.As(ben).Vote(yard, id, 1, 2); err == nil {
		t.Error("two answers to a poll that takes one")
	}
	check(t, r.box.As(ben).Vote(yard, id, 1))
	r.gw.event("MESSAGE_POLL_VOTE_ADD")
	r.gw.event("MESSAGE_POLL_VOTE_REMOVE")
	at := "/channels/" + yard + "/polls/" + id
	if got := r.get(at + "/answers/1").ok(http.StatusOK); dig(t, got, "users", 0, "id") != ben {
		t.Errorf("%v", got)
	}
	r.patch(r.channel()+"/"+id, body{"content": "x"}).fails(http.StatusBadRequest, 520003)
	r.post("/channels/"+yard+"/polls/"+r.say(body{"content": "x"})+"/expire", nil).fails(http.StatusBadRequest, 520006)
	got = r.post(at+"/expire", nil).ok(http.StatusOK)
	if dig(t, got, "poll", "results", "is_finalized") != true || dig(t, got, "poll", "results", "answer_counts", 0, "count") != 1.0 {
		t.Errorf("%v", got["poll"])
	}
	if err := r.box.As(chloe).Vote(yard, id, 1); err == nil {
		t.Error("a vote after the end")
	}
	poll["answers"] = list{}
	r.post(r.channel(), body{"poll": poll}).invalid("poll.answers", "BASE_TYPE_BAD_LENGTH")
}

func TestMembersAndRoles(t *testing.T) {
	r := moderatorRig(t, 1|guildMembers)
	guild := "/guilds/" + keep
	if all := parseList(t, r.get(guild+"/members?limit=1000")); len(all) != 6 || dig(t, all, 0, "user", "id") != anna {
		t.Errorf("%d members", len(all))
	}
	if page := parseList(t, r.get(guild+"/members?after="+anna)); len(page) != 1 || dig(t, page, 0, "user", "id") != ben {
		t.Errorf("%v", page)
	}
	if found := parseList(t, r.get(guild+"/members/search?query=CHL&limit=5")); len(found) != 1 || dig(t, found, 0, "user", "id") != chloe {
		t.Errorf("%v", found)
	}
	r.get(guild+"/members?limit=1001").invalid("limit", "NUMBER_TYPE_MAX")

	role := r.post(guild+"/roles", body{"name": "Heralds", "permissions": "2048", "color": 255, "hoist": true}).ok(http.StatusOK)
	id := text(t, role, "id")
	if e := r.gw.event("GUILD_ROLE_CREATE"); dig(t, e, "role", "name") != "Heralds" || dig(t, e, "role", "permissions") != "2048" || dig(t, e, "role", "hoist") != true {
		t.Errorf("%v", e)
	}
	if got := r.patch(guild+"/roles/"+id, body{"name": "Criers"}).ok(http.StatusOK); got["name"] != "Criers" || got["color"] != 255.0 {
		t.Errorf("%v", got)
	}
	r.gw.event("GUILD_ROLE_UPDATE")
	r.put(guild + "/members/" + chloe + "/roles/" + id).ok(http.StatusNoContent)
	if e := r.gw.event("GUILD_MEMBER_UPDATE"); dig(t, e, "roles", 0) != id || e["guild_id"] != keep {
		t.Errorf("%v", e)
	}
	if got := r.get(guild + "/roles/member-counts").ok(http.StatusOK); got[id] != 1.0 {
		t.Errorf("%v", got)
	}
	r.delete(guild + "/members/" + chloe + "/roles/" + id).ok(http.StatusNoContent)
	r.gw.event("GUILD_MEMBER_UPDATE")
	if got := r.patch(guild+"/members/"+chloe, body{"nick": "Herald", "roles": list{id}}).ok(http.StatusOK); got["nick"] != "Herald" || dig(t, got, "roles", 0) != id {
		t.Errorf("%v", got)
	}
	r.gw.event("GUILD_MEMBER_UPDATE")
	r.gw.event("GUILD_MEMBER_UPDATE")
	r.put(guild+"/members/"+chloe+"/roles/"+nobody).fails(http.StatusNotFound, 10011)
	r.put(guild+"/members/"+nobody+"/roles/"+id).fails(http.StatusNotFound, 10007)
	r.patch(guild+"/roles/"+nobody, body{"name": "x"}).fails(http.StatusNotFound, 10011)
	r.delete(guild+"/roles/"+keep).fails(http.StatusBadRequest, 50028)
	r.patch(guild+"/members/"+chloe, body{"mute": true}).fails(http.StatusBadRequest, 999001)
	r.send(10, http.MethodPatch, guild+"/roles", list{body{"id": id, "position": 1}}).ok(http.StatusOK)
	r.gw.event("GUILD_ROLE_UPDATE")
	if got := r.get(guild + "/roles/" + id).ok(http.StatusOK); got["position"] != 1.0 {
		t.Errorf("%v", got)
	}
	r.delete(guild + "/roles/" + id).ok(http.StatusNoContent)
	if e := r.gw.event("GUILD_ROLE_DELETE"); e["role_id"] != id {
		t.Errorf("%v", e)
	}
	r.delete(guild + "/members/" + chloe).ok(http.StatusNoContent)
	r.gw.event("GUILD_MEMBER_UPDATE")
	if e := r.gw.event("GUILD_MEMBER_REMOVE"); dig(t, e, "user", "id") != chloe {
		t.Errorf("%v", e)
	}
	r.delete(guild+"/members/"+anna).fails(http.StatusForbidden, 50013) // the owner
	if got := r.patch("/users/@me", body{"username": "Steward"}).ok(http.StatusOK); got["username"] != "Steward" {
		t.Errorf("%v", got)
	}
	r.gw.event("USER_UPDATE")
	r.delete("/users/@me/guilds/" + keep).ok(http.StatusNoContent)
	r.gw.event("GUILD_DELETE")
}

// TestManagementNeedsPermissions tries what a bot without moderator's rights may
// not do.
func TestManagementNeedsPermissions(t *testing.T) {
	r := newRig(t)
	message := r.channel() + "/" + r.say(body{"content": "x"})
	for _, try := range []struct {
		method, path string
		what         any
	}{
		{"POST", "/guilds/" + keep + "/roles", body{"name": "x"}},
		{"PATCH", "/guilds/" + keep + "/roles", list{}},
		{"PATCH", "/guilds/" + keep + "/roles/" + keep, body{"name": "x"}},
		{"DELETE", "/guilds/" + keep + "/roles/" + keep, nil},
		{"PATCH", "/guilds/" + keep + "/members/" + ben, body{"nick": "x"}},
		{"DELETE", "/guilds/" + keep + "/members/" + ben, nil},
		{"POST", "/guilds/" + keep + "/channels", body{"name": "x"}},
		{"PATCH", "/channels/" + yard, body{"name": "x"}},
		{"DELETE", "/channels/" + yard, nil},
		{"PUT", "/channels/" + yard + "/permissions/" + ben, body{"type": 1}},
		{"DELETE", "/channels/" + yard + "/permissions/" + ben, nil},
		{"POST", "/channels/" + yard + "/webhooks", body{"name": "x"}},
		{"GET", "/channels/" + yard + "/webhooks", nil},
		{"GET", "/guilds/" + keep + "/webhooks", nil},
		{"PUT", strings.Replace(message, "/messages/", "/pins/", 1), nil},
		{"POST", r.channel() + "/bulk-delete", body{"messages": list{"1", "2"}}},
		{"DELETE", message + "/reactions", nil},
	} {
		r.send(10, try.method, try.path, try.what).fails(http.StatusForbidden, 50013)
	}
}

func TestChannels(t *testing.T) {
	r := moderatorRig(t, 1)
	category := text(t, r.post("/guilds/"+keep+"/channels", body{"name": "Halls", "type": 4}).ok(http.StatusCreated), "id")
	r.gw.event("CHANNEL_CREATE")
	ch := r.post("/guilds/"+keep+"/channels", body{
		"name": "archive", "topic": "Old matches", "parent_id": category, "rate_limit_per_user": 5, "nsfw": true,
		"permission_overwrites": list{body{"id": ben, "type": 1, "deny": "2048"}},
	}).ok(http.StatusCreated)
	id := text(t, ch, "id")
	if e := r.gw.event("CHANNEL_CREATE"); e["id"] != id || e["parent_id"] != category || e["topic"] != "Old matches" || e["nsfw"] != true || e["rate_limit_per_user"] != 5.0 {
		t.Errorf("%v", e)
	}
	if _, err := r.box.As(ben).Say(id, "x"); err == nil {
		t.Error("Ben writes where an overwrite denies it")
	}
	if got := r.patch("/channels/"+id, body{"name": "vault", "parent_id": nil, "position": 0}).ok(http.StatusOK); got["name"] != "vault" || got["parent_id"] != nil || got["position"] != 0.0 || got["topic"] != "Old matches" {
		t.Errorf("%v", got)
	}
	r.gw.event("CHANNEL_UPDATE")
	r.patch("/channels/"+id, body{"name": strings.Repeat("x", 101)}).invalid("name", "BASE_TYPE_MAX_LENGTH")
	r.send(10, http.MethodPut, "/channels/"+id+"/permissions/"+ben, body{"type": 1, "allow": "2048", "deny": 0}).ok(http.StatusNoContent)
	if e := r.gw.event("CHANNEL_UPDATE"); dig(t, e, "permission_overwrites", 0, "allow") != "2048" || len(e["permission_overwrites"].(list)) != 1 {
		t.Errorf("%v", e)
	}
	must(r.box.As(ben).Say(id, "x"))
	r.delete("/channels/" + id + "/permissions/" + ben).ok(http.StatusNoContent)
	r.gw.event("CHANNEL_UPDATE")
	r.delete("/channels/"+id+"/permissions/"+ben).fails(http.StatusNotFound, 10009)
	r.delete("/channels/" + id).ok(http.StatusOK)
	r.gw.event("CHANNEL_DELETE")
	r.get("/channels/"+id).fails(http.StatusNotFound, 10003)
	r.post("/guilds/"+keep+"/channels", body{"name": "stage", "type": 13}).fails(http.StatusBadRequest, 999001)
}

func TestCrosspost(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{Type: sandbox.ChannelAnnouncement}))
	at := "/channels/" + extra + "/messages"
	at += "/" + text(t, r.post(at, body{"content": "x"}).ok(http.StatusOK), "id") + "/crosspost"
	if got := r.post(at, nil).ok(http.StatusOK); int(got["flags"].(float64))&1 == 0 {
		t.Errorf("%v", got)
	}
	r.post(at, nil).fails(http.StatusBadRequest, 40033)
	r.post(r.channel()+"/"+r.say(body{"content": "x"})+"/crosspost", nil).fails(http.StatusBadRequest, 50024)
}

func TestTypingByBot(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(guildTyping)
	r.post("/channels/"+yard+"/typing", nil).ok(http.StatusNoContent)
	if e := r.gw.event("TYPING_START"); e["user_id"] != r.box.ApplicationID() || e["channel_id"] != yard {
		t.Errorf("%v", e)
	}
	r.deny(sandbox.PermissionSendMessages)
	r.post("/channels/"+yard+"/typing", nil).fails(http.StatusForbidden, 50013)
}

func TestWebhooks(t *testing.T) {
	r := moderatorRig(t, guildWebhooks)
	hook := r.post("/channels/"+yard+"/webhooks", body{"name": "Town crier"}).ok(http.StatusOK)
	r.gw.event("WEBHOOKS_UPDATE")
	id, token := text(t, hook, "id"), text(t, hook, "token")
	path := "/webhooks/" + id + "/" + token
	for _, at := range []string{"/channels/" + yard + "/webhooks", "/guilds/" + keep + "/webhooks"} {
		if all := parseList(t, r.get(at)); len(all) != 1 || dig(t, all, 0, "id") != id {
			t.Errorf("%s: %v", at, all)
		}
	}
	if got := r.get(path).ok(http.StatusOK); got["name"] != "Town crier" || got["user"] != nil {
		t.Errorf("%v", got)
	}
	r.post(path, body{"content": "quiet"}).ok(http.StatusNoContent)
	got := r.post(path+"?wait=true", body{"content": "Oyez", "username": "Crier"}).ok(http.StatusOK)
	message := text(t, got, "id")
	if got["webhook_id"] != id || dig(t, got, "author", "username") != "Crier" || dig(t, got, "author", "id") != id || dig(t, got, "author", "bot") != true {
		t.Errorf("%v", got)
	}
	if last := r.box.As(anna).Messages(yard); last[len(last)-1].Content != "Oyez" {
		t.Errorf("%v", last)
	}
	r.patch(path+"/messages/"+message, body{"content": "Oyez, oyez"}).ok(http.StatusOK)
	if got := r.get(path + "/messages/" + message).ok(http.StatusOK); got["content"] != "Oyez, oyez" {
		t.Errorf("%v", got)
	}
	thread := r.thread("News")
	if got := r.post(path+"?wait=true&thread_id="+thread, body{"content": "x"}).ok(http.StatusOK); got["channel_id"] != thread {
		t.Errorf("%v", got)
	}
	r.delete(path + "/messages/" + message).ok(http.StatusNoContent)
	r.get(path+"/messages/"+message).fails(http.StatusNotFound, 10008)
	r.get(path+"/messages/"+r.say(body{"content": "the bot's own"})).fails(http.StatusNotFound, 10008)
	r.post("/webhooks/"+id+"/wrong", body{"content": "x"}).fails(http.StatusUnauthorized, 50027)
	r.post(path, body{"content": "x", "thread_name": "Post"}).fails(http.StatusBadRequest, 220003)
	authorized := must(http.NewRequest(http.MethodPatch, r.srv.URL+"/api/v10/webhooks/"+id, strings.NewReader(`{"name": "Herald", "channel_id": "`+hall+`"}`)))
	authorized.Header.Set("Authorization", "Bot "+r.box.Token())
	authorized.Header.Set("Content-Type", "application/json")
	if got := r.do(authorized).ok(http.StatusOK); got["name"] != "Herald" || got["channel_id"] != hall {
		t.Errorf("%v", got)
	}
	r.delete(path).ok(http.StatusNoContent)
	r.post(path, body{"content": "x"}).fails(http.StatusNotFound, 10015)
	for range 15 {
		r.post("/channels/"+yard+"/webhooks", body{"name": "x"}).ok(http.StatusOK)
	}
	r.post("/channels/"+yard+"/webhooks", body{"name": "x"}).fails(http.StatusBadRequest, 30007)
}

func TestEditCommand(t *testing.T) {
	r := newRig(t)
	r.register(body{"name": "play", "description": "Play", "options": list{body{"type": 3, "name": "game", "description": "Which"}}}, body{"name": "stop", "description": "Stop"})
	path := "/applications/" + r.box.ApplicationID() + "/commands"
	before := dig(t, parseList(t, r.get(path)), 0).(body)
	at := path + "/" + text(t, before, "id")
	got := r.patch(at, body{"description": "Play a game"}).ok(http.StatusOK)
	if got["id"] != before["id"] || got["version"] == before["version"] || got["name"] != "play" || dig(t, got, "options", 0, "name") != "game" {
		t.Errorf("%v", got)
	}
	r.patch(at, body{"name": "stop"}).fails(http.StatusBadRequest, 40041)
	r.patch(at, body{"name": "With Spaces"}).invalid("name", "APPLICATION_COMMAND_INVALID_NAME")
	if names := r.box.As(anna).Commands(); !slices.ContainsFunc(names, func(c sandbox.ApplicationCommand) bool { return c.Description == "Play a game" }) {
		t.Errorf("%v", names)
	}
}

func TestEditApplication(t *testing.T) {
	r := newRig(t)
	got := r.patch("/applications/@me", body{"description": "Board games", "tags": list{"games"}, "custom_install_url": "https://example.org/add"}).ok(http.StatusOK)
	if got["description"] != "Board games" || dig(t, got, "tags", 0) != "games" {
		t.Errorf("%v", got)
	}
	if got := r.get("/applications/@me").ok(http.StatusOK); got["custom_install_url"] != "https://example.org/add" {
		t.Errorf("%v", got)
	}
	r.patch("/applications/@me", body{"custom_install_url": "no address"}).invalid("custom_install_url", "URL_TYPE_INVALID_URL")
}
