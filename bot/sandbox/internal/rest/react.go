package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"castellan/bot/sandbox/internal/api"
	"castellan/bot/sandbox/internal/model"
	"castellan/bot/sandbox/internal/payload"
)

func (s *API) triggerTyping(c *call) (int, any, error) {
	if err := s.BotMay(c.channel.ID, api.PermissionSendMessages); err != nil {
		return 0, nil, err
	}
	s.AnnounceTyping(c.channel, s.ApplicationID())
	return http.StatusNoContent, nil, nil
}

// emoji returns the emoji of a reaction's route.
func (c *call) emoji() (string, error) {
	if e := c.param("emoji_name"); model.IsEmoji(e) {
		return e, nil
	}
	return "", api.ErrUnknownEmoji
}

// mayReact checks what all routes of reactions need.
func (s *API) mayReact(c *call, permissions int64) (string, error) {
	emoji, err := c.emoji()
	if err != nil {
		return "", err
	}
	if c.channel.Thread != nil && c.channel.Thread.Archived {
		return "", api.ErrThreadArchived
	}
	return emoji, s.BotMay(c.channel.ID, permissions)
}

func (s *API) addReaction(c *call) (int, any, error) {
	emoji, err := s.mayReact(c, api.PermissionReadHistory)
	if err == nil {
		err = s.React(c.message, s.ApplicationID(), emoji)
	}
	return http.StatusNoContent, nil, err
}

// removeReaction removes the bot's reaction or another user's.
func (s *API) removeReaction(c *call) (int, any, error) {
	need := int64(0)
	if c.param("user_id") != "" {
		need = api.PermissionManageMessages
	}
	emoji, err := s.mayReact(c, need)
	if err == nil {
		s.Unreact(c.message, s.memberParam(c), emoji)
	}
	return http.StatusNoContent, nil, err
}

// clearReactions removes all reactions, or those with an emoji.
func (s *API) clearReactions(c *call) (int, any, error) {
	emoji := ""
	if c.param("emoji_name") != "" {
		var err error
		if emoji, err = c.emoji(); err != nil {
			return 0, nil, err
		}
	}
	if err := s.BotMay(c.channel.ID, api.PermissionManageMessages); err != nil {
		return 0, nil, err
	}
	s.ClearReactions(c.message, emoji)
	return http.StatusNoContent, nil, nil
}

// users returns some of a list of users, in the order of their ids.
func (s *API) users(c *call, ids []string) []api.User {
	ids = slices.SortedFunc(slices.Values(ids), api.CompareIDs)
	out := []api.User{}
	for _, id := range ids {
		if u, ok := s.UserByID(id); ok && len(out) < c.limit(25) && api.CompareIDs(id, cmp.Or(c.query("after"), "0")) > 0 {
			out = append(out, u)
		}
	}
	return out
}

func (s *API) listReactions(c *call) (int, any, error) {
	emoji, err := c.emoji()
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, s.users(c, c.message.ReactedBy(emoji)), nil
}

// listPins lists the pins on pages; the older route lists all messages.
func (s *API) listPins(c *call) (int, any, error) {
	if err := cmp.Or(s.mayRead(c.channel), s.BotMay(c.channel.ID, api.PermissionReadHistory)); err != nil {
		return 0, nil, err
	}
	before, err := time.Parse(time.RFC3339, c.query("before"))
	items := []any{}
	more := false
	for _, m := range s.Pins(c.channel.ID) {
		switch {
		case err == nil && !m.PinnedAt.Before(before):
		case len(items) == c.limit(50):
			more = true
		default:
			items = append(items, map[string]any{"pinned_at": api.FormatTime(m.PinnedAt), "message": m.BotView()})
		}
	}
	return http.StatusOK, map[string]any{"items": items, "has_more": more}, nil
}

