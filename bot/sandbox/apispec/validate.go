package apispec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// discriminator is the field by which Discord tells the branches of a union
// apart: the type of a component, an option or a callback.
const discriminator = "type"

// Violation is one difference between a value and its schema.
type Violation struct {
	Pointer string // JSON pointer (RFC 6901) into the value; "" is the whole value
	Problem string // for developers
	// Code and Message are what Discord says: those that its documentation shows
	// ("Error Messages"), and others that its API has been seen to send.
	Code, Message string

	wrongType bool   // the JSON type is wrong
	wanted    []any  // the values of which it should be one
	missing   string // the field that is missing
}

// Path returns the keys and indices that lead to the violation.
func (f Violation) Path() []string {
	var keys []string
	for _, k := range strings.Split(f.Pointer, "/")[1:] {
		keys = append(keys, strings.NewReplacer("~1", "/", "~0", "~").Replace(k))
	}
	if f.missing != "" {
		keys = append(keys, f.missing)
	}
	return keys
}

type validation struct {
	violations []Violation
	convert    bool // as Convert does
	// described holds the pointers of the objects that a schema names fields
	// of, and known those of the fields that a schema knows.
	described, known map[string]bool
}

func newValidation(convert bool) *validation {
	return &validation{convert: convert, described: map[string]bool{}, known: map[string]bool{}}
}

func (v *validation) fail(at, code, message, format string, args ...any) {
	v.add(Violation{Pointer: at, Problem: fmt.Sprintf(format, args...), Code: code, Message: message})
}

func (v *validation) add(violations ...Violation) {
	for _, f := range violations {
		if !slices.ContainsFunc(v.violations, func(g Violation) bool { return g.Pointer == f.Pointer && g.Problem == f.Problem }) {
			v.violations = append(v.violations, f)
		}
	}
}

func (v *validation) merge(w *validation) {
	v.add(w.violations...)
	maps.Copy(v.described, w.described)
	maps.Copy(v.known, w.known)
}

// Check returns the violations of a value, decoded with json.Number. Fields that
// the schema does not know are accepted.
func (f *Spec) Check(s *Schema, value any) []Violation {
	v := newValidation(false)
	f.apply(v, s, value, "")
	return v.violations
}

// CheckAll is like Check, but unknown fields are violations.
func (f *Spec) CheckAll(s *Schema, value any) []Violation {
	v := newValidation(false)
	f.apply(v, s, value, "")
	for _, at := range v.unknown(value, "") {
		v.add(Violation{Pointer: at, Problem: "unknown field"})
	}
	return v.violations
}

// Convert returns a value as Discord reads it from a request, and the violations
// that it finds. It is more lenient than its description: it ignores unknown
// fields, takes null for an absent field, a number for a string, digits for an integer,
// and "True" or "1" for a boolean.
func (f *Spec) Convert(s *Schema, value any) (any, []Violation) {
	v := newValidation(true)
	value = f.apply(v, s, value, "")
	return value, v.violations
}

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

// apply adds the violations of a value, and returns it converted.
func (f *Spec) apply(v *validation, s *Schema, value any, at string) any {
	if s.never {
		v.fail(at, "BASE_TYPE_FORBIDDEN", "This field is not allowed", "must not be there")
		return value
	}
	if s.Ref != "" {
		value = f.apply(v, f.Types[s.Ref], value, at)
	}
	if v.convert {
		value = converted(s, value)
	}
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(t string) bool { return hasType(value, t) }) {
		code, message := wrongType(s, value)
		v.add(Violation{Pointer: at, Problem: fmt.Sprintf("got %s, want %s", typeOf(value), strings.Join(s.Type, " or ")), Code: code, Message: message, wrongType: true})
		return value
	}
	wanted := s.Enum
	if s.Const != nil {
		wanted = []any{s.Const}
	}
	if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w any) bool { return equal(w, value) }) {
		v.add(notAmong(at, wanted))
	}
	switch plain := value.(type) {
	case string:
		applyString(v, s, plain, at)
	case json.Number:
		applyNumber(v, s, plain, at)
	case []any:
		list := slices.Clone(plain)
		f.applyArray(v, s, list, at)
		value = list
	case map[string]any:
		object := maps.Clone(plain)
		f.applyObject(v, s, object, at)
		value = object
	}
	for _, part := range s.AllOf {
		value = f.apply(v, part, value, at)
	}
	value = f.applyUnion(v, s.AnyOf, value, at, len(s.AnyOf))
	return f.applyUnion(v, s.OneOf, value, at, 1)
}

