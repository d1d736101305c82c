package discord

import (
	"encoding/json"
	"slices"
)

// Component is a part of a message: one of the types below.
type Component interface {
	json.Marshaler
	component()
}

// ButtonStyle is how a button looks.
type ButtonStyle int

// The styles of buttons that send an interaction, and of those that link.
const (
	Primary   ButtonStyle = 1
	Secondary ButtonStyle = 2
	Success   ButtonStyle = 3
	Danger    ButtonStyle = 4
	Link      ButtonStyle = 5
)

// Button is a button in an action row.
type Button struct {
	Style    ButtonStyle `json:"style"`
	Label    string      `json:"label,omitempty"`     // at most MaxButtonLabel
	CustomID string      `json:"custom_id,omitempty"` // 1 to MaxCustomID; not for Link
	URL      string      `json:"url,omitempty"`       // for Link only
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

func (Button) component()        {}
func (ActionRow) component()     {}
func (StringSelect) component()  {}
func (ChannelSelect) component() {}
func (TextDisplay) component()   {}
func (MediaGallery) component()  {}
func (FileDisplay) component()   {}
func (Section) component()       {}
func (Separator) component()     {}
func (Container) component()     {}

// Types of components.
const (
	typeActionRow     = 1
	typeButton        = 2
	typeStringSelect  = 3
	typeChannelSelect = 8
	typeSection       = 9
	typeTextDisplay   = 10
	typeThumbnail     = 11
	typeMediaGallery  = 12
	typeFile          = 13
	typeSeparator     = 14
	typeContainer     = 17
)

// row is the JSON of an action row.
type row struct {
	Type       int `json:"type"`
	Components any `json:"components"`
}

// MarshalJSON writes the button with its type.
func (b Button) MarshalJSON() ([]byte, error) {
	type plain Button
	b.Label = Truncate(b.Label, MaxButtonLabel)
	return json.Marshal(struct {
		Type int `json:"type"`
		plain
	}{typeButton, plain(b)})
}

// MarshalJSON writes the row with its type.
func (r ActionRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(row{typeActionRow, r.Buttons})
}

// MarshalJSON writes a row with the menu in it.
func (s StringSelect) MarshalJSON() ([]byte, error) {
	type plain StringSelect
	type menu struct {
		Type int `json:"type"`
		plain
	}
	m := menu{typeStringSelect, plain(s)}
	m.Placeholder, m.Options = Truncate(s.Placeholder, MaxPlaceholder), nil
	for _, o := range s.Options {
		o.Label, o.Description = Truncate(o.Label, MaxSelectOptionText), Truncate(o.Description, MaxSelectOptionText)
		m.Options = append(m.Options, o)
	}
	return json.Marshal(row{typeActionRow, []menu{m}})
}

// writableChannels are the types of channels in which people write: text, voice,
// announcement and stage channels
// (https://docs.discord.com/developers/resources/channel#channel-object-channel-types).
var writableChannels = []int{0, 2, 5, 13}

// MarshalJSON writes a row with the menu in it.
func (s ChannelSelect) MarshalJSON() ([]byte, error) {
	type picked struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	menu := struct {
		Type        int      `json:"type"`
		CustomID    string   `json:"custom_id"`
		Placeholder string   `json:"placeholder,omitempty"`
		Types       []int    `json:"channel_types"`
		Picked      []picked `json:"default_values,omitempty"`
		Min         int      `json:"min_values"`
		Max         int      `json:"max_values"`
	}{typeChannelSelect, s.CustomID, Truncate(s.Placeholder, MaxPlaceholder), writableChannels, nil, 0, MaxSelectOptions}
	for _, id := range s.Channels {
		menu.Picked = append(menu.Picked, picked{id, "channel"})
	}
	return json.Marshal(row{typeActionRow, []any{menu}})
}

// MarshalJSON writes the text with its type.
func (t TextDisplay) MarshalJSON() ([]byte, error) {
	type plain TextDisplay
	t.Content = Truncate(t.Content, MaxTextDisplay)
	return json.Marshal(struct {
		Type int `json:"type"`
		plain
	}{typeTextDisplay, plain(t)})
}

// media is the JSON of a picture that is uploaded with the message. Type is left
// out in a gallery.
type media struct {
	Type  int `json:"type,omitempty"`
	Media struct {
		URL string `json:"url"`
	} `json:"media"`
	Description string `json:"description,omitempty"`
}

func uploaded(file, description string) (m media) {
	m.Media.URL, m.Description = "attachment://"+file, Truncate(description, MaxAltText)
	return m
}

// MarshalJSON writes the gallery with its type.
func (g MediaGallery) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type  int     `json:"type"`
		Items []media `json:"items"`
	}{typeMediaGallery, []media{uploaded(g.File, g.Description)}})
}

// MarshalJSON writes the file with its type.
func (f FileDisplay) MarshalJSON() ([]byte, error) {
	type file struct {
		URL string `json:"url"`
	}
	return json.Marshal(struct {
		Type int  `json:"type"`
		File file `json:"file"`
	}{typeFile, file{"attachment://" + f.File}})
}

// MarshalJSON writes the section with its type.
func (s Section) MarshalJSON() ([]byte, error) {
	thumbnail := uploaded(s.File, s.Description)
	thumbnail.Type = typeThumbnail
	return json.Marshal(struct {
		Type       int           `json:"type"`
		Components []TextDisplay `json:"components"`
		Accessory  media         `json:"accessory"`
	}{typeSection, []TextDisplay{{s.Content}}, thumbnail})
}

// MarshalJSON writes the separator with its type.
func (Separator) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type int `json:"type"`
	}{typeSeparator})
}

// MarshalJSON writes the container with its type.
func (c Container) MarshalJSON() ([]byte, error) {
	type plain Container
	return json.Marshal(struct {
		Type int `json:"type"`
		plain
	}{typeContainer, plain(c)})
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
