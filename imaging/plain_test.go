package imaging_test

import (
	"context"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"castellan/engine"
	"castellan/engine/enginetest/sample"
	"castellan/imaging"
	"castellan/imaging/draw"
	"castellan/imaging/imagingtest"
)

// cards draws the sample game: its cards, a mark on a square, and the status.
func cards(d *imaging.Drawing, p *sample.Position) {
	bottom := d.Cards(3, 20, 20, 360)
	d.SetColor(d.Theme.Seat(engine.Blue))
	d.DrawRectangle(20, bottom+20, 40, 40)
	d.Fill()
	d.SetColor(d.Theme.Ink)
	d.Mark(engine.Gold, 40, bottom+40, 10)
	d.SetColor(d.Theme.Text)
	d.Write(p.Status().String(), 80, bottom+40, 16, draw.Left)
}

// counters returns a scene of the sample game after turns.
func counters(t testing.TB, seats int, turns string) imaging.Scene {
	t.Helper()
	s, err := engine.Page{Seats: seats, Turns: turns}.Illustrate(sample.Game{})
	if err != nil {
		t.Fatal(err)
	}
	return imaging.Scene{Game: sample.Game{}, Position: s.Position, Names: []string{"Anna", "בן", "Chloé"}}
}

// plain draws scenes with a plain painter.
func plain(t testing.TB, width, height int, paint func(*imaging.Drawing, *sample.Position)) *imaging.Renderer {
	t.Helper()
	return imagingtest.Renderer(t, imaging.Plain("sample", width, height, paint))
}

func TestPlainColours(t *testing.T) {
	t.Parallel()
	r := plain(t, 400, 300, cards)
	for _, name := range draw.Themes() {
		theme, err := draw.ThemeByName(name)
		if err != nil {
			t.Fatal(err)
		}
		img := imagingtest.Picture(t, r, counters(t, 3, "a2 end"), name)
		if img.Bounds() != image.Rect(0, 0, 400, 300) {
			t.Errorf("%s: the picture is %v", theme.Name, img.Bounds())
		}
		for _, c := range []struct {
			what string
			x, y int
			want color.RGBA
		}{
			{"the background", 2, 298, theme.Background},
			{"the card of Blue, who is not to move", 200, 25, theme.Cell},
			{"the card of Red, who is to move", 200, 100, theme.Seat(engine.Red)},
			{"Red’s mark", 53, 125, theme.Ink},
			{"Gold’s mark", 53, 200, theme.Seat(engine.Gold)},
			{"the mark on the square", 40, 270, theme.Ink},
			{"the square", 22, 255, theme.Seat(engine.Blue)},
		} {
			if got := img.At(c.x, c.y); got != c.want {
				t.Errorf("%s: %s is %v, not %v", theme.Name, c.what, got, c.want)
			}
		}
	}
}

func TestPlainDistinctScenes(t *testing.T) {
	t.Parallel()
	s := counters(t, 3, "")
	change := func(f func(*imaging.Scene)) imaging.Scene { return imagingtest.Change(s, f) }
	imagingtest.Distinct(t, imaging.Plain("sample", 400, 300, cards), map[string]imaging.Scene{
		"unchanged":     s,
		"without names": change(func(s *imaging.Scene) { s.Names = nil }),
		"after a turn":  counters(t, 3, "a2 end"),
		"won":           change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Winners: []engine.Seat{1}} }),
		"drawn":         change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{} }),
		"aborted":       change(func(s *imaging.Scene) { s.Outcome = &imaging.Outcome{Void: true} }),
	})
}

// If a drawing has more than 256 colours, those of large areas are exact and the
// others are replaced by the nearest.
func TestPlainManyColours(t *testing.T) {
	t.Parallel()
	at := func(x, y int) color.RGBA { return color.RGBA{uint8(x), uint8(y), 90, 255} }
	flat := color.RGBA{250, 1, 2, 255}
	r := plain(t, 256, 300, func(d *imaging.Drawing, _ *sample.Position) {
		for y := range 256 {
			for x := range 256 {
				d.SetColor(at(x, y))
				d.SetPixel(x, y)
			}
		}
		d.SetColor(flat)
		d.DrawRectangle(0, 256, 256, 44)
		d.Fill()
	})
	img := imagingtest.Picture(t, r, counters(t, 2, ""), "")
	if len(img.Palette) != 256 {
		t.Errorf("%d colours", len(img.Palette))
	}
	if got := img.At(100, 280); got != flat {
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

// squares returns the squared distance of two colours.
func squares(a, b color.Color) int {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	dr, dg, db := int(x.R)-int(y.R), int(x.G)-int(y.G), int(x.B)-int(y.B)
	return dr*dr + dg*dg + db*db
}

func TestPlainErrors(t *testing.T) {
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
		r := plain(t, c.width, c.height, cards)
		s := good
		s.Position = c.position
		if _, err := r.Board(context.Background(), s, ""); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

// BenchmarkPlain measures a picture of 1200 by 900 pixels.
func BenchmarkPlain(b *testing.B) {
	imagingtest.Benchmark(b, imaging.Plain("sample", 1200, 900, cards), counters(b, 3, "a2 end"))
}
