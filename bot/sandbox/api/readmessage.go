package api

import (
	"bytes"
	"image"
	_ "image/gif" // their sizes
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxEmbedText is the sum of all texts of all embeds of a message ("Embed
// Limits" on the page "Message Resource").
const maxEmbedText = 6000

// ReadEmbeds reads the embeds of a request and resolves their pictures.
func ReadEmbeds(n Node, media MediaResolver) []Embed {
	var out []Embed
	if !n.Decode(&out) {
		return nil
	}
	total := 0
	for i := range out {
		e, item := &out[i], n.Items()[i]
		e.Type = "rich"
		e.Title, e.Description = strings.TrimSpace(e.Title), strings.TrimSpace(e.Description)
		if e.Title == "" && e.Description == "" && e.Author == nil && e.Footer == nil && len(e.Fields) == 0 && !item.Field("image").IsSet() && !item.Field("thumbnail").IsSet() {
			item.Field("description").AddError("BASE_TYPE_REQUIRED", "This field is required")
		}
		if item.Field("title").IsSet() && e.Title == "" {
			item.Field("title").AddError("BASE_TYPE_REQUIRED", "This field is required")
		}
		texts := []string{e.Title, e.Description}
		if t, err := time.Parse(time.RFC3339Nano, e.Timestamp); err == nil {
			e.Timestamp = FormatTime(t)
		}
		if e.Author != nil {
			texts = append(texts, e.Author.Name)
		}
		if e.Footer != nil {
			texts = append(texts, e.Footer.Text)
		}
		for k, f := range e.Fields {
			texts = append(texts, f.Name, f.Value)
			for key, text := range map[string]string{"name": f.Name, "value": f.Value} {
				if strings.TrimSpace(text) == "" {
					item.Field("fields").Items()[k].Field(key).AddError("BASE_TYPE_REQUIRED", "This field is required")
				}
			}
		}
		for _, t := range texts {
			total += utf8.RuneCountInString(t)
		}
		e.Image, e.Thumbnail = media.picture(item.Field("image")), media.picture(item.Field("thumbnail"))
	}
	if total > maxEmbedText {
		n.AddError("MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
	return out
}

// StoredFile is an attachment with its data.
type StoredFile struct {
	Attachment
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
func NewFile(id, base, channelID string, f File, ephemeral bool) *StoredFile {
	out := &StoredFile{Data: f.Data, Attachment: Attachment{ID: id, Size: len(f.Data), Ephemeral: ephemeral}}
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
func (r MediaResolver) resolve(n Node) Media {
	link := n.Text()
	if name, ok := strings.CutPrefix(link, "attachment://"); ok {
		if f := r.named(name); f != nil {
			f.Embedded = true
			return f.media(r.NextID())
		}
		n.AddError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
		return Media{}
	}
	if u, err := url.Parse(link); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		n.AddError("URL_TYPE_INVALID_SCHEME", "Scheme %q is not supported. Scheme must be one of ('http', 'https').", schemeOf(link))
		return Media{}
	}
	for _, f := range r.Files { // a picture of this message by its URL
		if f.URL == link {
			f.Embedded = true
			return f.media(r.NextID())
		}
	}
	return Media{ID: r.NextID(), URL: link, ProxyURL: link}
}

func (r MediaResolver) picture(n Node) *Media {
	if link := n.Field("url"); link.IsSet() {
		return new(r.resolve(link))
	}
	return nil
}

func (r MediaResolver) named(name string) *StoredFile {
	for _, f := range slices.Backward(r.Files) { // of files with the same name, the newest
		if f.Filename == name {
			return f
		}
	}
	return nil
}

func (f *StoredFile) media(id string) Media {
	m := Media{ID: id, URL: f.URL, ProxyURL: f.ProxyURL, AttachmentID: f.ID, ContentType: &f.ContentType}
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

// ReadAllowedMentions reads the object. A missing object allows everything, an
// empty one nothing.
func ReadAllowedMentions(n Node) AllowedMentions {
	if !n.IsSet() {
		return AllowedMentions{ParseUsers: true, Everyone: true, RepliedUser: true}
	}
	var form struct {
		Parse   []string `json:"parse"`
		Users   []string `json:"users"`
		Roles   []string `json:"roles"`
		Replied bool     `json:"replied_user"`
	}
	if !n.Decode(&form) {
		return AllowedMentions{}
	}
	// A kind may be listed in parse or by ids, not both.
	for kind, ids := range map[string][]string{"users": form.Users, "roles": form.Roles} {
		if slices.Contains(form.Parse, kind) && len(ids) > 0 {
			n.AddError("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", `parse:["%s"] and %[1]s: [ids...] are mutually exclusive.`, kind)
		}
	}
	return AllowedMentions{slices.Contains(form.Parse, "users"), slices.Contains(form.Parse, "everyone"), form.Users, form.Replied}
}