func (s *API) listPinsOld(c *call) (int, any, error) {
	out := []api.Message{}
	for _, m := range s.Pins(c.channel.ID) {
		out = append(out, m.BotView())
	}
	return http.StatusOK, out, nil
}

// setPinned returns a handler that pins or unpins a message. Since February
// 2026 it needs a permission of its own ("Pin Message").
func setPinned(pinned bool) func(*API, *call) (int, any, error) {
	return func(s *API, c *call) (int, any, error) {
		if c.channel.Guild != nil {
			if err := s.BotMay(c.channel.ID, api.PermissionPinMessages); err != nil {
				return 0, nil, err
			}
		}
		return http.StatusNoContent, nil, s.SetPinned(c.message, pinned, s.ApplicationID())
	}
}

// bulkDelete deletes messages that are less than two weeks old ("Bulk Delete
// Messages"). Unknown ones are ignored.
func (s *API) bulkDelete(c *call) (int, any, error) {
	var form struct {
		Messages []payload.Text `json:"messages"`
	}
	if err := c.form.Decode(&form); err != nil {
		return 0, nil, err
	}
	if c.channel.Guild == nil {
		return 0, nil, api.ErrChannelType
	}
	if err := s.BotMay(c.channel.ID, api.PermissionManageMessages); err != nil {
		return 0, nil, err
	}
	var list []*model.StoredMessage
	for _, id := range form.Messages {
		m := s.FindMessage(c.channel.ID, string(id))
		switch {
		case m == nil || m.Viewer != "":
			continue
		case s.Now().Sub(m.Created) > 14*24*time.Hour:
			return 0, nil, api.ErrTooOld
		}
		list = append(list, m)
	}
	s.RemoveMessages(c.channel, list)
	return http.StatusNoContent, nil, nil
}

// crosspost publishes a message of an announcement channel.
func (s *API) crosspost(c *call) (int, any, error) {
	m := c.message
	switch {
	case c.channel.Type != api.ChannelAnnouncement:
		return 0, nil, api.ErrChannelType
	case m.Msg.Flags&api.FlagCrossposted != 0:
		return 0, nil, api.ErrCrossposted
	}
	need := int64(api.PermissionSendMessages)
	if m.Msg.Author.ID != s.ApplicationID() {
		need = api.PermissionManageMessages
	}
	if err := s.BotMay(c.channel.ID, need); err != nil {
		return 0, nil, err
	}
	m.Msg.Flags |= api.FlagCrossposted
	s.AnnounceEdit(m)
	return http.StatusOK, m.BotView(), nil
}

// readPoll reads the poll of a new message ("Poll Create Request Object").
func (s *API) readPoll(n payload.Node) *api.Poll {
	if !n.IsSet() {
		return nil
	}
	var form struct {
		api.Poll
		Hours int `json:"duration"`
	}
	if n.Decode(&form) != nil {
		return nil // the form has reported it
	}
	p := form.Poll
	if p.Question.Text == "" {
		n.Field("question").Field("text").Required()
	}
	for i := range p.Answers {
		p.Answers[i].ID = i + 1
	}
	p.Layout = 1
	p.Expiry = api.FormatTime(s.Now().Add(time.Duration(cmp.Or(form.Hours, 24)) * time.Hour))
	return &p
}

func (s *API) endPoll(c *call) (int, any, error) {
	switch {
	case c.message.Msg.Poll == nil:
		return 0, nil, api.ErrNoPoll
	case c.message.Msg.Author.ID != s.ApplicationID():
		return 0, nil, api.ErrForeignMessage
	}
	s.EndPoll(c.message)
	return http.StatusOK, c.message.BotView(), nil
}

func (s *API) listVoters(c *call) (int, any, error) {
	answer, err := strconv.Atoi(c.param("answer_id"))
	if err != nil || c.message.Msg.Poll == nil {
		return 0, nil, api.ErrUnknownMessage
	}
	return http.StatusOK, map[string]any{"users": s.users(c, c.message.Votes[answer])}, nil
}
