package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/gateway"
)

type storedMessage struct {
	Msg       api.Message
	Created   time.Time
	Viewer    string            // the only user who sees an ephemeral message; "" means everybody
	Files     []*api.StoredFile // all attachments, also those not in `attachments`
	reactions []reaction
	bot       string // the bot's id
	Deferral  bool   // a type 5 response that has not been edited yet
}

// Remove deletes a message, as a moderator does. It fails if there is none.
func (s *Sandbox) Remove(channelID, messageID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.findMessage(channelID, messageID)
	if m == nil {
		return fmt.Errorf("there is no message %s in the channel", messageID)
	}
	s.removeMessage(m)
	return nil
}

// discard removes the files of a deleted message, and ends the deferral that
// it showed.
func (s *Sandbox) discard(m *storedMessage) {
	s.replaceFiles(m.Files, nil)
	if !m.Deferral {
		return
	}
	for _, i := range s.interactions {
		if i.Original == m && i.State == StateDeferred {
			s.setState(i, StateAnswered)
		}
	}
}

// maxUploads is how many files that people have uploaded and not sent in a
// message are kept.
const maxUploads = 100

// Upload stores a file for an option, a modal or a message of the person, and
// returns its id. It fails if the file is too large.
func (p *Person) Upload(filename string, data []byte) (id string, err error) {
	return act(p, func(s *Sandbox) (string, error) {
		if len(data) > api.MaxUpload {
			return "", fmt.Errorf("a file may have %d MiB", api.MaxUpload>>20)
		}
		f := api.NewFile(s.ids.Next(), s.url, s.ApplicationID(), api.File{Filename: filename, Data: data}, true)
		s.files[f.ID] = f
		s.uploads = append(s.uploads, f.ID)
		if len(s.uploads) > maxUploads {
			delete(s.files, s.uploads[0])
			s.uploads = s.uploads[1:]
		}
		return f.ID, nil
	})
}

func (s *Sandbox) addFile(e *entities, id string) error {
	f := s.files[id]
	if f == nil || !f.Ephemeral {
		return fmt.Errorf("there is no file %q", id)
	}
	e.files = append(e.files, f)
	return nil
}

func publicMessages(list []*storedMessage) []*storedMessage {
	return slices.DeleteFunc(slices.Clone(list), func(m *storedMessage) bool { return m.Viewer != "" })
}

func (s *Sandbox) findMessage(channelID, messageID string) *storedMessage {
	list := s.messages[channelID]
	i, ok := slices.BinarySearchFunc(list, messageID, func(m *storedMessage, id string) int { return api.CompareIDs(m.Msg.ID, id) })
	if !ok {
		return nil
	}
	return list[i]
}

// publish gives a new message an id unless it has one, appends it to its channel
// and notifies the users that it mentions.
func (s *Sandbox) publish(m *storedMessage) {
	m.Msg.ID = cmp.Or(m.Msg.ID, s.ids.Next())
	s.countThreadMessage(m)
	s.messages[m.Msg.ChannelID] = append(s.messages[m.Msg.ChannelID], m)
	s.trimMessages(m.Msg.ChannelID)
	s.replaceFiles(nil, m.Files)
	s.emitMessage(m)
	s.notify(m)
	s.dispatchMessage("MESSAGE_CREATE", m)
	s.wake()
}

// announceEdit sends an edited message to the bot and the pages. Edits notify
// nobody.
func (s *Sandbox) announceEdit(m *storedMessage) {
	s.emitMessage(m)
	s.dispatchMessage("MESSAGE_UPDATE", m)
	s.wake()
}

// maxGone is how many bytes of files that no message has any more are served.
const maxGone = 8 << 20

// replaceFiles replaces a message's files. The latest of the old files are served
// for a while longer, as Discord's CDN does, because a page may be about to show
// them.
func (s *Sandbox) replaceFiles(old, files []*api.StoredFile) {
	for _, f := range old {
		if !slices.ContainsFunc(files, func(kept *api.StoredFile) bool { return kept.ID == f.ID }) {
			delete(s.files, f.ID)
			s.gone = append(s.gone, f)
		}
	}
	for _, f := range files {
		s.files[f.ID] = f
	}
	size := 0
	for i, f := range slices.Backward(s.gone) {
		if size += len(f.Data); size > maxGone {
			s.gone = slices.Delete(s.gone, 0, i+1)
			break
		}
	}
}

func (s *Sandbox) servedFile(id, filename string) *api.StoredFile {
	f := s.files[id]
	if i := slices.IndexFunc(s.gone, func(f *api.StoredFile) bool { return f.ID == id }); f == nil && i >= 0 {
		f = s.gone[i]
	}
	if f == nil || f.Filename != filename {
		return nil
	}
	return f
}

