package gateway

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/klauspost/compress/zstd"

	"castellan/bot/sandbox/internal/fault"
)

// Limits of a connection ("Gateway", rate limiting and payload size).
const (
	maxPayload   = 4096
	maxEvents    = 120 // a minute
	writeTimeout = 10 * time.Second
)

// frame is one gateway message.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type *string         `json:"t"`
}

// conn is a websocket with a queue of frames. A goroutine writes them, so that
// callers never wait for the network.
type conn struct {
	ws      *websocket.Conn
	stream  string         // "zlib-stream" or "zstd-stream", or ""
	address string         // of the client
	version int            // of the API, 9 or 10
	encoder encoder        // used by write alone
	fault   *fault.Planned // planned for the connection; guarded by the sandbox's lock

	silent     atomic.Bool // neither reads nor writes, but stays open
	compressed atomic.Bool // compresses each large payload by itself

	mu     sync.Mutex
	queue  [][]byte
	wake   chan struct{}
	closed bool
	code   int
	reason string
}

func (c *conn) push(op int, data any) {
	d, _ := json.Marshal(data) // the gateway's own values always marshal
	raw, _ := json.Marshal(frame{Op: op, Data: d})
	c.send(raw)
}

func (c *conn) send(raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.silent.Load() {
		return
	}
	c.queue = append(c.queue, raw)
	c.signal()
}

// close queues the end of the connection with a close code. It returns false,
// for handlers that report whether the connection stays open.
func (c *conn) close(code int, reason string) (open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed, c.code, c.reason = true, code, reason
		c.signal()
	}
	return false
}

func (c *conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends the queue until the connection is closed.
func (c *conn) write() {
	defer c.ws.Close()
	for range c.wake {
		c.mu.Lock()
		queue, closed := c.queue, c.closed
		c.queue = nil
		c.mu.Unlock()
		for _, raw := range queue {
			encode := c.encoder.encode
			if c.compressed.Load() {
				encode = compressOne
			}
			kind, data, err := encode(raw)
			// In real time, because the connection is real.
			if err != nil || c.ws.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil || c.ws.WriteMessage(kind, data) != nil {
				return
			}
		}
		if closed {
			msg := websocket.FormatCloseMessage(c.code, c.reason)
			_ = c.ws.WriteControl(websocket.CloseMessage, msg, time.Now().Add(time.Second)) // the peer may be gone
			return
		}
	}
}

// minCompressed is the length in bytes from which a payload is compressed if
// the client has asked for payload compression.
const minCompressed = 1024

// encoder turns payloads into websocket messages.
type encoder interface {
	encode(raw []byte) (kind int, data []byte, err error)
}

// plainEncoder sends text.
type plainEncoder struct{}

func (plainEncoder) encode(raw []byte) (int, []byte, error) { return websocket.TextMessage, raw, nil }

// zlibStreamEncoder compresses all payloads of a connection in one zlib stream,
// with a flush, 00 00 FF FF, after each ("Transport Compression").
type zlibStreamEncoder struct {
	out bytes.Buffer
	w   *zlib.Writer
}

func (z *zlibStreamEncoder) encode(raw []byte) (int, []byte, error) {
	if z.w == nil {
		z.w = zlib.NewWriter(&z.out)
	}
	z.out.Reset()
	_, err := z.w.Write(raw)
	if err := errors.Join(err, z.w.Flush()); err != nil {
		return 0, nil, fmt.Errorf("compress a payload: %w", err)
	}
	return websocket.BinaryMessage, bytes.Clone(z.out.Bytes()), nil
}

// zstdStreamEncoder compresses all payloads of a connection in one Zstandard
// stream, with a flush after each ("Transport Compression").
type zstdStreamEncoder struct {
	out bytes.Buffer
	w   *zstd.Encoder
}

func (z *zstdStreamEncoder) encode(raw []byte) (_ int, _ []byte, err error) {
	if z.w == nil {
		z.w, err = zstd.NewWriter(&z.out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<17))
		if err != nil {
			return 0, nil, fmt.Errorf("open a stream: %w", err)
		}
	}
	z.out.Reset()
	_, err = z.w.Write(raw)
	if err := errors.Join(err, z.w.Flush()); err != nil {
		return 0, nil, fmt.Errorf("compress a payload: %w", err)
	}
	return websocket.BinaryMessage, bytes.Clone(z.out.Bytes()), nil
}

// compressOne compresses one payload by itself ("Payload Compression").
func compressOne(raw []byte) (int, []byte, error) {
	if len(raw) < minCompressed {
		return plainEncoder{}.encode(raw)
	}
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, err := w.Write(raw)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, nil, fmt.Errorf("compress a payload: %w", err)
	}
	return websocket.BinaryMessage, out.Bytes(), nil
}

// newEncoder returns the encoder that a connection's query asks for, or the
// reason to close the connection, in at most 123 bytes.
func newEncoder(encoding, compress string) (encoder, string) {
	switch {
	case encoding == "etf":
		return nil, "The sandbox does not speak ETF: ask for encoding=json."
	case encoding != "" && encoding != "json":
		return nil, "There is no such encoding: ask for encoding=json."
	case compress == "":
		return plainEncoder{}, ""
	case compress == "zlib-stream":
		return &zlibStreamEncoder{}, ""
	case compress == "zstd-stream":
		return &zstdStreamEncoder{}, ""
	}
	return nil, "There is no such compression: ask for zlib-stream or zstd-stream, or for none."
}
