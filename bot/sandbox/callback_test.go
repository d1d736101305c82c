package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"castellan/bot/sandbox"
	"castellan/bot/sandbox/api"
)

func content(s string) body { return body{"type": 4, "data": body{"content": s}} }

func TestInteractionFields(t *testing.T) {
	r := newRig(t)
	r.register()
	i := must(r.box.As(chloe).Command(yard, "play"))
	in := r.interaction()
	if in.id != i.ID {
		t.Errorf("delivered %s, want %s", in.id, i.ID)
	}
	for path, want := range map[string]any{
		"application_id": r.box.ApplicationID(), "type": 2.0, "version": 1.0, "guild_id": keep, "channel_id": yard, "context": 0.0,
		"locale": "fr", "guild_locale": "en-US", "attachment_size_limit": float64(api.MaxUpload),
		"guild.id": keep, "channel.id": yard, "member.user.id": chloe, "member.user.global_name": "Chloé", "member.nick": nil,
		"authorizing_integration_owners.0": keep, "data.name": "play", "data.type": 1.0,
	} {
		var keys []any
		for _, k := range strings.Split(path, ".") {
			keys = append(keys, k)
		}
		if got := dig(t, in.data, keys...); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	for _, k := range []string{"app_permissions", "token"} {
		if text(t, in.data, k) == "" {
			t.Errorf("no %s", k)
		}
	}
	if text(t, in.data, "member", "permissions") == "" || text(t, in.data, "member", "joined_at") == "" || dig(t, in.data, "entitlements") == nil {
		t.Errorf("incomplete: %v", in.data)
	}
}

func TestCallbackMessage(t *testing.T) {
	r := newRig(t)
	in := r.play()
	a := r.post(in.callback(), content("hello"))
	a.ok(http.StatusNoContent)
	if len(a.raw) != 0 {
		t.Errorf("204 with a body: %s", a.raw)
	}
	r.state(in, sandbox.StateAnswered)
	m := r.box.As(ben).Messages(yard)
	if len(m) != 1 || m[0].Content != "hello" || m[0].Type != api.MessageChatInputCommand || m[0].Interaction.Name != "play" {
		t.Errorf("Ben sees %+v", m)
	}
}

func TestCallbackWithResponse(t *testing.T) {
	r := newRig(t)
	in := r.play()
	got := r.post(in.callback()+"?with_response=true", content("hello")).ok(http.StatusOK)
	if text(t, got, "interaction", "id") != in.id || dig(t, got, "interaction", "type") != 2.0 || dig(t, got, "resource", "type") != 4.0 {
		t.Errorf("got %v", got)
	}
	id := text(t, got, "interaction", "response_message_id")
	if text(t, got, "resource", "message", "id") != id || text(t, got, "resource", "message", "content") != "hello" {
		t.Errorf("resource: %v", got["resource"])
	}
	if _, extra := dig(t, got, "resource", "message", "interaction_metadata").(body)["command_name"]; extra {
		t.Error("the REST answer has a field that Discord does not know")
	}
	in = r.play()
	got = r.post(in.callback()+"?with_response=true", body{"type": 5}).ok(http.StatusOK)
	if got["resource"] != nil || dig(t, got, "interaction", "response_message_loading") != true {
		t.Errorf("deferral: %v", got)
	}
}

func TestCallbackDeadline(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.clock.advance(2999 * time.Millisecond)
	r.post(in.callback(), content("in time")).ok(http.StatusNoContent)

	late := r.play()
	r.clock.advance(3 * time.Second)
	r.state(late, sandbox.StateFailed)
	r.post(late.callback(), content("late")).fails(http.StatusNotFound, 10062)
	r.post(r.webhook(late), body{"content": "late"}).fails(http.StatusNotFound, 10015)
	if n := len(r.box.As(anna).Messages(yard)); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}

func TestCallbackUnknownInteraction(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post("/interactions/"+nobody+"/"+in.token+"/callback", content("x")).fails(http.StatusNotFound, 10062)
	r.post("/interactions/"+in.id+"/wrong/callback", content("x")).fails(http.StatusNotFound, 10062)
	r.post("/interactions/abc/"+in.token+"/callback", content("x")).invalid("interaction_id", "NUMBER_TYPE_COERCE")
}

func TestCallbackTwice(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), content("one")).ok(http.StatusNoContent)
	r.post(in.callback(), content("two")).fails(http.StatusBadRequest, 40060)
	if i, _ := r.box.Interaction(in.id); len(i.Callbacks) != 1 {
		t.Errorf("callbacks %v", i.Callbacks)
	}
}

