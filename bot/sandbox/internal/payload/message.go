package payload

import (
	"bytes"
	"image"
	_ "image/gif" // their sizes
	_ "image/jpeg"
	_ "image/png"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
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
	for _, e := range n.Objects(0, 10) {
		embed := api.Embed{
			Type: "rich", Title: text(e.Field("title"), 256), Description: text(e.Field("description"), 4096),
			URL: e.Field("url").Text(0, 2048), Timestamp: readTimestamp(e.Field("timestamp")),
		}
		embed.Color = Optional(e.Field("color"), int(e.Field("color").Integer(0, 0xFFFFFF)))
		if a := e.Field("author"); a.IsSet() && a.IsObject() {
			embed.Author = &api.EmbedAuthor{Name: text(a.Field("name"), 256), URL: a.Field("url").Text(0, 2048), IconURL: a.Field("icon_url").Text(0, 2048)}
		}
		if f := e.Field("footer"); f.IsSet() && f.IsObject() {
			embed.Footer = &api.EmbedFooter{Text: text(f.Field("text"), 2048), IconURL: f.Field("icon_url").Text(0, 2048)}
		}
		embed.Image = readEmbedMedia(e.Field("image"), media)
		embed.Thumbnail = readEmbedMedia(e.Field("thumbnail"), media)
		for _, f := range e.Field("fields").Objects(0, 25, "name", "value") {
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

// StoredFile is an attachment with its data.
type StoredFile struct {
	api.Attachment
	Data     []byte
	Embedded bool // shown by an embed, and so not in `attachments`
}

// FilePolicy says which files of a message stay if an edit lists none.
type FilePolicy int

// MediaResolver turns the media links of a request into the media that Discord
// returns.
type MediaResolver struct {
	Files  []*StoredFile
	NextID func() string
}

// NewFile returns an attachment of a channel for an uploaded file. The
// dimensions of a picture are read from its header.
func NewFile(id, base, channelID string, f api.File, ephemeral bool) *StoredFile {
	out := &StoredFile{Data: f.Data, Attachment: api.Attachment{ID: id, Size: len(f.Data), Ephemeral: ephemeral}}
	if cfg, format, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
		out.Width, out.Height, out.ContentType = cfg.Width, cfg.Height, "image/"+format
	} else {
		out.ContentType = http.DetectContentType(f.Data)
	}
	out.Rename(base, channelID, CleanFilename(f.Filename))
	return out
}

// CleanFilename keeps the characters that Discord keeps in a file's name.
func CleanFilename(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		case r == ' ':
			return '_'
		}
		return -1
	}, name)
	if strings.Trim(clean, ".") == "" {
		return "unknown"
	}
	return clean
}

// CloneFiles returns copies of files.
func CloneFiles(files []*StoredFile) []*StoredFile {
	out := make([]*StoredFile, len(files))
	for i, f := range files {
		c := *f
		out[i] = &c
	}
	return out
}

// Rename sets the file name and the URLs that contain it.
func (f *StoredFile) Rename(base, channelID, filename string) {
	f.Filename = filename
	f.URL = base + "/attachments/" + channelID + "/" + f.ID + "/" + url.PathEscape(filename)
	f.ProxyURL = f.URL
}

const (
	KeepFiles        FilePolicy = iota // API v9
	ReplaceByUploads                   // API v10
	DropFiles                          // a response of type 7
)

// resolve reads a link: attachment://name must name a file of the message,
// anything else must be an http or https URL.
func (r MediaResolver) resolve(n Node) api.Media {
	if !n.Required() {
		return api.Media{}
	}
	link := n.Text(1, 2048)
	if name, ok := strings.CutPrefix(link, "attachment://"); ok {
		if f := r.named(name); f != nil {
			f.Embedded = true
			return f.media(r.NextID())
		}
		n.AddError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
		return api.Media{}
	}
	if u, err := url.Parse(link); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		n.AddError("URL_TYPE_INVALID_SCHEME", "Scheme %q is not supported. Scheme must be one of ('http', 'https').", schemeOf(link))
		return api.Media{}
	}
	for _, f := range r.Files { // a picture of this message by its URL
		if f.URL == link {
			f.Embedded = true
			return f.media(r.NextID())
		}
	}
	return api.Media{ID: r.NextID(), URL: link, ProxyURL: link}
}

func (r MediaResolver) named(name string) *StoredFile {
	for _, f := range slices.Backward(r.Files) { // of files with the same name, the newest
		if f.Filename == name {
			return f
		}
	}
	return nil
}

func (f *StoredFile) media(id string) api.Media {
	m := api.Media{ID: id, URL: f.URL, ProxyURL: f.ProxyURL, AttachmentID: f.ID, ContentType: &f.ContentType}
	if f.Width > 0 {
		m.Width, m.Height = &f.Width, &f.Height
	}
	return m
}

func schemeOf(link string) string {
	scheme, _, _ := strings.Cut(link, ":")
	return scheme
}

// AllowedMentions says which mentions of a message may notify ("Allowed
// Mentions Object" on the page "Message Resource").
type AllowedMentions struct {
	ParseUsers  bool
	Everyone    bool
	Users       []string
	RepliedUser bool
}

// ReadAllowedMentions validates the object. A missing object allows
// everything, an empty one nothing.
func ReadAllowedMentions(n Node) AllowedMentions {
	if !n.IsSet() {
		return AllowedMentions{ParseUsers: true, Everyone: true, RepliedUser: true}
	}
	if !n.IsObject() {
		return AllowedMentions{}
	}
	var a AllowedMentions
	parse := map[string]bool{}
	for _, p := range n.Field("parse").Items(0, 3) {
		s := p.Text(0, 20)
		if s != "users" && s != "roles" && s != "everyone" {
			p.AddError("BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		}
		parse[s] = true
	}
	a.ParseUsers, a.Everyone = parse["users"], parse["everyone"]
	a.Users = readIDs(n.Field("users"))
	roles := readIDs(n.Field("roles"))
	a.RepliedUser = n.Field("replied_user").Boolean()
	// A kind may be listed in parse or by ids, not both.
	if a.ParseUsers && len(a.Users) > 0 {
		n.AddError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["users"] and users: [ids...] are mutually exclusive.`)
	}
	if parse["roles"] && len(roles) > 0 {
		n.AddError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["roles"] and roles: [ids...] are mutually exclusive.`)
	}
	return a
}

func readIDs(n Node) []string {
	var out []string
	for _, id := range n.Items(0, 100) {
		if s := id.Snowflake(); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
