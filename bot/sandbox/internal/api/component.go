package api

import (
	"encoding/json"
	"reflect"
)

// Component types ("Component Reference").
const (
	ComponentActionRow         = 1
	ComponentButton            = 2
	ComponentStringSelect      = 3
	ComponentTextInput         = 4 // in modals
	ComponentUserSelect        = 5
	ComponentRoleSelect        = 6
	ComponentMentionableSelect = 7
	ComponentChannelSelect     = 8
	ComponentSection           = 9
	ComponentTextDisplay       = 10
	ComponentThumbnail         = 11
	ComponentMediaGallery      = 12
	ComponentFile              = 13
	ComponentSeparator         = 14
	ComponentContainer         = 17
	ComponentLabel             = 18 // in modals, as those below
	ComponentFileUpload        = 19
	ComponentRadioGroup        = 21
	ComponentCheckboxGroup     = 22
	ComponentCheckbox          = 23
)

// Styles of buttons that send no interaction: a link, and a purchase.
const (
	ButtonLink    = 5
	ButtonPremium = 6
)

// Component is any component of a message or modal. Type says which fields
// apply; MarshalJSON writes only those.
type Component struct {
	Type        int
	ID          int         // unique in its message
	Components  []Component // action row, section, container; label: its one input
	Accessory   *Component  // section
	AccentColor *int        // container, 0xRRGGBB
	Spoiler     bool

	CustomID    string // button, selects
	Disabled    bool
	Style       int // button
	Label       string
	URL         string // link button
	SKUID       string
	Emoji       *Emoji
	Placeholder string // selects
	MinValues   int
	MaxValues   int
	Options     []SelectOption // string select, radio and checkbox group
	Defaults    []SelectDefault
	Channels    []int // channel select: channel types

	Content     string        // text display
	Items       []GalleryItem // media gallery
	Media       *Media        // thumbnail, file
	Description *string       // thumbnail, label
	Name        string        // file
	Size        int           // file, bytes
	Spacing     int           // separator: 1 small, 2 large
	Divider     bool

	Value     string // text input: the initial value
	MinLength *int   // text input, characters
	MaxLength *int
	Required  bool     // inputs of modals
	Checked   bool     // checkbox: its initial state
	FileTypes []string // file upload
}

// Emoji is a unicode (Name alone) or custom emoji.
type Emoji struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name"`
	Animated bool   `json:"animated,omitempty"`
}

