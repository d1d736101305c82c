package sandbox_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
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
	r.deny(sandbox.PermissionSendMessages)
	refused := func() { r.post(r.channel(), body{"content": "x"}).fails(http.StatusForbidden, 50013) }
	refused()
	// Neither other errors nor limits shared with others count.
	r.post("/channels/1/messages", body{"content": "x"}).fails(http.StatusNotFound, 10003)
	r.box.MustPlan(sandbox.Fault{Kind: sandbox.FaultRateLimit, Scope: sandbox.ScopeShared})
	r.get("/users/@me").ok(http.StatusTooManyRequests)
	r.box.MustPlan(sandbox.Fault{Kind: sandbox.FaultRateLimit})
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
	a := r.get("/users/@me/guilds")
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

// withChannel adds a channel with id to the world.
func withChannel(id string, c sandbox.Channel) func(*sandbox.World) {
	return func(w *sandbox.World) {
		c.ID, c.Name = id, "extra"
		w.Channels = append(w.Channels, c)
	}
}

const extra = "1150000000000000109"

func TestVoiceChannelChat(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{Type: sandbox.ChannelVoice}))
	at := "/channels/" + extra + "/messages"
	id := text(t, r.post(at, body{"content": "x"}).ok(http.StatusOK), "id")
	r.get(at + "/" + id).ok(http.StatusOK)
	check(t, r.box.Deny(extra, r.box.ApplicationID(), sandbox.PermissionConnect))
	r.post(at, body{"content": "y"}).ok(http.StatusOK)
	r.patch(at+"/"+id, body{"content": "z"}).ok(http.StatusOK)
	r.get(at).fails(http.StatusForbidden, 50001)
	r.get(at+"/"+id).fails(http.StatusForbidden, 50001)
	r.post(at+"/"+id+"/threads", body{"name": "x"}).fails(http.StatusBadRequest, 50024)
}

func TestForumChannel(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{Type: sandbox.ChannelForum}))
	at := "/channels/" + extra
	r.post(at+"/messages", body{"content": "x"}).fails(http.StatusBadRequest, 40058)
	r.post(at+"/threads", body{"name": "A match"}).invalid("message", "BASE_TYPE_REQUIRED")
	post := r.post(at+"/threads", body{"name": "A match", "message": body{"content": "first"}}).ok(http.StatusCreated)
	id := text(t, post, "id")
	if post["type"] != 11.0 || post["parent_id"] != extra || dig(t, post, "message", "id") != id || dig(t, post, "message", "channel_id") != id {
		t.Errorf("%v", post)
	}
	if got := r.get("/channels/" + id + "/messages/" + id).ok(http.StatusOK); got["content"] != "first" {
		t.Errorf("%v", got)
	}
	check(t, r.box.Deny(extra, r.box.ApplicationID(), sandbox.PermissionSendMessages))
	r.post(at+"/threads", body{"name": "x", "message": body{"content": "x"}}).fails(http.StatusForbidden, 50013)
	r.post("/channels/"+id+"/messages", body{"content": "second"}).ok(http.StatusOK)
}

func TestAnnouncementChannel(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{Type: sandbox.ChannelAnnouncement}))
	at := "/channels/" + extra
	id := text(t, r.post(at+"/messages", body{"content": "x"}).ok(http.StatusOK), "id")
	if got := r.post(at+"/messages/"+id+"/threads", body{"name": "x"}).ok(http.StatusCreated); got["type"] != 10.0 {
		t.Errorf("%v", got)
	}
	r.post(at+"/threads", body{"name": "x"}).fails(http.StatusBadRequest, 50024)
}

func TestCategoryHasNoMessages(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{Type: sandbox.ChannelCategory}))
	r.post("/channels/"+extra+"/messages", body{"content": "x"}).fails(http.StatusBadRequest, 50008)
}

