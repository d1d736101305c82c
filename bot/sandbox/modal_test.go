package sandbox_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"castellan/bot/sandbox"
)

func label(text string, component body) body {
	return body{"type": 18, "label": text, "component": component}
}

func input(customID string, more body) body {
	out := body{"type": 4, "custom_id": customID, "style": 1}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func modal(components ...any) body {
	return body{"type": 9, "data": body{"custom_id": "ask", "title": "A question", "components": append(list{}, components...)}}
}

func TestModal(t *testing.T) {
	r := newRig(t)
	in := r.play()
	r.post(in.callback(), modal(
		textDisplay("Tell us."),
		label("Name", input("name", body{"min_length": 2, "max_length": 5})),
		label("Colour", body{"type": 3, "custom_id": "colour", "options": list{body{"label": "Red", "value": "r"}, body{"label": "Blue", "value": "b"}}}),
		label("Who", body{"type": 5, "custom_id": "who", "required": false, "min_values": 0}),
		body{"type": 1, "components": list{input("note", body{"label": "Note", "required": false, "value": "as it was"})}},
	)).ok(http.StatusNoContent)
	r.state(in, sandbox.StateAnswered)
	m, open := r.box.Modal(in.id)
	if !open || m.Title != "A question" || len(m.Components) != 5 || m.Components[1].Components[0].CustomID != "name" {
		t.Fatalf("%+v", m)
	}
	for want, fields := range map[string][]sandbox.Field{
		"Name must have 2 to 5":    {sandbox.Fill("name", "x"), sandbox.Fill("colour", "r")},
		"choose 1 to 1":            {sandbox.Fill("name", "Anna")},
		"not one of the choices":   {sandbox.Fill("name", "Anna"), sandbox.Fill("colour", "green")},
		`has no field "surprise"`:  {sandbox.Fill("name", "Anna"), sandbox.Fill("colour", "r"), sandbox.Fill("surprise", "x")},
		"must have 2 to 5 charact": {sandbox.Fill("colour", "r")},
	} {
		if _, err := r.box.As(anna).Submit(in.id, fields...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	good := []sandbox.Field{sandbox.Fill("name", "Anna"), sandbox.Fill("colour", "b"), sandbox.Fill("who", ben)}
	if _, err := r.box.As(ben).Submit(in.id, good...); err == nil {
		t.Error("Ben fills in Anna's dialog")
	}
	must(r.box.As(anna).Submit(in.id, good...))
	sent := r.interaction()
	data := sent.data["data"]
	if sent.data["type"] != 5.0 || text(t, data, "custom_id") != "ask" || sent.data["message"] != nil ||
		dig(t, data, "components", 0, "type") != 10.0 ||
		text(t, data, "components", 1, "component", "value") != "Anna" ||
		text(t, data, "components", 2, "component", "values", 0) != "b" ||
		text(t, data, "components", 3, "component", "values", 0) != ben ||
		text(t, data, "components", 4, "components", 0, "value") != "as it was" ||
		text(t, data, "resolved", "users", ben, "id") != ben {
		t.Errorf("%v", data)
	}
	if _, err := r.box.As(anna).Submit(in.id, good...); err == nil {
		t.Error("a dialog is sent twice")
	}
	// A modal opens no other, and one of a command has no message to update.
	r.post(sent.callback(), modal(label("x", input("y", nil)))).invalid("type", "BASE_TYPE_CHOICES")
	r.post(sent.callback(), body{"type": 7, "data": body{"content": "x"}}).invalid("type", "BASE_TYPE_CHOICES")
	r.post(sent.callback(), content("thank you")).ok(http.StatusNoContent)
	answer := r.get(r.webhook(sent) + "/messages/@original").ok(http.StatusOK)
	if dig(t, answer, "interaction_metadata", "type") != 5.0 || text(t, answer, "interaction_metadata", "triggering_interaction_metadata", "id") != in.id {
		t.Errorf("%v", answer["interaction_metadata"])
	}
}

// group returns a radio group (21) or checkbox group (22) with n options, whose
// values are "0", "1" and so on.
func group(kind, n int, more body) body {
	options := list{}
	for i := range n {
		options = append(options, body{"label": fmt.Sprint("Option ", i), "value": fmt.Sprint(i), "default": i == 1})
	}
	out := body{"type": kind, "custom_id": "g", "options": options}
	maps.Copy(out, more)
	return out
}

func TestNewerModalComponents(t *testing.T) {
	r := newRig(t)
	me := r.box.As(anna)
	photo := must(me.Upload("a b.png", picture(t, 1, 1)))
	note := must(me.Upload("note.txt", []byte("hello")))
	submit := func(component body, values ...string) (received, error) {
		t.Helper()
		i := r.play()
		r.post(i.callback(), modal(label("x", component))).ok(http.StatusNoContent)
		var fields []sandbox.Field
		if values != nil {
			fields = append(fields, sandbox.Fill(component["custom_id"].(string), values...))
		}
		if _, err := me.Submit(i.id, fields...); err != nil {
			return received{}, err
		}
		return r.interaction(), nil
	}
	none := []string{}
	upload := func(more body) body {
		out := body{"type": 19, "custom_id": "f"}
		maps.Copy(out, more)
		return out
	}
	for _, tt := range []struct {
		name      string
		component body
		values    []string
		key       string
		want      any // nil with an empty key: refused
	}{
		{"a radio group", group(21, 3, nil), []string{"2"}, "value", "2"},
		{"its default", group(21, 3, nil), nil, "value", "1"},
		{"nothing chosen", group(21, 3, body{"required": false}), none, "value", nil},
		{"nothing chosen but required", group(21, 3, nil), none, "", nil},
		{"two of a radio group", group(21, 3, nil), []string{"0", "1"}, "", nil},
		{"a checkbox group", group(22, 3, nil), []string{"0", "1", "2"}, "values", list{"0", "1", "2"}},
		{"too many", group(22, 3, body{"max_values": 2}), []string{"0", "1", "2"}, "", nil},
		{"a checkbox", body{"type": 23, "custom_id": "c"}, []string{"true"}, "value", true},
		{"not checked", body{"type": 23, "custom_id": "c", "default": true}, none, "value", false},
		{"left as it was", body{"type": 23, "custom_id": "c", "default": true}, nil, "value", true},
		{"a file", upload(nil), []string{photo}, "values", list{photo}},
		{"two files", upload(body{"max_values": 2}), []string{photo, note}, "values", list{photo, note}},
		{"two files where one is allowed", upload(nil), []string{photo, note}, "", nil},
		{"a picture", upload(body{"file_types": list{"image"}}), []string{photo}, "values", list{photo}},
		{"not a picture", upload(body{"file_types": list{"image", ".pdf"}}), []string{note}, "", nil},
		{"an unknown file", upload(nil), []string{nobody}, "", nil},
	} {
		i, err := submit(tt.component, tt.values...)
		if tt.key == "" {
			if err == nil {
				t.Errorf("%s is accepted", tt.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		d := i.data["data"]
		if got := dig(t, d, "components", 0, "component", tt.key); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if tt.component["type"] == 19 {
			if f := dig(t, d, "resolved", "attachments", photo); text(t, f, "filename") != "a_b.png" || dig(t, f, "width") != 1.0 || dig(t, f, "ephemeral") != true {
				t.Errorf("%s: %v", tt.name, f)
			}
		}
	}
}

func TestModalOfComponent(t *testing.T) {
	r := newRig(t)
	id := r.say(body{"content": "x", "components": list{button("b")}})
	in := r.click(anna, id, "b")
	r.post(in.callback(), modal(label("Name", input("name", nil)))).ok(http.StatusNoContent)
	must(r.box.As(anna).Submit(in.id, sandbox.Fill("name", "A")))
	sent := r.interaction()
	if text(t, sent.data, "message", "id") != id {
		t.Errorf("%v", sent.data["message"])
	}
	r.post(sent.callback(), body{"type": 7, "data": body{"content": "changed"}}).ok(http.StatusNoContent)
	if m := r.get(r.channel() + "/" + id).ok(http.StatusOK); m["content"] != "changed" {
		t.Errorf("%v", m["content"])
	}
}

func TestModalLimits(t *testing.T) {
	r := newRig(t)
	in := r.play()
	refuse := func(path, code string, what body) {
		t.Helper()
		r.post(in.callback(), what).invalid("data."+path, code)
	}
	ok := label("Name", input("name", nil))
	long := modal(ok)
	long["data"].(body)["title"] = strings.Repeat("t", 46)
	refuse("title", "BASE_TYPE_BAD_LENGTH", long)
	refuse("components", "BASE_TYPE_BAD_LENGTH", modal())
	refuse("components", "BASE_TYPE_BAD_LENGTH", modal(ok, ok, ok, ok, ok, ok))
	refuse("components.0.type", "BASE_TYPE_CHOICES", modal(gallery("attachment://x")))
	refuse("components.0.label", "BASE_TYPE_BAD_LENGTH", modal(label(strings.Repeat("l", 46), input("a", nil))))
	refuse("components.0.component.type", "BASE_TYPE_CHOICES", modal(label("x", body{"type": 2, "style": 1, "label": "x", "custom_id": "b"})))
	refuse("components.0.component.options", "BASE_TYPE_BAD_LENGTH", modal(label("x", group(21, 1, nil))))
	refuse("components.0.component.options", "BASE_TYPE_BAD_LENGTH", modal(label("x", group(22, 11, nil))))
	refuse("components.0.component.min_values", "SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", modal(label("x", group(22, 3, body{"min_values": 3, "max_values": 2}))))
	refuse("components.0.component.required", "MODAL_COMPONENT_REQUIRED_MIN_VALUES", modal(label("x", body{"type": 19, "custom_id": "f", "min_values": 0, "required": true})))
	refuse("components.0.component.file_types.0", "FILE_TYPE_INVALID", modal(label("x", body{"type": 19, "custom_id": "f", "file_types": list{"png"}})))
	refuse("components.0.component.style", "BASE_TYPE_REQUIRED", modal(label("x", body{"type": 4, "custom_id": "b"})))
	refuse("components.0.component.min_length", "TEXT_INPUT_MIN_GREATER_THAN_MAX", modal(label("x", input("a", body{"min_length": 9, "max_length": 2}))))
	refuse("components.1.component.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", modal(ok, ok))
	refuse("components.0.components.0.label", "BASE_TYPE_REQUIRED", modal(body{"type": 1, "components": list{input("a", nil)}}))
	refuse("components.0.component.disabled", "MODAL_COMPONENT_DISABLED", modal(label("x", body{"type": 5, "custom_id": "u", "disabled": true})))
}

func TestContextMenuCommands(t *testing.T) {
	r := newRig(t)
	r.register(body{"name": "Greet", "type": 2}, body{"name": "Translate", "type": 3})
	must(r.box.As(anna).CommandOnUser(yard, "Greet", ben))
	in := r.interaction()
	if d := in.data["data"]; dig(t, d, "type") != 2.0 || text(t, d, "target_id") != ben || text(t, d, "resolved", "users", ben, "username") != "ben" || dig(t, d, "resolved", "members", ben, "permissions") == nil {
		t.Errorf("%v", d)
	}
	r.post(in.callback(), content("hello")).ok(http.StatusNoContent)
	m := r.get(r.webhook(in) + "/messages/@original").ok(http.StatusOK)
	if m["type"] != 23.0 || text(t, m, "interaction_metadata", "target_user", "id") != ben {
		t.Errorf("%v", m)
	}
	id := r.say(body{"content": "bonjour"})
	must(r.box.As(anna).CommandOnMessage(yard, "Translate", id))
	in = r.interaction()
	if d := in.data["data"]; text(t, d, "target_id") != id || text(t, d, "resolved", "messages", id, "content") != "bonjour" {
		t.Errorf("%v", d)
	}
	r.post(in.callback(), content("hello")).ok(http.StatusNoContent)
	m = r.get(r.webhook(in) + "/messages/@original").ok(http.StatusOK)
	if m["type"] != 23.0 || text(t, m, "interaction_metadata", "target_message_id") != id || text(t, m, "referenced_message", "id") != id {
		t.Errorf("%v", m)
	}
	for what, err := range map[string]error{
		"no such command": second(r.box.As(anna).CommandOnUser(yard, "Translate", ben)),
		"no such user":    second(r.box.As(anna).CommandOnUser(yard, "Greet", nobody)),
		"no such message": second(r.box.As(anna).CommandOnMessage(yard, "Translate", nobody)),
	} {
		if err == nil {
			t.Error(what)
		}
	}
}

func TestSelectDefaults(t *testing.T) {
	r := newRig(t)
	wardens := "1150000000000000201"
	menu := func(kind int, more body) body {
		m := body{"type": kind, "custom_id": "m"}
		for k, v := range more {
			m[k] = v
		}
		return body{"content": "x", "components": list{body{"type": 1, "components": list{m}}}}
	}
	start := func(id, kind string) body { return body{"default_values": list{body{"id": id, "type": kind}}} }
	for kind, tt := range map[int]struct{ id, name, resolved string }{5: {ben, "user", "users"}, 6: {wardens, "role", "roles"}, 7: {wardens, "role", "roles"}, 8: {hall, "channel", "channels"}} {
		m := r.post(r.channel(), menu(kind, start(tt.id, tt.name))).ok(http.StatusOK)
		if dig(t, m, "components", 0, "components", 0, "default_values", 0, "id") != tt.id {
			t.Errorf("%d: %v", kind, m["components"])
		}
		must(r.box.As(anna).Select(yard, text(t, m, "id"), "m", tt.id))
		if d := r.interaction().data["data"]; text(t, d, "resolved", tt.resolved, tt.id, "id") != tt.id {
			t.Errorf("%d: %v", kind, d)
		}
	}
	const at = "components.0.components.0.default_values"
	r.post(r.channel(), menu(5, start(wardens, "role"))).invalid(at+".0.type", "BASE_TYPE_CHOICES")
	r.post(r.channel(), menu(5, body{"default_values": list{body{"id": ben, "type": "user"}, body{"id": anna, "type": "user"}}})).invalid(at, "SELECT_COMPONENT_DEFAULT_VALUES_COUNT")
	// A channel select may accept some types only.
	m := r.post(r.channel(), menu(8, body{"channel_types": list{11}})).ok(http.StatusOK)
	if _, err := r.box.As(anna).Select(yard, text(t, m, "id"), "m", hall); err == nil {
		t.Error("a text channel in a menu of threads")
	}
}
