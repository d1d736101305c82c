package sandbox_test

import (
	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"net/http"
	"strconv"
	"testing"
)

func TestMember(t *testing.T) {
	r := newRig(t)
	if m := r.get("/guilds/" + keep + "/members/" + ben).ok(http.StatusOK); len(m["roles"].(list)) != 1 || text(t, m, "user", "id") != ben {
		t.Errorf("%v", m)
	}
	r.get("/guilds/"+keep+"/members/"+nobody).fails(http.StatusNotFound, 10013)
	r.get("/guilds/"+nobody+"/members/"+ben).fails(http.StatusNotFound, 10004)
}

// TestPermissionHierarchy tests @everyone, then the roles, then what the member is
// denied.
func TestPermissionHierarchy(t *testing.T) {
	const see, send, files, manage = api.PermissionViewChannel, api.PermissionSendMessages, api.PermissionAttachFiles, api.PermissionManageMessages
	const commands = api.PermissionUseCommands
	red, blue, chief := "1150000000000000301", "1150000000000000302", "1150000000000000303"
	for name, tt := range map[string]struct {
		roles []sandbox.Role
		deny  int64
		want  int64
	}{
		"@everyone alone":    {want: see | send | commands},
		"roles add":          {roles: []sandbox.Role{{ID: red, Permissions: files, Members: []string{ben}}, {ID: blue, Permissions: manage}}, want: see | send | commands | files},
		"the member is last": {roles: []sandbox.Role{{ID: red, Permissions: files, Members: []string{ben}}}, deny: send | files, want: see | commands},
		"administrators are denied nothing": {roles: []sandbox.Role{{ID: chief, Permissions: api.PermissionAdministrator, Members: []string{ben}}},
			deny: send, want: 1<<53 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := oneGuild()
			w.Guild.Roles = append(tt.roles, sandbox.Role{ID: keep, Permissions: see | send | commands})
			r := bareRig(t, sandbox.Options{World: w})
			check(t, r.box.Deny(yard, ben, tt.deny))
			r.gw = r.identify(1)
			r.register()
			must(r.box.As(ben).Command(yard, "play"))
			if got := text(t, r.interaction().data, "member", "permissions"); got != strconv.FormatInt(tt.want, 10) {
				t.Errorf("%s, want %d", got, tt.want)
			}
		})
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
