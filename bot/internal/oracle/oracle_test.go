package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"castellan/bot/internal/facts"
)

const (
	callback = "/interactions/{interaction_id}/{interaction_token}/callback"
	messages = "/channels/{channel_id}/messages"
	commands = "/applications/{application_id}/commands"
	original = "/webhooks/{application_id}/{token}/messages/@original"
)

// board is a message with placeholders for additions to the container, the
// picture, the button and the message.
const board = `{
	"flags": 32768,
	"components": [{
		"type": 17, "accent_color": 3447003%s,
		"components": [
			{"type": 10, "content": "<@3> to move"},
			{"type": 12, "items": [{"media": {"url": "attachment://board-1.png"}, "description": "The board"%s}]},
			{"type": 1, "components": [{"type": 2, "style": 2, "label": "Up", "custom_id": "match/1/2/up"%s}]}
		]
	}],
	"allowed_mentions": {"parse": [], "users": ["3"]},
	"attachments": [{"id": "0", "filename": "board-1.png", "description": "The board"}]%s
}`

func post(container, picture, button, message string) string {
	return fmt.Sprintf(board, container, picture, button, message)
}

func answerWith(kind int, data string) string {
	return fmt.Sprintf(`{"type": %d, "data": %s}`, kind, data)
}

func TestCheckRequest(t *testing.T) {
	o := New()
	good := post("", "", "", "")
	tests := []struct {
		name, method, route string
		body                string
		files               bool
		faults              []string // "pointer: part of the problem"
	}{
		{name: "a board message", method: "POST", route: messages, body: post("", "", "", `, "nonce": "m1-2", "enforce_nonce": true`), files: true},
		{name: "an edited message", method: "PATCH", route: messages + "/{message_id}", body: good, files: true},
		{name: "an edited original response", method: "PATCH", route: original, body: good, files: true},
		{name: "a follow-up", method: "POST", route: "/webhooks/{application_id}/{token}", body: good, files: true},
		{name: "a reply", method: "POST", route: callback, body: answerWith(4, good), files: true},
		{name: "a deferral", method: "POST", route: callback, body: answerWith(5, `{"flags": 64}`)},
		{name: "a deferral of a click", method: "POST", route: callback, body: `{"type": 6}`},
		{name: "an updated message", method: "POST", route: callback, body: answerWith(7, good), files: true},
		{name: "autocomplete with strings", method: "POST", route: callback, body: answerWith(8, `{"choices": [{"name": "up", "value": "up"}]}`)},
		{name: "autocomplete with numbers", method: "POST", route: callback, body: answerWith(8, `{"choices": [{"name": "eleven", "value": 11}]}`)},
		{name: "autocomplete without choices", method: "POST", route: callback, body: answerWith(8, `{"choices": []}`)},
		{name: "all commands", method: "PUT", route: commands, body: `[
			{"name": "challenge", "description": "d", "contexts": [0], "options": [
				{"type": 1, "name": "trails", "description": "d", "options": [
					{"type": 6, "name": "opponent", "description": "d", "required": true},
					{"type": 4, "name": "towers", "description": "d", "min_value": 1, "max_value": 9},
					{"type": 4, "name": "size", "description": "d", "choices": [{"name": "11", "value": 11}]},
					{"type": 3, "name": "first", "description": "d", "choices": [{"name": "me", "value": "me"}]}]}]},
			{"name": "move", "type": 1, "description": "d", "options": [
				{"type": 3, "name": "turn", "description": "d", "autocomplete": true, "max_length": 200}]}]`},
		{name: "a GET without a body", method: "GET", route: "/gateway/bot"},

		{name: "tts beside choices", method: "POST", route: callback,
			body: answerWith(8, `{"tts": false, "choices": [{"name": "up", "value": "up"}]}`), faults: []string{"/data/tts: unknown field"}},
		{name: "tts in an updated message", method: "POST", route: callback,
			body: answerWith(7, `{"tts": false, "content": "x"}`), faults: []string{"/data/tts: unknown field"}},
		{name: "an unknown field of a choice", method: "POST", route: callback,
			body: answerWith(8, `{"choices": [{"name": "up", "value": "up", "hint": "x"}]}`), faults: []string{"/data/choices/0/hint: unknown field"}},
		{name: "a field that only another callback type has", method: "POST", route: callback,
			body: answerWith(7, `{"choices": []}`), faults: []string{"/data/choices: unknown field"}},
		{name: "a callback type that does not exist", method: "POST", route: callback,
			body: `{"type": 3}`, faults: []string{"/type: value must be one of "}},
		{name: "a component of no known type", method: "POST", route: messages,
			body: `{"flags": 32768, "components": [{"type": 99}]}`, faults: []string{"/components/0/type: value must be one of 1, 17, 13, 12, 9, 14, 10"}},
		{name: "an unknown field of a container", method: "POST", route: messages,
			body: post(`, "colour": 1`, "", "", ""), files: true, faults: []string{"/components/0/colour: unknown field"}},
		{name: "an unknown field of a picture", method: "POST", route: messages,
			body: post("", `, "alt": "x"`, "", ""), files: true, faults: []string{"/components/0/components/1/items/0/alt: unknown field"}},
		{name: "a field that only another component has", method: "POST", route: messages,
			body: post("", "", `, "min_values": 1`, ""), files: true, faults: []string{"/components/0/components/2/components/0/min_values: unknown field"}},
		{name: "two unknown fields at once", method: "POST", route: messages,
			body: post(`, "colour": 1`, "", "", `, "Channel": null`), files: true, faults: []string{"/Channel: unknown field", "/components/0/colour: unknown field"}},
		{name: "a component that is not allowed there", method: "POST", route: messages,
			body: `{"components": [{"type": 2, "style": 1, "custom_id": "a"}]}`, faults: []string{"/components/0/type: "}},
		{name: "an unknown button style", method: "POST", route: messages,
			body:   `{"components": [{"type": 1, "components": [{"type": 2, "style": 9, "custom_id": "a"}]}]}`,
			faults: []string{"/components/0/components/0/style: "}},
		{name: "a custom id of 101 characters, in a container", method: "POST", route: messages,
			body: `{"components": [{"type": 17, "components": [{"type": 1, "components": [{"type": 2, "style": 1, "custom_id": "` +
				strings.Repeat("x", 101) + `"}]}]}]}`,
			faults: []string{"/components/0/components/0/components/0/custom_id: maxLength: got 101, want 100"}},
		{name: "a fault and an unknown field in the same component", method: "POST", route: messages,
			body:   `{"components": [{"type": 1, "components": [{"type": 2, "style": "blue", "Label": "x"}]}]}`,
			faults: []string{"/components/0/components/0/style: got string, want integer", "/components/0/components/0/Label: unknown field"}},
		{name: "six buttons in a row", method: "POST", route: messages,
			body: `{"components": [{"type": 1, "components": [` +
				strings.TrimSuffix(strings.Repeat(`{"type": 2, "style": 1, "custom_id": "a"},`, 6), ",") + `]}]}`,
			faults: []string{"/components/0/components: maxItems"}},
		{name: "an empty row", method: "POST", route: messages,
			body: `{"components": [{"type": 1, "components": []}]}`, faults: []string{"/components/0/components: minItems"}},
		{name: "a picture without URL", method: "POST", route: messages,
			body: `{"components": [{"type": 12, "items": [{"media": {}}]}]}`, faults: []string{"/components/0/items/0/media: missing property 'url'"}},
		{name: "an attachment's id as a number", method: "POST", route: messages,
			body: `{"attachments": [{"id": 0}]}`, files: true, faults: []string{"/attachments/0/id: got number, want string"}},
		{name: "a wrong type at the top level", method: "POST", route: messages,
			body: `{"content": 7}`, faults: []string{"/content: got number, want string or null"}},
		{name: "a number that does not fit in 32 bits", method: "POST", route: messages,
			body: `{"components": [{"type": 10, "id": 2147483648, "content": "x"}]}`, faults: []string{"/components/0/id: "}},
		{name: "a mention that is not a snowflake", method: "POST", route: messages,
			body: `{"allowed_mentions": {"users": ["anna"]}}`, faults: []string{"/allowed_mentions/users/0: "}},
		{name: "an unknown kind of mention", method: "POST", route: messages,
			body: `{"allowed_mentions": {"parse": ["user"]}}`, faults: []string{"/allowed_mentions/parse/0: "}},
		{name: "a nonce of 26 characters", method: "POST", route: messages,
			body: `{"nonce": "` + strings.Repeat("n", 26) + `"}`, faults: []string{"/nonce: maxLength"}},
		{name: "a subcommand with a field of other options", method: "PUT", route: commands,
			body:   `[{"name": "a", "description": "d", "options": [{"type": 1, "name": "b", "description": "d", "autocomplete": false}]}]`,
			faults: []string{"/0/options/0/autocomplete: unknown field"}},
		{name: "an unknown field of a command", method: "PUT", route: commands,
			body: `[{"name": "a", "description": "d", "version": "1"}]`, faults: []string{"/0/version: unknown field"}},
		{name: "a command option of an unknown type", method: "PUT", route: commands,
			body: `[{"name": "a", "description": "d", "options": [{"type": 12, "name": "b", "description": "d"}]}]`, faults: []string{"/0/options/0/type: "}},
		{name: "26 options", method: "PUT", route: commands,
			body: `[{"name": "a", "description": "d", "options": [` +
				strings.TrimSuffix(strings.Repeat(`{"type": 5, "name": "b", "description": "d"},`, 26), ",") + `]}]`,
			faults: []string{"/0/options: maxItems"}},
		{name: "a string as the value of an integer choice", method: "PUT", route: commands,
			body: `[{"name": "a", "description": "d", "options": [{"type": 4, "name": "b", "description": "d",
				"choices": [{"name": "11", "value": "11"}]}]}]`,
			faults: []string{"/0/options/0/choices/0/value: got string, want integer"}},
		{name: "a missing body", method: "POST", route: messages, faults: []string{": the operation needs a body"}},
		{name: "an unexpected body", method: "DELETE", route: messages + "/{message_id}", body: `{}`, faults: []string{": the operation takes no body"}},
		{name: "unexpected files", method: "PUT", route: commands, body: `[]`, files: true, faults: []string{": the operation takes no files"}},
		{name: "broken JSON", method: "POST", route: messages, body: `{"content": `, faults: []string{": not JSON"}},
		{name: "trailing data", method: "POST", route: messages, body: `{} {}`, faults: []string{": not JSON"}},
		{name: "an unknown route", method: "POST", route: "/channels/{channel_id}/board", body: `{}`, faults: []string{": there is no such operation"}},
		{name: "an unknown method", method: "PUT", route: messages, body: `{}`, faults: []string{": there is no such operation"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// 500 has no description: only the request is looked at.
			compare(t, o.Check(Exchange{Method: tt.method, Route: tt.route,
				RequestJSON: []byte(tt.body), HasFiles: tt.files, Status: 500}), "request", tt.faults)
		})
	}
}

