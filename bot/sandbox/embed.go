package sandbox

import (
	"math"
	"time"
	"unicode/utf8"
)

// Embed is a rich embed in Discord's shape.
type Embed struct {
	Type        string       `json:"type"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Timestamp   string       `json:"timestamp,omitempty"`
	Color       *int         `json:"color,omitempty"`
	Author      *EmbedAuthor `json:"author,omitempty"`
	Footer      *EmbedFooter `json:"footer,omitempty"`
	Image       *EmbedMedia  `json:"image,omitempty"`
	Thumbnail   *EmbedMedia  `json:"thumbnail,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// EmbedAuthor is the line above an embed's title.
type EmbedAuthor struct {
	Name    string `json:"name"`
	URL     string `json:"url,omitempty"`
	IconURL string `json:"icon_url,omitempty"`
}

// EmbedFooter is the line below an embed.
type EmbedFooter struct {
	Text    string `json:"text"`
	IconURL string `json:"icon_url,omitempty"`
}

// EmbedMedia is a picture of an embed; width and height are pixels.
type EmbedMedia struct {
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url,omitempty"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	ContentType string `json:"content_type,omitempty"`
}

// EmbedField is one titled paragraph.
type EmbedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

// maxEmbedText is the sum of all texts of all embeds of a message ("Embed
// Limits" on the page "Message Resource"); the single limits below are from
// the same table.
const maxEmbedText = 6000

// readEmbeds validates the embeds of a request and resolves their pictures.
func readEmbeds(n node, media resolver) []Embed {
	var out []Embed
	total := 0
	text := func(n node, most int) string {
		s := n.text(0, most)
		total += utf8.RuneCountInString(s)
		return s
	}
	for _, e := range n.items(0, 10) {
		if !e.isObject() {
			continue
		}
		embed := Embed{
			Type: "rich", Title: text(e.field("title"), 256), Description: text(e.field("description"), 4096),
			URL: e.field("url").text(0, 2048), Timestamp: readTimestamp(e.field("timestamp")),
		}
		if c := e.field("color"); c.isSet() {
			v := int(c.integer(0, 0xFFFFFF))
			embed.Color = &v
		}
		if a := e.field("author"); a.isSet() && a.isObject() {
			embed.Author = &EmbedAuthor{Name: text(a.field("name"), 256), URL: a.field("url").text(0, 2048), IconURL: a.field("icon_url").text(0, 2048)}
		}
		if f := e.field("footer"); f.isSet() && f.isObject() {
			embed.Footer = &EmbedFooter{Text: text(f.field("text"), 2048), IconURL: f.field("icon_url").text(0, 2048)}
		}
		embed.Image = readEmbedMedia(e.field("image"), media)
		embed.Thumbnail = readEmbedMedia(e.field("thumbnail"), media)
		for _, f := range e.field("fields").items(0, 25) {
			if !f.isObject() || !f.field("name").required() || !f.field("value").required() {
				continue
			}
			embed.Fields = append(embed.Fields, EmbedField{
				Name: text(f.field("name"), 256), Value: text(f.field("value"), 1024), Inline: f.field("inline").boolean(),
			})
		}
		out = append(out, embed)
	}
	if total > maxEmbedText {
		n.addError("MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
	return out
}

func readEmbedMedia(n node, media resolver) *EmbedMedia {
	if !n.isSet() || !n.isObject() || !n.field("url").isSet() {
		return nil
	}
	m := media.resolve(n.field("url"))
	out := &EmbedMedia{URL: m.URL, ProxyURL: m.ProxyURL}
	if m.Width != nil && m.Height != nil {
		out.Width, out.Height = *m.Width, *m.Height
	}
	if m.ContentType != nil {
		out.ContentType = *m.ContentType
	}
	return out
}

func readTimestamp(n node) string {
	s := n.text(0, math.MaxInt32)
	if s == "" {
		return ""
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		n.addError("DATE_TIME_TYPE_PARSE", "Could not parse %s. Should be ISO8601.", s)
		return ""
	}
	return stamp(t)
}
