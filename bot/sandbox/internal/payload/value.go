package payload

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

	"castellan/bot/internal/facts"
	"castellan/bot/sandbox/internal/api"
)

// Node is a value of a request body with its path. Its methods report errors
// and return the zero value, so that a validator reads everything and calls
// Err at the end.
type Node struct {
	Value   any
	Present bool
	Path    []string
	errors  *api.FieldErrors
}

// Err returns the error for the request, or nil if there is none so far.
func (n Node) Err() error { return n.errors.Err() }

// ObjectOrEmpty returns the node, or an empty object if it is not set.
func (n Node) ObjectOrEmpty() Node {
	if !n.IsSet() {
		n.Value, n.Present = map[string]any{}, true
	}
	return n
}

// ParseForm decodes a JSON body. An empty body is an empty object.
func ParseForm(body []byte) (Node, error) {
	root := Node{Present: true, errors: &api.FieldErrors{}}
	if len(bytes.TrimSpace(body)) == 0 {
		root.Value = map[string]any{}
		return root, nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&root.Value); err != nil {
		return Node{}, api.ErrInvalidJSON
	}
	if _, err := dec.Token(); err != io.EOF {
		return Node{}, api.ErrInvalidJSON
	}
	return root, nil
}

// InvalidField returns a 50035 with a single error.
func InvalidField(path []string, code, format string, args ...any) error {
	f := &api.FieldErrors{}
	Node{Path: path, errors: f}.AddError(code, format, args...)
	return f.Err()
}

// AddError adds an error at the node's path.
func (n Node) AddError(code, format string, args ...any) {
	n.add(api.FieldError{Path: slices.Clone(n.Path), Code: code, Message: fmt.Sprintf(format, args...)})
}

// add adds an error unless the field has it already.
func (n Node) add(e api.FieldError) {
	if !slices.ContainsFunc(n.errors.List, func(x api.FieldError) bool { return x.Code == e.Code && slices.Equal(x.Path, e.Path) }) {
		n.errors.List = append(n.errors.List, e)
	}
}

// Check adds the errors that Discord's description of an operation's body
// finds.
func (n Node) Check(body *facts.Schema) {
	for _, f := range facts.Discord().Convert(body, n.Value) {
		n.add(api.FieldError{Path: append(slices.Clone(n.Path), f.Path()...), Code: f.Code, Message: f.Message})
	}
}

// CheckQuery returns the error for the parameters of a query.
func CheckQuery(op *facts.Operation, query func(name string) string) error {
	root := Node{errors: &api.FieldErrors{}}
	for name, s := range op.Query {
		if text := query(name); text != "" && !slices.Contains(facts.Discord().JSONTypes(s), "array") {
			var value any = text
			if b, err := strconv.ParseBool(text); err == nil && slices.Contains(facts.Discord().JSONTypes(s), "boolean") {
				value = b
			}
			Node{Value: value, Path: []string{name}, errors: root.errors}.Check(s)
		}
	}
	return root.Err()
}

// IsSet reports whether the field was sent and is not null.
func (n Node) IsSet() bool { return n.Present && n.Value != nil }

// Required reports whether the field is set, and adds an error if not.
func (n Node) Required() bool {
	if !n.IsSet() {
		n.AddError("BASE_TYPE_REQUIRED", "This field is required")
		return false
	}
	return true
}

// Field returns a field of an object. If the node is not an object the field
// is absent; IsObject reports the error.
func (n Node) Field(name string) Node {
	obj, _ := n.Value.(map[string]any)
	value, ok := obj[name]
	return Node{Value: value, Present: ok, Path: append(slices.Clone(n.Path), name), errors: n.errors}
}