// answered returns a message as Discord returns it, with the id of its text
// component and an addition to its timestamp.
func answered(number, tail string) string {
	return fmt.Sprintf(`{
		"id": "7", "channel_id": "5", "type": 0, "content": "", "timestamp": "2026-11-21T10:00:00.000000+00:00%s", "edited_timestamp": null,
		"author": {"id": "1", "username": "castellan", "avatar": null, "discriminator": "0001", "public_flags": 0, "flags": 0,
			"global_name": null, "primary_guild": null, "bot": true},
		"mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "flags": 32768, "pinned": false, "mention_everyone": false, "tts": false,
		"components": [{"type": 17, "id": 1, "accent_color": 3447003, "spoiler": false, "components": [
			{"type": 10, "id": %s, "content": "x"},
			{"type": 12, "id": 3, "items": [{"description": "The board", "spoiler": false,
				"media": {"id": "4", "url": "https://cdn.example/board.png", "proxy_url": "https://cdn.example/board.png"}}]}]}]}`, tail, number)
}

func TestCheckAnswer(t *testing.T) {
	o := New()
	const gateway = `{"url": "wss://gateway.example", "shards": 1, "session_start_limit":
		{"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}}`
	tests := []struct {
		name, method, route, request string
		status                       int
		body                         string
		faults                       []string
	}{
		{name: "as described", method: "GET", route: "/gateway/bot", status: 200, body: gateway},
		{name: "a message with its board", method: "POST", route: messages, request: `{}`, status: 200, body: answered("10", "")},
		{name: "the message of a callback", method: "POST", route: callback, request: `{"type": 7}`, status: 200,
			body: `{"interaction": {"id": "9", "type": 3}, "resource": {"type": 7, "message": ` + answered("10", "") + `}}`},
		{name: "an undescribed field is accepted", method: "GET", route: "/gateway/bot", status: 200, body: `{"more": 1,` + gateway[1:]},
		{name: "an empty body", method: "POST", route: callback, request: `{"type": 6}`, status: 204},
		{name: "an error with field errors", method: "POST", route: messages, request: `{}`, status: 400, body: `{"code": 50035, "message": "Invalid Form Body",
			"errors": {"components": {"0": {"type": {"_errors": [{"code": "X", "message": "y"}]}}}}}`,
			faults: []string{"/errors/components/0/type/_errors/0/code: got string, want integer"}},
		{name: "an unauthorised request", method: "GET", route: "/gateway/bot", status: 401, body: `{"message": "401: Unauthorized", "code": 0}`},
		{name: "a rate limit", method: "POST", route: messages, request: `{}`, status: 429,
			body: `{"message": "You are being rate limited.", "code": 0, "retry_after": 0.5, "global": false}`},
		{name: "a failure of the service", method: "POST", route: messages, request: `{}`, status: 502, body: "<html>"},

		{name: "an error without code", method: "GET", route: "/gateway/bot", status: 404, body: `{"message": "x"}`,
			faults: []string{": missing property 'code'"}},
		{name: "a rate limit without retry_after", method: "POST", route: messages, request: `{}`, status: 429,
			body: `{"message": "x", "code": 0, "global": false}`, faults: []string{": missing property 'retry_after'"}},
		{name: "a missing field", method: "GET", route: "/gateway/bot", status: 200, body: strings.Replace(gateway, `"shards": 1,`, "", 1),
			faults: []string{": missing property 'shards'"}},
		{name: "an array as a message", method: "POST", route: messages, request: `{}`, status: 200, body: `[]`,
			faults: []string{": got array, want object"}},
		{name: "a component without id in the message of a callback", method: "POST", route: callback, request: `{"type": 7}`, status: 200,
			body:   `{"interaction": {"id": "9", "type": 3}, "resource": {"type": 7, "message": ` + answered("null", "") + `}}`,
			faults: []string{"/resource/message/components/0/components/0/id: got null, want integer"}},
		{name: "an invalid identifier", method: "POST", route: callback, request: `{"type": 6}`, status: 200,
			body: `{"interaction": {"id": "one", "type": 3}}`, faults: []string{"/interaction/id: "}},
		{name: "an invalid time", method: "POST", route: messages, request: `{}`, status: 200, body: answered("10", "T"),
			faults: []string{"/timestamp: "}},
		{name: "an unexpected body", method: "POST", route: callback, request: `{"type": 6}`, status: 204, body: `{}`,
			faults: []string{": the body must be empty"}},
		{name: "a missing body", method: "GET", route: "/gateway/bot", status: 200, faults: []string{": the body is empty"}},
		{name: "not JSON", method: "GET", route: "/gateway/bot", status: 200, body: "OK", faults: []string{": not JSON"}},
		{name: "an undescribed status", method: "GET", route: "/gateway/bot", status: 201, body: gateway,
			faults: []string{": there is no such status"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, o.Check(Exchange{Method: tt.method, Route: tt.route, RequestJSON: []byte(tt.request),
				Status: tt.status, ResponseBody: []byte(tt.body)}), fmt.Sprintf("answer %d", tt.status), tt.faults)
		})
	}
}

