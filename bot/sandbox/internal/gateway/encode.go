package gateway

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"

	"github.com/gorilla/websocket"
)

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

// zlibStreamEncoder is transport compression ("Transport Compression"): all payloads
// of a connection in one zlib stream, each ended by a flush, 00 00 FF FF.
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
	}
	return nil, "The sandbox compresses by zlib-stream alone: ask for that, or for no compression."
}
