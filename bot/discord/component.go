package discord

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Component is a part of a message: one of the types below.
type Component interface{ json.Marshaler }

// ButtonStyle is how a button looks.
type ButtonStyle int

// The styles of buttons that send an interaction.
const (
	Primary   ButtonStyle = 1
	Secondary ButtonStyle = 2
	Success   ButtonStyle = 3
	Danger    ButtonStyle = 4
)

// Button is a button in an action row.
type Button struct {
	Style    ButtonStyle `json:"style"`
	Label    string      `json:"label,omitempty"`     // at most MaxButtonLabel
	CustomID string      `json:"custom_id,omitempty"` // 1 to MaxCustomID
	Disabled bool        `json:"disabled,omitempty"`
}

// ActionRow is a row of at most MaxRowButtons buttons.
type ActionRow struct{ Buttons []Button }

// StringSelect is an action row with a menu, of whose options one is picked.
type StringSelect struct {
	CustomID    string         `json:"custom_id"`             // 1 to MaxCustomID
	Placeholder string         `json:"placeholder,omitempty"` // at most MaxPlaceholder
	Options     []SelectOption `json:"options"`               // 1 to MaxSelectOptions
}

// SelectOption is an option of a menu. Each text has at most
// MaxSelectOptionText.
type SelectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"` // unique within the menu
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"` // picked at first
}

// ChannelSelect is an action row with a menu of the guild's channels in which people
// write. Any number up to MaxSelectOptions is picked.
type ChannelSelect struct {
	CustomID    string   // 1 to MaxCustomID
	Placeholder string   // at most MaxPlaceholder
	Channels    []string // picked at first
}

// UserSelect is an action row with a menu of the people of the guild, from which Min to
// Max are picked.
type UserSelect struct {
	CustomID    string `json:"custom_id"`             // 1 to MaxCustomID
	Placeholder string `json:"placeholder,omitempty"` // at most MaxPlaceholder
	Min         int    `json:"min_values"`
	Max         int    `json:"max_values"`
}

// RoleSelect is an action row with a menu of the guild's roles, of which one or none is
// picked.
type RoleSelect struct {
	CustomID    string // 1 to MaxCustomID
	Placeholder string // at most MaxPlaceholder
	Role        string // picked at first, if any
}

// TextDisplay is a block of markdown.
type TextDisplay struct {
	Content string `json:"content"`
}

// MediaGallery is a gallery of one picture that is uploaded with the message.
type MediaGallery struct {
	File        string // its name among the files
	Description string // for people who cannot see it, 1 to MaxAltText
}

// FileDisplay is a file that is uploaded with the message, to be downloaded.
type FileDisplay struct {
	File string // its name among the files
}

// Section is a block of markdown with a small picture beside it.
type Section struct {
	Content     string
	File        string // the picture's name among the message's files
	Description string // of the picture, 1 to MaxAltText
}

// Separator is a line between blocks.
type Separator struct{}

// Container holds other components behind a coloured bar.
type Container struct {
	AccentColor int         `json:"accent_color"` // 0xRRGGBB
	Components  []Component `json:"components"`
}

// Types of components.
const (
	typeActionRow     = 1
	typeButton        = 2
	typeStringSelect  = 3
	typeUserSelect    = 5
	typeRoleSelect    = 6
	typeChannelSelect = 8
	typeSection       = 9
	typeTextDisplay   = 10
	typeThumbnail     = 11
	typeMediaGallery  = 12
	typeFile          = 13
	typeSeparator     = 14
	typeContainer     = 17
)

func typed(kind int, fields any) ([]byte, error) {
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	head := fmt.Appendf(nil, `{"type":%d`, kind)
	if len(text) > len("{}") {
		head = append(head, ',')
	}
	return append(head, text[1:]...), nil
}

// row is an action row.
type row struct {
	Components any `json:"components"`
}

func menuRow(kind int, menu any) ([]byte, error) {
	text, err := typed(kind, menu)
	if err != nil {
		return nil, err
	}
	return typed(typeActionRow, row{[]json.RawMessage{text}})
}

// MarshalJSON implements json.Marshaler, as that of the other components does.
func (b Button) MarshalJSON() ([]byte, error) {
	type plain Button
	b.Label = Truncate(b.Label, MaxButtonLabel)
	return typed(typeButton, plain(b))
}

func (r ActionRow) MarshalJSON() ([]byte, error) { return typed(typeActionRow, row{r.Buttons}) }

