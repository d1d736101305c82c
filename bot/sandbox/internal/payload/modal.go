package payload

import (
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
)

// maxModalComponents limits a modal, MaxTextInput an input without max_length
// ("Modal", "Text Input").
const (
	maxModalComponents = 5
	MaxTextInput       = 4000
)

// ReadModal reads a response of type 9.
func ReadModal(data Node) (*api.Modal, error) {
	if err := data.Err(); err != nil {
		return nil, err
	}
	m := &api.Modal{CustomID: data.Field("custom_id").Text(), Title: data.Field("title").Text()}
	n := data.Field("components")
	list := n.Items()
	if len(list) > maxModalComponents {
		n.AddError("BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxModalComponents)
	}
	r := &componentReader{inModal: true}
	r.takeIDs(list)
	for _, c := range list {
		// The older way: a row with one text input, which has its own label.
		if row := c.Field("components"); row.IsSet() {
			for _, input := range row.Items() {
				input.Field("label").Required()
			}
			if len(row.Items()) != 1 {
				row.AddError("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 1 in length.")
			}
		}
		m.Components = append(m.Components, r.read(c))
	}
	return m, data.Err()
}

func readTextInput(n Node, c *api.Component) {
	least, most := n.Field("min_length"), n.Field("max_length")
	c.MinLength, c.MaxLength = Optional(least, least.Integer()), Optional(most, most.Integer())
	if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
		least.AddError("TEXT_INPUT_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
}

// group reads a file upload, or a group with its options. A checkbox group
// allows all its options, the others one by default.
func (r *componentReader) group(n Node, c *api.Component) {
	c.Options, c.FileTypes = r.options(n.Field("options")), readFileTypes(n)
	most := 1
	if c.Type == api.ComponentCheckboxGroup {
		most = max(1, len(c.Options))
	}
	r.bounds(n, c, most)
	if c.MinValues == 0 && c.Required && n.Field("required").IsSet() {
		n.Field("required").AddError("MODAL_COMPONENT_REQUIRED_MIN_VALUES", "A required component cannot have min_values 0")
	}
}

// readFileTypes reads the kinds of files that a person may upload: "audio",
// "image", "video", or an extension such as ".pdf" ("File Type Filtering").
func readFileTypes(n Node) []string {
	var out []string
	for _, t := range n.Field("file_types").Items() {
		kind := t.Text()
		if !strings.HasPrefix(kind, ".") && !slices.Contains([]string{"audio", "image", "video"}, kind) {
			t.AddError("FILE_TYPE_INVALID", "%q is neither audio, image or video nor an extension", kind)
		}
		out = append(out, kind)
	}
	return out
}