func (s *Sandbox) removeMessage(m *storedMessage) {
	ch := s.takeMessage(m)
	if m.Viewer == "" && ch != nil {
		data := map[string]any{"id": m.Msg.ID, "channel_id": ch.ID}
		if ch.Guild != nil {
			data["guild_id"] = ch.Guild.ID
		}
		if s.may(ch.ID, s.ApplicationID(), 0) {
			s.dispatch(ch.Guild, messageIntent(ch), "MESSAGE_DELETE", data)
		}
	}
	s.wake()
}

func (s *Sandbox) takeMessage(m *storedMessage) *channelState {
	list := s.messages[m.Msg.ChannelID]
	s.messages[m.Msg.ChannelID] = slices.DeleteFunc(slices.Clone(list), func(x *storedMessage) bool { return x == m })
	s.discard(m)
	s.emitVisible(m, map[string]any{"type": "message_delete", "channel_id": m.Msg.ChannelID, "id": m.Msg.ID})
	ch := s.channels[m.Msg.ChannelID]
	if m.Viewer == "" && ch != nil && ch.Thread != nil && ch.Thread.messageCount > 0 {
		ch.Thread.messageCount--
		s.updateStarter(ch, s.emitMessage)
	}
	return ch
}

// dispatchMessage sends a message event to the sessions with the intent.
// Without the message content intent a bot sees the content of its own
// messages and of those that mention it ("Message Content Intent").
func (s *Sandbox) dispatchMessage(kind string, p *storedMessage) {
	if p.Viewer != "" {
		return
	}
	me, ch := s.ApplicationID(), s.channels[p.Msg.ChannelID]
	if !s.may(p.Msg.ChannelID, me, 0) {
		return
	}
	s.dispatchEach(ch.Guild, messageIntent(ch), kind, func(se *gateway.Session) any {
		m := p.botView()
		clear := ch.Guild == nil || se.Intents&api.IntentMessageContent != 0 || m.Author.ID == me ||
			slices.ContainsFunc(m.Mentions, func(u api.User) bool { return u.ID == me })
		if !clear {
			m.Content, m.Embeds, m.Attachments, m.Components = "", []api.Embed{}, []api.Attachment{}, []api.Component{}
		}
		out := struct {
			api.Message
			GuildID     string         `json:"guild_id,omitempty"`
			ChannelType int            `json:"channel_type"`
			Member      map[string]any `json:"member,omitempty"`
		}{Message: m, GuildID: ch.GuildID, ChannelType: ch.Type}
		if ch.Guild != nil && s.isMember(ch.Guild, m.Author.ID) {
			out.Member = s.member(ch.Guild, m.Author.ID, false)
		}
		return out
	})
}

func messageIntent(ch *channelState) int {
	if ch.Guild == nil {
		return api.IntentDirectMessages
	}
	return api.IntentGuildMessages
}

// nonceKey returns the same key for the nonces 7 and "7".
func nonceKey(nonce json.RawMessage) string {
	var text string
	if json.Unmarshal(nonce, &text) == nil {
		return text
	}
	return string(nonce)
}

// maxInteractions returns how many interactions Options.Keep allows.
func (s *Sandbox) maxInteractions() int { return s.o.Keep * len(s.o.World.Channels) }

// trimMessages removes the oldest messages of a channel that exceed
// Options.Keep.
func (s *Sandbox) trimMessages(channelID string) {
	list := s.messages[channelID]
	if s.o.Keep <= 0 || len(list) <= s.o.Keep {
		return
	}
	// A tenth at a time, so that not every new message copies the list.
	n := len(list) - s.o.Keep + s.o.Keep/10
	for _, m := range list[:n] {
		s.discard(m)
		if key := nonceKey(m.Msg.Nonce); s.nonces[key] == m {
			delete(s.nonces, key)
		}
	}
	s.messages[channelID] = slices.Clone(list[n:])
}

func (m *storedMessage) visibleTo(userID string) bool { return m.Viewer == "" || m.Viewer == userID }

func (m *storedMessage) empty() bool {
	return m.Msg.Content == "" && len(m.Msg.Embeds) == 0 && len(m.Files) == 0 && len(m.Msg.Components) == 0 && m.Msg.Snapshots == nil
}

func (m *storedMessage) v2() bool { return m.Msg.Flags&api.FlagComponentsV2 != 0 }

// botView returns the message as a bot gets it. The copy shares only values
// that are never changed in place: components and embeds are replaced as a
// whole.
func (p *storedMessage) botView() api.Message {
	m := p.pageView()
	m.Reactions = p.reactionObjects(false)
	return m
}

func (p *storedMessage) pageView() api.Message {
	m := p.Msg
	m.Reactions = p.reactionObjects(true)
	m.Attachments = []api.Attachment{}
	for _, f := range p.Files {
		if !f.Embedded && !p.v2() {
			m.Attachments = append(m.Attachments, f.Attachment)
		}
	}
	m.Mentions = slices.Clone(m.Mentions)
	return m
}