// IsObject reports whether the value is an object, and adds an error if not.
func (n Node) IsObject() bool {
	if _, ok := n.Value.(map[string]any); !ok {
		n.AddError("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return false
	}
	return true
}

// Items returns the elements of a list of least to most elements; an absent
// list is empty.
func (n Node) Items(least, most int) []Node {
	if !n.IsSet() {
		if least > 0 {
			n.Required()
		}
		return nil
	}
	list, ok := n.Value.([]any)
	if !ok {
		n.AddError("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
		return nil
	}
	switch {
	case len(list) > most && least > 0, len(list) < least:
		n.AddError("BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	case len(list) > most:
		n.AddError("BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	}
	out := make([]Node, len(list))
	for i, v := range list {
		out[i] = Node{Value: v, Present: true, Path: append(slices.Clone(n.Path), strconv.Itoa(i)), errors: n.errors}
	}
	return out
}

// Objects returns those elements of a list that are objects with the required
// fields, and adds errors for the others.
func (n Node) Objects(least, most int, required ...string) []Node {
	return slices.DeleteFunc(n.Items(least, most), func(item Node) bool {
		return !item.IsObject() || slices.ContainsFunc(required, func(key string) bool { return !item.Field(key).Required() })
	})
}

// Integers reads a list of integers of at most most elements; an absent list is
// nil.
func (n Node) Integers(most int, read func(Node) int64) []int {
	var out []int
	for _, item := range n.Items(0, most) {
		out = append(out, int(read(item)))
	}
	return out
}

// Optional returns a pointer to the value of a node, nil if the node is not
// set.
func Optional[T any](n Node, value T) *T {
	if !n.IsSet() {
		return nil
	}
	return &value
}

// Default returns the value of a node, or def if the node is not set.
func Default[T any](n Node, value, def T) T {
	if !n.IsSet() {
		return def
	}
	return value
}

// RequiredText reads a required string of 1 to most characters.
func (n Node) RequiredText(most int) string {
	n.Required()
	return n.Text(1, most)
}

// Text reads a string of least to most characters; absent is "".
func (n Node) Text(least, most int) string {
	if !n.IsSet() {
		return ""
	}
	s, ok := n.Value.(string)
	if !ok {
		n.AddError("STRING_TYPE_CONVERT", "Could not interpret %q as string.", fmt.Sprint(n.Value))
		return ""
	}
	switch count := utf8.RuneCountInString(s); {
	case count >= least && count <= most:
	case least > 0:
		n.AddError("BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	default:
		n.AddError("BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	}
	return s
}

// MaxInt53 is the largest integer that every JSON reader represents exactly.
const MaxInt53 = 1<<53 - 1

// Integer reads an integer within bounds; absent is 0.
func (n Node) Integer(least, most int64) int64 {
	if !n.IsSet() {
		return 0
	}
	num, ok := n.Value.(json.Number)
	var i int64
	if ok {
		var err error
		if i, err = num.Int64(); err != nil {
			f, ferr := num.Float64()
			ok = ferr == nil && f == math.Trunc(f) && math.Abs(f) <= MaxInt53
			i = int64(f)
		}
	}
	if !ok {
		n.AddError("NUMBER_TYPE_COERCE", "Value %q is not int.", fmt.Sprint(n.Value))
		return 0
	}
	if i < least {
		n.AddError("NUMBER_TYPE_MIN", "int value should be greater than or equal to %d.", least)
	}
	if i > most {
		n.AddError("NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", most)
	}
	return i
}

// number reads any number; absent is 0.
func (n Node) number() float64 {
	if !n.IsSet() {
		return 0
	}
	num, _ := n.Value.(json.Number)
	f, err := num.Float64()
	if err != nil {
		n.AddError("NUMBER_TYPE_COERCE", "Value %q is not float.", fmt.Sprint(n.Value))
		return 0
	}
	return f
}

// Boolean reads true or false; absent is false.
func (n Node) Boolean() bool {
	if !n.IsSet() {
		return false
	}
	b, ok := n.Value.(bool)
	if !ok {
		n.AddError("BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
	}
	return b
}

// OneOf reads an integer that must be one of the allowed values.
func (n Node) OneOf(allowed ...int64) int64 {
	i := n.Integer(math.MinInt64, math.MaxInt64)
	if n.IsSet() && !slices.Contains(allowed, i) {
		n.NotOneOf(allowed)
	}
	return i
}

// NotOneOf adds the error for a value that is not allowed.
func (n Node) NotOneOf(allowed []int64) {
	names := strings.ReplaceAll(strings.Trim(fmt.Sprint(allowed), "[]"), " ", ", ")
	n.AddError("BASE_TYPE_CHOICES", "Value must be one of {%s}.", names)
}

// Snowflake reads an id, which Discord accepts as a string or a number.
func (n Node) Snowflake() string {
	if !n.IsSet() {
		return ""
	}
	s := fmt.Sprint(n.Value)
	if !api.IsSnowflake(s) {
		n.AddError("NUMBER_TYPE_COERCE", "Value %q is not snowflake.", s)
		return ""
	}
	return s
}
