package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes ("Opcodes and Status Codes", Gateway Opcodes).
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

const (
	// maxFrame bounds what Discord may send at once. The largest event is a
	// server with all its channels, of some megabytes.
	maxFrame = 32 << 20
	// writeWithin guards the writes to a connection whose other end has gone.
	writeWithin = 10 * time.Second
)

// frame is a message of the gateway.
type frame struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence int64           `json:"s,omitempty"`
	Type     string          `json:"t,omitempty"`
}

// line connects a discordgo session to Discord. Frames are copied both ways,
// except those that discordgo cannot take.
type line struct {
	out  *websocket.Conn // to Discord
	kind Kind            // how the session is meant to begin

	hello chan time.Duration // receives the heartbeat interval once
	acks  chan struct{}      // holds a token when a heartbeat was acknowledged
	done  chan struct{}      // closed when the line is dead
	gone  chan struct{}      // closed when Discord has been told, if it could be

	mu         sync.Mutex
	in         net.Conn // our end of the pipe, once discordgo has dialled
	why        error    // set before done is closed
	unanswered bool     // a heartbeat has not been acknowledged
	sequence   int64    // of the last event that came

	write sync.Mutex // one frame at a time to Discord
}

// newLine is a line on a connection to Discord, of a session that begins anew
// or after the event of that number.
func newLine(out *websocket.Conn, kind Kind, sequence int64) *line {
	out.SetReadLimit(maxFrame)
	// Discord's close is the end; discordgo's answer to it is not needed.
	out.SetCloseHandler(func(int, string) error { return nil })
	return &line{
		out: out, kind: kind, sequence: sequence,
		hello: make(chan time.Duration, 1), acks: make(chan struct{}, 1), done: make(chan struct{}), gone: make(chan struct{}),
	}
}

// dial gives discordgo its end of the line. Copying begins when discordgo has
// shaken hands on it.
func (l *line) dial() (net.Conn, error) {
	near, far := net.Pipe()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil || l.in != nil {
		near.Close()
		far.Close()
		return nil, errors.New("the line is taken, or dead")
	}
	l.in = near
	upgraded(near, func(in *websocket.Conn, err error) {
		if err != nil {
			l.end(fmt.Errorf("shaking hands with the library: %w", err))
			return
		}
		go l.fromLibrary(in)
		l.fromDiscord(in)
	})
	return far, nil
}

// end ends the line for a reason, unless it has ended before. Nothing waits:
// whoever reads or writes on it gets an error.
func (l *line) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why != nil {
		return
	}
	l.why = why
	close(l.done)
	if l.in != nil {
		l.in.Close()
	}
	code := closeToResume
	if errors.Is(why, errStopped) {
		code = websocket.CloseNormalClosure
	}
	// A courtesy, for which a write under way may make it wait a second: the
	// other end may have gone.
	go func() {
		defer close(l.gone)
		_ = l.out.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		l.out.Close()
	}()
}

// reason is why the line ended, once it has.
func (l *line) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.why
}

// fromDiscord copies what Discord sends until the line ends.
func (l *line) fromDiscord(in *websocket.Conn) {
	greeted, begun := false, false
	for {
		kind, raw, err := l.out.ReadMessage()
		if err != nil {
			l.end(err)
			return
		}
		var f *frame
		if err := json.Unmarshal(raw, &f); err != nil || f == nil {
			l.end(errUnreadable)
			return
		}
		if !greeted && f.Op != opHello && f.Op != opReconnect && f.Op != opInvalidSession {
			l.end(errOutOfOrder)
			return
		}
		pass := false
		switch f.Op {
		case opHello:
			pass = !greeted
			greeted = true
			l.greet(f.Data)
		case opDispatch:
			pass, begun = true, true
			l.count(f.Sequence)
		case opHeartbeatAck:
			// While discordgo opens a session it holds the lock that it takes
			// for an acknowledgement (bwmarrin/discordgo#513).
			pass = begun
			l.acknowledge()
		case opHeartbeat:
			l.beat()
		case opReconnect:
			// discordgo would close the session, for which it takes the lock
			// that it may hold (bwmarrin/discordgo#513).
			l.end(errReconnect)
			return
		case opInvalidSession:
			var again bool
			_ = json.Unmarshal(f.Data, &again) // anything else means no
			if again {
				l.end(errInvalidNow)
			} else {
				l.end(errInvalid)
			}
			return
		}
		if !pass {
			continue
		}
		if err := in.WriteMessage(kind, raw); err != nil {
			l.end(errLeft)
			return
		}
	}
}

