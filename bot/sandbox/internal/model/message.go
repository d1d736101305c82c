package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/gateway"
	"castellan/bot/sandbox/internal/payload"
)

// StoredMessage is a message as the sandbox stores it.
type StoredMessage struct {
	Msg       api.Message
	Created   time.Time
	Viewer    string                // the only user who sees an ephemeral message; "" means everybody
	Files     []*payload.StoredFile // all attachments, also those not in `attachments`
	PinnedAt  time.Time
	Votes     map[int][]string // users by answer of the poll
	reactions []reaction
	bot       string // the bot's id
	now       func() time.Time
	Deferral  bool // a type 5 response that has not been edited yet
}

// Remove deletes a message. It takes the lock.
func (s *Model) Remove(channelID, messageID string) error {
	s.Lock()
	defer s.Unlock()
	m := s.FindMessage(channelID, messageID)
	if m == nil {
		return fmt.Errorf("there is no message %s in the channel", messageID)
	}
	s.RemoveMessage(m)
	return nil
}

// discard removes the files of a deleted message, and ends the deferral that
// it showed.
func (s *Model) discard(m *StoredMessage) {
	s.ReplaceFiles(m.Files, nil)
	if !m.Deferral {
		return
	}
	for _, i := range s.interactions {
		if i.Original == m && i.State == StateDeferred {
			s.SetState(i, StateAnswered)
		}
	}
}

// maxUploads is how many files that people have uploaded and not sent in a
// message are kept.
const maxUploads = 100

// Upload stores a file for an option, a modal or a message of the person, and
// returns its id. It fails if the file is too large.
func (p *Person) Upload(filename string, data []byte) (id string, err error) {
	s := p.s
	s.Lock()
	defer s.Unlock()
	if err := p.Exists(); err != nil {
		return "", err
	}
	if len(data) > api.MaxUpload {
		return "", fmt.Errorf("a file may have %d MiB", api.MaxUpload>>20)
	}
	f := payload.NewFile(s.IDs.Next(), s.URL, s.World.Application.ID, api.File{Filename: filename, Data: data}, true)
	s.Files[f.ID] = f
	s.uploads = append(s.uploads, f.ID)
	if len(s.uploads) > maxUploads {
		delete(s.Files, s.uploads[0])
		s.uploads = s.uploads[1:]
	}
	return f.ID, nil
}

// addFile adds an uploaded file, which must be of one of the types if there are
// any: "audio", "image", "video" or an extension.
func (s *Model) addFile(e *entities, id string, types []string) error {
	f := s.Files[id]
	if f == nil || !f.Ephemeral {
		return fmt.Errorf("there is no file %q", id)
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool {
		return strings.HasPrefix(f.ContentType, t+"/") || strings.HasSuffix(strings.ToLower(f.Filename), strings.ToLower(t))
	}) {
		return fmt.Errorf("%s is not a file of the types %s", f.Filename, strings.Join(types, ", "))
	}
	e.files = append(e.files, f)
	return nil
}

// PublicMessages returns the messages that everybody in a channel sees.
func PublicMessages(list []*StoredMessage) []*StoredMessage {
	return slices.DeleteFunc(slices.Clone(list), func(m *StoredMessage) bool { return m.Viewer != "" })
}

// FindMessage returns a message, nil if there is none.
func (s *Model) FindMessage(channelID, messageID string) *StoredMessage {
	list := s.Messages[channelID]
	i, ok := slices.BinarySearchFunc(list, messageID, func(m *StoredMessage, id string) int { return api.CompareIDs(m.Msg.ID, id) })
	if !ok {
		return nil
	}
	return list[i]
}

// Publish gives a new message an id unless it has one, appends it to its channel
// and notifies the users that it mentions.
func (s *Model) Publish(m *StoredMessage) {
	m.Msg.ID = cmp.Or(m.Msg.ID, s.IDs.Next())
	s.countThreadMessage(m)
	s.Messages[m.Msg.ChannelID] = append(s.Messages[m.Msg.ChannelID], m)
	s.trimMessages(m.Msg.ChannelID)
	s.ReplaceFiles(nil, m.Files)
	s.emitMessage(m)
	s.notify(m)
	s.dispatchMessage("MESSAGE_CREATE", m)
	s.wake()
}

// AnnounceEdit sends an edited message to the bot and the pages. Edits notify
// nobody.
func (s *Model) AnnounceEdit(m *StoredMessage) {
	s.emitMessage(m)
	s.dispatchMessage("MESSAGE_UPDATE", m)
	s.wake()
}

// maxGone is how many bytes of files that no message has any more are served.
const maxGone = 8 << 20

