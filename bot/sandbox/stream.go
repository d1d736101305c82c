package sandbox

import (
	"encoding/json"
	"sync"
)

// stream is one page that listens to a user's events. Events are queued and
// written by the request's own goroutine.
type stream struct {
	user string

	mu    sync.Mutex
	queue [][]byte
	ended bool
	wake  chan struct{}
}

// push queues an event. Anything that is pushed must marshal.
func (st *stream) push(event map[string]any) {
	raw, err := json.Marshal(event)
	if err != nil {
		return // plain maps of our own types marshal
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
	case st.wake <- struct{}{}:
	default:
	}
}

func (st *stream) take() (queue [][]byte, ended bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	queue, st.queue = st.queue, nil
	return queue, st.ended
}

// emit sends an event to the pages of one user. The caller holds the lock.
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

// emitVisible sends an event to those who see a message.
func (s *Model) emitVisible(p *post, event map[string]any) {
	for st := range s.streams {
		if p.visibleTo(st.user) {
			st.push(event)
		}
	}
}

func (s *Model) emitMessage(p *post) {
	s.emitVisible(p, map[string]any{"type": "message", "channel_id": p.msg.ChannelID, "message": p.pageView()})
}

func (s *Model) emitUnread(userID, channelID string) {
	m := s.unreadOf(userID, channelID)
	s.emit(userID, map[string]any{"type": "channel", "channel_id": channelID, "mentions": m.mentions, "unread": m.unread})
}

// subscribe adds a stream for a user's events.
func (s *Model) subscribe(userID string) *stream {
	st := &stream{user: userID, wake: make(chan struct{}, 1)}
	st.push(map[string]any{"type": "hello"})
	s.streams[st] = true
	return st
}

// unsubscribe removes a stream. It takes the lock.
func (s *Model) unsubscribe(st *stream) {
	s.Lock()
	defer s.Unlock()
	delete(s.streams, st)
}
