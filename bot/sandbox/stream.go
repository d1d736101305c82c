package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// streamPing is how often a quiet event stream is written to, so that a dead
// connection is noticed. Real time, like the gateway's heartbeat.
const streamPing = 20 * time.Second

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
func (s *Sandbox) emit(userID string, event map[string]any) {
	for st := range s.streams {
		if st.user == userID {
			st.push(event)
		}
	}
}

func (s *Sandbox) emitAll(event map[string]any) {
	for st := range s.streams {
		st.push(event)
	}
}

// emitVisible sends an event to those who see a message.
func (s *Sandbox) emitVisible(p *post, event map[string]any) {
	for st := range s.streams {
		if p.visibleTo(st.user) {
			st.push(event)
		}
	}
}

func (s *Sandbox) emitMessage(p *post) {
	s.emitVisible(p, map[string]any{"type": "message", "channel_id": p.msg.ChannelID, "message": p.pageView()})
}

func (s *Sandbox) emitUnread(userID, channelID string) {
	m := s.unreadOf(userID, channelID)
	s.emit(userID, map[string]any{"type": "channel", "channel_id": channelID, "mentions": m.mentions, "unread": m.unread})
}

// serveEvents is GET /sandbox/events: server-sent events for one user.
func (s *Sandbox) serveEvents(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	u, ok := s.userOrFirst(r.URL.Query().Get("user"))
	if !ok || s.closed {
		s.mu.Unlock()
		pageError(w, http.StatusNotFound, "there is no such user")
		return
	}
	st := &stream{user: u.ID, wake: make(chan struct{}, 1)}
	st.push(map[string]any{"type": "hello"})
	s.streams[st] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, st)
		s.mu.Unlock()
	}()

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	ping := time.NewTicker(streamPing)
	defer ping.Stop()
	for {
		queue, ended := st.take()
		for _, raw := range queue {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", raw); err != nil {
				return
			}
		}
		if out.Flush() != nil || ended {
			return
		}
		select {
		case <-st.wake:
		case <-ping.C:
			if _, err := fmt.Fprint(w, ": ping\n\n"); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
