package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"castellan/bot/sandbox/internal/api"
)

// Text is a string in a request, for which Discord accepts a number too, such as
// an identifier or a set of permissions.
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

// Strings converts a list of texts.
func Strings(list []Text) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

// Decode stores a checked value in a variable, as [json.Unmarshal] does. The
// error is that of the request.
func (n Node) Decode(into any) error {
	if err := n.Err(); err != nil {
		return err
	}
	raw, err := json.Marshal(n.Value)
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		err = dec.Decode(into)
	}
	if err != nil {
		n.AddError("BASE_TYPE_CONVERT", "%s", fmt.Sprintf("Could not interpret the value: %v.", err))
	}
	return n.Err()
}

// Onto returns an object with the fields of the node and those of another value
// that the node lacks.
func (n Node) Onto(value any) Node {
	base := Node{errors: &api.FieldErrors{}}
	raw, _ := json.Marshal(value) // Discord's objects always marshal
	if b, err := ParseForm(raw); err == nil {
		base = b
	}
	fields, _ := base.Value.(map[string]any)
	own, _ := n.Value.(map[string]any)
	maps.Copy(fields, own)
	return Node{Value: fields, Present: true, Path: n.Path, errors: n.errors}
}
