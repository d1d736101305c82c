package imaging_test

import (
	"bytes"
	"context"
	"image/png"
	"math"
	"testing"

	"castellan/imaging"
)

// A picture from sprites is the picture that gg draws plainly, but for the
// steps of its anti-aliasing: five instead of 256.
func TestSpritesDrawWhatPlainShapesDraw(t *testing.T) {
	t.Parallel()
	r, plain := newRenderer(t), newPlainTrails(t)
	for _, g := range goldens() {
		t.Run(g.name, func(t *testing.T) {
			scene := g.scene(t)
			file, err := r.Board(context.Background(), scene, g.theme)
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			theme, err := imaging.ThemeByName(g.theme)
			if err != nil {
				t.Fatal(err)
			}
			dc, err := plain.picture(scene, theme)
			if err != nil {
				t.Fatal(err)
			}
			want := dc.Image()
			if got.Bounds() != want.Bounds() {
				t.Fatalf("the picture is %v, not %v", got.Bounds(), want.Bounds())
			}
			var squares float64
			worst := 0
			for y := range want.Bounds().Dy() {
				for x := range want.Bounds().Dx() {
					d := distance(got.At(x, y), want.At(x, y))
					squares += float64(d * d)
					worst = max(worst, d)
				}
			}
			rms := math.Sqrt(squares / float64(want.Bounds().Dx()*want.Bounds().Dy()))
			t.Logf("rms %.2f, worst %d of 255", rms, worst)
			// A shape in another place, size or colour is off by 100 and more;
			// two edges on one another by two halves of a quarter.
			if rms > 3.5 || worst > 80 {
				t.Errorf("the pictures differ: rms %.2f, worst %d of 255", rms, worst)
				save(t, "sprites.png", got)
				save(t, "plain.png", want)
			}
		})
	}
}