func TestSlowmode(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{Slowmode: 60}))
	r.register()
	if got := r.get("/channels/" + extra).ok(http.StatusOK); got["rate_limit_per_user"] != 60.0 {
		t.Errorf("%v", got)
	}
	must(r.box.As(chloe).Say(extra, "x"))
	if _, err := r.box.As(chloe).Say(extra, "y"); err == nil || !strings.Contains(err.Error(), "1m0s") {
		t.Errorf("%v", err)
	}
	// Commands and bots are not slowed down.
	must(r.box.As(chloe).Command(extra, "play"))
	for range 2 {
		r.post("/channels/"+extra+"/messages", body{"content": "x"}).ok(http.StatusOK)
	}
	must(r.box.As(anna).Say(extra, "x"))
	must(r.box.As(anna).Say(extra, "the owner may")) // has every permission
	r.clock.advance(time.Minute)
	must(r.box.As(chloe).Say(extra, "y"))
}

func TestAgeRestrictedCommands(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, withChannel(extra, sandbox.Channel{NSFW: true}))
	r.register(body{"name": "play", "description": "Play", "nsfw": true})
	if got := r.get("/channels/" + extra).ok(http.StatusOK); got["nsfw"] != true {
		t.Errorf("%v", got)
	}
	must(r.box.As(chloe).Command(extra, "play"))
	if _, err := r.box.As(chloe).Command(yard, "play"); err == nil {
		t.Error("an age-restricted command in a channel that is not")
	}
}

// lockedThread returns a thread with a message that has a button.
func lockedThread(r *rig) (thread, message string) {
	r.t.Helper()
	thread = r.thread("A match")
	message = text(r.t, r.post("/channels/"+thread+"/messages", body{"content": "x", "components": list{button("b")}}).ok(http.StatusOK), "id")
	check(r.t, r.box.SetThread(thread, false, true))
	return thread, message
}

func TestLockedThreadIsClosed(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, nil)
	r.register()
	id, message := lockedThread(r)
	at := "/channels/" + id + "/messages"
	r.post(at, body{"content": "y"}).fails(http.StatusForbidden, 160005)
	r.patch(at+"/"+message, body{"content": "y"}).fails(http.StatusForbidden, 160005)
	for name, try := range map[string]func(*sandbox.Person) error{
		"click":   func(p *sandbox.Person) error { _, err := p.Click(id, message, "b"); return err },
		"command": func(p *sandbox.Person) error { _, err := p.Command(id, "play"); return err },
		"say":     func(p *sandbox.Person) error { _, err := p.Say(id, "x"); return err },
	} {
		if err := try(r.box.As(chloe)); err == nil || !strings.Contains(err.Error(), "locked") {
			t.Errorf("%s: %v", name, err)
		}
		if err := try(r.box.As(ben)); err != nil { // Ben manages threads
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, r.box.SetOverwrite(yard, sandbox.Overwrite{ID: r.box.ApplicationID(), Member: true, Allow: sandbox.PermissionManageThreads}))
	r.post(at, body{"content": "y"}).ok(http.StatusOK)
	r.patch(at+"/"+message, body{"content": "y"}).ok(http.StatusOK)
	if err := r.box.SetThread(yard, true, true); err == nil {
		t.Error("a channel is no thread")
	}
}

func TestActiveThreadsLimit(t *testing.T) {
	r := strictRig(t, sandbox.Limits{ActiveThreads: 2}, nil)
	one, two := r.thread("One"), r.thread("Two")
	message := r.say(body{"content": "x"})
	full := func(a answer) { t.Helper(); a.fails(http.StatusBadRequest, 160006) }
	full(r.post(r.channel()+"/"+message+"/threads", body{"name": "Three"}))
	full(r.post("/channels/"+yard+"/threads", body{"name": "Three", "type": 11}))
	r.patch("/channels/"+one, body{"archived": true}).ok(http.StatusOK)
	r.post(r.channel()+"/"+message+"/threads", body{"name": "Three"}).ok(http.StatusCreated)
	// An archived thread cannot come back either.
	full(r.patch("/channels/"+one, body{"archived": false}))
	full(r.post("/channels/"+one+"/messages", body{"content": "x"}))
	if _, err := r.box.As(chloe).Say(one, "x"); err == nil {
		t.Error("Chloé writes in an archived thread beyond the limit")
	}
	r.patch("/channels/"+two, body{"archived": true}).ok(http.StatusOK)
	r.post("/channels/"+one+"/messages", body{"content": "x"}).ok(http.StatusOK)
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

func TestNonceOfDeletedMessage(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, nil)
	what := body{"content": "turn 3", "nonce": "m7-3", "enforce_nonce": true}
	check(t, r.box.Remove(yard, r.say(what)))
	r.post(r.channel(), what).fails(http.StatusNotFound, 10008)
	r.say(body{"content": "turn 3", "nonce": "m7-3b", "enforce_nonce": true})
	r.clock.advance(6 * time.Minute)
	r.say(what)
}

