package gateway

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"github.com/klauspost/compress/zstd"

	"castellan/bot/sandbox/api"
	"castellan/bot/sandbox/faults"
)

// Limits of a connection ("Gateway", rate limiting and payload size).
const (
	maxPayload   = 4096
	maxEvents    = 120 // a minute
	writeTimeout = 10 * time.Second
)

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
	stream  string          // "zlib-stream" or "zstd-stream", or ""
	address string          // of the client
	version int             // of the API, 9 or 10
	encoder encoder         // used by write alone
	fault   *faults.Planned // planned for the connection; guarded by the sandbox's lock

	silent     atomic.Bool // neither reads nor writes, but stays open
	compressed atomic.Bool // compresses each large payload by itself

	queue *api.Queue
	end   atomic.Pointer[websocket.CloseError] // once the queue is closed
}

var errTooLarge = errors.New("the payload is too large")

// readPayload reads a text or binary message of at most maxPayload bytes. A limit of
// the websocket library would close with a code of its own.
func (c *conn) readPayload() ([]byte, error) {
	_, r, err := c.ws.NextReader()
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	if err == nil && len(raw) > maxPayload {
		err = errTooLarge
	}
	return raw, err
}

func (c *conn) push(op int, data any) {
	d, _ := json.Marshal(data) // the gateway's own values always marshal
	raw, _ := json.Marshal(frame{Op: op, Data: d})
	c.send(raw)
}

func (c *conn) send(raw []byte) {
	if !c.silent.Load() {
		c.queue.Push(raw)
	}
}

// close queues the end of the connection with a close code. It returns false,
// for handlers that report whether the connection stays open.
func (c *conn) close(code int, reason string) (open bool) {
	c.end.CompareAndSwap(nil, &websocket.CloseError{Code: code, Text: reason})
	c.queue.Close()
	return false
}

// write sends the queue until the connection is closed.
func (c *conn) write() {
	defer c.ws.Close()
	for range c.queue.Woken {
		queue, closed := c.queue.Take()
		for _, raw := range queue {
			encode := c.encoder
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
			msg := websocket.FormatCloseMessage(c.end.Load().Code, c.end.Load().Text)
			_ = c.ws.WriteControl(websocket.CloseMessage, msg, time.Now().Add(time.Second)) // the peer may be gone
			return
		}
	}
}

// minCompressed is the length in bytes from which a payload is compressed if
// the client has asked for payload compression.
const minCompressed = 1024

// encoder turns a payload into a websocket message.
type encoder func(raw []byte) (kind int, data []byte, err error)

func plain(raw []byte) (int, []byte, error) { return websocket.TextMessage, raw, nil }

// streamEncoder compresses all payloads of a connection in one stream, with a flush
// after each ("Transport Compression").
type streamEncoder struct {
	out bytes.Buffer
	w   interface {
		io.Writer
		Flush() error
	}
}

func (e *streamEncoder) encode(raw []byte) (int, []byte, error) {
	e.out.Reset()
	_, err := e.w.Write(raw)
	if err := errors.Join(err, e.w.Flush()); err != nil {
		return 0, nil, fmt.Errorf("compress a payload: %w", err)
	}
	return websocket.BinaryMessage, bytes.Clone(e.out.Bytes()), nil
}

// compressOne compresses one payload by itself ("Payload Compression").
func compressOne(raw []byte) (int, []byte, error) {
	if len(raw) < minCompressed {
		return plain(raw)
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
		return plain, ""
	case compress == "zlib-stream":
		e := &streamEncoder{}
		e.w = zlib.NewWriter(&e.out)
		return e.encode, ""
	case compress == "zstd-stream":
		e := &streamEncoder{}
		w, err := zstd.NewWriter(&e.out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<17))
		if err != nil {
			return nil, "zstd-stream does not work."
		}
		e.w = w
		return e.encode, ""
	}
	return nil, "There is no such compression: ask for zlib-stream or zstd-stream, or for none."
}
