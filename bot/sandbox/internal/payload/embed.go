package payload

import (
	"math"
	"time"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
)

// maxEmbedText is the sum of all texts of all embeds of a message ("Embed
// Limits" on the page "Message Resource"). The limits below are from the same
// table.
const maxEmbedText = 6000

// ReadEmbeds validates the embeds of a request and resolves their pictures.
func ReadEmbeds(n Node, media MediaResolver) []api.Embed {
	var out []api.Embed
	total := 0
	text := func(n Node, most int) string {
		s := n.Text(0, most)
		total += utf8.RuneCountInString(s)
		return s
	}
	for _, e := range n.Items(0, 10) {
		if !e.IsObject() {
			continue
		}
		embed := api.Embed{
			Type: "rich", Title: text(e.Field("title"), 256), Description: text(e.Field("description"), 4096),
			URL: e.Field("url").Text(0, 2048), Timestamp: readTimestamp(e.Field("timestamp")),
		}
		if c := e.Field("color"); c.IsSet() {
			v := int(c.Integer(0, 0xFFFFFF))
			embed.Color = &v
		}
		if a := e.Field("author"); a.IsSet() && a.IsObject() {
			embed.Author = &api.EmbedAuthor{Name: text(a.Field("name"), 256), URL: a.Field("url").Text(0, 2048), IconURL: a.Field("icon_url").Text(0, 2048)}
		}
		if f := e.Field("footer"); f.IsSet() && f.IsObject() {
			embed.Footer = &api.EmbedFooter{Text: text(f.Field("text"), 2048), IconURL: f.Field("icon_url").Text(0, 2048)}
		}
		embed.Image = readEmbedMedia(e.Field("image"), media)
		embed.Thumbnail = readEmbedMedia(e.Field("thumbnail"), media)
		for _, f := range e.Field("fields").Items(0, 25) {
			if !f.IsObject() || !f.Field("name").Required() || !f.Field("value").Required() {
				continue
			}
			embed.Fields = append(embed.Fields, api.EmbedField{
				Name: text(f.Field("name"), 256), Value: text(f.Field("value"), 1024), Inline: f.Field("inline").Boolean(),
			})
		}
		out = append(out, embed)
	}
	if total > maxEmbedText {
		n.AddError("MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
	return out
}

func readEmbedMedia(n Node, media MediaResolver) *api.EmbedMedia {
	if !n.IsSet() || !n.IsObject() || !n.Field("url").IsSet() {
		return nil
	}
	m := media.resolve(n.Field("url"))
	out := &api.EmbedMedia{URL: m.URL, ProxyURL: m.ProxyURL}
	if m.Width != nil && m.Height != nil {
		out.Width, out.Height = *m.Width, *m.Height
	}
	if m.ContentType != nil {
		out.ContentType = *m.ContentType
	}
	return out
}

func readTimestamp(n Node) string {
	s := n.Text(0, math.MaxInt32)
	if s == "" {
		return ""
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		n.AddError("DATE_TIME_TYPE_PARSE", "Could not parse %s. Should be ISO8601.", s)
		return ""
	}
	return api.FormatTime(t)
}
