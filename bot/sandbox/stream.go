package sandbox

import (
	"encoding/json"
	"maps"
	"slices"

	"castellan/bot/sandbox/api"
)

// stream is a browser whose pages listen to the events of users. Events are
// queued; the request's own goroutine writes them.
type stream struct {
	users []string
	*api.Queue
}

// push queues an event, which must marshal, for those of the stream's users to
// whom it applies. Its field "to" lists them.
func (st *stream) push(event map[string]any, applies func(userID string) bool) {
	to := slices.DeleteFunc(slices.Clone(st.users), func(id string) bool { return !applies(id) })
	if len(to) == 0 {
		return
	}
	event = maps.Clone(event)
	event["to"] = to
	raw, err := json.Marshal(event)
	if err != nil {
		return // events always marshal
	}
	st.Push(raw)
}

func (s *Sandbox) emit(userID string, event map[string]any) {
	s.emitTo(event, func(id string) bool { return id == userID })
}

func (s *Sandbox) emitAll(event map[string]any) { s.emitTo(event, everybody) }

func everybody(string) bool { return true }

func (s *Sandbox) emitTo(event map[string]any, applies func(userID string) bool) {
	s.events++
	event["version"] = s.events
	for st := range s.streams {
		st.push(event, applies)
	}
}

func (s *Sandbox) emitVisible(m *storedMessage, event map[string]any) {
	s.emitTo(event, m.visibleTo)
}

func (s *Sandbox) emitMessage(m *storedMessage) {
	s.emitVisible(m, map[string]any{"type": "message", "channel_id": m.Msg.ChannelID, "message": m.pageView()})
}

func (s *Sandbox) emitUnread(userID, channelID string) {
	m := s.unreadOf(userID, channelID)
	s.emitAll(map[string]any{"type": "channel", "user_id": userID, "channel_id": channelID, "mentions": m.Mentions, "unread": m.Unread})
}

func (s *Sandbox) subscribe(users ...string) *stream {
	st := &stream{users, api.NewQueue()}
	st.push(map[string]any{"type": "hello", "version": s.events}, everybody)
	s.streams[st] = true
	return st
}

func (s *Sandbox) unsubscribe(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, st)
}
