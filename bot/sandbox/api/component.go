package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
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

// ButtonLink is the style of buttons that send no interaction.
const ButtonLink = 5

// Component is any component of a message or modal. Type says which fields
// apply; MarshalJSON writes only those.
type Component struct {
	Type        int         `json:"type"`
	ID          int         `json:"id"`         // unique in its message
	Components  []Component `json:"components"` // action row, section, container
	Component   *Component  `json:"component"`  // label: its input
	Accessory   *Component  `json:"accessory"`
	AccentColor *int        `json:"accent_color"` // 0xRRGGBB
	Spoiler     bool        `json:"spoiler"`

	CustomID    string         `json:"custom_id"`
	Disabled    bool           `json:"disabled"`
	Style       int            `json:"style"`
	Label       string         `json:"label"`
	URL         string         `json:"url"` // link button
	Emoji       *Emoji         `json:"emoji"`
	Placeholder string         `json:"placeholder"`
	MinValues   int            `json:"min_values"`
	MaxValues   int            `json:"max_values"`
	Options     []SelectOption `json:"options"`
	Channels    []int          `json:"channel_types"`

	Content     string        `json:"content"` // text display
	Items       []GalleryItem `json:"items"`
	Media       *Media        `json:"media"` // thumbnail
	File        *Media        `json:"file"`
	Description *string       `json:"description"` // thumbnail, label
	Name        string        `json:"name"`        // file
	Size        int           `json:"size"`        // file, bytes
	Spacing     int           `json:"spacing"`     // separator: 1 small, 2 large
	Divider     bool          `json:"divider"`

	Value     string `json:"value"`      // text input: the initial value
	MinLength *int   `json:"min_length"` // characters
	MaxLength *int   `json:"max_length"`
	Required  bool   `json:"required"` // inputs of modals
	Checked   bool   `json:"default"`  // checkbox: its initial state
}

// UnmarshalJSON reads a component of a request with Discord's defaults.
func (c *Component) UnmarshalJSON(raw []byte) error {
	type plain Component
	*c = Component{MinValues: 1, Spacing: 1, Divider: true, Required: true}
	return json.Unmarshal(raw, (*plain)(c))
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

const selectShape = "custom_id min_values max_values placeholder? disabled? channel_types? required?"

// shapes lists the fields of a component as Discord returns it, by type. Those with
// a question mark are left out if they are empty.
var shapes = map[int]string{
	ComponentActionRow: "components", ComponentContainer: "components accent_color spoiler", ComponentSection: "components accessory",
	ComponentButton:       "style custom_id? label? url? emoji? disabled?",
	ComponentStringSelect: selectShape + " options", ComponentUserSelect: selectShape, ComponentRoleSelect: selectShape,
	ComponentMentionableSelect: selectShape, ComponentChannelSelect: selectShape,
	ComponentTextDisplay: "content", ComponentThumbnail: "media description spoiler", ComponentMediaGallery: "items",
	ComponentFile: "file name size spoiler", ComponentSeparator: "spacing divider",
	ComponentLabel: "label component description?", ComponentFileUpload: "custom_id min_values max_values required",
	ComponentRadioGroup: "custom_id options required", ComponentCheckboxGroup: "custom_id options required min_values max_values",
	ComponentCheckbox: "custom_id default", ComponentTextInput: "custom_id style required label? value? placeholder? min_length? max_length?",
}

// MarshalJSON writes the component as Discord returns it.
func (c Component) MarshalJSON() ([]byte, error) {
	out := map[string]any{"type": c.Type, "id": c.ID}
	value := reflect.ValueOf(c)
	for i := range value.NumField() {
		key, field := value.Type().Field(i).Tag.Get("json"), value.Field(i)
		required := slices.Contains(strings.Fields(shapes[c.Type]), key)
		switch {
		case required && field.Kind() == reflect.Slice && field.IsNil():
			out[key] = []any{}
		case required, !field.IsZero() && slices.Contains(strings.Fields(shapes[c.Type]), key+"?"):
			out[key] = field.Interface()
		}
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

// WalkAll calls visit for every component of a message, outer ones first.
func WalkAll(list []Component, visit func(Component)) {
	for _, c := range list {
		visit(c)
		WalkAll(c.Components, visit)
		for _, part := range []*Component{c.Component, c.Accessory} {
			if part != nil {
				WalkAll([]Component{*part}, visit)
			}
		}
	}
}

// FindComponent returns the button or select with a custom_id.
func FindComponent(list []Component, customID string) (found Component, ok bool) {
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
