package gateway

import (
	"bufio"
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
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

const (
	// maxFrame bounds the size of a frame from Discord. The largest event is a
	// guild with all its channels, of some megabytes.
	maxFrame = 32 << 20
	// writeTimeout bounds a write to Discord.
	writeTimeout = 10 * time.Second
)

// frame is a message of the gateway.
type frame struct {
	Op       int             `json:"op"`
	Data     json.RawMessage `json:"d"`
	Sequence int64           `json:"s"`
}

// conn connects a discordgo session to Discord. It copies frames both ways,
// except those that discordgo cannot take.
type conn struct {
	discord *websocket.Conn
	write   sync.Mutex // held while a frame is written to Discord

	acks   chan struct{} // receives when a heartbeat was acknowledged
	done   chan struct{} // closed when the connection has ended
	closed chan struct{} // closed when Discord has been told, if possible

	now        func() time.Time
	identified func()      // called when an identify has been sent
	valid      func() bool // see Assignment

	mu      sync.Mutex
	library net.Conn // our end of the pipe, once discordgo has dialled
	err     error    // why the connection ended; set before done is closed
	beats   heartbeats

	// Used by the goroutine that reads from Discord; interval is set before
	// any event is passed on.
	interval   time.Duration // between heartbeats; 0 before the hello
	dispatched bool          // an event has been passed on
	sequence   int64         // of the last event
}

// heartbeats counts the heartbeats of a connection, which Discord acknowledges in
// their order.
type heartbeats struct {
	sent, acked int
	last        time.Time     // when the last was sent
	latency     time.Duration // of the last acknowledgement
	drain       int           // the number of the heartbeat that drain sent; 0 if none
	drained     int64         // the number of the last event before its acknowledgement; -1 before that
}

// newConn returns a conn for a session whose last event had a sequence number.
func newConn(discord *websocket.Conn, sequence int64, now func() time.Time, identified func(), valid func() bool) *conn {
	discord.SetReadLimit(maxFrame)
	discord.SetCloseHandler(func(int, string) error { return nil }) // a close is not echoed
	return &conn{
		discord: discord, sequence: sequence, now: now, identified: identified, valid: valid, beats: heartbeats{drained: -1},
		acks: make(chan struct{}, 1), done: make(chan struct{}), closed: make(chan struct{}),
	}
}

// pipe returns discordgo's end of the pipe. Copying begins when discordgo has
// completed the websocket handshake on it.
func (c *conn) pipe() (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.library != nil {
		return nil, errors.New("the connection is in use or has ended")
	}
	near, far := net.Pipe()
	c.library = near
	go func() {
		library, err := acceptWebsocket(near)
		if err != nil {
			c.end(fmt.Errorf("websocket handshake with the library: %w", err))
			return
		}
		go c.copyFromLibrary(library)
		c.copyFromDiscord(library)
	}()
	return far, nil
}

// end ends the connection for a reason, unless it has ended before. It does not
// block; pending reads and writes fail.
func (c *conn) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = why
	close(c.done)
	if library := c.library; library != nil {
		// discordgo locks its session for a second when it finds the connection
		// closed. A heartbeat that it is sending gets the lock before that.
		time.AfterFunc(time.Millisecond, func() { library.Close() })
	}
	code := closeToResume
	if errors.Is(why, errStopped) {
		code = websocket.CloseNormalClosure
	}
	go func() {
		defer close(c.closed)
		_ = c.discord.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
		c.discord.Close()
	}()
}

func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// copyFromDiscord passes frames on to discordgo until the connection ends.
func (c *conn) copyFromDiscord(library *websocket.Conn) {
	for {
		kind, raw, err := c.discord.ReadMessage()
		if err != nil {
			c.end(err)
			return
		}
		var f *frame
		if json.Unmarshal(raw, &f) != nil || f == nil {
			c.end(errBadFrame)
			return
		}
		pass, err := c.receive(f)
		if err != nil {
			c.end(err)
			return
		}
		if pass && library.WriteMessage(kind, raw) != nil {
			c.end(errLibraryClosed)
			return
		}
	}
}

