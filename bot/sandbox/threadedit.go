package sandbox

import (
	"net/http"
	"slices"
	"strconv"
)

// editChannel is PATCH of a channel: of threads alone, since managing
// channels is not built.
func (s *restAPI) editChannel(c *call) (int, any, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return 0, nil, err
	}
	p := s.channels[c.param("channel_id")]
	if p.thread == nil {
		return 0, nil, notImplemented("editing channels other than threads")
	}
	edit, err := readThreadEdit(c.form)
	if err != nil {
		return 0, nil, err
	}
	if err := s.mayEditThread(p, s.world.Application.ID, edit); err != nil {
		return 0, nil, err
	}
	s.editThread(p, s.world.Application.ID, edit)
	return http.StatusOK, s.channelObject(p), nil
}

// threadEdit is what is to change of a thread; nil stays.
type threadEdit struct {
	name                        *string
	archived, locked, invitable *bool
	autoArchive, slowmode       *int
}

func readThreadEdit(form node) (threadEdit, error) {
	var e threadEdit
	if !form.isObject() {
		return e, form.err()
	}
	flag := func(key string) *bool {
		if n := form.field(key); n.isSet() {
			v := n.boolean()
			return &v
		}
		return nil
	}
	e.archived, e.locked, e.invitable = flag("archived"), flag("locked"), flag("invitable")
	if n := form.field("name"); n.isSet() {
		v := n.text(1, 100)
		e.name = &v
	}
	if n := form.field("auto_archive_duration"); n.isSet() {
		v := int(n.oneOf(autoArchive...))
		e.autoArchive = &v
	}
	if n := form.field("rate_limit_per_user"); n.isSet() {
		v := int(n.integer(0, 21600))
		e.slowmode = &v
	}
	return e, form.err()
}

// mayEditThread checks an edit ("Threads", "Editing & Deleting Threads", and
// "Modify Channel"): unarchiving alone needs the right to write there, the
// thread's own settings that to manage threads or to have started it, locking
// and slow mode that to manage threads. An archived thread must be unarchived
// by the same edit. Whether its creator may unarchive a locked one the pages
// say both ways; here it may not.
func (s *restAPI) mayEditThread(p *place, userID string, e threadEdit) error {
	t := p.thread
	manages := s.may(p.ID, userID, PermissionManageThreads)
	unarchives := e.archived != nil && !*e.archived
	others := e.name != nil || e.autoArchive != nil || e.invitable != nil || e.archived != nil && *e.archived
	switch {
	case (e.locked != nil || e.slowmode != nil) && !manages:
		return errMissingPermissions
	case others && !manages && (t.ownerID != userID || t.locked):
		return errMissingPermissions
	case unarchives && t.archived && !manages && (t.locked || !s.may(p.ID, userID, PermissionSendMessages)):
		return errMissingPermissions
	case t.archived && !unarchives && (e.name != nil || e.autoArchive != nil || e.invitable != nil || e.slowmode != nil || e.locked != nil):
		return errThreadArchived
	}
	return nil
}

func (s *restAPI) editThread(p *place, userID string, e threadEdit) {
	t := p.thread
	renamed := e.name != nil && *e.name != p.name
	if e.name != nil {
		p.name = *e.name
	}
	if e.archived != nil {
		s.setArchived(p, *e.archived)
	}
	if e.locked != nil {
		t.locked = *e.locked
	}
	if e.invitable != nil {
		t.invitable = *e.invitable
	}
	if e.autoArchive != nil && *e.autoArchive != t.autoArchive {
		t.autoArchive, t.archivedAt = *e.autoArchive, s.now()
	}
	if e.slowmode != nil {
		t.slowmode = *e.slowmode
	}
	if renamed {
		author, _ := s.userObject(userID)
		s.publish(s.systemMessage(p.ID, MessageNameChange, author, p.name))
	}
	s.announceThreadUpdate(p)
}

// deleteChannel deletes a thread, or ends direct messages, which does nothing
// that others see ("Delete/Close Channel").
func (s *restAPI) deleteChannel(c *call) (int, any, error) {
	if err := s.botMay(c.param("channel_id"), 0); err != nil {
		return 0, nil, err
	}
	p := s.channels[c.param("channel_id")]
	object := s.channelObject(p)
	switch {
	case p.Type == ChannelDM:
		return http.StatusOK, object, nil
	case p.thread == nil:
		return 0, nil, notImplemented("deleting channels other than threads")
	}
	if err := s.botMay(p.ID, PermissionManageThreads); err != nil {
		return 0, nil, err
	}
	s.removeThread(p)
	return http.StatusOK, object, nil
}

func (s *restAPI) listActiveThreads(c *call) (int, any, error) {
	g, err := s.guildOf(c)
	if err != nil {
		return 0, nil, err
	}
	list := s.activeThreads(g)
	slices.Reverse(list) // "ordered by their id, in descending order"
	return http.StatusOK, s.threadList(list), nil
}

// listArchived lists archived threads of a channel, those that were archived
// last first.
func listArchived(kind int, joined bool) func(*restAPI, *call) (int, any, error) {
	return func(s *restAPI, c *call) (int, any, error) {
		if err := s.botMay(c.param("channel_id"), PermissionReadHistory); err != nil {
			return 0, nil, err
		}
		me := s.world.Application.ID
		if kind == ChannelPrivateThread && !joined {
			if err := s.botMay(c.param("channel_id"), PermissionManageThreads); err != nil {
				return 0, nil, err
			}
		}
		limit := 50
		if text := c.query("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 2 || n > 100 {
				return 0, nil, invalidField([]string{"limit"}, "NUMBER_TYPE_MAX", "int value should be between 2 and 100.")
			}
			limit = n
		}
		if c.query("before") != "" {
			return 0, nil, notImplemented("paging through archived threads by before")
		}
		list := s.threadsOf(func(p *place) bool {
			_, member := p.thread.member(me)
			return p.thread.parent.ID == c.param("channel_id") && p.Type == kind && p.thread.archived && (!joined || member)
		})
		slices.SortStableFunc(list, func(a, b *place) int { return b.thread.archivedAt.Compare(a.thread.archivedAt) })
		more := len(list) > limit
		out := s.threadList(list[:min(limit, len(list))])
		out["has_more"] = more
		return http.StatusOK, out, nil
	}
}

// threadList is a list of threads with the bot's memberships.
func (s *restAPI) threadList(list []*place) map[string]any {
	threads, members := []any{}, []any{}
	for _, p := range list {
		threads = append(threads, s.channelObject(p))
		if m, ok := p.thread.member(s.world.Application.ID); ok {
			members = append(members, threadMemberObject(p, m))
		}
	}
	return map[string]any{"threads": threads, "members": members}
}
