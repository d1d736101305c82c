package rest

import (
	"cmp"
	"net/http"
	"slices"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

// threadEdit are the changes of a thread; nil means unchanged.
type threadEdit struct {
	Name        *string `json:"name"`
	Archived    *bool   `json:"archived"`
	Locked      *bool   `json:"locked"`
	Invitable   *bool   `json:"invitable"`
	AutoArchive *int    `json:"auto_archive_duration"`
	Slowmode    *int    `json:"rate_limit_per_user"`
}

func (s *API) startThreadFromMessage(c *call) (int, any, error) {
	starter, parent := c.message, c.channel
	if !hasThreads(parent) {
		return 0, nil, api.ErrChannelType
	}
	if err := s.BotMay(parent.ID, api.PermissionPublicThreads); err != nil {
		return 0, nil, err
	}
	form := readThread(c.form)
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	if s.Channels[starter.Msg.ID] != nil {
		return 0, nil, api.ErrThreadExists
	}
	if err := s.RoomForThread(c.channel.Guild); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, s.ChannelObject(s.StartThreadFrom(starter, s.World.Application.ID, form)), nil
}

// hasThreads reports whether threads can be started from a channel's messages.
func hasThreads(ch *model.Channel) bool {
	return ch.Type == api.ChannelText || ch.Type == api.ChannelAnnouncement
}

// startThread starts a thread without a message, by default a private one
// ("Start Thread without Message").
func (s *API) startThread(c *call) (int, any, error) {
	parent := c.channel
	if parent.Type == api.ChannelForum {
		return s.startPost(c)
	}
	if parent.Type != api.ChannelText {
		return 0, nil, api.ErrChannelType
	}
	form := readThread(c.form)
	t := c.form.Field("type")
	kind := payload.Default(t, t.Integer(), api.ChannelPrivateThread)
	if err := c.form.Err(); err != nil {
		return 0, nil, err
	}
	need := int64(api.PermissionPrivateThreads)
	if kind == api.ChannelPublicThread {
		need = api.PermissionPublicThreads
	}
	if err := cmp.Or(s.BotMay(parent.ID, need), s.RoomForThread(parent.Guild)); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, s.ChannelObject(s.StartThreadIn(parent, kind, s.World.Application.ID, form)), nil
}

// startPost starts a thread in a forum channel with its first message, which
// has the same id ("Start Thread in Forum or Media Channel").
func (s *API) startPost(c *call) (int, any, error) {
	form, first := readThread(c.form), c.form.Field("message")
	if !first.Required() {
		return 0, nil, c.form.Err()
	}
	if err := cmp.Or(s.BotMay(c.channel.ID, messageNeeds(first, c.files)), s.RoomForThread(c.channel.Guild)); err != nil {
		return 0, nil, err
	}
	m, err := s.newMessage(first, c.files, c.channel.ID, createFlags)
	if err != nil {
		return 0, nil, err
	}
	ch := s.StartPost(c.channel, m, s.World.Application.ID, form)
	object := s.ChannelObject(ch)
	object["message"] = m.BotView()
	return http.StatusCreated, object, nil
}

func readThread(form payload.Node) model.ThreadOptions {
	return model.ThreadOptions{
		Name:        form.Field("name").Text(),
		AutoArchive: form.Field("auto_archive_duration").Integer(),
		Slowmode:    form.Field("rate_limit_per_user").Integer(),
		Invitable:   payload.Default(form.Field("invitable"), form.Field("invitable").Boolean(), true),
	}
}

// editChannel edits a thread or a channel of a guild.
func (s *API) editChannel(c *call) (int, any, error) {
	ch := c.channel
	if ch.Thread == nil {
		if ch.Guild == nil {
			return 0, nil, api.ErrChannelType
		}
		return s.editGuildChannel(c)
	}
	var edit threadEdit
	if err := c.form.Decode(&edit); err != nil {
		return 0, nil, err
	}
	if err := s.mayEditThread(ch, s.World.Application.ID, edit); err != nil {
		return 0, nil, err
	}
	if ch.Thread.Archived && edit.Archived != nil && !*edit.Archived {
		if err := s.RoomForThread(ch.Guild); err != nil {
			return 0, nil, err
		}
	}
	s.editThread(ch, s.World.Application.ID, edit)
	return http.StatusOK, s.ChannelObject(ch), nil
}

// mayEditThread checks the permission for an edit ("Threads", "Editing &
// Deleting Threads", and "Modify Channel"). Unarchiving needs permission to
// write. Other settings need permission to manage threads or to have started
// the thread; locking and slow mode need permission to manage threads. An edit
// of an archived thread must unarchive it. The pages contradict each other on
// whether its creator may unarchive a locked one; here they may not.
func (s *API) mayEditThread(ch *model.Channel, userID string, e threadEdit) error {
	t := ch.Thread
	manages := s.May(ch.ID, userID, api.PermissionManageThreads)
	unarchives := e.Archived != nil && !*e.Archived
	others := e.Name != nil || e.AutoArchive != nil || e.Invitable != nil || e.Archived != nil && *e.Archived
	switch {
	case (e.Locked != nil || e.Slowmode != nil) && !manages:
		return api.ErrMissingPermissions
	case others && !manages && (t.OwnerID != userID || t.Locked):
		return api.ErrMissingPermissions
	case unarchives && t.Archived && !manages && (t.Locked || !s.May(ch.ID, userID, api.PermissionSendMessages)):
		return api.ErrMissingPermissions
	case t.Archived && !unarchives && (e.Name != nil || e.AutoArchive != nil || e.Invitable != nil || e.Slowmode != nil || e.Locked != nil):
		return api.ErrThreadArchived
	}
	return nil
}

func (s *API) editThread(ch *model.Channel, userID string, e threadEdit) {
	t := ch.Thread
	renamed := e.Name != nil && *e.Name != ch.Name
	assign(&ch.Name, e.Name)
	if e.Archived != nil {
		s.SetArchived(ch, *e.Archived)
	}
	assign(&t.Locked, e.Locked)
	assign(&t.Invitable, e.Invitable)
	assign(&t.Slowmode, e.Slowmode)
	if e.AutoArchive != nil && *e.AutoArchive != t.AutoArchive {
		s.SetAutoArchive(ch, *e.AutoArchive)
	}
	if renamed {
		author, _ := s.UserByID(userID)
		s.Publish(s.NewMessage(ch.ID, api.MessageNameChange, author, ch.Name))
	}
	s.AnnounceThreadUpdate(ch)
}

// assign sets a variable unless the value is nil.
func assign[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// deleteChannel deletes a channel or thread, or closes direct messages, which has no
// visible effect ("Delete/Close Channel").
func (s *API) deleteChannel(c *call) (int, any, error) {
	ch := c.channel
	object := s.ChannelObject(ch)
	if ch.Type == api.ChannelDM {
		return http.StatusOK, object, nil
	}
	need := int64(api.PermissionManageChannels)
	if ch.Thread != nil {
		need = api.PermissionManageThreads
	}
	if err := s.BotMay(ch.ID, need); err != nil {
		return 0, nil, err
	}
	s.DropChannel(ch)
	return http.StatusOK, object, nil
}

func (s *API) listActiveThreads(c *call) (int, any, error) {
	list := s.ActiveThreads(c.guild)
	slices.Reverse(list) // "ordered by their id, in descending order"
	return http.StatusOK, s.threadList(list), nil
}

// listArchived returns a handler that lists archived threads of a channel, the
// latest archived first.
func listArchived(kind int, joined bool) func(*API, *call) (int, any, error) {
	return func(s *API, c *call) (int, any, error) {
		if err := s.BotMay(c.channel.ID, api.PermissionReadHistory); err != nil {
			return 0, nil, err
		}
		me := s.World.Application.ID
		if kind == api.ChannelPrivateThread && !joined {
			if err := s.BotMay(c.channel.ID, api.PermissionManageThreads); err != nil {
				return 0, nil, err
			}
		}
		limit := c.limit(50)
		if c.query("before") != "" {
			return 0, nil, api.NotBuilt("paging through archived threads by before")
		}
		list := s.ThreadsOf(func(ch *model.Channel) bool {
			_, member := ch.Thread.Member(me)
			return ch.Thread.Parent.ID == c.channel.ID && ch.Type == kind && ch.Thread.Archived && (!joined || member)
		})
		slices.SortStableFunc(list, func(a, b *model.Channel) int { return b.Thread.ArchivedAt.Compare(a.Thread.ArchivedAt) })
		out := s.threadList(list[:min(limit, len(list))])
		out["has_more"] = len(list) > limit
		return http.StatusOK, out, nil
	}
}

// threadList returns a list of threads with the bot's memberships.
func (s *API) threadList(list []*model.Channel) map[string]any {
	threads, members := []any{}, []any{}
	for _, ch := range list {
		threads = append(threads, s.ChannelObject(ch))
		if m, ok := ch.Thread.Member(s.World.Application.ID); ok {
			members = append(members, model.ThreadMemberObject(ch, m))
		}
	}
	return map[string]any{"threads": threads, "members": members, "has_more": false}
}

// memberParam returns the user of a route; "@me" is the bot.
func (s *API) memberParam(c *call) string {
	return cmp.Or(c.param("user_id"), s.World.Application.ID)
}

// joinThread adds a member; nobody can join an archived thread.
func (s *API) joinThread(c *call) (int, any, error) {
	ch := c.channel
	if ch.Thread.Archived {
		return 0, nil, api.ErrThreadArchived
	}
	id, by := s.memberParam(c), ""
	if id != s.World.Application.ID {
		by = s.World.Application.ID
		if err := s.BotMay(ch.ID, api.PermissionSendMessages); err != nil {
			return 0, nil, err
		}
		if !s.IsMember(ch.Guild, id) {
			return 0, nil, api.ErrUnknownUser
		}
	}
	s.AddThreadMember(ch, id, by)
	return http.StatusNoContent, nil, nil
}

func (s *API) leaveThread(c *call) (int, any, error) {
	ch := c.channel
	if ch.Thread.Archived {
		return 0, nil, api.ErrThreadArchived
	}
	id := s.memberParam(c)
	if id != s.World.Application.ID && !s.May(ch.ID, s.World.Application.ID, api.PermissionManageThreads) &&
		(ch.Type != api.ChannelPrivateThread || ch.Thread.OwnerID != s.World.Application.ID) {
		return 0, nil, api.ErrMissingPermissions
	}
	s.RemoveThreadMember(ch, id)
	return http.StatusNoContent, nil, nil
}

func (s *API) getThreadMember(c *call) (int, any, error) {
	m, ok := c.channel.Thread.Member(s.memberParam(c))
	if !ok {
		return 0, nil, api.ErrUnknownMember
	}
	return http.StatusOK, model.ThreadMemberObject(c.channel, m), nil
}

func (s *API) listThreadMembers(c *call) (int, any, error) {
	out := []any{}
	for _, m := range c.channel.Thread.Members {
		out = append(out, model.ThreadMemberObject(c.channel, m))
	}
	return http.StatusOK, out, nil
}
