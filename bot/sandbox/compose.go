package sandbox

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"castellan/bot/sandbox/api"
)

// Flags that a request may set: for a new message, for the response to an
// interaction, and for an edit ("Create Message", "Interaction Callback Data
// Structure", "Edit Message"). Other bits are ignored.
const (
	createFlags   = api.FlagSuppressEmbeds | api.FlagSuppressNotifications | api.FlagComponentsV2
	responseFlags = createFlags | api.FlagEphemeral
	editFlags     = api.FlagSuppressEmbeds | api.FlagComponentsV2
)

func (s *Sandbox) readMessage(form api.Node, uploads []api.File, channelID string, settable int) (*storedMessage, error) {
	if err := form.Err(); err != nil {
		return nil, err
	}
	flags := form.Field("flags").Integer() & settable
	m := s.emptyMessage(channelID, api.MessageDefault, s.botUser(), "")
	m.Msg.Flags, m.Msg.TTS = flags, form.Field("tts").Boolean()
	m.Msg.Nonce = readNonce(form.Field("nonce"))
	if poll := form.Field("poll"); poll.IsSet() {
		if m.v2() {
			refuseLegacy(poll)
		}
		return nil, cmp.Or(form.Err(), api.NotBuilt("polls"))
	}
	if err := s.applyContent(m, form, uploads, api.DropFiles); err != nil {
		return nil, err
	}
	return m, nil
}

// applyEdit reads and applies an edit of a message. On an error the message is
// unchanged. Fields that were not sent stay.
func (s *Sandbox) applyEdit(m *storedMessage, form api.Node, uploads []api.File, rule api.FilePolicy) error {
	if err := form.Err(); err != nil {
		return err
	}
	next := *m
	wasV2 := m.v2()
	if f := form.Field("flags"); f.IsSet() {
		// The v2 flag cannot be taken back ("Component Reference").
		set := f.Integer() & editFlags
		next.Msg.Flags = next.Msg.Flags&^api.FlagSuppressEmbeds | set
	}
	if !wasV2 && next.v2() { // the same request must clear the old content
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
		edited := api.FormatTime(s.o.Now())
		next.Msg.EditedTimestamp = &edited
	}
	if err := s.applyContent(&next, form, uploads, rule); err != nil {
		return err
	}
	s.replaceFiles(m.Files, next.Files)
	*m = next
	return nil
}

func (s *Sandbox) applyContent(p *storedMessage, form api.Node, uploads []api.File, rule api.FilePolicy) error {
	m := &p.Msg
	v2 := p.v2()
	if v2 && !form.Field("components").Present {
		rule = api.KeepFiles // the components still show their files
	}
	files, err := s.readAttachments(form, uploads, p.Files, rule, m.ChannelID, p.Viewer != "" || m.Flags&api.FlagEphemeral != 0)
	if err != nil {
		return err
	}
	if len(files) > 10 {
		return api.ErrTooManyAttachments
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
	media := api.MediaResolver{Files: files, NextID: s.ids.Next}
	if e := form.Field("embeds"); e.Present {
		for _, f := range files {
			f.Embedded = false
		}
		m.Embeds = api.OrEmpty(api.ReadEmbeds(e, media))
		if v2 && len(m.Embeds) > 0 {
			refuseLegacy(e)
		}
	}
	if c := form.Field("components"); c.Present {
		m.Components = api.ReadComponents(c, v2, media)
	}
	if v2 {
		if len(m.Components) == 0 {
			form.Field("components").AddError("BASE_TYPE_REQUIRED", "This field is required")
		}
		files = filesShown(files, m.Components)
	}
	allowed := api.ReadAllowedMentions(form.Field("allowed_mentions"))
	if err := form.Err(); err != nil {
		return err
	}
	p.Files = files
	if p.empty() && !form.Field("message_reference").IsSet() { // a forward has its content elsewhere
		return api.ErrEmptyMessage
	}
	s.setMentions(m, allowed)
	return nil
}

func filesShown(files []*api.StoredFile, components []api.Component) []*api.StoredFile {
	used := map[string]bool{}
	api.WalkAll(components, func(c api.Component) {
		for _, m := range []*api.Media{c.Media, c.File} {
			if m != nil {
				used[m.AttachmentID] = true
			}
		}
		for _, item := range c.Items {
			used[item.Media.AttachmentID] = true
		}
	})
	return slices.DeleteFunc(slices.Clone(files), func(f *api.StoredFile) bool { return !used[f.ID] })
}

func refuseLegacy(n api.Node) {
	n.AddError("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
		"The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2", n.Path[len(n.Path)-1])
}

func readNonce(n api.Node) json.RawMessage {
	if !n.IsSet() {
		return nil
	}
	raw, _ := json.Marshal(n.Value) // what was JSON marshals
	return raw
}

func filePolicyFor(version int) api.FilePolicy {
	if version >= 10 {
		return api.ReplaceByUploads
	}
	return api.KeepFiles
}

// readAttachments returns the files that a message has after a request, from
// those that it has already and the uploads.
//
// If the request has a list of attachments, only the listed files stay.
// Otherwise API v9 adds the uploads to the old files, and in v10 they replace
// them (discord-api-docs #5170). A response of type 7 keeps only listed files
// (#6277).
func (s *Sandbox) readAttachments(form api.Node, uploads []api.File, kept []*api.StoredFile, rule api.FilePolicy, channelID string, ephemeral bool) ([]*api.StoredFile, error) {
	list := form.Field("attachments")
	for _, f := range uploads {
		if len(f.Data) > api.MaxUpload {
			return nil, api.ErrTooLarge
		}
	}
	kept = api.CloneFiles(kept) // the message must stay unchanged if the request fails
	fresh := make([]*api.StoredFile, len(uploads))
	for i, f := range uploads {
		fresh[i] = api.NewFile(s.ids.Next(), s.url, channelID, f, ephemeral)
	}
	if !list.Present {
		if rule == api.DropFiles || rule == api.ReplaceByUploads && len(uploads) > 0 {
			kept = nil
		}
		return append(kept, fresh...), nil
	}
	var out []*api.StoredFile
	listed := make([]bool, len(uploads))
	for _, entry := range list.Items() {
		id, description, filename := entry.Field("id").Text(), entry.Field("description").Text(), entry.Field("filename").Text()
		if i := slices.IndexFunc(uploads, func(f api.File) bool { return f.Field == "files["+id+"]" }); i >= 0 {
			listed[i] = true
			fresh[i].Description = description
			if filename != "" {
				fresh[i].Rename(s.url, channelID, api.CleanFilename(filename))
			}
			out = append(out, fresh[i])
			continue
		}
		if i := slices.IndexFunc(kept, func(f *api.StoredFile) bool { return f.ID == id }); i >= 0 {
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
	return out, nil
}
