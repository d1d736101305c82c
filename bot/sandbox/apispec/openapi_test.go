package apispec

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

// Content types of bodies.
const (
	plain     = "application/json"
	multipart = "multipart/form-data"
)

// description is the part of an OpenAPI document that distill reads.
type description struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas   map[string]*Schema
		Responses map[string]*response
	}
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema *Schema }
}

// distill reads the facts out of an OpenAPI 3.1 document. It returns them as
// JSON with one operation or type on each line, sorted.
func distill(r io.Reader) ([]byte, error) {
	var d description
	if err := json.NewDecoder(r).Decode(&d); err != nil {
		return nil, fmt.Errorf("reading the API description: %w", err)
	}
	f := &Spec{Routes: map[string]*Operation{}, Types: map[string]*Schema{}}
	for path, methods := range d.Paths {
		for method, raw := range methods {
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
		return nil, errors.New("reading the API description: it has no operations")
	}
	var b bytes.Buffer
	b.WriteString("{\n\"routes\": {\n")
	writeLines(&b, f.Routes)
	b.WriteString("},\n\"types\": {\n")
	writeLines(&b, f.Types)
	b.WriteString("}\n}\n")
	return b.Bytes(), nil
}

// operation reads an operation.
func (d *description) operation(f *Spec, raw json.RawMessage) (*Operation, error) {
	var o struct {
		OperationID string
		Parameters  []struct {
			Name, In string
			Schema   *Schema
		}
		RequestBody struct {
			Content  map[string]struct{ Schema *Schema }
			Required bool
		}
		Responses map[string]*response
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	op := &Operation{ID: o.OperationID, BodyRequired: o.RequestBody.Required, Answers: map[string]*Schema{}}
	for _, p := range o.Parameters {
		if p.In == "query" {
			if op.Query == nil {
				op.Query = map[string]*Schema{}
			}
			op.Query[p.Name] = p.Schema
			d.collect(f, p.Schema)
		}
	}
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
func (d *description) collect(f *Spec, s *Schema) {
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
	if len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, func(c *Schema) bool { return c.Const == nil }) {
		for _, c := range s.OneOf {
			s.Enum = append(s.Enum, c.Const)
		}
		s.OneOf = nil
	}
	s.children(func(c *Schema) { d.collect(f, c) })
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

// children calls f for every schema directly within s.
func (s *Schema) children(f func(*Schema)) {
	for _, c := range s.Properties {
		f(c)
	}
	for _, c := range slices.Concat([]*Schema{s.Additional, s.Items}, s.AllOf, s.AnyOf, s.OneOf) {
		if c != nil {
			f(c)
		}
	}
}

func (n names) MarshalJSON() ([]byte, error) {
	if len(n) == 1 {
		return json.Marshal(n[0])
	}
	return json.Marshal([]string(n))
}