// compare expects exactly some faults, each given as pointer and beginning of the
// problem, in a part.
func compare(t *testing.T, errs []error, part string, want []string) {
	t.Helper()
	left := append([]string(nil), want...)
	for _, err := range errs {
		f, ok := err.(*Fault)
		if !ok {
			t.Fatalf("%v is a %T, want a *Fault", err, err)
		}
		got, found := f.Pointer+": "+f.Problem, false
		for i, w := range left {
			if f.Part == part && strings.HasPrefix(got, w) {
				left, found = append(left[:i], left[i+1:]...), true
				break
			}
		}
		if !found {
			t.Errorf("unexpected fault: %v", f)
		}
	}
	for _, w := range left {
		t.Errorf("fault not found: %s %s", part, w)
	}
}

func TestCount(t *testing.T) {
	o := New()
	var wg sync.WaitGroup
	for _, x := range []Exchange{
		{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 6}`), Status: 204},
		{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 6}`), Status: 404, ResponseBody: []byte(`{"code": 10062, "message": "Unknown interaction"}`)},
		{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 5}`), HasFiles: true, Status: 204},
		{Method: "patch", Route: "/webhooks/12/abc/messages/@original", RequestJSON: []byte(`{}`), Status: 500},
		{Method: "DELETE", Route: "/webhooks/12/abc/messages/99", Status: 204},
		{Method: "GET", Route: "/gateway/bot", Status: 404, ResponseBody: []byte(`{"code": 0, "message": "x", "a": [{}], "b": 1}`)},
	} {
		wg.Go(func() { o.Assert(t, x) })
	}
	wg.Wait()

	counts := map[string]int{
		"POST /interactions/{id}/{token}/callback type 6":         2,
		"POST " + callback + " type 5":                            1,
		"POST " + callback + " type 7":                            0,
		"PATCH " + original:                                       1,
		"PATCH /webhooks/{webhook_id}/{token}/messages/{message}": 0,
		"DELETE /webhooks/{webhook_id}/{token}/messages/{id}":     1,
		"GET /no/such/route":                                      0,
	}
	for key, want := range counts {
		if got := o.Count(key); got != want {
			t.Errorf("Count(%q) = %d, want %d", key, got, want)
		}
	}
}

func TestRequire(t *testing.T) {
	o := New()
	o.Assert(t, Exchange{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 6}`), Status: 204})
	probe := &recorder{TB: t}
	o.Require(probe, "POST "+callback+" type 6")
	if len(probe.errors) != 0 {
		t.Errorf("a request that was made is reported: %q", probe.errors)
	}
	o.Require(probe, "POST "+callback+" type 7", "POST "+callback+" type 6", "POST "+messages)
	if len(probe.errors) != 2 || !strings.Contains(probe.errors[0], "type 7") || !strings.Contains(probe.errors[1], messages) {
		t.Errorf("errors = %q, want one for type 7 and one for messages", probe.errors)
	}
}

