package payload

import (
	"slices"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
)

// Limits of "Component Reference" that Discord's description does not have.
const (
	maxComponents  = 40   // of a v2 message, nested ones included
	maxRows        = 5    // of a message without v2
	maxTextDisplay = 4000 // all texts of a v2 message together
)

// componentReader reads the components of one message or modal.
type componentReader struct {
	media     MediaResolver
	inModal   bool
	nextID    int
	ids       []int
	customIDs []string
	count     int
	text      int
}

// ReadComponents reads the components of a request. A message without v2 has
// only action rows.
func ReadComponents(n Node, v2 bool, media MediaResolver) []api.Component {
	r := &componentReader{media: media}
	list := n.Items()
	r.takeIDs(list)
	if !v2 && len(list) > maxRows {
		n.TooLong(maxRows)
	}
	out := make([]api.Component, 0, len(list))
	for _, c := range list {
		if kind := c.Field("type"); !v2 && kind.Integer() != api.ComponentActionRow {
			kind.NotOneOf([]int64{api.ComponentActionRow})
			continue
		}
		out = append(out, r.read(c))
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
		if id := c.Field("id").Integer(); id > 0 {
			r.ids = append(r.ids, id)
		}
		r.takeIDs(c.Field("components").Items())
		for _, key := range []string{"accessory", "component"} {
			if inner := c.Field(key); inner.IsSet() {
				r.takeIDs([]Node{inner})
			}
		}
	}
}

