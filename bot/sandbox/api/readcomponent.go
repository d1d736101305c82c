package api

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of "Component Reference" that Discord's description does not have.
const (
	maxComponents  = 40   // of a v2 message, nested ones included
	maxRows        = 5    // of a message without v2
	maxTextDisplay = 4000 // all texts of a v2 message together
)

// componentReader checks the components of one message or modal, and completes
// them.
type componentReader struct {
	media     MediaResolver
	inModal   bool
	nextID    int
	customIDs []string
	count     int
	text      int
}

// ReadComponents reads the components of a request. A message without v2 has
// only action rows.
func ReadComponents(n Node, v2 bool, media MediaResolver) []Component {
	var out []Component
	if !n.Decode(&out) {
		return nil
	}
	r := &componentReader{media: media}
	if !v2 && len(out) > maxRows {
		n.TooLong(maxRows)
	}
	for i, item := range n.Items() {
		if !v2 && out[i].Type != ComponentActionRow {
			item.Field("type").NotOneOf([]int64{ComponentActionRow})
			continue
		}
		r.read(item, &out[i])
	}
	if r.count > maxComponents {
		n.AddError("COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total number of components in this message exceeds %d", maxComponents)
	}
	if r.text > maxTextDisplay {
		n.AddError("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "Component displayable text size exceeds maximum size of %d", maxTextDisplay)
	}
	return OrEmpty(out)
}

func (r *componentReader) read(n Node, c *Component) {
	r.count++
	if c.ID <= 0 { // "if it is left out, ids are filled in sequentially" (Component Reference)
		r.nextID++
		c.ID = r.nextID
	}
	if c.CustomID != "" && slices.Contains(r.customIDs, c.CustomID) {
		n.Field("custom_id").AddError("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	r.customIDs = append(r.customIDs, c.CustomID)
	c.Required = c.Required && r.inModal
	checkEmoji(n.Field("emoji"), c.Emoji)
	for i, child := range n.Field("components").Items() {
		r.read(child, &c.Components[i])
	}
	switch c.Type {
	case ComponentActionRow:
		// A row has five buttons or one select ("Action Row").
		if len(c.Components) > 1 && slices.ContainsFunc(c.Components, Component.IsSelect) {
			n.Field("components").AddError("COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
		}
	case ComponentButton:
		checkButton(n, c)
	case ComponentTextInput:
		if c.MinLength != nil && c.MaxLength != nil && *c.MinLength > *c.MaxLength {
			n.Field("min_length").AddError("TEXT_INPUT_MIN_GREATER_THAN_MAX", "min_length must not be greater than max_length")
		}
	case ComponentCheckbox:
		c.Required = false
	case ComponentLabel:
		r.read(n.Field("component"), c.Component)
	case ComponentSection:
		r.read(n.Field("accessory"), c.Accessory)
	case ComponentTextDisplay:
		r.text += utf8.RuneCountInString(c.Content)
	case ComponentThumbnail:
		*c.Media = r.media.resolve(n.Field("media").Field("url"))
	case ComponentMediaGallery:
		for i, item := range n.Field("items").Items() {
			c.Items[i].Media = r.media.resolve(item.Field("media").Field("url"))
		}
	case ComponentFile:
		r.file(n.Field("file").Field("url"), c)
	}
	if c.IsSelect() || c.Type == ComponentFileUpload || c.Type == ComponentRadioGroup || c.Type == ComponentCheckboxGroup {
		r.choices(n, c)
	}
}

func checkButton(n Node, c *Component) {
	needs, forbids := n.Field("custom_id"), n.Field("url")
	if c.Style == ButtonLink {
		needs, forbids = forbids, needs
	}
	if scheme := schemeOf(c.URL); needs.Required() && c.Style == ButtonLink && !slices.Contains([]string{"http", "https", "discord"}, scheme) {
		needs.AddError("URL_TYPE_INVALID_SCHEME", "Scheme %q is not supported. Scheme must be one of ('http', 'https', 'discord').", scheme)
	}
	if forbids.Text() != "" {
		forbids.AddError("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", "A custom id and url cannot both be specified")
	}
	if c.Label == "" && c.Emoji == nil {
		n.Field("label").AddError("BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or an emoji")
	}
}

// choices completes a select, a file upload or a group. A checkbox group allows
// all its options by default, the others one.
func (r *componentReader) choices(n Node, c *Component) {
	if c.MaxValues == 0 {
		c.MaxValues = 1
		if c.Type == ComponentCheckboxGroup {
			c.MaxValues = max(1, len(c.Options))
		}
	}
	if c.MinValues > c.MaxValues {
		n.Field("min_values").AddError("SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot be greater than max_values")
	}
	for i, o := range n.Field("options").Items() {
		if slices.ContainsFunc(c.Options[:i], func(x SelectOption) bool { return x.Value == c.Options[i].Value }) {
			o.Field("value").AddError("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		checkEmoji(o.Field("emoji"), c.Options[i].Emoji)
	}
	if c.Type == ComponentStringSelect && c.MaxValues > len(c.Options) {
		n.Field("max_values").AddError("SELECT_COMPONENT_MAX_VALUES_TOO_LARGE", "max_values cannot be greater than the number of options")
	}
	if c.IsSelect() && r.inModal && c.Disabled { // "Using disabled in a modal will result in an error" (String Select)
		n.Field("disabled").AddError("MODAL_COMPONENT_DISABLED", "Components in modals cannot be disabled")
	}
	if !c.IsSelect() && c.MinValues == 0 && c.Required && n.Field("required").IsSet() {
		n.Field("required").AddError("MODAL_COMPONENT_REQUIRED_MIN_VALUES", "A required component cannot have min_values 0")
	}
}

func (r *componentReader) file(n Node, c *Component) {
	*c.File = r.media.resolve(n)
	i := slices.IndexFunc(r.media.Files, func(f *StoredFile) bool { return f.ID == c.File.AttachmentID })
	if i < 0 {
		n.AddError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
		return
	}
	c.Name, c.Size = r.media.Files[i].Filename, r.media.Files[i].Size
}

// IsEmoji reports whether a text is a Unicode emoji. The sandbox has no custom ones.
func IsEmoji(text string) bool {
	return len(text) <= 64 && !strings.Contains(text, ":") && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.So, unicode.Sk) || r == 0x20e3 || r == 0x203c || r == 0x2049 || r >= 0x2190 && r <= 0x2b55
	})
}

func checkEmoji(n Node, e *Emoji) {
	if e != nil && (e.ID != "" || !IsEmoji(e.Name)) {
		n.At("id").AddError("BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
}

// maxModalComponents limits a modal, MaxTextInput an input without max_length
// ("Modal", "Text Input").
const (
	maxModalComponents = 5
	MaxTextInput       = 4000
)

// ReadModal reads a response of type 9.
func ReadModal(data Node) (*Modal, error) {
	m := &Modal{}
	if !data.Decode(m) {
		return nil, data.Err()
	}
	n := data.Field("components")
	if len(m.Components) > maxModalComponents {
		n.AddError("BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxModalComponents)
	}
	r := &componentReader{inModal: true}
	for i, item := range n.Items() {
		// The older way: a row with one text input, which has its own label.
		if row := item.Field("components"); row.IsSet() {
			for _, input := range row.Items() {
				input.Field("label").Required()
			}
			if len(row.Items()) != 1 {
				row.AddError("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 1 in length.")
			}
		}
		r.read(item, &m.Components[i])
	}
	return m, data.Err()
}
