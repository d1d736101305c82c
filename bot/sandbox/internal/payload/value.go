package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"castellan/bot/internal/facts"
	"castellan/bot/sandbox/internal/api"
)

// Node is a value of a request body with its path. Check finds what Discord's
// description of the body says; the other methods take the value as it is, and
// return the zero value for one of another type.
type Node struct {
	Value   any
	Present bool
	Path    []string
	errors  *api.FieldErrors
}

// Err returns the error for the request, or nil if there is none so far.
func (n Node) Err() error { return n.errors.Err() }

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
	}
	return n.IsSet()
}

// Field returns a field of an object; it is absent if the node is no object.
func (n Node) Field(name string) Node {
	obj, _ := n.Value.(map[string]any)
	value, ok := obj[name]
	return Node{Value: value, Present: ok, Path: append(slices.Clone(n.Path), name), errors: n.errors}
}

// Items returns the elements of a list.
func (n Node) Items() []Node {
	list, _ := n.Value.([]any)
	out := make([]Node, len(list))
	for i, v := range list {
		out[i] = Node{Value: v, Present: true, Path: append(slices.Clone(n.Path), strconv.Itoa(i)), errors: n.errors}
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

// Text returns a string; Discord accepts a number too.
func (n Node) Text() string {
	if !n.IsSet() {
		return ""
	}
	return fmt.Sprint(n.Value)
}

// Integer returns an integer; Discord accepts digits too.
func (n Node) Integer() int {
	f, _ := strconv.ParseFloat(n.Text(), 64)
	return int(f)
}

// Boolean returns true or false.
func (n Node) Boolean() bool {
	b, _ := n.Value.(bool)
	return b
}

// NotOneOf adds the error for a value that is not allowed.
func (n Node) NotOneOf(allowed []int64) {
	names := strings.ReplaceAll(strings.Trim(fmt.Sprint(allowed), "[]"), " ", ", ")
	n.AddError("BASE_TYPE_CHOICES", "Value must be one of {%s}.", names)
}

// TooLong adds the error for a text or list of more than most characters or
// elements.
func (n Node) TooLong(most int) {
	n.AddError("BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
}

// MaxInt53 is the largest integer that every JSON reader represents exactly.
const MaxInt53 = 1<<53 - 1
