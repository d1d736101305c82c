package model

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// stream is a browser whose pages listen to the events of users. Events are
// queued; the request's own goroutine writes them.
type stream struct {
	users []string

	mu    sync.Mutex
	queue [][]byte
	ended bool
	Wake  chan struct{}
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
	st.mu.Lock()
	st.queue = append(st.queue, raw)
	st.mu.Unlock()
	st.signal()
}

func (st *stream) end() {
	st.mu.Lock()
	st.ended = true
	st.mu.Unlock()
	st.signal()
}

func (st *stream) signal() {
	select {
	case st.Wake <- struct{}{}:
	default:
	}
}

// Take returns the queued events, and whether the stream has ended.
func (st *stream) Take() (queue [][]byte, ended bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	queue, st.queue = st.queue, nil
	return queue, st.ended
}

// emit sends an event to the pages of a user.
func (s *Model) emit(userID string, event map[string]any) {
	s.emitTo(event, func(id string) bool { return id == userID })
}

func (s *Model) emitAll(event map[string]any) { s.emitTo(event, everybody) }

func everybody(string) bool { return true }

func (s *Model) emitTo(event map[string]any, applies func(userID string) bool) {
	for st := range s.streams {
		st.push(event, applies)
	}
}

// emitVisible sends an event to the users who see a message.
func (s *Model) emitVisible(m *StoredMessage, event map[string]any) {
	s.emitTo(event, m.visibleTo)
}

func (s *Model) emitMessage(m *StoredMessage) {
	s.emitVisible(m, map[string]any{"type": "message", "channel_id": m.Msg.ChannelID, "message": m.PageView()})
}

func (s *Model) emitUnread(userID, channelID string) {
	m := s.UnreadOf(userID, channelID)
	s.emit(userID, map[string]any{"type": "channel", "channel_id": channelID, "mentions": m.Mentions, "unread": m.Unread})
}

// Subscribe adds a stream for the events of users. The first stream of a user
// brings them online.
func (s *Model) Subscribe(users ...string) *stream {
	st := &stream{users: users, Wake: make(chan struct{}, 1)}
	st.push(map[string]any{"type": "hello"}, everybody)
	fresh := slices.DeleteFunc(slices.Clone(users), s.watching)
	s.streams[st] = true
	for _, id := range fresh {
		s.announcePresence(id, presence{status: "online"})
	}
	return st
}

// Unsubscribe removes a stream. It takes the lock.
func (s *Model) Unsubscribe(st *stream) {
	s.Lock()
	defer s.Unlock()
	delete(s.streams, st)
	for _, id := range st.users {
		if !s.watching(id) && !s.Closed {
			s.announcePresence(id, presence{status: "offline"})
		}
	}
}