// converted returns a value of the type that a schema wants if Discord converts
// it.
func converted(s *Schema, value any) any {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	wants := func(t string) bool { return slices.Contains(s.Type, t) }
	switch {
	case isNumber && wants("string") && !wants("integer") && !wants("number"):
		return number.String()
	case isText && wants("integer") && !wants("string"):
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return json.Number(text)
		}
	case isText && wants("boolean") && !wants("string"):
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case isNumber && wants("integer"):
		if i := integer(number); i != nil {
			return json.Number(i.String())
		}
	}
	return value
}

// wrongType returns what Discord says of a value of the wrong type.
func wrongType(s *Schema, value any) (code, message string) {
	if value == nil {
		return "BASE_TYPE_REQUIRED", "This field is required"
	}
	switch s.Type[0] {
	case "boolean":
		return "BOOLEAN_TYPE_CONVERT", "Must be either true or false."
	case "integer", "number":
		return "NUMBER_TYPE_COERCE", fmt.Sprintf("Value %q is not %s.", fmt.Sprint(value), map[string]string{"integer": "int", "number": "float"}[s.Type[0]])
	case "array":
		return "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType"
	case "object":
		return "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType"
	}
	return "STRING_TYPE_CONVERT", fmt.Sprintf("Could not interpret %q as string.", fmt.Sprint(value))
}

func notAmong(at string, wanted []any) Violation {
	texts := make([]string, len(wanted))
	for i, w := range wanted {
		texts[i] = fmt.Sprintf("%v", w)
	}
	list := strings.Join(texts, ", ")
	return Violation{Pointer: at, Problem: "value must be one of " + list, Code: "BASE_TYPE_CHOICES", Message: "Value must be one of {" + list + "}.", wanted: wanted}
}

func bound(v *validation, at, keyword string, got int, least, most *int) {
	if (least == nil || got >= *least) && (most == nil || got <= *most) {
		return
	}
	code, message := "BASE_TYPE_BAD_LENGTH", ""
	switch {
	case most == nil:
		code, message = "BASE_TYPE_MIN_LENGTH", fmt.Sprintf("Must be %d or more in length.", *least)
	case least == nil || *least == 0:
		code, message = "BASE_TYPE_MAX_LENGTH", fmt.Sprintf("Must be %d or fewer in length.", *most)
	default:
		message = fmt.Sprintf("Must be between %d and %d in length.", *least, *most)
	}
	if least != nil && got < *least {
		v.fail(at, code, message, "min%s: got %d, want %d", keyword, got, *least)
	}
	if most != nil && got > *most {
		v.fail(at, code, message, "max%s: got %d, want %d", keyword, got, *most)
	}
}

func applyString(v *validation, s *Schema, value, at string) {
	bound(v, at, "Length", utf8.RuneCountInString(value), s.MinLength, s.MaxLength)
	if s.pattern != nil && !s.pattern.MatchString(value) {
		code, message := "STRING_TYPE_REGEX", "String value did not match validation regex."
		if s.Format == "snowflake" {
			code, message = "NUMBER_TYPE_COERCE", fmt.Sprintf("Value %q is not snowflake.", value)
		}
		v.fail(at, code, message, "%q does not match %s", value, s.Pattern)
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
		code, message := "NUMBER_TYPE_COERCE", fmt.Sprintf("Value %q is not snowflake.", value)
		switch s.Format {
		case "date-time":
			code, message = "DATE_TIME_TYPE_PARSE", fmt.Sprintf("Could not parse %s. Should be ISO8601.", value)
		case "uri":
			code, message = "URL_TYPE_INVALID_URL", "Not a well formed URL."
		}
		v.fail(at, code, message, "%q is not a valid %s", value, s.Format)
	}
}

func applyNumber(v *validation, s *Schema, value json.Number, at string) {
	n, err := value.Float64()
	least, most := -math.MaxFloat64, math.MaxFloat64
	if s.Minimum != nil {
		least = *s.Minimum
	}
	if s.Maximum != nil {
		most = *s.Maximum
	}
	switch {
	case n < least:
		v.fail(at, "NUMBER_TYPE_MIN", fmt.Sprintf("int value should be greater than or equal to %v.", least), "%s is out of range", value)
	case err != nil || n > most:
		v.fail(at, "NUMBER_TYPE_MAX", fmt.Sprintf("int value should be less than or equal to %v.", most), "%s is out of range", value)
	}
	bits := map[string]int{"int32": 31, "int64": 63}[s.Format]
	if i := integer(value); bits != 0 && i != nil && i.BitLen() > bits {
		v.fail(at, "NUMBER_TYPE_MAX", fmt.Sprintf("int value should be less than or equal to %d.", int64(1)<<bits-1), "does not fit in %d bits", bits+1)
	}
}

