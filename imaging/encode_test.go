package imaging

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestEncode encodes pictures that change a little from one to the next, and
// decodes them with the standard library, which checks every checksum.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(1, 200).Draw(t, "width"), rapid.IntRange(1, 200).Draw(t, "height")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
			color.RGBA{A: 255}, color.RGBA{R: 255, A: 255}, color.RGBA{G: 200, B: 7, A: 255},
		})
		var e encoder
		for n := range rapid.IntRange(1, 6).Draw(t, "pictures") {
			if n > 0 { // otherwise blank
				for range random.IntN(50) {
					img.Pix[random.IntN(len(img.Pix))] = byte(random.IntN(3))
				}
			}
			data, err := e.encode(img)
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := got.(*image.Paletted); !ok || !bytes.Equal(p.Pix, img.Pix) || p.Rect != img.Rect {
				t.Fatalf("picture %d differs after decoding", n)
			}
			var fresh encoder
			if again, err := fresh.encode(img); err != nil || !bytes.Equal(again, data) {
				t.Fatalf("picture %d has other bytes without the cache: %v", n, err)
			}
		}
	})
}

func TestBandCacheIsBounded(t *testing.T) {
	var c bandCache
	data := make([]byte, 1<<20)
	for n := range 100 {
		c.put(bandKey{hash: uint64(n)}, band{deflate: data})
		if _, ok := c.get(bandKey{}); n > 0 && n < 8 && !ok {
			t.Errorf("after %d bands the first is gone", n)
		}
	}
	if n := len(c.recent) + len(c.older); n > 2*maxRecentBands>>20+1 {
		t.Errorf("%d MiB are kept", n)
	}
}
