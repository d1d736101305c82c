package sandbox

import (
	"slices"
	"unicode/utf8"
)

// Limits of "Component Reference" on Discord's pages and of its OpenAPI
// description.
const (
	maxComponents  = 40   // of a v2 message, nested ones included
	maxRows        = 5    // of a message without v2
	maxTextDisplay = 4000 // all texts of a v2 message together
)

// componentReader validates the components of one message.
type componentReader struct {
	media     resolver
	nextID    int
	ids       []int
	customIDs []string
	count     int
	text      int
}

// readComponents validates the components of a request. Without v2 a message
// holds action rows alone; with it, the layout components as well.
func readComponents(n node, v2 bool, media resolver) []Component {
	r := &componentReader{media: media}
	top := []int64{ComponentActionRow}
	most := maxRows
	if v2 {
		top = append(top, ComponentSection, ComponentTextDisplay, ComponentMediaGallery, ComponentFile, ComponentSeparator, ComponentContainer)
		most = maxComponents
	}
	list := n.items(0, most)
	r.takeIDs(list)
	out := make([]Component, 0, len(list))
	for _, c := range list {
		out = append(out, r.read(c, top))
	}
	if r.count > maxComponents {
		n.fail("COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total number of components in this message exceeds %d", maxComponents)
	}
	if r.text > maxTextDisplay {
		n.fail("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "Component displayable text size exceeds maximum size of %d", maxTextDisplay)
	}
	return out
}

// takeIDs notes the ids that the request gives itself, so that the ones that
// are made up do not meet them ("if it is left out, ids are filled in
// sequentially", Component Reference).
func (r *componentReader) takeIDs(list []node) {
	for _, c := range list {
		scratch := c
		scratch.faults = &formFaults{} // faults are reported by read
		if id := int(scratch.key("id").integer(0, 1<<31-1)); id > 0 {
			r.ids = append(r.ids, id)
		}
		if _, isList := scratch.key("components").value.([]any); isList {
			r.takeIDs(scratch.key("components").items(0, maxComponents))
		}
		if acc := scratch.key("accessory"); acc.given() {
			r.takeIDs([]node{acc})
		}
	}
}

func (r *componentReader) id(n node) int {
	if id := int(n.integer(0, 1<<31-1)); id > 0 {
		if i := slices.Index(r.ids, id); i >= 0 && slices.Contains(r.ids[i+1:], id) {
			n.fail("COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
		}
		return id
	}
	for {
		r.nextID++
		if !slices.Contains(r.ids, r.nextID) {
			return r.nextID
		}
	}
}

// read validates one component, which must be of an allowed type.
func (r *componentReader) read(n node, allowed []int64) Component {
	if !n.object() || !n.key("type").must() {
		return Component{}
	}
	kind := n.key("type").integer(0, 1<<31-1)
	if !slices.Contains(allowed, kind) {
		n.key("type").choices(allowed)
		return Component{}
	}
	r.count++
	c := Component{Type: int(kind), ID: r.id(n.key("id")), Spoiler: n.key("spoiler").boolean()}
	switch c.Type {
	case ComponentActionRow:
		r.row(n, &c)
	case ComponentButton:
		r.button(n, &c)
	case ComponentStringSelect, ComponentUserSelect, ComponentRoleSelect, ComponentMentionableSelect, ComponentChannelSelect:
		r.menu(n, &c)
	case ComponentSection:
		r.section(n, &c)
	case ComponentTextDisplay:
		if n.key("content").must() {
			c.Content = n.key("content").str(1, maxTextDisplay)
			r.text += utf8.RuneCountInString(c.Content)
		}
	case ComponentThumbnail:
		c.Media = r.link(n.key("media"))
		c.Description = readDescription(n.key("description"))
	case ComponentMediaGallery:
		for _, item := range n.key("items").items(1, 10) {
			if !item.object() {
				continue
			}
			g := GalleryItem{Description: readDescription(item.key("description")), Spoiler: item.key("spoiler").boolean()}
			if m := r.link(item.key("media")); m != nil {
				g.Media = *m
			}
			c.Items = append(c.Items, g)
		}
	case ComponentFile:
		r.file(n, &c)
	case ComponentSeparator:
		c.Divider = !n.key("divider").given() || n.key("divider").boolean()
		c.Spacing = 1
		if n.key("spacing").given() {
			c.Spacing = int(n.key("spacing").oneOf(1, 2))
		}
	case ComponentContainer:
		if a := n.key("accent_color"); a.given() {
			v := int(a.integer(0, 0xFFFFFF))
			c.AccentColor = &v
		}
		inside := []int64{ComponentActionRow, ComponentSection, ComponentTextDisplay, ComponentMediaGallery, ComponentFile, ComponentSeparator}
		for _, child := range n.key("components").items(1, maxComponents) {
			c.Components = append(c.Components, r.read(child, inside))
		}
	}
	return c
}

func (r *componentReader) row(n node, c *Component) {
	inside := []int64{ComponentButton, ComponentStringSelect, ComponentUserSelect, ComponentRoleSelect, ComponentMentionableSelect, ComponentChannelSelect}
	list := n.key("components").items(1, 5)
	for _, child := range list {
		c.Components = append(c.Components, r.read(child, inside))
	}
	// A menu fills its row: five buttons or one menu ("Action Row").
	if len(list) > 1 && slices.ContainsFunc(c.Components, Component.isSelect) {
		n.key("components").fail("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
	}
}

func (r *componentReader) button(n node, c *Component) {
	if !n.key("style").must() {
		return
	}
	c.Style = int(n.key("style").oneOf(1, 2, 3, 4, 5, 6))
	c.Label = n.key("label").str(0, 80)
	c.Disabled = n.key("disabled").boolean()
	c.Emoji = readEmoji(n.key("emoji"))
	c.URL = n.key("url").str(0, 512)
	c.SKUID = n.key("sku_id").snowflake()
	switch c.Style {
	case ButtonLink:
		n.key("url").must()
		if n.key("custom_id").given() {
			n.key("custom_id").fail("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	case 6:
		n.key("sku_id").must()
	default:
		c.CustomID = r.customID(n.key("custom_id"))
		if c.URL != "" {
			n.key("url").fail("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	}
	if c.Label == "" && c.Emoji == nil && c.Style != 6 {
		n.key("label").fail("BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or an emoji")
	}
}

func (r *componentReader) menu(n node, c *Component) {
	c.CustomID = r.customID(n.key("custom_id"))
	c.Placeholder = n.key("placeholder").str(0, 150)
	c.Disabled = n.key("disabled").boolean()
	c.MinValues, c.MaxValues = 1, 1
	if n.key("min_values").given() {
		c.MinValues = int(n.key("min_values").integer(0, 25))
	}
	if n.key("max_values").given() {
		c.MaxValues = int(n.key("max_values").integer(1, 25))
	}
	if c.MinValues > c.MaxValues {
		n.key("min_values").fail("SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot be greater than max_values")
	}
	if c.Type != ComponentStringSelect {
		r.defaults(n.key("default_values"), c)
		if c.Type == ComponentChannelSelect {
			for _, t := range n.key("channel_types").items(0, 20) {
				c.Channels = append(c.Channels, int(t.integer(0, 20)))
			}
		}
		return
	}
	if !n.key("options").must() {
		return
	}
	options := n.key("options").items(1, 25)
	if c.MaxValues > len(options) {
		n.key("max_values").fail("SELECT_COMPONENT_MAX_VALUES_TOO_LARGE", "max_values cannot be greater than the number of options")
	}
	var values []string
	for _, o := range options {
		if !o.object() || !o.key("label").must() || !o.key("value").must() {
			continue
		}
		opt := SelectOption{
			Label: o.key("label").str(1, 100), Value: o.key("value").str(1, 100), Description: o.key("description").str(0, 100),
			Emoji: readEmoji(o.key("emoji")), Default: o.key("default").boolean(),
		}
		if slices.Contains(values, opt.Value) {
			o.key("value").fail("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		values = append(values, opt.Value)
		c.Options = append(c.Options, opt)
	}
}

// defaultTypes says what each menu of entities can start with.
var defaultTypes = map[int][]string{
	ComponentUserSelect: {"user"}, ComponentRoleSelect: {"role"},
	ComponentMentionableSelect: {"user", "role"}, ComponentChannelSelect: {"channel"},
}

// defaults reads what a menu of entities starts with: none, or as many as can
// be chosen ("Select Default Value Structure").
func (r *componentReader) defaults(n node, c *Component) {
	for _, d := range n.items(0, 25) {
		if !d.object() || !d.key("id").must() || !d.key("type").must() {
			continue
		}
		v := SelectDefault{ID: d.key("id").snowflake(), Type: d.key("type").str(1, 20)}
		if !slices.Contains(defaultTypes[c.Type], v.Type) {
			d.key("type").fail("SELECT_COMPONENT_INVALID_DEFAULT_VALUE_TYPE", "A default value of this type is not available in this select")
		}
		c.Defaults = append(c.Defaults, v)
	}
	if len(c.Defaults) > 0 && (len(c.Defaults) < c.MinValues || len(c.Defaults) > c.MaxValues) {
		n.fail("SELECT_COMPONENT_DEFAULT_VALUES_COUNT", "The number of default values must be between min_values and max_values")
	}
}

func (r *componentReader) section(n node, c *Component) {
	for _, child := range n.key("components").items(1, 3) {
		c.Components = append(c.Components, r.read(child, []int64{ComponentTextDisplay}))
	}
	if acc := n.key("accessory"); acc.must() {
		a := r.read(acc, []int64{ComponentButton, ComponentThumbnail})
		c.Accessory = &a
	}
}

func (r *componentReader) file(n node, c *Component) {
	c.Media = r.link(n.key("file"))
	if c.Media == nil {
		return
	}
	for _, f := range r.media.files {
		if f.ID == c.Media.AttachmentID {
			c.Name, c.Size = f.Filename, f.Size
			return
		}
	}
	// A file must be an upload; other addresses are refused ("File").
	n.key("file").key("url").fail("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
}

func (r *componentReader) link(n node) *Media {
	if !n.must() || !n.object() {
		return nil
	}
	m := r.media.resolve(n.key("url"))
	return &m
}

// customID reads a custom_id: 1 to 100 characters, unique in its message.
func (r *componentReader) customID(n node) string {
	if !n.must() {
		return ""
	}
	id := n.str(1, 100)
	if slices.Contains(r.customIDs, id) {
		n.fail("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	r.customIDs = append(r.customIDs, id)
	return id
}

// readDescription reads an alternative text, null when there is none.
func readDescription(n node) *string {
	if !n.given() {
		return nil
	}
	s := n.str(1, 1024)
	return &s
}

func readEmoji(n node) *Emoji {
	if !n.given() || !n.object() {
		return nil
	}
	e := &Emoji{ID: n.key("id").snowflake(), Name: n.key("name").str(0, 32), Animated: n.key("animated").boolean()}
	if e.ID == "" && e.Name == "" {
		n.key("name").must()
		n.fail("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
	return e
}