// ReplaceFiles replaces a message's files. The latest of the old files are served
// for a while longer, as Discord's CDN does, because a page may be about to show
// them.
func (s *Model) ReplaceFiles(old, files []*payload.StoredFile) {
	for _, f := range old {
		if !slices.ContainsFunc(files, func(kept *payload.StoredFile) bool { return kept.ID == f.ID }) {
			delete(s.Files, f.ID)
			s.gone = append(s.gone, f)
		}
	}
	for _, f := range files {
		s.Files[f.ID] = f
	}
	size := 0
	for i, f := range slices.Backward(s.gone) {
		if size += len(f.Data); size > maxGone {
			s.gone = slices.Delete(s.gone, 0, i+1)
			break
		}
	}
}

// ServedFile returns the file at the address of an attachment, nil if there is
// none.
func (s *Model) ServedFile(id, filename string) *payload.StoredFile {
	f := s.Files[id]
	if i := slices.IndexFunc(s.gone, func(f *payload.StoredFile) bool { return f.ID == id }); f == nil && i >= 0 {
		f = s.gone[i]
	}
	if f == nil || f.Filename != filename {
		return nil
	}
	return f
}

// RemoveMessage deletes a message.
func (s *Model) RemoveMessage(m *StoredMessage) {
	ch := s.takeMessage(m)
	if m.Viewer == "" && ch != nil {
		s.dispatchRemoval(ch, "MESSAGE_DELETE", map[string]any{"id": m.Msg.ID})
	}
	s.wake()
}

// RemoveMessages deletes messages of a channel at once.
func (s *Model) RemoveMessages(ch *Channel, list []*StoredMessage) {
	ids := []string{}
	for _, m := range list {
		s.takeMessage(m)
		ids = append(ids, m.Msg.ID)
	}
	if len(ids) > 0 {
		s.dispatchRemoval(ch, "MESSAGE_DELETE_BULK", map[string]any{"ids": ids})
	}
	s.wake()
}

// dispatchRemoval sends an event about deleted messages if the bot can see the
// channel.
func (s *Model) dispatchRemoval(ch *Channel, kind string, data map[string]any) {
	data["channel_id"] = ch.ID
	if ch.Guild != nil {
		data["guild_id"] = ch.Guild.ID
	}
	if s.May(ch.ID, s.World.Application.ID, 0) {
		s.dispatch(ch.Guild, messageIntent(ch), kind, data)
	}
}

// takeMessage removes a message from its channel, which it returns.
func (s *Model) takeMessage(m *StoredMessage) *Channel {
	list := s.Messages[m.Msg.ChannelID]
	s.Messages[m.Msg.ChannelID] = slices.DeleteFunc(slices.Clone(list), func(x *StoredMessage) bool { return x == m })
	s.discard(m)
	s.emitVisible(m, map[string]any{"type": "message_delete", "channel_id": m.Msg.ChannelID, "id": m.Msg.ID})
	ch := s.Channels[m.Msg.ChannelID]
	if m.Viewer == "" && ch != nil && ch.Thread != nil && ch.Thread.messageCount > 0 {
		ch.Thread.messageCount--
		s.updateStarter(ch, s.emitMessage)
	}
	return ch
}

// dispatchMessage sends a message event to the sessions with the intent.
// Without the message content intent a bot sees the content of its own
// messages and of those that mention it ("Message Content Intent").
func (s *Model) dispatchMessage(kind string, p *StoredMessage) {
	if p.Viewer != "" {
		return
	}
	me, ch := s.World.Application.ID, s.Channels[p.Msg.ChannelID]
	if !s.May(p.Msg.ChannelID, me, 0) {
		return
	}
	s.dispatchEach(ch.Guild, messageIntent(ch), kind, func(se *gateway.Session) any {
		m := p.BotView()
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
		}{Message: m, GuildID: ch.GuildID(), ChannelType: ch.Type}
		if ch.Guild != nil && s.IsMember(ch.Guild, m.Author.ID) {
			out.Member = s.Member(ch.Guild, m.Author.ID, false)
		}
		return out
	})
}

// messageIntent returns the intent for the messages of a channel.
func messageIntent(ch *Channel) int {
	if ch.Guild == nil {
		return api.IntentDirectMessages
	}
	return api.IntentGuildMessages
}

// NonceKey returns the same key for the nonces 7 and "7".
func NonceKey(nonce json.RawMessage) string {
	var text string
	if json.Unmarshal(nonce, &text) == nil {
		return text
	}
	return string(nonce)
}

// maxInteractions returns how many interactions Options.Keep allows.
func (s *Model) maxInteractions() int { return s.keep * len(s.World.Channels) }

