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
		n.addError("COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total number of components in this message exceeds %d", maxComponents)
	}
	if r.text > maxTextDisplay {
		n.addError("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "Component displayable text size exceeds maximum size of %d", maxTextDisplay)
	}
	return out
}

// takeIDs notes the ids that the request gives itself, so that the ones that
// are made up do not meet them ("if it is left out, ids are filled in
// sequentially", Component Reference).
func (r *componentReader) takeIDs(list []node) {
	for _, c := range list {
		scratch := c
		scratch.errors = &fieldErrors{} // faults are reported by read
		if id := int(scratch.field("id").integer(0, 1<<31-1)); id > 0 {
			r.ids = append(r.ids, id)
		}
		if _, isList := scratch.field("components").value.([]any); isList {
			r.takeIDs(scratch.field("components").items(0, maxComponents))
		}
		if acc := scratch.field("accessory"); acc.isSet() {
			r.takeIDs([]node{acc})
		}
	}
}

func (r *componentReader) id(n node) int {
	if id := int(n.integer(0, 1<<31-1)); id > 0 {
		if i := slices.Index(r.ids, id); i >= 0 && slices.Contains(r.ids[i+1:], id) {
			n.addError("COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
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
	if !n.isObject() || !n.field("type").required() {
		return Component{}
	}
	kind := n.field("type").integer(0, 1<<31-1)
	if !slices.Contains(allowed, kind) {
		n.field("type").notOneOf(allowed)
		return Component{}
	}
	r.count++
	c := Component{Type: int(kind), ID: r.id(n.field("id")), Spoiler: n.field("spoiler").boolean()}
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
		if n.field("content").required() {
			c.Content = n.field("content").text(1, maxTextDisplay)
			r.text += utf8.RuneCountInString(c.Content)
		}
	case ComponentThumbnail:
		c.Media = r.link(n.field("media"))
		c.Description = readDescription(n.field("description"))
	case ComponentMediaGallery:
		for _, item := range n.field("items").items(1, 10) {
			if !item.isObject() {
				continue
			}
			g := GalleryItem{Description: readDescription(item.field("description")), Spoiler: item.field("spoiler").boolean()}
			if m := r.link(item.field("media")); m != nil {
				g.Media = *m
			}
			c.Items = append(c.Items, g)
		}
	case ComponentFile:
		r.file(n, &c)
	case ComponentSeparator:
		c.Divider = !n.field("divider").isSet() || n.field("divider").boolean()
		c.Spacing = 1
		if n.field("spacing").isSet() {
			c.Spacing = int(n.field("spacing").oneOf(1, 2))
		}
	case ComponentContainer:
		if a := n.field("accent_color"); a.isSet() {
			v := int(a.integer(0, 0xFFFFFF))
			c.AccentColor = &v
		}
		inside := []int64{ComponentActionRow, ComponentSection, ComponentTextDisplay, ComponentMediaGallery, ComponentFile, ComponentSeparator}
		for _, child := range n.field("components").items(1, maxComponents) {
			c.Components = append(c.Components, r.read(child, inside))
		}
	}
	return c
}

func (r *componentReader) row(n node, c *Component) {
	inside := []int64{ComponentButton, ComponentStringSelect, ComponentUserSelect, ComponentRoleSelect, ComponentMentionableSelect, ComponentChannelSelect}
	list := n.field("components").items(1, 5)
	for _, child := range list {
		c.Components = append(c.Components, r.read(child, inside))
	}
	// A menu fills its row: five buttons or one menu ("Action Row").
	if len(list) > 1 && slices.ContainsFunc(c.Components, Component.isSelect) {
		n.field("components").addError("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
	}
}

func (r *componentReader) button(n node, c *Component) {
	if !n.field("style").required() {
		return
	}
	c.Style = int(n.field("style").oneOf(1, 2, 3, 4, 5, 6))
	c.Label = n.field("label").text(0, 80)
	c.Disabled = n.field("disabled").boolean()
	c.Emoji = readEmoji(n.field("emoji"))
	c.URL = n.field("url").text(0, 512)
	c.SKUID = n.field("sku_id").snowflake()
	switch c.Style {
	case ButtonLink:
		n.field("url").required()
		if n.field("custom_id").isSet() {
			n.field("custom_id").addError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	case 6:
		n.field("sku_id").required()
	default:
		c.CustomID = r.customID(n.field("custom_id"))
		if c.URL != "" {
			n.field("url").addError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	}
	if c.Label == "" && c.Emoji == nil && c.Style != 6 {
		n.field("label").addError("BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or an emoji")
	}
}

func (r *componentReader) menu(n node, c *Component) {
	c.CustomID = r.customID(n.field("custom_id"))
	c.Placeholder = n.field("placeholder").text(0, 150)
	c.Disabled = n.field("disabled").boolean()
	c.MinValues, c.MaxValues = 1, 1
	if n.field("min_values").isSet() {
		c.MinValues = int(n.field("min_values").integer(0, 25))
	}
	if n.field("max_values").isSet() {
		c.MaxValues = int(n.field("max_values").integer(1, 25))
	}
	if c.MinValues > c.MaxValues {
		n.field("min_values").addError("SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot be greater than max_values")
	}
	if c.Type != ComponentStringSelect {
		r.defaults(n.field("default_values"), c)
		if c.Type == ComponentChannelSelect {
			for _, t := range n.field("channel_types").items(0, 20) {
				c.Channels = append(c.Channels, int(t.integer(0, 20)))
			}
		}
		return
	}
	if !n.field("options").required() {
		return
	}
	options := n.field("options").items(1, 25)
	if c.MaxValues > len(options) {
		n.field("max_values").addError("SELECT_COMPONENT_MAX_VALUES_TOO_LARGE", "max_values cannot be greater than the number of options")
	}
	var values []string
	for _, o := range options {
		if !o.isObject() || !o.field("label").required() || !o.field("value").required() {
			continue
		}
		opt := SelectOption{
			Label: o.field("label").text(1, 100), Value: o.field("value").text(1, 100), Description: o.field("description").text(0, 100),
			Emoji: readEmoji(o.field("emoji")), Default: o.field("default").boolean(),
		}
		if slices.Contains(values, opt.Value) {
			o.field("value").addError("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
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
		if !d.isObject() || !d.field("id").required() || !d.field("type").required() {
			continue
		}
		v := SelectDefault{ID: d.field("id").snowflake(), Type: d.field("type").text(1, 20)}
		if !slices.Contains(defaultTypes[c.Type], v.Type) {
			d.field("type").addError("SELECT_COMPONENT_INVALID_DEFAULT_VALUE_TYPE", "A default value of this type is not available in this select")
		}
		c.Defaults = append(c.Defaults, v)
	}
	if len(c.Defaults) > 0 && (len(c.Defaults) < c.MinValues || len(c.Defaults) > c.MaxValues) {
		n.addError("SELECT_COMPONENT_DEFAULT_VALUES_COUNT", "The number of default values must be between min_values and max_values")
	}
}

func (r *componentReader) section(n node, c *Component) {
	for _, child := range n.field("components").items(1, 3) {
		c.Components = append(c.Components, r.read(child, []int64{ComponentTextDisplay}))
	}
	if acc := n.field("accessory"); acc.required() {
		a := r.read(acc, []int64{ComponentButton, ComponentThumbnail})
		c.Accessory = &a
	}
}

func (r *componentReader) file(n node, c *Component) {
	c.Media = r.link(n.field("file"))
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
	n.field("file").field("url").addError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
}

func (r *componentReader) link(n node) *Media {
	if !n.required() || !n.isObject() {
		return nil
	}
	m := r.media.resolve(n.field("url"))
	return &m
}

// customID reads a custom_id: 1 to 100 characters, unique in its message.
func (r *componentReader) customID(n node) string {
	if !n.required() {
		return ""
	}
	id := n.text(1, 100)
	if slices.Contains(r.customIDs, id) {
		n.addError("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	r.customIDs = append(r.customIDs, id)
	return id
}

// readDescription reads an alternative text, null when there is none.
func readDescription(n node) *string {
	if !n.isSet() {
		return nil
	}
	s := n.text(1, 1024)
	return &s
}

func readEmoji(n node) *Emoji {
	if !n.isSet() || !n.isObject() {
		return nil
	}
	e := &Emoji{ID: n.field("id").snowflake(), Name: n.field("name").text(0, 32), Animated: n.field("animated").boolean()}
	if e.ID == "" && e.Name == "" {
		n.field("name").required()
		n.addError("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
	return e
}
