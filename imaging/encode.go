package imaging

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"sync"
)

// encoders is the working memory of the PNG encoder, used again and again.
type encoders struct{ pool sync.Pool }

// Get and Put are what png.Encoder asks of its pool.
func (e *encoders) Get() *png.EncoderBuffer {
	b, _ := e.pool.Get().(*png.EncoderBuffer)
	return b // nil makes the encoder a new one
}

func (e *encoders) Put(b *png.EncoderBuffer) { e.pool.Put(b) }

// encode is a picture as PNG, as fast as the encoder can: a board is sent once
// and its bytes are few either way. The same picture gives the same bytes.
func (e *encoders) encode(img *image.Paletted) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(64 << 10)
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: e}
	if err := enc.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
	}
	return b.Bytes(), nil
}
