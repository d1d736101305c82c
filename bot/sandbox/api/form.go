package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Node is a value of a request with its path. Its methods return the zero value for
// a value of another type.
type Node struct {
	Value   any
	Present bool
	Path    []string
	errors  *FieldErrors
}

// Err returns the error for the request, or nil if there is none so far.
func (n Node) Err() error { return n.errors.Err() }

// NewNode returns a value that is the whole request.
func NewNode(value any) Node { return Node{Value: value, Present: true, errors: &FieldErrors{}} }

// ParseForm decodes a JSON body. An empty body is an empty object.
func ParseForm(body []byte) (Node, error) {
	root := NewNode(map[string]any{})
	if len(bytes.TrimSpace(body)) > 0 && Decode(bytes.NewReader(body), &root.Value) != nil {
		return Node{}, ErrInvalidJSON
	}
	return root, nil
}

// Decode reads exactly one JSON value, and numbers as json.Number.
func Decode(r io.Reader, into any) error {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is more after the value")
	}
	return nil
}

// InvalidField returns a 50035 with a single error.
func InvalidField(path []string, code, format string, args ...any) error {
	n := NewNode(nil).At(path...)
	n.AddError(code, format, args...)
	return n.Err()
}

// At returns a node without a value further down.
func (n Node) At(path ...string) Node {
	return Node{Path: slices.Concat(n.Path, path), errors: n.errors}
}

// AddError adds an error at the node's path, unless it has the error already.
func (n Node) AddError(code, format string, args ...any) {
	if !slices.ContainsFunc(n.errors.List, func(x FieldError) bool { return x.Code == code && slices.Equal(x.Path, n.Path) }) {
		n.errors.List = append(n.errors.List, FieldError{Path: slices.Clone(n.Path), Code: code, Message: fmt.Sprintf(format, args...)})
	}
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

// Fields returns the fields of an object.
func (n Node) Fields() map[string]any {
	fields, _ := n.Value.(map[string]any)
	return fields
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

// Number returns a number; Discord accepts digits too.
func (n Node) Number() float64 {
	f, _ := strconv.ParseFloat(n.Text(), 64)
	return f
}

// Integer returns a number as an integer.
func (n Node) Integer() int { return int(n.Number()) }

func (n Node) name() string { return n.Path[len(n.Path)-1] }

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

// Text is a string for which Discord accepts a number too, such as an id or a set
// of permissions.
type Text string

// UnmarshalJSON reads a string or a number.
func (t *Text) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(t))
	}
	*t = Text(bytes.Trim(raw, " \n"))
	if *t == "null" {
		*t = ""
	}
	return nil
}

// Decode stores a checked value in a variable, as [json.Unmarshal] does.
func (n Node) Decode(into any) bool {
	raw, err := json.Marshal(n.Value)
	if err == nil {
		err = Decode(bytes.NewReader(raw), into)
	}
	if err != nil {
		n.AddError("BASE_TYPE_CONVERT", "Could not interpret the value: %v.", err)
	}
	return err == nil
}