func TestCallbackAfterInvalidOne(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), body{"type": 4, "data": body{}}).fails(http.StatusBadRequest, 50006)
	r.state(in, sandbox.StateWaiting)
	r.post(in.callback(), content("better")).ok(http.StatusNoContent)
}

func TestCallbackTypes(t *testing.T) {
	r := newRig(t)
	r.commands("", list{command("play"), command("look", option(3, "at", body{"autocomplete": true}))}).ok(http.StatusOK)
	message := r.say(body{"content": "x", "components": list{button("b")}})
	start := map[string]func() received{
		"command":   r.play,
		"component": func() received { return r.click(anna, message, "b") },
		"autocomplete": func() received {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_, _ = r.box.As(anna).Autocomplete(ctx, yard, "look", sandbox.Focused("at", "a"))
			return r.interaction()
		},
	}
	data := map[int]body{4: {"content": "x"}, 5: {}, 6: {}, 7: {"content": "x"}, 8: {"choices": list{}}, 9: {"custom_id": "m", "title": "t", "components": list{textDisplay("x")}}}
	allowed := map[string]string{"command": "4 5 9 12", "component": "4 5 6 7 9 12", "autocomplete": "8"}
	for kind, begin := range start {
		for _, typ := range []int{1, 4, 5, 6, 7, 8, 9, 10, 12, 99} {
			a := r.post(begin().callback(), body{"type": typ, "data": data[typ]})
			if strings.Contains(" "+allowed[kind]+" ", fmt.Sprintf(" %d ", typ)) {
				a.ok(http.StatusNoContent)
			} else {
				a.invalid("type", "BASE_TYPE_CHOICES")
			}
		}
	}
	r.post(r.play().callback(), body{}).invalid("type", "BASE_TYPE_REQUIRED")
}

func TestDeferralEdit(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), body{"type": 5, "data": body{"flags": 64 | 1<<15, "content": "ignored"}}).ok(http.StatusNoContent)
	r.state(in, sandbox.StateDeferred)
	m := r.box.As(anna).Messages(yard)
	if len(m) != 1 || m[0].Flags != api.FlagEphemeral|api.FlagLoading || m[0].Content != "" {
		t.Fatalf("thinking: %+v; the flag for components v2 is ignored on a deferral", m)
	}
	r.patch(r.webhook(in)+"/messages/@original", v2(textDisplay("done"))).ok(http.StatusOK)
	r.state(in, sandbox.StateAnswered)
	m = r.box.As(anna).Messages(yard)
	if len(m) != 1 || m[0].Flags != api.FlagEphemeral|api.FlagComponentsV2 || m[0].EditedTimestamp != nil {
		t.Errorf("afterwards: %+v", m)
	}
}

func TestDeferralFirstFollowUp(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), body{"type": 5}).ok(http.StatusNoContent)
	id := r.box.As(anna).Messages(yard)[0].ID
	got := r.post(r.webhook(in), body{"content": "first <@" + ben + ">", "flags": 64}).ok(http.StatusOK)
	if got["id"] != id || r.box.As(ben).Mentions(yard) != 0 {
		t.Errorf("id %v, want that of the deferral, %s; Ben was notified %d times", got["id"], id, r.box.As(ben).Mentions(yard))
	}
	if n := len(r.box.As(ben).Messages(yard)); n != 1 {
		t.Error("the deferral fixes whether the answer is private")
	}
	second := r.post(r.webhook(in), body{"content": "second <@" + ben + ">"}).ok(http.StatusOK)
	if second["id"] == id || r.box.As(ben).Mentions(yard) != 1 {
		t.Errorf("the second follow-up: %v, %d notifications", second["id"], r.box.As(ben).Mentions(yard))
	}
	if text(t, second, "message_reference", "message_id") != id {
		t.Errorf("the follow-up replies to %v", second["message_reference"])
	}
}

