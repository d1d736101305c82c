package sandbox_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

// TestPeopleWrite has people reply, edit, delete and start threads. The bot gets the
// events that Discord sends.
func TestPeopleWrite(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(1<<0 | 1<<9 | 1<<15)
	annas, bens := r.box.As(anna), r.box.As(ben)
	first := must(annas.Say(yard, "Who plays?"))
	r.gw.event("MESSAGE_CREATE")
	reply := must(bens.Reply(yard, first.ID, "I do"))
	if m := r.gw.event("MESSAGE_CREATE"); m["type"] != 19.0 || text(t, m, "message_reference", "message_id") != first.ID || annas.Mentions(yard) != 1 {
		t.Errorf("the reply: %v, %d notifications", m, annas.Mentions(yard))
	}
	check(t, annas.Edit(yard, first.ID, "Who plays now?"))
	if m := r.gw.event("MESSAGE_UPDATE"); m["content"] != "Who plays now?" || m["edited_timestamp"] == nil {
		t.Errorf("the edit: %v", m)
	}
	thread := must(annas.StartThread(yard, first.ID, " A talk "))
	if m := r.gw.event("THREAD_CREATE"); m["name"] != "A talk" || m["owner_id"] != anna || m["id"] != thread {
		t.Errorf("the thread: %v", m)
	}
	for name, err := range map[string]error{
		"another's edit":      bens.Edit(yard, first.ID, "x"),
		"an empty edit":       annas.Edit(yard, first.ID, " "),
		"another's deletion":  r.box.As(chloe).Delete(yard, first.ID),
		"a second thread":     second(annas.StartThread(yard, first.ID, "x")),
		"a thread of nothing": second(annas.StartThread(yard, "7", "x")),
		"a reply to nothing":  second(bens.Reply(yard, "7", "x")),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for r.gw.frame()["t"] != "MESSAGE_UPDATE" { // of the message with the thread
	}
	check(t, bens.Delete(yard, reply.ID))
	if list := bens.Messages(yard); slices.ContainsFunc(list, func(m api.Message) bool { return m.ID == reply.ID }) {
		t.Errorf("the deleted message is there: %v", list)
	}
}

func second[T any](_ T, err error) error { return err }

func TestPeopleLeave(t *testing.T) {
	r := newRig(t)
	r.gw = r.identify(1<<0 | 1<<1)
	member := "/guilds/" + keep + "/members/" + ben
	check(t, r.box.As(ben).SetMember(keep, false))
	if m := r.gw.event("GUILD_MEMBER_REMOVE"); text(t, m, "user", "id") != ben || m["guild_id"] != keep {
		t.Errorf("%v", m)
	}
	r.get(member).fails(http.StatusNotFound, 10007)
	if _, err := r.box.As(ben).Say(yard, "still here"); err == nil || r.box.As(anna).SetMember(keep, false) == nil || r.box.As(ben).SetMember(keep, false) == nil {
		t.Error("somebody who left can write, or the owner leaves, or somebody twice")
	}
	check(t, r.box.As(ben).SetMember(keep, true))
	if m := r.gw.event("GUILD_MEMBER_ADD"); text(t, m, "user", "id") != ben || m["guild_id"] != keep {
		t.Errorf("%v", m)
	}
	r.get(member).ok(http.StatusOK)
}

func TestSetLocale(t *testing.T) {
	r := newRig(t)
	check(t, r.box.As(anna).SetLocale("de"))
	if in := r.play(); in.data["locale"] != "de" {
		t.Errorf("locale %v", in.data["locale"])
	}
	if r.box.As(anna).SetLocale("xx") == nil {
		t.Error("there is no such language")
	}
}

func TestMoveClock(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	clock := sandbox.NewClock(func() time.Time { return start })
	box := must(sandbox.New(sandbox.Options{Clock: clock}))
	defer box.Close()
	move := func(d time.Duration) error { return box.MoveClock(t.Context(), d) }
	check(t, move(time.Hour))
	if move(0) == nil || move(-1) == nil || move(400*24*time.Hour) == nil {
		t.Error("the clock is moved to nothing, back, or by more than a year")
	}
	due, order := start.Add(3*time.Hour), []string{}
	box.Share(sandbox.Timekeeper{
		Next: func(context.Context) (time.Time, error) { return due, nil },
		Move: func(_ context.Context, to time.Time) (func(), error) {
			order = append(order, "before "+clock.Now().Format("15:04:05"), "to "+to.Format("15:04:05"))
			return func() { order = append(order, "after "+clock.Now().Format("15:04:05")) }, nil
		},
	})
	check(t, move(0))
	if got, want := strings.Join(order, ", "), "before 11:00:00, to 13:00:01, after 13:00:01"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	due = time.Time{}
	if err := move(0); err == nil || !strings.Contains(err.Error(), "nothing is due") {
		t.Errorf("with nothing due: %v", err)
	}
	fixed := bareRig(t, sandbox.Options{})
	if fixed.box.MoveClock(t.Context(), time.Hour) == nil {
		t.Error("a clock that is not the sandbox's own is moved")
	}
}
