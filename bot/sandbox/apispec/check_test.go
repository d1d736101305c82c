package apispec

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"castellan/bot/sandbox/api"
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
	c := NewChecker()
	tests := []struct {
		name, method, route string
		body                string
		files               bool
		violations          []string // "pointer: part of the problem"
	}{
		{name: "a board message", method: "POST", route: messages, body: post("", "", "", `, "nonce": "m1-2", "enforce_nonce": true`), files: true},
		{name: "autocomplete with numbers", method: "POST", route: callback, body: answerWith(8, `{"choices": [{"name": "eleven", "value": 11}]}`)},
		{name: "all commands", method: "PUT", route: commands, body: `[
			{"name": "challenge", "description": "d", "contexts": [0], "options": [
				{"type": 1, "name": "trails", "description": "d", "options": [
					{"type": 6, "name": "opponent", "description": "d", "required": true},
					{"type": 4, "name": "towers", "description": "d", "min_value": 1, "max_value": 9},
					{"type": 4, "name": "size", "description": "d", "choices": [{"name": "11", "value": 11}]},
					{"type": 3, "name": "first", "description": "d", "choices": [{"name": "me", "value": "me"}]}]}]},
			{"name": "move", "type": 1, "description": "d", "options": [
				{"type": 3, "name": "turn", "description": "d", "autocomplete": true, "max_length": 200}]}]`},

		{name: "tts beside choices", method: "POST", route: callback,
			body: answerWith(8, `{"tts": false, "choices": [{"name": "up", "value": "up"}]}`), violations: []string{"/data/tts: unknown field"}},
		{name: "a field that only another callback type has", method: "POST", route: callback,
			body: answerWith(7, `{"choices": []}`), violations: []string{"/data/choices: unknown field"}},
		{name: "a callback type that does not exist", method: "POST", route: callback,
			body: `{"type": 3}`, violations: []string{"/type: value must be one of "}},
		{name: "an unknown field of a container", method: "POST", route: messages,
			body: post(`, "colour": 1`, "", "", ""), files: true, violations: []string{"/components/0/colour: unknown field"}},
		{name: "a custom id of 101 characters, in a container", method: "POST", route: messages,
			body: `{"components": [{"type": 17, "components": [{"type": 1, "components": [{"type": 2, "style": 1, "custom_id": "` +
				strings.Repeat("x", 101) + `"}]}]}]}`,
			violations: []string{"/components/0/components/0/components/0/custom_id: maxLength: got 101, want 100"}},
		{name: "an empty row", method: "POST", route: messages,
			body: `{"components": [{"type": 1, "components": []}]}`, violations: []string{"/components/0/components: minItems"}},
		{name: "a picture without URL", method: "POST", route: messages,
			body: `{"components": [{"type": 12, "items": [{"media": {}}]}]}`, violations: []string{"/components/0/items/0/media: missing property 'url'"}},
		{name: "a wrong type at the top level", method: "POST", route: messages,
			body: `{"content": 7}`, violations: []string{"/content: got number, want string or null"}},
		{name: "a number that does not fit in 32 bits", method: "POST", route: messages,
			body: `{"components": [{"type": 10, "id": 2147483648, "content": "x"}]}`, violations: []string{"/components/0/id: "}},
		{name: "a mention that is not a snowflake", method: "POST", route: messages,
			body: `{"allowed_mentions": {"users": ["anna"]}}`, violations: []string{"/allowed_mentions/users/0: "}},
		{name: "a subcommand with a field of other options", method: "PUT", route: commands,
			body:       `[{"name": "a", "description": "d", "options": [{"type": 1, "name": "b", "description": "d", "autocomplete": false}]}]`,
			violations: []string{"/0/options/0/autocomplete: unknown field"}},
		{name: "a string as the value of an integer choice", method: "PUT", route: commands,
			body: `[{"name": "a", "description": "d", "options": [{"type": 4, "name": "b", "description": "d",
				"choices": [{"name": "11", "value": "11"}]}]}]`,
			violations: []string{"/0/options/0/choices/0/value: got string, want integer"}},
		{name: "a missing body", method: "POST", route: messages, violations: []string{": the operation needs a body"}},
		{name: "unexpected files", method: "PUT", route: commands, body: `[]`, files: true, violations: []string{": the operation takes no files"}},
		{name: "broken JSON", method: "POST", route: messages, body: `{"content": `, violations: []string{": not JSON"}},
		{name: "an unknown route", method: "POST", route: "/channels/{channel_id}/board", body: `{}`, violations: []string{": there is no such operation"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// 500 has no description: only the request is looked at.
			compare(t, c.Check(api.Exchange{Method: tt.method, Route: tt.route,
				RequestJSON: []byte(tt.body), Files: make([]api.File, map[bool]int{true: 1}[tt.files]), Status: 500}), "request", tt.violations)
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
	c := NewChecker()
	const gateway = `{"url": "wss://gateway.example", "shards": 1, "session_start_limit":
		{"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}}`
	tests := []struct {
		name, method, route, request string
		status                       int
		body                         string
		violations                   []string
	}{
		{name: "as described", method: "GET", route: "/gateway/bot", status: 200, body: gateway},
		{name: "the message of a callback", method: "POST", route: callback, request: `{"type": 7}`, status: 200,
			body: `{"interaction": {"id": "9", "type": 3}, "resource": {"type": 7, "message": ` + answered("10", "") + `}}`},
		{name: "an undescribed field is accepted", method: "GET", route: "/gateway/bot", status: 200, body: `{"more": 1,` + gateway[1:]},
		{name: "an error with field errors", method: "POST", route: messages, request: `{}`, status: 400, body: `{"code": 50035, "message": "Invalid Form Body",
			"errors": {"components": {"0": {"type": {"_errors": [{"code": "X", "message": "y"}]}}}}}`,
			violations: []string{"/errors/components/0/type/_errors/0/code: got string, want integer"}},
		{name: "a failure of the service", method: "POST", route: messages, request: `{}`, status: 502, body: "<html>"},

		{name: "an error without code", method: "GET", route: "/gateway/bot", status: 404, body: `{"message": "x"}`,
			violations: []string{": missing property 'code'"}},
		{name: "a rate limit without retry_after", method: "POST", route: messages, request: `{}`, status: 429,
			body: `{"message": "x", "code": 0, "global": false}`, violations: []string{": missing property 'retry_after'"}},
		{name: "a missing field", method: "GET", route: "/gateway/bot", status: 200, body: strings.Replace(gateway, `"shards": 1,`, "", 1),
			violations: []string{": missing property 'shards'"}},
		{name: "an array as a message", method: "POST", route: messages, request: `{}`, status: 200, body: `[]`,
			violations: []string{": got array, want object"}},
		{name: "a component without id in the message of a callback", method: "POST", route: callback, request: `{"type": 7}`, status: 200,
			body:       `{"interaction": {"id": "9", "type": 3}, "resource": {"type": 7, "message": ` + answered("null", "") + `}}`,
			violations: []string{"/resource/message/components/0/components/0/id: got null, want integer"}},
		{name: "an invalid identifier", method: "POST", route: callback, request: `{"type": 6}`, status: 200,
			body: `{"interaction": {"id": "one", "type": 3}}`, violations: []string{"/interaction/id: "}},
		{name: "an invalid time", method: "POST", route: messages, request: `{}`, status: 200, body: answered("10", "T"),
			violations: []string{"/timestamp: "}},
		{name: "an unexpected body", method: "POST", route: callback, request: `{"type": 6}`, status: 204, body: `{}`,
			violations: []string{": the body must be empty"}},
		{name: "a missing body", method: "GET", route: "/gateway/bot", status: 200, violations: []string{": the body is empty"}},
		{name: "not JSON", method: "GET", route: "/gateway/bot", status: 200, body: "OK", violations: []string{": not JSON"}},
		{name: "an undescribed status", method: "GET", route: "/gateway/bot", status: 201, body: gateway,
			violations: []string{": there is no such status"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, c.Check(api.Exchange{Method: tt.method, Route: tt.route, RequestJSON: []byte(tt.request),
				Status: tt.status, ResponseBody: []byte(tt.body)}), fmt.Sprintf("answer %d", tt.status), tt.violations)
		})
	}
}

// compare expects exactly some violations, each given as pointer and beginning of the
// problem, in a part.
func compare(t *testing.T, errs []error, part string, want []string) {
	t.Helper()
	left := append([]string(nil), want...)
	for _, err := range errs {
		f, ok := err.(*Mismatch)
		if !ok {
			t.Fatalf("%v is a %T, want a *Mismatch", err, err)
		}
		got, found := f.Pointer+": "+f.Problem, false
		for i, w := range left {
			if f.Part == part && strings.HasPrefix(got, w) {
				left, found = append(left[:i], left[i+1:]...), true
				break
			}
		}
		if !found {
			t.Errorf("unexpected violation: %v", f)
		}
	}
	for _, w := range left {
		t.Errorf("violation not found: %s %s", part, w)
	}
}

func TestCount(t *testing.T) {
	c := NewChecker()
	var wg sync.WaitGroup
	for _, x := range []api.Exchange{
		{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 6}`), Status: 204},
		{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 6}`), Status: 404, ResponseBody: []byte(`{"code": 10062, "message": "Unknown interaction"}`)},
		{Method: "POST", Route: callback, RequestJSON: []byte(`{"type": 5}`), Files: make([]api.File, 1), Status: 204},
		{Method: "patch", Route: "/webhooks/12/abc/messages/@original", RequestJSON: []byte(`{}`), Status: 500},
		{Method: "DELETE", Route: "/webhooks/12/abc/messages/99", Status: 204},
		{Method: "GET", Route: "/gateway/bot", Status: 404, ResponseBody: []byte(`{"code": 0, "message": "x", "a": [{}], "b": 1}`)},
	} {
		wg.Go(func() {
			for _, err := range c.Check(x) {
				t.Error(err)
			}
		})
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
		if got := c.Count(key); got != want {
			t.Errorf("Count(%q) = %d, want %d", key, got, want)
		}
	}
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
		violations []string
	}{
		{name: "fields of all matching branches", body: `{"union": {"a": 1, "b": 2, "c": 3}}`},
		{name: "a field of a branch that does not match", body: `{"union": {"a": 1, "b": "two"}}`, violations: []string{"/union/b: unknown field"}},
		{name: "a field of no branch", body: `{"union": {"d": 1}}`, violations: []string{"/union/d: unknown field"}},
		{name: "parts of an allOf are combined at every depth", body: `{"all": {"a": {"p": 1, "q": 1}, "b": 1}}`},
		{name: "a field of no part", body: `{"all": {"a": {"r": 1}}}`, violations: []string{"/all/a/r: unknown field"}},
		{name: "any name in a map", body: `{"map": {"anything": {"v": 1}}}`},
		{name: "an unknown field of a value in a map", body: `{"map": {"anything": {"w": 1}}}`, violations: []string{"/map/anything/w: unknown field"}},
		{name: "an object without description", body: `{"free": {"a": {"b": 1}}}`},
		{name: "an object that is declared open", body: `{"none": {"a": {"b": 1}}}`},
		{name: "arrays within arrays, null among them, and escapes", body: `{"nested": [[null, {"x~/y": 1}, {"x": 1, "~/": 2}]]}`,
			violations: []string{"/nested/0/2/x: unknown field", "/nested/0/2/~0~1: unknown field"}},
	}
	raw, err := distill(strings.NewReader(description))
	if err != nil {
		t.Fatal(err)
	}
	c := &Checker{spec: &Spec{}, counts: map[string]int{}}
	if err := json.Unmarshal(raw, c.spec); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			compare(t, c.Check(api.Exchange{Method: "POST", Route: "/x", RequestJSON: []byte(tt.body), Status: 500}), "request", tt.violations)
		})
	}
}
