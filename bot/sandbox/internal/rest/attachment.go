package rest

import (
	"bytes"
	"image"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/payload"
)

// fileNumber returns n of a part called files[n], or "" for another name.
func fileNumber(f api.File) string {
	s, ok := strings.CutPrefix(f.Field, "files[")
	if !ok {
		return ""
	}
	s, ok = strings.CutSuffix(s, "]")
	if !ok || !api.IsSnowflake(s) {
		return ""
	}
	return s
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

// store returns an attachment for an uploaded file. The dimensions of a
// picture are read from its header.
func (s *API) store(f api.File, channelID string, ephemeral bool) *payload.StoredFile {
	out := &payload.StoredFile{Data: f.Data, Attachment: api.Attachment{
		ID: s.IDs.Next(), Filename: cleanFilename(f.Filename), Size: len(f.Data), Ephemeral: ephemeral,
	}}
	if cfg, format, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
		out.Width, out.Height, out.ContentType = cfg.Width, cfg.Height, "image/"+format
	} else {
		out.ContentType = http.DetectContentType(f.Data)
	}
	out.URL = s.URL + "/attachments/" + channelID + "/" + out.ID + "/" + url.PathEscape(out.Filename)
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
func (s *API) readAttachments(form payload.Node, uploads []api.File, kept []*payload.StoredFile, rule payload.FilePolicy, channelID string, ephemeral bool) ([]*payload.StoredFile, error) {
	list := form.Field("attachments")
	if len(uploads) > 10 {
		return nil, api.ErrTooManyAttachments
	}
	for _, f := range uploads {
		if len(f.Data) > api.MaxUpload {
			return nil, api.ErrTooLarge
		}
	}
	kept = payload.CloneFiles(kept) // the message must stay unchanged if the request fails
	fresh := make([]*payload.StoredFile, len(uploads))
	for i, f := range uploads {
		fresh[i] = s.store(f, channelID, ephemeral)
	}
	if !list.Present {
		if rule == payload.DropFiles || rule == payload.ReplaceByUploads && len(uploads) > 0 {
			kept = nil
		}
		return limitFiles(append(kept, fresh...))
	}
	var out []*payload.StoredFile
	listed := make([]bool, len(uploads))
	for _, entry := range list.Items(0, 10) {
		if !entry.IsObject() || !entry.Field("id").Required() {
			continue
		}
		id := entry.Field("id").Snowflake()
		description := entry.Field("description").Text(0, 1024)
		filename := entry.Field("filename").Text(0, 1024)
		if i := slices.IndexFunc(uploads, func(f api.File) bool { return fileNumber(f) == id }); i >= 0 {
			listed[i] = true
			fresh[i].Description = description
			if filename != "" {
				fresh[i].Rename(s.URL, channelID, cleanFilename(filename))
			}
			out = append(out, fresh[i])
			continue
		}
		if i := slices.IndexFunc(kept, func(f *payload.StoredFile) bool { return f.ID == id }); i >= 0 {
			if entry.Field("description").Present {
				kept[i].Description = description
			}
			out = append(out, kept[i])
			continue
		}
		entry.Field("id").AddError("ATTACHMENT_NOT_FOUND", "The attachment %q was not found among the uploaded and the present files", id)
	}
	for i, f := range fresh {
		if !listed[i] { // an upload needs no entry of its own
			out = append(out, f)
		}
	}
	return limitFiles(out)
}

func limitFiles(files []*payload.StoredFile) ([]*payload.StoredFile, error) {
	if len(files) > 10 {
		return nil, api.ErrTooManyAttachments
	}
	return files, nil
}
