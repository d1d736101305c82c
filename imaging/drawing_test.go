package imaging_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/imaging"
)

// piles draws the sample game plainly: its cards and the name of the game's
// position in words, on a square of the first seat's colour.
func piles(d *imaging.Drawing, p *sample.Position) {
	bottom := d.Cards(3, 20, 20, 360)
	d.SetColor(d.Theme.Seat(engine.Blue))
	d.DrawRectangle(20, bottom+20, 40, 40)
	d.Fill()
	d.SetColor(d.Theme.Ink)
	d.Mark(engine.Gold, 40, bottom+40, 10)
	d.SetColor(d.Theme.Text)
	d.Write(p.Status().String(), 80, bottom+40, 16, imaging.AlignLeft)
}

// counters is a scene of the sample game after turns.
func counters(t testing.TB, seats int, turns string) imaging.Scene {
	t.Helper()
	g := sample.Game{}
	s, err := engine.Page{Seats: seats, Turns: turns}.Illustrate(g)
	if err != nil {
		t.Fatal(err)
	}
	return imaging.Scene{Game: g, Position: s.Position, Names: []string{"Anna", "בן", "Chloé"}}
}

func plainRenderer(t testing.TB, p imaging.Painter) *imaging.Renderer {
	t.Helper()
	r, err := imaging.New(imaging.Trails(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// picture is a scene drawn and read again, with the file.
func picture(t testing.TB, r *imaging.Renderer, s imaging.Scene, theme string) (*image.Paletted, []byte) {
	t.Helper()
	file, err := r.Board(context.Background(), s, theme)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := img.(*image.Paletted)
	if !ok || len(p.Palette) > 256 {
		t.Fatalf("the picture is a %T", img)
	}
	return p, file
}

func TestAPlainPainterDrawsInTheThemesColours(t *testing.T) {
	t.Parallel()
	r := plainRenderer(t, imaging.Plain("sample", 400, 300, piles))
	for _, theme := range themes(t) {
		img, file := picture(t, r, counters(t, 3, "a2 end"), theme.Name)
		if img.Bounds() != image.Rect(0, 0, 400, 300) {
			t.Errorf("%s: the picture is %v", theme.Name, img.Bounds())
		}
		for _, c := range []struct {
			what string
			x, y int
			want color.RGBA
		}{
			{"the background", 2, 298, theme.Background},
			{"Blue’s card, who waits", 200, 25, theme.Cell},
			{"Red’s card, who is to move", 200, 100, theme.Seat(engine.Red)},
			{"Red’s mark", 53, 125, theme.Ink},
			{"Gold’s mark", 53, 200, theme.Seat(engine.Gold)},
			{"the mark on the square", 40, 270, theme.Ink},
			{"the square", 22, 255, theme.Seat(engine.Blue)},
		} {
			if got := img.At(c.x, c.y); distance(got, c.want) != 0 {
				t.Errorf("%s: %s is %v, not %v", theme.Name, c.what, got, c.want)
			}
		}
		again, second := picture(t, plainRenderer(t, imaging.Plain("sample", 400, 300, piles)), counters(t, 3, "a2 end"), theme.Name)
		if !bytes.Equal(file, second) || again == nil {
			t.Errorf("%s: two pictures of a scene differ", theme.Name)
		}
	}
}

// What a scene says can be seen.
func TestAPlainPictureShowsNamesAndTheEnd(t *testing.T) {
	t.Parallel()
	r := plainRenderer(t, imaging.Plain("sample", 400, 300, piles))
	seen := map[string]string{}
	for what, change := range map[string]func(*imaging.Scene){
		"as it is":      func(*imaging.Scene) {},
		"without names": func(s *imaging.Scene) { s.Names = nil },
		"after a turn":  func(s *imaging.Scene) { *s = counters(t, 3, "a2 end") },
		"won":           func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} },
		"drawn":         func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} },
		"called off":    func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Void: true} },
	} {
		s := counters(t, 3, "")
		change(&s)
		_, file := picture(t, r, s, "")
		if other, same := seen[string(file)]; same {
			t.Errorf("%s looks like %s", what, other)
		}
		seen[string(file)] = what
	}
}

// Where a drawing has more colours than a picture can, those of large areas
// are exact and the others near.
func TestAPlainPictureOfManyColoursIsReduced(t *testing.T) {
	t.Parallel()
	at := func(x, y int) color.RGBA { return color.RGBA{uint8(x), uint8(y), 90, 255} }
	flat := color.RGBA{250, 1, 2, 255}
	r := plainRenderer(t, imaging.Plain("sample", 256, 300, func(d *imaging.Drawing, _ *sample.Position) {
		for y := range 256 {
			for x := range 256 {
				d.SetColor(at(x, y))
				d.SetPixel(x, y)
			}
		}
		d.SetColor(flat)
		d.DrawRectangle(0, 256, 256, 44)
		d.Fill()
	}))
	img, _ := picture(t, r, counters(t, 2, ""), "")
	if len(img.Palette) != 256 {
		t.Errorf("%d colours", len(img.Palette))
	}
	if got := img.At(100, 280); distance(got, flat) != 0 {
		t.Errorf("a large area is %v", got)
	}
	for y := range 256 {
		for x := range 256 {
			best := math.MaxInt
			for _, c := range img.Palette {
				best = min(best, squares(c, at(x, y)))
			}
			if got := squares(img.At(x, y), at(x, y)); got != best {
				t.Fatalf("(%d, %d) is %d away from its colour, and one in the palette %d", x, y, got, best)
			}
		}
	}
}

// squares is the distance of two colours by channels, squared.
func squares(a, b color.Color) int {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	dr, dg, db := int(x.R)-int(y.R), int(x.G)-int(y.G), int(x.B)-int(y.B)
	return dr*dr + dg*dg + db*db
}

func TestWhatAPlainPainterRefuses(t *testing.T) {
	t.Parallel()
	good := counters(t, 2, "")
	for _, c := range []struct {
		why           string
		width, height int
		position      engine.Position
		says          string
	}{
		{"another game's position", 400, 300, otherPosition{}, "otherPosition"},
		{"no width", 0, 300, good.Position, "0 by 300 pixels"},
		{"too high", 400, 4097, good.Position, "400 by 4097 pixels"},
	} {
		r := plainRenderer(t, imaging.Plain("sample", c.width, c.height, piles))
		s := good
		s.Position = c.position
		if _, err := r.Board(context.Background(), s, ""); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

func TestManyPlainPicturesAtOnce(t *testing.T) {
	t.Parallel()
	r := plainRenderer(t, imaging.Plain("sample", 400, 300, piles))
	scenes := []imaging.Scene{counters(t, 3, ""), counters(t, 3, "a2 end"), counters(t, 3, "a2 end b1 end")}
	var want [][]byte
	for _, s := range scenes {
		_, file := picture(t, r, s, "")
		want = append(want, file)
	}
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			got, err := r.Board(context.Background(), scenes[i%3], "")
			if err != nil || !bytes.Equal(got, want[i%3]) {
				t.Errorf("picture %d is another among others (%v)", i, err)
			}
		})
	}
	wait.Wait()
}

// BenchmarkPlain is what a picture of 1200 by 900 costs without a painter of
// its own.
func BenchmarkPlain(b *testing.B) {
	r := plainRenderer(b, imaging.Plain("sample", 1200, 900, piles))
	s := counters(b, 3, "a2 end")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Board(context.Background(), s, ""); err != nil {
			b.Fatal(err)
		}
	}
}
