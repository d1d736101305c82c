package sandbox_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

// strictRig returns a rig of a strict sandbox with a gateway client. change
// may change the default world.
func strictRig(t *testing.T, limits sandbox.Limits, change func(*sandbox.World)) *rig {
	t.Helper()
	w := oneGuild()
	if change != nil {
		change(&w)
	}
	r := bareRig(t, sandbox.Options{World: w, Strict: true, Limits: limits})
	r.gw = r.identify(1 << 0)
	return r
}

func TestInvalidRequestBan(t *testing.T) {
	r := strictRig(t, sandbox.Limits{Invalid: 3}, nil)
	in := r.play()
	r.deny(api.PermissionSendMessages)
	refused := func() { r.post(r.channel(), body{"content": "x"}).fails(http.StatusForbidden, 50013) }
	refused()
	// Neither other errors nor limits shared with others count.
	r.post("/channels/1/messages", body{"content": "x"}).fails(http.StatusNotFound, 10003)
	r.box.MustPlan(faults.Fault{Kind: faults.RateLimit, Scope: faults.ScopeShared})
	r.get("/users/@me").ok(http.StatusTooManyRequests)
	r.box.MustPlan(faults.Fault{Kind: faults.RateLimit})
	r.get("/users/@me").ok(http.StatusTooManyRequests)
	if n := r.box.Tally().Invalid; n != 2 {
		t.Fatalf("%d invalid requests, want 2", n)
	}
	// After ten minutes they are forgotten.
	r.clock.advance(10 * time.Minute)
	refused()
	refused()
	r.get("/users/@me").ok(http.StatusOK)
	refused()
	// The ban is for the address: every route, without Discord's JSON and headers.
	for _, a := range []answer{r.get("/users/@me"), r.get("/gateway"), r.post(in.callback(), body{"type": 4, "data": body{"content": "x"}})} {
		if a.status != http.StatusTooManyRequests || !strings.Contains(string(a.raw), "1015") || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		if a.header.Get("Retry-After") != "3600" || a.header.Get("X-RateLimit-Scope") != "" || a.header.Get("X-RateLimit-Bucket") != "" {
			t.Errorf("%v", a.header)
		}
	}
	if n := r.box.Tally().Invalid; n != 5 {
		t.Errorf("%d invalid requests, want 5", n)
	}
	r.clock.advance(time.Hour)
	r.get("/users/@me").ok(http.StatusOK)
}

func TestGlobalRateLimit(t *testing.T) {
	r := strictRig(t, sandbox.Limits{PerSecond: 4}, nil)
	in := r.play() // registers commands: one request
	for range 3 {
		r.get("/users/@me").ok(http.StatusOK)
	}
	a := r.get("/applications/@me")
	if got := a.ok(http.StatusTooManyRequests); got["global"] != true || got["retry_after"] != 1.0 {
		t.Errorf("%v", got)
	}
	if h := a.header; h.Get("X-RateLimit-Global") != "true" || h.Get("X-RateLimit-Scope") != "global" || h.Get("Retry-After") != "1" || h.Get("X-RateLimit-Bucket") != "" {
		t.Errorf("%v", h)
	}
	// The routes of interactions have no global limit.
	r.post(in.callback(), body{"type": 4, "data": body{"content": "x"}}).ok(http.StatusNoContent)
	r.send(10, http.MethodGet, r.webhook(in)+"/messages/@original", nil).ok(http.StatusOK)
	r.clock.advance(time.Second)
	r.get("/users/@me").ok(http.StatusOK)
}

func TestBuckets(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, nil)
	var first answer
	for i := range 5 {
		a := r.post(r.channel(), body{"content": "x"})
		a.ok(http.StatusOK)
		if h := a.header; h.Get("X-RateLimit-Limit") != "5" || h.Get("X-RateLimit-Remaining") != strconv.Itoa(4-i) || h.Get("X-RateLimit-Reset-After") != "5.000" ||
			h.Get("X-RateLimit-Reset") != strconv.FormatInt(r.clock.now().Unix()+5, 10)+".000" {
			t.Errorf("%d: %v", i, h)
		}
		first = a
	}
	r.clock.advance(1500 * time.Millisecond)
	a := r.post(r.channel(), body{"content": "x"})
	if got := a.ok(http.StatusTooManyRequests); got["global"] != false || got["retry_after"] != 3.5 {
		t.Errorf("%v", got)
	}
	if h := a.header; h.Get("Retry-After") != "4" || h.Get("X-RateLimit-Scope") != "user" || h.Get("X-RateLimit-Remaining") != "0" || h.Get("X-RateLimit-Bucket") != first.header.Get("X-RateLimit-Bucket") {
		t.Errorf("%v", h)
	}
	// Another channel has its own limit, under the same bucket.
	other := r.post("/channels/"+hall+"/messages", body{"content": "x"})
	other.ok(http.StatusOK)
	if h := other.header; h.Get("X-RateLimit-Remaining") != "4" || h.Get("X-RateLimit-Bucket") != first.header.Get("X-RateLimit-Bucket") {
		t.Errorf("%v", h)
	}
	if h := r.get(r.channel()).header; h.Get("X-RateLimit-Bucket") == first.header.Get("X-RateLimit-Bucket") {
		t.Error("reading shares the bucket of writing")
	}
	r.clock.advance(3500 * time.Millisecond)
	r.post(r.channel(), body{"content": "x"}).ok(http.StatusOK)
}

func TestIdleThreadsAreArchived(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, nil)
	id := text(t, r.post(r.channel()+"/"+r.say(body{"content": "x"})+"/threads", body{"name": "A match", "auto_archive_duration": 60}).ok(http.StatusCreated), "id")
	r.gw.event("THREAD_CREATE")
	archived := func() any {
		t.Helper()
		return dig(t, r.get("/channels/"+id).ok(http.StatusOK), "thread_metadata", "archived")
	}
	r.clock.advance(59 * time.Minute)
	message := text(t, r.post("/channels/"+id+"/messages", body{"content": "x"}).ok(http.StatusOK), "id")
	r.clock.advance(59 * time.Minute)
	if archived() != false {
		t.Error("archived an hour after its start, with a message in between")
	}
	r.clock.advance(time.Minute)
	if archived() != true {
		t.Error("not archived after an hour without a message")
	}
	if e := r.gw.event("THREAD_UPDATE"); dig(t, e, "thread_metadata", "archived") != true {
		t.Errorf("%v", e)
	}
	r.patch("/channels/"+id+"/messages/"+message, body{"content": "y"}).fails(http.StatusBadRequest, 50083)
	must(r.box.As(chloe).Say(id, "x"))
	if archived() != false {
		t.Error("a message does not bring it back")
	}
}

func TestShardingRequired(t *testing.T) {
	const onOtherShard = "1150000000004194305" // 1<<22 more than the first
	w := oneGuild()
	w.Guilds = []sandbox.Guild{{ID: onOtherShard, Name: "Another"}}
	r := bareRig(t, sandbox.Options{World: w, Limits: sandbox.Limits{Guilds: 1}})
	g := r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}})
	g.closed(4011)
	g = r.hello()
	g.send(2, body{"token": r.box.Token(), "intents": 1, "properties": body{}, "shard": list{0, 2}})
	g.event("READY")
}
