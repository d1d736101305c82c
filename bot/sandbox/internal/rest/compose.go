package rest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

// Flags that a request may set: for a new message, for the response to an
// interaction, and for an edit ("Create Message", "Interaction Callback Data
// Structure", "Edit Message"). Other bits are ignored.
const (
	createFlags   = api.FlagSuppressEmbeds | api.FlagSuppressNotifications | api.FlagComponentsV2
	responseFlags = createFlags | api.FlagEphemeral
	editFlags     = api.FlagSuppressEmbeds | api.FlagComponentsV2
)

// newMessage reads a new message of the bot from a request, for Publish.
func (s *API) newMessage(form payload.Node, uploads []api.File, channelID string, settable int) (*model.StoredMessage, error) {
	if err := form.Err(); err != nil {
		return nil, err
	}
	flags := form.Field("flags").Integer() & settable
	m := s.NewMessage(channelID, api.MessageDefault, s.BotUser(), "")
	m.Msg.Flags, m.Msg.TTS = flags, form.Field("tts").Boolean()
	m.Msg.Nonce = readNonce(form.Field("nonce"))
	m.Msg.Poll = s.readPoll(form.Field("poll"))
	if err := s.applyContent(m, form, uploads, payload.DropFiles); err != nil {
		return nil, err
	}
	return m, nil
}

// applyEdit reads and applies an edit of a message. On an error the message is
// unchanged. Fields that were not sent stay.
func (s *API) applyEdit(m *model.StoredMessage, form payload.Node, uploads []api.File, rule payload.FilePolicy) error {
	if err := form.Err(); err != nil {
		return err
	}
	next := *m
	wasV2 := m.V2()
	if f := form.Field("flags"); f.IsSet() {
		// The v2 flag cannot be taken back ("Component Reference").
		set := f.Integer() & editFlags
		next.Msg.Flags = next.Msg.Flags&^api.FlagSuppressEmbeds | set
	}
	if !wasV2 && next.V2() { // the same request must clear the old content
		legacy := map[string]bool{"content": m.Msg.Content != "", "embeds": len(m.Msg.Embeds) > 0}
		for name, has := range legacy {
			if has && !form.Field(name).Present {
				refuseLegacy(form.Field(name))
			}
		}
	}
	if next.Deferral {
		next.Deferral = false
		next.Msg.Flags &^= api.FlagLoading
	} else {
		edited := api.FormatTime(s.Now())
		next.Msg.EditedTimestamp = &edited
	}
	if err := s.applyContent(&next, form, uploads, rule); err != nil {
		return err
	}
	s.ReplaceFiles(m.Files, next.Files)
	*m = next
	return nil
}

// applyContent applies the content of a request to a message and validates the
// result.
func (s *API) applyContent(p *model.StoredMessage, form payload.Node, uploads []api.File, rule payload.FilePolicy) error {
	m := &p.Msg
	v2 := p.V2()
	if v2 && !form.Field("components").Present {
		rule = payload.KeepFiles // the components still show their files
	}
	files, err := s.readAttachments(form, uploads, p.Files, rule, m.ChannelID, p.Viewer != "" || m.Flags&api.FlagEphemeral != 0)
	if err != nil {
		return err
	}
	if c := form.Field("content"); c.Present {
		text := ""
		if c.IsSet() {
			text = strings.TrimSpace(c.Text())
		}
		// Discord's description has the limit of people who pay.
		if utf8.RuneCountInString(c.Text()) > api.MaxContent {
			c.TooLong(api.MaxContent)
		}
		if v2 && text != "" {
			refuseLegacy(c)
		}
		m.Content = text
	}
	media := payload.MediaResolver{Files: files, NextID: s.IDs.Next}
	if e := form.Field("embeds"); e.Present {
		for _, f := range files {
			f.Embedded = false
		}
		m.Embeds = api.OrEmpty(payload.ReadEmbeds(e, media))
		if v2 && len(m.Embeds) > 0 {
			refuseLegacy(e)
		}
	}
	if c := form.Field("components"); c.Present {
		m.Components = payload.ReadComponents(c, v2, media)
	}
	if v2 {
		if len(m.Components) == 0 {
			form.Field("components").AddError("BASE_TYPE_REQUIRED", "This field is required")
		}
		files = filesShown(files, m.Components)
	}
	allowed := payload.ReadAllowedMentions(form.Field("allowed_mentions"))
	if err := form.Err(); err != nil {
		return err
	}
	if m.Content == "" && len(m.Embeds) == 0 && len(files) == 0 && len(m.Components) == 0 && m.Poll == nil {
		return api.ErrEmptyMessage
	}
	p.Files = files
	s.SetMentions(m, allowed)
	return nil
}

// filesShown returns the files that a v2 message's components show; others are
// not part of the message.
func filesShown(files []*payload.StoredFile, components []api.Component) []*payload.StoredFile {
	used := map[string]bool{}
	api.WalkAll(components, func(c api.Component) {
		if c.Media != nil {
			used[c.Media.AttachmentID] = true
		}
		for _, item := range c.Items {
			used[item.Media.AttachmentID] = true
		}
	})
	return slices.DeleteFunc(slices.Clone(files), func(f *payload.StoredFile) bool { return !used[f.ID] })
}

func refuseLegacy(n payload.Node) {
	n.AddError("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
		"The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2", n.Path[len(n.Path)-1])
}

// readNonce reads a nonce, a number or a string, as it is to be returned.
func readNonce(n payload.Node) json.RawMessage {
	if !n.IsSet() {
		return nil
	}
	raw, _ := json.Marshal(n.Value) // what was JSON marshals
	return raw
}

// filePolicyFor returns the file policy of an edit in an API version.
func filePolicyFor(version int) payload.FilePolicy {
	if version >= 10 {
		return payload.ReplaceByUploads
	}
	return payload.KeepFiles
}

// readAttachments returns the files that a message has after a request, from
// those that it has already and the uploads.
//
// If the request has a list of attachments, only the listed files stay.
// Otherwise API v9 adds the uploads to the old files, and in v10 they replace
// them (discord-api-docs #5170). A response of type 7 keeps only listed files
// (#6277).
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
		fresh[i] = payload.NewFile(s.IDs.Next(), s.URL, channelID, f, ephemeral)
	}
	if !list.Present {
		if rule == payload.DropFiles || rule == payload.ReplaceByUploads && len(uploads) > 0 {
			kept = nil
		}
		return limitFiles(append(kept, fresh...))
	}
	var out []*payload.StoredFile
	listed := make([]bool, len(uploads))
	for _, entry := range list.Items() {
		id, description, filename := entry.Field("id").Text(), entry.Field("description").Text(), entry.Field("filename").Text()
		if i := slices.IndexFunc(uploads, func(f api.File) bool { return f.Field == "files["+id+"]" }); i >= 0 {
			listed[i] = true
			fresh[i].Description = description
			fresh[i].SetSpoiler(entry.Field("is_spoiler"))
			if filename != "" {
				fresh[i].Rename(s.URL, channelID, payload.CleanFilename(filename))
			}
			out = append(out, fresh[i])
			continue
		}
		if i := slices.IndexFunc(kept, func(f *payload.StoredFile) bool { return f.ID == id }); i >= 0 {
			if entry.Field("description").Present {
				kept[i].Description = description
			}
			kept[i].SetSpoiler(entry.Field("is_spoiler"))
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