func (s StringSelect) MarshalJSON() ([]byte, error) {
	type plain StringSelect
	options := s.Options
	s.Placeholder, s.Options = Truncate(s.Placeholder, MaxPlaceholder), nil
	for _, o := range options {
		o.Label, o.Description = Truncate(o.Label, MaxSelectOptionText), Truncate(o.Description, MaxSelectOptionText)
		s.Options = append(s.Options, o)
	}
	return menuRow(typeStringSelect, plain(s))
}

// writableChannels are the types of channels in which people write: text, voice,
// announcement and stage channels
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
var writableChannels = []int{0, 2, 5, 13}

// picked is what is picked in a menu at first.
type picked struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

func (s UserSelect) MarshalJSON() ([]byte, error) {
	type plain UserSelect
	s.Placeholder = Truncate(s.Placeholder, MaxPlaceholder)
	return menuRow(typeUserSelect, plain(s))
}

func (s RoleSelect) MarshalJSON() ([]byte, error) {
	menu := struct {
		CustomID    string   `json:"custom_id"`
		Placeholder string   `json:"placeholder,omitempty"`
		Picked      []picked `json:"default_values,omitempty"`
		Min         int      `json:"min_values"`
		Max         int      `json:"max_values"`
	}{s.CustomID, Truncate(s.Placeholder, MaxPlaceholder), nil, 0, 1}
	if s.Role != "" {
		menu.Picked = []picked{{s.Role, "role"}}
	}
	return menuRow(typeRoleSelect, menu)
}

func (s ChannelSelect) MarshalJSON() ([]byte, error) {
	menu := struct {
		CustomID    string   `json:"custom_id"`
		Placeholder string   `json:"placeholder,omitempty"`
		Types       []int    `json:"channel_types"`
		Picked      []picked `json:"default_values,omitempty"`
		Min         int      `json:"min_values"`
		Max         int      `json:"max_values"`
	}{s.CustomID, Truncate(s.Placeholder, MaxPlaceholder), writableChannels, nil, 0, MaxSelectOptions}
	for _, id := range s.Channels {
		menu.Picked = append(menu.Picked, picked{id, "channel"})
	}
	return menuRow(typeChannelSelect, menu)
}

func (t TextDisplay) MarshalJSON() ([]byte, error) {
	type plain TextDisplay
	t.Content = Truncate(t.Content, MaxTextDisplay)
	return typed(typeTextDisplay, plain(t))
}

// media is the JSON of a picture that is uploaded with the message. Type is left
// out in a gallery.
type media struct {
	Type        int    `json:"type,omitempty"`
	Media       source `json:"media"`
	Description string `json:"description,omitempty"`
}

type source struct {
	URL string `json:"url"`
}

func uploaded(file string) source { return source{"attachment://" + file} }

func (g MediaGallery) MarshalJSON() ([]byte, error) {
	return typed(typeMediaGallery, struct {
		Items []media `json:"items"`
	}{[]media{{0, uploaded(g.File), Truncate(g.Description, MaxAltText)}}})
}

func (f FileDisplay) MarshalJSON() ([]byte, error) {
	return typed(typeFile, struct {
		File source `json:"file"`
	}{uploaded(f.File)})
}

func (s Section) MarshalJSON() ([]byte, error) {
	return typed(typeSection, struct {
		Components []TextDisplay `json:"components"`
		Accessory  media         `json:"accessory"`
	}{[]TextDisplay{{s.Content}}, media{typeThumbnail, uploaded(s.File), Truncate(s.Description, MaxAltText)}})
}

func (Separator) MarshalJSON() ([]byte, error) { return typed(typeSeparator, struct{}{}) }

func (c Container) MarshalJSON() ([]byte, error) {
	type plain Container
	return typed(typeContainer, plain(c))
}

// ButtonRows arranges buttons in as few rows as possible.
func ButtonRows(buttons []Button) (rows []Component) {
	for len(buttons) > 0 {
		n := min(len(buttons), MaxRowButtons)
		rows = append(rows, ActionRow{Buttons: buttons[:n]})
		buttons = buttons[n:]
	}
	return rows
}

// EvenRows arranges buttons in two rows if they are more than three: a phone
// would break one row unevenly.
func EvenRows(buttons []Button) (rows []Component) {
	n := len(buttons)
	if n > 3 {
		n = (n + 1) / 2
	}
	for row := range slices.Chunk(buttons, n) {
		rows = append(rows, ActionRow{Buttons: row})
	}
	return rows
}