func (r *componentReader) id(n Node) int {
	if id := n.Integer(); id > 0 {
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

// read reads a component with everything inside it.
func (r *componentReader) read(n Node) api.Component {
	r.count++
	c := api.Component{
		Type: n.Field("type").Integer(), ID: r.id(n.Field("id")), Spoiler: n.Field("spoiler").Boolean(), CustomID: r.customID(n.Field("custom_id")),
		Disabled: n.Field("disabled").Boolean(), Style: n.Field("style").Integer(), Label: n.Field("label").Text(), Placeholder: n.Field("placeholder").Text(),
		Content: n.Field("content").Text(), Description: Optional(n.Field("description"), n.Field("description").Text()), Emoji: readEmoji(n.Field("emoji")),
		URL: n.Field("url").Text(), SKUID: n.Field("sku_id").Text(), Value: n.Field("value").Text(),
		Required: r.inModal && Default(n.Field("required"), n.Field("required").Boolean(), true),
	}
	for _, child := range n.Field("components").Items() {
		c.Components = append(c.Components, r.read(child))
	}
	switch c.Type {
	case api.ComponentActionRow:
		// A row has five buttons or one select ("Action Row").
		if len(c.Components) > 1 && slices.ContainsFunc(c.Components, api.Component.IsSelect) {
			n.Field("components").AddError("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
		}
	case api.ComponentButton:
		checkButton(n, &c)
	case api.ComponentStringSelect, api.ComponentUserSelect, api.ComponentRoleSelect, api.ComponentMentionableSelect, api.ComponentChannelSelect:
		r.menu(n, &c)
	case api.ComponentTextInput:
		readTextInput(n, &c)
	case api.ComponentFileUpload, api.ComponentRadioGroup, api.ComponentCheckboxGroup:
		r.group(n, &c)
	case api.ComponentCheckbox:
		c.Checked, c.Required = n.Field("default").Boolean(), false
	case api.ComponentLabel:
		c.Components = []api.Component{r.read(n.Field("component"))}
	case api.ComponentSection:
		c.Accessory = new(r.read(n.Field("accessory")))
	case api.ComponentTextDisplay:
		r.text += utf8.RuneCountInString(c.Content)
	case api.ComponentThumbnail:
		c.Media = r.link(n.Field("media"))
	case api.ComponentMediaGallery:
		for _, item := range n.Field("items").Items() {
			d := item.Field("description")
			c.Items = append(c.Items, api.GalleryItem{Media: *r.link(item.Field("media")), Description: Optional(d, d.Text()), Spoiler: item.Field("spoiler").Boolean()})
		}
	case api.ComponentFile:
		r.file(n, &c)
	case api.ComponentSeparator:
		c.Divider = Default(n.Field("divider"), n.Field("divider").Boolean(), true)
		c.Spacing = Default(n.Field("spacing"), n.Field("spacing").Integer(), 1)
	case api.ComponentContainer:
		c.AccentColor = Optional(n.Field("accent_color"), n.Field("accent_color").Integer())
	}
	return c
}

// checkButton checks which fields a button of a style has.
func checkButton(n Node, c *api.Component) {
	switch c.Style {
	case api.ButtonLink:
		n.Field("url").Required()
		if c.CustomID != "" {
			n.Field("custom_id").AddError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	case api.ButtonPremium:
		n.Field("sku_id").Required()
	default:
		n.Field("custom_id").Required()
		if c.URL != "" {
			n.Field("url").AddError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
		}
	}
	if c.Label == "" && c.Emoji == nil && c.Style != api.ButtonPremium {
		n.Field("label").AddError("BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or an emoji")
	}
}

// menu reads a select menu.
func (r *componentReader) menu(n Node, c *api.Component) {
	r.bounds(n, c, 1)
	c.Channels = readIntegers(n.Field("channel_types"))
	c.Options = r.options(n.Field("options"))
	if c.Type == api.ComponentStringSelect && c.MaxValues > len(c.Options) {
		n.Field("max_values").AddError("SELECT_COMPONENT_MAX_VALUES_TOO_LARGE", "max_values cannot be greater than the number of options")
	}
	for _, d := range n.Field("default_values").Items() {
		c.Defaults = append(c.Defaults, api.SelectDefault{ID: d.Field("id").Text(), Type: d.Field("type").Text()})
	}
	// None, or as many as can be chosen ("Select Default Value Structure").
	if len(c.Defaults) > 0 && (len(c.Defaults) < c.MinValues || len(c.Defaults) > c.MaxValues) {
		n.Field("default_values").AddError("SELECT_COMPONENT_DEFAULT_VALUES_COUNT", "The number of default values must be between min_values and max_values")
	}
	if r.inModal && c.Disabled { // "Using disabled in a modal will result in an error" (String Select)
		n.Field("disabled").AddError("MODAL_COMPONENT_DISABLED", "Components in modals cannot be disabled")
	}
}

// bounds reads how many values can be chosen, by default one to most.
func (r *componentReader) bounds(n Node, c *api.Component, most int) {
	c.MinValues = Default(n.Field("min_values"), n.Field("min_values").Integer(), 1)
	c.MaxValues = Default(n.Field("max_values"), n.Field("max_values").Integer(), most)
	if c.MinValues > c.MaxValues {
		n.Field("min_values").AddError("SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot be greater than max_values")
	}
}

// options reads the options of a string select or group, whose values must
// differ.
func (r *componentReader) options(n Node) []api.SelectOption {
	var out []api.SelectOption
	for _, o := range n.Items() {
		opt := api.SelectOption{
			Label: o.Field("label").Text(), Value: o.Field("value").Text(), Description: o.Field("description").Text(),
			Emoji: readEmoji(o.Field("emoji")), Default: o.Field("default").Boolean(),
		}
		if slices.ContainsFunc(out, func(x api.SelectOption) bool { return x.Value == opt.Value }) {
			o.Field("value").AddError("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		out = append(out, opt)
	}
	return out
}

// file reads a file component, which must show an upload ("File").
func (r *componentReader) file(n Node, c *api.Component) {
	c.Media = r.link(n.Field("file"))
	i := slices.IndexFunc(r.media.Files, func(f *StoredFile) bool { return f.ID == c.Media.AttachmentID })
	if i < 0 {
		n.Field("file").Field("url").AddError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
		return
	}
	c.Name, c.Size = r.media.Files[i].Filename, r.media.Files[i].Size
}

func (r *componentReader) link(n Node) *api.Media { return new(r.media.resolve(n.Field("url"))) }

// customID reads a custom_id, which is unique in its message.
func (r *componentReader) customID(n Node) string {
	id := n.Text()
	if id != "" && slices.Contains(r.customIDs, id) {
		n.AddError("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	r.customIDs = append(r.customIDs, id)
	return id
}

func readEmoji(n Node) *api.Emoji {
	if !n.IsSet() {
		return nil
	}
	e := &api.Emoji{ID: n.Field("id").Text(), Name: n.Field("name").Text(), Animated: n.Field("animated").Boolean()}
	if e.ID == "" && e.Name == "" {
		n.AddError("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
	return e
}

func readIntegers(n Node) []int {
	var out []int
	for _, item := range n.Items() {
		out = append(out, item.Integer())
	}
	return out
}