// fromLibrary copies what discordgo sends until the line ends. A close of its
// own is not passed on: it would end the session for good.
func (l *line) fromLibrary(in *websocket.Conn) {
	for {
		kind, raw, err := in.ReadMessage()
		if err != nil {
			l.end(errLeft)
			return
		}
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			l.end(errLeft)
			return
		}
		switch {
		case f.Op == opIdentify && l.kind != Identified, f.Op == opResume && l.kind != Resumed:
			l.end(errNotAsMeant)
			return
		case f.Op == opHeartbeat && !l.expectAck():
			l.end(errUnanswered)
			return
		}
		if err := l.send(kind, raw); err != nil {
			l.end(err)
			return
		}
	}
}

// greet notes the heartbeat interval of a hello.
func (l *line) greet(data json.RawMessage) {
	var h struct {
		Interval int64 `json:"heartbeat_interval"` // milliseconds
	}
	if json.Unmarshal(data, &h) != nil || h.Interval <= 0 {
		l.end(errUnreadable)
		return
	}
	select {
	case l.hello <- time.Duration(h.Interval) * time.Millisecond:
	default: // a second hello changes nothing
	}
}

// expectAck notes that a heartbeat is sent. It reports false where the one
// before was not acknowledged: such a connection is dead ("Gateway", Sending
// Heartbeats).
func (l *line) expectAck() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.unanswered
	l.unanswered = true
	return !was
}

func (l *line) acknowledge() {
	l.mu.Lock()
	l.unanswered = false
	l.mu.Unlock()
	select {
	case l.acks <- struct{}{}:
	default:
	}
}

// beat answers Discord's own heartbeat, also while the session is opened, when
// discordgo would take it for the first event.
func (l *line) beat() {
	l.mu.Lock()
	last := []byte("null") // where no event has come
	if l.sequence > 0 {
		last = strconv.AppendInt(nil, l.sequence, 10)
	}
	l.mu.Unlock()
	if err := l.send(websocket.TextMessage, fmt.Appendf(nil, `{"op":%d,"d":%s}`, opHeartbeat, last)); err != nil {
		l.end(err)
	}
}

func (l *line) count(sequence int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sequence = max(l.sequence, sequence)
}

func (l *line) send(kind int, raw []byte) error {
	l.write.Lock()
	defer l.write.Unlock()
	// A real deadline: it guards a real connection.
	if err := l.out.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return err
	}
	return l.out.WriteMessage(kind, raw)
}

// upgraded serves the other end of a websocket on a connection: do is called,
// on a goroutine of its own, when the hands are shaken.
func upgraded(c net.Conn, do func(*websocket.Conn, error)) {
	server := &http.Server{
		ReadHeaderTimeout: openWithin,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var up websocket.Upgrader
			do(up.Upgrade(w, r, nil))
		}),
	}
	// It ends at once, for there is no second connection.
	go func() { _ = server.Serve(&single{c: c}) }()
}

// single is a listener that accepts one connection.
type single struct {
	mu sync.Mutex
	c  net.Conn
}

func (s *single) Accept() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c == nil {
		return nil, net.ErrClosed
	}
	c := s.c
	s.c = nil
	return c, nil
}

func (s *single) Close() error { return nil }

func (s *single) Addr() net.Addr { return &net.UnixAddr{Name: "line", Net: "pipe"} }
