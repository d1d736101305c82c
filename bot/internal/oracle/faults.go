package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// invalid validates a value and gives one fault for each thing that is wrong
// with it. For a union that a value fits no branch of, the faults are those of
// the branch that was evidently meant.
func invalid(s *jsonschema.Schema, value any) []*Fault {
	err := s.Validate(value)
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return []*Fault{{Problem: err.Error()}}
	}
	printer := message.NewPrinter(language.English)
	var faults []*Fault
	for _, leaf := range leaves(ve) {
		f := &Fault{
			Pointer: pointer(leaf.InstanceLocation).String(),
			Problem: leaf.ErrorKind.LocalizedString(printer),
		}
		if !slices.ContainsFunc(faults, func(g *Fault) bool { return *g == *f }) {
			faults = append(faults, f)
		}
	}
	return faults
}

// leaves gives the errors at the ends of the tree, of a union only those of
// the branch that was meant.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return meant(e)
	}
	var all []*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// meant picks the branch of a failed union whose faults are worth telling:
// branches for another JSON type (mostly null) and those with another
// discriminator are out, and of the rest the one with the fewest faults is the
// nearest. When none is left, the value is of no kind that the union knows.
func meant(union *jsonschema.ValidationError) []*jsonschema.ValidationError {
	here := union.InstanceLocation
	var best, others []*jsonschema.ValidationError
	var kinds kind.Enum
	for _, branch := range union.Causes {
		ends := leaves(branch)
		other := false
		for _, e := range ends {
			if wanted, ok := wantedKinds(e, here); ok {
				kinds.Want = append(kinds.Want, wanted...)
				other = true
			} else if _, ok := e.ErrorKind.(*kind.Type); ok && slices.Equal(e.InstanceLocation, here) {
				other = true
			}
		}
		switch {
		case other:
			others = append(others, ends...)
		case best == nil || len(ends) < len(best):
			best = ends
		}
	}
	switch {
	case best != nil:
		return best
	case kinds.Want != nil:
		return []*jsonschema.ValidationError{{
			SchemaURL:        union.SchemaURL,
			InstanceLocation: append(slices.Clone(here), discriminator),
			ErrorKind:        &kinds,
		}}
	}
	return others
}

// wantedKinds gives the discriminators that would have been right, when an
// error says that the one of the object at a place is wrong.
func wantedKinds(e *jsonschema.ValidationError, here []string) (wanted []any, ok bool) {
	if !slices.Equal(e.InstanceLocation, append(slices.Clone(here), discriminator)) {
		return nil, false
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Const:
		return []any{k.Want}, true
	case *kind.Enum:
		return k.Want, true
	}
	return nil, false
}

// formats are those of the description that JSON Schema does not define.
func formats() []*jsonschema.Format {
	bits := func(name string, n int) *jsonschema.Format {
		return &jsonschema.Format{Name: name, Validate: func(v any) error {
			number, ok := v.(json.Number)
			if !ok {
				return nil // another JSON type: not what the format is about
			}
			r, ok := new(big.Rat).SetString(number.String())
			if !ok || !r.IsInt() {
				return nil
			}
			// Two's complement: -2^(n-1) to 2^(n-1)-1.
			limit := new(big.Int).Lsh(big.NewInt(1), uint(n-1))
			if i := r.Num(); i.Cmp(limit) >= 0 || i.Cmp(new(big.Int).Neg(limit)) < 0 {
				return fmt.Errorf("does not fit in %d bits", n)
			}
			return nil
		}}
	}
	snowflake := &jsonschema.Format{Name: "snowflake", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			return errors.New("is no unsigned number of 64 bits")
		}
		return nil
	}}
	return []*jsonschema.Format{bits("int32", 32), bits("int64", 64), snowflake}
}