// trimMessages removes the oldest messages of a channel that exceed
// Options.Keep.
func (s *Model) trimMessages(channelID string) {
	list := s.Messages[channelID]
	if s.keep <= 0 || len(list) <= s.keep {
		return
	}
	// A tenth at a time, so that not every new message copies the list.
	n := len(list) - s.keep + s.keep/10
	for _, m := range list[:n] {
		s.discard(m)
		if key := NonceKey(m.Msg.Nonce); s.Nonces[key] == m {
			delete(s.Nonces, key)
		}
	}
	s.Messages[channelID] = slices.Clone(list[n:])
}

func (m *StoredMessage) visibleTo(userID string) bool { return m.Viewer == "" || m.Viewer == userID }

// V2 reports whether the message uses components v2.
func (m *StoredMessage) V2() bool { return m.Msg.Flags&api.FlagComponentsV2 != 0 }

// BotView returns the message as a bot gets it. The copy shares only values
// that are never changed in place: components and embeds are replaced as a
// whole.
func (p *StoredMessage) BotView() api.Message {
	m := p.PageView()
	m.Reactions = p.reactionObjects(false)
	strip := func(meta *api.InteractionMetadata) *api.InteractionMetadata {
		if meta == nil {
			return nil
		}
		c := *meta
		c.CommandName = ""
		return &c
	}
	m.InteractionMetadata = strip(m.InteractionMetadata)
	if m.ReferencedMessage != nil {
		ref := *m.ReferencedMessage
		ref.InteractionMetadata = strip(ref.InteractionMetadata)
		m.ReferencedMessage = &ref
	}
	return m
}

// PageView returns the message as the page gets it.
func (p *StoredMessage) PageView() api.Message {
	m := p.Msg
	m.Reactions, m.Poll = p.reactionObjects(true), p.pollView(p.bot, p.now())
	m.Attachments = []api.Attachment{}
	for _, f := range p.Files {
		if !f.Embedded && !p.V2() {
			m.Attachments = append(m.Attachments, f.Attachment)
		}
	}
	m.Mentions = slices.Clone(m.Mentions)
	return m
}

// VisibleMessages lists the messages of a channel that a user sees.
func (s *Model) VisibleMessages(userID, channelID string) []api.Message {
	out := []api.Message{}
	for _, m := range s.Messages[channelID] {
		if m.visibleTo(userID) {
			out = append(out, m.PageView())
		}
	}
	return out
}

// Attachment returns an attachment with its data. It takes the lock.
func (s *Model) Attachment(id string) (api.File, bool) {
	s.Lock()
	defer s.Unlock()
	f, ok := s.Files[id]
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

// SetMentions sets a message's mentions: those in its text and the author of
// the message that it replies to, as far as they are allowed and exist.
// Mentioning everyone needs the permission.
func (s *Model) SetMentions(m *api.Message, allowed payload.AllowedMentions) {
	users, all := mentionsIn(mentionText(m))
	m.Mentions = []api.User{}
	m.MentionEveryone = all && allowed.Everyone && s.May(m.ChannelID, m.Author.ID, api.PermissionMentionEveryone)
	for _, id := range users {
		if u, ok := s.UserByID(id); ok && (allowed.ParseUsers || slices.Contains(allowed.Users, id)) {
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
func (s *Model) notify(p *StoredMessage) {
	ch := s.Channels[p.Msg.ChannelID]
	if p.Viewer != "" || ch == nil {
		return
	}
	for _, u := range s.World.Users {
		if u.ID == p.Msg.Author.ID || !s.May(ch.ID, u.ID, 0) {
			continue
		}
		m := s.UnreadOf(u.ID, ch.ID)
		mentioned := p.Msg.MentionEveryone || slices.ContainsFunc(p.Msg.Mentions, func(x api.User) bool { return x.ID == u.ID })
		if ch.Thread != nil {
			if _, member := ch.Thread.Member(u.ID); !member && !mentioned {
				continue
			}
		}
		if mentioned || ch.Type == api.ChannelDM {
			m.Mentions++
		}
		if (mentioned || ch.Type == api.ChannelDM) && p.Msg.Flags&api.FlagSuppressNotifications == 0 {
			m.notifications++
			s.notifications = append(s.notifications, Notification{u.ID, ch.ID, p.Msg.ID})
			if s.keep > 0 && len(s.notifications) > 2*s.maxInteractions() {
				s.notifications = slices.Clone(s.notifications[s.maxInteractions():])
			}
		}
		m.Unread = true
		s.emitUnread(u.ID, ch.ID)
	}
}

// UnreadOf returns a user's unread state of a channel.
func (s *Model) UnreadOf(userID, channelID string) *unreadState {
	key := [2]string{userID, channelID}
	if s.unread[key] == nil {
		s.unread[key] = &unreadState{}
	}
	return s.unread[key]
}
