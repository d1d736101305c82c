package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formFaults collects what is wrong with one request body, each fault under
// the path that leads to it, as Discord's error 50035 reports it.
type fieldErrors struct {
	list []fieldError
}

type fieldError struct {
	path          []string
	code, message string
}

// err returns the refusal, or nil when nothing is wrong.
func (f *fieldErrors) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &apiError{status: 400, code: 50035, message: "Invalid Form Body", fields: f}
}

// tree nests the faults by path; each leaf is {"_errors": [{code, message}]}.
func (f *fieldErrors) tree() map[string]any {
	root := map[string]any{}
	for _, fault := range f.list {
		at := root
		for _, key := range fault.path {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		leaf, _ := at["_errors"].([]any)
		at["_errors"] = append(leaf, map[string]any{"code": fault.code, "message": fault.message})
	}
	return root
}

// node is one value of a request body: where it is, whether it was there at
// all, and where its faults go. Its readers report a fault and return the
// zero value; a validator reads everything and asks once at the end.
type node struct {
	value   any
	present bool
	path    []string
	errors  *fieldErrors
}

// err returns the refusal of the request, or nil if nothing is wrong so far.
func (n node) err() error { return n.errors.err() }

// objectOrEmpty returns the node, or an empty object if it is not set.
func (n node) objectOrEmpty() node {
	if !n.isSet() {
		n.value, n.present = map[string]any{}, true
	}
	return n
}

// parseForm decodes a JSON body. An empty body is an empty object.
func parseForm(body []byte) (node, error) {
	root := node{present: true, errors: &fieldErrors{}}
	if len(bytes.TrimSpace(body)) == 0 {
		root.value = map[string]any{}
		return root, nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&root.value); err != nil {
		return node{}, errInvalidJSON
	}
	if _, err := dec.Token(); err != io.EOF {
		return node{}, errInvalidJSON
	}
	return root, nil
}

// formRefusal is a 50035 with a single fault.
func invalidField(path []string, code, format string, args ...any) error {
	f := &fieldErrors{}
	node{path: path, errors: f}.addError(code, format, args...)
	return f.err()
}

func (n node) addError(code, format string, args ...any) {
	n.errors.list = append(n.errors.list, fieldError{
		path: slices.Clone(n.path), code: code, message: fmt.Sprintf(format, args...),
	})
}

// given says that the field was sent and is not null.
func (n node) isSet() bool { return n.present && n.value != nil }

// must reports a missing field and says whether it is there.
func (n node) required() bool {
	if !n.isSet() {
		n.addError("BASE_TYPE_REQUIRED", "This field is required")
		return false
	}
	return true
}

// key descends into an object's field. On anything but an object it reports
// nothing: object does.
func (n node) field(name string) node {
	obj, _ := n.value.(map[string]any)
	value, ok := obj[name]
	return node{value: value, present: ok, path: append(slices.Clone(n.path), name), errors: n.errors}
}

// object says whether the value is an object.
func (n node) isObject() bool {
	if _, ok := n.value.(map[string]any); !ok {
		n.addError("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return false
	}
	return true
}

// items returns the elements of a list; an absent list is empty.
func (n node) items(least, most int) []node {
	if !n.isSet() {
		if least > 0 {
			n.required()
		}
		return nil
	}
	list, ok := n.value.([]any)
	if !ok {
		n.addError("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
		return nil
	}
	switch {
	case len(list) > most && least > 0, len(list) < least:
		n.addError("BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	case len(list) > most:
		n.addError("BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	}
	out := make([]node, len(list))
	for i, v := range list {
		out[i] = node{value: v, present: true, path: append(slices.Clone(n.path), strconv.Itoa(i)), errors: n.errors}
	}
	return out
}

// str reads a string of least to most characters; absent is "".
func (n node) text(least, most int) string {
	if !n.isSet() {
		return ""
	}
	s, ok := n.value.(string)
	if !ok {
		n.addError("STRING_TYPE_CONVERT", "Could not interpret %q as string.", fmt.Sprint(n.value))
		return ""
	}
	n.length(s, least, most)
	return s
}

// length holds a text against its bounds, counted in code points.
func (n node) length(s string, least, most int) {
	count := utf8.RuneCountInString(s)
	switch {
	case count >= least && count <= most:
	case least > 0:
		n.addError("BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	default:
		n.addError("BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	}
}

// maxInt53 is the largest integer that every JSON reader keeps exactly.
const maxInt53 = 1<<53 - 1

// integer reads a whole number within bounds; absent is 0.
func (n node) integer(least, most int64) int64 {
	if !n.isSet() {
		return 0
	}
	num, ok := n.value.(json.Number)
	var i int64
	if ok {
		var err error
		if i, err = num.Int64(); err != nil {
			f, ferr := num.Float64()
			ok = ferr == nil && f == math.Trunc(f) && math.Abs(f) <= maxInt53
			i = int64(f)
		}
	}
	if !ok {
		n.addError("NUMBER_TYPE_COERCE", "Value %q is not int.", fmt.Sprint(n.value))
		return 0
	}
	if i < least {
		n.addError("NUMBER_TYPE_MIN", "int value should be greater than or equal to %d.", least)
	}
	if i > most {
		n.addError("NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", most)
	}
	return i
}

// number reads any number; absent is 0.
func (n node) number() float64 {
	if !n.isSet() {
		return 0
	}
	num, ok := n.value.(json.Number)
	if ok {
		if f, err := num.Float64(); err == nil {
			return f
		}
	}
	n.addError("NUMBER_TYPE_COERCE", "Value %q is not float.", fmt.Sprint(n.value))
	return 0
}

// boolean reads true or false; absent is false.
func (n node) boolean() bool {
	if !n.isSet() {
		return false
	}
	b, ok := n.value.(bool)
	if !ok {
		n.addError("BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
	}
	return b
}

// oneOf reads an integer that must be one of the listed ones.
func (n node) oneOf(allowed ...int64) int64 {
	i := n.integer(math.MinInt64, math.MaxInt64)
	if n.isSet() && !slices.Contains(allowed, i) {
		n.notOneOf(allowed)
	}
	return i
}

func (n node) notOneOf(allowed []int64) {
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = strconv.FormatInt(a, 10)
	}
	n.addError("BASE_TYPE_CHOICES", "Value must be one of {%s}.", strings.Join(names, ", "))
}

// snowflake reads an id, which Discord takes as a string or a number.
func (n node) snowflake() string {
	if !n.isSet() {
		return ""
	}
	s := fmt.Sprint(n.value)
	if !isSnowflake(s) {
		n.addError("NUMBER_TYPE_COERCE", "Value %q is not snowflake.", s)
		return ""
	}
	return s
}