// receive reports whether a frame from Discord is to be passed on to discordgo.
// An error ends the connection.
func (c *conn) receive(f *frame) (pass bool, err error) {
	hello := c.interval > 0
	switch {
	case f.Op == opReconnect:
		return false, errReconnect
	case f.Op == opInvalidSession:
		var resumable bool
		_ = json.Unmarshal(f.Data, &resumable) // anything else means no
		if resumable {
			return false, errInvalidResumable
		}
		return false, errInvalidSession
	case f.Op == opHello && !hello:
		var h struct {
			Interval int64 `json:"heartbeat_interval"` // milliseconds
		}
		if json.Unmarshal(f.Data, &h) != nil || h.Interval <= 0 {
			return false, errBadFrame
		}
		c.interval = time.Duration(h.Interval) * time.Millisecond
		return true, nil
	case !hello:
		return false, errNoHello
	}
	switch f.Op {
	case opDispatch:
		c.dispatched, c.sequence = true, max(c.sequence, f.Sequence)
		return true, nil
	case opHeartbeatAck:
		c.countAck()
		select {
		case c.acks <- struct{}{}:
		default:
		}
		return c.dispatched, nil
	case opHeartbeat:
		return false, c.sendHeartbeat(c.sequence, false)
	}
	return false, nil
}

// sendHeartbeat sends a heartbeat with the number of the last event.
func (c *conn) sendHeartbeat(sequence int64, drain bool) error {
	last := "null" // before any event
	if sequence > 0 {
		last = strconv.FormatInt(sequence, 10)
	}
	c.write.Lock()
	defer c.write.Unlock()
	c.mu.Lock()
	c.beats.sent++
	c.beats.last = c.now()
	if drain {
		c.beats.drain = c.beats.sent
	}
	c.mu.Unlock()
	return c.sendLocked(websocket.TextMessage, fmt.Appendf(nil, `{"op":%d,"d":%s}`, opHeartbeat, last))
}

// countAck counts an acknowledgement.
func (c *conn) countAck() {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := &c.beats
	b.acked++
	if b.acked == b.sent {
		b.latency = c.now().Sub(b.last)
	}
	if b.drain > 0 && b.acked >= b.drain && b.drained < 0 {
		b.drained = c.sequence
	}
}

// acknowledgement returns the latency of the last acknowledgement, and the number
// of the last event before the acknowledgement of the heartbeat that was sent to
// drain the connection; -1 before that.
func (c *conn) acknowledgement() (latency time.Duration, drained int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.beats.latency, c.beats.drained
}

// copyFromLibrary passes frames on to Discord until the connection ends. A
// close of discordgo's own is not passed on: it would end the session for good.
func (c *conn) copyFromLibrary(library *websocket.Conn) {
	for {
		kind, raw, err := library.ReadMessage()
		if err != nil {
			c.end(errLibraryClosed)
			return
		}
		var f frame
		_ = json.Unmarshal(raw, &f)
		if f.Op == opHeartbeat {
			var sequence int64 // null means none
			_ = json.Unmarshal(f.Data, &sequence)
			err = c.sendHeartbeat(sequence, false)
		} else {
			err = c.send(kind, raw)
		}
		if f.Op == opIdentify {
			c.identified()
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

func (c *conn) send(kind int, raw []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	return c.sendLocked(kind, raw)
}

func (c *conn) sendLocked(kind int, raw []byte) error {
	if !c.valid() {
		return ErrHandOver
	}
	if err := c.discord.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return c.discord.WriteMessage(kind, raw)
}

// acceptWebsocket answers a client's websocket handshake on a connection.
func acceptWebsocket(c net.Conn) (*websocket.Conn, error) {
	buffer := bufio.NewReader(c)
	r, err := http.ReadRequest(buffer)
	if err != nil {
		return nil, err
	}
	var up websocket.Upgrader
	return up.Upgrade(&hijacker{c, bufio.NewReadWriter(buffer, bufio.NewWriter(c))}, r, nil)
}

// hijacker is an http.ResponseWriter that only gives up its connection; a
// refused handshake is not answered.
type hijacker struct {
	conn   net.Conn
	buffer *bufio.ReadWriter
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.conn, h.buffer, nil }

func (h *hijacker) Header() http.Header { return http.Header{} }

func (h *hijacker) Write(b []byte) (int, error) { return len(b), nil }

func (h *hijacker) WriteHeader(int) {}
