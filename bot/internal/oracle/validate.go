package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// discriminator is the field by which Discord tells the branches of a union
// apart: the type of a component, an option or a callback.
const discriminator = "type"

// validation is the result of validating a value.
type validation struct {
	faults []Fault
	// described holds the pointers of the objects that a schema names fields
	// of, and known those of the fields that a schema knows.
	described, known map[string]bool
}

func newValidation() *validation {
	return &validation{described: map[string]bool{}, known: map[string]bool{}}
}

func (v *validation) fail(at, format string, args ...any) {
	v.add(Fault{Pointer: at, Problem: fmt.Sprintf(format, args...)})
}

// add adds faults that are not there yet.
func (v *validation) add(faults ...Fault) {
	for _, f := range faults {
		if !slices.ContainsFunc(v.faults, func(g Fault) bool { return g.Pointer == f.Pointer && g.Problem == f.Problem }) {
			v.faults = append(v.faults, f)
		}
	}
}

func (v *validation) merge(w *validation) {
	v.add(w.faults...)
	maps.Copy(v.described, w.described)
	maps.Copy(v.known, w.known)
}

// validate checks a value, decoded with json.Number, against a schema.
func (f *facts) validate(s *schema, value any) *validation {
	v := newValidation()
	f.apply(v, s, value, "")
	return v
}

// unknown lists the pointers of the fields within a value that no schema knows.
func (v *validation) unknown(value any, at string) []string {
	var found []string
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			field := below(at, name)
			switch {
			case !v.described[at]: // an object of any content
			case !v.known[field]:
				found = append(found, field)
			default:
				found = append(found, v.unknown(value[name], field)...)
			}
		}
	case []any:
		for i, item := range value {
			found = append(found, v.unknown(item, below(at, strconv.Itoa(i)))...)
		}
	}
	return found
}

func (f *facts) apply(v *validation, s *schema, value any, at string) {
	if s.never {
		v.fail(at, "must not be there")
		return
	}
	if s.Ref != "" {
		f.apply(v, f.Types[s.Ref], value, at)
	}
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return hasType(value, t) }) {
		v.add(Fault{Pointer: at, Problem: fmt.Sprintf("got %s, want %s", typeOf(value), strings.Join(s.Type, " or ")), wrongType: true})
		return
	}
	wanted := s.Enum
	if s.Const != nil {
		wanted = []any{s.Const}
	}
	if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w any) bool { return equal(w, value) }) {
		v.add(notAmong(at, wanted))
	}
	switch value := value.(type) {
	case string:
		applyString(v, s, value, at)
	case json.Number:
		applyNumber(v, s, value, at)
	case []any:
		f.applyArray(v, s, value, at)
	case map[string]any:
		f.applyObject(v, s, value, at)
	}
	for _, part := range s.AllOf {
		f.apply(v, part, value, at)
	}
	f.applyUnion(v, s.AnyOf, value, at, len(s.AnyOf))
	f.applyUnion(v, s.OneOf, value, at, 1)
}

func notAmong(at string, wanted []any) Fault {
	texts := make([]string, len(wanted))
	for i, w := range wanted {
		texts[i] = fmt.Sprintf("%v", w)
	}
	return Fault{Pointer: at, Problem: "value must be one of " + strings.Join(texts, ", "), wanted: wanted}
}

func bound(v *validation, at, keyword string, got int, least, most *int) {
	if least != nil && got < *least {
		v.fail(at, "min%s: got %d, want %d", keyword, got, *least)
	}
	if most != nil && got > *most {
		v.fail(at, "max%s: got %d, want %d", keyword, got, *most)
	}
}

func applyString(v *validation, s *schema, value, at string) {
	bound(v, at, "Length", utf8.RuneCountInString(value), s.MinLength, s.MaxLength)
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(value) {
		v.fail(at, "%q does not match %s", value, s.Pattern)
		return
	}
	var err error
	switch s.Format {
	case "snowflake":
		_, err = strconv.ParseUint(value, 10, 64)
	case "date-time":
		_, err = time.Parse(time.RFC3339, value)
	case "uri":
		var u *url.URL
		if u, err = url.Parse(value); err == nil && !u.IsAbs() {
			err = errors.New("no scheme")
		}
	}
	if err != nil {
		v.fail(at, "%q is not a valid %s", value, s.Format)
	}
}

