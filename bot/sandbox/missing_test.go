package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestWhatIsNotBuiltSaysSo(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x"})
	for path, want := range map[string]string{
		"PUT /channels/" + yard + "/messages/" + id + "/reactions/x/@me": "reactions",
		"GET /guilds/" + keep + "/bans":                                  "servers",
		"GET /channels/" + yard + "/pins":                                "pins",
		"POST /channels/" + yard + "/typing":                             "typing",
		"PATCH /users/@me":                                               "user",
		"PATCH /channels/" + yard:                                        "channels other than threads",
		"GET /invites/abc":                                               "invites",
	} {
		method, p, _ := strings.Cut(path, " ")
		var what any
		if method != http.MethodGet {
			what = body{}
		}
		got := r.send(10, method, p, what).ok(http.StatusNotImplemented)
		if m := text(t, got, "message"); !strings.Contains(m, "sandbox") || !strings.Contains(m, want) || got["code"] != 0.0 {
			t.Errorf("%s: %v", path, got)
		}
	}
	// What Discord does not have either is not found.
	r.get("/nothing").ok(http.StatusNotFound)
}
