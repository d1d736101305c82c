package imaging_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"testing"

	"castellan/imaging"
)

func newRingsRenderer(t testing.TB) *imaging.Renderer {
	t.Helper()
	r, err := imaging.New(imaging.Rings())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ringsImage draws a scene and decodes it.
func ringsImage(t testing.TB, r *imaging.Renderer, s imaging.Scene, theme string) (img image.Image, bytesOf []byte) {
	t.Helper()
	file, err := r.Board(context.Background(), s, theme)
	if err != nil {
		t.Fatal(err)
	}
	img, err = png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return img, file
}

func TestRingsPicturesAreTheGoldenOnes(t *testing.T) {
	t.Parallel()
	r := newRingsRenderer(t)
	for _, g := range ringsPictures() {
		t.Run(g.name, func(t *testing.T) {
			got, _ := ringsImage(t, r, g.scene(t), g.theme)
			isGolden(t, g.name, got)
		})
	}
}
