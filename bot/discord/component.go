package discord

import "encoding/json"

// Component is a part of a message. The types below are all that exist.
type Component interface {
	json.Marshaler
	component()
}

// ButtonStyle is how a button looks.
type ButtonStyle int

// The styles of buttons that send an interaction, and the one that links.
const (
	Primary   ButtonStyle = 1
	Secondary ButtonStyle = 2
	Success   ButtonStyle = 3
	Danger    ButtonStyle = 4
	Link      ButtonStyle = 5
)

// Button is a button in a row.
type Button struct {
	Style    ButtonStyle
	Label    string // at most 80 characters
	CustomID string // 1 to 100 characters; not for Link
	URL      string // for Link alone
	Disabled bool
}

// Row is a row of at most five buttons.
type ActionRow struct{ Buttons []Button }

// Text is a block of markdown.
type TextDisplay struct{ Content string }

// Picture is a gallery of one picture that is uploaded with the message.
type MediaGallery struct {
	File        string // its name among the files
	Description string // for people who cannot see it, 1 to 1,024 characters
}

// Separator is a line between blocks.
type Separator struct{}

// Container holds other components behind a bar in a colour.
type Container struct {
	AccentColor int // 0xRRGGBB
	Components  []Component
}

func (Button) component()       {}
func (ActionRow) component()    {}
func (TextDisplay) component()  {}
func (MediaGallery) component() {}
func (Separator) component()    {}
func (Container) component()    {}

// MarshalJSON writes the component as Discord's type 2.
func (b Button) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     int         `json:"type"`
		Style    ButtonStyle `json:"style"`
		Label    string      `json:"label,omitempty"`
		CustomID string      `json:"custom_id,omitempty"`
		URL      string      `json:"url,omitempty"`
		Disabled bool        `json:"disabled,omitempty"`
	}{2, b.Style, clip(b.Label, 80), b.CustomID, b.URL, b.Disabled})
}

// MarshalJSON writes the component as Discord's type 1.
func (r ActionRow) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type       int      `json:"type"`
		Components []Button `json:"components"`
	}{1, r.Buttons})
}

// MarshalJSON writes the component as Discord's type 10.
func (t TextDisplay) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type    int    `json:"type"`
		Content string `json:"content"`
	}{10, clip(t.Content, 4000)})
}

// MarshalJSON writes the component as Discord's type 12.
func (p MediaGallery) MarshalJSON() ([]byte, error) {
	type media struct {
		URL string `json:"url"`
	}
	type item struct {
		Media       media  `json:"media"`
		Description string `json:"description,omitempty"`
	}
	return json.Marshal(struct {
		Type  int    `json:"type"`
		Items []item `json:"items"`
	}{12, []item{{media{"attachment://" + p.File}, clip(p.Description, 1024)}}})
}

// MarshalJSON writes the component as Discord's type 14.
func (Separator) MarshalJSON() ([]byte, error) { return []byte(`{"type":14}`), nil }

// MarshalJSON writes the component as Discord's type 17.
func (c Container) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type       int         `json:"type"`
		Accent     int         `json:"accent_color"`
		Components []Component `json:"components"`
	}{17, c.AccentColor, c.Components})
}

// Menu is a row with one menu of 1 to 25 choices, of which one is picked.
type StringSelect struct {
	CustomID    string // 1 to 100 characters
	Placeholder string // at most 150 characters
	Options     []SelectOption
}

// MenuChoice is a choice of a menu.
type SelectOption struct {
	Label       string // at most 100 characters
	Value       string // 1 to 100 characters, another for each choice
	Description string // at most 100 characters
}

func (StringSelect) component() {}

// MarshalJSON writes the component as Discord's type 1 with a type 3 in it.
func (m StringSelect) MarshalJSON() ([]byte, error) {
	type option struct {
		Label       string `json:"label"`
		Value       string `json:"value"`
		Description string `json:"description,omitempty"`
	}
	type menu struct {
		Type        int      `json:"type"`
		CustomID    string   `json:"custom_id"`
		Placeholder string   `json:"placeholder,omitempty"`
		Options     []option `json:"options"`
	}
	inner := menu{Type: 3, CustomID: m.CustomID, Placeholder: clip(m.Placeholder, 150)}
	for _, c := range m.Options {
		inner.Options = append(inner.Options, option{clip(c.Label, 100), c.Value, clip(c.Description, 100)})
	}
	return json.Marshal(struct {
		Type       int    `json:"type"`
		Components []menu `json:"components"`
	}{1, []menu{inner}})
}
