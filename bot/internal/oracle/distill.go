package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// distilledPaths are the paths of the API that facts.json covers: those that
// the sandbox serves, which include all that the bot uses.
var distilledPaths = []string{
	"/gateway", "/gateway/bot",
	"/users/@me", "/users/@me/guilds", "/users/@me/channels", "/users/{user_id}",
	"/applications/@me", "/oauth2/applications/@me",
	"/applications/{application_id}/commands", "/applications/{application_id}/commands/{command_id}",
	"/applications/{application_id}/guilds/{guild_id}/commands",
	"/applications/{application_id}/guilds/{guild_id}/commands/{command_id}",
	"/guilds/{guild_id}", "/guilds/{guild_id}/channels", "/guilds/{guild_id}/roles",
	"/guilds/{guild_id}/members/{user_id}", "/guilds/{guild_id}/threads/active",
	"/channels/{channel_id}", "/channels/{channel_id}/messages", "/channels/{channel_id}/messages/{message_id}",
	"/channels/{channel_id}/messages/{message_id}/threads", "/channels/{channel_id}/threads",
	"/channels/{channel_id}/threads/archived/public", "/channels/{channel_id}/threads/archived/private",
	"/channels/{channel_id}/users/@me/threads/archived/private",
	"/channels/{channel_id}/thread-members", "/channels/{channel_id}/thread-members/@me",
	"/channels/{channel_id}/thread-members/{user_id}",
	"/interactions/{interaction_id}/{interaction_token}/callback",
	"/webhooks/{webhook_id}/{webhook_token}", "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
	"/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}",
}

// Content types of bodies.
const (
	plain     = "application/json"
	multipart = "multipart/form-data"
)

// description is the part of an OpenAPI document that Distill reads.
type description struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas   map[string]*schema
		Responses map[string]*response
	}
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema *schema }
}

// Distill reads the facts about some paths out of an OpenAPI 3.1 document. It
// returns them as JSON with one route or type on each line, sorted.
func Distill(r io.Reader, paths []string) ([]byte, error) {
	var d description
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return nil, fmt.Errorf("reading the API description: %w", err)
	}
	f := &facts{Routes: map[string]*operation{}, Types: map[string]*schema{}}
	for _, path := range paths {
		for method, raw := range d.Paths[path] {
			if !slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) {
				continue // parameters and the like
			}
			op, err := d.operation(f, raw)
			if err != nil {
				return nil, fmt.Errorf("reading the API description: %s %s: %w", method, path, err)
			}
			f.Routes[strings.ToUpper(method)+" "+path] = op
		}
	}
	if len(f.Routes) == 0 {
		return nil, errors.New("reading the API description: it has none of the paths")
	}
	var b bytes.Buffer
	b.WriteString("{\n\"routes\": {\n")
	writeLines(&b, f.Routes)
	b.WriteString("},\n\"types\": {\n")
	writeLines(&b, f.Types)
	b.WriteString("}\n}\n")
	return b.Bytes(), nil
}

func (d *description) operation(f *facts, raw json.RawMessage) (*operation, error) {
	var o struct {
		RequestBody struct {
			Content  map[string]struct{ Schema *schema }
			Required bool
		}
		Responses map[string]*response
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	op := &operation{BodyRequired: o.RequestBody.Required, Answers: map[string]*schema{}}
	// The multipart form of a body only adds the files to the JSON one.
	_, op.Files = o.RequestBody.Content[multipart]
	op.Body = o.RequestBody.Content[plain].Schema
	d.collect(f, op.Body)
	for status, answer := range o.Responses {
		if answer.Ref != "" {
			answer = d.Components.Responses[lastSegment(answer.Ref)]
		}
		if answer == nil {
			return nil, fmt.Errorf("the answer %s is not there", status)
		}
		op.Answers[status] = answer.Content[plain].Schema
		d.collect(f, op.Answers[status])
	}
	return op, nil
}

// collect adds the types that a schema refers to, and shortens references to
// their names.
func (d *description) collect(f *facts, s *schema) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		s.Ref = lastSegment(s.Ref)
		if f.Types[s.Ref] == nil {
			f.Types[s.Ref] = d.Components.Schemas[s.Ref]
			d.collect(f, f.Types[s.Ref])
		}
	}
	// An enumeration is a union of constants, each with its description.
	if len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, func(c *schema) bool { return c.Const == nil }) {
		for _, c := range s.OneOf {
			s.Enum = append(s.Enum, c.Const)
		}
		s.OneOf = nil
	}
	s.children(func(c *schema) { d.collect(f, c) })
}

func lastSegment(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func writeLines[T any](b *bytes.Buffer, m map[string]T) {
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b.WriteString(",\n")
		}
		line, err := json.Marshal(m[key])
		if err != nil {
			panic(err) // the types above always encode
		}
		fmt.Fprintf(b, "%q: %s", key, line)
	}
	b.WriteString("\n")
}
