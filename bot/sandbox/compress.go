package sandbox

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"

	"github.com/gorilla/websocket"
)

// compressFrom is the length in bytes from which a payload is compressed on
// its own where the client has asked for that; Discord compresses large ones.
const minCompressed = 1024

// packer makes websocket messages of payloads.
type encoder interface {
	pack(raw []byte) (kind int, data []byte, err error)
}

// plain sends text.
type plainEncoder struct{}

func (plainEncoder) pack(raw []byte) (int, []byte, error) { return websocket.TextMessage, raw, nil }

// zlibStream is transport compression ("Transport Compression"): all payloads
// of a connection in one zlib stream, each ended by a flush, 00 00 FF FF.
type zlibStreamEncoder struct {
	out bytes.Buffer
	w   *zlib.Writer
}

func (z *zlibStreamEncoder) pack(raw []byte) (int, []byte, error) {
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

// packOne compresses one payload by itself ("Payload Compression").
func compressOne(raw []byte) (int, []byte, error) {
	if len(raw) < minCompressed {
		return plainEncoder{}.pack(raw)
	}
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, err := w.Write(raw)
	if err := errors.Join(err, w.Close()); err != nil {
		return 0, nil, fmt.Errorf("compress a payload: %w", err)
	}
	return websocket.BinaryMessage, out.Bytes(), nil
}

// transport is the packer of a connection's address, or why there is none, as
// the reason of a close: at most 123 bytes.
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