// integer returns a number as an integer, or nil if it is not one. 1.0 and 1e0 are
// integers.
func integer(n json.Number) *big.Int {
	if i, err := n.Int64(); err == nil {
		return big.NewInt(i)
	}
	if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() {
		return r.Num()
	}
	return nil
}

func (f *Spec) applyArray(v *validation, s *Schema, value []any, at string) {
	bound(v, at, "Items", len(value), s.MinItems, s.MaxItems)
	for i, item := range value {
		if s.UniqueItems && slices.ContainsFunc(value[:i], func(other any) bool { return equal(other, item) }) {
			v.fail(at, "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value", "item %d is there twice", i)
		}
		if s.Items != nil {
			value[i] = f.apply(v, s.Items, item, below(at, strconv.Itoa(i)))
		}
	}
}

func (f *Spec) applyObject(v *validation, s *Schema, value map[string]any, at string) {
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			v.add(Violation{Pointer: at, Problem: fmt.Sprintf("missing property '%s'", name), Code: "BASE_TYPE_REQUIRED", Message: "This field is required", missing: name})
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
			if v.convert && value[name] == nil && !slices.Contains(s.Required, name) {
				continue
			}
			value[name] = f.apply(v, described, value[name], field)
		}
	}
}

// applyUnion checks that a value satisfies at least one branch, and at most as
// many as given. If it satisfies none, the violations of the nearest branch are
// reported.
func (f *Spec) applyUnion(v *validation, branches []*Schema, value any, at string, most int) any {
	if len(branches) == 0 {
		return value
	}
	var failed []*validation
	var converted []any // by each branch that the value satisfies
	for _, b := range branches {
		w := newValidation(v.convert)
		fits := value
		if wanted := f.otherDiscriminators(b, value, v.convert); wanted != nil {
			w.violations = []Violation{{Pointer: below(at, discriminator), wanted: wanted}} // all that nearestBranch needs
		} else {
			fits = f.apply(w, b, value, at)
		}
		if len(w.violations) > 0 {
			failed = append(failed, w)
			continue
		}
		v.merge(w)
		converted = append(converted, fits)
	}
	switch satisfied := len(branches) - len(failed); {
	case satisfied > most && !v.convert:
		v.fail(at, "", "", "fits %d branches of a union of which one must hold", satisfied)
	case satisfied == 0:
		v.merge(nearestBranch(failed, at))
	}
	if len(converted) == 0 || slices.ContainsFunc(converted, func(c any) bool { return reflect.DeepEqual(c, value) }) {
		return value
	}
	return converted[0]
}

// otherDiscriminators returns the discriminators of a branch if the value's is not
// among them, and nil otherwise. This rules out most branches of a union.
func (f *Spec) otherDiscriminators(branch *Schema, value any, convert bool) []any {
	object, _ := value.(map[string]any)
	given := object[discriminator]
	if branch.Ref != "" {
		branch = f.Types[branch.Ref]
	}
	s := branch.Properties[discriminator]
	if s == nil {
		return nil
	}
	if convert {
		given = converted(s, given)
	}
	if n, ok := given.(json.Number); !ok || integer(n) == nil || slices.ContainsFunc(s.Enum, func(w any) bool { return equal(w, given) }) {
		return nil
	}
	return s.Enum
}

// nearestBranch returns the branch of a failed union that the value resembles
// most. It skips branches for another JSON type or with another discriminator. Of
// the rest it returns the one with the fewest violations, or of several the one with
// the deepest first violation. If all are skipped, it reports the discriminators that
// the union has.
func nearestBranch(failed []*validation, at string) *validation {
	var best *validation
	others := newValidation(false)
	var wanted []any
	for _, w := range failed {
		skip := false
		for _, x := range w.violations {
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
			others.add(w.violations...)
		case best == nil || len(w.violations) < len(best.violations) || len(w.violations) == len(best.violations) && w.depth() > best.depth():
			best = w
		}
	}
	switch {
	case best != nil:
		return best
	case wanted != nil:
		return &validation{violations: []Violation{notAmong(below(at, discriminator), wanted)}}
	}
	return others
}

func (v *validation) depth() int { return strings.Count(v.violations[0].Pointer, "/") }

// pointerEscaper escapes a key for a JSON pointer (RFC 6901, section 3).
var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// below returns the JSON pointer (RFC 6901) of a member of the value at a pointer.
func below(at, key string) string {
	return at + "/" + pointerEscaper.Replace(key)
}

func hasType(value any, name string) bool {
	got := typeOf(value)
	if n, ok := value.(json.Number); ok && name == "integer" {
		return integer(n) != nil
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
