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
	if !data.object() {
		return nil, data.faults.err()
	}
	m := &Modal{}
	if n := data.key("custom_id"); n.must() {
		m.CustomID = n.str(1, 100)
	}
	if n := data.key("title"); n.must() {
		m.Title = n.str(1, 45)
	}
	if n := data.key("components"); n.must() {
		list := n.items(1, maxModalComponents)
		r := &componentReader{}
		r.takeIDs(list)
		for _, c := range list {
			m.Components = append(m.Components, r.readInModal(c))
		}
	}
	return m, data.faults.err()
}

// readInModal reads a top-level component of a modal: a label, a text, or the
// older row with one text input.
func (r *componentReader) readInModal(n node) Component {
	if !n.object() || !n.key("type").must() {
		return Component{}
	}
	switch kind := n.key("type").integer(0, 1<<31-1); kind {
	case ComponentTextDisplay:
		return r.read(n, []int64{ComponentTextDisplay})
	case ComponentActionRow:
		c := Component{Type: ComponentActionRow, ID: r.id(n.key("id"))}
		for _, child := range n.key("components").items(1, 1) {
			c.Components = append(c.Components, r.readInput(child, []int64{ComponentTextInput}))
			child.key("label").must()
		}
		return c
	case ComponentLabel:
		c := Component{Type: ComponentLabel, ID: r.id(n.key("id"))}
		if l := n.key("label"); l.must() {
			c.Label = l.str(1, 45)
		}
		if d := n.key("description"); d.given() {
			text := d.str(1, 100)
			c.Description = &text
		}
		inside := []int64{ComponentTextInput, ComponentStringSelect, ComponentUserSelect, ComponentRoleSelect, ComponentMentionableSelect, ComponentChannelSelect}
		if input := n.key("component"); input.must() {
			c.Components = []Component{r.readInput(input, inside)}
		}
		return c
	default:
		n.key("type").choices([]int64{ComponentActionRow, ComponentTextDisplay, ComponentLabel})
	}
	return Component{}
}

// readInput reads a text input or a menu. Both are required unless they say
// otherwise.
func (r *componentReader) readInput(n node, allowed []int64) Component {
	if !n.object() || !n.key("type").must() {
		return Component{}
	}
	kind := n.key("type").integer(0, 1<<31-1)
	if slices.Contains(notInModals, kind) {
		n.key("type").fail("SANDBOX_NOT_BUILT", "The sandbox does not have components of type %d", kind)
		return Component{}
	}
	if !slices.Contains(allowed, kind) {
		n.key("type").choices(allowed)
		return Component{}
	}
	c := Component{Type: int(kind), ID: r.id(n.key("id")), Required: !n.key("required").given() || n.key("required").boolean()}
	if c.Type != ComponentTextInput {
		r.menu(n, &c)
		if c.Disabled { // "Using disabled in a modal will result in an error" (String Select)
			n.key("disabled").fail("MODAL_COMPONENT_DISABLED", "Components in modals cannot be disabled")
		}
		return c
	}
	c.CustomID = r.customID(n.key("custom_id"))
	if s := n.key("style"); s.must() {
		c.Style = int(s.oneOf(1, 2))
	}
	c.Label = n.key("label").str(0, 45)
	c.Value = n.key("value").str(0, maxTextInput)
	c.Placeholder = n.key("placeholder").str(0, 100)
	if l := n.key("min_length"); l.given() {
		v := int(l.integer(0, maxTextInput))
		c.MinLength = &v
	}
	if l := n.key("max_length"); l.given() {
		v := int(l.integer(1, maxTextInput))
		c.MaxLength = &v
	}
	if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
		n.key("min_length").fail("TEXT_INPUT_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
	}
	return c
}
