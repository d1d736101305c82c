package sandbox_test

import (
	"fmt"
	"maps"
	"net/http"
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
	if !open || m.Title != "A question" || len(m.Components) != 5 || m.Components[1].Component.CustomID != "name" {
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
	refuse("components", "BASE_TYPE_BAD_LENGTH", modal(ok, ok, ok, ok, ok, ok))
	refuse("components.0.component.type", "BASE_TYPE_CHOICES", modal(label("x", body{"type": 2, "style": 1, "label": "x", "custom_id": "b"})))
	refuse("components.0.component.min_values", "SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", modal(label("x", group(22, 3, body{"min_values": 3, "max_values": 2}))))
	refuse("components.0.component.required", "MODAL_COMPONENT_REQUIRED_MIN_VALUES", modal(label("x", body{"type": 19, "custom_id": "f", "min_values": 0, "required": true})))
	refuse("components.0.component.min_length", "TEXT_INPUT_MIN_GREATER_THAN_MAX", modal(label("x", input("a", body{"min_length": 9, "max_length": 2}))))
	refuse("components.1.component.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", modal(ok, ok))
	refuse("components.0.components.0.label", "BASE_TYPE_REQUIRED", modal(body{"type": 1, "components": list{input("a", nil)}}))
	refuse("components.0.component.disabled", "MODAL_COMPONENT_DISABLED", modal(label("x", body{"type": 5, "custom_id": "u", "disabled": true})))
}
