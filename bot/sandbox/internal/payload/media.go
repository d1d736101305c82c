package payload

import (
	"net/url"
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
)

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
	for _, f := range slices.Backward(r.Files) { // of two files with one name the newer
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