// recorder is a testing.TB that records errors instead of failing.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// The test uses a small description of its own, so that it covers unions, maps
// and free objects whatever Discord's description has.
func TestUnknownFields(t *testing.T) {
	const description = `{"paths": {"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": {
		"type": "object",
		"properties": {
			"union": {"anyOf": [
				{"type": "object", "properties": {"a": {"type": "integer"}}},
				{"type": "object", "properties": {"b": {"type": "integer"}, "c": {}}}]},
			"all": {"allOf": [
				{"type": "object", "properties": {"a": {"type": "object", "properties": {"p": {}}}}},
				{"type": "object", "properties": {"a": {"type": "object", "properties": {"q": {}}}, "b": {}}}]},
			"map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"v": {}}}},
			"free": {"type": "object"},
			"none": {"type": "object", "properties": {}, "additionalProperties": true},
			"nested": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/components/schemas/leaf"}}}
		}}}}}}}},
		"components": {"schemas": {"leaf": {"type": ["object", "null"], "properties": {"x~/y": {}}}}}}`
	tests := []struct {
		name, body string
		faults     []string
	}{
		{name: "fields of all matching branches", body: `{"union": {"a": 1, "b": 2, "c": 3}}`},
		{name: "a field of a branch that does not match", body: `{"union": {"a": 1, "b": "two"}}`, faults: []string{"/union/b: unknown field"}},
		{name: "a field of no branch", body: `{"union": {"d": 1}}`, faults: []string{"/union/d: unknown field"}},
		{name: "parts of an allOf are combined at every depth", body: `{"all": {"a": {"p": 1, "q": 1}, "b": 1}}`},
		{name: "a field of no part", body: `{"all": {"a": {"r": 1}}}`, faults: []string{"/all/a/r: unknown field"}},
		{name: "any name in a map", body: `{"map": {"anything": {"v": 1}}}`},
		{name: "an unknown field of a value in a map", body: `{"map": {"anything": {"w": 1}}}`, faults: []string{"/map/anything/w: unknown field"}},
		{name: "an object without description", body: `{"free": {"a": {"b": 1}}}`},
		{name: "an object that is declared open", body: `{"none": {"a": {"b": 1}}}`},
		{name: "arrays within arrays, null among them, and escapes", body: `{"nested": [[null, {"x~/y": 1}, {"x": 1, "~/": 2}]]}`,
			faults: []string{"/nested/0/2/x: unknown field", "/nested/0/2/~0~1: unknown field"}},
	}
	raw, err := facts.Distill(strings.NewReader(description))
	if err != nil {
		t.Fatal(err)
	}
	o := &Oracle{facts: &facts.Facts{}, counts: map[string]int{}}
	if err := json.Unmarshal(raw, o.facts); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, o.Check(Exchange{Method: "POST", Route: "/x", RequestJSON: []byte(tt.body), Status: 500}), "request", tt.faults)
		})
	}
}
