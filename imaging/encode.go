package imaging

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"hash/maphash"
	"image"
	"sync"

	"github.com/klauspost/compress/flate"
)

// encoder writes paletted pictures as PNG. The pictures of a match differ in few
// rows from turn to turn, so it compresses a picture in bands of rows and keeps
// compressed bands. image/png takes several times as long.
type encoder struct {
	buffers sync.Pool
	bands   bandCache
}

// encodeBuffers are the buffers for one picture.
type encodeBuffers struct {
	png   bytes.Buffer
	rows  []byte
	band  bytes.Buffer
	flate *flate.Writer
}

// encode returns a picture as PNG. The same picture always gives the same
// bytes.
func (e *encoder) encode(img *image.Paletted) ([]byte, error) {
	b, ok := e.buffers.Get().(*encodeBuffers)
	if !ok {
		w, err := flate.NewWriter(nil, level)
		if err != nil {
			return nil, fmt.Errorf("imaging: encoding a picture: %w", err)
		}
		b = &encodeBuffers{flate: w}
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
	b.chunk("IDAT", func() { err = e.compress(b, img) })
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

// bandRows is the number of rows of a band. Shorter bands are reused more often,
// and compressed less.
const bandRows = 40

// level of compression: higher ones take several times as long and save little.
const level = 6

// compress writes the rows of a picture as a zlib stream (RFC 1950).
func (e *encoder) compress(b *encodeBuffers, img *image.Paletted) error {
	const zlibHeader, lastBlock = "\x78\x01", "\x01\x00\x00\xff\xff"
	b.png.WriteString(zlibHeader)
	sum := uint32(1) // Adler-32 of nothing
	height := img.Rect.Dy()
	for top := 0; top < height; top += bandRows {
		rows := min(bandRows, height-top)
		pix := img.Pix[top*img.Stride:][:(rows-1)*img.Stride+img.Rect.Dx()]
		key := bandKey{hash: maphash.Bytes(e.bands.seed(), pix), width: img.Rect.Dx(), stride: img.Stride, rows: rows}
		band, ok := e.bands.get(key)
		if !ok {
			var err error
			if band, err = b.compressBand(pix, img.Rect.Dx(), img.Stride); err != nil {
				return err
			}
			e.bands.put(key, band)
		}
		b.png.Write(band.deflate)
		sum = combineAdler32(sum, band.adler, rows*(img.Rect.Dx()+1))
	}
	b.png.WriteString(lastBlock)
	b.png.Write(binary.BigEndian.AppendUint32(nil, sum))
	return nil
}

// compressBand compresses rows without filters, which would enlarge them.
func (b *encodeBuffers) compressBand(pix []byte, width, stride int) (band, error) {
	const noFilter = 0
	b.rows = b.rows[:0]
	for ; ; pix = pix[stride:] {
		b.rows = append(append(b.rows, noFilter), pix[:width]...)
		if len(pix) <= stride {
			break
		}
	}
	b.band.Reset()
	b.flate.Reset(&b.band)
	if _, err := b.flate.Write(b.rows); err != nil {
		return band{}, err
	}
	if err := b.flate.Flush(); err != nil {
		return band{}, err
	}
	return band{bytes.Clone(b.band.Bytes()), adler32.Checksum(b.rows)}, nil
}

// band is a compressed band of rows: deflate blocks that end at a byte
// boundary, and the checksum of the rows.
type band struct {
	deflate []byte
	adler   uint32
}

// bandKey identifies a band by its pixels. Two different bands share a hash of
// 64 bits once in many billions of pictures.
type bandKey struct {
	hash                uint64
	width, stride, rows int
}

// bandCache keeps recently used bands. The zero value is ready.
type bandCache struct {
	once     sync.Once
	hashSeed maphash.Seed

	mu            sync.Mutex
	recent, older map[bandKey]band
	size          int // of recent, in bytes
}

// maxRecentBands bounds the newer half of the cache in bytes.
const maxRecentBands = 8 << 20

func (c *bandCache) seed() maphash.Seed {
	c.once.Do(func() { c.hashSeed = maphash.MakeSeed() })
	return c.hashSeed
}

func (c *bandCache) get(k bandKey) (band, bool) {
	c.mu.Lock()
	b, ok := c.recent[k]
	var old bool
	if !ok {
		b, old = c.older[k]
	}
	c.mu.Unlock()
	if old {
		c.put(k, b)
	}
	return b, ok || old
}

func (c *bandCache) put(k bandKey, b band) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += len(b.deflate); c.recent == nil || c.size > maxRecentBands {
		c.recent, c.older, c.size = map[bandKey]band{}, c.recent, len(b.deflate)
	}
	c.recent[k] = b
}

// combineAdler32 returns the Adler-32 checksum of two texts one after the other,
// from the checksum of each and the length of the second.
func combineAdler32(first, second uint32, length int) uint32 {
	const mod = 65521
	n := uint32(length % mod)
	a1, b1, a2, b2 := first&0xffff, first>>16, second&0xffff, second>>16
	a := (a1 + a2 + mod - 1) % mod
	b := (n*a1%mod + b1 + b2 + mod - n) % mod
	return b<<16 | a
}
