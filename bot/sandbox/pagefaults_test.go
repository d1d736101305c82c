package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

// panel sends a request of the panel of faults.
func (r *rig) panel(path string, what any) answer {
	r.t.Helper()
	raw := must(json.Marshal(what))
	req, err := http.NewRequest(http.MethodPost, r.srv.URL+"/sandbox/"+path, strings.NewReader(string(raw)))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	return r.do(req)
}

func (r *rig) panelState() body {
	r.t.Helper()
	return r.fetch(r.srv.URL + "/sandbox/faults").ok(http.StatusOK)
}

func TestPageFaults(t *testing.T) {
	r := newRig(t)
	r.panel("faults", body{"kind": "error", "method": "POST", "route": posting, "status": 503, "count": 2, "skip": 1}).ok(http.StatusNoContent)
	r.panel("faults", body{"kind": "rate-limit", "scope": "shared", "retry_after": 1.5}).ok(http.StatusNoContent)
	state := r.panelState()
	if got := dig(t, state, "plan", 0).(body); got["kind"] != "rate-limit" || got["scope"] != "shared" || got["retry_after"] != 1.5 || got["left"] != 1.0 {
		t.Errorf("the newest: %v", got)
	}
	if got := dig(t, state, "plan", 1).(body); got["kind"] != "error" || got["route"] != posting || got["status"] != 503.0 || got["left"] != 2.0 || got["hits"] != 0.0 {
		t.Errorf("the first: %v", got)
	}
	if n := len(state["kinds"].(list)); n != 12 || dig(t, state, "kinds", 0, "class") != "request" {
		t.Errorf("%d kinds: %v", n, state["kinds"])
	}
	if len(state["routes"].(list)) < 20 || text(t, state, "routes", 0, "method") == "" {
		t.Errorf("routes: %v", state["routes"])
	}
	r.post(r.channel(), body{"content": "x"}).ok(http.StatusTooManyRequests) // the error skips it, the limit does not
	r.post(r.channel(), body{"content": "x"}).ok(http.StatusServiceUnavailable)
	id := int(dig(t, r.panelState(), "plan", 1, "id").(float64))
	r.panel("faults/"+strconv.Itoa(id)+"/remove", body{}).ok(http.StatusNoContent)
	r.post(r.channel(), body{"content": "x"}).ok(http.StatusOK)

	p := r.plan(sandbox.Fault{Kind: sandbox.FaultHold, Route: posting})
	answered, _ := r.later(t.Context(), "held")
	r.reached(p)
	if got := dig(t, r.panelState(), "plan", 0).(body); got["held"] != 1.0 || got["hits"] != 1.0 {
		t.Errorf("held: %v", got)
	}
	id = int(dig(t, r.panelState(), "plan", 0, "id").(float64))
	r.panel("faults/"+strconv.Itoa(id)+"/release", body{}).ok(http.StatusNoContent)
	if got := <-answered; got != http.StatusOK {
		t.Errorf("status %d", got)
	}
	for path, what := range map[string]body{
		"faults":                             {"kind": "flood"},
		"faults/99/remove":                   {},
		"faults/x/remove":                    {},
		"faults/" + strconv.Itoa(id) + "/up": {},
		"gateway/flood":                      {},
		"bot/add":                            {},
		"bot/paint":                          {},
		"channels/" + yard + "/deny":         {"permissions": "all"},
		"channels/" + nobody + "/remove":     {},
		"channels/" + yard + "/paint":        {},
	} {
		r.panel(path, what).sentence(http.StatusBadRequest)
	}
	r.panel("faults", body{"kind": "rate-limit", "retry_after": 1e18}).sentence(http.StatusBadRequest)
	r.panel("gateway", body{}).sentence(http.StatusNotFound)
	r.fetch(r.srv.URL + "/sandbox/gateway/drop").sentence(http.StatusMethodNotAllowed)
}

func TestPageGatewayAndGuild(t *testing.T) {
	r := newRig(t)
	r.register()
	r.panel("gateway/reconnect", body{}).ok(http.StatusNoContent)
	if f := r.gw.frame(); f["op"] != 7.0 {
		t.Errorf("got %v", f)
	}
	r.panel("channels/"+yard+"/deny", body{"permissions": "2048"}).ok(http.StatusNoContent)
	r.gw.event("CHANNEL_UPDATE")
	r.post(r.channel(), body{"content": "x"}).fails(http.StatusForbidden, 50013)
	if got := dig(t, r.panelState(), "denied", yard); got != "2048" {
		t.Errorf("denied %v", got)
	}
	r.panel("bot/remove", body{}).ok(http.StatusNoContent)
	r.gw.event("GUILD_DELETE")
	if got := r.panelState()["installed"]; got != false {
		t.Errorf("installed: %v", got)
	}
	if got := r.fetch(r.srv.URL + "/sandbox/state").ok(http.StatusOK); dig(t, got, "guilds", 0, "installed") != false || len(dig(t, got, "commands", keep).(list)) != 0 {
		t.Errorf("the page is told of the bot: %v, commands %v", got["guilds"], got["commands"])
	}
	r.panel("bot/add", body{}).ok(http.StatusNoContent)
	r.gw.event("GUILD_CREATE")
	r.panel("channels/"+hall+"/remove", body{}).ok(http.StatusNoContent)
	r.gw.event("CHANNEL_DELETE")
	if got := r.fetch(r.srv.URL + "/sandbox/state").ok(http.StatusOK); len(dig(t, got, "guilds", 0, "channels").(list)) != 2 {
		t.Errorf("channels %v", dig(t, got, "guilds", 0, "channels"))
	}
	r.ask()
	r.gw.event(interactionCreate)
	if got := dig(t, r.panelState(), "interactions", "waiting"); got != 1.0 {
		t.Errorf("waiting: %v", got)
	}
	r.panel("gateway/resumable", body{}).ok(http.StatusNoContent)
	if f := r.gw.frame(); f["op"] != 9.0 || f["d"] != true {
		t.Errorf("got %v", f)
	}
	r.gw = r.identify(1)
	r.panel("gateway/invalid", body{}).ok(http.StatusNoContent)
	if f := r.gw.frame(); f["op"] != 9.0 || f["d"] != false {
		t.Errorf("got %v", f)
	}
	r.gw = r.identify(1)
	r.panel("gateway/silence", body{}).ok(http.StatusNoContent)
	r.panel("gateway/drop", body{}).ok(http.StatusNoContent)
	r.gw.closed(4000)
}
