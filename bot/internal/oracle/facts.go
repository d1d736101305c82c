package oracle

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// facts describes the routes and types of an API.
type facts struct {
	Routes map[string]*operation `json:"routes"` // by method and template
	Types  map[string]*schema    `json:"types"`  // by name
}

// operation is a route with a method.
type operation struct {
	Body         *schema            `json:"body,omitempty"` // nil: the operation takes no JSON
	BodyRequired bool               `json:"bodyRequired,omitempty"`
	Files        bool               `json:"files,omitempty"`
	Answers      map[string]*schema `json:"answers"` // by status ("200", "4XX"); nil: without a body
}

// schema is the subset of JSON Schema (draft 2020-12) that constrains a value.
// In facts.json a reference holds the bare name of a type.
type schema struct {
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
	Properties    map[string]*schema `json:"properties,omitempty"`
	Additional    *schema            `json:"additionalProperties,omitempty"`
	Items         *schema            `json:"items,omitempty"`
	AllOf         []*schema          `json:"allOf,omitempty"`
	AnyOf         []*schema          `json:"anyOf,omitempty"`
	OneOf         []*schema          `json:"oneOf,omitempty"`

	never bool // the schema false
}

// UnmarshalJSON reads an object, or true or false, which are schemas too.
func (s *schema) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true", "false":
		s.never = string(b) == "false"
		return nil
	}
	type plain schema
	return json.Unmarshal(b, (*plain)(s))
}

// children calls f for every schema directly within s.
func (s *schema) children(f func(*schema)) {
	for _, c := range s.Properties {
		f(c)
	}
	for _, c := range slices.Concat([]*schema{s.Additional, s.Items}, s.AllOf, s.AnyOf, s.OneOf) {
		if c != nil {
			f(c)
		}
	}
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

func (n names) MarshalJSON() ([]byte, error) {
	if len(n) == 1 {
		return json.Marshal(n[0])
	}
	return json.Marshal([]string(n))
}

//go:embed facts.json
var factsJSON []byte

// discordFacts decodes the embedded facts once.
var discordFacts = sync.OnceValue(func() *facts {
	f := &facts{}
	if err := json.Unmarshal(factsJSON, f); err != nil {
		panic(fmt.Sprintf("facts.json: %v", err))
	}
	return f
})
