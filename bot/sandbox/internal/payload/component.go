package payload

import (
	"slices"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
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
	media     MediaResolver
	nextID    int
	ids       []int
	customIDs []string
	count     int
	text      int
}

// ReadComponents validates the components of a request. A message without v2
// has only action rows; v2 adds the layout components.
func ReadComponents(n Node, v2 bool, media MediaResolver) []api.Component {
	r := &componentReader{media: media}
	top := []int64{api.ComponentActionRow}
	most := maxRows
	if v2 {
		top = append(top, api.ComponentSection, api.ComponentTextDisplay, api.ComponentMediaGallery, api.ComponentFile, api.ComponentSeparator, api.ComponentContainer)
		most = maxComponents
	}
	list := n.Items(0, most)
	r.takeIDs(list)
	out := make([]api.Component, 0, len(list))
	for _, c := range list {
		out = append(out, r.read(c, top))
	}
	if r.count > maxComponents {
		n.AddError("COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total number of components in this message exceeds %d", maxComponents)
	}
	if r.text > maxTextDisplay {
		n.AddError("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "Component displayable text size exceeds maximum size of %d", maxTextDisplay)
	}
	return out
}

// takeIDs collects the ids that the request assigns, so that generated ids do
// not collide with them ("if it is left out, ids are filled in sequentially",
// Component Reference).
func (r *componentReader) takeIDs(list []Node) {
	for _, c := range list {
		scratch := c
		scratch.errors = &api.FieldErrors{} // read reports the errors
		if id := int(scratch.Field("id").Integer(0, 1<<31-1)); id > 0 {
			r.ids = append(r.ids, id)
		}
		if _, isList := scratch.Field("components").Value.([]any); isList {
			r.takeIDs(scratch.Field("components").Items(0, maxComponents))
		}
		if acc := scratch.Field("accessory"); acc.IsSet() {
			r.takeIDs([]Node{acc})
		}
	}
}

func (r *componentReader) id(n Node) int {
	if id := int(n.Integer(0, 1<<31-1)); id > 0 {
		if i := slices.Index(r.ids, id); i >= 0 && slices.Contains(r.ids[i+1:], id) {
			n.AddError("COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
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

// read validates a component, which must be of an allowed type.
func (r *componentReader) read(n Node, allowed []int64) api.Component {
	if !n.IsObject() || !n.Field("type").Required() {
		return api.Component{}
	}
	kind := n.Field("type").Integer(0, 1<<31-1)
	if !slices.Contains(allowed, kind) {
		n.Field("type").NotOneOf(allowed)
		return api.Component{}
	}
	r.count++
	c := api.Component{Type: int(kind), ID: r.id(n.Field("id")), Spoiler: n.Field("spoiler").Boolean()}
	switch c.Type {
	case api.ComponentActionRow:
		r.row(n, &c)
	case api.ComponentButton:
		r.button(n, &c)
	case api.ComponentStringSelect, api.ComponentUserSelect, api.ComponentRoleSelect, api.ComponentMentionableSelect, api.ComponentChannelSelect:
		r.menu(n, &c)
	case api.ComponentSection:
		r.section(n, &c)
	case api.ComponentTextDisplay:
		c.Content = n.Field("content").RequiredText(maxTextDisplay)
		r.text += utf8.RuneCountInString(c.Content)
	case api.ComponentThumbnail:
		c.Media = r.link(n.Field("media"))
		c.Description = readDescription(n.Field("description"))
	case api.ComponentMediaGallery:
		for _, item := range n.Field("items").Objects(1, 10) {
			g := api.GalleryItem{Description: readDescription(item.Field("description")), Spoiler: item.Field("spoiler").Boolean()}
			if m := r.link(item.Field("media")); m != nil {
				g.Media = *m
			}
			c.Items = append(c.Items, g)
		}
	case api.ComponentFile:
		r.file(n, &c)
	case api.ComponentSeparator:
		c.Divider = Default(n.Field("divider"), n.Field("divider").Boolean(), true)
		c.Spacing = Default(n.Field("spacing"), int(n.Field("spacing").OneOf(1, 2)), 1)
	case api.ComponentContainer:
		colour := n.Field("accent_color")
		c.AccentColor = Optional(colour, int(colour.Integer(0, 0xFFFFFF)))
		inside := []int64{api.ComponentActionRow, api.ComponentSection, api.ComponentTextDisplay, api.ComponentMediaGallery, api.ComponentFile, api.ComponentSeparator}
		for _, child := range n.Field("components").Items(1, maxComponents) {
			c.Components = append(c.Components, r.read(child, inside))
		}
	}
	return c
}

func (r *componentReader) row(n Node, c *api.Component) {
	inside := []int64{api.ComponentButton, api.ComponentStringSelect, api.ComponentUserSelect, api.ComponentRoleSelect, api.ComponentMentionableSelect, api.ComponentChannelSelect}
	list := n.Field("components").Items(1, 5)
	for _, child := range list {
		c.Components = append(c.Components, r.read(child, inside))
	}
	// A row has five buttons or one select ("Action Row").
	if len(list) > 1 && slices.ContainsFunc(c.Components, api.Component.IsSelect) {
		n.Field("components").AddError("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
	}
}

func (r *componentReader) button(n Node, c *api.Component) {
	if !n.Field("style").Required() {
		return
	}
	c.Style = int(n.Field("style").OneOf(1, 2, 3, 4, 5, 6))
	c.Label = n.Field("label").Text(0, 80)
	c.Disabled = n.Field("disabled").Boolean()
	c.Emoji = readEmoji(n.Field("emoji"))
	c.URL = n.Field("url").Text(0, 512)
	c.SKUID = n.Field("sku_id").Snowflake()
	switch c.Style {
	case api.ButtonLink:
		n.Field("url").Required()
		if n.Field("custom_id").IsSet() {
			n.Field("custom_id").AddError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	case api.ButtonPremium:
		n.Field("sku_id").Required()
	default:
		c.CustomID = r.customID(n.Field("custom_id"))
		if c.URL != "" {
			n.Field("url").AddError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	}
	if c.Label == "" && c.Emoji == nil && c.Style != api.ButtonPremium {
		n.Field("label").AddError("BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or an emoji")
	}
}

func (r *componentReader) menu(n Node, c *api.Component) {
	c.CustomID = r.customID(n.Field("custom_id"))
	c.Placeholder = n.Field("placeholder").Text(0, 150)
	c.Disabled = n.Field("disabled").Boolean()
	c.MinValues = Default(n.Field("min_values"), int(n.Field("min_values").Integer(0, 25)), 1)
	c.MaxValues = Default(n.Field("max_values"), int(n.Field("max_values").Integer(1, 25)), 1)
	if c.MinValues > c.MaxValues {
		n.Field("min_values").AddError("SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot be greater than max_values")
	}
	if c.Type != api.ComponentStringSelect {
		r.defaults(n.Field("default_values"), c)
		if c.Type == api.ComponentChannelSelect {
			c.Channels = readChannelTypes(n)
		}
		return
	}
	if !n.Field("options").Required() {
		return
	}
	options := n.Field("options").Items(1, 25)
	if c.MaxValues > len(options) {
		n.Field("max_values").AddError("SELECT_COMPONENT_MAX_VALUES_TOO_LARGE", "max_values cannot be greater than the number of options")
	}
	c.Options = r.options(options)
}

// options reads the options of a string select or group, whose values must
// differ.
func (r *componentReader) options(list []Node) []api.SelectOption {
	var out []api.SelectOption
	for _, o := range list {
		if !o.IsObject() || !o.Field("label").Required() || !o.Field("value").Required() {
			continue
		}
		opt := api.SelectOption{
			Label: o.Field("label").Text(1, 100), Value: o.Field("value").Text(1, 100), Description: o.Field("description").Text(0, 100),
			Emoji: readEmoji(o.Field("emoji")), Default: o.Field("default").Boolean(),
		}
		if slices.ContainsFunc(out, func(x api.SelectOption) bool { return x.Value == opt.Value }) {
			o.Field("value").AddError("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		out = append(out, opt)
	}
	return out
}

// defaultTypes are the types of default values of each entity select.
var defaultTypes = map[int][]string{
	api.ComponentUserSelect: {"user"}, api.ComponentRoleSelect: {"role"},
	api.ComponentMentionableSelect: {"user", "role"}, api.ComponentChannelSelect: {"channel"},
}

// defaults reads the default values of an entity select: none, or as many as
// can be chosen ("Select Default Value Structure").
func (r *componentReader) defaults(n Node, c *api.Component) {
	for _, d := range n.Objects(0, 25, "id", "type") {
		v := api.SelectDefault{ID: d.Field("id").Snowflake(), Type: d.Field("type").Text(1, 20)}
		if !slices.Contains(defaultTypes[c.Type], v.Type) {
			d.Field("type").AddError("SELECT_COMPONENT_INVALID_DEFAULT_VALUE_TYPE", "A default value of this type is not available in this select")
		}
		c.Defaults = append(c.Defaults, v)
	}
	if len(c.Defaults) > 0 && (len(c.Defaults) < c.MinValues || len(c.Defaults) > c.MaxValues) {
		n.AddError("SELECT_COMPONENT_DEFAULT_VALUES_COUNT", "The number of default values must be between min_values and max_values")
	}
}

func (r *componentReader) section(n Node, c *api.Component) {
	for _, child := range n.Field("components").Items(1, 3) {
		c.Components = append(c.Components, r.read(child, []int64{api.ComponentTextDisplay}))
	}
	if acc := n.Field("accessory"); acc.Required() {
		a := r.read(acc, []int64{api.ComponentButton, api.ComponentThumbnail})
		c.Accessory = &a
	}
}

func (r *componentReader) file(n Node, c *api.Component) {
	c.Media = r.link(n.Field("file"))
	if c.Media == nil {
		return
	}
	for _, f := range r.media.Files {
		if f.ID == c.Media.AttachmentID {
			c.Name, c.Size = f.Filename, f.Size
			return
		}
	}
	// A file must be an upload ("File").
	n.Field("file").Field("url").AddError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
}

func (r *componentReader) link(n Node) *api.Media {
	if !n.Required() || !n.IsObject() {
		return nil
	}
	m := r.media.resolve(n.Field("url"))
	return &m
}

// customID reads a custom_id of 1 to 100 characters, unique in its message.
func (r *componentReader) customID(n Node) string {
	if !n.Required() {
		return ""
	}
	id := n.Text(1, 100)
	if slices.Contains(r.customIDs, id) {
		n.AddError("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	r.customIDs = append(r.customIDs, id)
	return id
}

// readDescription reads an alternative text, nil if there is none.
func readDescription(n Node) *string {
	return Optional(n, n.Text(1, 1024))
}

func readEmoji(n Node) *api.Emoji {
	if !n.IsSet() || !n.IsObject() {
		return nil
	}
	e := &api.Emoji{ID: n.Field("id").Snowflake(), Name: n.Field("name").Text(0, 32), Animated: n.Field("animated").Boolean()}
	if e.ID == "" && e.Name == "" {
		n.Field("name").Required()
		n.AddError("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
	return e
}
