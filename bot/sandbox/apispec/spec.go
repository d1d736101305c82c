// Package apispec contains what Discord's API description says about its
// operations: which there are, which fields their bodies have, of which types
// and within which limits. [Checker] checks a bot's traffic against it: a field
// of a request that is not described is a mismatch, too, because Discord mostly
// ignores unknown fields, so that nobody would notice a misspelt one.
//
// spec.json is distilled from the description (OpenAPI 3.1, openapi.json of
// github.com/discord/discord-api-spec). To renew it, run go generate with the
// description at ../shared/discord/openapi.json beside the module.
package apispec

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Spec describes the routes and types of an API.
type Spec struct {
	Routes map[string]*Operation `json:"routes"` // by method and template
	Types  map[string]*Schema    `json:"types"`  // by name

	index     sync.Once
	templates []template
}

// Operation is a route with a method.
type Operation struct {
	ID           string             `json:"id"`              // Discord's, such as "create_message"
	Query        map[string]*Schema `json:"query,omitempty"` // by parameter
	Body         *Schema            `json:"body,omitempty"`  // nil: the operation takes no JSON
	BodyRequired bool               `json:"bodyRequired,omitempty"`
	Files        bool               `json:"files,omitempty"`
	Answers      map[string]*Schema `json:"answers"` // by status ("200", "4XX"); nil: without a body
}

// Schema is the subset of JSON Schema (draft 2020-12) that constrains a value.
// In spec.json a reference holds the bare name of a type.
type Schema struct {
	Ref           string             `json:"$ref,omitempty"`
	Type          names              `json:"type,omitempty"`
	Enum          []any              `json:"enum,omitempty"`
	Const         any                `json:"const,omitempty"`
	Format        string             `json:"format,omitempty"`
	Pattern       string             `json:"pattern,omitempty"`
	Minimum       *float64           `json:"minimum,omitempty"`
	Maximum       *float64           `json:"maximum,omitempty"`
	MinLength     *int               `json:"minLength,omitempty"` // in characters
	MaxLength     *int               `json:"maxLength,omitempty"`
	MinItems      *int               `json:"minItems,omitempty"`
	MaxItems      *int               `json:"maxItems,omitempty"`
	MaxProperties *int               `json:"maxProperties,omitempty"`
	UniqueItems   bool               `json:"uniqueItems,omitempty"`
	Required      []string           `json:"required,omitempty"`
	Properties    map[string]*Schema `json:"properties,omitempty"`
	Additional    *Schema            `json:"additionalProperties,omitempty"`
	Items         *Schema            `json:"items,omitempty"`
	AllOf         []*Schema          `json:"allOf,omitempty"`
	AnyOf         []*Schema          `json:"anyOf,omitempty"`
	OneOf         []*Schema          `json:"oneOf,omitempty"`

	never   bool           // the schema false
	pattern *regexp.Regexp // Pattern, nil if there is none
}

// UnmarshalJSON reads an object, or true or false, which are schemas too.
func (s *Schema) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true", "false":
		s.never = string(b) == "false"
		return nil
	}
	type plain Schema
	err := json.Unmarshal(b, (*plain)(s))
	if err == nil && s.Pattern != "" {
		s.pattern, err = regexp.Compile(s.Pattern)
	}
	return err
}

// names is one or several names of types; JSON has a single one without a list.
type names []string

func (n *names) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(n))
}

//go:generate go test -run TestSpecIsCurrent -update .
//go:embed spec.json
var specJSON []byte

// Discord returns the facts of Discord's API.
var Discord = sync.OnceValue(func() *Spec {
	f := &Spec{}
	if err := json.Unmarshal(specJSON, f); err != nil {
		panic(fmt.Sprintf("spec.json: %v", err))
	}
	return f
})

// Find returns the operation for a method and a path, or nil. Parameters match
// by position, not by name. If several operations match
// (".../messages/@original" and ".../messages/{message_id}"), the one that
// shares most literal segments wins.
func (f *Spec) Find(method, path string) (route string, op *Operation) {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = plain // discord.js escapes "@original"
		}
	}
	most := -1
	f.index.Do(f.buildIndex)
	for _, t := range f.templates {
		if n := literals(t.segments, segments); n > most && t.method == strings.ToUpper(method) {
			route, op, most = t.route, f.Routes[t.route], n
		}
	}
	return route, op
}

type template struct {
	route, method string
	segments      []string
}

func (f *Spec) buildIndex() {
	for route := range f.Routes {
		method, path, _ := strings.Cut(route, " ")
		f.templates = append(f.templates, template{route, method, strings.Split(path, "/")})
	}
}

// literals counts the segments that a template and a path share literally. It
// returns -1 if the path does not fit the template.
func literals(template, path []string) int {
	if len(template) != len(path) {
		return -1
	}
	n := 0
	for i, t := range template {
		switch {
		case strings.HasPrefix(t, "{"):
			if path[i] == "" {
				return -1
			}
		case t == path[i]:
			n++
		default:
			return -1
		}
	}
	return n
}