func TestCallbackToComponent(t *testing.T) {
	r := newRig(t)
	message := r.say(body{"content": "before", "components": list{button("b")}})
	in := r.click(ben, message, "b")
	if text(t, in.data, "message", "id") != message || text(t, in.data, "data", "custom_id") != "b" || dig(t, in.data, "data", "component_type") != 2.0 {
		t.Errorf("delivered %v", in.data["data"])
	}
	got := r.post(in.callback()+"?with_response=true", body{"type": 7, "data": body{"content": "after <@" + chloe + ">", "components": list{}}}).ok(http.StatusOK)
	if text(t, got, "interaction", "response_message_id") != message || dig(t, got, "resource", "type") != 7.0 {
		t.Errorf("type 7: %v", got)
	}
	m := r.box.As(anna).Messages(yard)
	if len(m) != 1 || !strings.HasPrefix(m[0].Content, "after") || len(m[0].Components) != 0 || m[0].EditedTimestamp == nil {
		t.Errorf("after type 7: %+v", m)
	}
	if _, err := r.box.As(ben).Click(yard, message, "b"); err == nil {
		t.Error("the button is still there")
	}

	message = r.say(body{"content": "before", "components": list{button("b")}})
	in = r.click(ben, message, "b")
	r.post(in.callback(), body{"type": 6}).ok(http.StatusNoContent)
	r.patch(r.webhook(in)+"/messages/@original", body{"content": "edited"}).ok(http.StatusOK)
	if got := r.get(r.channel() + "/" + message).ok(http.StatusOK); got["content"] != "edited" {
		t.Errorf("@original of type 6 is the message of the button: %v", got["content"])
	}

	in = r.click(ben, message, "b")
	r.post(in.callback(), body{"type": 4, "data": body{"content": "answer", "flags": 64}}).ok(http.StatusNoContent)
	m = r.box.As(ben).Messages(yard)
	last := m[len(m)-1]
	if last.Type != api.MessageReply || last.MessageReference.MessageID != message || last.InteractionMetadata.InteractedMessageID != message {
		t.Errorf("the answer to a button: %+v", last)
	}
}

func TestCallbackAutocomplete(t *testing.T) {
	r := newRig(t)
	r.commands("", list{command("move", option(3, "text", body{"autocomplete": true}), option(4, "n", body{"autocomplete": true}))}).ok(http.StatusOK)
	type outcome struct {
		choices []api.Choice
		err     error
	}
	ask := func(o sandbox.CommandOption) (received, chan outcome) {
		done := make(chan outcome, 1)
		go func() {
			cs, err := r.box.As(anna).Autocomplete(t.Context(), yard, "move", o)
			done <- outcome{cs, err}
		}()
		return r.interaction(), done
	}
	in, done := ask(sandbox.Focused("text", "b2"))
	if o := dig(t, in.data, "data", "options", 0).(body); in.data["type"] != 4.0 || o["focused"] != true || o["value"] != "b2" {
		t.Errorf("delivered %v", o)
	}
	long := strings.Repeat("x", 101)
	for _, bad := range []struct {
		choices any
		path    string
		code    string
	}{
		{choices(26)["choices"], "choices", "BASE_TYPE_MAX_LENGTH"},
		{list{body{"name": long, "value": "v"}}, "choices.0.name", "BASE_TYPE_BAD_LENGTH"},
		{list{body{"name": "n", "value": long}}, "choices.0.value", "BASE_TYPE_MAX_LENGTH"},
		{list{body{"name": "n", "value": 3}}, "choices.0.value", "STRING_TYPE_CONVERT"},
	} {
		r.post(in.callback(), body{"type": 8, "data": body{"choices": bad.choices}}).invalid("data."+bad.path, bad.code)
	}
	r.post(in.callback(), body{"type": 8, "data": body{"choices": list{body{"name": "b2-b4 · two", "value": "b2-b4"}}}}).ok(http.StatusNoContent)
	if got := <-done; got.err != nil || len(got.choices) != 1 || got.choices[0].Text() != "b2-b4" {
		t.Errorf("suggestions: %+v", got)
	}
	r.post(r.webhook(in), body{"content": "x"}).fails(http.StatusNotFound, 10015)

	in, done = ask(sandbox.Focused("n", ""))
	r.post(in.callback(), body{"type": 8, "data": body{"choices": list{body{"name": "seven", "value": 7}}}}).ok(http.StatusNoContent)
	if got := <-done; got.err != nil || got.choices[0].Text() != "7" {
		t.Errorf("suggestions of a number: %+v", got)
	}

	_, done = ask(sandbox.Focused("text", ""))
	r.clock.advance(3 * time.Second)
	if got := <-done; !errors.Is(got.err, sandbox.ErrNoAnswer) {
		t.Errorf("after three seconds: %v", got.err)
	}
}

