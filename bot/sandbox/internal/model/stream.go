package model

import (
	"encoding/json"
	"sync"
)

// stream is a page that listens to a user's events. Events are queued; the
// request's own goroutine writes them.
type stream struct {
	user string

	mu    sync.Mutex
	queue [][]byte
	ended bool
	Wake  chan struct{}
}

// push queues an event, which must marshal.
func (st *stream) push(event map[string]any) {
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
	for st := range s.streams {
		if st.user == userID {
			st.push(event)
		}
	}
}

func (s *Model) emitAll(event map[string]any) {
	for st := range s.streams {
		st.push(event)
	}
}

// emitVisible sends an event to the users who see a message.
func (s *Model) emitVisible(m *StoredMessage, event map[string]any) {
	for st := range s.streams {
		if m.visibleTo(st.user) {
			st.push(event)
		}
	}
}

func (s *Model) emitMessage(m *StoredMessage) {
	s.emitVisible(m, map[string]any{"type": "message", "channel_id": m.Msg.ChannelID, "message": m.PageView()})
}

func (s *Model) emitUnread(userID, channelID string) {
	m := s.UnreadOf(userID, channelID)
	s.emit(userID, map[string]any{"type": "channel", "channel_id": channelID, "mentions": m.Mentions, "unread": m.Unread})
}

// Subscribe adds a stream for a user's events. The first one brings the user
// online.
func (s *Model) Subscribe(userID string) *stream {
	st := &stream{user: userID, Wake: make(chan struct{}, 1)}
	st.push(map[string]any{"type": "hello"})
	was := s.watching(userID)
	s.streams[st] = true
	if !was {
		s.announcePresence(userID, presence{status: "online"})
	}
	return st
}

// Unsubscribe removes a stream. It takes the lock.
func (s *Model) Unsubscribe(st *stream) {
	s.Lock()
	defer s.Unlock()
	delete(s.streams, st)
	if !s.watching(st.user) && !s.Closed {
		s.announcePresence(st.user, presence{status: "offline"})
	}
}
