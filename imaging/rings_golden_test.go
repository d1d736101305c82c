package imaging_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
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
	const tolerance = 2 // of 255, a channel
	r := newRingsRenderer(t)
	for _, g := range ringsPictures() {
		t.Run(g.name, func(t *testing.T) {
			got, _ := ringsImage(t, r, g.scene(t), g.theme)
			path := filepath.Join("testdata", "golden", g.name+".png")
			if *update {
				write(t, path, got)
				return
			}
			kept, err := os.Open(path)
			if err != nil {
				t.Fatalf("%v; go test ./imaging -run Golden -update makes it", err)
			}
			defer kept.Close()
			want, err := png.Decode(kept)
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds() != want.Bounds() {
				t.Fatalf("the picture is %v, not %v", got.Bounds(), want.Bounds())
			}
			difference := image.NewGray(want.Bounds())
			wrong := 0
			for y := range want.Bounds().Dy() {
				for x := range want.Bounds().Dx() {
					if d := distance(got.At(x, y), want.At(x, y)); d > tolerance {
						wrong++
						difference.SetGray(x, y, color.Gray{Y: uint8(min(255, 64+d))})
					}
				}
			}
			if wrong > 0 {
				t.Errorf("%d pixels differ from %s", wrong, path)
				save(t, "is.png", got)
				save(t, "difference.png", difference)
			}
		})
	}
}
