package imaging_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"castellan/engine"
	"castellan/imaging"
)

// towersGolden is a picture of Towers that is kept.
type towersGolden struct {
	name, theme      string
	options, actions string
	picked           []string
	change           func(*imaging.Scene)
}

func towersGoldens() []towersGolden {
	return []towersGolden{
		{name: "start", theme: imaging.Light},
		{name: "open", theme: imaging.Dark, options: "size=8 rules=tower-out", actions: towersOpen},
		{name: "picked", theme: imaging.Dark, options: "size=10", actions: towersLarge, picked: []string{"g3"}},
		{name: "pawn-out", theme: imaging.Contrast, options: "size=8 rules=tower-out", actions: towersOpen, picked: []string{"c1", "/"}},
		{name: "out", theme: imaging.Light, options: "size=10", actions: towersOut},
		{name: "taken", theme: imaging.Light, options: "size=6", actions: towersTaken},
		{name: "passes", theme: imaging.Contrast, options: "size=7 rules=master-at-corner", actions: "a2-a4 end end end"},
		{name: "resigned", theme: imaging.Dark, options: "size=9", actions: "b2-b5 end", change: func(s *imaging.Scene) {
			s.Outcome = &imaging.Outcome{Winners: []engine.Seat{2}}
		}},
	}
}

func (g towersGolden) scene(t testing.TB) imaging.Scene {
	t.Helper()
	s := towersScene(t, g.options, g.actions)
	s.Picked = g.picked
	if g.change != nil {
		g.change(&s)
	}
	return s
}

// decoded is the picture that a renderer draws of a scene.
func decoded(t *testing.T, r *imaging.Renderer, s imaging.Scene, theme string) image.Image {
	t.Helper()
	file, err := r.Board(context.Background(), s, theme)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestPicturesOfTowersAreTheGoldenOnes(t *testing.T) {
	t.Parallel()
	r := newTowersRenderer(t)
	for _, g := range towersGoldens() {
		t.Run(g.name, func(t *testing.T) {
			got := decoded(t, r, g.scene(t), g.theme)
			isGolden(t, "towers/"+g.name, got)
		})
	}
}

// A picture from sprites is the picture that gg draws plainly, but for the
// steps of its anti-aliasing.
func TestSpritesDrawTowersAsPlainShapesDo(t *testing.T) {
	t.Parallel()
	r, plain := newTowersRenderer(t), newPlainTowers(t)
	for _, g := range towersGoldens() {
		t.Run(g.name, func(t *testing.T) {
			scene := g.scene(t)
			got := decoded(t, r, scene, g.theme)
			theme, err := imaging.ThemeByName(g.theme)
			if err != nil {
				t.Fatal(err)
			}
			want := plain.picture(scene, theme).Image()
			d := compare(t, got, want)
			t.Logf("rms %.2f, worst %d of 255", d.rms, d.worst)
			// As for Trails: a shape out of place is off by 100 and more.
			if d.rms > 3.5 || d.worst > 80 {
				t.Errorf("the pictures differ: rms %.2f, worst %d of 255", d.rms, d.worst)
				save(t, "sprites.png", got)
				save(t, "plain.png", want)
				save(t, "difference.png", d.picture)
			}
		})
	}
}

// difference is how far two pictures of one size are apart.
type difference struct {
	worst   int // of a channel, of 255
	rms     float64
	picture *image.Gray
	by      []int
}

func compare(t *testing.T, got, want image.Image) difference {
	t.Helper()
	b := want.Bounds()
	if got.Bounds() != b {
		t.Fatalf("the picture is %v, not %v", got.Bounds(), b)
	}
	out := difference{picture: image.NewGray(b)}
	squares := 0.0
	for y := range b.Dy() {
		for x := range b.Dx() {
			d := distance(got.At(x, y), want.At(x, y))
			squares += float64(d * d)
			out.worst = max(out.worst, d)
			out.by = append(out.by, d)
			if d > 0 {
				out.picture.SetGray(x, y, color.Gray{Y: uint8(min(255, 64+d))})
			}
		}
	}
	out.rms = math.Sqrt(squares / float64(b.Dx()*b.Dy()))
	return out
}

// beyond is how many pixels differ by more.
func (d difference) beyond(tolerance int) (n int) {
	for _, by := range d.by {
		if by > tolerance {
			n++
		}
	}
	return n
}
