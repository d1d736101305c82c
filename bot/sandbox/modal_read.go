package sandbox

import "slices"

// Limits of a modal ("Modal", Component Reference and OpenAPI).
const (
	maxModalComponents = 5
	maxTextInput       = 4000
)

// notInModals are the components that Discord takes in a label and the
// sandbox does not: file upload, radio group, checkbox group, checkbox.
var notInModals = []int64{19, 21, 22, 23}

// readModal reads an answer of type 9.
func readModal(data node) (*Modal, error) {
	if !data.isObject() {
		return nil, data.err()
	}
	m := &Modal{}
	if n := data.field("custom_id"); n.required() {
		m.CustomID = n.text(1, 100)
	}
	if n := data.field("title"); n.required() {
		m.Title = n.text(1, 45)
	}
	if n := data.field("components"); n.required() {
		list := n.items(1, maxModalComponents)
		r := &componentReader{}
		r.takeIDs(list)
		for _, c := range list {
			m.Components = append(m.Components, r.readInModal(c))
		}
	}
	return m, data.err()
}

// readInModal reads a top-level component of a modal: a label, a text, or the
// older row with one text input.
func (r *componentReader) readInModal(n node) Component {
	if !n.isObject() || !n.field("type").required() {
		return Component{}
	}
	switch kind := n.field("type").integer(0, 1<<31-1); kind {
	case ComponentTextDisplay:
		return r.read(n, []int64{ComponentTextDisplay})
	case ComponentActionRow:
		c := Component{Type: ComponentActionRow, ID: r.id(n.field("id"))}
		for _, child := range n.field("components").items(1, 1) {
			c.Components = append(c.Components, r.readInput(child, []int64{ComponentTextInput}))
			child.field("label").required()
		}
		return c
	case ComponentLabel:
		c := Component{Type: ComponentLabel, ID: r.id(n.field("id"))}
		if l := n.field("label"); l.required() {
			c.Label = l.text(1, 45)
		}
		if d := n.field("description"); d.isSet() {
			text := d.text(1, 100)
			c.Description = &text
		}
		inside := []int64{ComponentTextInput, ComponentStringSelect, ComponentUserSelect, ComponentRoleSelect, ComponentMentionableSelect, ComponentChannelSelect}
		if input := n.field("component"); input.required() {
			c.Components = []Component{r.readInput(input, inside)}
		}
		return c
	default:
		n.field("type").notOneOf([]int64{ComponentActionRow, ComponentTextDisplay, ComponentLabel})
	}
	return Component{}
}

// readInput reads a text input or a menu. Both are required unless they say
// otherwise.
func (r *componentReader) readInput(n node, allowed []int64) Component {
	if !n.isObject() || !n.field("type").required() {
		return Component{}
	}
	kind := n.field("type").integer(0, 1<<31-1)
	if slices.Contains(notInModals, kind) {
		n.field("type").addError("SANDBOX_NOT_BUILT", "The sandbox does not have components of type %d", kind)
		return Component{}
	}
	if !slices.Contains(allowed, kind) {
		n.field("type").notOneOf(allowed)
		return Component{}
	}
	c := Component{Type: int(kind), ID: r.id(n.field("id")), Required: !n.field("required").isSet() || n.field("required").boolean()}
	if c.Type != ComponentTextInput {
		r.menu(n, &c)
		if c.Disabled { // "Using disabled in a modal will result in an error" (String Select)
			n.field("disabled").addError("MODAL_COMPONENT_DISABLED", "Components in modals cannot be disabled")
		}
		return c
	}
	c.CustomID = r.customID(n.field("custom_id"))
	if s := n.field("style"); s.required() {
		c.Style = int(s.oneOf(1, 2))
	}
	c.Label = n.field("label").text(0, 45)
	c.Value = n.field("value").text(0, maxTextInput)
	c.Placeholder = n.field("placeholder").text(0, 100)
	if l := n.field("min_length"); l.isSet() {
		v := int(l.integer(0, maxTextInput))
		c.MinLength = &v
	}
	if l := n.field("max_length"); l.isSet() {
		v := int(l.integer(1, maxTextInput))
		c.MaxLength = &v
	}
	if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
		n.field("min_length").addError("TEXT_INPUT_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
	return c
}