func (s *Sandbox) visibleMessages(userID, channelID string) []api.Message {
	out := []api.Message{}
	for _, m := range s.messages[channelID] {
		if m.visibleTo(userID) {
			out = append(out, m.pageView())
		}
	}
	return out
}

// Attachment returns an attachment of a message that still has it, by the
// attachment's id.
func (s *Sandbox) Attachment(id string) (api.File, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[id]
	if !ok {
		return api.File{}, false
	}
	return api.File{Filename: f.Filename, Data: slices.Clone(f.Data)}, true
}

// unreadState is what a user has not read in a channel.
type unreadState struct {
	notifications int  // in total
	Mentions      int  // notifications since the channel was last read
	Unread        bool // anything new since then
}

var (
	userMention = regexp.MustCompile(`<@!?(\d{1,20})>`)
	everyone    = regexp.MustCompile(`@(everyone|here)\b`)
	codeBlock   = regexp.MustCompile("(?s)```.*?```")
	codeSpan    = regexp.MustCompile("(?s)``.+?``|`[^`]+`")
)

// mentionsIn returns the users that a text mentions and whether it mentions
// everyone. Mentions in code do not count.
func mentionsIn(text string) (users []string, all bool) {
	text = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, " "), " ")
	for _, m := range userMention.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(users, m[1]) {
			users = append(users, m[1])
		}
	}
	return users, everyone.MatchString(text)
}

// mentionText returns the text of a message in which mentions count: its
// content and its text displays, but not its embeds.
func mentionText(m *api.Message) string {
	parts := []string{m.Content}
	api.WalkAll(m.Components, func(c api.Component) {
		if c.Type == api.ComponentTextDisplay {
			parts = append(parts, c.Content)
		}
	})
	return strings.Join(parts, "\n")
}

// setMentions sets a message's mentions: those in its text and the author of
// the message that it replies to, as far as they are allowed and exist.
// Mentioning everyone needs the permission.
func (s *Sandbox) setMentions(m *api.Message, allowed api.AllowedMentions) {
	users, all := mentionsIn(mentionText(m))
	m.Mentions = []api.User{}
	m.MentionEveryone = all && allowed.Everyone && s.may(m.ChannelID, m.Author.ID, api.PermissionMentionEveryone)
	for _, id := range users {
		if u, ok := s.userByID(id); ok && (allowed.ParseUsers || slices.Contains(allowed.Users, id)) {
			m.Mentions = append(m.Mentions, u)
		}
	}
	if ref := m.ReferencedMessage; ref != nil && m.Type == api.MessageReply && allowed.RepliedUser && m.InteractionMetadata == nil {
		if !slices.ContainsFunc(m.Mentions, func(u api.User) bool { return u.ID == ref.Author.ID }) {
			m.Mentions = append(m.Mentions, ref.Author)
		}
	}
}

// notify updates the unread states for a new message. Only new messages
// notify: no edit does, neither the edit of a deferral nor a response of type
// 7 (discord-api-docs #5497). A direct message notifies the other user,
// another message the users it mentions. With the flag SUPPRESS_NOTIFICATIONS
// it notifies nobody but counts as unread. A thread is unread for its members
// only.
func (s *Sandbox) notify(p *storedMessage) {
	ch := s.channels[p.Msg.ChannelID]
	if p.Viewer != "" || ch == nil {
		return
	}
	for _, u := range s.o.World.Users {
		if u.ID == p.Msg.Author.ID || !s.may(ch.ID, u.ID, 0) {
			continue
		}
		m := s.unreadOf(u.ID, ch.ID)
		mentioned := p.Msg.MentionEveryone || slices.ContainsFunc(p.Msg.Mentions, func(x api.User) bool { return x.ID == u.ID })
		if ch.Thread != nil {
			if _, member := ch.Thread.member(u.ID); !member && !mentioned {
				continue
			}
		}
		if mentioned || ch.Type == api.ChannelDM {
			m.Mentions++
		}
		if (mentioned || ch.Type == api.ChannelDM) && p.Msg.Flags&api.FlagSuppressNotifications == 0 {
			m.notifications++
			s.notifications = append(s.notifications, Notification{u.ID, ch.ID, p.Msg.ID})
			if s.o.Keep > 0 && len(s.notifications) > 2*s.maxInteractions() {
				s.notifications = slices.Clone(s.notifications[s.maxInteractions():])
			}
		}
		m.Unread = true
		s.emitUnread(u.ID, ch.ID)
	}
}

func (s *Sandbox) unreadOf(userID, channelID string) *unreadState {
	key := [2]string{userID, channelID}
	if s.unread[key] == nil {
		s.unread[key] = &unreadState{}
	}
	return s.unread[key]
}
