package payload

import (
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
)

// Limits of a modal ("Modal", Component Reference and OpenAPI).
const (
	maxModalComponents = 5
	MaxTextInput       = 4000
)

// ReadModal reads a response of type 9.
func ReadModal(data Node) (*api.Modal, error) {
	if !data.IsObject() {
		return nil, data.Err()
	}
	m := &api.Modal{CustomID: data.Field("custom_id").RequiredText(100), Title: data.Field("title").RequiredText(45)}
	if n := data.Field("components"); n.Required() {
		list := n.Items(1, maxModalComponents)
		r := &componentReader{}
		r.takeIDs(list)
		for _, c := range list {
			m.Components = append(m.Components, r.readInModal(c))
		}
	}
	return m, data.Err()
}

// readInModal reads a top-level component of a modal: a label, a text display,
// or the older row with one text input.
func (r *componentReader) readInModal(n Node) api.Component {
	if !n.IsObject() || !n.Field("type").Required() {
		return api.Component{}
	}
	switch kind := n.Field("type").Integer(0, 1<<31-1); kind {
	case api.ComponentTextDisplay:
		return r.read(n, []int64{api.ComponentTextDisplay})
	case api.ComponentActionRow:
		c := api.Component{Type: api.ComponentActionRow, ID: r.id(n.Field("id"))}
		for _, child := range n.Field("components").Items(1, 1) {
			c.Components = append(c.Components, r.readInput(child, []int64{api.ComponentTextInput}))
			child.Field("label").Required()
		}
		return c
	case api.ComponentLabel:
		c := api.Component{Type: api.ComponentLabel, ID: r.id(n.Field("id"))}
		c.Label = n.Field("label").RequiredText(45)
		c.Description = Optional(n.Field("description"), n.Field("description").Text(1, 100))
		inside := []int64{
			api.ComponentTextInput, api.ComponentStringSelect, api.ComponentUserSelect, api.ComponentRoleSelect, api.ComponentMentionableSelect, api.ComponentChannelSelect,
			api.ComponentFileUpload, api.ComponentRadioGroup, api.ComponentCheckboxGroup, api.ComponentCheckbox,
		}
		if input := n.Field("component"); input.Required() {
			c.Components = []api.Component{r.readInput(input, inside)}
		}
		return c
	default:
		n.Field("type").NotOneOf([]int64{api.ComponentActionRow, api.ComponentTextDisplay, api.ComponentLabel})
	}
	return api.Component{}
}

// readInput reads an input. All but a checkbox are required by default.
func (r *componentReader) readInput(n Node, allowed []int64) api.Component {
	if !n.IsObject() || !n.Field("type").Required() {
		return api.Component{}
	}
	kind := n.Field("type").Integer(0, 1<<31-1)
	if !slices.Contains(allowed, kind) {
		n.Field("type").NotOneOf(allowed)
		return api.Component{}
	}
	c := api.Component{Type: int(kind), ID: r.id(n.Field("id")), Required: Default(n.Field("required"), n.Field("required").Boolean(), true)}
	switch c.Type {
	case api.ComponentTextInput:
	case api.ComponentCheckbox:
		c.CustomID, c.Checked, c.Required = r.customID(n.Field("custom_id")), n.Field("default").Boolean(), false
		return c
	case api.ComponentFileUpload, api.ComponentRadioGroup, api.ComponentCheckboxGroup:
		r.group(n, &c)
		return c
	default:
		r.menu(n, &c)
		if c.Disabled { // "Using disabled in a modal will result in an error" (String Select)
			n.Field("disabled").AddError("MODAL_COMPONENT_DISABLED", "Components in modals cannot be disabled")
		}
		return c
	}
	c.CustomID = r.customID(n.Field("custom_id"))
	if s := n.Field("style"); s.Required() {
		c.Style = int(s.OneOf(1, 2))
	}
	c.Label = n.Field("label").Text(0, 45)
	c.Value = n.Field("value").Text(0, MaxTextInput)
	c.Placeholder = n.Field("placeholder").Text(0, 100)
	c.MinLength = Optional(n.Field("min_length"), int(n.Field("min_length").Integer(0, MaxTextInput)))
	c.MaxLength = Optional(n.Field("max_length"), int(n.Field("max_length").Integer(1, MaxTextInput)))
	if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
		n.Field("min_length").AddError("TEXT_INPUT_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
	return c
}

// maxGroup is how many files a person may upload at once, and how many options a
// radio or checkbox group has.
const maxGroup = 10

// group reads a file upload, or a group with its options. A checkbox group
// allows all its options, the others one by default.
func (r *componentReader) group(n Node, c *api.Component) {
	c.CustomID = r.customID(n.Field("custom_id"))
	c.MinValues, c.MaxValues = 1, 1
	switch c.Type {
	case api.ComponentFileUpload:
		c.FileTypes = readFileTypes(n)
	case api.ComponentRadioGroup:
		c.Options = r.options(n.Field("options").Items(2, maxGroup))
		return
	default: // api.ComponentCheckboxGroup
		c.Options = r.options(n.Field("options").Items(1, maxGroup))
		c.MaxValues = max(1, len(c.Options))
	}
	c.MinValues = Default(n.Field("min_values"), int(n.Field("min_values").Integer(0, maxGroup)), c.MinValues)
	c.MaxValues = Default(n.Field("max_values"), int(n.Field("max_values").Integer(1, maxGroup)), c.MaxValues)
	switch {
	case c.MinValues > c.MaxValues:
		n.Field("min_values").AddError("SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot be greater than max_values")
	case c.MinValues == 0 && c.Required && n.Field("required").IsSet():
		n.Field("required").AddError("MODAL_COMPONENT_REQUIRED_MIN_VALUES", "A required component cannot have min_values 0")
	}
}

// readFileTypes reads the kinds of files that a person may upload: "audio",
// "image", "video", or an extension such as ".pdf" ("File Type Filtering").
func readFileTypes(n Node) []string {
	var out []string
	for _, t := range n.Field("file_types").Items(0, 10) {
		kind := t.Text(1, 100)
		if !strings.HasPrefix(kind, ".") && !slices.Contains([]string{"audio", "image", "video"}, kind) {
			t.AddError("FILE_TYPE_INVALID", "%q is neither audio, image or video nor an extension", kind)
		}
		out = append(out, kind)
	}
	return out
}
