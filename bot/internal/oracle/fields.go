package oracle

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// discriminator is the field by which Discord tells the branches of a union
// apart: the type of a component, an option, a callback.
const discriminator = "type"

// unknownFields lists the fields of a value, at any depth, that no schema in
// force for the object around them describes, in the order of the keys.
func unknownFields(s *jsonschema.Schema, value any) []pointer {
	return walk([]*jsonschema.Schema{s}, value, nil)
}

// walk does so for a value that several schemas describe together.
func walk(schemas []*jsonschema.Schema, value any, at pointer) []pointer {
	var force []*jsonschema.Schema
	for _, s := range schemas {
		force = inForce(force, s, value)
	}
	var found []pointer
	switch v := value.(type) {
	case map[string]any:
		if !slices.ContainsFunc(force, describesFields) {
			return nil // an object of any content
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := at.append(name)
			describing, known := fieldSchemas(force, name)
			if !known {
				found = append(found, below)
				continue
			}
			found = append(found, walk(describing, v[name], below)...)
		}
	case []any:
		for i, item := range v {
			var describing []*jsonschema.Schema
			for _, s := range force {
				switch {
				case i < len(s.PrefixItems):
					describing = append(describing, s.PrefixItems[i])
				case s.Items2020 != nil:
					describing = append(describing, s.Items2020)
				}
			}
			found = append(found, walk(describing, item, at.append(strconv.Itoa(i)))...)
		}
	}
	return found
}

// inForce adds to list the schema and those that it applies to the same value:
// what it refers to, every part of an allOf, and of a union the branches that
// the value satisfies.
func inForce(list []*jsonschema.Schema, s *jsonschema.Schema, value any) []*jsonschema.Schema {
	if s == nil {
		return list
	}
	list = append(list, s)
	list = inForce(list, s.Ref, value)
	for _, part := range s.AllOf {
		list = inForce(list, part, value)
	}
	for _, union := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		for _, branch := range branches(union, value) {
			list = inForce(list, branch, value)
		}
	}
	return list
}

// branches gives the branches of a union that a value satisfies. When it
// satisfies none (a fault that the validation reports), those whose
// discriminator it carries are given instead, so that faults deeper down are
// found in the same run.
func branches(union []*jsonschema.Schema, value any) []*jsonschema.Schema {
	var satisfied, meant []*jsonschema.Schema
	for _, branch := range union {
		if branch.Validate(value) == nil {
			satisfied = append(satisfied, branch)
		} else if carries(branch, value) {
			meant = append(meant, branch)
		}
	}
	if satisfied != nil {
		return satisfied
	}
	return meant
}

// carries says whether a value has the discriminator that a branch wants.
func carries(branch *jsonschema.Schema, value any) bool {
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	kind, ok := object[discriminator]
	if !ok {
		return false
	}
	describing, known := fieldSchemas(inForce(nil, branch, value), discriminator)
	if !known {
		return false
	}
	for _, s := range describing {
		if s.Validate(kind) != nil {
			return false
		}
	}
	return len(describing) > 0
}

// describesFields says whether a schema names fields at all.
func describesFields(s *jsonschema.Schema) bool {
	return s.Properties != nil || s.PatternProperties != nil || s.AdditionalProperties != nil
}

// fieldSchemas gives the schemas of a field of an object, and whether any
// schema in force knows the field. A field may be known and have no schema.
func fieldSchemas(force []*jsonschema.Schema, name string) (describing []*jsonschema.Schema, known bool) {
	for _, s := range force {
		matched := false
		if p, ok := s.Properties[name]; ok {
			describing, matched = append(describing, p), true
		}
		for pattern, p := range s.PatternProperties {
			if pattern.MatchString(name) {
				describing, matched = append(describing, p), true
			}
		}
		if !matched {
			switch additional := s.AdditionalProperties.(type) {
			case *jsonschema.Schema:
				describing, matched = append(describing, additional), true
			case bool:
				matched = additional
			}
		}
		known = known || matched
	}
	return describing, known
}
