package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Flags that a request may set: when a message is created, by an interaction's
// answer, and by an edit ("Create Message", "Interaction Callback Data
// Structure", "Edit Message"). Other bits are ignored.
const (
	createFlags   = FlagSuppressEmbeds | FlagSuppressNotifications | FlagComponentsV2
	responseFlags = createFlags | FlagEphemeral
	editFlags     = FlagSuppressEmbeds | FlagComponentsV2
)

// maxContent is the length of a message's plain text in characters; bots have
// no longer one.
const maxContent = 2000

// compose reads a new message of the bot from a request. The message has no
// place in a channel yet: publish gives it one. The caller holds the lock.
func (s *restAPI) newMessage(form node, uploads []File, channelID string, settable int) (*post, error) {
	if !form.isObject() {
		return nil, form.err()
	}
	flags := int(form.field("flags").integer(0, 1<<31-1)) & settable
	p := &post{created: s.now(), msg: Message{
		ChannelID: channelID, Author: s.BotUser(), Flags: flags, TTS: form.field("tts").boolean(),
		Timestamp: stamp(s.now()), Embeds: []Embed{}, Components: []Component{}, Mentions: []UserObject{}, MentionRoles: []string{},
	}}
	p.msg.Nonce = readNonce(form.field("nonce"))
	if err := s.applyContent(p, form, uploads, dropFiles); err != nil {
		return nil, err
	}
	return p, nil
}

// amend reads an edit of a message and applies it; on an error the message is
// as it was. Fields that were not sent stay. The caller holds the lock.
func (s *restAPI) applyEdit(p *post, form node, uploads []File, rule filePolicy) error {
	if !form.isObject() {
		return form.err()
	}
	next := *p
	wasV2 := p.v2()
	if f := form.field("flags"); f.isSet() {
		// The v2 flag cannot be taken back ("Component Reference").
		set := int(f.integer(0, 1<<31-1)) & editFlags
		next.msg.Flags = next.msg.Flags&^FlagSuppressEmbeds | set
	}
	if !wasV2 && next.v2() { // the old content must go in the same request
		legacy := map[string]bool{"content": p.msg.Content != "", "embeds": len(p.msg.Embeds) > 0}
		for name, has := range legacy {
			if has && !form.field(name).present {
				refuseLegacy(form.field(name))
			}
		}
	}
	if next.deferral {
		next.deferral = false
		next.msg.Flags &^= FlagLoading
	} else {
		edited := stamp(s.now())
		next.msg.EditedTimestamp = &edited
	}
	if err := s.applyContent(&next, form, uploads, rule); err != nil {
		return err
	}
	for _, f := range p.files {
		delete(s.files, f.ID)
	}
	*p = next
	s.storeFiles(p)
	return nil
}

// fill applies the contents of a request to a message and checks the whole.
func (s *restAPI) applyContent(p *post, form node, uploads []File, rule filePolicy) error {
	m := &p.msg
	v2 := p.v2()
	if v2 && !form.field("components").present {
		rule = keepFiles // what its components show stays with them
	}
	files, err := s.readAttachments(form, uploads, p.files, rule, m.ChannelID, p.viewer != "" || m.Flags&FlagEphemeral != 0)
	if err != nil {
		return err
	}
	if c := form.field("content"); c.present {
		text := ""
		if c.isSet() {
			text = strings.TrimSpace(readContent(c))
		}
		if v2 && text != "" {
			refuseLegacy(c)
		}
		m.Content = text
	}
	media := resolver{files: files, nextID: s.IDs.next}
	if e := form.field("embeds"); e.present {
		for _, f := range files {
			f.embedded = false
		}
		m.Embeds = orEmpty(readEmbeds(e, media))
		if v2 && len(m.Embeds) > 0 {
			refuseLegacy(e)
		}
	}
	if c := form.field("components"); c.present {
		m.Components = readComponents(c, v2, media)
	}
	if v2 {
		if len(m.Components) == 0 {
			form.field("components").addError("BASE_TYPE_REQUIRED", "This field is required")
		}
		files = filesShown(files, m.Components)
	}
	allowed := readAllowedMentions(form.field("allowed_mentions"))
	if err := form.err(); err != nil {
		return err
	}
	if m.Content == "" && len(m.Embeds) == 0 && len(files) == 0 && len(m.Components) == 0 {
		return errEmptyMessage
	}
	p.files = files
	s.setMentions(m, allowed)
	return nil
}

// shown keeps the files that a v2 message's components show: the others are
// not part of it.
func filesShown(files []*storedFile, components []Component) []*storedFile {
	used := map[string]bool{}
	walkAll(components, func(c Component) {
		if c.Media != nil {
			used[c.Media.AttachmentID] = true
		}
		for _, item := range c.Items {
			used[item.Media.AttachmentID] = true
		}
	})
	var out []*storedFile
	for _, f := range files {
		if used[f.ID] {
			out = append(out, f)
		}
	}
	return out
}

// readContent reads a message's text; a number is taken as text, as Discord
// does.
func readContent(n node) string {
	if num, ok := n.value.(json.Number); ok {
		n.value = num.String()
	}
	return n.text(0, maxContent)
}

func refuseLegacy(n node) {
	n.addError("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
		"The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2", n.path[len(n.path)-1])
}

// readNonce reads a nonce, a number or a text of at most 25 characters, as it
// is to be given back.
func readNonce(n node) json.RawMessage {
	if !n.isSet() {
		return nil
	}
	if num, ok := n.value.(json.Number); ok {
		n.integer(-1<<63, 1<<63-1)
		return json.RawMessage(num.String())
	}
	s := n.text(0, 25)
	raw, err := json.Marshal(s)
	if err != nil {
		n.addError("STRING_TYPE_CONVERT", "Could not interpret %q as string.", fmt.Sprint(n.value))
	}
	return raw
}