// SelectOption is one choice of a string select.
type SelectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Emoji       *Emoji `json:"emoji,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// SelectDefault is a value that an entity select starts with.
type SelectDefault struct {
	ID   string `json:"id"`
	Type string `json:"type"` // "user", "role", "channel"
}

// GalleryItem is one picture of a media gallery.
type GalleryItem struct {
	Media       Media   `json:"media"`
	Description *string `json:"description"` // the alternative text
	Spoiler     bool    `json:"spoiler"`
}

// Media is a picture or file as Discord resolves it. Width and height are
// pixels, null where they are unknown.
type Media struct {
	ID           string  `json:"id"`
	URL          string  `json:"url"`
	ProxyURL     string  `json:"proxy_url"`
	Width        *int    `json:"width"`
	Height       *int    `json:"height"`
	ContentType  *string `json:"content_type"`
	AttachmentID string  `json:"attachment_id,omitempty"`
}

// MarshalJSON writes the component as Discord returns it: required fields even
// if empty, and no fields of other types.
func (c Component) MarshalJSON() ([]byte, error) {
	out := map[string]any{"type": c.Type, "id": c.ID}
	optional := func(key string, value any) {
		if !reflect.ValueOf(value).IsZero() {
			out[key] = value
		}
	}
	switch c.Type {
	case ComponentActionRow:
		out["components"] = OrEmpty(c.Components)
	case ComponentContainer:
		out["components"], out["accent_color"], out["spoiler"] = OrEmpty(c.Components), c.AccentColor, c.Spoiler
	case ComponentSection:
		out["components"], out["accessory"] = OrEmpty(c.Components), c.Accessory
	case ComponentButton:
		out["style"] = c.Style
		optional("custom_id", c.CustomID)
		optional("label", c.Label)
		optional("url", c.URL)
		optional("sku_id", c.SKUID)
		optional("emoji", c.Emoji)
		optional("disabled", c.Disabled)
	case ComponentStringSelect, ComponentUserSelect, ComponentRoleSelect, ComponentMentionableSelect, ComponentChannelSelect:
		out["custom_id"], out["min_values"], out["max_values"] = c.CustomID, c.MinValues, c.MaxValues
		optional("placeholder", c.Placeholder)
		optional("disabled", c.Disabled)
		optional("channel_types", c.Channels)
		optional("required", c.Required)
		if c.Type == ComponentStringSelect {
			out["options"] = OrEmpty(c.Options)
		} else {
			optional("default_values", c.Defaults)
		}
	case ComponentTextDisplay:
		out["content"] = c.Content
	case ComponentLabel:
		out["label"], out["component"] = c.Label, c.Components[0]
		optional("description", c.Description)
	case ComponentFileUpload:
		out["custom_id"], out["min_values"], out["max_values"], out["required"] = c.CustomID, c.MinValues, c.MaxValues, c.Required
		optional("file_types", c.FileTypes)
	case ComponentRadioGroup:
		out["custom_id"], out["options"], out["required"] = c.CustomID, c.Options, c.Required
	case ComponentCheckboxGroup:
		out["custom_id"], out["options"], out["required"] = c.CustomID, c.Options, c.Required
		out["min_values"], out["max_values"] = c.MinValues, c.MaxValues
	case ComponentCheckbox:
		out["custom_id"], out["default"] = c.CustomID, c.Checked
	case ComponentTextInput:
		out["custom_id"], out["style"], out["required"] = c.CustomID, c.Style, c.Required
		optional("label", c.Label)
		optional("value", c.Value)
		optional("placeholder", c.Placeholder)
		optional("min_length", c.MinLength)
		optional("max_length", c.MaxLength)
	case ComponentThumbnail:
		out["media"], out["description"], out["spoiler"] = c.Media, c.Description, c.Spoiler
	case ComponentMediaGallery:
		out["items"] = OrEmpty(c.Items)
	case ComponentFile:
		out["file"], out["name"], out["size"], out["spoiler"] = c.Media, c.Name, c.Size, c.Spoiler
	case ComponentSeparator:
		out["spacing"], out["divider"] = c.Spacing, c.Divider
	}
	return json.Marshal(out)
}

// IsSelect reports whether the component is a select menu of any kind.
func (c Component) IsSelect() bool {
	return c.Type == ComponentStringSelect || c.Type >= ComponentUserSelect && c.Type <= ComponentChannelSelect
}

// Initial lists the values that an input starts with: the default options, or
// "true" for a checkbox that is checked.
func (c Component) Initial() []string {
	var out []string
	for _, o := range c.Options {
		if o.Default {
			out = append(out, o.Value)
		}
	}
	if c.Checked {
		out = append(out, "true")
	}
	return out
}

// walk calls visit for the component and everything inside it, outermost
// first.
func (c Component) walk(visit func(Component)) {
	visit(c)
	for _, child := range c.Components {
		child.walk(visit)
	}
	if c.Accessory != nil {
		c.Accessory.walk(visit)
	}
}

// WalkAll calls visit for every component of a message.
func WalkAll(list []Component, visit func(Component)) {
	for _, c := range list {
		c.walk(visit)
	}
}

// FindComponent returns the button or select with a custom_id.
func FindComponent(list []Component, customID string) (Component, bool) {
	var found Component
	ok := false
	WalkAll(list, func(c Component) {
		if c.CustomID != "" && c.CustomID == customID && !ok {
			found, ok = c, true
		}
	})
	return found, ok
}

// OrEmpty returns the list, or an empty one for nil, which marshals as [].
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