func TestInteractionTokenExpires(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), content("x")).ok(http.StatusNoContent)
	original := r.webhook(in) + "/messages/@original"
	r.clock.advance(15*time.Minute - time.Second)
	r.patch(original, body{"content": "y"}).ok(http.StatusOK)
	r.clock.advance(time.Second)
	r.patch(original, body{"content": "z"}).fails(http.StatusUnauthorized, 50027)
	r.post(r.webhook(in), body{"content": "z"}).fails(http.StatusUnauthorized, 50027)
	id := r.box.As(anna).Messages(yard)[0].ID
	r.patch(r.channel()+"/"+id, body{"content": "by the channel"}).ok(http.StatusOK)
}

func TestWebhookRoutes(t *testing.T) {
	r := newRig(t)
	in := r.play()
	hook := r.webhook(in)
	r.post(hook, body{"content": "too early"}).fails(http.StatusNotFound, 10015)
	r.post(in.callback(), content("original")).ok(http.StatusNoContent)
	r.post("/webhooks/"+nobody+"/"+in.token, body{"content": "x"}).fails(http.StatusNotFound, 10015)
	r.post("/webhooks/"+r.box.ApplicationID()+"/wrong", body{"content": "x"}).fails(http.StatusNotFound, 10015)

	r.get(hook + "/messages/%40original").ok(http.StatusOK) // as discord.js writes it
	follow := r.post(hook, body{"content": "follow-up", "flags": 64}).ok(http.StatusOK)
	id := text(t, follow, "id")
	if len(r.box.As(ben).Messages(yard)) != 1 || len(r.box.As(anna).Messages(yard)) != 2 {
		t.Error("the follow-up is not private")
	}
	if got := r.get(hook + "/messages/" + id).ok(http.StatusOK); got["content"] != "follow-up" {
		t.Errorf("got %v", got)
	}
	r.patch(hook+"/messages/"+id, body{"content": "changed"}).ok(http.StatusOK)
	if got := r.get(hook + "/messages/" + id).ok(http.StatusOK); got["content"] != "changed" {
		t.Errorf("got %v", got)
	}
	r.send(10, http.MethodDelete, hook+"/messages/"+id, nil).ok(http.StatusNoContent)
	r.get(hook+"/messages/"+id).fails(http.StatusNotFound, 10008)
	elsewhere := r.say(body{"content": "not of this token"})
	r.patch(hook+"/messages/"+elsewhere, body{"content": "x"}).fails(http.StatusNotFound, 10008)
	r.send(10, http.MethodDelete, hook+"/messages/@original", nil).ok(http.StatusNoContent)
	r.get(hook+"/messages/@original").fails(http.StatusNotFound, 10008)
}

func TestRedeliver(t *testing.T) {
	r := newRig(t)
	in := r.play()
	check(t, r.box.Redeliver(in.id))
	if again := r.interaction(); again.id != in.id || again.token != in.token {
		t.Errorf("redelivered %v", again)
	}
	if err := r.box.Redeliver(nobody); err == nil {
		t.Error("redelivered nothing")
	}
}
