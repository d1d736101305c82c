package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
)

// thread starts a thread from a new message of the bot and returns its id.
func (r *rig) thread(name string) string {
	r.t.Helper()
	id := r.say(body{"content": "starter"})
	r.post(r.channel()+"/"+id+"/threads", body{"name": name}).ok(http.StatusCreated)
	return id
}

func (r *rig) delete(path string) answer {
	r.t.Helper()
	return r.send(10, http.MethodDelete, path, nil)
}

func (r *rig) put(path string) answer {
	r.t.Helper()
	return r.send(10, http.MethodPut, path, nil)
}

func TestStartThreadFromMessage(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(1 | 1<<9)
	id := r.say(body{"content": "starter"})
	r.gw.event("MESSAGE_CREATE")
	got := r.post(r.channel()+"/"+id+"/threads", body{"name": "A match", "auto_archive_duration": 60}).ok(http.StatusCreated)
	if got["id"] != id || got["type"] != 11.0 || got["parent_id"] != yard || got["guild_id"] != keep || got["owner_id"] != r.box.ApplicationID() || got["name"] != "A match" {
		t.Errorf("%v", got)
	}
	meta := dig(t, got, "thread_metadata").(body)
	if meta["archived"] != false || meta["locked"] != false || meta["auto_archive_duration"] != 60.0 || meta["archive_timestamp"] == nil {
		t.Errorf("metadata %v", meta)
	}
	if dig(t, got, "member", "user_id") != r.box.ApplicationID() || got["member_count"] != 1.0 || got["message_count"] != 0.0 {
		t.Errorf("membership %v", got)
	}
	if made := r.gw.event("THREAD_CREATE"); made["id"] != id || made["newly_created"] != true {
		t.Errorf("%v", made)
	}
	if m := r.gw.event("MESSAGE_UPDATE"); dig(t, m, "thread", "id") != id || int(m["flags"].(float64))&(1<<5) == 0 {
		t.Errorf("the message does not show its thread: %v", m)
	}
	first := r.gw.event("MESSAGE_CREATE")
	if first["type"] != 21.0 || first["channel_id"] != id || dig(t, first, "message_reference", "message_id") != id || text(t, first, "referenced_message", "content") != "starter" {
		t.Errorf("the thread's first message: %v", first)
	}
	if m := r.get(r.channel() + "/" + id).ok(http.StatusOK); dig(t, m, "thread", "name") != "A match" {
		t.Errorf("%v", m["thread"])
	}
	r.post(r.channel()+"/"+id+"/threads", body{"name": "again"}).fails(http.StatusBadRequest, 160004)
	r.post(r.channel()+"/"+nobody+"/threads", body{"name": "x"}).fails(http.StatusNotFound, 10008)
	r.post(r.channel()+"/"+r.say(body{"content": "y"})+"/threads", body{"name": strings.Repeat("n", 101), "auto_archive_duration": 61}).invalid("name", "BASE_TYPE_BAD_LENGTH")
	// Threads cannot contain threads.
	inside := text(t, r.post("/channels/"+id+"/messages", body{"content": "in"}).ok(http.StatusOK), "id")
	r.post("/channels/"+id+"/messages/"+inside+"/threads", body{"name": "x"}).fails(http.StatusBadRequest, 50024)
}

func TestArchivedThreads(t *testing.T) {
	r := newRig(t)
	r.register()
	id := r.thread("A match")
	at := "/channels/" + id
	message := text(t, r.post(at+"/messages", body{"content": "x", "components": list{button("b")}}).ok(http.StatusOK), "id")
	r.gw.event("THREAD_CREATE")
	archive := func() {
		t.Helper()
		if got := r.patch(at, body{"archived": true}).ok(http.StatusOK); dig(t, got, "thread_metadata", "archived") != true {
			t.Fatalf("%v", got)
		}
		if e := r.gw.event("THREAD_UPDATE"); dig(t, e, "thread_metadata", "archived") != true {
			t.Fatalf("%v", e)
		}
	}
	archive()
	// Nothing in it can be changed; messages can be deleted.
	r.patch(at+"/messages/"+message, body{"content": "y"}).fails(http.StatusBadRequest, 50083)
	r.patch(at, body{"name": "Other"}).fails(http.StatusBadRequest, 999001)
	r.get(at + "/messages/" + message).ok(http.StatusOK)
	// Messages of the bot and of people and interactions unarchive it.
	wakes := map[string]func(){
		"the bot writes":    func() { r.post(at+"/messages", body{"content": "x"}).ok(http.StatusOK) },
		"an edit of it":     func() { r.patch(at, body{"archived": false}).ok(http.StatusOK) },
		"a person writes":   func() { _, _ = r.box.As(ben).Say(id, "x") },
		"a person clicks":   func() { _, _ = r.box.As(ben).Click(id, message, "b") },
		"a command is used": func() { _, _ = r.box.As(ben).Command(id, "play") },
	}
	for name, wake := range wakes {
		wake()
		if e := r.gw.event("THREAD_UPDATE"); dig(t, e, "thread_metadata", "archived") != false {
			t.Errorf("%s: %v", name, e)
		}
		if strings.HasSuffix(name, "clicks") || strings.HasSuffix(name, "used") {
			r.interaction()
		}
		archive()
	}
	r.delete(at + "/messages/" + message).ok(http.StatusNoContent)
}

func TestLockedThreads(t *testing.T) {
	r := newRig(t)
	id := r.thread("A match")
	at := "/channels/" + id
	check(t, r.box.SetThread(id, true, true))
	r.post(at+"/messages", body{"content": "x"}).fails(http.StatusForbidden, 160005)
	r.patch(at, body{"archived": false}).fails(http.StatusForbidden, 50013)
	if _, err := r.box.As(chloe).Say(id, "x"); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("%v", err)
	}
	if _, err := r.box.As(ben).Say(id, "x"); err != nil { // Ben manages threads
		t.Error(err)
	}
	if got := r.get(at).ok(http.StatusOK); dig(t, got, "thread_metadata", "archived") != false {
		t.Errorf("%v", got)
	}
}

func TestThreadMembers(t *testing.T) {
	r := newRig(t)
	id := r.thread("A match")
	if _, unread := r.box.As(chloe).Unread(id); unread {
		t.Error("a thread is new to somebody who is not in it")
	}
	r.post("/channels/"+id+"/messages", body{"content": "<@" + ben + "> begins"}).ok(http.StatusOK)
	if n, _ := r.box.As(ben).Unread(id); n != 1 {
		t.Errorf("Ben was told %d times", n)
	}
	r.post("/channels/"+id+"/messages", body{"content": "more"}).ok(http.StatusOK)
	if _, unread := r.box.As(ben).Unread(id); !unread {
		t.Error("Ben is in the thread, and there is something new")
	}
	if _, unread := r.box.As(chloe).Unread(id); unread {
		t.Error("Chloé is not in the thread")
	}
}
