package payload

import (
	"slices"

	"castellan/bot/sandbox/internal/api"
)

// Limits of a modal ("Modal", Component Reference and OpenAPI).
const (
	maxModalComponents = 5
	MaxTextInput       = 4000
)

// notInModals are the components that Discord accepts in a label and the
// sandbox does not: file upload, radio group, checkbox group, checkbox.
var notInModals = []int64{19, 21, 22, 23}

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
		inside := []int64{api.ComponentTextInput, api.ComponentStringSelect, api.ComponentUserSelect, api.ComponentRoleSelect, api.ComponentMentionableSelect, api.ComponentChannelSelect}
		if input := n.Field("component"); input.Required() {
			c.Components = []api.Component{r.readInput(input, inside)}
		}
		return c
	default:
		n.Field("type").NotOneOf([]int64{api.ComponentActionRow, api.ComponentTextDisplay, api.ComponentLabel})
	}
	return api.Component{}
}

// readInput reads a text input or a select. Both are required by default.
func (r *componentReader) readInput(n Node, allowed []int64) api.Component {
	if !n.IsObject() || !n.Field("type").Required() {
		return api.Component{}
	}
	kind := n.Field("type").Integer(0, 1<<31-1)
	if slices.Contains(notInModals, kind) {
		n.Field("type").AddError("SANDBOX_NOT_BUILT", "The sandbox does not have components of type %d", kind)
		return api.Component{}
	}
	if !slices.Contains(allowed, kind) {
		n.Field("type").NotOneOf(allowed)
		return api.Component{}
	}
	c := api.Component{Type: int(kind), ID: r.id(n.Field("id")), Required: Default(n.Field("required"), n.Field("required").Boolean(), true)}
	if c.Type != api.ComponentTextInput {
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
