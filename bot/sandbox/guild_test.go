package sandbox_test

import (
	"castellan/bot/sandbox"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestSeveralGuilds(t *testing.T) {
	r := bareRig(t, sandbox.Options{World: sandbox.DefaultWorld()})
	r.gw = r.hello()
	r.gw.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}})
	if ready := r.gw.event("READY"); len(ready["guilds"].(list)) != 2 {
		t.Errorf("%v", ready["guilds"])
	}
	first, second := r.gw.event("GUILD_CREATE"), r.gw.event("GUILD_CREATE")
	if first["id"] != keep || len(first["channels"].(list)) != 3 || len(second["channels"].(list)) != 1 || second["member_count"] != 4.0 {
		t.Errorf("%v, %v", first["id"], second["id"])
	}
	outpost := text(t, second, "id")
	watchfire := text(t, second, "channels", 0, "id")
	if _, err := r.box.As("1120000000000000014").Say(watchfire, "x"); err == nil {
		t.Error("Dmitri writes in a guild that they are not in")
	}
	check(t, r.box.RemoveBotFrom(outpost))
	if e := r.gw.event("GUILD_DELETE"); e["id"] != outpost {
		t.Errorf("%v", e)
	}
	r.get("/guilds/"+outpost).fails(http.StatusForbidden, 50001)
	r.get("/channels/"+watchfire).fails(http.StatusForbidden, 50001)
	r.get("/channels/" + yard).ok(http.StatusOK)
	if list := parseList(t, r.get("/users/@me/guilds")); len(list) != 1 || dig(t, list, 0, "id") != keep {
		t.Errorf("%v", list)
	}
}

func TestGuildRoutes(t *testing.T) {
	r := newRig(t)
	if g := r.get("/guilds/" + keep).ok(http.StatusOK); g["owner_id"] != anna || len(g["roles"].(list)) != 3 {
		t.Errorf("%v", g)
	}
	if list := parseList(t, r.get("/guilds/"+keep+"/channels")); len(list) != 3 {
		t.Errorf("%v", list)
	}
	roles := parseList(t, r.get("/guilds/"+keep+"/roles"))
	if dig(t, roles, 0, "id") != keep || dig(t, roles, 1, "name") != "Wardens" || dig(t, roles, 2, "managed") != true || dig(t, roles, 2, "tags", "bot_id") != r.box.ApplicationID() {
		t.Errorf("%v", roles)
	}
	if m := r.get("/guilds/" + keep + "/members/" + ben).ok(http.StatusOK); dig(t, m, "roles", 0) != dig(t, roles, 1, "id") || text(t, m, "user", "id") != ben {
		t.Errorf("%v", m)
	}
	r.get("/guilds/"+keep+"/members/"+nobody).fails(http.StatusNotFound, 10013)
	r.get("/guilds/"+nobody).fails(http.StatusNotFound, 10004)
}

// TestPermissionHierarchy tests @everyone, then the roles, then the member.
func TestPermissionHierarchy(t *testing.T) {
	const see, send, files, manage = sandbox.PermissionViewChannel, sandbox.PermissionSendMessages, sandbox.PermissionAttachFiles, sandbox.PermissionManageMessages
	const commands = sandbox.PermissionUseCommands
	red, blue, chief := "1150000000000000301", "1150000000000000302", "1150000000000000303"
	role := func(id string, o sandbox.Overwrite) sandbox.Overwrite { o.ID = id; return o }
	for name, tt := range map[string]struct {
		roles      []sandbox.Role
		overwrites []sandbox.Overwrite
		want       int64
	}{
		"@everyone alone":     {want: see | send | commands},
		"roles add":           {roles: []sandbox.Role{{ID: red, Permissions: files, Members: []string{ben}}, {ID: blue, Permissions: manage}}, want: see | send | commands | files},
		"@everyone is denied": {overwrites: []sandbox.Overwrite{role(keep, sandbox.Overwrite{Deny: send})}, want: see | commands},
		"a role allows what @everyone is denied": {roles: []sandbox.Role{{ID: red, Members: []string{ben}}},
			overwrites: []sandbox.Overwrite{role(red, sandbox.Overwrite{Allow: send}), role(keep, sandbox.Overwrite{Deny: send})}, want: see | send | commands},
		"of two roles allow wins": {roles: []sandbox.Role{{ID: red, Members: []string{ben}}, {ID: blue, Members: []string{ben}}},
			overwrites: []sandbox.Overwrite{role(red, sandbox.Overwrite{Allow: files}), role(blue, sandbox.Overwrite{Deny: files | send})}, want: see | commands | files},
		"a role that one has not": {roles: []sandbox.Role{{ID: red}}, overwrites: []sandbox.Overwrite{role(red, sandbox.Overwrite{Deny: send})}, want: see | send | commands},
		"the member last": {roles: []sandbox.Role{{ID: red, Members: []string{ben}}},
			overwrites: []sandbox.Overwrite{{ID: ben, Member: true, Deny: send, Allow: files}, role(red, sandbox.Overwrite{Allow: send, Deny: files})}, want: see | commands | files},
		"administrators are denied nothing": {roles: []sandbox.Role{{ID: chief, Permissions: sandbox.PermissionAdministrator, Members: []string{ben}}},
			overwrites: []sandbox.Overwrite{{ID: ben, Member: true, Deny: send}}, want: 1<<53 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := oneGuild()
			w.Guild.Roles = append(tt.roles, sandbox.Role{ID: keep, Permissions: see | send | commands})
			w.Channels[0].Overwrites = tt.overwrites
			r := bareRig(t, sandbox.Options{World: w})
			r.gw = r.identify(1)
			r.register()
			must(r.box.As(ben).Command(yard, "play"))
			if got := text(t, r.interaction().data, "member", "permissions"); got != strconv.FormatInt(tt.want, 10) {
				t.Errorf("%s, want %d", got, tt.want)
			}
		})
	}
}

func TestInvalidWorlds(t *testing.T) {
	mutate := func(f func(*sandbox.World)) sandbox.World {
		w := sandbox.DefaultWorld()
		f(&w)
		return w
	}
	for want, w := range map[string]sandbox.World{
		"not an id":              mutate(func(w *sandbox.World) { w.Channels[0].ID = "yard" }),
		"used twice":             mutate(func(w *sandbox.World) { w.Users[1].ID = w.Users[0].ID }),
		"needs at least a guild": mutate(func(w *sandbox.World) { w.Users = nil }),
	} {
		if _, err := sandbox.New(sandbox.Options{World: w}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestStableIDs(t *testing.T) {
	a, b := sandbox.DefaultWorld(), sandbox.DefaultWorld()
	if a.Guild.ID != b.Guild.ID || a.Users[0].ID != anna || a.Channels[0].ID != yard {
		t.Error("the default world changed")
	}
	one := must(sandbox.New(sandbox.Options{}))
	two, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if one.ApplicationID() != two.ApplicationID() || one.Token() == two.Token() {
		t.Error("the application stays, its token does not")
	}
}
