package sandbox

import (
	"bytes"
	"image"
	_ "image/gif" // the formats whose size Discord reports
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// MaxUpload is the size in bytes that one uploaded file may have
// (attachment_size_limit of an interaction in a server without boosts).
const MaxUpload = 10 << 20

// Attachment is a file of a message in Discord's shape. Width and height are
// pixels; pictures alone have them.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	Width       int    `json:"width,omitempty"`
	Height      int    `json:"height,omitempty"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
}

// File is one file part of a multipart request.
type File struct {
	Field    string // "files[0]"
	Filename string
	Data     []byte
}

// number is n of a part called files[n], or "" for another name.
func (f File) number() string {
	s, ok := strings.CutPrefix(f.Field, "files[")
	if !ok {
		return ""
	}
	s, ok = strings.CutSuffix(s, "]")
	if !ok || !isSnowflake(s) {
		return ""
	}
	return s
}

// storedFile is an attachment with its bytes.
type storedFile struct {
	Attachment
	data     []byte
	embedded bool // shown by an embed, and therefore not in `attachments`
}

// cleanFilename keeps the characters that Discord keeps in a file's name.
func cleanFilename(name string) string {
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

// store makes an attachment of an uploaded file. The size of a picture is
// read from its header.
func (s *restAPI) store(f File, channelID string, ephemeral bool) *storedFile {
	out := &storedFile{data: f.Data, Attachment: Attachment{
		ID: s.IDs.next(), Filename: cleanFilename(f.Filename), Size: len(f.Data), Ephemeral: ephemeral,
	}}
	if cfg, format, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
		out.Width, out.Height, out.ContentType = cfg.Width, cfg.Height, "image/"+format
	} else {
		out.ContentType = http.DetectContentType(f.Data)
	}
	out.URL = s.base + "/attachments/" + channelID + "/" + out.ID + "/" + url.PathEscape(out.Filename)
	out.ProxyURL = out.URL
	return out
}

// readAttachments works out which files a message has after a request: kept
// are those that it has already, uploaded those of this request.
//
// The rules for an edit are those of API v9 and v10 (discord-api-docs #5170):
// a list names what stays, in both; without one v9 adds new files to the old
// ones while v10 lets new files replace them. The answer of type 7 keeps only
// what is listed (#6277).
func (s *restAPI) readAttachments(form node, uploads []File, kept []*storedFile, rule filePolicy, channelID string, ephemeral bool) ([]*storedFile, error) {
	list := form.field("attachments")
	if len(uploads) > 10 {
		return nil, errTooManyAttachments
	}
	for _, f := range uploads {
		if len(f.Data) > MaxUpload {
			return nil, errTooLarge
		}
	}
	kept = cloneFiles(kept) // the message must not change if the request fails
	fresh := make([]*storedFile, len(uploads))
	for i, f := range uploads {
		fresh[i] = s.store(f, channelID, ephemeral)
	}
	if !list.present {
		if rule == dropFiles || rule == replaceByUploads && len(uploads) > 0 {
			kept = nil
		}
		return limitFiles(append(kept, fresh...))
	}
	var out []*storedFile
	listed := make([]bool, len(uploads))
	for _, entry := range list.items(0, 10) {
		if !entry.isObject() || !entry.field("id").required() {
			continue
		}
		id := entry.field("id").snowflake()
		description := entry.field("description").text(0, 1024)
		filename := entry.field("filename").text(0, 1024)
		if i := slices.IndexFunc(uploads, func(f File) bool { return f.number() == id }); i >= 0 {
			listed[i] = true
			fresh[i].Description = description
			if filename != "" {
				fresh[i].rename(s.base, channelID, cleanFilename(filename))
			}
			out = append(out, fresh[i])
			continue
		}
		if i := slices.IndexFunc(kept, func(f *storedFile) bool { return f.ID == id }); i >= 0 {
			if entry.field("description").present {
				kept[i].Description = description
			}
			out = append(out, kept[i])
			continue
		}
		entry.field("id").addError("ATTACHMENT_NOT_FOUND", "The attachment %q was not found among the uploaded and the present files", id)
	}
	for i, f := range fresh {
		if !listed[i] { // an upload needs no entry of its own
			out = append(out, f)
		}
	}
	return limitFiles(out)
}

func cloneFiles(files []*storedFile) []*storedFile {
	out := make([]*storedFile, len(files))
	for i, f := range files {
		c := *f
		out[i] = &c
	}
	return out
}

func limitFiles(files []*storedFile) ([]*storedFile, error) {
	if len(files) > 10 {
		return nil, errTooManyAttachments
	}
	return files, nil
}

func (f *storedFile) rename(base, channelID, filename string) {
	f.Filename = filename
	f.URL = base + "/attachments/" + channelID + "/" + f.ID + "/" + url.PathEscape(filename)
	f.ProxyURL = f.URL
}

// keepRule says what becomes of a message's files when a request lists none.
type filePolicy int

const (
	keepFiles        filePolicy = iota // API v9
	replaceByUploads                   // API v10
	dropFiles                          // the answer of type 7
)

// resolver turns the media links of a request into what Discord gives back.
type resolver struct {
	files  []*storedFile
	nextID func() string
}

// resolve reads a link: attachment://name must be one of the message's files,
// anything else must be an http or https address.
func (r resolver) resolve(n node) Media {
	if !n.required() {
		return Media{}
	}
	link := n.text(1, 2048)
	if name, ok := strings.CutPrefix(link, "attachment://"); ok {
		if f := r.named(name); f != nil {
			f.embedded = true
			return f.media(r.nextID())
		}
		n.addError("UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", "The unfurled media item references an attachment that was not found")
		return Media{}
	}
	if u, err := url.Parse(link); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		n.addError("URL_TYPE_INVALID_SCHEME", "Scheme %q is not supported. Scheme must be one of ('http', 'https').", schemeOf(link))
		return Media{}
	}
	for _, f := range r.files { // a picture of this message, by its own address
		if f.URL == link {
			f.embedded = true
			return f.media(r.nextID())
		}
	}
	return Media{ID: r.nextID(), URL: link, ProxyURL: link}
}

func (r resolver) named(name string) *storedFile {
	for _, f := range slices.Backward(r.files) { // of two with one name the newer
		if f.Filename == name {
			return f
		}
	}
	return nil
}

func (f *storedFile) media(id string) Media {
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