func applyNumber(v *validation, s *schema, value json.Number, at string) {
	n, err := value.Float64()
	if err != nil || s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
		v.fail(at, "%s is out of range", value)
	}
	bits := map[string]int{"int32": 31, "int64": 63}[s.Format]
	if r, ok := new(big.Rat).SetString(value.String()); bits != 0 && ok && r.IsInt() && r.Num().BitLen() > bits {
		v.fail(at, "does not fit in %d bits", bits+1)
	}
}

func (f *facts) applyArray(v *validation, s *schema, value []any, at string) {
	bound(v, at, "Items", len(value), s.MinItems, s.MaxItems)
	for i, item := range value {
		if s.UniqueItems && slices.ContainsFunc(value[:i], func(other any) bool { return equal(other, item) }) {
			v.fail(at, "item %d is there twice", i)
		}
		if s.Items != nil {
			f.apply(v, s.Items, item, below(at, strconv.Itoa(i)))
		}
	}
}

func (f *facts) applyObject(v *validation, s *schema, value map[string]any, at string) {
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			v.fail(at, "missing property '%s'", name)
		}
	}
	bound(v, at, "Properties", len(value), nil, s.MaxProperties)
	if s.Properties == nil && s.Additional == nil {
		return
	}
	v.described[at] = true
	for _, name := range slices.Sorted(maps.Keys(value)) {
		field := below(at, name)
		described, ok := s.Properties[name]
		if !ok {
			described = s.Additional
		}
		if described != nil {
			v.known[field] = true
			f.apply(v, described, value[name], field)
		}
	}
}

// applyUnion checks that a value satisfies at least one branch, and at most as
// many as given. If it satisfies none, the faults of the nearest branch are
// reported.
func (f *facts) applyUnion(v *validation, branches []*schema, value any, at string, most int) {
	if len(branches) == 0 {
		return
	}
	var failed []*validation
	for _, b := range branches {
		w := newValidation()
		f.apply(w, b, value, at)
		if len(w.faults) > 0 {
			failed = append(failed, w)
		} else {
			v.merge(w)
		}
	}
	switch satisfied := len(branches) - len(failed); {
	case satisfied > most:
		v.fail(at, "fits %d branches of a union of which one must hold", satisfied)
	case satisfied == 0:
		v.merge(nearestBranch(failed, at))
	}
}

// nearestBranch returns the branch of a failed union that the value resembles
// most. It skips branches for another JSON type or with another discriminator. Of
// the rest it returns the one with the fewest faults, or of several the one with
// the deepest first fault. If all are skipped, it reports the discriminators that
// the union has.
func nearestBranch(failed []*validation, at string) *validation {
	var best *validation
	others := newValidation()
	var wanted []any
	for _, w := range failed {
		skip := false
		for _, x := range w.faults {
			switch {
			case x.Pointer == below(at, discriminator) && x.wanted != nil:
				wanted = append(wanted, x.wanted...)
				skip = true
			case x.Pointer == at && x.wrongType:
				skip = true
			}
		}
		switch {
		case skip:
			others.add(w.faults...)
		case best == nil || len(w.faults) < len(best.faults) || len(w.faults) == len(best.faults) && w.depth() > best.depth():
			best = w
		}
	}
	switch {
	case best != nil:
		return best
	case wanted != nil:
		return &validation{faults: []Fault{notAmong(below(at, discriminator), wanted)}}
	}
	return others
}

// depth returns the nesting depth of the first fault.
func (v *validation) depth() int { return strings.Count(v.faults[0].Pointer, "/") }

// pointerEscaper escapes a key for a JSON pointer (RFC 6901, section 3).
var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// below returns the JSON pointer (RFC 6901) of a member of the value at a pointer.
func below(at, key string) string {
	return at + "/" + pointerEscaper.Replace(key)
}

func hasType(value any, name string) bool {
	got := typeOf(value)
	if n, ok := value.(json.Number); ok && name == "integer" {
		r, ok := new(big.Rat).SetString(n.String())
		return ok && r.IsInt()
	}
	return got == name
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// equal compares two values, of which numbers may be float64 or json.Number.
func equal(a, b any) bool {
	if m, ok := number(a); ok {
		n, ok := number(b)
		return ok && m == n
	}
	return reflect.DeepEqual(a, b)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}
