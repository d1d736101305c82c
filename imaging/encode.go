package imaging

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// encoder writes paletted pictures as PNG. image/png takes twice the time,
// because it cannot use another compressor.
type encoder struct{ buffers sync.Pool }

// encodeBuffers are the buffers for one picture.
type encodeBuffers struct {
	png  bytes.Buffer
	row  []byte
	zlib *zlib.Writer
}

// encode returns a picture as PNG. The same picture always gives the same
// bytes.
func (e *encoder) encode(img *image.Paletted) ([]byte, error) {
	b, ok := e.buffers.Get().(*encodeBuffers)
	if !ok {
		w, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
		if err != nil {
			return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
		}
		b = &encodeBuffers{zlib: w}
	}
	defer e.buffers.Put(b)
	b.png.Reset()
	b.png.WriteString("\x89PNG\r\n\x1a\n")

	width, height := img.Rect.Dx(), img.Rect.Dy()
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	const depth, paletted = 8, 3
	b.chunk("IHDR", func() { b.png.Write(append(header, depth, paletted, 0, 0, 0)) })
	b.chunk("PLTE", func() {
		for _, c := range img.Palette {
			r, g, bl, _ := c.RGBA()
			b.png.Write([]byte{byte(r >> 8), byte(g >> 8), byte(bl >> 8)})
		}
	})
	var err error
	b.chunk("IDAT", func() { err = b.compress(img) })
	b.chunk("IEND", func() {})
	if err != nil {
		return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
	}
	return bytes.Clone(b.png.Bytes()), nil
}

// chunk writes a chunk of PNG: length, type, data and checksum.
func (b *encodeBuffers) chunk(kind string, data func()) {
	start := b.png.Len()
	b.png.WriteString("\x00\x00\x00\x00" + kind)
	data()
	chunk := b.png.Bytes()[start:]
	binary.BigEndian.PutUint32(chunk, uint32(len(chunk)-8))
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE(chunk[4:]))
	b.png.Write(sum[:])
}

// compress writes the rows of a picture without filters: those would enlarge
// it.
func (b *encodeBuffers) compress(img *image.Paletted) error {
	b.zlib.Reset(&b.png)
	const noFilter = 0
	for y := range img.Rect.Dy() {
		b.row = append(append(b.row[:0], noFilter), img.Pix[y*img.Stride:][:img.Rect.Dx()]...)
		if _, err := b.zlib.Write(b.row); err != nil {
			return err
		}
	}
	return b.zlib.Close()
}