func TestCommandsWithoutBot(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, func(w *sandbox.World) { w.Guild.CommandsOnly = true })
	r.register()
	for _, g := range r.gw.ready["guilds"].(list) {
		t.Errorf("READY lists %v", g)
	}
	r.get("/guilds/"+keep).fails(http.StatusForbidden, 50001)
	r.post(r.channel(), body{"content": "x"}).fails(http.StatusForbidden, 50001)
	r.send(10, http.MethodPut, "/applications/"+r.box.ApplicationID()+"/guilds/"+keep+"/commands", list{}).ok(http.StatusOK)
	in := r.play()
	if owners := dig(t, in.data, "authorizing_integration_owners").(body); owners["0"] != keep || len(owners) != 1 {
		t.Errorf("%v", owners)
	}
	r.post(in.callback(), body{"type": 4, "data": body{"content": "x"}}).ok(http.StatusNoContent)
	check(t, r.box.AddBot())
	r.gw.event("GUILD_CREATE")
	r.say(body{"content": "x"})
}

func TestEntryPointCommand(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, func(w *sandbox.World) { w.Application.EntryPoint = true })
	path := "/applications/" + r.box.ApplicationID() + "/commands"
	play := body{"name": "play", "description": "Play"}
	entry := dig(t, parseList(t, r.get(path)), 0).(body)
	if entry["type"] != 4.0 || entry["handler"] != 2.0 || entry["contexts"] != nil {
		t.Errorf("%v", entry)
	}
	put := func(commands ...body) answer { return r.send(10, http.MethodPut, path, commands) }
	put(play).fails(http.StatusBadRequest, 50240)
	got := parseList(t, put(play, body{"type": 4, "name": entry["name"], "handler": 2}))
	if len(got) != 2 || dig(t, got, 1, "id") != entry["id"] {
		t.Errorf("%v", got)
	}
	put(play, body{"type": 4, "name": "a"}, body{"type": 4, "name": "b"}).fails(http.StatusBadRequest, 30032)
	// Guild commands have no contexts, and cannot be entry points.
	guild := "/applications/" + r.box.ApplicationID() + "/guilds/" + keep + "/commands"
	r.post(guild, body{"type": 4, "name": "launch"}).invalid("type", "BASE_TYPE_CHOICES")
	if c := r.post(guild, body{"name": "play", "description": "Play", "contexts": list{0}}).ok(http.StatusCreated); len(c) == 0 {
		t.Error("no command")
	} else if _, has := c["contexts"]; has {
		t.Errorf("%v", c)
	}
	r.send(10, http.MethodDelete, path+"/"+text(t, entry, "id"), nil).ok(http.StatusNoContent)
	put(play).ok(http.StatusOK)
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

func TestResolvedChannelPermissions(t *testing.T) {
	r := strictRig(t, sandbox.Limits{}, nil)
	r.register(body{"name": "play", "description": "Play", "options": list{body{"type": 7, "name": "where", "description": "Where"}}})
	check(t, r.box.Deny(hall, r.box.ApplicationID(), sandbox.PermissionAttachFiles))
	r.gw.event("CHANNEL_UPDATE")
	must(r.box.As(chloe).Command(yard, "play", sandbox.Opt("where", hall)))
	channel := dig(t, r.interaction().data, "data", "resolved", "channels", hall)
	all := int64(sandbox.DefaultPermissions)
	if got, want := text(t, channel, "permissions"), strconv.FormatInt(all, 10); got != want {
		t.Errorf("permissions %s, want %s", got, want)
	}
	if got, want := text(t, channel, "app_permissions"), strconv.FormatInt(all&^sandbox.PermissionAttachFiles, 10); got != want {
		t.Errorf("app_permissions %s, want %s", got, want)
	}
}
